package document

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// D-48, T-87: a lease that has expired or passed on moves nothing.
func TestCommitWithAStaleFence(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	old, err := b.s.Lease(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.s.Lease(ctx, id)
	wantCode(t, err, core.LeaseHeld)
	b.clock.forward(core.WriterLeaseTTL)
	q := b.request(id, edit{1, "First", "Late"})
	q.Lease = old
	_, err = b.s.Commit(ctx, q)
	wantCode(t, err, core.LeaseLost) // expired, although nobody else took it
	_, err = b.s.Renew(ctx, old)
	wantCode(t, err, core.LeaseLost)
	next, err := b.s.Lease(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if next.Fence <= old.Fence {
		t.Fatalf("the fence went from %d to %d", old.Fence, next.Fence)
	}
	_, err = b.s.Commit(ctx, q)
	wantCode(t, err, core.LeaseLost)
	forged := next
	forged.Holder = old.Holder
	q.Lease = forged
	_, err = b.s.Commit(ctx, q)
	wantCode(t, err, core.LeaseLost)
	q.Lease = core.WriterLease{}
	_, err = b.s.Commit(ctx, q)
	wantCode(t, err, core.LeaseLost)
	if got := b.head(id); got != page {
		t.Fatalf("the head moved: %q", got)
	}
	q.Lease = next
	if _, err := b.s.Commit(ctx, q); err != nil {
		t.Fatal(err)
	}
}

func TestCommitRefusals(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	other := filepath.Join(t.TempDir(), "other.html")
	writeFile(t, other, "<p>other")
	o, err := b.s.Open(ctx, other)
	if err != nil {
		t.Fatal(err)
	}
	l, err := b.s.Lease(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	otherLease, err := b.s.Lease(ctx, o.Document.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*CommitRequest)
		want   core.Code
	}{
		{"stale head", func(q *CommitRequest) { q.ExpectedStateRev-- }, core.HeadMoved},
		{"stale state", func(q *CommitRequest) { q.ExpectedStateRev++ }, core.HeadMoved},
		{"unknown head", func(q *CommitRequest) { q.ExpectedHead = "rev_x" }, core.UnknownRevision},
		{"another document's head", func(q *CommitRequest) { q.ExpectedHead = o.Head.ID }, core.UnknownRevision},
		{"another document's lease", func(q *CommitRequest) { q.Lease = otherLease }, core.LeaseLost},
		{"unknown document", func(q *CommitRequest) { q.DocumentID = "doc_x" }, core.UnknownRevision},
		{"no change", func(q *CommitRequest) { q.After, q.Edits = []byte(page), nil }, core.NoOp},
		{"edits that make something else", func(q *CommitRequest) { q.Edits[0].Replacement += "!" }, core.InvalidEdit},
		{"edits outside the page", func(q *CommitRequest) { q.Edits[0].Span.End = 1 << 20 }, core.InvalidEdit},
		{"overlapping edits", func(q *CommitRequest) { q.Edits = append(q.Edits, q.Edits[0]) }, core.Overlap},
		{"NUL", func(q *CommitRequest) {
			q.Edits[0].Replacement += "\x00"
			q.After = []byte(strings.Replace(page, "First", "Zero\x00", 1))
		}, core.HasNUL},
		{"not UTF-8", func(q *CommitRequest) {
			q.Edits[0].Replacement = "\xe9"
			q.After = []byte(strings.Replace(page, "First", "\xe9", 1))
		}, core.NotUTF8},
		{"the caller's own refusal", func(q *CommitRequest) {
			q.Also = func(*store.Tx, Result) error { return core.Errorf(core.TurnEnded, "no") }
		}, core.TurnEnded},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := b.request(id, edit{1, "First", "Zero"})
			q.Lease = l
			c.change(&q)
			_, err := b.s.Commit(ctx, q)
			wantCode(t, err, c.want)
			if got := b.head(id); got != page {
				t.Errorf("the head moved: %q", got)
			}
		})
	}
	if revs, err := b.s.History(ctx, id, 0, 0); err != nil || len(revs) != 1 {
		t.Errorf("%d revisions (%v), want 1", len(revs), err)
	}
}

