package document

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
)

// Report is what Integrity found.
type Report struct {
	Usage     store.Usage
	Problems  []string // sentences; none for a sound database
	Documents []Health // the newest document first

	unsound bool // SQLite itself finds the file damaged, or the schema is another
}

// Health says what can still be read of a document.
type Health struct {
	DocumentID string
	Path       string
	Generation int64   // of the head
	Unreadable []int64 // generations whose bytes are damaged or missing
	// Remade are those of them whose bytes the changes up to there still make:
	// Repair stores them anew.
	Remade []int64
}

// NewestReadable gives the newest generation whose bytes can be read, or 0.
func (h Health) NewestReadable() int64 {
	bad := make(map[int64]bool, len(h.Unreadable))
	for _, g := range h.Unreadable {
		bad[g] = true
	}
	for g := h.Generation; g > 0; g-- {
		if !bad[g] {
			return g
		}
	}
	return 0
}

// Integrity runs SQLite's checks, compares the schema with this program's,
// reads every stored blob from disk and compares it with its SHA-256, and makes
// every version's bytes anew from the first one by the changes' edits. It
// checks heads, what the file held last, anchors and audit rows against them.
// It writes nothing. An error means that it could not finish; damage is a
// problem in the report.
func (s *Service) Integrity(ctx context.Context) (Report, error) {
	var r Report
	err := s.st.Read(ctx, func(tx *store.Tx) error {
		_, err := r.examine(tx)
		return err
	})
	return r, r.note(err)
}

// examine fills the report and gives the bytes that only changes make, by their
// SHA-256.
func (r *Report) examine(tx *store.Tx) (map[string][]byte, error) {
	for i, check := range []func() ([]string, error){tx.CheckFile, tx.CheckSchema, tx.CheckReferences, tx.CheckRows} {
		problems, err := check()
		r.Problems = append(r.Problems, problems...)
		r.unsound = r.unsound || i < 2 && len(problems) > 0
		if err := r.note(err); err != nil {
			return nil, err
		}
	}
	usage, err := tx.Usage()
	if err := r.note(err); err != nil {
		return nil, err
	}
	r.Usage = usage
	l := line{report: r, damaged: map[string]bool{}, remade: map[string][]byte{}}
	if err := r.note(tx.CheckBlobs(func(sha string) { l.damaged[sha] = true })); err != nil {
		return nil, err
	}
	for _, sha := range slices.Sorted(maps.Keys(l.damaged)) {
		r.Problems = append(r.Problems, fmt.Sprintf("the stored bytes of a version are damaged or missing (%s)", sha))
	}
	docs, err := tx.Documents()
	if err := r.note(err); err != nil {
		return nil, err
	}
	for _, d := range docs {
		h, err := l.check(tx, d)
		r.Documents = append(r.Documents, h)
		if err := r.note(err); err != nil {
			return nil, err
		}
	}
	return l.remade, nil
}

// maxMissing bounds how many generations of one gap are listed one by one: the
// numbers around it may be forged.
const maxMissing = 1000

// line is the walk along documents' versions.
type line struct {
	report  *Report
	damaged map[string]bool   // blobs, by SHA-256
	remade  map[string][]byte // damaged blobs whose bytes the changes make
}

func (l line) problem(format string, args ...any) {
	l.report.Problems = append(l.report.Problems, fmt.Sprintf(format, args...))
}

// check walks along a document's versions: each follows from the one before by
// its change, and the head is the last.
func (l line) check(tx *store.Tx, d core.Document) (Health, error) {
	h := Health{DocumentID: d.ID, Path: d.Path, Generation: d.Generation}
	revisions, err := tx.Revisions(d.ID, 0, 0)
	if err != nil {
		return h, err
	}
	anchors, err := anchorsByRevision(tx, d.ID)
	if err := l.report.note(err); err != nil {
		return h, err
	}
	var before core.Revision
	var bytes []byte // of the version before; nil when they are not known
	for i := len(revisions) - 1; i >= 0; i-- {
		next := revisions[i]
		if first := before.Generation + 1; first != next.Generation {
			l.problem("generations %d to %d of %s are missing", first, next.Generation-1, d.Path)
			for g := first; g < min(next.Generation, first+maxMissing); g++ {
				h.Unreadable = append(h.Unreadable, g)
			}
			before, bytes = core.Revision{}, nil
		}
		made, err := l.follow(tx, d, before, next, bytes)
		if err := l.report.note(err); err != nil {
			return h, err
		}
		if bytes, err = l.bytes(tx, next, made, &h); err != nil {
			return h, err
		}
		if bytes != nil && int64(len(bytes)) != next.Bytes {
			l.problem("generation %d of %s has %d bytes and says %d", next.Generation, d.Path, len(bytes), next.Bytes)
		}
		for _, a := range anchors[next.ID] {
			if bytes != nil && !holds(bytes, a) {
				l.problem("anchor %s does not lie on its tag in generation %d of %s", a.ID, next.Generation, d.Path)
			}
		}
		before = next
	}
	return h, l.ends(tx, d, before)
}

