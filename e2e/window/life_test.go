//go:build unix

package window

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"proofmark/bridge/person"

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
	page.JS("document.getElementById('end').scrollIntoView(), 1")
	at := page.JS("Math.round(scrollY)")
	d.write("menu.html", strings.Replace(long, "The end", "The very end", 1))
	w.shows("#end", "The very end")
	person.Eventually(t, "the page stands where it stood", func() error {
		if got := w.page().JS("Math.round(scrollY)"); got != at {
			return fmt.Errorf("at %s, was at %s", got, at)
		}
		return nil
	})
	w.Says("r2")
	d.run("edit", "menu.html", "--at", "h1", "--say", `change the text to "By command"`)
	w.shows("h1", "By command")
	w.Says("r3")
}

// D-67, D-79: a note that is being written when everything dies is there again.
func TestDraftSurvivesAKill(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	w := d.open("menu.html")
	page := w.ready()
	x, y := w.spotOf(page, "#lead", 0)
	w.point(x, y)
	w.ClickAt(x, y)
	w.Find("textbox", "What should change here?")
	w.Types("say it shorter, please")
	w.Says("kept as a draft")
	if err := syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-w.exited
	w.exited <- nil // it is known
	w = d.open("menu.html")
	w.ready()
	w.Says("say it shorter, please")
	w.Find("button", "Send 1 note")
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
	w.Says("Pointing is switched off by the operator.")
	w.Says("exercise")
	w.Find("button", "Point")
	w.Gone("button", "Pointing")
	w.Types("3")
	w.Says("Opened menu.html")
	d.run("unkill", "artifactPromptAnnotations")
	person.Eventually(t, "the notice is gone", func() error {
		if strings.Contains(w.JS("document.body.innerText"), "switched off") {
			return person.ErrNotYet
		}
		return nil
	})
	w.Types("1")
	w.point(x, y)
}

// R-UI-4, D-8: keys that an input method composes with are nobody's commands.
func TestInputMethod(t *testing.T) {
	d := newDesk(t)
	d.prefers(`{"language":"zh"}`)
	d.write("menu.html", sample)
	w := d.open("menu.html")
	page := w.ready()
	w.Says("页面")
	x, y := w.spotOf(page, "h1", 0)
	w.Find("button", "选取")
	w.Types("p")
	w.Move(x-1, y)
	person.Eventually(t, "the page is pointed at", func() error {
		w.Move(x-2, y)
		w.Move(x, y)
		if s := w.JS("document.querySelector('footer')?.innerText ?? ''"); !strings.Contains(s, "h1") {
			return person.ErrNotYet
		}
		return nil
	})
	w.ClickAt(x, y)
	box := w.Find("textbox", "这里要改什么？")
	if !box.Focused {
		t.Fatalf("the note's box has no focus: %+v", box)
	}
	compose := func(text string) {
		t.Helper()
		if _, err := chromedp.Call(w.Ctx, input.ImeSetComposition, input.ImeSetCompositionParams{Text: text, SelectionStart: int64(len([]rune(text))), SelectionEnd: int64(len([]rune(text)))}); err != nil {
			t.Fatal(err)
		}
	}
	compose("ba")
	// Enter takes what is composed, as input methods send it: code 229, and it must
	// not send the note, with Ctrl or without.
	for _, held := range []int64{0, 2} {
		if _, err := chromedp.Call(w.Ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Process", Code: "Enter", WindowsVirtualKeyCode: 229, NativeVirtualKeyCode: 229, Modifiers: held,
		}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := chromedp.Call(w.Ctx, input.InsertText, input.InsertTextParams{Text: "把文字改成“夏季菜单”"}); err != nil {
		t.Fatal(err)
	}
	w.Says("夏季菜单")
	if n := len(w.All("heading", "审阅")); n != 0 {
		t.Error("the note was sent while it was composed")
	}
	w.Key(kb.Enter, chromedp.ModifierCtrl)
	w.Find("heading", "审阅")
	w.Enabled("button", "批准")
	w.Types("a")
	w.holds("menu.html", strings.Replace(sample, "Café menu — spring", "夏季菜单", 1))
}

// R-SEC-6: window.PROOFMARK_FEATURES, the profile and the data directory hold no
// token when the window is closed.
func TestNothingIsLeftBehind(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	w := d.open("menu.html")
	w.ready()
	stored := w.JS("JSON.stringify([Object.keys(localStorage), Object.keys(sessionStorage), document.cookie, location.href, document.title, Object.keys(window).filter((k) => /token|secret/i.test(k))])")
	if strings.Contains(stored, "eyJ") || !strings.Contains(person.Unescape(stored), `[[],[],""`) {
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