// D-56, T-84: one turn moves a head at most once.
func TestOneChangeSetPerTurn(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	l, err := b.s.Lease(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []core.Code{"", core.TurnEnded} {
		q := b.request(id, edit{1, "paragraph", fmt.Sprintf("part %d", i)})
		q.Lease, q.TurnID, q.Source = l, "turn_one", core.SourceTurn
		_, err := b.s.Commit(ctx, q)
		if got := core.CodeOf(err); got != want {
			t.Fatalf("commit %d: %v, want %q", i, err, want)
		}
	}
}

// R-DOC-5, D-82, T-83: the same request with the same key gives the same receipt; the
// same key for something else is a conflict.
func TestCommitIsIdempotent(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	l, err := b.s.Lease(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	q := b.request(id, edit{1, "First", "Zeroth"})
	q.Lease, q.Key = l, "key-1"
	q.Notes = []core.NoteOutcome{{Order: 1, Instruction: "number it from zero", Outcome: "applied", Targets: []core.TargetOutcome{}}}
	first, err := b.s.Commit(ctx, q)
	if err != nil || first.Replayed {
		t.Fatalf("%+v %v", first, err)
	}
	if err := b.s.Release(ctx, l); err != nil {
		t.Fatal(err)
	}
	b.commit(id, edit{1, "Second", "Next"}) // the head moves on, under another lease
	again, err := b.s.Commit(ctx, q)
	if err != nil || !again.Replayed {
		t.Fatalf("%+v %v", again, err)
	}
	again.Replayed = false
	if a, z := mustJSON(t, first), mustJSON(t, again); a != z {
		t.Errorf("the replay differs:\n%s\n%s", a, z)
	}
	q.After = append(q.After, '\n')
	_, err = b.s.Commit(ctx, q)
	wantCode(t, err, core.RequestConflict)
	if revs, _ := b.s.History(ctx, id, 0, 0); len(revs) != 3 {
		t.Errorf("%d revisions, want 3", len(revs))
	}
}

func TestAFailedAttemptMayBeAskedAgain(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	l, err := b.s.Lease(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	q := b.request(id, edit{1, "First", "Zeroth"})
	q.Lease, q.Key = l, "key-1"
	refusal := errors.New("not yet")
	q.Also = func(*store.Tx, Result) error { return refusal }
	if _, err := b.s.Commit(ctx, q); !errors.Is(err, refusal) {
		t.Fatal(err)
	}
	failed, err := b.s.Attempts(ctx, core.AttemptFailed)
	if err != nil || len(failed) != 1 || failed[0].Key != "key-1" {
		t.Fatalf("%+v %v", failed, err)
	}
	q.Also = nil
	if res, err := b.s.Commit(ctx, q); err != nil || res.Replayed {
		t.Fatalf("%+v %v", res, err)
	}
}

// D-48: eight goroutines with the same expected head; one wins, the others are
// told, and nothing is stored for them.
func TestRaceOfGoroutines(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	l, err := b.s.Lease(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make([]error, 8)
	requests := make([]CommitRequest, len(errs)) // all against the same head
	for i := range requests {
		requests[i] = b.request(id, edit{1, "First", fmt.Sprintf("Winner %d", i)})
		requests[i].Lease, requests[i].Key = l, fmt.Sprintf("key-%d", i)
	}
	for i, q := range requests {
		wg.Go(func() { _, errs[i] = b.s.Commit(ctx, q) })
	}
	wg.Wait()
	won := 0
	for i, err := range errs {
		if err == nil {
			won++
			if !strings.Contains(b.head(id), fmt.Sprintf("Winner %d", i)) {
				t.Errorf("%d was told that it won, and the head is %q", i, b.head(id))
			}
		} else if core.CodeOf(err) != core.HeadMoved {
			t.Errorf("%d: %v", i, err)
		}
	}
	if won != 1 {
		t.Errorf("%d winners", won)
	}
	if revs, _ := b.s.History(ctx, id, 0, 0); len(revs) != 2 {
		t.Errorf("%d revisions, want 2", len(revs))
	}
}

// D-44: the audit trail has hashes and counts, and nothing of the page, of the
// instruction or of the path.
func TestAuditHoldsNoText(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, strings.Replace(page, "First", "SECRETONE", 1))
	id := b.open().Document.ID
	l, err := b.s.Lease(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	q := b.request(id, edit{1, "SECRETONE", "SECRETTWO"})
	q.Lease, q.Key = l, "key"
	q.Notes = []core.NoteOutcome{{Order: 1, Instruction: "SECRETTHREE", Outcome: "applied", Targets: []core.TargetOutcome{}}}
	q.Flags = []core.PolicyFlag{{Kind: "external_origin", Detail: "https://SECRETFOUR.example"}}
	if _, err := b.s.Commit(ctx, q); err != nil {
		t.Fatal(err)
	}
	if err := b.s.Release(ctx, l); err != nil {
		t.Fatal(err)
	}
	if _, err := b.s.WriteBack(ctx, id); err != nil {
		t.Fatal(err)
	}
	if _, err := b.s.Undo(ctx, id, "test"); err != nil {
		t.Fatal(err)
	}
	b.write("<p>SECRETFIVE")
	_, err = b.s.Open(ctx, b.path)
	wantCode(t, err, core.OutsideChange)

	db, err := sql.Open("sqlite", filepath.Join(b.data, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT * FROM audit")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for rows.Next() {
		n++
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		for i := range values {
			text := fmt.Sprint(*values[i].(*any))
			if strings.Contains(text, "SECRET") || strings.Contains(text, "paragraph") || strings.Contains(text, b.path) || len(text) > 64 {
				t.Errorf("audit column %s holds %q", columns[i], text)
			}
		}
	}
	if err := rows.Err(); err != nil || n != 4 {
		t.Errorf("%d rows (%v), want import, commit, write-back and commit", n, err)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
