package annotate

import (
	"context"
	"slices"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
)

// maxChain bounds the change sets an anchor is carried through one by one;
// over a longer way it is re-mapped.
const maxChain = 1000

// Resolve carries annotations over to the head, in the order they are given,
// and numbers them from 1. tree is the map of the head's bytes. An unchanged
// source keeps an anchor; known change sets re-project it; where that fails, a
// diff and then unique attributes and text re-map it. A target that is not
// found for certain becomes contextual, with the reason, and blocks nothing.
func (s *Service) Resolve(ctx context.Context, anns []core.Annotation, head core.Revision, tree *htmlsrc.Tree) ([]core.SentNote, error) {
	r := &resolver{s: s, head: head, tree: tree, ways: map[string]*way{}}
	out := make([]core.SentNote, 0, len(anns))
	for i, a := range anns {
		n := core.SentNote{AnnotationID: a.ID, Order: i + 1, Instruction: a.Instruction}
		for _, an := range a.Anchors {
			t, err := r.target(ctx, an)
			if err != nil {
				return nil, err
			}
			n.Targets = append(n.Targets, t)
		}
		out = append(out, n)
	}
	return out, nil
}

type resolver struct {
	s    *Service
	head core.Revision
	tree *htmlsrc.Tree
	ways map[string]*way // by the revision they begin at
}

// way leads from one revision to the head.
type way struct {
	before  []byte
	edits   []core.Edit
	known   bool            // edits lead from before to the head
	foreign *proof.Remapper // made when it is first needed
}

func (r *resolver) target(ctx context.Context, a core.Anchor) (core.SentTarget, error) {
	if a.SourceSHA == r.head.SHA256 {
		// The same bytes, though perhaps in a later revision, as after a revert.
		a.RevisionID = r.head.ID
		if id, ok := r.tree.Find(a.Path); ok {
			if tag, ok := r.tree.StartTag(id); ok && tag == a.StartTag {
				return core.SentTarget{Anchor: a, Resolution: core.Exact}, nil
			}
		}
		return contextual(a, proof.ReasonNoMatch), nil
	}
	w, err := r.way(ctx, a.RevisionID)
	if err != nil {
		if core.CodeOf(err) == core.StorageDamaged || core.CodeOf(err) == core.UnknownRevision {
			return contextual(a, proof.ReasonNoMatch), nil // the version it was made on cannot be read
		}
		return core.SentTarget{}, err
	}
	if w.known {
		if b, how, _ := proof.Reproject(a, w.edits, r.tree, r.head.SHA256, r.head.ID); how == core.Exact {
			return core.SentTarget{Anchor: b, Resolution: how}, nil
		}
	}
	if w.foreign == nil {
		if w.foreign, err = proof.NewRemapper(w.before, r.tree, r.head.SHA256); err != nil {
			return contextual(a, proof.ReasonNoMatch), nil // that version is no page any more that can be compared
		}
	}
	b, how, reason := w.foreign.Remap(a, r.head.ID)
	if how != core.Exact {
		return contextual(a, reason), nil
	}
	return core.SentTarget{Anchor: b, Resolution: core.Exact}, nil
}

// contextual is a target that goes out as it was noted, and claims nothing.
func contextual(a core.Anchor, reason string) core.SentTarget {
	return core.SentTarget{Anchor: a, Resolution: core.Contextual, Reason: reason}
}

// way finds the change sets between a revision and the head.
func (r *resolver) way(ctx context.Context, from string) (*way, error) {
	if w, ok := r.ways[from]; ok {
		return w, nil
	}
	before, err := r.s.docs.Bytes(ctx, from)
	if err != nil {
		return nil, err
	}
	w := &way{before: before}
	lists, ok, err := r.s.editsSince(ctx, from, r.head)
	if err != nil {
		return nil, err
	}
	if ok {
		w.edits, w.known = compose(before, lists)
	}
	r.ways[from] = w
	return w, nil
}

// editsSince gives the edit lists that lead from a revision to the head, oldest
// first; ok is false where they do not, are not known, or there are too many.
func (s *Service) editsSince(ctx context.Context, from string, head core.Revision) (lists [][]core.Edit, ok bool, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		rev := head
		for rev.ID != from {
			if rev.ParentID == "" || rev.ChangeSetID == "" || len(lists) == maxChain {
				return nil
			}
			cs, err := tx.ChangeSet(rev.ChangeSetID)
			if err != nil {
				return err
			}
			if cs.Computed {
				// These edits are a computed difference, not what happened: among
				// twins it may keep one element's tag with another's contents.
				return nil
			}
			lists = append(lists, cs.Edits)
			if rev, err = tx.Revision(rev.ParentID); err != nil {
				return err
			}
		}
		ok = true
		return nil
	})
	slices.Reverse(lists)
	return lists, ok, err
}

// compose makes one edit list of several that follow one another.
func compose(src []byte, lists [][]core.Edit) ([]core.Edit, bool) {
	var all []core.Edit
	for i, l := range lists {
		if i == 0 {
			all = l
			continue
		}
		var err error
		if all, err = textpatch.Compose(src, all, l); err != nil {
			return nil, false
		}
	}
	return all, true
}
