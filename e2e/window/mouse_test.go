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
	w.click("button", "Point")
	w.find("button", "Pointing")
	w.move(x-4, y)
	w.move(x, y)
	w.status(statusBytes(t, sample, `<h1 class="title">`) + "·<h1")
	before := page.js("window.events") // what came before it was armed
	bx, by := w.spotOf(page, "#buy", 0)
	w.move(bx, by)
	w.status("<button")
	w.clickAt(x, y)
	box := w.find("textbox", "What should change here?")
	if !box.Focused {
		t.Error("the note's box has no focus")
	}
	w.says("1 place in the source ✓")
	w.types(`change the text to "Summer menu"`)
	w.says("kept as a draft")
	if after := page.js("window.events"); after != before {
		t.Errorf("the page heard %s events, then %s", before, after)
	}
	w.click("button", "=Send")

	// Review: what is proposed, before anything is written.
	w.find("heading", "Review the change")
	w.click("button", "Approve")
	want := strings.Replace(sample, "Café menu — spring", "Summer menu", 1)
	w.holds("menu.html", want)
	w.says("Changed 1 place. Everything else is byte for byte the same.")
	w.shows("h1", "Summer menu")

	// Several at once: one note on two paragraphs.
	page = w.ready()
	x, y = w.spotOf(page, ".price", 0)
	w.point(x, y)
	w.clickAt(x, y)
	w.find("textbox", "What should change here?")
	x, y = w.spotOf(page, "#lead", 0)
	w.ctrlClickAt(x, y)
	w.find("textbox", "What should change in these 2 places?")
	w.types("make it bold")
	w.says("kept as a draft")
	w.key("\r", chromedp.ModifierCtrl)
	w.says("Changed 2 places.") // only the first change of a session waits for a review
	bold := d.read("menu.html")
	if bold == want || !strings.Contains(bold, "Summer menu") {
		t.Errorf("the file holds\n%s", bold)
	}

	// Take the older one back, under the newer one.
	w.click("tab", "Changes")
	w.click("button", "Undo: change the text")
	w.holds("menu.html", strings.Replace(bold, "Summer menu", "Café menu — spring", 1))
	w.click("tab", "Page")
	w.shows("h1", "Café menu — spring")
}
