// Package contract is the fixed protocol between the gateway and whatever
// drives a page: protocol 4. It has no raw CDP method, expression, URL
// parameter of a model's, or surface id in it. Implementations: bridge/cdp over
// a pipe to Chromium, and the desktop app's relay.
package contract

import (
	"context"
	"time"

	"proofmark/gateway/core"
)

// Version is the protocol version.
const Version = 4

// Host makes surfaces.
type Host interface {
	// Open makes a surface that can reach Origin through Proxy and nothing else.
	Open(ctx context.Context, o OpenOptions) (Surface, error)
	// Info says what drives the pages.
	Info() HostInfo
	Close() error
}

// HostInfo names a host.
type HostInfo struct {
	Kind     string // chromium, electron
	Version  string // as the browser gives it
	Path     string // of the executable
	Protocol int    // that it speaks; below Version it can show pages, but nothing may be verified by it
}

// Verifies tells whether the host speaks this protocol, so that what it shows
// of a candidate may count as a verification.
func (i HostInfo) Verifies() bool { return i.Protocol >= Version }

// OpenOptions bind a new surface.
type OpenOptions struct {
	Origin string // scheme, host and port of the preview listener, "http://<label>.localhost:<port>"
	Width  int    // viewport, CSS pixels
	Height int
	Hidden bool // never shown to a person
	// Fetch fulfils a GET of the page for a URL outside Origin; nil, or ok
	// false, means that the request fails. It is called from goroutines of its
	// own, at most MaxFetches at a time, and its context ends with the surface.
	Fetch func(ctx context.Context, r FetchRequest) (resp FetchResponse, ok bool)
}

// MaxFetches is how many requests of one surface are fulfilled at a time.
const MaxFetches = 8

// FetchRequest is one request of the page for a URL outside its lease.
type FetchRequest struct {
	Method       string
	URL          string
	ResourceType string // as Chromium names it: Stylesheet, Script, Font, Image, ...
}

// FetchResponse answers a FetchRequest.
type FetchResponse struct {
	Status int
	Header map[string]string
	Body   []byte
}

// PageOrigin stands for the random origin of the lease in everything a surface
// reports in words, so that two loads of the same page compare equal.
const PageOrigin = "http://page.localhost"

// Surface is one leased view of one page. All methods have deadlines of their
// own below the context's; refusals are *core.Error.
type Surface interface {
	// Load navigates to path below the lease's origin and waits until the page
	// has loaded and is quiet, within bounds.
	Load(ctx context.Context, path string) (Loaded, error)
	// PickAt arms inspect mode, presses at the point (CSS pixels in the
	// viewport) and gives the picked element. The page sees no event.
	PickAt(ctx context.Context, x, y float64) (Pick, error)
	// Query gives the elements a CSS selector matches, in document order, at
	// most limit of them, and how many there are.
	Query(ctx context.Context, selector string, limit int) ([]Pick, int, error)
	// ByPath gives the element at 1-based element indexes from the root.
	ByPath(ctx context.Context, indexes []int) (Pick, error)
	// Step moves from a picked element: up, down, next, prev.
	Step(ctx context.Context, handle string, dir Direction) (Pick, error)
	// Describe reads a picked element again.
	Describe(ctx context.Context, handle string) (Pick, error)
	// Births gives the birth register of the loaded page.
	Births(ctx context.Context) (Births, error)
	// Tree gives the live element tree in preorder, bounded.
	Tree(ctx context.Context) ([]TreeElement, error)
	// Layout gives the boxes of Tree's elements, in the same order.
	Layout(ctx context.Context) (Layout, error)
	// Resize gives the view another size, CSS pixels, and lets the page settle.
	// What is loaded stays, and handles stay good.
	Resize(ctx context.Context, width, height int) error
	// Inspect switches inspect mode: the browser highlights what the pointer is
	// over, and a press picks it. The page sees neither. It stays on over loads.
	Inspect(ctx context.Context, on bool) error
	// Pointed waits for the next thing somebody does with the pointer in inspect
	// mode, or for the page to move. One caller at a time.
	Pointed(ctx context.Context) (Pointed, error)
	// Under gives the ancestors of an element, the nearest first, and what lies
	// under its middle, topmost first; both bounded by MaxUnder.
	Under(ctx context.Context, handle string) (ancestors, stack []Pick, err error)
	// Places gives where elements are in the view, in the order they are asked
	// for; nil where one is not to be seen on the page. At most MaxSpots.
	Places(ctx context.Context, spots []Spot) ([]*Rect, error)
	Highlight(ctx context.Context, handle string) error
	// Reveal scrolls the page until an element is in the view, if it is not.
	Reveal(ctx context.Context, handle string) error
	HideHighlight(ctx context.Context) error
	// Outline draws borders around elements and takes those of the last call away;
	// none takes all away. They stay, and inspect mode does, until the next load.
	// Pictures are without them. A handle that is over is refused; what else is
	// not on the page has no border. At most core.MaxOutlines.
	Outline(ctx context.Context, outlines []Outline) error
	// Style gives the used values of at most 32 CSS properties of an element.
	Style(ctx context.Context, handle string, properties []string) (map[string]string, error)
	// Rect gives an element's border box in page CSS pixels.
	Rect(ctx context.Context, handle string) (Rect, error)
	Screenshot(ctx context.Context, o ShotOptions) (Shot, error)
	// Health gives what the page has complained about since the last Load.
	Health(ctx context.Context) (Health, error)
	// Act performs one bounded, real input.
	Act(ctx context.Context, a Action) error
	// Lost is closed when the surface is gone.
	Lost() <-chan struct{}
	Close() error
}

