//go:build unix

package desktop

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"proofmark/bridge/person"
)

// api calls the gateway as the workbench does, with its own token, from inside it.
func (a *app) api(method, path string, body any) (status int, answer map[string]any) {
	a.desk.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		a.desk.t.Fatal(err)
	}
	a.JS(fmt.Sprintf(`(window.apiSaid = null, (async () => {
		const { token } = await proofmarkDesktop.token();
		const r = await fetch(%s, { method: %s, headers: { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json' }%s });
		window.apiSaid = { status: r.status, answer: await r.json().catch(() => null) };
	})().catch((e) => { window.apiSaid = { status: -1, answer: { error: String(e) } } }), 1)`,
		person.Quote(path), person.Quote(method), map[bool]string{true: "", false: ", body: JSON.stringify(" + string(b) + ")"}[body == nil]))
	var said struct {
		Status int
		Answer map[string]any
	}
	person.Eventually(a.desk.t, method+" "+path, func() error {
		s := a.JS("window.apiSaid")
		if s == "null" {
			return person.ErrNotYet
		}
		person.Decode(a.desk.t, s, &said)
		return nil
	})
	return said.Status, said.Answer
}

// drafts counts what is stored of notes on a document.
func (a *app) drafts(document string) int {
	a.desk.t.Helper()
	status, answer := a.api("GET", "/v1/documents/"+document+"/annotations?session=workbench&state=draft", nil)
	if status != 200 {
		a.desk.t.Fatalf("the drafts: %d %v", status, answer)
	}
	list, _ := answer["annotations"].([]any)
	return len(list)
}

// document gives the id of the document that is open.
func (a *app) document() string {
	a.desk.t.Helper()
	_, answer := a.api("GET", "/v1/documents", nil)
	list, _ := answer["documents"].([]any)
	if len(list) == 0 {
		a.desk.t.Fatalf("no document: %v", answer)
	}
	return list[0].(map[string]any)["id"].(string)
}

// D-91, D-92, D-101: what scripts change elsewhere does not hinder a pick; an element
// that a script made, or that is not any more as the source has it, is refused before
// anything is stored.
func TestWhatCanBePointedAt(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", strings.Replace(sample, `<div class="card">`, `<div class="card" data-kind="food">`, 1))
	a := d.start(d.path("menu.html"))
	p := a.ready()
	doc := a.document()

	// The clock beside it changes fifty times a second.
	x, y := a.spotOf(p, "#lead", 0)
	a.point(x, y)
	p.JS("document.body.append(document.createElement('aside')), 1")
	a.hand.Press(x, y)
	a.card().Says("1 place in the source ✓")
	a.hand.Key("Escape")
	a.hand.Key("Escape")

	// Made by a script.
	x, y = a.spotOf(p, "#list li", 1)
	a.point(x, y)
	a.hand.Press(x, y)
	card := a.card()
	card.Says("A script made this element")
	card.Says("<ul")
	if n := a.drafts(doc); n != 0 {
		t.Errorf("%d drafts of what was refused", n)
	}
	// The nearest place that can be edited is one press away.
	left, _ := a.slot()
	left, _ = a.screenOf(left+120, 0)
	a.pressCard("use it", left, y)
	card.Says(`ul id="list" · 1 place in the source ✓`)
	a.hand.Key("Escape")
	a.hand.Key("Escape")

	// Changed since: neither the element nor one around it is as the source has it.
	for _, change := range []string{
		"document.querySelector('h1').setAttribute('class', 'other')",
		"document.querySelector('.card').setAttribute('data-kind', 'drink')",
	} {
		p.JS(change + ", 1")
		selector := "h1"
		if strings.Contains(change, "card") {
			selector = ".card h2"
		}
		x, y = a.spotOf(p, selector, 0)
		a.point(x, y)
		a.hand.Press(x, y)
		a.card().Says("A script changed")
		a.hand.Key("Escape")
		a.hand.Key("Escape")
	}
	if n := a.drafts(doc); n != 0 {
		t.Errorf("%d drafts of what was refused", n)
	}
}

