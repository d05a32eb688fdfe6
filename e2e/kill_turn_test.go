//go:build unix

package e2e

import (
	"strings"
	"syscall"
	"testing"
)

// TestKillEndsTurns: a turn that stands still in another process, its browser
// with it, is ended by kill at once and named. When it goes on it publishes
// nothing, also where the switch was taken back meanwhile; its notes can be sent
// again then (R-SEC-6, D-113).
func TestKillEndsTurns(t *testing.T) {
	needChromium(t)
	for _, back := range []bool{false, true} {
		d := newDesk(t)
		d.write("page.html", small)
		d.want(0, "annotate", "page.html", "--at", "h1", "--say", `change the text to "Two"`)
		c := d.until("looking", "send", "page.html")
		c.signal(syscall.SIGSTOP)
		defer c.signal(syscall.SIGKILL)
		id := d.sentTurn()
		k := decode[switched](t, d.want(0, "kill", "--json").stdout)
		if len(k.Ended) != 1 || k.Ended[0].Turn != id || k.Ended[0].Model != "builtin" {
			c.signal(syscall.SIGCONT)
			t.Fatalf("the turn was faster than the signal, or was not ended: %+v", k)
		}
		if events := d.want(0, "events", "page.html", "--turn", id, "--json").stdout; !strings.Contains(events, `"ended"`) || !strings.Contains(events, "feature_off") {
			t.Errorf("whoever follows the turn is not told: %s", events)
		}
		if back {
			d.want(0, "unkill")
		}
		c.signal(syscall.SIGCONT)
		r := c.wait()
		if r.code != 3 || !strings.Contains(r.stderr, "switched this off") && !strings.Contains(r.stderr, "turn") {
			t.Errorf("back %v: exit %d: %s", back, r.code, r.stderr)
		}
		if d.read("page.html") != small {
			t.Fatalf("back %v: the page was changed: %q", back, d.read("page.html"))
		}
		if h := d.want(0, "history", "page.html", "--json").stdout; strings.Contains(h, `"turn"`) {
			t.Errorf("back %v: a version of the turn: %s", back, h)
		}
		if !back {
			d.want(0, "unkill")
		}
		o := decode[outcome](t, d.want(0, "send", "page.html", "--again", id, "--json").stdout)
		if o.Status != "applied" || d.read("page.html") != strings.Replace(small, "One", "Two", 1) {
			t.Errorf("back %v: sent again: %+v", back, o)
		}
	}
}
