package candidate

import (
	"context"
	"slices"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

// Staged says what a draft is after a writer's call.
type Staged struct {
	SHA   string
	Edits []core.Edit // from the base, spans in the base's bytes
	Flags []core.PolicyFlag
}

// Stage applies edits to the current bytes and makes the result the session's
// one draft. The edits' spans are in Current().Source(). An earlier draft is
// replaced, its receipt void. Where the result cannot be a candidate the
// earlier draft stays as it was.
func (s *Session) Stage(ctx context.Context, edits []core.Edit) (Staged, error) {
	if s.over {
		return Staged{}, turnEnded("candidate.Stage")
	}
	d, err := s.makeDraft(edits)
	if err != nil {
		return Staged{}, err
	}
	if s.direct == nil {
		if err := s.svc.keepDraft(ctx, s.turn, d, s.epoch+1); err != nil {
			return Staged{}, err
		}
	}
	s.draft, s.receipt = d, nil
	s.epoch++
	s.showDraft()
	return Staged{SHA: d.sha, Edits: slices.Clone(d.edits), Flags: slices.Clone(d.flags)}, nil
}

// makeDraft applies the edits, checks the result, its code included, and finds
// what a person has to approve.
func (s *Session) makeDraft(edits []core.Edit) (*draft, error) {
	src := s.base.Source()
	cur := s.Current().Source()
	norm, err := textpatch.Normalize(edits, len(cur))
	if err != nil {
		return nil, err
	}
	if len(norm) == 0 {
		return nil, noOp()
	}
	all := norm
	if s.draft != nil {
		if all, err = textpatch.Compose(src, s.draft.edits, norm); err != nil {
			return nil, err
		}
	}
	all = slices.DeleteFunc(all, func(e core.Edit) bool { return string(src[e.Span.Start:e.Span.End]) == e.Replacement })
	after, err := textpatch.Apply(src, all)
	if err != nil {
		return nil, err
	}
	if len(after) > core.MaxSourceBytes {
		return nil, core.Errorf(core.TooLarge, "the changed page would have %d bytes, the limit is %d", len(after), core.MaxSourceBytes).In("candidate.Stage")
	}
	sha := core.SHA256Hex(after)
	if sha == s.SHA() || len(all) == 0 {
		return nil, noOp()
	}
	tree, proved, err := checked(s.base, all)
	if err != nil {
		return nil, err
	}
	if err := s.agree(tree, after); err != nil {
		return nil, err
	}
	changed, err := htmledit.CheckScripts(s.base, tree, proved)
	if err != nil {
		return nil, err
	}
	return &draft{tree: tree, sha: sha, edits: all, flags: htmledit.MergeFlags(changed, htmledit.Added(s.base, tree))}, nil
}

// agree makes sure that the checked tree is the one of the edited bytes.
func (s *Session) agree(tree *htmlsrc.Tree, after []byte) error {
	if string(tree.Source()) != string(after) {
		return core.Errorf(core.Internal, "the checked page is not the edited one").In("candidate.Stage")
	}
	return nil
}

func noOp() *core.Error {
	return core.Errorf(core.NoOp, "the edits change nothing").
		WithHint("Stage a change, or finish with discard.").In("candidate.Stage")
}

func turnEnded(op string) *core.Error {
	return core.Errorf(core.TurnEnded, "this turn is over: its change is committed or dropped").In(op)
}
