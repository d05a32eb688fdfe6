package store

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"proofmark/gateway/core"
)

// prose gives a page of about n bytes of random words, which pack worse than
// any language.
func prose(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 2))
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "<p id=\"p%d\">", i)
		for range 12 {
			for range 3 + r.IntN(8) {
				b.WriteByte(byte('a' + r.IntN(26)))
			}
			b.WriteByte(' ')
		}
		b.WriteString("</p>\n")
	}
	return b.Bytes()
}

// scatter changes n words spread over the text.
func scatter(text []byte, n int, r *rand.Rand) []byte {
	out, _ := scatterEdits(text, n, r)
	return out
}

func scatterEdits(text []byte, n int, r *rand.Rand) ([]byte, []core.Edit) {
	out := bytes.Clone(text)
	var edits []core.Edit
	for i := range n {
		at := i*(len(out)/n) + r.IntN(len(out)/n-16)
		for k := range 6 {
			out[at+k] = byte('A' + r.IntN(26))
		}
		edits = append(edits, core.Edit{Span: core.Span{Start: at, End: at + 6}, Replacement: string(out[at : at+6])})
	}
	return out, edits
}

// BenchmarkEncode compares ways to store a version of a 1 MB page against its
// parent; the metric is what one version takes on disk.
func BenchmarkEncode(b *testing.B) {
	parent := prose(1<<20, 1)
	var edits []core.Edit
	ways := map[string]func(before, after []byte) ([]byte, error){
		"edits":      func(before, after []byte) ([]byte, error) { return encodeEdits(before, after, edits), nil },
		"delta":      encodeDelta,
		"dictionary": func(before, after []byte) ([]byte, error) { return zstdAgainst(nil, before, after) },
		"whole":      func(_, after []byte) ([]byte, error) { return zstdAgainst(nil, nil, after) },
	}
	for _, words := range []int{1, 2, 16, 200} {
		var after []byte
		after, edits = scatterEdits(parent, words, rand.New(rand.NewPCG(5, uint64(words))))
		for _, name := range []string{"edits", "delta", "dictionary", "whole"} {
			b.Run(fmt.Sprintf("words=%d/%s", words, name), func(b *testing.B) {
				b.ReportAllocs()
				var size int
				for b.Loop() {
					out, err := ways[name](parent, after)
					if err != nil {
						b.Fatal(err)
					}
					size = len(out)
				}
				b.ReportMetric(float64(size), "bytes/version")
			})
		}
	}
}

// BenchmarkReadChain reads a 1 MB version from disk through chains of deltas,
// its SHA-256 checked.
func BenchmarkReadChain(b *testing.B) {
	s := mustOpen(b, b.TempDir(), Options{})
	r := rand.New(rand.NewPCG(1, 9))
	text := prose(1<<20, 4)
	at := map[int]string{}
	mustWrite(b, s, func(tx *Tx) error {
		parent := ""
		for i := range maxDepth + 1 {
			sha, err := tx.PutBlob(text, parent)
			if err != nil {
				return err
			}
			at[i], parent = sha, sha
			s.cache.add(sha, text)
			text = scatter(text, 1, r)
		}
		return nil
	})
	for _, depth := range []int{0, 1, 16, maxDepth} {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustRead(b, s, func(tx *Tx) error {
					_, err := tx.readBlob(at[depth])
					return err
				})
			}
		})
	}
}

// Bar: listing 10,000 revisions takes less than 50 ms.
func BenchmarkList10000Revisions(b *testing.B) {
	s := mustOpen(b, b.TempDir(), Options{})
	d := seed(b, s, "/page.html", []byte("<p>0"))
	mustWrite(b, s, func(tx *Tx) (err error) {
		for i := range 9999 {
			if d, _, err = advance(tx, d, fmt.Appendf(nil, "<p>%d", i+1)); err != nil {
				return err
			}
		}
		return nil
	})
	for b.Loop() {
		var got []core.Revision
		if err := s.Read(context.Background(), func(tx *Tx) (err error) {
			got, err = tx.Revisions(d.ID, 0, 0)
			return err
		}); err != nil || len(got) != 10000 {
			b.Fatalf("%d revisions, %v", len(got), err)
		}
	}
}
