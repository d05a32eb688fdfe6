package document

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
)

// BenchmarkCommit is a commit of a one-word edit on a 1 MB page, synchronised
// to disk, with an idempotency key (two transactions) and without (one).
// Bar: p50 below 15 ms.
func BenchmarkCommit(b *testing.B) {
	for _, key := range []bool{true, false} {
		b.Run(fmt.Sprintf("key=%v", key), func(b *testing.B) { benchCommit(b, key) })
	}
}

func benchCommit(b *testing.B, key bool) {
	ctx := context.Background()
	x := newBench(b, bigPage(1<<20, 5))
	id := x.open().Document.ID
	l, err := x.s.Lease(ctx, id)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var times []time.Duration
	for b.Loop() {
		b.StopTimer()
		d, rev, text, err := x.s.Head(ctx, id)
		if err != nil {
			b.Fatal(err)
		}
		q := CommitRequest{DocumentID: id, ExpectedHead: rev.ID, ExpectedStateRev: d.StateRev, Lease: l, Source: core.SourceManual, Actor: "bench"}
		q.Edits = []core.Edit{replaceWord(text, 100+r.IntN(len(text)-300), word(r))}
		q.After = applyEdits(text, q.Edits)
		if key {
			q.Key = rev.ID
		}
		b.StartTimer()
		start := time.Now()
		if _, err := x.s.Commit(ctx, q); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkWriteBack replaces a 1 MB file.
func BenchmarkWriteBack(b *testing.B) {
	ctx := context.Background()
	x := newBench(b, bigPage(1<<20, 5))
	id := x.open().Document.ID
	r := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		b.StopTimer()
		text := x.head(id)
		e := replaceWord([]byte(text), 100+r.IntN(len(text)-300), word(r))
		x.commit(id, edit{0, text[e.Span.Start-12 : e.Span.End], text[e.Span.Start-12:e.Span.Start] + e.Replacement})
		b.StartTimer()
		if _, err := x.s.WriteBack(ctx, id); err != nil {
			b.Fatal(err)
		}
	}
}

// longLine gives a document with many revisions, each a small edit.
func longLine(b *testing.B, n int) (*bench, string) {
	b.Helper()
	x := newBench(b, bigPage(20_000, 5))
	id := x.open().Document.ID
	editMany(x, n, 1)
	return x, id
}

// Bars: listing 10,000 revisions < 50 ms; recovery at start with 10,000
// revisions < 300 ms.
func BenchmarkTenThousandRevisions(b *testing.B) {
	ctx := context.Background()
	x, id := longLine(b, 10_000)
	b.Run("history", func(b *testing.B) {
		for b.Loop() {
			if got, err := x.s.History(ctx, id, 0, 0); err != nil || len(got) < 10_000 {
				b.Fatal(len(got), err)
			}
		}
	})
	for g := int64(100); g <= 10_000; g += 100 {
		if _, err := x.s.Name(ctx, NameRequest{DocumentID: id, Generation: g, Name: fmt.Sprintf("name %d", g), Actor: "bench"}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("history with names", func(b *testing.B) {
		for b.Loop() {
			if got, err := x.s.Versions(ctx, id, 0, 0); err != nil || len(got) < 10_000 {
				b.Fatal(len(got), err)
			}
		}
	})
	b.Run("page of changes", func(b *testing.B) {
		for b.Loop() {
			if got, err := x.s.ChangeLog(ctx, id, 5_000, 100); err != nil || len(got) != 100 {
				b.Fatal(len(got), err)
			}
		}
	})
	b.Run("recovery", func(b *testing.B) {
		for b.Loop() {
			st, err := store.Open(x.data, store.Options{})
			if err != nil {
				b.Fatal(err)
			}
			s := New(st, Options{LeaseWait: -1})
			if _, err := s.Reconcile(ctx); err != nil {
				b.Fatal(err)
			}
			if _, err := s.Open(ctx, x.path); core.CodeOf(err) != "" {
				b.Fatal(err)
			}
			if err := st.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("revert of the oldest", func(b *testing.B) {
		first, err := x.s.Revision(ctx, id, 2)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			res, err := x.s.Revert(ctx, id, first.ChangeSetID, 0, "bench")
			if core.CodeOf(err) == core.OverlapsLater {
				b.Skip("a later edit took the same word")
			}
			if err != nil {
				b.Fatal(err)
			}
			if _, err := x.s.Revert(ctx, id, res.ChangeSet.ID, 0, "bench"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDiffOfAnOutsideChange is what importing an outside change of a 1 MB
// page costs before it is stored.
func BenchmarkDiffOfAnOutsideChange(b *testing.B) {
	before := []byte(bigPage(1<<20, 5))
	r := rand.New(rand.NewPCG(1, 1))
	after := applyEdits(before, []core.Edit{replaceWord(before, 1000, word(r)), replaceWord(before, 900_000, word(r))})
	for b.Loop() {
		textpatch.Diff(before, after)
	}
}
