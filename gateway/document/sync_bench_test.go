//go:build unix

package document

import (
	"context"
	"strings"
	"testing"
)

// BenchmarkSync is of a page of 1 MB: in step, and with a conflict whose merge is
// worked out.
func BenchmarkSync(b *testing.B) {
	line := "<p>A paragraph of some forty characters.</p>\n"
	big := page + strings.Repeat(line, 1<<20/len(line))
	for name, conflict := range map[string]bool{"in step": false, "conflict": true} {
		b.Run(name, func(b *testing.B) {
			x := newBench(b, big)
			id := x.open().Document.ID
			if conflict {
				x.commit(id, edit{1, "Quarterly", "Yearly"})
				x.write(strings.Replace(big, "Second", "Last", 1))
			}
			for b.Loop() {
				if _, err := x.s.Sync(context.Background(), x.path, SyncRequest{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
