//go:build unix

package window

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// R-DOC-7, R-UI-3: what another program writes is shown at once, where the person
// was; and every version that a command makes.
func TestOutsideChange(t *testing.T) {
	d := newDesk(t)
	long := strings.Replace(sample, `<ul id="list">`, strings.Repeat("<p>filling</p>\n", 200)+`<p id="end">The end</p><ul id="list">`, 1)
	d.write("menu.html", long)
	w := d.open("menu.html")
	page := w.ready()
	page.js("document.getElementById('end').scrollIntoView(), 1")
	at := page.js("Math.round(scrollY)")
	d.write("menu.html", strings.Replace(long, "The end", "The very end", 1))
	w.shows("#end", "The very end")
	eventually(t, "the page stands where it stood", func() error {
		if got := w.page().js("Math.round(scrollY)"); got != at {
			return fmt.Errorf("at %s, was at %s", got, at)
		}
		return nil
	})
	w.says("r2")
	d.run("edit", "menu.html", "--at", "h1", "--say", `change the text to "By command"`)
	w.shows("h1", "By command")
	w.says("r3")
}

// D-67, D-79: a note that is being written when everything dies is there again.
func TestDraftSurvivesAKill(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	w := d.open("menu.html")
	page := w.ready()
	x, y := w.spotOf(page, "#lead", 0)
	w.point(x, y)
	w.clickAt(x, y)
	w.find("textbox", "What should change here?")
	w.types("say it shorter, please")
	w.says("kept as a draft")
	if err := syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-w.exited
	w.exited <- nil // it is known
	w = d.open("menu.html")
	w.ready()
	w.says("say it shorter, please")
	w.find("button", "Send 1 note")
	if got := d.read("menu.html"); got != sample {
		t.Errorf("the file holds\n%s", got)
	}
}

// R-SEC-6, D-65, D-113: an operator's kill ends pointing in its middle and says
// so; what is stored stays readable; unkill gives it back.
func TestKillInMidPick(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	w := d.open("menu.html")
	page := w.ready()
	x, y := w.spotOf(page, "h1", 0)
	w.point(x, y)
	d.run("kill", "artifactPromptAnnotations", "--reason", "exercise")
	w.says("Pointing is switched off by the operator.")
	w.says("exercise")
	w.find("button", "Point")
	w.gone("button", "Pointing")
	w.types("3")
	w.says("Opened menu.html")
	d.run("unkill", "artifactPromptAnnotations")
	eventually(t, "the notice is gone", func() error {
		if strings.Contains(w.js("document.body.innerText"), "switched off") {
			return errNotYet
		}
		return nil
	})
	w.types("1")
	w.point(x, y)
}

// R-UI-4, D-8: keys that an input method composes with are nobody's commands.
func TestInputMethod(t *testing.T) {
	d := newDesk(t)
	d.prefers(`{"language":"zh"}`)
	d.write("menu.html", sample)
	w := d.open("menu.html")
	page := w.ready()
	w.says("页面")
	x, y := w.spotOf(page, "h1", 0)
	w.find("button", "选取")
	w.types("p")
	w.move(x-1, y)
	eventually(t, "the page is pointed at", func() error {
		w.move(x-2, y)
		w.move(x, y)
		if s := w.js("document.querySelector('footer')?.innerText ?? ''"); !strings.Contains(s, "h1") {
			return errNotYet
		}
		return nil
	})
	w.clickAt(x, y)
	box := w.find("textbox", "这里要改什么？")
	if !box.Focused {
		t.Fatalf("the note's box has no focus: %+v", box)
	}
	compose := func(text string) {
		t.Helper()
		if _, err := chromedp.Call(w.ctx, input.ImeSetComposition, input.ImeSetCompositionParams{Text: text, SelectionStart: int64(len([]rune(text))), SelectionEnd: int64(len([]rune(text)))}); err != nil {
			t.Fatal(err)
		}
	}
	compose("ba")
	// Enter takes what is composed, as input methods send it: code 229, and it must
	// not send the note, with Ctrl or without.
	for _, held := range []int64{0, 2} {
		if _, err := chromedp.Call(w.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Process", Code: "Enter", WindowsVirtualKeyCode: 229, NativeVirtualKeyCode: 229, Modifiers: held,
		}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := chromedp.Call(w.ctx, input.InsertText, input.InsertTextParams{Text: "把文字改成“夏季菜单”"}); err != nil {
		t.Fatal(err)
	}
	w.says("夏季菜单")
	if n := len(w.all("heading", "审阅")); n != 0 {
		t.Error("the note was sent while it was composed")
	}
	w.key(kb.Enter, chromedp.ModifierCtrl)
	w.find("heading", "审阅")
	w.enabled("button", "批准")
	w.types("a")
	w.holds("menu.html", strings.Replace(sample, "Café menu — spring", "夏季菜单", 1))
}

// R-SEC-6: window.PROOFMARK_FEATURES, the profile and the data directory hold no
// token when the window is closed.
func TestNothingIsLeftBehind(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	w := d.open("menu.html")
	w.ready()
	stored := w.js("JSON.stringify([Object.keys(localStorage), Object.keys(sessionStorage), document.cookie, location.href, document.title, Object.keys(window).filter((k) => /token|secret/i.test(k))])")
	if strings.Contains(stored, "eyJ") || !strings.Contains(unescape(stored), `[[],[],""`) {
		t.Errorf("the page keeps %s", stored)
	}
	err := filepath.WalkDir(d.data, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(b), "eyJhbGciOi") {
			t.Errorf("%s holds a token", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
