//go:build unix

package window

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"proofmark/bridge/person"
)

// sample is the page of the journeys: it counts what it is told, has twins, and a
// list that a script makes.
const sample = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Menu</title>
<style>
body { margin: 0; padding: 24px; font: 16px/24px sans-serif; color: #222; background: #fff }
h1 { font-size: 28px; line-height: 36px; margin: 0 0 16px }
.card { border: 1px solid #ccc; padding: 12px; margin: 0 0 12px; width: 360px }
.price { margin: 0 }
</style>
</head>
<body>
<h1 class="title">Café menu — spring</h1>
<p id="lead">Fresh every day.</p>
<div class="card"><h2>Soup</h2><p class="price">4 €</p></div>
<div class="card"><h2>Bread</h2><p class="price">2 €</p></div>
<button id="buy" type="button">Buy</button>
<ul id="list"></ul>
<script>
window.events = 0;
for (const kind of ['click', 'mousedown', 'mousemove', 'mouseover', 'pointerdown', 'keydown', 'focusin']) addEventListener(kind, () => { window.events++ }, true);
for (const text of ['made', 'by', 'script']) { const li = document.createElement('li'); li.textContent = text; document.getElementById('list').append(li) }
</script>
</body>
</html>
`

// page is the page in the window's frame, as the frame's own browser sees it.
func (w *window) page() *person.Tab {
	w.desk.t.Helper()
	return person.Attach(w.desk.t, w.WS, "iframe", person.At("http://"))
}

// spotOf gives the middle of an element of the page in the window's pixels.
func (w *window) spotOf(page *person.Tab, selector string, n int) (x, y float64) {
	w.desk.t.Helper()
	var r struct{ X, Y, W, H float64 }
	person.Eventually(w.desk.t, selector+" on the page", func() error {
		s, err := page.Try(fmt.Sprintf("(() => { const e = document.querySelectorAll(%s)[%d]; if (!e) return null; const r = e.getBoundingClientRect(); return { X: r.x, Y: r.y, W: r.width, H: r.height } })()", person.Quote(selector), n))
		if err != nil || s == "null" {
			return fmt.Errorf("not there: %w %s", person.ErrNotYet, s)
		}
		person.Decode(w.desk.t, s, &r)
		return nil
	})
	f := w.Find("frame", "")
	return f.X + r.X + r.W/2, f.Y + r.Y + r.H/2
}

// shows waits until the page in the frame has a text at a selector.
func (w *window) shows(selector, text string) {
	w.desk.t.Helper()
	person.Eventually(w.desk.t, fmt.Sprintf("the page shows %q at %s", text, selector), func() error {
		s, err := w.page().Try("[...document.querySelectorAll(" + person.Quote(selector) + ")].map((e) => e.innerText).join('|')")
		if err != nil || !strings.Contains(person.Unescape(s), text) {
			return fmt.Errorf("it shows %s (%v)", s, err)
		}
		return nil
	})
}

// ready waits until the page is there to be pointed at.
func (w *window) ready() *person.Tab {
	w.desk.t.Helper()
	p := w.page()
	person.Eventually(w.desk.t, "the page in the frame", func() error {
		s, err := p.Try("document.readyState + ' ' + (document.body ? document.body.childElementCount : 0)")
		if err != nil || !strings.Contains(s, "complete") || strings.HasSuffix(s, ` 0"`) {
			return fmt.Errorf("%s %v", s, err)
		}
		return nil
	})
	return p
}

// holds waits until the file has exactly this text.
func (w *window) holds(name, text string) {
	w.desk.t.Helper()
	person.Eventually(w.desk.t, name, func() error {
		if got := w.read(name); got != text {
			return fmt.Errorf("it holds\n%s", got)
		}
		return nil
	})
}

// point begins to point, and waits until the page is armed: until hovering at a
// place of the window tells what is there.
func (w *window) point(x, y float64) {
	w.desk.t.Helper()
	w.Click("button", "Point")
	w.Find("button", "Pointing")
	person.Eventually(w.desk.t, "the page is pointed at", func() error {
		w.Move(x-1, y)
		w.Move(x, y)
		if s := w.JS("document.querySelector('footer, [role=contentinfo]')?.innerText ?? ''"); !strings.Contains(s, "bytes") && !strings.Contains(s, "script made") {
			return fmt.Errorf("the status line says %s", s)
		}
		return nil
	})
}

// statusBytes is what the status line says of a tag of the source.
func statusBytes(t testing.TB, source, tag string) string {
	t.Helper()
	at := strings.Index(source, tag)
	if at < 0 {
		t.Fatalf("%s is not in the source", tag)
	}
	line := 1 + strings.Count(source[:at], "\n")
	return "line" + strconv.Itoa(line) + "·bytes" + strconv.Itoa(at) + "–" + strconv.Itoa(at+len(tag))
}

func itoa(n int) string { return strconv.Itoa(n) }
