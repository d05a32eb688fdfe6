package document

import (
	"context"

	"proofmark/gateway/store"
)

// Repair stores anew the bytes of versions that are damaged and that the
// changes up to there still make: each is checked against the SHA-256 of its
// version, so nothing can be stored that was not there. It counts anew what
// stored bytes stand on, which follows from them. It gives what Integrity finds
// afterwards, and how many blobs it stored. A file that SQLite itself finds
// damaged is left alone, and so is one whose tables and triggers are not ours:
// what was put there would have its way in each write.
func (s *Service) Repair(ctx context.Context) (Report, int, error) {
	var found Report
	var remade map[string][]byte
	err := s.st.Read(ctx, func(tx *store.Tx) (err error) {
		remade, err = found.examine(tx)
		return err
	})
	if err := found.note(err); err != nil || len(found.Problems) == 0 {
		return found, 0, err
	}
	if found.unsound {
		if len(remade) > 0 {
			found.Problems = append(found.Problems, "the database file itself is damaged, or not as Proofmark makes it: nothing was repaired in it")
		}
		return found, 0, nil
	}
	for _, b := range remade {
		if err := s.st.Write(ctx, func(tx *store.Tx) error { return tx.MendBlob(b) }); err != nil {
			return found, 0, err
		}
	}
	if err := s.st.Write(ctx, (*store.Tx).Recount); err != nil {
		return found, 0, err
	}
	after, err := s.Integrity(ctx)
	return after, len(remade), err
}
