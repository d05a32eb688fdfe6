package store

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"proofmark/gateway/core"
)

// T-87, D-48: the fencing token grows with every lease and never comes back.
func TestLeases(t *testing.T) {
	c := newClock()
	s := mustOpen(t, t.TempDir(), Options{Now: c.Now})
	d := seed(t, s, "/page.html", []byte("<p>one"))
	acquire := func(holder string) (l core.WriterLease, err error) {
		err = s.Write(context.Background(), func(tx *Tx) error {
			l, err = tx.AcquireLease(d.ID, holder, time.Minute)
			return err
		})
		return l, err
	}
	check := func(l core.WriterLease) error {
		return s.Read(context.Background(), func(tx *Tx) error { return tx.CheckLease(l) })
	}
	a, err := acquire("a")
	if err != nil || a.Fence != 1 || !a.ExpiresAt.Equal(c.now.Add(time.Minute)) {
		t.Fatalf("%+v %v", a, err)
	}
	_, err = acquire("b")
	wantCode(t, err, core.LeaseHeld)
	c.forward(59 * time.Second)
	mustWrite(t, s, func(tx *Tx) (err error) { a, err = tx.RenewLease(a, time.Minute); return err })
	c.forward(59 * time.Second)
	if err := check(a); err != nil {
		t.Fatal(err)
	}
	c.forward(time.Second) // now it ends
	wantCode(t, check(a), core.LeaseLost)
	wantCode(t, s.Write(context.Background(), func(tx *Tx) error { _, err := tx.RenewLease(a, time.Minute); return err }), core.LeaseLost)
	b, err := acquire("b")
	if err != nil || b.Fence != 2 {
		t.Fatalf("%+v %v", b, err)
	}
	wantCode(t, check(a), core.LeaseLost)
	mustWrite(t, s, func(tx *Tx) error { return tx.ReleaseLease(a) }) // does nothing to b's
	if err := check(b); err != nil {
		t.Fatal(err)
	}
	again, err := acquire("b")
	if err != nil || again.Fence != 3 {
		t.Fatalf("%+v %v", again, err)
	}
	wantCode(t, check(b), core.LeaseLost)
	mustWrite(t, s, func(tx *Tx) error { return tx.ReleaseLease(again) })
	wantCode(t, check(again), core.LeaseLost)
	last, err := acquire("a")
	if err != nil || last.Fence != 4 {
		t.Fatalf("%+v %v", last, err)
	}
	mustWrite(t, s, func(tx *Tx) error {
		l, err := tx.BreakLease(d.ID, "c", time.Minute, "not the holder")
		wantCode(t, err, core.LeaseHeld)
		if l, err = tx.BreakLease(d.ID, "c", time.Minute, "a"); l.Fence != 5 {
			t.Errorf("%+v", l)
		}
		return err
	})
	c.forward(-50 * time.Second) // a step back changes nothing
	_, err = acquire("a")
	wantCode(t, err, core.LeaseHeld)
	c.forward(-24 * time.Hour) // nobody waits for tomorrow
	if last, err = acquire("a"); err != nil || last.Fence != 6 {
		t.Fatalf("%+v %v", last, err)
	}
	err = s.Write(context.Background(), func(tx *Tx) error { _, err := tx.AcquireLease("doc_x", "a", time.Minute); return err })
	wantCode(t, err, core.UnknownDocument)
}

// D-48: of eight writers with the same expectation one wins.
func TestAdvanceHeadRace(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	d := seed(t, s, "/page.html", []byte("<p>one"))
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			errs[i] = s.Write(context.Background(), func(tx *Tx) error {
				now, err := tx.Document(d.ID)
				if err != nil {
					return err
				}
				if now.StateRev != d.StateRev {
					return tx.AdvanceHead(d.ID, d.HeadID, d.StateRev, core.Revision{ID: "rev_x", Generation: 2})
				}
				_, _, err = advance(tx, d, fmt.Appendf(nil, "<p>%d", i))
				return err
			})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			wantCode(t, err, core.HeadMoved)
		}
	}
	if won != 1 {
		t.Errorf("%d winners", won)
	}
}

