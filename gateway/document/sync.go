package document

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
)

// SyncChoice says what becomes of bytes that another program wrote while the
// newest version was not in the file.
type SyncChoice string

// Choices. Whichever it is, both sides stay in the history.
const (
	SyncSafe   SyncChoice = ""       // do what takes no choice; tell a conflict and what a merge would come to
	SyncMerge  SyncChoice = "merge"  // join both; refused where both changed one place
	SyncOurs   SyncChoice = "ours"   // the newest version stays the newest
	SyncTheirs SyncChoice = "theirs" // what the file holds becomes the newest
)

// SyncState says how a file and its history stand after a Sync.
type SyncState string

// States. Where a version was made that the file does not hold, or was ahead of
// it already, WriteBack writes it.
const (
	SyncInStep   SyncState = "in_step"  // the file holds the newest version
	SyncAhead    SyncState = "ahead"    // the newest version was never written into the file
	SyncImported SyncState = "imported" // what another program wrote is the newest version now
	SyncMerged   SyncState = "merged"
	SyncKept     SyncState = "kept_ours"
	SyncTook     SyncState = "took_theirs"
	SyncConflict SyncState = "conflict" // both sides have changed; nothing was done
)

// SyncRequest asks to bring a file and its history in step.
type SyncRequest struct {
	Choice SyncChoice
	Actor  string
}

// Synced is how a file and its history stand.
type Synced struct {
	Opened
	State SyncState
	File  []byte // what the file held; not to be changed
	// Base is the version the file held last, the common ground of both sides.
	Base core.Revision
	// Outside is the version that holds what another program wrote, where one
	// was appended.
	Outside *core.Revision
	// Merge is what a merge of both sides came to, or would come to; nil where
	// there was nothing to merge. Its edits are against Ours.
	Merge *textpatch.Merged
	Ours  []byte // the newest version when Sync began; not to be changed
	// OtherNames counts further names of the file (hard links). They keep the old
	// bytes when the file is written.
	OtherNames int
}

// Sync brings the history of a file that was opened before in step with it. A
// change another program made becomes the newest version, unless the newest
// version was never written into the file: then it is a conflict, which the
// choice decides. Sync reads the file and never writes it.
//
// A choice leaves all there was in the history, in one transaction: what the
// file held as a version of its own, the version that was the newest before
// (restored), and what the two were joined to. Each can be taken back.
//
// Refusals: those of Open; UnknownDocument (Detail "movedFrom" lists files whose
// place this one may have taken); OutsideChange with Detail "conflicts"
// ([]textpatch.Conflict) when a merge was asked for and both sides changed one
// place; what is given tells of the conflict then, too.
func (s *Service) Sync(ctx context.Context, path string, q SyncRequest) (Synced, error) {
	d, err := s.Lookup(ctx, path)
	if core.CodeOf(err) == core.UnknownDocument {
		return Synced{}, s.neverOpened(ctx, path)
	}
	if err != nil {
		return Synced{}, err
	}
	asked, canonical, err := resolve(path)
	if err != nil {
		return Synced{}, missingHint(err, path)
	}
	unlock, err := s.lockFile(ctx, d.ID)
	if err != nil {
		return Synced{}, err
	}
	defer unlock()
	if err := s.salvageBeside(ctx, canonical, d.ID, true); err != nil {
		return Synced{}, err
	}
	src, err := readFile(asked, canonical)
	if err != nil {
		return Synced{}, unreadableHint(missingHint(err, path), path)
	}
	s.step("file read for sync")
	if _, err := s.noticeWritten(ctx, d.ID, src.sha); err != nil {
		return Synced{}, err
	}
	var out Synced
	for range 3 { // another process may commit meanwhile
		out, err = s.sync(ctx, d.ID, asked, src, q)
		if core.CodeOf(err) != core.HeadMoved {
			break
		}
	}
	return out, err
}

// sync judges the file's bytes against the history, and does what is asked.
func (s *Service) sync(ctx context.Context, id, asked string, src source, q SyncRequest) (Synced, error) {
	out := Synced{File: src.bytes, OtherNames: otherNames(src.info)}
	var base []byte
	if err := s.st.Read(ctx, func(tx *store.Tx) (err error) {
		if out.Document, out.Head, out.Bytes, err = head(tx, id); err != nil {
			return err
		}
		if out.Base, err = tx.Revision(out.Document.SyncedID); err != nil {
			return err
		}
		base, err = tx.Blob(out.Base.SHA256)
		return err
	}); err != nil {
		return out, err
	}
	out.OpenedAs, out.Ours = asked, out.Bytes
	var err error
	switch {
	case src.sha == out.Head.SHA256:
		out.State = SyncInStep
		if out.Document.SyncedID != out.Head.ID {
			err = s.markSynced(ctx, &out.Opened)
		}
	case src.sha == out.Base.SHA256:
		err = s.syncAhead(ctx, &out, q)
	case out.Base.SHA256 == out.Head.SHA256 && q.Choice != SyncOurs:
		if err = s.importOutside(ctx, src, &out.Opened); err == nil {
			out.State, out.Outside = SyncImported, &out.Head
		}
	default:
		err = s.syncConflict(ctx, &out, base, q)
	}
	out.Ahead = out.Document.SyncedSHA != out.Head.SHA256
	return out, err
}

// syncAhead is for a file that nobody changed and that never got the newest
// version. Only the wish to keep the file as it is moves the head.
func (s *Service) syncAhead(ctx context.Context, out *Synced, q SyncRequest) error {
	out.State = SyncAhead
	if q.Choice != SyncTheirs {
		return nil
	}
	if err := s.chain(ctx, out, q.Actor, link{after: out.File, source: core.SourceRestore, inFile: true}); err != nil {
		return err
	}
	out.State = SyncTook
	return nil
}

// syncConflict is for a file that was changed while the newest version was not
// in it.
func (s *Service) syncConflict(ctx context.Context, out *Synced, base []byte, q SyncRequest) error {
	theirs := link{after: out.File, source: core.SourceOutside, inFile: true}
	ours := link{after: out.Ours, source: core.SourceRestore}
	switch q.Choice {
	case SyncTheirs:
		out.State = SyncTook
		return s.chain(ctx, out, q.Actor, theirs)
	case SyncOurs:
		out.State = SyncKept
		return s.chain(ctx, out, q.Actor, theirs, ours)
	}
	m, err := textpatch.Merge(base, out.Ours, out.File)
	if err != nil {
		return err
	}
	out.State, out.Merge = SyncConflict, &m
	if q.Choice == SyncSafe {
		return nil
	}
	if len(m.Conflicts) > 0 {
		return outsideChange(out.Document, "both sides changed the same place").
			WithHint("Join the two by hand in the file and run `proofmark sync FILE --theirs`; or --ours keeps the newest version. Both stay in the history.").
			With("conflicts", m.Conflicts).In("document.Sync")
	}
	merged := link{after: m.Bytes, edits: m.Edits, source: core.SourceManual}
	switch core.SHA256Hex(m.Bytes) {
	case out.Head.SHA256: // all of theirs is in ours already
		err = s.chain(ctx, out, q.Actor, theirs, ours)
	case core.SHA256Hex(out.File): // all of ours is in theirs already
		err = s.chain(ctx, out, q.Actor, theirs)
	default:
		err = s.chain(ctx, out, q.Actor, theirs, ours, merged)
	}
	if err == nil {
		out.State = SyncMerged
	}
	return err
}
