package person

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Tab is a page of a real browser: what it shows is read, what a person does to
// it is done by mouse and key events.
type Tab struct {
	Ctx context.Context // for commands of the tab
	WS  string          // of the browser

	t testing.TB

	mu       sync.Mutex
	troubles []string // what the page complained about; guarded by mu
}

// newTab listens to a tab. The error says that it went to another document
// meanwhile.
func newTab(t testing.TB, ctx context.Context, ws string) (*Tab, error) {
	p := &Tab{t: t, Ctx: ctx, WS: ws}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		return nil, err
	}
	_, err := p.Try("1")
	return p, err
}

func (p *Tab) hear(ev any) {
	say := func(format string, args ...any) {
		p.mu.Lock()
		p.troubles = append(p.troubles, fmt.Sprintf(format, args...))
		p.mu.Unlock()
	}
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		say("exception: %s %v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			said, _ := json.Marshal(e.Args)
			say("console: %s", said)
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			say("log: %s %s", e.Entry.Source, e.Entry.Text)
		}
	}
}

// Clean fails the test where the page complained: of its policy above all.
func (p *Tab) Clean() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.troubles {
		p.t.Errorf("the workbench complains: %.600s", s)
	}
}

// Try evaluates an expression, which gives something JSON can hold.
func (p *Tab) Try(expression string) (string, error) {
	ctx, cancel := context.WithTimeout(p.Ctx, 20*time.Second)
	defer cancel()
	raw, err := chromedp.Run(ctx, chromedp.Evaluate[json.RawMessage](expression))
	return string(raw), err
}

// JS evaluates an expression for its value, in the document that comes next where
// one is on its way.
func (p *Tab) JS(expression string) string {
	p.t.Helper()
	for deadline := time.Now().Add(Patience); ; time.Sleep(20 * time.Millisecond) {
		s, err := p.Try(expression)
		if err == nil {
			return s
		}
		if !between(err) || time.Now().After(deadline) {
			p.t.Fatalf("%.200s: %v", expression, err)
		}
	}
}

// between tells of an error that only says that a tab is between two documents.
func between(err error) bool {
	for _, s := range []string{"Cannot find default execution context", "Inspected target navigated", "Execution context was destroyed", "Cannot find context"} {
		if strings.Contains(err.Error(), s) {
			return true
		}
	}
	return false
}

// Spot is where something stands, in CSS pixels of the tab.
type Spot struct {
	X, Y, W, H float64
	Name       string
	Focused    bool
	Disabled   bool
}

func (s Spot) Middle() (x, y float64) { return s.X + s.W/2, s.Y + s.H/2 }

// finder finds what a screen reader would: elements by role and by a part of
// their accessible name, as far as it follows from what is written in the page.
// "=" in front of the name wants all of it.
const finder = `((role, name) => {
  const implied = { BUTTON: 'button', A: 'link', TEXTAREA: 'textbox', SELECT: 'combobox', NAV: 'navigation', MAIN: 'main', DIALOG: 'dialog', H1: 'heading', H2: 'heading', H3: 'heading', UL: 'list', OL: 'list', LI: 'listitem', IFRAME: 'frame', ASIDE: 'complementary', TABLE: 'table', OPTION: 'option', IMG: 'img', SUMMARY: 'button', FORM: 'form', SECTION: 'region', HEADER: 'banner', FOOTER: 'contentinfo', PROGRESS: 'progressbar' };
  const roleOf = (e) => e.getAttribute('role') || (e.tagName === 'INPUT' ? ({ checkbox: 'checkbox', radio: 'radio', range: 'slider', search: 'searchbox', button: 'button' }[e.type] || 'textbox') : e.isContentEditable && e.getAttribute('contenteditable') ? 'textbox' : implied[e.tagName] || '');
  const text = (e) => (e.innerText ?? e.textContent ?? '').replace(/\s+/g, ' ').trim();
  const nameOf = (e) => {
    const by = e.getAttribute('aria-labelledby');
    if (by) return by.split(/\s+/).map((id) => document.getElementById(id)).filter(Boolean).map(text).join(' ');
    if (e.getAttribute('aria-label')) return e.getAttribute('aria-label');
    if (e.labels && e.labels.length) return [...e.labels].map(text).join(' ');
    return text(e) || e.getAttribute('title') || e.getAttribute('placeholder') || e.getAttribute('alt') || '';
  };
  const whole = name.startsWith('='), want = whole ? name.slice(1) : name;
  const out = [];
  const every = function* (root) { for (const e of root.querySelectorAll('*')) { yield e; if (e.shadowRoot) yield* every(e.shadowRoot) } };
  const active = (root) => { const e = root.activeElement; return e && e.shadowRoot ? active(e.shadowRoot) : e };
  for (const e of every(document)) {
    if (role && roleOf(e) !== role) continue;
    if (e.closest('[inert], [hidden], [aria-hidden=true]')) continue;
    const n = nameOf(e);
    if (whole ? n !== want : !n.includes(want)) continue;
    const r = e.getBoundingClientRect();
    if (r.width < 1 || r.height < 1 || !e.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    out.push({ X: r.x, Y: r.y, W: r.width, H: r.height, Name: n, Focused: e.contains(active(document)), Disabled: e.disabled === true });
  }
  return out;
})`

// All lists the elements of a role and a name that can be seen.
func (p *Tab) All(role, name string) (list []Spot) {
	p.t.Helper()
	Decode(p.t, p.JS(finder+"("+Quote(role)+","+Quote(name)+")"), &list)
	return list
}

