package workbench

import (
	"context"
	"strings"

	"proofmark/bridge/contract"
	"proofmark/gateway/annotate"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/point"
	"proofmark/gateway/proof"
)

// maxPicks is how many picks of one load a preview keeps.
const maxPicks = 1024

// Pick is an element somebody pointed at, with what it was proven to be. Its
// handle is the only thing that goes out and comes back.
type Pick struct {
	live     contract.Pick
	verified proof.Verified // zero where it was refused
	epoch    int64
	refusal  *core.Error // why it cannot be edited; nil where it can
}

// Picked is a pick as it goes out.
type Picked struct {
	Handle   string     `json:"handle"`
	Epoch    int64      `json:"epoch"`
	Path     string     `json:"path"` // as a target takes it; "" in templates and shadow roots
	Name     string     `json:"name"` // with the attributes people know it by
	Text     string     `json:"text"`
	Rect     Rect       `json:"rect"`          // in the view, CSS pixels
	StartTag *core.Span `json:"startTag"`      // UTF-8 bytes of the source; null where it is refused
	Tag      string     `json:"tag,omitempty"` // the start tag as it is written
	SharedBy int        `json:"sharedBy,omitempty"`
	Refusal  *Refusal   `json:"refusal,omitempty"` // why it cannot be edited
}

// Rect is where an element stands, in CSS pixels.
type Rect struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Refusal says why a picked element has no place in the source.
type Refusal struct {
	Code    core.Code      `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint,omitempty"`
	Detail  map[string]any `json:"detail,omitempty"`
}

// Point finds an element, proves it and keeps it as a pick. An element that
// cannot be edited is a pick, too, with the reason; what is no element at all,
// or several, is refused. Refusals: those of point.Parse and point.Find.
func (p *Preview) Point(ctx context.Context, target string) (Picked, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if offset, ok := strings.CutPrefix(target, byteTarget); ok {
		return p.pointByte(ctx, offset)
	}
	t, err := point.Parse(target)
	if err != nil {
		return Picked{}, err
	}
	live, err := point.Find(ctx, p.view.Surface(), t)
	if err != nil {
		return Picked{}, err
	}
	return p.keep(ctx, live)
}

