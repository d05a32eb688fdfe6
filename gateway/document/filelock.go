package document

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"proofmark/gateway/core"
	"proofmark/internal/faultpoint"
	"proofmark/internal/filelock"
)

const (
	lockWait = 5 * time.Second
	lockPoll = 10 * time.Millisecond
)

// lockFile lets one piece of work at a time write a document's file, across
// processes. The operating system frees the lock when its holder dies. The lock
// files stay: removing one could let two holders in.
func (s *Service) lockFile(ctx context.Context, documentID string) (unlock func(), err error) {
	const op = "document.WriteBack"
	if !filepath.IsLocal(documentID) || filepath.Base(documentID) != documentID || documentID == "." {
		return nil, core.Errorf(core.StorageDamaged, "the database has a document with the id %q, which Proofmark gives to none", documentID).
			WithHint("Somebody else has written into the database. Restore a backup, or name another directory with --data-dir.").In(op)
	}
	dir := filepath.Join(s.st.Dir(), "locks")
	if err := faultpoint.Do("make the folder of locks", func() error { return os.MkdirAll(dir, 0o700) }); err != nil {
		return nil, fileError(op, dir, err)
	}
	path := filepath.Join(dir, documentID)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fileError(op, path, err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		switch err := filelock.Try(f); {
		case err == nil:
			return func() { _ = f.Close() }, nil // closing frees the lock
		case !errors.Is(err, filelock.ErrLocked):
			return nil, fileError(op, path, errors.Join(err, f.Close()))
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, core.Wrap(core.StorageBusy, ctx.Err(), "another process is writing the same file").
				WithHint("Every version that was stored is safe. Wait a moment and do it again.").In(op)
		case <-time.After(lockPoll):
		}
	}
}