// Find waits for an element, and until it stands still.
func (p *Tab) Find(role, name string) Spot {
	p.t.Helper()
	var last, got Spot
	Eventually(p.t, fmt.Sprintf("%s %q", role, name), func() error {
		list := p.All(role, name)
		if len(list) == 0 {
			return fmt.Errorf("not there; the screen says %.1500s", p.JS("document.body.innerText.replace(/\\n+/g, ' | ')"))
		}
		if got = list[0]; got != last {
			last = got
			return ErrNotYet
		}
		return nil
	})
	return got
}

// Gone waits until there is no such element.
func (p *Tab) Gone(role, name string) {
	p.t.Helper()
	Eventually(p.t, fmt.Sprintf("%s %q is to go", role, name), func() error {
		if len(p.All(role, name)) > 0 {
			return ErrNotYet
		}
		return nil
	})
}

// Says waits until the screen says something.
func (p *Tab) Says(text string) {
	p.t.Helper()
	Eventually(p.t, fmt.Sprintf("%q is to be read", text), func() error {
		if s := p.JS("document.body.innerText + ' ' + [...document.querySelectorAll('input, textarea')].map((e) => e.value).join(' ')"); !strings.Contains(s, text) && !strings.Contains(Unescape(s), text) {
			return fmt.Errorf("the screen says %.1500s", s)
		}
		return nil
	})
}

func (p *Tab) Do(a chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.Ctx, 20*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, a); err != nil {
		p.t.Fatal(err)
	}
}

// Move moves the mouse.
func (p *Tab) Move(x, y float64) {
	p.t.Helper()
	p.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
}

// ClickAt presses the mouse's left button at a place.
func (p *Tab) ClickAt(x, y float64) {
	p.t.Helper()
	p.Move(x, y)
	p.Do(chromedp.MouseClickXY(x, y))
}

// CtrlClickAt clicks while the Ctrl key is held.
func (p *Tab) CtrlClickAt(x, y float64) {
	p.t.Helper()
	ctrl := func(kind input.DispatchKeyEventType, held int64) {
		if _, err := chromedp.Call(p.Ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: kind, Key: "Control", Code: "ControlLeft", WindowsVirtualKeyCode: 17, NativeVirtualKeyCode: 17, Modifiers: held,
		}); err != nil {
			p.t.Fatal(err)
		}
	}
	p.Move(x, y)
	ctrl(input.DispatchKeyEventTypeRawKeyDown, 2)
	p.Do(chromedp.MouseClickXY(x, y, chromedp.ButtonModifiers(chromedp.ModifierCtrl)))
	ctrl(input.DispatchKeyEventTypeKeyUp, 0)
}

// Enabled waits until an element can be used: what came up by itself cannot for a
// moment.
func (p *Tab) Enabled(role, name string) Spot {
	p.t.Helper()
	at := p.Find(role, name)
	Eventually(p.t, fmt.Sprintf("%s %q is to be enabled", role, name), func() error {
		if list := p.All(role, name); len(list) > 0 && list[0].Disabled {
			return ErrNotYet
		}
		return nil
	})
	return at
}

// Click clicks an element in its middle.
func (p *Tab) Click(role, name string) {
	p.t.Helper()
	x, y := p.Enabled(role, name).Middle()
	p.ClickAt(x, y)
}

// Key presses a key, with modifiers.
func (p *Tab) Key(keys string, modifiers ...chromedp.Modifier) {
	p.t.Helper()
	var opts []chromedp.KeyOption
	if len(modifiers) > 0 {
		opts = append(opts, chromedp.KeyModifiers(modifiers...))
	}
	p.Do(chromedp.KeyEvent(keys, opts...))
}

// Types types a text, key by key.
func (p *Tab) Types(text string) {
	p.t.Helper()
	p.Do(chromedp.KeyEvent(text))
}

// TabTo presses Tab until an element has the focus: whatever is there can be
// reached so.
func (p *Tab) TabTo(role, name string) {
	p.t.Helper()
	p.Find(role, name)
	var way []string
	for range 60 {
		if list := p.All(role, name); len(list) > 0 && list[0].Focused {
			return
		}
		p.Key(kb.Tab)
		way = append(way, p.Focused())
	}
	p.t.Fatalf("Tab does not come to %s %q; it came to\n%s", role, name, strings.Join(way, "\n"))
}

// Focused tells what has the focus: its role and name, as the finder has them.
func (p *Tab) Focused() string {
	p.t.Helper()
	var s string
	Decode(p.t, p.JS(`(() => { const e = document.activeElement; return !e || e === document.body ? 'body' : (e.getAttribute('role') || e.tagName.toLowerCase()) + ' ' + (e.getAttribute('aria-label') || e.title || e.innerText || e.placeholder || '').trim().slice(0, 80) })()`), &s)
	return s
}

// Status waits until the workbench's status line says something, blanks apart.
func (p *Tab) Status(text string) {
	p.t.Helper()
	Eventually(p.t, "the status line: "+text, func() error {
		if s := Squeeze(Unescape(p.JS("document.querySelector('footer, [role=contentinfo]')?.innerText ?? ''"))); !strings.Contains(s, Squeeze(text)) {
			return fmt.Errorf("it says %s", s)
		}
		return nil
	})
}

// Resize gives the tab another size, CSS pixels.
func (p *Tab) Resize(width, height int) {
	p.t.Helper()
	if _, err := chromedp.Call(p.Ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(width), Height: int64(height), DeviceScaleFactor: 1,
	}); err != nil {
		p.t.Fatal(err)
	}
}

// Picture takes a picture of the tab.
func (p *Tab) Picture() []byte {
	p.t.Helper()
	b, err := chromedp.Run(p.Ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

// PressHere presses the left button where the mouse is, without moving it.
func (p *Tab) PressHere(x, y float64) {
	p.t.Helper()
	p.Do(chromedp.MouseClickXY(x, y))
}
