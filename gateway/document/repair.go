package document

import (
	"context"

	"proofmark/gateway/store"
)

// Repair stores anew the bytes of versions that are damaged and that the
// changes up to there still make: each is checked against the SHA-256 of its
// version, so nothing can be stored that was not there. It gives what Integrity
// finds afterwards, and how many blobs it stored. A file that SQLite itself
// finds damaged is left alone.
func (s *Service) Repair(ctx context.Context) (Report, int, error) {
	var found Report
	var remade map[string][]byte
	err := s.st.Read(ctx, func(tx *store.Tx) (err error) {
		remade, err = found.examine(tx)
		return err
	})
	if err := found.note(err); err != nil || len(remade) == 0 {
		return found, 0, err
	}
	if found.tables {
		found.Problems = append(found.Problems, "the database file itself is damaged: nothing was repaired in it")
		return found, 0, nil
	}
	for _, b := range remade {
		if err := s.st.Write(ctx, func(tx *store.Tx) error { return tx.MendBlob(b) }); err != nil {
			return found, 0, err
		}
	}
	after, err := s.Integrity(ctx)
	return after, len(remade), err
}
