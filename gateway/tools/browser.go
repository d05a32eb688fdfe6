package tools

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"strings"

	"proofmark/bridge/contract"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/llm"
)

// Size of the view where the configuration names none, and how far one line of
// scrolling goes; CSS pixels.
const (
	defaultWidth, defaultHeight = 1280, 800
	scrollLine                  = 40
)

// Bounds of what a look tells of the live page.
const (
	draftNodes   = 12 // elements of a draft, where nothing else is asked
	draftTargets = 12 // selectors these are chosen by
	holderRunes  = 40 // of the text of an element that holds others
)

// sight is what looking at the draft adds to a result: the receipt that
// document_finish needs, and what it is for.
type sight struct {
	Receipt      string   `json:"receipt,omitempty"`
	CandidateSHA string   `json:"candidateSha,omitempty"`
	Verification *verdict `json:"verification,omitempty"`
	Faults       []string `json:"faults,omitempty"` // why a commit would be refused
	Next         string   `json:"next,omitempty"`
}

// verdict is what a model reads of a verification. What stands against the
// draft is in the faults.
type verdict struct {
	TreeMatches  bool      `json:"treeMatches"`
	Compared     int       `json:"elementsCompared"`
	OutOfPicture int       `json:"outOfPicture,omitempty"`
	Approved     []string  `json:"approvedLayout,omitempty"` // broken, but a person wants it so
	Looks        []lookOne `json:"looks"`
}

// lookOne is what differs at one width, as shares of pixels from 0 to 1.
type lookOne struct {
	Width   int     `json:"width"`
	Inside  float64 `json:"changedInTargets"`
	Outside float64 `json:"changedElsewhere"`
}

// verdictOf writes a verification down for a model.
func verdictOf(v core.Verification, faults []string) *verdict {
	out := &verdict{
		TreeMatches: v.TreeMatches, Compared: v.Compared, OutOfPicture: v.OutOfPicture,
		Looks: []lookOne{{Width: v.Width, Inside: v.PixelsInside, Outside: v.PixelsOutside}},
	}
	broken := v.Layout
	for _, w := range v.Widths {
		out.Looks = append(out.Looks, lookOne{Width: w.Width, Inside: w.PixelsInside, Outside: w.PixelsOutside})
		broken = append(broken[:len(broken):len(broken)], w.Layout...)
	}
	if len(faults) == 0 { // else they stand there
		out.Approved = clean(broken)
	}
	return out
}

// pageResult is the answer of a browser tool.
type pageResult struct {
	OK          bool      `json:"ok"`
	Showing     string    `json:"showing"` // the document, or the draft
	Elements    []element `json:"elements,omitempty"`
	More        int       `json:"more,omitempty"` // elements beyond the limit
	Picture     *picture  `json:"picture,omitempty"`
	Done        string    `json:"done,omitempty"`
	Errors      []string  `json:"errors,omitempty"`  // what the page complains about, old and new
	Missing     []string  `json:"missing,omitempty"` // resources that did not load
	Correctable bool      `json:"correctable"`
	sight
	status
}

// element is one live element as the browser has it.
type element struct {
	Tag        string      `json:"tag"`
	Depth      int         `json:"depth"`
	Text       string      `json:"text,omitempty"`
	Box        [4]int      `json:"box"` // x, y, width, height in the view, CSS pixels
	Attributes []attribute `json:"attributes,omitempty"`
	ScriptMade bool        `json:"scriptMade,omitempty"`
	// Style is how the browser renders the target itself.
	Style map[string]string `json:"style,omitempty"`
}

type picture struct {
	Of        string  `json:"of"` // draft, document or difference
	What      string  `json:"what"`
	ViewWidth int     `json:"viewWidth"` // CSS pixels
	MediaType string  `json:"mediaType"`
	Width     int     `json:"width"` // pixels
	Height    int     `json:"height"`
	Bytes     int     `json:"bytes"`
	Scale     float64 `json:"scale"`             // pixels for one CSS pixel
	Region    *[4]int `json:"region,omitempty"`  // x, y, width, height on the page, CSS pixels
	Changed   float64 `json:"changed,omitempty"` // of a difference: the share of pixels
	Attached  bool    `json:"attached"`          // whether this model gets the image itself
}

// seen looks at the draft if there is one that was not looked at yet, or anew
// where asked.
func (s *Set) seen(ctx context.Context, anew bool) (sight, error) {
	if !s.draft.Staged() {
		return sight{}, nil
	}
	if s.look == nil || anew {
		s.look = nil
		l, err := s.draft.Look(ctx)
		if err != nil {
			return sight{}, err
		}
		s.look = &l
	}
	l := s.look
	out := sight{
		Receipt: l.Receipt, CandidateSHA: l.Verification.CandidateSHA, Verification: verdictOf(l.Verification, l.Faults), Faults: clean(l.Faults),
		Next: "finish with action commit, this receipt and this candidateSha, or stage a repair",
	}
	if len(l.Faults) > 0 {
		out.Next = "a commit would be refused for the faults named; stage a repair, or finish with action discard"
	}
	return out, nil
}

