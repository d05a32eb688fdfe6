package document

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
)

// Version is a revision with the name it has now.
type Version struct {
	core.Revision
	Name string `json:"name,omitempty"`
}

// Versions lists the versions of a document with their names, the newest first:
// those before the generation `before` (0 for all), at most limit (0 for all).
func (s *Service) Versions(ctx context.Context, documentID string, before int64, limit int) (out []Version, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		if _, err := tx.Document(documentID); err != nil {
			return err
		}
		revs, err := tx.Revisions(documentID, before, limit)
		if err != nil || len(revs) == 0 {
			out = []Version{}
			return err
		}
		names, err := tx.VersionNames(documentID, revs[len(revs)-1].Generation, revs[0].Generation+1)
		if err != nil {
			return err
		}
		out = make([]Version, len(revs))
		for i, r := range revs {
			out[i].Revision = r
			if len(names) > 0 && names[0].Generation == r.Generation { // both newest first
				out[i].Name, names = names[0].Name, names[1:]
			}
		}
		return nil
	})
	return out, err
}

// Change is a change set with what became of it since.
type Change struct {
	core.ChangeSet
	Generation int64 `json:"generation"` // of its result
	InForce    bool  `json:"inForce"`    // something of it is not taken back

	// TakenBackBy is the revert that took back the last of it; of a revert, it may
	// be the redo that put back what the revert had taken.
	TakenBackBy string `json:"takenBackBy,omitempty"`

	// Notes are the change set's, each with what became of it.
	Notes []NoteFate `json:"notes,omitempty"`
}

// NoteFate is the outcome of a note, what it changed, and whether that stands.
type NoteFate struct {
	core.NoteOutcome
	Edits       int    `json:"edits"`    // those it asked for, alone or with others
	Removed     int    `json:"removed"`  // bytes taken out by them
	Inserted    int    `json:"inserted"` // bytes put in by them
	TakenBackBy string `json:"takenBackBy,omitempty"`
}

// ChangeLog lists change sets with what became of them, the newest first: those
// whose result comes before the generation `before` (0 for all), at most limit
// (0 for all).
func (s *Service) ChangeLog(ctx context.Context, documentID string, before int64, limit int) (out []Change, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		d, err := tx.Document(documentID)
		if err != nil {
			return err
		}
		sets, err := tx.ChangeSetsBefore(documentID, before, limit)
		if err != nil {
			return err
		}
		l, err := readLedger(tx, documentID)
		if err != nil {
			return err
		}
		// The line has no gaps: each generation but the first has its change set.
		generation := d.Generation
		if before != 0 {
			generation = min(generation, before-1)
		}
		out = make([]Change, len(sets))
		for i, c := range sets {
			out[i] = l.change(c, generation-int64(i))
		}
		return nil
	})
	return out, err
}

// change tells what became of a change set.
func (l ledger) change(c core.ChangeSet, generation int64) Change {
	out := Change{ChangeSet: c, Generation: generation}
	var last taking
	for _, e := range c.Edits {
		t := l.takenBy(c.ID, e.Note)
		out.InForce = out.InForce || t.by == ""
		if t.generation > last.generation {
			last = t
		}
	}
	if !out.InForce {
		out.TakenBackBy = last.by
	}
	for _, n := range c.Notes {
		f := NoteFate{NoteOutcome: n}
		for _, e := range c.Edits {
			if e.For(n.Order) {
				f.Edits++
				f.Removed += e.Span.Len()
				f.Inserted += len(e.Replacement)
				f.TakenBackBy = l.takenBy(c.ID, e.Note).by // notes that share an edit go together
			}
		}
		out.Notes = append(out.Notes, f)
	}
	return out
}

// Comparison is the difference of two versions of a document.
type Comparison struct {
	From, To      core.Revision
	Before, After []byte // not to be changed

	// Edits lead from Before to After; every byte outside them is the same in
	// both: they were made, and what came out compared.
	Edits []core.Edit
	Stats textpatch.Stats

	// Recorded says that the edits are those of the change set between the two,
	// not worked out from the two texts.
	Recorded bool
}

// Compare gives the difference of any two revisions of a document, older to
// newer or the other way round. Refusals: UnknownRevision, StorageDamaged when
// the recorded edits do not lead from the one to the other.
func (s *Service) Compare(ctx context.Context, fromID, toID string) (x Comparison, err error) {
	const op = "document.Compare"
	if err := s.st.Read(ctx, func(tx *store.Tx) (err error) {
		if x.From, err = tx.Revision(fromID); err != nil {
			return err
		}
		if x.To, err = tx.Revision(toID); err != nil {
			return err
		}
		if x.From.DocumentID != x.To.DocumentID {
			return core.Errorf(core.UnknownRevision, "the two revisions belong to different documents").In(op)
		}
		if x.Before, err = tx.Blob(x.From.SHA256); err != nil {
			return err
		}
		if x.After, err = tx.Blob(x.To.SHA256); err != nil {
			return err
		}
		if x.Recorded = x.To.ParentID == x.From.ID; x.Recorded {
			c, err := tx.ChangeSet(x.To.ChangeSetID)
			x.Edits = c.Edits
			return err
		}
		if x.Recorded = x.From.ParentID == x.To.ID; x.Recorded {
			c, err := tx.ChangeSet(x.From.ChangeSetID)
			x.Edits = textpatch.Inverse(x.After, c.Edits)
			return err
		}
		return nil
	}); err != nil {
		return Comparison{}, err
	}
	if !x.Recorded {
		x.Edits = textpatch.Diff(x.Before, x.After) // without the database's snapshot: it may take a while
	}
	if x.Stats, err = textpatch.Stat(x.Before, x.After, x.Edits); err != nil {
		return Comparison{}, core.Wrap(core.StorageDamaged, err, "the recorded edits do not lead from generation %d to %d", x.From.Generation, x.To.Generation).
			WithHint("`proofmark doctor --deep` checks everything that is stored").In(op)
	}
	if x.Edits == nil {
		x.Edits = []core.Edit{}
	}
	return x, nil
}

// Audit lists what happened to a document, in hashes and counts, in the order
// it happened: the events after the number `after`, at most limit (0 for all).
func (s *Service) Audit(ctx context.Context, documentID string, after int64, limit int) (out []store.AuditEvent, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		if _, err := tx.Document(documentID); err != nil {
			return err
		}
		out, err = tx.Audit(documentID, after, limit)
		return err
	})
	return out, err
}
