package chromium

import (
	"fmt"
	"strings"
)

// Flags are the choices that change the command line.
type Flags struct {
	Profile   string // user data directory
	Proxy     string // "http://127.0.0.1:<port>", the only way out
	Headless  bool
	Width     int // of the window, device pixels
	Height    int
	NoSandbox bool // Chromium refuses to run as root with its sandbox
	SmallShm  bool // /dev/shm is too small for shared memory
}

// disabledFeatures talk to the network, or show something of their own.
var disabledFeatures = []string{
	"Translate", "MediaRouter", "OptimizationHints", "OptimizationGuideModelDownloading", "AutofillServerCommunication",
	"InterestFeedContentSuggestions", "CertificateTransparencyComponentUpdater", "DialMediaRouteProvider",
	"GlobalMediaControls", "ImprovedCookieControls", "LensOverlay", "PrivacySandboxSettings4", "SafeBrowsingDelayedWarnings",
	"Prerender2", "BackForwardCache", "NetworkTimeServiceQuerying",
}

// Args gives Chromium's whole command line but for the program's name. The
// list is our own: the usual automation lists switch off protections that an
// untrusted page should meet.
func Args(f Flags) []string {
	args := []string{
		"--remote-debugging-pipe",
		"--user-data-dir=" + f.Profile,
		"--no-first-run",
		"--no-default-browser-check",
		"--no-startup-window",
		"--no-service-autorun",
		"--no-pings",
		"--disable-gpu",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		"--disable-quic",
		"--disable-default-apps",
		"--disable-extensions",
		"--disable-component-extensions-with-background-pages",
		"--disable-breakpad",
		"--disable-crash-reporter",
		"--disable-client-side-phishing-detection",
		"--disable-domain-reliability",
		"--disable-search-engine-choice-screen",
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding",
		"--disable-features=" + strings.Join(disabledFeatures, ","),
		"--metrics-recording-only",
		"--password-store=basic",
		"--use-mock-keychain",
		"--force-color-profile=srgb",
		"--mute-audio",
		"--noerrdialogs",
		"--deny-permission-prompts",
		"--dns-prefetch-disable",
		// Loopback bypasses a proxy unless this odd rule takes that back.
		"--proxy-server=" + f.Proxy,
		"--proxy-bypass-list=<-loopback>",
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",
	}
	if f.Headless {
		args = append(args, "--headless", "--hide-scrollbars")
	}
	if f.Width > 0 && f.Height > 0 {
		args = append(args, fmt.Sprintf("--window-size=%d,%d", f.Width, f.Height))
	}
	if f.NoSandbox {
		// --test-type keeps a visible window free of the warning bar, which
		// would push every coordinate down.
		args = append(args, "--no-sandbox", "--test-type")
	}
	if f.SmallShm {
		args = append(args, "--disable-dev-shm-usage")
	}
	return args
}
