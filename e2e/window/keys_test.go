//go:build unix

package window

import (
	"strings"
	"testing"

	"proofmark/bridge/person"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// R-UI-4: the same job by keyboard alone: no mouse event is ever sent.
func TestJourneyByKeyboard(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	w := d.open("menu.html")
	page := w.ready()

	w.Types("p")
	w.Find("button", "Pointing")
	before := page.JS("window.events")
	for _, k := range []string{kb.ArrowDown, kb.ArrowDown, kb.ArrowRight} { // the body, its heading, the paragraph
		w.Key(k)
	}
	w.Status(statusBytes(t, sample, `<p id="lead">`) + "·<p")
	w.Key(kb.ArrowLeft)
	w.Status("<h1")
	w.Key(kb.Enter)
	if box := w.Find("textbox", "What should change here?"); !box.Focused {
		t.Error("the note's box has no focus")
	}
	w.Types(`change the text to "Winter menu"`) // its letters are no commands there
	w.Says("kept as a draft")
	if after := page.JS("window.events"); after != before {
		t.Errorf("the page heard %s events, then %s", before, after)
	}
	w.Key(kb.Enter, chromedp.ModifierCtrl)
	w.Find("heading", "Review the change")
	w.Enabled("button", "Approve") // a key that was meant for something else approves nothing
	w.Types("a")
	want := strings.Replace(sample, "Café menu — spring", "Winter menu", 1)
	w.holds("menu.html", want)
	w.Says("Changed 1 place.")
	w.shows("h1", "Winter menu")

	w.Types("z")
	w.holds("menu.html", sample)
	w.Says("Taken back")
	w.Key("Z", chromedp.ModifierShift)
	w.holds("menu.html", want)

	// The source, by hand.
	w.Types("2")
	w.TabTo("textbox", "Source of")
	w.Key(kb.Home, chromedp.ModifierCtrl)
	w.Types("<!-- mine -->")
	w.Key("s", chromedp.ModifierCtrl)
	w.holds("menu.html", "<!-- mine -->"+want)
	w.Key(kb.Escape)

	// Every command, by its name.
	w.Key("k", chromedp.ModifierCtrl)
	if box := w.Find("dialog", "Commands"); !box.Focused {
		t.Error("the palette has no focus")
	}
	w.Types("changes")
	w.Key(kb.Enter)
	w.Says("Edited by hand")
	w.Types("?")
	w.Find("dialog", "Keys")
	w.Key(kb.Escape)
	w.Gone("dialog", "Keys")
	person.Eventually(t, "the focus is back", func() error {
		if at := w.Focused(); strings.HasPrefix(at, "body") {
			return person.ErrNotYet
		}
		return nil
	})
}
