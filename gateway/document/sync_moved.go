package document

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// maxMovedFrom bounds how many places a file may have come from are told.
const maxMovedFrom = 5

// Rebind gives a file that was moved or renamed its history back: the document
// that was opened as oldPath is that of newPath from now on. Nothing else is
// changed; what newPath holds is brought in by the next Sync or Open.
//
// A file that was opened at its new place already has a history of its own.
// While that is nothing but the import, the two change places; otherwise they
// cannot be joined.
//
// Refusals: those of Open for newPath; UnknownDocument when oldPath was never
// opened; RequestConflict when oldPath is still there, so that the new file is
// a copy, or newPath has versions of its own.
func (s *Service) Rebind(ctx context.Context, oldPath, newPath, actor string) (d core.Document, err error) {
	const op = "document.Rebind"
	asked, canonical, err := resolve(newPath)
	if err != nil {
		return d, err
	}
	if _, err := readFile(asked, canonical); err != nil {
		return d, err
	}
	was, err := resolveMissing(oldPath)
	if err != nil {
		return d, err
	}
	if d, err = s.documentAt(ctx, was); err != nil {
		return d, err
	}
	unlock, err := s.lockFile(ctx, d.ID)
	if err != nil {
		return d, err
	}
	defer unlock()
	if was == canonical {
		return d, core.Errorf(core.NoOp, "%s is where it was", newPath).In(op)
	}
	if there, err := stillThere(was, canonical); err != nil || there {
		if err == nil {
			err = core.Errorf(core.RequestConflict, "%s is still there, so %s is a copy and not the same file moved; nothing was changed", oldPath, newPath).
				WithHint("A copy has a history of its own: open it. To continue the history with it, remove or rename the old file first.").In(op)
		}
		return d, err
	}
	err = s.st.Write(ctx, func(tx *store.Tx) error {
		if d, err = tx.Document(d.ID); err != nil {
			return err
		}
		if d.Path != was {
			return core.Errorf(core.RequestConflict, "the history of %s was moved by another process meanwhile", oldPath).In(op)
		}
		if err := movePath(tx, d, canonical); err != nil {
			return err
		}
		if d, err = tx.Document(d.ID); err != nil {
			return err
		}
		return tx.InsertAudit(store.AuditEvent{Kind: "moved", DocumentID: d.ID, Actor: actor, Generation: d.Generation})
	})
	return d, err
}

// movePath gives a document a path. Another document that has it and is nothing
// but an import gets the old path in turn, so that it can still be found.
func movePath(tx *store.Tx, d core.Document, path string) error {
	other, err := tx.DocumentByPath(path)
	if core.CodeOf(err) == core.UnknownDocument {
		return tx.MoveDocument(d.ID, d.StateRev, path)
	}
	if err != nil {
		return err
	}
	notes, err := tx.Annotations(other.ID, "", "")
	if err != nil {
		return err
	}
	if other.Generation > 1 || len(notes) > 0 {
		return core.Errorf(core.RequestConflict, "%s has a history of its own already (versions: %d, notes: %d); two histories cannot be joined", path, other.Generation, len(notes)).
			WithHint("Both stay: `proofmark history` and `proofmark export` take the old path, too.").
			With("document", other.ID).In("document.Rebind")
	}
	return errors.Join( // no two may have one path, not even for a moment
		tx.MoveDocument(other.ID, other.StateRev, "moving:"+other.ID),
		tx.MoveDocument(d.ID, d.StateRev, path),
		tx.MoveDocument(other.ID, other.StateRev+1, d.Path),
	)
}

// stillThere tells whether a path leads to another file than the canonical one.
// A link that was left at the old place and leads to the new one does not.
func stillThere(path, canonical string) (bool, error) {
	// By its exact name: where names are compared without regard to case, the
	// old name of a file that was given other capitals still leads to it.
	entries, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fileError("document.Rebind", path, err)
	}
	name := filepath.Base(path)
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name }) {
		return false, nil
	}
	leads, err := filepath.EvalSymlinks(path)
	return err != nil || leads != canonical, nil
}

func (s *Service) documentAt(ctx context.Context, canonical string) (d core.Document, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		d, err = tx.DocumentByPath(canonical)
		return err
	})
	return d, err
}

// neverOpened refuses a file without a history, and names those whose place it
// may have taken: they are gone, and held the same bytes last.
func (s *Service) neverOpened(ctx context.Context, path string) error {
	asked, canonical, err := resolve(path)
	if err != nil {
		return err
	}
	src, err := readFile(asked, canonical)
	if err != nil {
		return err
	}
	from, err := s.movedFrom(ctx, src.sha)
	if err != nil {
		return err
	}
	e := core.Errorf(core.UnknownDocument, "%s was never opened with Proofmark", asked).In("document.Sync")
	if len(from) == 0 {
		return e.WithHint("There is nothing to bring in step. If the file was moved here, `proofmark sync FILE --moved-from OLD` continues its history.")
	}
	return e.WithHint("It holds what %s held, which is gone. If it was moved here, `proofmark sync FILE --moved-from OLD` continues its history.", from[0]).
		With("movedFrom", from)
}

// movedFrom lists the paths of documents whose file is gone and held certain
// bytes last, the newest document first.
func (s *Service) movedFrom(ctx context.Context, sha string) ([]string, error) {
	all, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range all {
		if d.SyncedSHA != sha || len(out) == maxMovedFrom {
			continue
		}
		if _, err := os.Lstat(d.Path); errors.Is(err, fs.ErrNotExist) {
			out = append(out, d.Path)
		}
	}
	return out, nil
}

// missingHint says what can be done for a file that is gone.
func missingHint(err error, path string) error {
	if core.CodeOf(err) != core.NotFound {
		return err
	}
	return core.AsError(err).
		WithHint("Its versions are kept. `proofmark export %s --out %s` writes the newest one there again; `proofmark sync NEW --moved-from %s` continues its history at a new place.", path, path, path)
}

// unreadableHint says what can be done for bytes that no history can keep.
func unreadableHint(err error, path string) error {
	switch core.CodeOf(err) {
	case core.NotUTF8, core.HasNUL, core.TooLarge, core.TooComplex:
		return core.AsError(err).
			WithHint("What the file holds now cannot be a version, and is left alone. Move it elsewhere to keep it; `proofmark export %s --out %s` then writes the newest version there.", path, path)
	}
	return err
}
