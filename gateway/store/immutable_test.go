package store

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"proofmark/gateway/core"
)

// furnish stores rows in every table that has triggers.
func furnish(t testing.TB, s *Store) core.Document {
	t.Helper()
	d := seed(t, s, "/page.html", []byte("<p>one"))
	mustWrite(t, s, func(tx *Tx) (err error) {
		if d, _, err = advance(tx, d, []byte("<p>two")); err != nil {
			return err
		}
		l, err := tx.AcquireLease(d.ID, "holder", time.Minute)
		if err != nil {
			return err
		}
		anchor := core.Anchor{ID: "anc_1", DocumentID: d.ID, RevisionID: d.HeadID, SourceSHA: core.SHA256Hex(nil), Name: "p", Path: []core.PathStep{{Name: "html", Index: 1}}}
		for i, state := range []core.AnnotationState{core.AnnotationDraft, core.AnnotationDraft, core.AnnotationDraft} {
			anchor.ID = "anc_" + string(rune('1'+i))
			if err := tx.InsertAnnotation(core.Annotation{
				ID: "ann_" + string(rune('1'+i)), SessionID: "ses_1", DocumentID: d.ID, RevisionID: d.HeadID, Order: i + 1,
				Instruction: "do it", Anchors: []core.Anchor{anchor}, State: state, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			}); err != nil {
				return err
			}
		}
		turn := core.Turn{
			ID: "trn_1", SessionID: "ses_1", RequestID: "req_1", Fingerprint: "f", DocumentID: d.ID, RevisionID: d.HeadID, Message: "hello",
			Notes: []core.SentNote{{AnnotationID: "ann_2", Order: 1, Instruction: "do it"}}, State: core.TurnAccepted, Model: "builtin", At: tx.Now(),
		}
		for _, step := range []func() error{
			func() error { return tx.InsertTurn(turn) },
			func() error {
				return tx.SetAnnotationState("ann_2", core.AnnotationDraft, core.AnnotationSent, "trn_1")
			},
			func() error {
				return tx.SetAnnotationState("ann_3", core.AnnotationDraft, core.AnnotationDiscarded, "")
			},
			func() error {
				return tx.BeginAttempt(Attempt{Key: "k", DocumentID: d.ID, Fingerprint: "f", BaseID: d.HeadID, SHAAfter: core.SHA256Hex(nil), ChangeSetID: "chg_k", Fence: l.Fence})
			},
			func() error { return tx.ApplyAttempt("k", "chg_k", json.RawMessage(`{}`)) },
			func() error {
				_, err := tx.AppendTurnEvent("trn_1", "accepted", json.RawMessage(`{}`))
				return err
			},
			func() error {
				_, err := tx.AppendTurnEvent("trn_1", LastTurnEvent, json.RawMessage(`{}`))
				return err
			},
			func() error { return tx.InsertAudit(AuditEvent{Kind: "import", DocumentID: d.ID, Actor: "test"}) },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	return d
}

// D-47, D-80, T-86: what must never change cannot change, not even by hand.
func TestImmutability(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	furnish(t, s)
	for _, statement := range []string{
		"UPDATE revisions SET actor = 'x'", "UPDATE revisions SET sha256 = sha256", "DELETE FROM revisions",
		"UPDATE change_sets SET edits = '[]'", "DELETE FROM change_sets",
		"UPDATE audit SET kind = 'x'", "DELETE FROM audit",
		"UPDATE anchors SET body = '{}'", "DELETE FROM anchors",
		"UPDATE annotation_targets SET anchor_id = 'anc_2'", "DELETE FROM annotation_targets",
		"UPDATE annotations SET instruction = 'x' WHERE state = 'sent'", "UPDATE annotations SET state = 'draft', turn_id = NULL WHERE state = 'sent'",
		"UPDATE annotations SET instruction = 'x' WHERE state = 'discarded'", "UPDATE annotations SET revision_id = revision_id WHERE state = 'draft'",
		"DELETE FROM annotations",
		"UPDATE turns SET notes = '[]'", "UPDATE turns SET message = 'x'", "DELETE FROM turns",
		"UPDATE blobs SET sha256 = 'x'", "UPDATE blobs SET bytes = 1", "DELETE FROM blobs",
		"UPDATE documents SET generation = 1, state_rev = state_rev + 1", "UPDATE documents SET state_rev = state_rev + 2",
		"UPDATE documents SET generation = generation + 1, state_rev = state_rev + 1", "UPDATE documents SET path = path", "DELETE FROM documents",
		"UPDATE leases SET fence = 0", "UPDATE leases SET holder = 'thief'", "DELETE FROM leases",
		"UPDATE attempts SET state = 'failed', receipt = NULL", "DELETE FROM attempts",
		"UPDATE turn_events SET body = '{}'", "UPDATE turn_events SET seq = seq + 10", "DELETE FROM turn_events", "DELETE FROM turn_events WHERE kind = 'ended'",
		"INSERT INTO turn_events SELECT NULL, session_id, turn_id, 'said', body, at FROM turn_events LIMIT 1",
		"INSERT OR REPLACE INTO turn_events SELECT seq, session_id, turn_id, 'said', body, at FROM turn_events",
		"INSERT OR REPLACE INTO revisions SELECT id, document_id, generation, parent_id, sha256, bytes, source, 'x', change_set_id, at FROM revisions",
	} {
		r, err := s.write.Exec(statement)
		if err == nil {
			n, _ := r.RowsAffected()
			t.Errorf("%s went through (%d rows)", statement, n)
		}
	}
}

// The schema itself refuses states, duplicates and rows that point nowhere.
func TestConstraints(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	d := furnish(t, s)
	for _, statement := range []string{
		"INSERT INTO turns SELECT 'trn_2', session_id, request_id, fingerprint, document_id, revision_id, message, notes, state, model, at FROM turns",
		"INSERT INTO turns SELECT 'trn_2', session_id, 'req_2', fingerprint, document_id, revision_id, message, notes, 'done', model, at FROM turns",
		"INSERT INTO turns SELECT 'trn_2', session_id, 'req_2', fingerprint, 'doc_x', revision_id, message, notes, state, model, at FROM turns",
		"INSERT INTO revisions SELECT 'rev_x', document_id, generation, parent_id, sha256, bytes, source, actor, change_set_id, at FROM revisions WHERE generation = 2",
		"INSERT INTO revisions SELECT 'rev_x', document_id, 3, id, sha256, bytes, 'magic', actor, change_set_id, at FROM revisions WHERE generation = 2",
		"INSERT INTO annotations SELECT 'ann_x', session_id, document_id, revision_id, 9, instruction, 'sent', NULL, created_at, updated_at FROM annotations LIMIT 1",
		"INSERT INTO turn_events VALUES (NULL, 'ses_1', 'trn_x', 'accepted', '{}', 0)",
		"INSERT INTO edit_sessions VALUES ('eds_x', '" + d.ID + "', 'rev_x', NULL, 'open', 0, 0, 0)",
		"INSERT INTO blobs VALUES ('" + strings.Repeat("a", 64) + "', 1, 'delta', NULL, 1, 1, x'00')",
		"INSERT INTO documents SELECT 'doc_x', path, head_id, generation, state_rev, synced_id, synced_sha, created_at FROM documents",
	} {
		if _, err := s.write.Exec(statement); err == nil {
			t.Errorf("%s went through", statement)
		}
	}
}