// ends checks where the document's row points to.
func (l line) ends(tx *store.Tx, d core.Document, last core.Revision) error {
	if last.ID != d.HeadID || last.Generation != d.Generation {
		l.problem("the newest version of %s is not its head", d.Path)
	}
	synced, err := tx.Revision(d.SyncedID)
	if err == nil && (synced.DocumentID != d.ID || synced.SHA256 != d.SyncedSHA) {
		l.problem("what the file of %s held last is not one of its versions", d.Path)
	}
	return err
}

// follow checks that a version follows from the one before and gives the bytes
// its change makes, nil where that cannot be told.
func (l line) follow(tx *store.Tx, d core.Document, before, next core.Revision, bytes []byte) ([]byte, error) {
	if next.Generation == 1 {
		return nil, nil
	}
	c, err := tx.ChangeSetAt(d.ID, next.Generation)
	if err != nil {
		return nil, err
	}
	if c.ResultID != next.ID || next.ChangeSetID != c.ID || c.SHAAfter != next.SHA256 || c.BaseID != next.ParentID ||
		before.ID != "" && (c.BaseID != before.ID || c.SHABefore != before.SHA256) {
		return nil, core.Errorf(core.StorageDamaged, "generation %d of %s does not follow from the one before", next.Generation, d.Path)
	}
	if bytes == nil {
		return nil, nil
	}
	made, err := textpatch.Apply(bytes, c.Edits)
	if err != nil || core.SHA256Hex(made) != c.SHAAfter {
		return nil, core.Wrap(core.StorageDamaged, err, "the edits of change %s do not make its bytes", c.ID)
	}
	return made, nil
}

// bytes gives a version's bytes, those its change made or the stored ones, and
// notes whether they can be read.
func (l line) bytes(tx *store.Tx, r core.Revision, made []byte, h *Health) ([]byte, error) {
	if l.damaged[r.SHA256] {
		h.Unreadable = append(h.Unreadable, r.Generation)
		if made != nil {
			h.Remade = append(h.Remade, r.Generation)
			l.remade[r.SHA256] = made
		}
		return made, nil
	}
	if made != nil {
		return made, nil
	}
	b, err := tx.Blob(r.SHA256)
	if core.CodeOf(err) == core.StorageDamaged {
		h.Unreadable = append(h.Unreadable, r.Generation)
	}
	return b, l.report.note(err)
}

func anchorsByRevision(tx *store.Tx, documentID string) (map[string][]core.Anchor, error) {
	all, err := tx.Anchors(documentID)
	out := map[string][]core.Anchor{}
	for _, a := range all {
		out[a.RevisionID] = append(out[a.RevisionID], a)
	}
	return out, err
}

// holds tells whether the anchor's tag is where it says.
func holds(b []byte, a core.Anchor) bool {
	s := a.StartTag
	return s.Start >= 0 && s.Start < s.End && s.End <= len(b) && core.SHA256Hex(b[s.Start:s.End]) == a.TagHash
}

// note takes damage into the report and gives any other error back.
func (r *Report) note(err error) error {
	switch core.CodeOf(err) {
	case "":
		return nil
	case core.StorageDamaged, core.UnknownRevision, core.UnknownChange:
		e := core.AsError(err)
		text := e.Message
		if sha, ok := e.Detail["sha256"].(string); ok {
			text += " (" + sha + ")"
		}
		r.Problems = append(r.Problems, text)
		return nil
	}
	return err
}
