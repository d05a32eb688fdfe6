package tools

import (
	"context"
	"fmt"
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
	clipMargin                  = 8
)

// sight is what looking at the draft adds to a result: the receipt that
// document_finish needs, and what it is for.
type sight struct {
	Receipt      string             `json:"receipt,omitempty"`
	CandidateSHA string             `json:"candidateSha,omitempty"`
	Verification *core.Verification `json:"verification,omitempty"`
	Faults       []string           `json:"faults,omitempty"` // why a commit would be refused
	Next         string             `json:"next,omitempty"`
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
	What      string `json:"what"`
	MediaType string `json:"mediaType"`
	Width     int    `json:"width"` // pixels
	Height    int    `json:"height"`
	Bytes     int    `json:"bytes"`
	Attached  bool   `json:"attached"` // whether this model gets the image itself
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
		s.look, s.used = &l, false
	}
	l := s.look
	out := sight{
		Receipt: l.Receipt, CandidateSHA: l.Verification.CandidateSHA, Verification: &l.Verification, Faults: l.Faults,
		Next: "finish with action commit, this receipt and this candidateSha, or stage a repair",
	}
	if len(l.Faults) > 0 {
		out.Next = "a commit would be refused for the faults named; stage a repair, or finish with action discard"
	}
	v := l.Verification
	v.NewErrors, v.MissingResources = clean(v.NewErrors), clean(v.MissingResources)
	out.Verification, out.Faults = &v, clean(l.Faults)
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
	limit := a.Limit
	if limit == 0 {
		limit = defaultNodes
	}
	chosen := ":root, :root *"
	if a.Scope == "target" {
		id, err := s.target(a.Note, a.Target)
		if err != nil {
			return Result{}, err
		}
		p, err := s.pick(ctx, id)
		if err != nil {
			return Result{}, err
		}
		own := selector(p)
		chosen = own + ", " + own + " *"
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
	for _, p := range picks {
		if a.Scope == "viewport" && !s.inSight(p.Rect) {
			continue
		}
		if len(out.Elements) == limit {
			out.More++
			continue
		}
		out.Elements = append(out.Elements, live(p))
	}
	if a.Scope == "target" && len(picks) > 0 {
		if out.Elements[0].Style, err = sf.Style(ctx, picks[0].Handle, shownStyle); err != nil {
			return Result{}, err
		}
	}
	return s.finishPage(ctx, sf, out)
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

func live(p contract.Pick) element {
	e := element{
		Text: clipRunes(p.Text, core.QuoteRunes), Depth: len(p.Chain),
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
	if a.What == "target" && a.Note == 0 {
		return Result{}, badArguments("a picture of a target needs a note")
	}
	saw, err := s.seen(ctx, false)
	if err != nil {
		return Result{}, err
	}
	sf, err := s.draft.Surface(ctx)
	if err != nil {
		return Result{}, err
	}
	shot, err := s.shoot(ctx, sf, a)
	if err != nil {
		return Result{}, err
	}
	res, err := s.finishPage(ctx, sf, pageResult{sight: saw, Picture: &picture{
		What: orElse(a.What, "viewport"), MediaType: shot.MediaType, Width: shot.Width, Height: shot.Height,
		Bytes: len(shot.Data), Attached: s.cfg.Vision,
	}})
	if err == nil && s.cfg.Vision {
		res.Image = &llm.Image{MediaType: shot.MediaType, Data: shot.Data}
	}
	return res, err
}

// shoot takes the picture, smaller where it would be too large. The look at a
// draft took one of the full page already.
func (s *Set) shoot(ctx context.Context, sf contract.Surface, a browserScreenshotArgs) (contract.Shot, error) {
	if a.What == "page" && s.look != nil && !s.used && len(s.look.After.Data) > 0 && len(s.look.After.Data) <= core.MaxScreenshotBytes {
		return s.look.After, nil
	}
	opt := contract.ShotOptions{FullPage: a.What == "page"}
	if a.What == "target" {
		var err error
		if opt.Clip, err = s.clipOf(ctx, sf, a.Note); err != nil {
			return contract.Shot{}, err
		}
	}
	shot, err := sf.Screenshot(ctx, opt)
	if err == nil && len(shot.Data) > core.MaxScreenshotBytes {
		opt.JPEG = true
		shot, err = sf.Screenshot(ctx, opt)
	}
	if err == nil && len(shot.Data) > core.MaxScreenshotBytes {
		err = core.Errorf(core.TooLarge, "the picture has %d bytes, the limit is %d", len(shot.Data), core.MaxScreenshotBytes).
			WithHint("take a picture of the viewport or of one target")
	}
	return shot, err
}

// clipOf gives the part of the page around a note's first target.
func (s *Set) clipOf(ctx context.Context, sf contract.Surface, note int) (*contract.Rect, error) {
	id, err := s.firstTarget(note)
	if err != nil {
		return nil, err
	}
	p, err := s.pick(ctx, id)
	if err != nil {
		return nil, err
	}
	r, err := sf.Rect(ctx, p.Handle)
	if err != nil {
		return nil, err
	}
	if r.Width <= 0 || r.Height <= 0 {
		return nil, core.Errorf(core.NoMatch, "the target is not displayed, so there is no picture of it").
			WithHint("nothing was done; take a picture of the viewport, or inspect the document")
	}
	x, y := max(0, r.X-clipMargin), max(0, r.Y-clipMargin)
	return &contract.Rect{X: x, Y: y, Width: r.Width + clipMargin + r.X - x, Height: r.Height + clipMargin + r.Y - y}, nil
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
