package document

import (
	"context"
	"testing"
)

// BenchmarkUpkeep is what looking after 1,000 one-word edits of a 1 MB page
// costs: reading and checking all of it, collecting with nothing to collect, a
// checked backup.
func BenchmarkUpkeep(b *testing.B) {
	ctx := context.Background()
	x := newBench(b, bigPage(1<<20, 3))
	editMany(x, 1000, 1)
	b.Run("integrity", func(b *testing.B) {
		for b.Loop() {
			if r, err := x.s.Integrity(ctx); err != nil || len(r.Problems) > 0 {
				b.Fatal(r.Problems, err)
			}
		}
	})
	b.Run("collect", func(b *testing.B) {
		for b.Loop() {
			if _, err := x.s.Collect(ctx, false); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("backup", func(b *testing.B) {
		for b.Loop() {
			if _, err := Backup(ctx, x.data, b.TempDir()+"/copy.db"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