// D-81: drafts are durable, edited by compare-and-swap, and settle once.
func TestAnnotations(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{Now: c.Now})
	d := furnish(t, s)
	var draft core.Annotation
	mustRead(t, s, func(tx *Tx) (err error) { draft, err = tx.Annotation("ann_1"); return err })
	if len(draft.Anchors) != 1 || draft.Anchors[0].ID != "anc_1" || draft.Anchors[0].Path[0].Name != "html" {
		t.Fatalf("%+v", draft)
	}
	var updated time.Time
	mustWrite(t, s, func(tx *Tx) (err error) {
		updated, err = tx.UpdateDraft("ann_1", draft.UpdatedAt, "do it better", 4)
		return err
	})
	if !updated.After(draft.UpdatedAt) {
		t.Errorf("the time of change stood still: %v", updated)
	}
	err := s.Write(context.Background(), func(tx *Tx) error {
		_, err := tx.UpdateDraft("ann_1", draft.UpdatedAt, "an older window's text", 1)
		return err
	})
	wantCode(t, err, core.RequestConflict)
	for _, id := range []string{"ann_2", "ann_3"} {
		err := s.Write(context.Background(), func(tx *Tx) error {
			return tx.SetAnnotationState(id, core.AnnotationDraft, core.AnnotationDiscarded, "")
		})
		wantCode(t, err, core.RequestConflict)
	}
	err = s.Write(context.Background(), func(tx *Tx) error {
		return tx.SetAnnotationState("ann_2", core.AnnotationSent, core.AnnotationDraft, "")
	})
	wantCode(t, err, core.Internal)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, dir, Options{Now: c.Now})
	mustRead(t, s, func(tx *Tx) error {
		drafts, err := tx.Annotations(d.ID, "ses_1", core.AnnotationDraft)
		if len(drafts) != 1 || drafts[0].Instruction != "do it better" || drafts[0].Order != 4 || len(drafts[0].Anchors) != 1 {
			t.Errorf("%+v", drafts)
		}
		all, err2 := tx.Annotations(d.ID, "", "")
		other, err3 := tx.Annotations(d.ID, "ses_2", "")
		next, err4 := tx.NextAnnotationOrder(d.ID, "ses_1")
		if len(all) != 3 || len(other) != 0 || next != 5 {
			t.Errorf("%d, %d, next %d", len(all), len(other), next)
		}
		for _, e := range []error{err2, err3, err4} {
			if err == nil {
				err = e
			}
		}
		return err
	})
}

func TestTurnsAndCandidates(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Now: newClock().Now})
	d := furnish(t, s)
	want := Candidate{
		TurnID: "trn_1", DocumentID: d.ID, BaseID: d.HeadID, SHA: core.SHA256Hex([]byte("<p>x")), Epoch: 2,
		Edits: []core.Edit{{Note: 1, Span: core.Span{Start: 3, End: 6}, Replacement: "x"}}, Flags: []core.PolicyFlag{{Kind: "script", Detail: "d"}},
		UpdatedAt: newClock().now,
	}
	mustWrite(t, s, func(tx *Tx) error {
		turn, ok, err := tx.TurnByRequest("ses_1", "req_1")
		if err != nil || !ok || turn.ID != "trn_1" || len(turn.Notes) != 1 {
			t.Errorf("%+v %v %v", turn, ok, err)
		}
		if _, ok, err := tx.TurnByRequest("ses_1", "req_2"); ok || err != nil {
			t.Errorf("%v %v", ok, err)
		}
		first := want
		first.Epoch, first.Flags = 1, nil
		if err := tx.PutCandidate(first); err != nil {
			return err
		}
		if err := tx.PutCandidate(want); err != nil { // a repair replaces it
			return err
		}
		got, ok, err := tx.Candidate("trn_1")
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%v %s", ok, diff)
		}
		if err != nil {
			return err
		}
		if n, err := tx.DeleteOrphanCandidates(10); n != 0 || err != nil {
			t.Errorf("the candidate of a running turn went: %d %v", n, err)
		}
		wantCode(t, tx.SetTurnState("trn_1", core.TurnRunning, core.TurnApplied), core.TurnEnded)
		wantCode(t, tx.SetTurnState("trn_1", core.TurnAccepted, core.TurnApplied), core.Internal)
		if err := tx.SetTurnState("trn_1", core.TurnAccepted, core.TurnRunning); err != nil {
			return err
		}
		if open, err := tx.UnfinishedTurns(); len(open) != 1 || err != nil {
			t.Errorf("%d unfinished turns (%v)", len(open), err)
		}
		if err := tx.SetTurnState("trn_1", core.TurnRunning, core.TurnDiscarded); err != nil {
			return err
		}
		if n, err := tx.DeleteOrphanCandidates(10); n != 1 || err != nil {
			t.Errorf("%d orphans (%v)", n, err)
		}
		if _, ok, err := tx.Candidate("trn_1"); ok || err != nil {
			t.Errorf("%v %v", ok, err)
		}
		return tx.DeleteCandidate("trn_1")
	})
}

