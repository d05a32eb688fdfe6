package store

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
)

// A delta gives back the very bytes, whatever the two texts are.
func TestDeltaRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(
			rapid.SliceOfN(rapid.Byte(), 0, 40),
			rapid.Map(rapid.IntRange(0, 3000), func(n int) []byte { return prose(n, uint64(n)) }),
		)
		a, b, c := piece.Draw(t, "a"), piece.Draw(t, "b"), piece.Draw(t, "c")
		before := slices.Concat(a, b, c)
		after := slices.Concat(a, piece.Draw(t, "new"), rapid.SampledFrom([][]byte{nil, b}).Draw(t, "kept"), c)
		delta, err := encodeDelta(before, after)
		if err != nil {
			t.Fatal(err)
		}
		got, err := applyDelta(bytes.Repeat([]byte("old"), 10), before, delta, len(after))
		if err != nil || !bytes.Equal(got, after) {
			t.Fatalf("%v, %d bytes, want %d", err, len(got), len(after))
		}
	})
}

// Known edits give a delta of their own; edits that do not make the bytes are
// never trusted.
func TestDeltaOfEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := prose(rapid.IntRange(500, 5000).Draw(t, "size"), 3)
		var edits []core.Edit
		var after []byte
		at := 0
		for range rapid.IntRange(1, 6).Draw(t, "edits") {
			start := rapid.IntRange(at, len(before)).Draw(t, "start")
			end := rapid.IntRange(start, min(len(before), start+30)).Draw(t, "end")
			e := core.Edit{Span: core.Span{Start: start, End: end}, Replacement: rapid.StringN(0, 10, 20).Draw(t, "text")}
			edits = append(edits, e)
			after = slices.Concat(after, before[at:start], []byte(e.Replacement))
			at = end
		}
		after = append(after, before[at:]...)
		delta := encodeEdits(before, after, edits)
		if delta == nil {
			if got := encodeEdits(before, bytes.Repeat(after, 4), edits); got != nil {
				t.Fatal("edits that make something else were taken")
			}
			return // they take too much of a small text
		}
		got, err := applyDelta(nil, before, delta, len(after))
		if err != nil || !bytes.Equal(got, after) {
			t.Fatalf("%v, %d bytes, want %d", err, len(got), len(after))
		}
		if wrong := append(bytes.Clone(after), 'x'); encodeEdits(before, wrong, edits) != nil {
			t.Fatal("edits that make something else were taken")
		}
	})
}

// A damaged delta gives an error or other bytes, never a crash.
func FuzzApplyDelta(f *testing.F) {
	before, after := prose(2000, 1), prose(2500, 2)
	for _, to := range [][]byte{after, before[:100], slices.Concat(before[:900], []byte("x"), before[900:])} {
		d, err := encodeDelta(before, to)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(before, d, len(to))
	}
	f.Add([]byte("abcdef"), []byte{0, 0, packHunks, 1, 2, 1, 'x', 1, 0, 1, 'y'}, 6)
	f.Add([]byte{}, []byte{}, 0)
	f.Add([]byte("ab"), []byte{1, 1, 0}, 1)
	f.Fuzz(func(t *testing.T, parent, delta []byte, length int) {
		if length < 0 || length > 1<<20 {
			return
		}
		if got, err := applyDelta(nil, parent, delta, length); err == nil && len(got) != length {
			t.Fatalf("%d bytes, want %d", len(got), length)
		}
	})
}

// chain stores versions of a page one after another and gives their hashes.
func chain(t testing.TB, s *Store, versions [][]byte) []string {
	t.Helper()
	var out []string
	mustWrite(t, s, func(tx *Tx) error {
		parent := ""
		for _, v := range versions {
			sha, err := tx.PutBlob(v, parent)
			if err != nil {
				return err
			}
			s.cache.add(sha, v)
			out, parent = append(out, sha), sha
		}
		return nil
	})
	return out
}

func edited(n, size int) [][]byte {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	out := [][]byte{prose(size, 8)}
	for range n {
		out = append(out, scatter(out[len(out)-1], 1, r))
	}
	return out
}

