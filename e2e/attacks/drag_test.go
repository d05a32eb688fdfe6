//go:build unix

package attacks

import (
	"testing"
	"time"

	"proofmark/bridge/person"
)

// A page holds out an address, or a person drags a file over the window: what is
// let go of over the workbench is opened nowhere, and text still goes where one
// writes.
func TestAttack23DraggedOut(t *testing.T) {
	w := openWindow(t, "page.html", plainPage)
	w.loaded()
	pages := func() (n int) {
		for _, s := range person.Targets(w.t, w.browser) {
			if s.Type == "page" {
				n++
			}
		}
		return n
	}
	for _, over := range []string{"h2", ".bar", ".statusbar", ".composer"} {
		x, y := middle(w.t, w.page, over, "")
		for _, address := range []string{"data:text/html,<h1>Proofmark", w.url("/"), "http://127.0.0.1:1/", "file:///etc/hostname", "javascript:window.pwned=1", "about:blank"} {
			w.drop(x, y, address, "")
			for range 5 {
				time.Sleep(20 * time.Millisecond)
				if n := pages(); n != 1 {
					t.Errorf("%s over %s: %d pages are shown", address, over, n)
				}
			}
		}
		w.drop(x, y, "", w.write("dropped.html", "<h1>dropped"))
		time.Sleep(100 * time.Millisecond)
		if n := pages(); n != 1 {
			t.Errorf("a file over %s: %d pages are shown", over, n)
		}
	}
	x, y := middle(w.t, w.page, ".composer textarea", "")
	w.drop(x, y, "", w.write("dropped.html", "<h1>dropped"))
	w.drop(x, y, "https://dragged.nowhere/", "")
	time.Sleep(300 * time.Millisecond)
	if !w.said("dragged.nowhere") {
		t.Error("what is dragged into a text does not stand there")
	}
	if n := pages(); n != 1 {
		t.Errorf("%d pages are shown", n)
	}
	w.unharmed("dragging")
	w.page.Clean()
}
