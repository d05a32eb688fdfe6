//go:build unix

package window

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	w.axe(name + " in " + theme)
	for _, width := range widths {
		w.resize(width, height)
		time.Sleep(300 * time.Millisecond) // pins and frames follow
		w.golden(theme + "-" + name + "-" + itoa(width))
	}
	if len(widths) > 0 && widths[len(widths)-1] != 1440 {
		w.resize(1440, height)
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
	w.resize(1440, height)
	page := w.ready()
	w.says("saved")
	w.screen(theme, "page", all...)

	x, y := w.spotOf(page, "h1", 0)
	w.point(x, y)
	w.clickAt(x, y)
	w.find("textbox", "What should change here?")
	w.types(`change the text to "Summer menu"`)
	w.says("kept as a draft")
	w.screen(theme, "note", all...)

	w.click("button", "Change it directly")
	w.find("button", "Apply")
	w.screen(theme, "directly")
	w.key(kb.Escape)
	w.key(kb.Escape)

	lx, ly := w.spotOf(page, "#list li", 1)
	w.point(lx, ly)
	w.clickAt(lx, ly)
	w.says("A script made this element")
	w.screen(theme, "refused", all[:1]...)
	w.click("button", "use it")
	w.find("textbox", "What should change here?")
	w.key(kb.Escape)
	w.key(kb.Escape)

	w.click("button", "What the agent sees")
	w.says("Document")
	w.screen(theme, "seen", all[:1]...)
	w.click("button", "What the agent sees")

	w.click("button", "Send 1 note")
	w.find("heading", "Review the change")
	w.find("button", "Approve")
	w.screen(theme, "review", all...)
	w.click("button", "Approve")
	w.says("Changed 1 place.")
	w.shows("h1", "Summer menu")
	w.find("img", "The page after the change") // its pictures come a moment later
	w.screen(theme, "done", all[:1]...)

	w.types("3")
	w.says("change the text")
	w.find("region", "Difference")
	eventually(w.desk.t, "pictures on the cards", func() error {
		if len(w.all("img", "The page after the change")) < 2 {
			return errNotYet
		}
		return nil
	})
	w.screen(theme, "changes", all...)
	w.types("2")
	w.find("textbox", "Source of")
	w.screen(theme, "source", all[:1]...)
	w.types("1")
	w.key("k", chromedp.ModifierCtrl)
	w.find("dialog", "Commands")
	w.screen(theme, "palette", all[:1]...)
	w.key(kb.Escape)
	w.types("?")
	w.find("dialog", "Keys")
	w.screen(theme, "keys")
	w.key(kb.Escape)
	w.click("button", "Menu")
	w.find("menu", "")
	w.screen(theme, "menu")
	w.key(kb.Escape)
	w.key("o", chromedp.ModifierCtrl)
	w.find("textbox", "Path of the file")
	w.screen(theme, "open", all[:1]...)
	w.key(kb.Escape)

	// Another program and the page's history go different ways.
	d.run("restore", "menu.html", "1", "--write", "never")
	d.write("menu.html", strings.Replace(sample, "Café menu — spring", "From elsewhere", 1))
	w.says("The file was changed by another program.")
	w.click("button", "Compare")
	w.find("button", "Take theirs")
	w.screen(theme, "outside", all[:1]...)

	d.run("kill", "--reason", "exercise")
	w.says("switched off by the operator")
	w.screen(theme, "killed")
	d.run("unkill")
}