func TestAttempts(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	d := furnish(t, s)
	mustWrite(t, s, func(tx *Tx) error {
		a := Attempt{Key: "k2", DocumentID: d.ID, Fingerprint: "f", BaseID: d.HeadID, SHAAfter: core.SHA256Hex(nil), ChangeSetID: "chg_a", Fence: 1}
		if err := tx.BeginAttempt(a); err != nil {
			return err
		}
		a.ChangeSetID = "chg_b" // the caller asks again
		if err := tx.BeginAttempt(a); err != nil {
			return err
		}
		wantCode(t, tx.ApplyAttempt("k2", "chg_a", json.RawMessage(`{}`)), core.LeaseLost)
		if err := tx.SettleAttempt("k2", "chg_a", core.AttemptFailed, core.Internal); err != nil { // not its own any more
			return err
		}
		if got, ok, err := tx.Attempt("k2"); !ok || got.State != core.AttemptPending || got.ChangeSetID != "chg_b" {
			t.Errorf("%+v %v", got, err)
		}
		if err := tx.SettleAttempt("k2", "chg_b", core.AttemptAmbiguous, core.AmbiguousOutcome); err != nil {
			return err
		}
		wantCode(t, tx.BeginAttempt(a), core.AmbiguousOutcome)
		a.Key = "k" // applied before
		wantCode(t, tx.BeginAttempt(a), core.AmbiguousOutcome)
		wantCode(t, tx.SettleAttempt("k", "chg_k", core.AttemptApplied, ""), core.Internal)
		return nil
	})
}

// D-49: an edit session has a baseline and a text, a life of its own, and no
// right to write.
func TestEditSessions(t *testing.T) {
	c := newClock()
	s := mustOpen(t, t.TempDir(), Options{Now: c.Now})
	d := seed(t, s, "/page.html", []byte("<p>one"))
	var e EditSession
	mustWrite(t, s, func(tx *Tx) (err error) { e, err = tx.OpenEditSession(d.ID, d.HeadID, time.Minute); return err })
	c.forward(30 * time.Second)
	mustWrite(t, s, func(tx *Tx) error { return tx.SaveEditBuffer(e.ID, e.UpdatedAt, []byte("<p>typed"), time.Minute) })
	err := s.Write(context.Background(), func(tx *Tx) error {
		return tx.SaveEditBuffer(e.ID, e.UpdatedAt, []byte("<p>other window"), time.Minute)
	})
	wantCode(t, err, core.HeadMoved)
	c.forward(59 * time.Second)
	mustWrite(t, s, func(tx *Tx) error {
		if n, err := tx.ExpireEditSessions(); n != 0 || err != nil {
			t.Errorf("%d expired too early (%v)", n, err)
		}
		return nil
	})
	c.forward(time.Second)
	mustWrite(t, s, func(tx *Tx) error {
		if n, err := tx.ExpireEditSessions(); n != 1 || err != nil {
			t.Errorf("%d expired (%v)", n, err)
		}
		got, err := tx.EditSession(e.ID)
		if got.State != "expired" || string(got.Buffer) != "<p>typed" {
			t.Errorf("%+v", got)
		}
		wantCode(t, tx.CloseEditSession(e.ID), core.NotFound)
		return err
	})
}

func TestAuditAndUsage(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Now: newClock().Now})
	d := furnish(t, s)
	e := AuditEvent{Kind: "commit", DocumentID: d.ID, Actor: "test", Generation: 2, ChangeSetID: "chg_1", SHABefore: "a", SHAAfter: "b", Notes: 1, Flags: 2, Fence: 3}
	e.Count([]core.Edit{{Span: core.Span{Start: 1, End: 4}, Replacement: "12345"}, {Span: core.Span{Start: 9, End: 9}, Replacement: "é"}})
	mustWrite(t, s, func(tx *Tx) error { return tx.InsertAudit(e) })
	mustRead(t, s, func(tx *Tx) error {
		got, err := tx.Audit(d.ID, 1, 0)
		if err != nil {
			return err
		}
		e.Seq, e.At = 2, newClock().now
		if diff := cmp.Diff([]AuditEvent{e}, got); diff != "" || e.Edits != 2 || e.BytesRemoved != 3 || e.BytesInserted != 7 {
			t.Errorf("%+v %s", e, diff)
		}
		u, err := tx.Usage()
		if u.Documents != 1 || u.Revisions != 2 || u.ChangeSets != 1 || u.Blobs != 2 || u.SourceBytes != 12 || u.FileBytes == 0 {
			t.Errorf("%+v", u)
		}
		return err
	})
}
