package desktop

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"proofmark/bridge/person"
)

// outlined waits until the page shows a blue line at the left edge of an element, or
// shows none.
func (a *app) outlined(p *person.Tab, selector string, want bool) {
	a.desk.t.Helper()
	person.Eventually(a.desk.t, fmt.Sprintf("%s is outlined: %v", selector, want), func() error {
		var r []float64
		person.Decode(a.desk.t, p.JS("(() => { const r = document.querySelector("+person.Quote(selector)+").getBoundingClientRect(); return [r.x, r.y + r.height / 2] })()"), &r)
		img, err := png.Decode(bytes.NewReader(p.Picture()))
		if err != nil {
			return err
		}
		blue := false
		for x := int(r[0]) - 2; x <= int(r[0])+2; x++ {
			r, _, b, _ := img.At(x, int(r[1])).RGBA()
			blue = blue || int(b>>8)-int(r>>8) > 100 // what the pointer is over has a paler one
		}
		if blue != want {
			return person.ErrNotYet
		}
		return nil
	})
}

// R-UI-1, R-PICK-1: what is selected is outlined in the page while one points, and the
// next press picks all the same; a lit note is outlined when nobody points.
func TestSelectedIsOutlined(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", strings.Replace(sample, "</h1>", "</h1>\n<p>Ask for the <em>cakes</em> of the day.</p>", 1))
	a := d.start(d.path("menu.html"))
	p := a.ready()
	before := p.JS("window.events")
	x, y := a.spotOf(p, "h1", 0)
	a.point(x, y)
	a.outlined(p, "h1", false)
	a.hand.Press(x, y)
	a.card()
	a.outlined(p, "h1", true)
	a.hand.Key("Escape")
	emX, emY := a.spotOf(p, "em", 0)
	a.hand.Press(emX, emY)
	card := a.card()
	card.Says("em · 1 place in the source ✓")
	a.outlined(p, "em", true)
	a.outlined(p, "h1", false)
	a.hand.Type("name them")
	card.Says("kept as a draft")
	a.hand.Key("Return")
	a.Says("1 draft")
	a.outlined(p, "em", false)
	a.press("button", "Pointing")
	a.Find("button", "Point")
	if after := p.JS("window.events"); after != before {
		t.Errorf("the page heard %s events, then %s", before, after)
	}
	a.press("button", "Note 1: name them")
	a.outlined(p, "em", true)
	a.press("tab", "Source")
	a.outlined(p, "em", false)
}
