package document

import (
	"context"
	"errors"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
)

// actorFile is the actor of revisions that came from the file.
const actorFile = "file"

// Open reads an HTML file and gives its document. A file seen for the first
// time becomes revision 1. A change another program made is imported as a
// revision of its own when the head is what the file held last; when the head
// is ahead of the file, Open refuses with OutsideChange and changes nothing.
//
// Refusals: NotFound, IsDirectory, NotRegular, NotHTML, NotUTF8, HasNUL,
// TooLarge, PermissionDenied, OutsideChange, LeaseHeld.
func (s *Service) Open(ctx context.Context, path string) (Opened, error) {
	asked, canonical, err := resolve(path)
	if err != nil {
		return Opened{}, err
	}
	src, err := readFile(asked, canonical)
	if err != nil {
		return Opened{}, err
	}
	s.step("file read")
	o := Opened{OpenedAs: asked}
	// Another process may do the same; one round more sees what it did.
	for range 3 {
		err = s.openOnce(ctx, canonical, src, &o, false)
		if errors.Is(err, errLookAgain) {
			err = s.openLocked(ctx, asked, canonical, &o)
		}
		if code := core.CodeOf(err); code != core.HeadMoved {
			break
		}
	}
	if err != nil {
		return Opened{}, err
	}
	if o.Ahead = o.Document.SyncedID != o.Document.HeadID; o.Ahead {
		if err := s.salvageBeside(ctx, canonical, o.Document.ID, false); err != nil {
			return Opened{}, err
		}
	}
	return o, nil
}

// errLookAgain tells that the file seems to hold other bytes than the history
// says, which is judged under the file's lock only.
var errLookAgain = errors.New("look again under the lock")

// openLocked reads the file and the history while no other process writes the
// file: what a process wrote between two looks would seem an outside change.
func (s *Service) openLocked(ctx context.Context, asked, canonical string, o *Opened) error {
	unlock, err := s.lockFile(ctx, o.Document.ID)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.salvageBeside(ctx, canonical, o.Document.ID, true); err != nil {
		return err
	}
	src, err := readFile(asked, canonical)
	if err != nil {
		return err
	}
	if _, err := s.noticeWritten(ctx, o.Document.ID, src.sha); err != nil {
		return err
	}
	return s.openOnce(ctx, canonical, src, o, true)
}

func (s *Service) openOnce(ctx context.Context, canonical string, src source, o *Opened, locked bool) error {
	var synced core.Revision
	err := s.st.Read(ctx, func(tx *store.Tx) error {
		d, err := tx.DocumentByPath(canonical)
		if err != nil {
			return err
		}
		if o.Document, o.Head, o.Bytes, err = head(tx, d.ID); err != nil {
			return err
		}
		synced, err = tx.Revision(d.SyncedID)
		return err
	})
	switch {
	case core.CodeOf(err) == core.UnknownDocument:
		return s.importFile(ctx, canonical, src, o)
	case err != nil:
		return err
	case src.sha == o.Head.SHA256 && o.Document.SyncedID == o.Document.HeadID:
		return nil
	case !locked && (src.sha != synced.SHA256 || src.sha == o.Head.SHA256):
		return errLookAgain
	case src.sha == o.Head.SHA256:
		return s.markSynced(ctx, o) // an older version with the same bytes was written
	case src.sha == synced.SHA256:
		return nil // the head has not been written yet
	case o.Head.SHA256 == synced.SHA256: // the head's bytes are those the file had
		return s.importOutside(ctx, src, o)
	}
	return outsideChange(o.Document, "the newest version was never written into it")
}

func outsideChange(d core.Document, why string) *core.Error {
	return core.Errorf(core.OutsideChange, "%s was changed by another program, and %s; nothing was changed", d.Path, why).
		WithHint("Both versions are safe. `proofmark sync FILE` shows how they differ; with --merge it joins them, with --theirs it takes the file's, with --ours it keeps the newest version. Each stays in the history.").
		With("document", d.ID).With("generation", d.Generation).With("syncedSha256", d.SyncedSHA).In("document.Open")
}

// importFile makes the document and its first revision.
func (s *Service) importFile(ctx context.Context, canonical string, src source, o *Opened) error {
	return s.st.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.DocumentByPath(canonical); err == nil {
			return core.Errorf(core.HeadMoved, "the document was opened by another process at the same moment")
		} else if core.CodeOf(err) != core.UnknownDocument {
			return err
		}
		if err := tx.PutBlobAs(src.sha, src.bytes, "", nil); err != nil {
			return err
		}
		r := core.Revision{
			ID: tx.NewID("rev"), DocumentID: tx.NewID("doc"), Generation: 1, SHA256: src.sha, Bytes: int64(len(src.bytes)),
			Source: core.SourceImport, Actor: actorFile, At: tx.Now(),
		}
		d := core.Document{
			ID: r.DocumentID, Path: canonical, HeadID: r.ID, Generation: 1, StateRev: 1,
			SyncedID: r.ID, SyncedSHA: r.SHA256, CreatedAt: tx.Now(),
		}
		e := store.AuditEvent{Kind: "import", DocumentID: d.ID, Actor: actorFile, Generation: 1, SHAAfter: src.sha, BytesInserted: len(src.bytes)}
		o.Document, o.Head, o.Bytes, o.Imported = d, r, src.bytes, true
		return errors.Join(tx.InsertDocument(d), tx.InsertRevision(r), tx.InsertAudit(e))
	})
}

// markSynced records that the file holds the head's bytes.
func (s *Service) markSynced(ctx context.Context, o *Opened) error {
	return s.st.Write(ctx, func(tx *store.Tx) error {
		if err := tx.MarkSynced(o.Document.ID, o.Document.StateRev, o.Head); err != nil {
			return err
		}
		var err error
		o.Document, err = tx.Document(o.Document.ID)
		return err
	})
}

// importOutside appends what another program wrote as the new head.
func (s *Service) importOutside(ctx context.Context, src source, o *Opened) error {
	return s.WithLease(ctx, o.Document.ID, func(l core.WriterLease) error {
		res, err := s.commit(ctx, CommitRequest{
			DocumentID: o.Document.ID, ExpectedHead: o.Head.ID, ExpectedStateRev: o.Document.StateRev, Lease: l,
			After: src.bytes, Edits: textpatch.Diff(o.Bytes, src.bytes), Computed: true, Source: core.SourceOutside, Actor: actorFile,
			Also: func(tx *store.Tx, res Result) error {
				return tx.MarkSynced(res.Document.ID, res.Document.StateRev, res.Revision)
			},
		})
		if err != nil {
			return err
		}
		o.Document, o.Head, o.Bytes, o.OutsideImported = res.Document, res.Revision, src.bytes, true
		return nil
	})
}
