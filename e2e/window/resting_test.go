//go:build unix

package window

import (
	"testing"
	"time"
)

// R-PICK-1: a mouse that rests on the page when pointing begins picks with its next
// press, though it was not moved: the page does not get that press.
func TestRestingMouse(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	w := d.open("menu.html")
	page := w.ready()
	w.Types("2")
	w.Find("textbox", "Source of")
	w.Types("1") // whatever it was, the page is there and the keys are the workbench's
	x, y := w.spotOf(page, "#buy", 0)
	w.Move(x, y)
	time.Sleep(300 * time.Millisecond)
	w.Types("p")
	w.Find("button", "Pointing")
	w.Status("<button")
	before := page.JS("window.events")
	w.PressHere(x, y)
	w.Find("textbox", "What should change here?")
	if after := page.JS("window.events"); after != before {
		t.Errorf("the page heard %s events, then %s", before, after)
	}
}
