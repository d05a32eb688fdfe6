// Package chromium finds, starts and ends the Chromium that drives previews: a
// fresh profile, flags of our own, a process group, and two pipes instead of a
// debugging port.
package chromium

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"proofmark/gateway/core"
)

// EnvPath names the environment variable that overrides the search.
const EnvPath = "PROOFMARK_CHROMIUM"

// versionTimeout bounds a browser's answer to --version.
const versionTimeout = 10 * time.Second

// Found is a browser that answers.
type Found struct {
	Path    string
	Version string // "156.0.8078.108"; empty where it is learned at the start only
}

var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"}

// Locate gives the path of a browser: override, then PROOFMARK_CHROMIUM, then
// the usual names on PATH, then the platform's usual places. It starts nothing.
func Locate(override string) (string, error) {
	for _, given := range []struct{ name, path string }{{"the browser option", override}, {EnvPath, os.Getenv(EnvPath)}} {
		if given.path == "" {
			continue
		}
		p, err := exec.LookPath(given.path)
		if err != nil {
			return "", core.Wrap(core.NoBrowser, err, "%s names %q, which is not a program that can be run", given.name, given.path).
				WithHint("%s", InstallHint(runtime.GOOS)).In("chromium.Find")
		}
		return filepath.Abs(p)
	}
	for _, n := range names {
		if p, err := exec.LookPath(n); err == nil {
			return filepath.Abs(behindWrapper(p))
		}
	}
	for _, p := range usualPlaces(runtime.GOOS, os.Getenv) {
		if _, err := exec.LookPath(p); err == nil {
			return p, nil
		}
	}
	return "", core.Errorf(core.NoBrowser, "no Chromium was found on this machine").
		WithHint("%s", InstallHint(runtime.GOOS)).In("chromium.Find")
}

// behindWrapper gives the program behind a distribution's shell script: the
// script costs time and adds flags of its own to ours.
func behindWrapper(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return path
	}
	defer f.Close()
	var head [2]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || string(head[:]) != "#!" {
		return path
	}
	for _, real := range []string{"/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser", "/usr/lib64/chromium-browser/chromium-browser"} {
		if filepath.Base(real) != filepath.Base(path) {
			continue
		}
		if _, err := exec.LookPath(real); err == nil {
			return real
		}
	}
	return path
}

// Find is Locate, and asks the browser for its version.
func Find(override string) (Found, error) {
	p, err := Locate(override)
	if err != nil {
		return Found{}, err
	}
	v, err := version(p)
	if err != nil {
		return Found{}, core.Wrap(core.NoBrowser, err, "%s does not say its version, so it is not used", p).
			WithHint("%s", InstallHint(runtime.GOOS)).In("chromium.Find")
	}
	return Found{Path: p, Version: v}, nil
}

var versionNumber = regexp.MustCompile(`\d+(\.\d+){1,3}`)

func version(path string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), versionTimeout)
	defer cancel()
	if runtime.GOOS == "windows" {
		// chrome.exe --version opens a window there; the start tells instead.
		return "", nil
	}
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = Environment(os.Environ())
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", err
	}
	v := versionNumber.FindString(string(out))
	if v == "" {
		return "", core.Errorf(core.NoBrowser, "no version in its answer %q", firstLine(string(out)))
	}
	return v, nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 200 {
		s = s[:200]
	}
	return s
}

func usualPlaces(goos string, getenv func(string) string) []string {
	switch goos {
	case "darwin":
		var out []string
		for _, root := range []string{"/Applications", filepath.Join(getenv("HOME"), "Applications")} {
			for _, app := range []string{"Chromium", "Google Chrome", "Microsoft Edge"} {
				out = append(out, filepath.Join(root, app+".app", "Contents", "MacOS", app))
			}
		}
		return out
	case "windows":
		var out []string
		for _, root := range []string{getenv("LOCALAPPDATA"), getenv("PROGRAMFILES"), getenv("PROGRAMFILES(X86)")} {
			if root == "" {
				continue
			}
			out = append(out,
				filepath.Join(root, "Chromium", "Application", "chrome.exe"),
				filepath.Join(root, "Google", "Chrome", "Application", "chrome.exe"),
				filepath.Join(root, "Microsoft", "Edge", "Application", "msedge.exe"))
		}
		return out
	default:
		return []string{
			"/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser", "/snap/bin/chromium",
			"/opt/google/chrome/chrome", "/opt/microsoft/msedge/msedge",
		}
	}
}

// InstallHint says how to get a browser on the platform.
func InstallHint(goos string) string {
	const or = " Or name one: " + EnvPath + "=/path/to/chrome."
	switch goos {
	case "darwin":
		return "Install one with: brew install --cask chromium." + or
	case "windows":
		return "Install one with: winget install Hibbiki.Chromium (Microsoft Edge works too)." + or
	default:
		return "Install one with: sudo apt install chromium, sudo dnf install chromium, or sudo pacman -S chromium." + or
	}
}