// D8: chains are bounded, and every version of a long line reads back.
func TestChainsAreBounded(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	versions := edited(3*maxDepth, 20_000)
	shas := chain(t, s, versions)
	var depth, whole int
	if err := s.write.QueryRow("SELECT max(depth), sum(encoding <> 'delta') FROM blobs").Scan(&depth, &whole); err != nil {
		t.Fatal(err)
	}
	if depth > maxDepth || whole < 3 || whole > 4 {
		t.Errorf("depth %d, %d whole copies of %d versions", depth, whole, len(versions))
	}
	mustRead(t, s, func(tx *Tx) error {
		for i, sha := range shas {
			got, err := tx.readBlob(sha)
			if err != nil || !bytes.Equal(got, versions[i]) {
				return fmt.Errorf("version %d: %w", i, err)
			}
		}
		return nil
	})
}

// A version that shares nothing with its parent is stored whole.
func TestUnlikeVersionsAreStoredWhole(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	chain(t, s, [][]byte{prose(5000, 1), prose(5000, 2), {}, []byte("<p>")})
	var deltas int
	if err := s.write.QueryRow("SELECT count(*) FROM blobs WHERE encoding = 'delta'").Scan(&deltas); err != nil || deltas != 0 {
		t.Errorf("%d deltas (%v)", deltas, err)
	}
}

// Attack 35: damage anywhere in a chain is detected on read, named, and never
// handed out as a version.
func TestDamagedChainIsDetected(t *testing.T) {
	versions := edited(6, 20_000)
	for _, damage := range []struct{ name, statement string }{
		{"a flipped byte of a delta", "UPDATE blobs SET data = CAST(substr(data, 1, length(data) - 1) || x'7e' AS BLOB) WHERE sha256 = ?"},
		{"a truncated row", "UPDATE blobs SET data = substr(data, 1, length(data) / 2) WHERE sha256 = ?"},
		{"an empty row", "UPDATE blobs SET data = x'' WHERE sha256 = ?"},
		{"another parent", "UPDATE blobs SET parent = (SELECT sha256 FROM blobs WHERE encoding <> 'delta') WHERE sha256 = ? AND depth > 1"},
		{"a circle", "UPDATE blobs SET parent = sha256 WHERE sha256 = ? AND encoding = 'delta'"},
	} {
		for _, at := range []int{0, 3, 6} {
			t.Run(fmt.Sprintf("%s at %d", damage.name, at), func(t *testing.T) {
				dir := t.TempDir()
				s := mustOpen(t, dir, Options{})
				shas := chain(t, s, versions)
				r, err := s.write.Exec(damage.statement, shas[at])
				if err != nil {
					t.Fatal(err)
				}
				if n, err := r.RowsAffected(); err != nil || n != 1 {
					t.Skip("does not apply to a whole copy")
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				s = mustOpen(t, dir, Options{})
				err = s.Read(context.Background(), func(tx *Tx) error {
					_, err := tx.Blob(shas[6])
					return err
				})
				wantCode(t, err, core.StorageDamaged)
				if at > 0 { // what lies before the damage is still there
					mustRead(t, s, func(tx *Tx) error {
						got, err := tx.Blob(shas[at-1])
						if !bytes.Equal(got, versions[at-1]) {
							t.Error("an undamaged version differs")
						}
						return err
					})
				}
				// A commit on top of a damaged head is refused, not built on sand.
				err = s.Write(context.Background(), func(tx *Tx) error {
					_, err := tx.PutBlob(append(bytes.Clone(versions[6]), '!'), shas[6])
					return err
				})
				wantCode(t, err, core.StorageDamaged)
			})
		}
	}
}

func TestCacheStaysWithinItsBytes(t *testing.T) {
	c := newBlobCache(1000)
	for i := range 100 {
		c.add(fmt.Sprint(i), make([]byte, 90))
		if c.size > 1000 || len(c.bySHA) != c.order.Len() {
			t.Fatalf("%d bytes in %d entries", c.size, len(c.bySHA))
		}
	}
	if _, ok := c.get("99"); !ok {
		t.Error("the newest is gone")
	}
	if _, ok := c.get("1"); ok {
		t.Error("the oldest stayed")
	}
	c.add("huge", make([]byte, 600))
	if _, ok := c.get("huge"); ok {
		t.Error("one blob took most of the cache")
	}
}
