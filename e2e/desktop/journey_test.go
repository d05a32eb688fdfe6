//go:build unix

package desktop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"proofmark/bridge/person"
	"proofmark/internal/modelserver"
)

const modelKey = "sk-desktop-test"

// model gives the desk a model that answers with these steps.
func (d *desk) model(steps ...modelserver.Step) *modelserver.Server {
	s := modelserver.StartT(d.t, steps...)
	s.RequireKey(modelKey)
	d.env = append(d.env, "OPENAI_API_KEY="+modelKey, "OPENAI_BASE_URL="+s.OpenAIBase(), "PROOFMARK_MODEL=openai:some-model")
	return s
}

// patch replaces text that stands once in the source.
func patch(expected, replacement string) modelserver.Step {
	return modelserver.From(func(last map[string]any) modelserver.Call {
		state, _ := last["state"].(map[string]any)
		return modelserver.NewCall("document_patch", map[string]any{
			"sourceSha": state["sourceSha"], "edits": []any{map[string]any{"expectedText": expected, "replacement": replacement, "note": 1}},
		})
	})
}

// versions counts a document's versions.
func (d *desk) versions(name string) int {
	d.t.Helper()
	var h struct {
		Revisions []json.RawMessage `json:"revisions"`
	}
	person.Decode(d.t, d.run("history", d.path(name), "--json"), &h)
	if len(h.Revisions) == 0 {
		d.t.Fatal("a document without versions")
	}
	return len(h.Revisions)
}

// write writes a note on an element of the page by hand and keeps it as a draft.
func (a *app) say(selector string, n int, text string) {
	a.desk.t.Helper()
	x, y := a.spotOf(a.page(), selector, n)
	a.point(x, y)
	a.hand.Press(x, y)
	card := a.card()
	if box := card.Find("textbox", "What should change here?"); !box.Focused {
		a.desk.t.Error("the note's box has no focus")
	}
	a.hand.Type(text)
	card.Says("kept as a draft")
}

// R-UI-1, R-PICK-1, R-TURN-1, D-16, D-17, D-99, D-100, D-102: the whole job at the
// screen itself: point, write, send to a model that repairs its own draft, approve,
// look, ask, let go, stop, take back. One change is one version and one load of the
// page; what is only answered, dropped or stopped makes none.
func TestJourney(t *testing.T) {
	d := newDesk(t)
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	s := d.model(slices.Concat(
		[]modelserver.Step{
			modelserver.Inspect(), modelserver.Use("document_read", map[string]any{}), patch("</h1>", "</h1>\n<p class=\"hours\">Hours follow</p>"),
			modelserver.Look(), patch("Hours follow", "Open from seven to six"), modelserver.Look(), modelserver.Commit("Added."), modelserver.Say("The hours are there."),
		},
		[]modelserver.Step{modelserver.Say("It is a menu.")},
		[]modelserver.Step{
			modelserver.Inspect(), modelserver.Apply(modelserver.SetTexts("Stale every day.")), modelserver.Look(),
			modelserver.Discard("Better not."), modelserver.Say("I left it."),
		},
		[]modelserver.Step{
			modelserver.Inspect(), modelserver.Apply(modelserver.SetTexts("Never.")), modelserver.Give(modelserver.Reply{Text: "…", Fault: modelserver.Fault{Delay: hang}}),
		},
	)...)
	d.write("menu.html", sample)
	a := d.start(d.path("menu.html"))
	p := a.ready()

	// Point: nothing of it comes to the page.
	x, y := a.spotOf(p, "h1", 0)
	a.press("button", "Point")
	a.Find("button", "Pointing")
	person.Eventually(t, "the page is armed", func() error {
		a.hand.Move(x-3, y)
		a.hand.Move(x, y)
		if !strings.Contains(a.JS("document.querySelector('footer')?.innerText ?? ''"), "<h1") {
			return person.ErrNotYet
		}
		return nil
	})
	before := p.JS("window.events")
	bx, by := a.spotOf(p, "#buy", 0)
	a.hand.Move(bx, by)
	a.Status("<button")
	a.hand.Press(x, y)
	card := a.card()
	if box := card.Find("textbox", "What should change here?"); !box.Focused {
		t.Error("the note's box has no focus")
	}
	card.Says("1 place in the source ✓")
	a.hand.Type("put the hours below")
	card.Says("kept as a draft")
	if after := p.JS("window.events"); after != before {
		t.Errorf("the page heard %s events, then %s", before, after)
	}

	// Send: one version, one load.
	var loads atomic.Int32
	if err := chromedp.Listen(p.Ctx, func(ev any) {
		if e, ok := ev.(*page.EventFrameNavigated); ok && e.Frame.ParentID == "" {
			loads.Add(1)
		}
	}); err != nil {
		t.Fatal(err)
	}
	a.hand.Key("ctrl+Return")
	a.Find("heading", "Review the change")
	a.Enabled("button", "Approve")
	a.press("button", "Approve")
	want := strings.Replace(sample, "</h1>", "</h1>\n<p class=\"hours\">Open from seven to six</p>", 1)
	d.holds("menu.html", want)
	a.shows(".hours", "Open from seven to six")
	a.Says("Changed 1 place. Everything else is byte for byte the same.")
	if n := d.versions("menu.html"); n != 2 {
		t.Errorf("%d versions, want 2", n)
	}
	if n := loads.Load(); n != 1 {
		t.Errorf("the page was loaded %d times for one version", n)
	}
	a.press("tab", "Changes")
	a.Says("put the hours below")
	a.press("tab", "Page")
	a.ready()

	// An answer writes nothing.
	a.ask("What is this?")
	a.Says("It is a menu.")
	// Nor does what is dropped.
	a.say("#lead", 0, "make it worse")
	a.hand.Key("ctrl+Return")
	a.Says("I left it.")
	// Nor what is stopped.
	a.say("#lead", 0, "say it never is")
	a.hand.Key("ctrl+Return")
	person.Eventually(t, "the model is asked", func() error {
		if n := len(s.Calls()); n < 17 {
			return fmt.Errorf("%w: %d calls", person.ErrNotYet, n)
		}
		return nil
	})
	a.press("button", "Stop")
	a.Gone("button", "Stop")
	if n := d.versions("menu.html"); n != 2 {
		t.Errorf("%d versions after an answer, a drop and a stop, want 2", n)
	}
	d.holds("menu.html", want)

	// The whole change is taken back.
	a.press("tab", "Changes")
	a.press("button", "Undo")
	d.holds("menu.html", sample)
	if n := d.versions("menu.html"); n != 3 {
		t.Errorf("%d versions, want 3", n)
	}
}

// ask says something without a note.
func (a *app) ask(text string) {
	a.desk.t.Helper()
	a.press("textbox", "Say something")
	a.hand.Type(text)
	a.hand.Key("ctrl+Return")
}
