package store

// MoveDocument gives a document another path: a compare-and-swap on the state
// revision. The path must be free.
func (t *Tx) MoveDocument(documentID string, expectedStateRev int64, path string) error {
	return t.one(headMoved(documentID), "UPDATE documents SET path = ?, state_rev = state_rev + 1 WHERE id = ? AND state_rev = ?",
		path, documentID, expectedStateRev)
}