func (s *Set) showing() string {
	if s.draft.Staged() {
		return "draft"
	}
	return "document"
}

// complained finishes a browser tool's result with what the page complains about.
func (s *Set) complained(ctx context.Context, sf contract.Surface, out pageResult) (pageResult, error) {
	h, err := sf.Health(ctx)
	if err != nil {
		return out, err
	}
	out.OK, out.Correctable, out.Showing = true, true, s.showing()
	out.Errors, out.Missing = clean(append(h.Errors, h.ConsoleErr...)), clean(h.Missing)
	out.status = s.status()
	return out, nil
}

// finishPage encodes the result of a browser tool.
func (s *Set) finishPage(ctx context.Context, sf contract.Surface, out pageResult) (Result, error) {
	out, err := s.complained(ctx, sf, out)
	if err != nil {
		return Result{}, err
	}
	res := good(out)
	if s.draft.Staged() && out.Receipt != "" {
		res.Look = s.lookCopy()
	}
	return res, nil
}

func (s *Set) lookCopy() *candidate.Look {
	if s.look == nil {
		return nil
	}
	l := *s.look
	return &l
}

var previewOrigin = regexp.MustCompile(`https?://[a-z2-7]+\.localhost(:\d+)?`)

// clean bounds complaints and takes the preview's own address out of them: it
// is a secret of the session and says nothing about the page.
func clean(list []string) []string {
	out := make([]string, 0, min(len(list), maxFaultsReported))
	for _, c := range list {
		if len(out) == maxFaultsReported {
			break
		}
		out = append(out, clip(previewOrigin.ReplaceAllString(c, ""), maxAttrValueBytes))
	}
	return out
}

// browserInspect answers with the live elements.
func (s *Set) browserInspect(ctx context.Context, a browserInspectArgs) (Result, error) {
	if a.Scope == "target" && a.Note == 0 {
		return Result{}, badArguments("the scope target needs a note")
	}
	saw, err := s.seen(ctx, false)
	if err != nil {
		return Result{}, err
	}
	sf, err := s.draft.Surface(ctx)
	if err != nil {
		return Result{}, err
	}
	chosen, limit, err := s.chosen(ctx, a)
	if err != nil {
		return Result{}, err
	}
	ask := limit
	if a.Scope == "viewport" {
		ask = core.MaxInspectNodes
	}
	picks, total, err := sf.Query(ctx, chosen, ask)
	if err != nil {
		return Result{}, err
	}
	out := pageResult{sight: saw, More: max(0, total-len(picks))}
	for i, p := range picks {
		if a.Scope == "viewport" && !s.inSight(p.Rect) {
			continue
		}
		if len(out.Elements) == limit {
			out.More++
			continue
		}
		holds := i+1 < len(picks) && len(picks[i+1].Chain) > len(p.Chain)
		out.Elements = append(out.Elements, live(p, holds))
	}
	if a.Scope == "target" && len(picks) > 0 {
		if out.Elements[0].Style, err = sf.Style(ctx, picks[0].Handle, shownStyle); err != nil {
			return Result{}, err
		}
	}
	return s.finishPage(ctx, sf, out)
}

// chosen gives the selector of the elements to tell, and how many. Of a draft
// nobody asked anything special of, the targets tell most.
func (s *Set) chosen(ctx context.Context, a browserInspectArgs) (selectors string, limit int, err error) {
	const everything = ":root, :root *"
	limit = cmp.Or(a.Limit, defaultNodes)
	switch {
	case a.Scope == "target":
		id, err := s.target(a.Note, a.Target)
		if err != nil {
			return "", 0, err
		}
		p, err := s.pick(ctx, id)
		if err != nil {
			return "", 0, err
		}
		own := selector(p)
		return own + ", " + own + " *", limit, nil
	case a.Scope != "" || !s.draft.Staged():
		return everything, limit, nil
	}
	limit = cmp.Or(a.Limit, draftNodes)
	var own []string
	for _, n := range s.cfg.Turn.Notes {
		for _, t := range n.Targets {
			r := s.resolve(t)
			if r.node == 0 || len(own) == draftTargets {
				continue
			}
			if p, err := s.pick(ctx, r.node); err == nil {
				own = append(own, selector(p), selector(p)+" *")
			} else if final(core.CodeOf(err)) {
				return "", 0, err
			}
		}
	}
	if len(own) == 0 {
		return everything, limit, nil
	}
	return strings.Join(own, ", "), limit, nil
}

// shownStyle are the properties a look at a target tells.
var shownStyle = []string{
	"display", "font-size", "font-weight", "font-style", "color", "background-color", "text-align", "width", "height",
}

func (s *Set) inSight(r contract.Rect) bool {
	w, h := s.size()
	return r.Width > 0 && r.Height > 0 && r.X < w && r.Y < h && r.X+r.Width > 0 && r.Y+r.Height > 0
}

func (s *Set) size() (w, h float64) {
	w, h = float64(s.cfg.Width), float64(s.cfg.Height)
	if w <= 0 || h <= 0 {
		return defaultWidth, defaultHeight
	}
	return w, h
}

