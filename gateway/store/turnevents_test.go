package store

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
)

// turns stores a document with accepted turns of the sessions, and gives it.
func turns(t testing.TB, s *Store, sessions ...string) core.Document {
	t.Helper()
	d := seed(t, s, "/page.html", []byte("<p>one"))
	mustWrite(t, s, func(tx *Tx) error {
		for i, session := range sessions {
			id := fmt.Sprint("trn_", i+1)
			if err := tx.InsertTurn(core.Turn{
				ID: id, SessionID: session, RequestID: "req_" + id, Fingerprint: "f", DocumentID: d.ID, RevisionID: d.HeadID,
				Message: "hello", State: core.TurnAccepted, Model: "script", At: tx.Now(),
			}); err != nil {
				return err
			}
		}
		return nil
	})
	return d
}

// AG-3, D10: events of several turns come back in the order they were stored,
// whatever scope and start they are read by.
func TestTurnEventsKeepTheirOrder(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	d := turns(t, s, "ses_a", "ses_a", "ses_b")
	var stored []TurnEvent
	rapid.Check(t, func(rt *rapid.T) {
		for range rapid.IntRange(1, 6).Draw(rt, "events") {
			turn := rapid.IntRange(1, 3).Draw(rt, "turn")
			mustWrite(t, s, func(tx *Tx) error {
				e, err := tx.AppendTurnEvent(fmt.Sprint("trn_", turn), "thinking", json.RawMessage(fmt.Sprintf(`{"round":%d}`, len(stored))))
				stored = append(stored, e)
				return err
			})
		}
		after := int64(rapid.IntRange(0, len(stored)).Draw(rt, "after"))
		limit := rapid.IntRange(0, len(stored)).Draw(rt, "limit")
		scope := rapid.SampledFrom([]TurnEventScope{{Turn: "trn_1"}, {Session: "ses_a"}, {Session: "ses_b"}, {Document: d.ID}, {Turn: "trn_x"}}).Draw(rt, "scope")
		var want []TurnEvent
		for _, e := range stored {
			in := scope.Document != "" || scope.Session == e.SessionID || scope.Turn == e.TurnID
			if in && e.Seq > after && (limit == 0 || len(want) < limit) {
				want = append(want, e)
			}
		}
		mustRead(t, s, func(tx *Tx) error {
			got, err := tx.TurnEvents(scope, after, limit)
			if fmt.Sprint(got) != fmt.Sprint(want) && len(got)+len(want) > 0 {
				rt.Fatalf("%+v after %d, limit %d:\n%v\nwant\n%v", scope, after, limit, got, want)
			}
			return err
		})
	})
	for i, e := range stored[1:] {
		if e.Seq <= stored[i].Seq {
			t.Fatalf("event %d has the number %d after %d", i+1, e.Seq, stored[i].Seq)
		}
	}
}

// A turn tells its end once, and nothing after it.
func TestNothingFollowsTheEnd(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	turns(t, s, "ses_a", "ses_a")
	say := func(turn, kind string) error {
		return s.Write(t.Context(), func(tx *Tx) error {
			_, err := tx.AppendTurnEvent(turn, kind, json.RawMessage(`{}`))
			return err
		})
	}
	if err := say("trn_1", LastTurnEvent); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"said", LastTurnEvent} {
		wantCode(t, say("trn_1", kind), core.TurnEnded)
	}
	if err := say("trn_2", "said"); err != nil {
		t.Error(err)
	}
	wantCode(t, say("trn_x", "said"), core.TurnEnded)
	if err := say("trn_2", ""); err == nil {
		t.Error("an event without a kind was stored")
	}
}
