//go:build unix

package window

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// R-UI-4: the same job by keyboard alone: no mouse event is ever sent.
func TestJourneyByKeyboard(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	w := d.open("menu.html")
	page := w.ready()

	w.types("p")
	w.find("button", "Pointing")
	before := page.js("window.events")
	for _, k := range []string{kb.ArrowDown, kb.ArrowDown, kb.ArrowRight} { // the body, its heading, the paragraph
		w.key(k)
	}
	w.status(statusBytes(t, sample, `<p id="lead">`) + "·<p")
	w.key(kb.ArrowLeft)
	w.status("<h1")
	w.key(kb.Enter)
	if box := w.find("textbox", "What should change here?"); !box.Focused {
		t.Error("the note's box has no focus")
	}
	w.types(`change the text to "Winter menu"`) // its letters are no commands there
	w.says("kept as a draft")
	if after := page.js("window.events"); after != before {
		t.Errorf("the page heard %s events, then %s", before, after)
	}
	w.key(kb.Enter, chromedp.ModifierCtrl)
	w.find("heading", "Review the change")
	w.enabled("button", "Approve") // a key that was meant for something else approves nothing
	w.types("a")
	want := strings.Replace(sample, "Café menu — spring", "Winter menu", 1)
	w.holds("menu.html", want)
	w.says("Changed 1 place.")
	w.shows("h1", "Winter menu")

	w.types("z")
	w.holds("menu.html", sample)
	w.says("Taken back")
	w.key("Z", chromedp.ModifierShift)
	w.holds("menu.html", want)

	// The source, by hand.
	w.types("2")
	w.tabTo("textbox", "Source of")
	w.key(kb.Home, chromedp.ModifierCtrl)
	w.types("<!-- mine -->")
	w.key("s", chromedp.ModifierCtrl)
	w.holds("menu.html", "<!-- mine -->"+want)
	w.key(kb.Escape)

	// Every command, by its name.
	w.key("k", chromedp.ModifierCtrl)
	if box := w.find("dialog", "Commands"); !box.Focused {
		t.Error("the palette has no focus")
	}
	w.types("changes")
	w.key(kb.Enter)
	w.says("Edited by hand")
	w.types("?")
	w.find("dialog", "Keys")
	w.key(kb.Escape)
	w.gone("dialog", "Keys")
	eventually(t, "the focus is back", func() error {
		if at := w.focused(); strings.HasPrefix(at, "body") {
			return errNotYet
		}
		return nil
	})
}