// live tells one element. One that holds others repeats their text, so little of
// it is told.
func live(p contract.Pick, holds bool) element {
	runes := core.QuoteRunes
	if holds {
		runes = holderRunes
	}
	e := element{
		Text: clipRunes(p.Text, runes), Depth: len(p.Chain),
		Box: [4]int{int(p.Rect.X), int(p.Rect.Y), int(p.Rect.Width), int(p.Rect.Height)},
	}
	if len(p.Chain) == 0 {
		return e
	}
	own := p.Chain[0]
	e.Tag, e.ScriptMade = own.Name, own.ScriptMade
	for _, at := range own.Attrs {
		if len(e.Attributes) == maxAttributes {
			break
		}
		v := previewOrigin.ReplaceAllString(at.Value, "")
		e.Attributes = append(e.Attributes, attribute{Name: clip(at.Name, core.MaxAttributeNameLen), Value: clip(v, maxAttrValueBytes)})
	}
	return e
}

// selector gives a CSS selector for the place a live element has.
func selector(p contract.Pick) string {
	var b strings.Builder
	b.WriteString(":root")
	for i := len(p.Chain) - 2; i >= 0; i-- {
		fmt.Fprintf(&b, " > :nth-child(%d)", p.Chain[i].Index)
	}
	return b.String()
}

// pick gives the live element of a source element. It is for looking and acting
// only and gives no right to change anything.
func (s *Set) pick(ctx context.Context, id htmlsrc.ID) (contract.Pick, error) {
	for _, p := range s.draft.Current().Path(id) {
		if strings.HasPrefix(p.Name, "#") {
			return contract.Pick{}, core.Errorf(core.Unsupported, "the target is inside a template or shadow root, which is not shown as it stands").
				WithHint("nothing was done; look at the document or the viewport instead")
		}
	}
	p, err := s.draft.Live(ctx, id)
	if err == nil && (len(p.Chain) == 0 || p.Chain[0].Name != s.draft.Current().Name(id)) {
		err = core.Errorf(core.Changed, "a script has moved or replaced the target on the live page").
			WithHint("nothing was done; look at the document or the viewport instead")
	}
	return p, err
}

// browserScreenshot takes a picture. The image goes beside the result to a
// model that sees, never into its JSON (R-TURN-8).
func (s *Set) browserScreenshot(ctx context.Context, a browserScreenshotArgs) (Result, error) {
	anchors, err := s.pictured(a)
	if err != nil {
		return Result{}, err
	}
	saw, err := s.seen(ctx, false)
	if err != nil {
		return Result{}, err
	}
	shot, err := s.draft.Picture(ctx, candidate.PictureOptions{Of: a.Of, Part: a.What, Width: a.Width, Targets: anchors})
	if err != nil {
		return Result{}, err
	}
	sf, err := s.draft.Surface(ctx)
	if err != nil {
		return Result{}, err
	}
	pic := &picture{
		Of: shot.Of, What: shot.Part, ViewWidth: shot.View, MediaType: shot.MediaType, Width: shot.Width, Height: shot.Height,
		Bytes: len(shot.Data), Scale: math.Round(shot.Scale*1000) / 1000, Changed: shot.Changed, Attached: s.cfg.Vision,
	}
	if r := shot.Region; r != (contract.Rect{}) {
		pic.Region = &[4]int{int(r.X), int(r.Y), int(r.Width), int(r.Height)}
	}
	res, err := s.finishPage(ctx, sf, pageResult{sight: saw, Picture: pic})
	if err == nil && s.cfg.Vision {
		res.Image = &llm.Image{MediaType: shot.MediaType, Data: shot.Data}
	}
	return res, err
}

// pictured gives the anchors of the target that a picture is asked of.
func (s *Set) pictured(a browserScreenshotArgs) ([]core.Anchor, error) {
	if a.What != candidate.PartTarget {
		return nil, nil
	}
	if a.Note == 0 {
		return nil, badArguments("a picture of a target needs a note")
	}
	n, err := s.needNote(a.Note)
	if err != nil {
		return nil, err
	}
	if a.Target < 0 || a.Target > len(n.Targets) {
		return nil, badArguments("note %d has %d targets", a.Note, len(n.Targets))
	}
	var out []core.Anchor
	for i, t := range n.Targets {
		if t.Resolution == core.Exact && (a.Target == 0 || a.Target == i+1) {
			out = append(out, t.Anchor)
		}
	}
	return out, nil
}

// browserReload loads the page anew; of a draft that is a new look.
func (s *Set) browserReload(ctx context.Context, _ browserReloadArgs) (Result, error) {
	saw, err := s.seen(ctx, true)
	if err == nil && !s.draft.Staged() {
		err = s.draft.Reload(ctx)
	}
	if err != nil {
		return Result{}, err
	}
	sf, err := s.draft.Surface(ctx)
	if err != nil {
		return Result{}, err
	}
	return s.finishPage(ctx, sf, pageResult{sight: saw, Done: "the page was loaded anew"})
}
