package document

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"proofmark/gateway/core"
)

// bigPage gives a page of about n bytes of prose that does not repeat itself.
func bigPage(n int, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("<!doctype html>\n<title>Big</title>\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "<p id=\"p%d\" class=\"c%d\">", i, r.IntN(50))
		for range 12 {
			b.WriteString(word(r))
			b.WriteByte(' ')
		}
		b.WriteString("</p>\n")
	}
	return b.String()
}

func word(r *rand.Rand) string {
	w := make([]byte, 3+r.IntN(8))
	for i := range w {
		w[i] = byte('a' + r.IntN(26))
	}
	return string(w)
}

// replaceWord gives the edit that replaces the word at or after an offset.
func replaceWord(text []byte, at int, with string) core.Edit {
	for at < len(text)-64 && text[at] != ' ' {
		at++
	}
	end := at + 1
	for end < len(text) && text[end] >= 'a' && text[end] <= 'z' {
		end++
	}
	return core.Edit{Span: core.Span{Start: at + 1, End: end}, Replacement: with}
}

func dirSize(t testing.TB, dir string) int64 {
	t.Helper()
	var n int64
	if err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// editMany makes n commits on a big page, each with `words` scattered one-word
// edits, and gives how long each took.
func editMany(b *bench, n, words int) []time.Duration {
	b.t.Helper()
	ctx := context.Background()
	id := b.open().Document.ID
	l, err := b.s.Lease(ctx, id)
	if err != nil {
		b.t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	times := make([]time.Duration, 0, n)
	for i := range n {
		d, rev, text, err := b.s.Head(ctx, id)
		if err != nil {
			b.t.Fatal(err)
		}
		q := CommitRequest{
			DocumentID: id, ExpectedHead: rev.ID, ExpectedStateRev: d.StateRev, Lease: l, Source: core.SourceManual, Actor: "test",
			Key: fmt.Sprintf("key-%d", i),
		}
		for w := range words {
			part := (len(text) - 200) / words
			q.Edits = append(q.Edits, replaceWord(text, 100+w*part+r.IntN(part-100), word(r)))
		}
		q.After = applyEdits(text, q.Edits)
		start := time.Now()
		if _, err := b.s.Commit(ctx, q); err != nil {
			b.t.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	if err := b.s.Release(ctx, l); err != nil {
		b.t.Fatal(err)
	}
	slices.Sort(times)
	return times
}

func applyEdits(text []byte, edits []core.Edit) []byte {
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.Span.Start]...), e.Replacement...)
		at = e.Span.End
	}
	return append(out, text[at:]...)
}

// R-DOC-6: 1,000 one-word edits of a 1 MB page take at most 30 MB, the log
// included, wherever the words are. The prose is random letters, which packs
// worse than any language.
func TestThousandEditsStaySmall(t *testing.T) {
	if testing.Short() {
		t.Skip("1,000 commits of a 1 MB page")
	}
	for _, words := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d words a commit", words), func(t *testing.T) {
			n := 1000
			if words > 1 {
				n = 300
			}
			b := newBench(t, bigPage(1<<20, 3))
			times := editMany(b, n, words)
			size := dirSize(t, b.data)
			t.Logf("%d commits: %.1f MB with the log; commit p50 %v, p95 %v, max %v", n, float64(size)/1e6, times[n/2], times[n*95/100], times[n-1])
			if size > 30e6 {
				t.Errorf("the database takes %d bytes, more than 30 MB", size)
			}
		})
	}
}
