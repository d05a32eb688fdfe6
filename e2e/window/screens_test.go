//go:build unix

package window

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"proofmark/bridge/person"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// prefers stores what a person chose, before the window opens.
func (d *desk) prefers(object string) {
	d.t.Helper()
	if err := os.MkdirAll(d.data, 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.data, "preferences.json"), []byte(object), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// widths are those a picture of a screen is taken at, CSS pixels: a large window,
// a small one, and one where the panel is a drawer.
var widths = []int{1440, 1024, 780}

const height = 900

// screen looks at what is shown: serious findings of axe-core in any theme, and
// the golden pictures.
func (w *window) screen(theme, name string, widths ...int) {
	w.desk.t.Helper()
	time.Sleep(200 * time.Millisecond) // motion is over; 120 ms at most
	w.Axe(name + " in " + theme)
	for _, width := range widths {
		w.Resize(width, height)
		time.Sleep(300 * time.Millisecond) // pins and frames follow
		golden(w.desk.t, w.Tab, theme+"-"+name+"-"+itoa(width))
	}
	if len(widths) > 0 && widths[len(widths)-1] != 1440 {
		w.Resize(1440, height)
		time.Sleep(200 * time.Millisecond)
	}
}

// R-UI-4: every screen in both themes: no serious finding of axe-core, and it
// looks as it looked when somebody last looked at it.
func TestScreens(t *testing.T) {
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) { screens(t, theme) })
	}
}

func screens(t *testing.T, theme string) {
	d := newDesk(t)
	d.prefers(`{"theme":"` + theme + `","language":"en"}`)
	d.write("menu.html", sample)
	all := widths
	if theme == "dark" {
		all = widths[:1]
	}
	w := d.open("menu.html")
	w.Resize(1440, height)
	page := w.ready()
	w.Says("saved")
	w.screen(theme, "page", all...)

	x, y := w.spotOf(page, "h1", 0)
	w.point(x, y)
	w.ClickAt(x, y)
	w.Find("textbox", "What should change here?")
	w.Types(`change the text to "Summer menu"`)
	w.Says("kept as a draft")
	w.screen(theme, "note", all...)

	w.Click("button", "Change it directly")
	w.Find("button", "Apply")
	w.screen(theme, "directly")
	w.Key(kb.Escape)
	w.Key(kb.Escape)

	lx, ly := w.spotOf(page, "#list li", 1)
	w.point(lx, ly)
	w.ClickAt(lx, ly)
	w.Says("A script made this element")
	w.screen(theme, "refused", all[:1]...)
	w.Click("button", "use it")
	w.Find("textbox", "What should change here?")
	w.Key(kb.Escape)
	w.Key(kb.Escape)

	w.Click("button", "What the agent sees")
	w.Says("Document")
	w.screen(theme, "seen", all[:1]...)
	w.Click("button", "What the agent sees")

	w.Click("button", "Send 1 note")
	w.Find("heading", "Review the change")
	w.Find("button", "Approve")
	w.screen(theme, "review", all...)
	w.Click("button", "Approve")
	w.Says("Changed 1 place.")
	w.shows("h1", "Summer menu")
	w.Find("img", "The page after the change") // its pictures come a moment later
	w.screen(theme, "done", all[:1]...)

	w.Types("3")
	w.Says("change the text")
	w.Find("region", "Difference")
	person.Eventually(w.desk.t, "pictures on the cards", func() error {
		if len(w.All("img", "The page after the change")) < 2 {
			return person.ErrNotYet
		}
		return nil
	})
	w.screen(theme, "changes", all...)
	w.Types("2")
	w.Find("textbox", "Source of")
	w.screen(theme, "source", all[:1]...)
	w.Types("1")
	w.Key("k", chromedp.ModifierCtrl)
	w.Find("dialog", "Commands")
	w.screen(theme, "palette", all[:1]...)
	w.Key(kb.Escape)
	w.Types("?")
	w.Find("dialog", "Keys")
	w.screen(theme, "keys")
	w.Key(kb.Escape)
	w.Click("button", "Menu")
	w.Find("menu", "")
	w.screen(theme, "menu")
	w.Key(kb.Escape)
	w.Key("o", chromedp.ModifierCtrl)
	w.Find("textbox", "Path of the file")
	w.screen(theme, "open", all[:1]...)
	w.Key(kb.Escape)

	// Another program and the page's history go different ways.
	d.run("restore", "menu.html", "1", "--write", "never")
	d.write("menu.html", strings.Replace(sample, "Café menu — spring", "From elsewhere", 1))
	w.Says("The file was changed by another program.")
	w.Click("button", "Compare")
	w.Find("button", "Take theirs")
	w.screen(theme, "outside", all[:1]...)

	d.run("kill", "--reason", "exercise")
	w.Says("switched off by the operator")
	w.screen(theme, "killed")
	d.run("unkill")
}
