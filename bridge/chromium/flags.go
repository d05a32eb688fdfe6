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
	// App, if set, is shown at once in a window of its own, without tabs and
	// without an address bar.
	App string
	// Direct is the one address, host and port, that is asked without the proxy;
	// "" for none.
	Direct string
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
		"--no-service-autorun",
		"--no-pings",
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
		"--proxy-server=" + f.Proxy,
		"--proxy-bypass-list=" + bypass(f.Direct),
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",
	}
	if f.App != "" {
		// A page in a frame may not take the keyboard away from the window's own page:
		// what a person types there is not meant for it.
		args = append(args, "--app="+f.App, "--class=Proofmark", "--enable-features=BlockingFocusWithoutUserActivation")
	} else {
		args = append(args, "--no-startup-window")
	}
	if f.Headless || f.App == "" { // what a person looks at all day may be drawn by the graphics card
		args = append(args, "--disable-gpu")
	}
	if f.Headless {
		args = append(args, "--headless")
		if f.App == "" { // in a window they are part of the page's layout
			args = append(args, "--hide-scrollbars")
		}
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

// bypass is what does not go through the proxy. Loopback would, unless the odd
// rule takes that back; it stands first, so that it says nothing of direct.
func bypass(direct string) string {
	if direct == "" {
		return "<-loopback>"
	}
	return "<-loopback>;" + direct
}
