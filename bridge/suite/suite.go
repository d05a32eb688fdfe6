// Package suite is the contract every bridge must keep: the same tests run
// against Chromium over a pipe and against the desktop app's relay.
package suite

import (
	"context"
	"strings"
	"testing"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// Driver is a bridge under test.
type Driver struct {
	// Open starts a host whose only way out is the proxy at proxyURL.
	Open func(t testing.TB, proxyURL string) contract.Host
	// Framed says that pages stand in frames of a workbench: they have no picture
	// of their own, which is tested to be refused.
	Framed bool
	// Shown says that a person looks at the pages: they have no size of their own,
	// which is tested to be refused. Pages are hidden where it is not set.
	Shown bool
	// Single says that only one page is shown at a time: a second one takes its
	// place, so where a test needs two the other is hidden.
	Single bool
	// Prints says that the host prints for a page that asks, and has no switch for
	// it: only the page's own policy keeps it from that (Electron).
	Prints bool
	// ScrollBars says that scroll bars take room from a page.
	ScrollBars bool
	// Crash kills the page of a surface as a fault of the browser would.
	Crash func(t testing.TB, s contract.Surface)
}

// Run runs the contract tests, all on one host.
func Run(t *testing.T, d Driver) {
	st := newSite(t)
	host := d.Open(t, st.proxy())
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Errorf("closing the host: %v", err)
		}
	})
	for _, g := range []struct {
		name string
		run  func(*testing.T, *bench)
	}{
		{"Pick", testPick},
		{"Step", testStep},
		{"Query", testQuery},
		{"Pointed", testPointed},
		{"Moves", testMoves},
		{"Left", testLeft},
		{"Around", testAround},
		{"Outline", testOutline},
		{"Births", testBirths},
		{"Layout", testLayout},
		{"PageLayout", testPageLayout},
		{"Resize", testResize},
		{"Shot", testShot},
		{"Health", testHealth},
		{"Lock", testLock},
		{"Act", testAct},
		{"ActBounds", testActBounds},
		{"Style", testStyle},
		{"Life", testLife},
	} {
		t.Run(g.name, func(t *testing.T) { g.run(t, &bench{site: st, host: host, Driver: d}) })
	}
}

// bench is what one group of tests works on.
type bench struct {
	Driver
	site *site
	host contract.Host
}

// beside makes a surface that stands beside another one.
func (b *bench) beside(o *contract.OpenOptions) {
	if b.Single {
		o.Hidden = true
	}
}

// view is one surface with a page in it.
type view struct {
	contract.Surface
	t    testing.TB
	ctx  context.Context
	site *site
	path string
}

// open makes a surface and loads body in it.
func (b *bench) open(t testing.TB, body string, change ...func(*contract.OpenOptions)) *view {
	t.Helper()
	v := b.blank(t, body, change...)
	v.load()
	return v
}

// blank makes a surface for body and loads nothing yet.
func (b *bench) blank(t testing.TB, body string, change ...func(*contract.OpenOptions)) *view {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	o := contract.OpenOptions{Origin: b.site.origin(), Width: 800, Height: 600, Hidden: !b.Shown}
	for _, c := range change {
		c(&o)
	}
	s, err := b.host.Open(ctx, o)
	if err != nil {
		t.Fatalf("opening a surface: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	path := "/" + strings.NewReplacer("/", "_", " ", "_", "#", "_").Replace(t.Name()) + ".html"
	b.site.put(path, "text/html; charset=utf-8", body)
	return &view{Surface: s, t: t, ctx: ctx, site: b.site, path: path}
}

func (v *view) load() contract.Loaded {
	v.t.Helper()
	l, err := v.Load(v.ctx, v.path)
	if err != nil {
		v.t.Fatalf("loading: %v", err)
	}
	return l
}

// first gives the first element of a selector.
func (v *view) first(selector string) contract.Pick {
	v.t.Helper()
	picks, _, err := v.Query(v.ctx, selector, 1)
	if err != nil || len(picks) == 0 {
		v.t.Fatalf("%s: %d elements, %v", selector, len(picks), err)
	}
	return picks[0]
}

// pickMiddle picks at the middle of a rectangle.
func (v *view) pickMiddle(r contract.Rect) contract.Pick {
	v.t.Helper()
	p, err := v.PickAt(v.ctx, r.X+r.Width/2, r.Y+r.Height/2)
	if err != nil {
		v.t.Fatalf("picking in %+v: %v", r, err)
	}
	return p
}

func (v *view) births() contract.Births {
	v.t.Helper()
	b, err := v.Births(v.ctx)
	if err != nil {
		v.t.Fatalf("births: %v", err)
	}
	return b
}

func (v *view) health() contract.Health {
	v.t.Helper()
	h, err := v.Health(v.ctx)
	if err != nil {
		v.t.Fatalf("health: %v", err)
	}
	return h
}

func (v *view) press(key string) {
	v.t.Helper()
	if err := v.Act(v.ctx, contract.Action{Kind: "press", Key: key}); err != nil {
		v.t.Fatalf("pressing %s: %v", key, err)
	}
}

func (v *view) click(selector string) {
	v.t.Helper()
	if err := v.Act(v.ctx, contract.Action{Kind: "click", Handle: v.first(selector).Handle}); err != nil {
		v.t.Fatalf("clicking %s: %v", selector, err)
	}
}

// said gives the console errors that begin with the prefix, without it.
func (v *view) said(prefix string) []string {
	v.t.Helper()
	var out []string
	for _, line := range v.health().ConsoleErr {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			out = append(out, rest)
		}
	}
	return out
}

// id gives an element's id attribute.
func id(p contract.Pick) string { return attr(p, 0, "id") }

func attr(p contract.Pick, link int, name string) string {
	if link >= len(p.Chain) {
		return ""
	}
	for _, a := range p.Chain[link].Attrs {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// path writes a chain as its names and indexes from the root.
func path(p contract.Pick) string {
	var b strings.Builder
	for i := len(p.Chain) - 1; i >= 0; i-- {
		l := p.Chain[i]
		b.WriteString("/" + l.Name + "[" + itoa(l.Index) + "]")
	}
	return b.String()
}

func wantCode(t testing.TB, err error, want core.Code) {
	t.Helper()
	if got := core.CodeOf(err); got != want {
		t.Fatalf("refused with %q (%v), want %q", got, err, want)
	}
}
