package document

import (
	"context"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

const (
	// collectPage bounds the rows one transaction of a collection removes, so
	// that other processes wait for moments only.
	collectPage = 200
	// repackPage bounds the versions one transaction stores anew: each is
	// unpacked and packed again.
	repackPage = 8
	// keepClosed is how long an edit session that was committed or discarded is
	// kept.
	keepClosed = 7 * 24 * time.Hour
)

// Collected says what a collection removed, or, for a dry run, would remove.
type Collected struct {
	store.Garbage
	BytesBefore int64 // on disk, the log included
	BytesAfter  int64 // the same as before in a dry run
}

// Collect removes what nothing needs any more: drafts of turns that have ended,
// edit sessions that hold no text of their own, bytes that are no version's.
// Then it gives the room back to the disk. No version, change set, note, turn
// or audit row is ever touched. It works in short transactions beside other
// processes; cut short at any point it leaves a sound database, and the next
// one goes on.
//
// A dry run counts and writes nothing. From a damaged database nothing is
// removed, because what is used could look unused: it gives StorageDamaged.
func (s *Service) Collect(ctx context.Context, dryRun bool) (Collected, error) {
	var out Collected
	var err error
	if out.BytesBefore, err = s.st.DiskBytes(); err != nil {
		return out, err
	}
	out.BytesAfter = out.BytesBefore
	if err := s.st.Read(ctx, func(tx *store.Tx) error {
		if out.Garbage, err = tx.Garbage(tx.Now().Add(-keepClosed)); err != nil || !out.Any() {
			return err
		}
		found, err := tx.CheckTables()
		if err == nil && len(found) > 0 {
			err = core.Errorf(core.StorageDamaged, "the database is damaged; nothing was removed").
				WithHint("`proofmark doctor --deep` says what is damaged and what can still be read.").
				With("problems", found).In("document.Collect")
		}
		return err
	}); err != nil || dryRun {
		return out, err
	}
	if out.Any() {
		if out.Garbage, err = s.remove(ctx, out.BlobBytes); err != nil {
			return out, err
		}
	}
	if err := s.st.Compact(ctx); err != nil {
		return out, err
	}
	out.BytesAfter, err = s.st.DiskBytes()
	return out, err
}

// remove works page by page and counts what it has done.
func (s *Service) remove(ctx context.Context, blobBytes int64) (store.Garbage, error) {
	done := store.Garbage{BlobBytes: blobBytes}
	var err error
	if done.Candidates, err = s.pages(ctx, func(tx *store.Tx) (int64, error) { return tx.DeleteOrphanCandidates(collectPage) }); err != nil {
		return done, err
	}
	if done.EditSessions, err = s.pages(ctx, func(tx *store.Tx) (int64, error) {
		return tx.DeleteIdleEditSessions(tx.Now().Add(-keepClosed), collectPage)
	}); err != nil {
		return done, err
	}
	// What stands on unused bytes is freed of them first; what then lies free is
	// removed, which can free more.
	for {
		repacked, err := s.pages(ctx, func(tx *store.Tx) (int64, error) { return tx.RepackBlobs(repackPage) })
		done.Repacked += repacked
		if err != nil {
			return done, err
		}
		removed, err := s.pages(ctx, func(tx *store.Tx) (int64, error) { return tx.DeleteUnusedBlobs(collectPage) })
		done.Blobs += removed
		if err != nil || repacked+removed == 0 {
			return done, err
		}
	}
}

// pages runs one transaction after another until one finds nothing to do.
func (s *Service) pages(ctx context.Context, page func(*store.Tx) (int64, error)) (int64, error) {
	var all int64
	for {
		var n int64
		if err := s.st.Write(ctx, func(tx *store.Tx) (err error) {
			n, err = page(tx)
			return err
		}); err != nil || n == 0 {
			return all, err
		}
		all += n
		s.step("page collected")
	}
}
