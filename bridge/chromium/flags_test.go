package chromium

import (
	"slices"
	"strings"
	"testing"
)

// TestWindowArgs: everything goes through the proxy but, in a window, the one address of
// the workbench; and a window is a window.
func TestWindowArgs(t *testing.T) {
	const proxy, direct = "http://127.0.0.1:1000", "127.0.0.1:2000"
	for name, c := range map[string]struct {
		flags Flags
		want  []string
		not   []string // beginnings
	}{
		"hidden": {
			Flags{Proxy: proxy, Headless: true},
			[]string{"--headless", "--hide-scrollbars", "--no-startup-window", "--disable-gpu", "--proxy-bypass-list=<-loopback>"},
			[]string{"--app", "--enable-features"},
		},
		"seen": {
			Flags{Proxy: proxy},
			[]string{"--no-startup-window", "--proxy-bypass-list=<-loopback>"},
			[]string{"--headless", "--app"},
		},
		"window": {
			Flags{Proxy: proxy, App: "data:text/html,x", Direct: direct},
			[]string{"--app=data:text/html,x", "--proxy-bypass-list=<-loopback>;" + direct, "--enable-features=BlockingFocusWithoutUserActivation"},
			[]string{"--no-startup-window", "--headless", "--disable-gpu"},
		},
		"window without a display": {
			Flags{Proxy: proxy, App: "data:text/html,x", Direct: direct, Headless: true},
			[]string{"--app=data:text/html,x", "--headless", "--disable-gpu"},
			[]string{"--no-startup-window", "--hide-scrollbars"},
		},
	} {
		args := Args(c.flags)
		for _, w := range append(c.want, "--proxy-server="+proxy, "--remote-debugging-pipe", "--deny-permission-prompts") {
			if !slices.Contains(args, w) {
				t.Errorf("%s: no %s in %q", name, w, args)
			}
		}
		for _, n := range append(c.not, "--remote-debugging-port", "--disable-web-security") {
			if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, n) }) {
				t.Errorf("%s: %s in %q", name, n, args)
			}
		}
		for _, once := range []string{"--proxy-bypass-list", "--disable-features", "--enable-features"} {
			n := 0
			for _, a := range args {
				if strings.HasPrefix(a, once+"=") {
					n++
				}
			}
			if n > 1 {
				t.Errorf("%s: %s stands there %d times", name, once, n)
			}
		}
	}
}