// Step moves from a pick to its parent, first child or a sibling.
func (p *Preview) Step(ctx context.Context, handle string, dir contract.Direction) (Picked, error) {
	switch dir {
	case contract.Up, contract.Down, contract.Next, contract.Prev:
	default:
		return Picked{}, core.Errorf(core.BadRequest, "a step goes up, down, next or prev")
	}
	from, err := p.picked(handle)
	if err != nil {
		return Picked{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	live, err := p.view.Surface().Step(ctx, from.live.Handle, dir)
	if err != nil {
		return Picked{}, err
	}
	if p.ask.Place == PlaceWindow { // a person does not walk out of sight
		if live, err = p.reveal(ctx, live); err != nil {
			return Picked{}, err
		}
	}
	return p.keep(ctx, live)
}

// reveal scrolls an element into the view, and gives it as it stands then. One that
// has no box stays where it is.
func (p *Preview) reveal(ctx context.Context, live contract.Pick) (contract.Pick, error) {
	switch err := p.view.Surface().Reveal(ctx, live.Handle); core.CodeOf(err) {
	case "":
		return p.view.Surface().Describe(ctx, live.Handle)
	case core.Unsupported:
		return live, nil
	default:
		return live, err
	}
}

// Highlight shows a pick in the view, and scrolls to it where that is asked for; ""
// shows none.
func (p *Preview) Highlight(ctx context.Context, handle string, scroll bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if handle == "" {
		return p.view.Surface().HideHighlight(ctx)
	}
	at, err := p.picked(handle)
	if err != nil {
		return err
	}
	if scroll {
		if _, err := p.reveal(ctx, at.live); err != nil {
			return err
		}
	}
	return p.view.Surface().Highlight(ctx, at.live.Handle)
}

// keep proves a live element and remembers it under a handle of its own: the
// browser's stays here.
func (p *Preview) keep(ctx context.Context, live contract.Pick) (Picked, error) {
	k, err := p.prove(ctx, live)
	if err != nil {
		return Picked{}, err
	}
	handle := core.NewID("pick")
	p.mu.Lock()
	defer p.mu.Unlock()
	if live.Epoch != p.epoch {
		return Picked{}, core.Errorf(core.StaleEpoch, "the page was loaded again meanwhile; point at it once more")
	}
	if len(p.order) >= maxPicks {
		delete(p.picks, p.order[0])
		p.order = p.order[1:]
	}
	p.picks[handle], p.order = k, append(p.order, handle)
	return k.out(handle), nil
}

// prove says what a live element is in the source, or why it is nothing there.
func (p *Preview) prove(ctx context.Context, live contract.Pick) (*Pick, error) {
	p.mu.Lock()
	tree, sha := p.tree, p.rev.SHA256
	p.mu.Unlock()
	k := &Pick{live: live, epoch: live.Epoch}
	var v proof.Verified
	claim, err := p.view.Claim(ctx, live)
	if err == nil {
		claim.Tie = p.tieOf(claim.Births, live.Epoch, tree)
		v, err = proof.Verify(claim, tree, sha)
	}
	switch code := core.CodeOf(err); {
	case err == nil:
		k.verified = v
	case code == core.SurfaceLost || code == core.StaleEpoch || code == core.LeaseMismatch || code == core.Cancelled || code == core.Timeout || code == core.Internal:
		return nil, err // says nothing about the element
	default:
		k.refusal = core.AsError(err)
	}
	return k, nil
}

// tie is how the births of a load lie against the map: made once, for as long as
// the register says the same.
type tie struct {
	epoch    int64
	complete bool
	births   int
	of       *proof.Tie
}

func (p *Preview) tieOf(births contract.Births, epoch int64, tree *htmlsrc.Tree) *proof.Tie {
	p.mu.Lock()
	t := p.tie
	p.mu.Unlock()
	if t.of != nil && t.epoch == epoch && t.complete == births.Complete && t.births == len(births.List) {
		return t.of // one to another map is not taken by proof.Verify
	}
	t = tie{epoch, births.Complete, len(births.List), proof.NewTie(births, tree)}
	p.mu.Lock()
	p.tie = t
	p.mu.Unlock()
	return t.of
}

func (k *Pick) out(handle string) Picked {
	a := Picked{
		Handle: handle, Epoch: k.epoch, Path: point.LivePath(k.live), Name: point.LiveName(k.live), Text: k.live.Text, Rect: Rect(k.live.Rect),
	}
	if k.refusal != nil {
		a.Refusal = &Refusal{Code: k.refusal.Code, Message: k.refusal.Message, Hint: k.refusal.Hint, Detail: k.refusal.Detail}
		return a
	}
	anchor := k.verified.Anchor("", "")
	a.StartTag, a.SharedBy = &anchor.StartTag, anchor.SharedBy
	a.Tag = cut(string(k.verified.Tree().Source()[anchor.StartTag.Start:anchor.StartTag.End]), 400)
	return a
}

func cut(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes]) + "…"
	}
	return s
}

// picked gives what a handle stands for, as long as its load lasts.
func (p *Preview) picked(handle string) (*Pick, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.picks[handle]
	if k == nil {
		return nil, core.Errorf(core.StaleEpoch, "nothing is picked as %.80s any more", handle).
			WithHint("The page was loaded again, or much was picked since. Point at it once more.")
	}
	return k, nil
}

// Verified gives the proofs of picks, in their order. Refusals: StaleEpoch; the
// reason of a pick that cannot be edited.
func (p *Preview) Verified(handles []string) ([]proof.Verified, error) {
	if n := len(handles); n == 0 || n > core.MaxTargetsPerNote {
		return nil, core.Errorf(core.TooMany, "a note is on 1 to %d elements", core.MaxTargetsPerNote)
	}
	var out []proof.Verified
	for _, h := range handles {
		k, err := p.picked(h)
		if err != nil {
			return nil, err
		}
		if k.refusal != nil {
			return nil, k.refusal
		}
		out = append(out, k.verified)
	}
	return out, nil
}

// Note makes a draft of picks. Refusals: those of Verified and annotate.Create.
func (p *Preview) Note(ctx context.Context, session, instruction string, handles []string) (core.Annotation, error) {
	if err := p.w.c.Check(ctx, core.FeatureAnnotations); err != nil {
		return core.Annotation{}, err
	}
	proven, err := p.Verified(handles)
	if err != nil {
		return core.Annotation{}, err
	}
	return p.w.c.Notes.Create(ctx, annotate.Draft{
		SessionID: session, DocumentID: p.State().DocumentID, Verified: proven, Instruction: instruction,
	})
}