// Loaded says what was loaded. Epoch grows with every load of the surface;
// handles of an older epoch are refused.
type Loaded struct {
	Epoch    int64
	URL      string
	Took     time.Duration
	TimedOut bool // the page did not become quiet in time; it can be used all the same
}

// Direction is a step in the element tree.
type Direction string

// Directions.
const (
	Up   Direction = "up"
	Down Direction = "down"
	Next Direction = "next"
	Prev Direction = "prev"
)

// Pick is one element of the live page, as the browser gives it. Handle is an
// opaque selection handle, the only thing a user interface ever holds.
type Pick struct {
	Handle string
	Epoch  int64
	Origin string // of the document the element is in
	// Chain is the element itself first, then its ancestors up to the root.
	Chain []Link
	// Refusal is set where the pick can never be tied to the source: iframe,
	// shadow, pseudo, detached. Chain then begins at the nearest element outside.
	Refusal core.Code
	Rect    Rect   // border box in the viewport, CSS pixels
	Text    string // start of its text, for people, at most core.QuoteRunes runes
}

// Link is one element of a chain.
type Link struct {
	NS         string // html, svg, math
	Name       string // local name
	Index      int    // 1-based among element siblings
	Step       string // "" child, "content" in a template's contents, "shadow" in a shadow root
	Attrs      []Attr
	AttrsCut   bool // more or longer attributes than the bounds let through
	Birth      int  // number in the birth register from 0, -1 where it has none
	ScriptMade bool // a script made it (creation stack trace)
	// Siblings are the names of all element children of the parent in order,
	// the element's own included; nil where the register ties the element.
	Siblings []string
}

// Attr is one live attribute.
type Attr struct {
	Name  string // qualified name
	Value string
}

// Births is the birth register: the elements in the order they came into the
// document while it was being parsed. Complete is false where the register
// gave up or was not there.
type Births struct {
	Complete bool
	Reason   string
	List     []Birth
}

// Birth is one entry of the register.
type Birth struct {
	NS, Name   string
	ID, Class  string // attributes as the element was born with
	Attrs      int    // how many attributes it was born with
	ScriptMade bool   // by creation stack trace
	// Unsure: a script wrote another script that the parser waited for, so what
	// was born since may be written too, without a trace.
	Unsure bool
	// Custom says that the page may have a class of its own for it. The parser
	// runs its constructor, so the trace says nothing: it counts as not made by a
	// script, and may be.
	Custom bool
}

// TreeElement is one element of the live tree in preorder; template contents
// and open shadow roots come before the ordinary children.
type TreeElement struct {
	Parent   int    // index of the parent, -1 for the root
	Step     string // "" child, "content", "shadow"
	NS, Name string
}

// Rect is a rectangle in CSS pixels.
type Rect struct{ X, Y, Width, Height float64 }

// ShotOptions choose a picture: the viewport, the full page, or a clip in page
// CSS pixels.
type ShotOptions struct {
	FullPage bool
	Clip     *Rect
	JPEG     bool
}

// Shot is a picture.
type Shot struct {
	MediaType     string
	Data          []byte
	Width, Height int // device pixels
}

// Health is what the page complained about.
type Health struct {
	Errors       []string // uncaught exceptions, one line each
	ConsoleErr   []string
	Missing      []string // resources that failed: those of the lease as "/path", others as URLs; sorted
	Dropped      int      // entries beyond the bounds
	DocumentRect Rect     // the document's size, CSS pixels
}

// Action is one bounded input. Keys are names from a closed list.
type Action struct {
	Kind   string // click, focus, type, press, scroll
	Handle string // click, focus, type
	Text   string // type
	Key    string // press
	DX, DY float64
}
