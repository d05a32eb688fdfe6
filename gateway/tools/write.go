package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/grants"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

// writeResult is a writer's answer.
type writeResult struct {
	OK          bool              `json:"ok"`
	Draft       string            `json:"draft"` // SHA-256 of the staged draft
	Changes     int               `json:"changes"`
	Approval    []core.PolicyFlag `json:"needsApproval,omitempty"` // what a person has to approve
	Next        string            `json:"next"`
	Correctable bool              `json:"correctable"`
	status
}

const afterStaging = "The draft is staged, nothing is published. Look at it with a document_browser tool, which gives the receipt, then finish. Grants that were not used still hold; document_inspect gives fresh ones."

// apply turns claimed grants into one proposal and stages it. When anything is
// wrong no grant is used up and the draft is as it was.
func (s *Set) apply(ctx context.Context, a applyArgs) (Result, error) {
	wants := make([]grants.Want, len(a.Mutations))
	for i, m := range a.Mutations {
		wants[i] = grants.Want{Token: m.Grant, Operation: m.Operation}
	}
	claimed, err := s.cfg.Grants.Claim(s.cfg.Turn.ID, wants, s.current())
	if err != nil {
		return Result{}, err
	}
	res, err := s.applyClaimed(ctx, a.Mutations, claimed)
	if err != nil {
		s.cfg.Grants.Release(s.cfg.Turn.ID, claimed)
	}
	return res, err
}

func (s *Set) applyClaimed(ctx context.Context, mutations []mutation, claimed []grants.Claimed) (Result, error) {
	ops, err := opsOf(mutations, claimed)
	if err != nil {
		return Result{}, err
	}
	fingerprint := fmt.Sprintf("apply %d %s", s.draft.Epoch(), encode(ops))
	if s.rejected[fingerprint] > 0 {
		return Result{}, s.repeated()
	}
	edits, err := htmledit.Plan(s.draft.Current(), ops)
	if err != nil {
		s.rejected[fingerprint]++
		return Result{}, err
	}
	return s.stage(ctx, edits, fingerprint)
}

// opsOf reads what each mutation means. The element comes from the grant alone.
func opsOf(mutations []mutation, claimed []grants.Claimed) ([]htmledit.Op, error) {
	var ops []htmledit.Op
	for i, m := range mutations {
		b := claimed[i].Binding()
		op := htmledit.Op{Note: b.Order, Kind: htmledit.Kind(b.Operation), Target: htmlsrc.ID(b.Target), Run: htmlsrc.ID(b.Run)}
		list, err := opsOfOne(op, m)
		if err != nil {
			return nil, core.AsError(err).With("index", i+1)
		}
		ops = append(ops, list...)
	}
	if len(ops) > core.MaxMutationsPerCall {
		return nil, core.Errorf(core.TooMany, "the call holds %d changes, the limit is %d", len(ops), core.MaxMutationsPerCall).
			WithHint("nothing changed and no grant was used up; leave some for a later call")
	}
	return ops, nil
}

func opsOfOne(op htmledit.Op, m mutation) ([]htmledit.Op, error) {
	wrong := func(what string) error {
		return core.Errorf(core.ToolArguments, "a %s mutation %s", op.Kind, what).
			WithHint("nothing changed and no grant was used up; send the call again as the tool describes it")
	}
	switch op.Kind {
	case htmledit.ReplaceText:
		if m.Name != "" || m.Value != "" || len(m.Also) > 0 {
			return nil, wrong("takes text, and no name, value or also")
		}
		op.Value = m.Text
		return []htmledit.Op{op}, nil
	case htmledit.RemoveNode:
		if m.Name != "" || m.Value != "" || m.Text != "" || len(m.Also) > 0 {
			return nil, wrong("takes the grant and nothing else")
		}
		return []htmledit.Op{op}, nil
	}
	if m.Text != "" {
		return nil, wrong("takes name and value, and no text")
	}
	valued := op.Kind == htmledit.SetAttribute || op.Kind == htmledit.SetStyle
	var out []htmledit.Op
	for _, p := range slices.Concat([]pair{{m.Name, m.Value}}, m.Also) {
		if p.Name == "" {
			return nil, wrong("needs a name")
		}
		if !valued && p.Value != "" {
			return nil, wrong("takes a name and no value")
		}
		o := op
		o.Name, o.Value = p.Name, p.Value
		if op.Kind == htmledit.AddClass || op.Kind == htmledit.RemoveClass {
			o.Name, o.Value = "", p.Name
		}
		out = append(out, o)
	}
	return out, nil
}

// patch stages exact source edits against the source the model has read.
func (s *Set) patch(ctx context.Context, a patchArgs) (Result, error) {
	if a.SourceSHA != s.draft.SHA() {
		return Result{}, core.Errorf(core.StaleSource, "sourceSha is not that of the source as it is now").
			WithHint("nothing changed; the current one is state.sourceSha of this result, and document_read gives the text to it")
	}
	fingerprint := fmt.Sprintf("patch %s %s", a.SourceSHA, encode(a.Edits))
	if s.rejected[fingerprint] > 0 {
		return Result{}, s.repeated()
	}
	edits, err := s.patchEdits(a.Edits)
	if err != nil {
		s.rejected[fingerprint]++
		return Result{}, err
	}
	return s.stage(ctx, edits, fingerprint)
}