// D-90, D-101: a pick of one document is no target in another: it is refused before a
// draft is stored.
func TestWrongDocument(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	d.write("other.html", strings.Replace(sample, "Café menu", "Other", 1))
	a := d.start(d.path("menu.html"))
	a.ready()
	menu := a.document()
	_, answer := a.api("POST", "/v1/documents", map[string]any{"path": d.path("other.html")})
	other, _ := answer["id"].(string)
	if inner, ok := answer["document"].(map[string]any); ok {
		other, _ = inner["id"].(string)
	}
	if other == "" || other == menu {
		t.Fatalf("opened: %v", answer)
	}
	_, answer = a.api("GET", "/v1/previews", nil)
	previews, _ := answer["previews"].([]any)
	if len(previews) == 0 {
		t.Fatalf("no preview: %v", answer)
	}
	preview := previews[0].(map[string]any)["id"].(string)
	status, picked := a.api("POST", "/v1/previews/"+preview+"/picks", map[string]any{"target": "h1"})
	if status != 200 && status != 201 {
		t.Fatalf("picking: %d %v", status, picked)
	}
	handle, _ := picked["handle"].(string)
	if list, ok := picked["picks"].([]any); ok && len(list) > 0 {
		handle, _ = list[0].(map[string]any)["handle"].(string)
	}
	note := func(doc string) (int, map[string]any) {
		return a.api("POST", "/v1/documents/"+doc+"/annotations", map[string]any{"session": "workbench", "preview": preview, "picks": []string{handle}, "instruction": "shorter"})
	}
	if status, answer := note(other); status < 400 {
		t.Errorf("a pick of menu.html became a note on other.html: %d %v", status, answer)
	}
	if n := a.drafts(other); n != 0 {
		t.Errorf("%d drafts", n)
	}
	if status, answer := note(menu); status >= 400 { // the same is good where it belongs
		t.Errorf("on its own document: %d %v", status, answer)
	}
}

// pressCard presses a button of the card, which stands near a point of the screen. Where
// exactly is learnt from what a real movement of the mouse says in it.
func (a *app) pressCard(name string, nearX, nearY float64) {
	a.desk.t.Helper()
	card := a.card()
	bx, by := card.Enabled("button", name).Middle()
	card.JS(`window.seenMouse ??= (addEventListener('mousemove', (e) => { window.mouseAt = [e.screenX - e.clientX, e.screenY - e.clientY] }, true), true)`)
	card.JS("window.mouseAt = null")
	var at []float64
	n := 0
	person.Eventually(a.desk.t, "the mouse over the card", func() error {
		n++
		a.hand.Move(nearX+float64(n%7)*3, nearY+float64(n%30)*8-120)
		if s := card.JS("window.mouseAt"); s != "null" {
			person.Decode(a.desk.t, s, &at)
			return nil
		}
		return person.ErrNotYet
	})
	a.hand.Press(at[0]+bx, at[1]+by)
}

// D-100, R-UI-4: what an input method composes belongs to it: neither Enter nor Escape
// of a composition does anything, and the text arrives whole.
func TestInputMethod(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	a := d.start(d.path("menu.html"))
	p := a.ready()
	x, y := a.spotOf(p, "h1", 0)
	a.point(x, y)
	a.hand.Press(x, y)
	card := a.card()
	card.Find("textbox", "What should change here?")
	compose := func(text string) {
		if _, err := chromedp.Call(card.Ctx, input.ImeSetComposition, input.ImeSetCompositionParams{Text: text, SelectionStart: int64(len(text)), SelectionEnd: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
	}
	compose("ni")
	compose("nihao")
	for _, key := range []string{"Enter", "Escape"} {
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
			card.Do(func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
				_, err := cdp.Call(ctx, tab, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: key, Code: key, WindowsVirtualKeyCode: 229, NativeVirtualKeyCode: 229})
				return chromedp.Void{}, err
			})
		}
	}
	card.Find("textbox", "What should change here?")
	if _, err := chromedp.Call(card.Ctx, input.InsertText, input.InsertTextParams{Text: "你好"}); err != nil {
		t.Fatal(err)
	}
	card.Says("你好")
	card.Says("kept as a draft")
	a.hand.Key("Return")
	a.Says("你好") // in the list of notes
	if n := a.drafts(a.document()); n != 1 {
		t.Errorf("%d drafts, want 1", n)
	}
}
