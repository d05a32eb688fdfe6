package document

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// crashEdit is the change that interrupted processes make.
var crashEdit = edit{1, "First paragraph", "Rewritten by the other process"}

// R-DOC-5: an attempt is never settled while its process runs; when its outcome
// cannot be known it stays ambiguous and is not tried again.
func TestReconcileAmbiguous(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	after := strings.Replace(page, crashEdit.old, crashEdit.new, 1)
	l, err := b.s.Lease(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	q := b.request(id, crashEdit)
	q.Lease, q.Key = l, "key"
	p := prepared{CommitRequest: q, sha: core.SHA256Hex(q.After)}
	if err := b.st.Write(ctx, func(tx *store.Tx) error {
		return tx.BeginAttempt(store.Attempt{
			Key: "key", DocumentID: id, Fingerprint: p.fingerprint(), BaseID: q.ExpectedHead, SHAAfter: p.sha, ChangeSetID: "chg_lost", Fence: l.Fence,
		})
	}); err != nil {
		t.Fatal(err)
	}
	if rec, err := b.s.Reconcile(ctx); err != nil || len(rec.Failed)+len(rec.Ambiguous) != 0 {
		t.Fatalf("the process runs: %+v %v", rec, err)
	}
	// The file has the bytes, the database has lost the commit.
	b.write(after)
	b.clock.forward(core.WriterLeaseTTL)
	if rec, err := b.s.Reconcile(ctx); err != nil || len(rec.Ambiguous) != 1 {
		t.Fatalf("%+v %v", rec, err)
	}
	q.Lease, err = b.s.Lease(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.s.Commit(ctx, q)
	wantCode(t, err, core.AmbiguousOutcome)
	if got := b.head(id); got != page {
		t.Errorf("it was tried again: %q", got)
	}
	left, err := b.s.Attempts(ctx, core.AttemptAmbiguous)
	if err != nil || len(left) != 1 {
		t.Errorf("%+v %v", left, err)
	}
}

// A start with nothing to settle writes nothing: while another process holds the
// database for long, history can be read at once.
func TestReconcileWaitsForNobody(t *testing.T) {
	b := newBench(t, page)
	b.open()
	db, err := sql.Open("sqlite", filepath.Join(b.data, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if got, err := b.s.Reconcile(context.Background()); err != nil || got.EditSessions+got.Candidates != 0 {
		t.Errorf("%+v %v", got, err)
	}
	if took := time.Since(began); took > 3*time.Second { // a lock is waited for five
		t.Errorf("it waited for %v", took)
	}
}
