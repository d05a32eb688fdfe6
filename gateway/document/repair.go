package document

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// Repair stores anew the bytes of versions that are damaged and that the
// changes up to there still make: each is checked against the SHA-256 of its
// version, so nothing can be stored that was not there. It gives what Integrity
// finds afterwards, and how many blobs it stored. A database file that SQLite
// itself finds damaged is left alone: StorageDamaged.
func (s *Service) Repair(ctx context.Context) (Report, int, error) {
	var found Report
	var remade map[string][]byte
	err := s.st.Read(ctx, func(tx *store.Tx) error {
		tables, err := tx.CheckTables()
		if err != nil {
			return err
		}
		if len(tables) > 0 {
			return core.Errorf(core.StorageDamaged, "the database file itself is damaged; nothing was repaired: %s", tables[0]).
				WithHint("Copy the whole data directory somewhere safe and restore the last backup.").
				With("problems", tables).In("document.Repair")
		}
		remade, err = found.examine(tx)
		return err
	})
	if err := found.note(err); err != nil || len(remade) == 0 {
		return found, 0, err
	}
	for _, b := range remade {
		if err := s.st.Write(ctx, func(tx *store.Tx) error { return tx.MendBlob(b) }); err != nil {
			return found, 0, err
		}
	}
	after, err := s.Integrity(ctx)
	return after, len(remade), err
}
