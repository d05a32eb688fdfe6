//go:build unix

package window

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// R-PICK-1, R-UI-2, R-UI-3, R-TURN-11, C-31: the whole job by mouse, on a real
// page in the real window: point, see the proof, say it, review, approve, look,
// take it back. The page hears nothing while it is pointed at.
func TestJourneyByMouse(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	w := d.open("menu.html")
	page := w.ready()

	// Point: the proof is visible before anything is clicked.
	x, y := w.spotOf(page, "h1", 0)
	w.Click("button", "Point")
	w.Find("button", "Pointing")
	w.Move(x-4, y)
	w.Move(x, y)
	w.Status(statusBytes(t, sample, `<h1 class="title">`) + "·<h1")
	before := page.JS("window.events") // what came before it was armed
	bx, by := w.spotOf(page, "#buy", 0)
	w.Move(bx, by)
	w.Status("<button")
	w.ClickAt(x, y)
	box := w.Find("textbox", "What should change here?")
	if !box.Focused {
		t.Error("the note's box has no focus")
	}
	w.Says("1 place in the source ✓")
	w.Types(`change the text to "Summer menu"`)
	w.Says("kept as a draft")
	if after := page.JS("window.events"); after != before {
		t.Errorf("the page heard %s events, then %s", before, after)
	}
	w.Click("button", "=Send")

	// Review: what is proposed, before anything is written.
	w.Find("heading", "Review the change")
	w.Click("button", "Approve")
	want := strings.Replace(sample, "Café menu — spring", "Summer menu", 1)
	w.holds("menu.html", want)
	w.Says("Changed 1 place. Everything else is byte for byte the same.")
	w.shows("h1", "Summer menu")

	// Several at once: one note on two paragraphs.
	page = w.ready()
	x, y = w.spotOf(page, ".price", 0)
	w.point(x, y)
	w.ClickAt(x, y)
	w.Find("textbox", "What should change here?")
	x, y = w.spotOf(page, "#lead", 0)
	w.CtrlClickAt(x, y)
	w.Find("textbox", "What should change in these 2 places?")
	w.Types("make it bold")
	w.Says("kept as a draft")
	w.Key("\r", chromedp.ModifierCtrl)
	w.Says("Changed 2 places.") // only the first change of a session waits for a review
	bold := d.read("menu.html")
	if bold == want || !strings.Contains(bold, "Summer menu") {
		t.Errorf("the file holds\n%s", bold)
	}

	// Take the older one back, under the newer one.
	w.Click("tab", "Changes")
	w.Click("button", "Undo: change the text")
	w.holds("menu.html", strings.Replace(bold, "Summer menu", "Café menu — spring", 1))
	w.Click("tab", "Page")
	w.shows("h1", "Café menu — spring")
}