func (s *Set) patchEdits(list []patchEdit) ([]core.Edit, error) {
	tree := s.draft.Current()
	src := tree.Source()
	all := make([]textpatch.Replacement, len(list))
	noted := false
	for i, e := range list {
		all[i] = textpatch.Replacement{Expected: e.ExpectedText, Replacement: e.Replacement}
		if e.Note > 0 {
			if _, err := s.needNote(e.Note); err != nil {
				return nil, core.AsError(err).With("index", i+1)
			}
			noted = true
		}
	}
	edits, err := textpatch.Patch(src, all)
	if err != nil {
		return nil, err
	}
	if noted {
		if edits, err = notedEdits(src, list, all); err != nil {
			return nil, err
		}
	}
	return edits, nil
}

// notedEdits finds the edits one by one, so that each keeps its note. The list
// is known to be good as a whole.
func notedEdits(src []byte, list []patchEdit, all []textpatch.Replacement) ([]core.Edit, error) {
	var out []core.Edit
	for i := range list {
		one, err := textpatch.Patch(src, all[i:i+1])
		if err != nil {
			return nil, err
		}
		for _, e := range one {
			e.Note = list[i].Note
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b core.Edit) int { return a.Span.Start - b.Span.Start })
	return out, nil
}

// stage makes the draft, carries the unused grants over to it, and forgets what
// was seen of the draft before.
func (s *Set) stage(ctx context.Context, edits []core.Edit, fingerprint string) (Result, error) {
	if err := s.fresh(edits, fingerprint); err != nil {
		return Result{}, err
	}
	before := s.draft.Current()
	staged, err := s.draft.Stage(ctx, edits)
	if err != nil {
		s.rejected[fingerprint]++
		return Result{}, err
	}
	s.look = nil
	s.proposed[staged.SHA] = true
	s.rebind(before, edits)
	return Result{Text: encode(writeResult{
		OK: true, Draft: staged.SHA, Changes: len(edits), Approval: staged.Flags, Next: afterStaging,
		Correctable: true, status: s.status(),
	}), Staged: &staged}, nil
}

// fresh refuses a proposal that changes nothing, and ends the turn for one that
// was staged before (R-TURN-10).
func (s *Set) fresh(edits []core.Edit, fingerprint string) error {
	after, err := textpatch.Apply(s.draft.Current().Source(), edits)
	if err != nil {
		return nil // the draft says what is wrong with them
	}
	switch sha := core.SHA256Hex(after); {
	case sha == s.draft.SHA():
		s.rejected[fingerprint]++
		return core.Errorf(core.NoOp, "the proposal changes nothing: the document has all of it already").
			WithHint("the draft is as it was; stage something else, or finish")
	case sha == s.began:
		s.rejected[fingerprint]++
		return core.Errorf(core.NoOp, "the proposal takes the draft back to the document as it is").
			WithHint("the draft is as it was; to drop it, finish with action discard")
	case s.proposed[sha]:
		return s.repeated()
	}
	return nil
}

// rebind carries the turn's unused grants through the staged edits. A grant
// follows its element when the element's tag still begins where the edits moved
// it; a text run's, when no edit touched the run.
func (s *Set) rebind(before *htmlsrc.Tree, edits []core.Edit) {
	after := s.draft.Current()
	s.cfg.Grants.Rebind(s.cfg.Turn.ID, func(b grants.Binding) (grants.Binding, bool) {
		op := htmledit.Op{Kind: htmledit.Kind(b.Operation), Target: follow(before, after, htmlsrc.ID(b.Target), edits)}
		if op.Target == 0 || after.SharedBy(op.Target) != before.SharedBy(htmlsrc.ID(b.Target)) {
			return b, false
		}
		if b.Run != 0 {
			run, ok := followRun(before, after, htmlsrc.ID(b.Run), op.Target, edits)
			if !ok {
				return b, false
			}
			op.Run = run
		}
		if impossible(after, op.Target, op.Kind) != "" {
			return b, false
		}
		return s.binding(op)
	})
}

// follow gives the element that the edits made of an element, 0 where that is
// not certain.
func follow(before, after *htmlsrc.Tree, id htmlsrc.ID, edits []core.Edit) htmlsrc.ID {
	tag, ok := before.StartTag(id)
	if !ok {
		return 0
	}
	// "<" and the name are what makes the element; its attributes may change.
	head := core.Span{Start: tag.Start, End: tag.Start + 1 + len(before.Name(id))}
	moved, ok := textpatch.Reproject(head, edits)
	if !ok {
		return 0
	}
	now := elementAt(after, moved.Start)
	if now == 0 || !strings.EqualFold(after.Name(now), before.Name(id)) {
		return 0
	}
	return now
}

// elementAt gives the element whose start tag begins at the offset, 0 where
// there is none or more than one.
func elementAt(t *htmlsrc.Tree, offset int) htmlsrc.ID {
	id := t.At(offset)
	for ; id != 0; id = t.Parent(id) {
		if tag, ok := t.StartTag(id); ok && tag.Start == offset {
			return id
		}
	}
	return 0
}

func followRun(before, after *htmlsrc.Tree, run, target htmlsrc.ID, edits []core.Edit) (htmlsrc.ID, bool) {
	moved, ok := textpatch.Reproject(before.TextSpan(run), edits)
	if !ok {
		return 0, false
	}
	for _, r := range htmledit.Runs(after, target) {
		if after.TextSpan(r) == moved {
			return r, true
		}
	}
	return 0, false
}
