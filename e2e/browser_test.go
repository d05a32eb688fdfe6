//go:build unix

package e2e

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestBrokenBrowser: a browser that does not start is told apart from one that
// is not there, with its reason, at once, and nothing is changed.
func TestBrokenBrowser(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", small)
	for name, c := range map[string]struct{ script, code, text, hint string }{
		"ends at once":   {"exit 7", "browser_failed", "said nothing", "PROOFMARK_CHROMIUM"},
		"says why":       {"echo some reason >&2; exit 1", "browser_failed", "some reason", "PROOFMARK_CHROMIUM"},
		"no sandbox":     {"echo 'FATAL: No usable sandbox! …' >&2; exit 1", "browser_failed", "sandbox", "chromium-sandbox"},
		"no library":     {"echo 'error while loading shared libraries: libnss3.so' >&2; exit 127", "browser_failed", "library", "package manager"},
		"speaks garbage": {`printf 'garbage\0' >&4; exec sleep 600`, "browser_failed", "said nothing", "PROOFMARK_CHROMIUM"},
	} {
		t.Run(name, func(t *testing.T) {
			browser := d.path(strings.ReplaceAll(name, " ", "-"))
			if err := os.WriteFile(browser, []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			t0 := time.Now()
			r := d.want(6, "edit", "page.html", "--json", "--chromium", browser, "--at", "h1", "--say", "make it red")
			f := decode[struct{ Error failed }](t, r.stdout).Error
			if f.Code != c.code || !strings.Contains(f.Message, c.text) || !strings.Contains(f.Hint, c.hint) {
				t.Errorf("%+v", f)
			}
			if strings.Contains(r.stdout, "profile-") {
				t.Errorf("a temporary path is told: %s", r.stdout)
			}
			if took := time.Since(t0); took > 15*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
	if d.read("page.html") != small {
		t.Error("the page was changed")
	}
}
