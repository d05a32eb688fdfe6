package chromium

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// script makes a program that answers --version with text.
func script(t *testing.T, dir, name, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: there are no shell scripts on Windows")
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindOrder(t *testing.T) {
	dir := t.TempDir()
	over := script(t, dir, "mine", "echo Chromium 1.2.3.4")
	env := script(t, dir, "env", "echo Google Chrome 150.0.1.2 beta")
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	chrome := script(t, dir, "chromium", "echo Chromium 156.0.8078.108 built on X")

	t.Setenv(EnvPath, "")
	if f, err := Find(""); err != nil || f.Path != chrome || f.Version != "156.0.8078.108" {
		// A wrapper of this name stands for the distribution's own program.
		if f.Path != "/usr/lib/chromium/chromium" {
			t.Errorf("PATH: %+v %v", f, err)
		}
	}
	t.Setenv(EnvPath, env)
	if f, err := Find(""); err != nil || f.Path != env || f.Version != "150.0.1.2" {
		t.Errorf("environment: %+v %v", f, err)
	}
	if f, err := Find(over); err != nil || f.Path != over || f.Version != "1.2.3.4" {
		t.Errorf("option: %+v %v", f, err)
	}
}

func TestFindRefuses(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv(EnvPath, "")
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "/bin:/usr/bin:"+dir)
	for name, path := range map[string]string{
		"missing": filepath.Join(dir, "none"), "directory": dir, "not executable": plain,
		"no version": script(t, dir, "silent", "echo hello"), "fails": script(t, dir, "fails", "exit 3"),
	} {
		_, err := Find(path)
		e := core.AsError(err)
		if err == nil || e.Code != core.NoBrowser || e.Hint == "" || e.Code.Exit() != core.ExitMissing {
			t.Errorf("%s: %+v", name, e)
		}
	}
	t.Setenv(EnvPath, "/no/such/browser")
	if _, err := Locate(""); core.CodeOf(err) != core.NoBrowser || !strings.Contains(err.Error(), EnvPath) {
		t.Errorf("a wrong variable must not be passed over: %v", err)
	}
}

func TestHints(t *testing.T) {
	for goos, word := range map[string]string{"linux": "apt install", "darwin": "brew install", "windows": "winget"} {
		if h := InstallHint(goos); !strings.Contains(h, word) || !strings.Contains(h, EnvPath) {
			t.Errorf("%s: %s", goos, h)
		}
		env := map[string]string{"HOME": "/home/x", "LOCALAPPDATA": `C:\x`, "PROGRAMFILES": `C:\y`}
		if len(usualPlaces(goos, func(k string) string { return env[k] })) == 0 {
			t.Errorf("%s: nowhere to look", goos)
		}
	}
}

// TestEnvironment: a shell's secrets do not reach the browser.
func TestEnvironment(t *testing.T) {
	got := Environment([]string{
		"PATH=/bin", "HOME=/h", "LANG=C", "LC_ALL=C", "DISPLAY=:1", "OPENAI_API_KEY=sk", "AWS_SECRET_ACCESS_KEY=x", "HTTP_PROXY=http://x", "CHROMIUM_FLAGS=--no-sandbox",
		"LD_PRELOAD=/evil.so", "SSLKEYLOGFILE=/x", "PROOFMARK_TOKEN=x", "broken", "=x",
	})
	if want := []string{"PATH=/bin", "HOME=/h", "LANG=C", "LC_ALL=C", "DISPLAY=:1"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestArgs: the flags that the isolation stands on (BRIDGE: measured set), and
// none of those that take protections away.
func TestArgs(t *testing.T) {
	args := Args(Flags{Profile: "/p", Proxy: "http://127.0.0.1:1", Headless: true, Width: 800, Height: 600})
	for _, want := range []string{
		"--remote-debugging-pipe", "--user-data-dir=/p", "--proxy-server=http://127.0.0.1:1", "--proxy-bypass-list=<-loopback>",
		"--webrtc-ip-handling-policy=disable_non_proxied_udp", "--deny-permission-prompts", "--dns-prefetch-disable", "--disable-quic", "--headless", "--window-size=800,600",
	} {
		if !slices.Contains(args, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, a := range args {
		for _, bad := range []string{"--no-sandbox", "--remote-debugging-port", "--disable-web-security", "--disable-popup-blocking", "--disable-hang-monitor", "--disable-ipc-flooding-protection", "--allow-file-access", "--single-process", "--disable-site-isolation"} {
			if strings.HasPrefix(a, bad) {
				t.Errorf("%s is there", a)
			}
		}
	}
	if args = Args(Flags{NoSandbox: true}); !slices.Contains(args, "--no-sandbox") || slices.Contains(args, "--headless") {
		t.Errorf("%q", args)
	}
}
