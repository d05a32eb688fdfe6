//go:build unix

package desktop

import (
	"fmt"
	"strings"
	"testing"

	"proofmark/bridge/person"
)

// R-UI-4, D-100: the whole job by the keyboard at the screen: the focus goes to the card
// and comes back, and the page hears nothing of it.
func TestJourneyByKeyboard(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	a := d.start(d.path("menu.html"))
	p := a.ready()
	a.hand.Focus(a.cmd.Process.Pid)
	a.hand.Key("p")
	a.Find("button", "Pointing")
	before := p.JS("window.events")
	for _, key := range []string{"Down", "Down", "Right"} { // the body, its heading, the paragraph
		a.hand.Key(key)
	}
	a.Status("<p id")
	a.hand.Key("Left")
	a.Status("<h1")
	a.hand.Key("Return")
	card := a.card()
	if box := card.Find("textbox", "What should change here?"); !box.Focused {
		t.Error("the note's box has no focus")
	}
	a.hand.Type(`change the text to "Winter menu"`) // its letters are no commands there
	card.Says("kept as a draft")
	if after := p.JS("window.events"); after != before {
		t.Errorf("the page heard %s events, then %s", before, after)
	}
	a.hand.Key("ctrl+Return")
	a.Find("heading", "Review the change")
	a.Enabled("button", "Approve")
	a.hand.Key("a")
	want := strings.Replace(sample, "Café menu — spring", "Winter menu", 1)
	d.holds("menu.html", want)
	a.shows("h1", "Winter menu")
	a.hand.Key("z")
	d.holds("menu.html", sample)
	a.hand.Key("shift+z")
	d.holds("menu.html", want)
	a.hand.Key("2")
	a.Find("textbox", "Source of")
	a.hand.Key("Escape")
	a.hand.Key("1")
	a.ready()

	// The page can be used, too, by whoever clicks into it; one key gives the workbench back.
	x, y := a.spotOf(a.page(), "#buy", 0)
	a.hand.Press(x, y)
	person.Eventually(t, "the page has the keyboard", func() error {
		if a.page().JS("document.hasFocus()") != "true" {
			return person.ErrNotYet
		}
		return nil
	})
	heard := a.page().JS("window.events")
	a.hand.Key("Tab")
	person.Eventually(t, "the page hears its own keys", func() error {
		if a.page().JS("window.events") == heard {
			return person.ErrNotYet
		}
		return nil
	})
	a.hand.Key("ctrl+k")
	if box := a.Find("dialog", "Commands"); !box.Focused {
		t.Error("the palette has no focus")
	}
	a.hand.Key("Escape")
	a.Gone("dialog", "Commands")
}

// D-100: a page that is loaded again, or that asks for it, does not take the keyboard
// from where a person types.
func TestPageTakesNoKeyboard(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", strings.Replace(sample, "<script>", `<input id="trap" value=""><script>setInterval(() => { window.focus(); document.getElementById('trap').focus() }, 10);`, 1))
	a := d.start(d.path("menu.html"))
	a.ready()
	a.press("textbox", "Say something")
	a.hand.Type("one ")
	d.run("edit", d.path("menu.html"), "--at", "#lead", "--say", `change the text to "Stale"`) // a version, and a load, from elsewhere
	for range 8 {
		a.hand.Type("and again ")
	}
	a.shows("#lead", "Stale")
	want := "one " + strings.Repeat("and again ", 8)
	person.Eventually(t, "what was typed", func() error {
		if got := person.Unescape(a.JS("[...document.querySelectorAll('textarea')].map((e) => e.value).join('|')")); got != want {
			return fmt.Errorf("%q", got)
		}
		return nil
	})
	if got := a.page().JS("document.getElementById('trap').value"); got != `""` {
		t.Errorf("the page has got %s", got)
	}
}
