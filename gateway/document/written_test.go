package document

import (
	"context"
	"testing"
)

// D-48, R-DOC-5, R-DOC-7: a process wrote generation 2 into the file and was
// killed before it could say so; another one went on to generation 3. What the
// file holds is a version, and nobody's outside change.
func TestWrittenAndNeverSaid(t *testing.T) {
	ctx := context.Background()
	for name, third := range map[string]edit{
		"an edit":                       {1, "Quarterly", "Yearly"},
		"a step back to what was there": {1, "Opening", "First"},
	} {
		for does, do := range map[string]func(b *bench, id string) error{
			"open":       func(b *bench, id string) error { _, err := b.s.Open(ctx, b.path); return err },
			"sync":       func(b *bench, id string) error { _, err := b.s.Sync(ctx, b.path, SyncRequest{}); return err },
			"write back": func(b *bench, id string) error { return nil },
		} {
			t.Run(name+", "+does, func(t *testing.T) {
				b, id := ahead(t)
				b.write(b.head(id))
				b.commit(id, third)
				if err := do(b, id); err != nil {
					t.Fatal(err)
				}
				if wrote, err := b.s.WriteBack(ctx, id); err != nil || !wrote || b.file() != b.head(id) {
					t.Fatalf("written: %v, %v; the file holds %q", wrote, err, b.file())
				}
				if got := b.sources(id); got != "import manual manual" {
					t.Errorf("history: %s", got)
				}
				if out := b.sync(SyncSafe); out.State != SyncInStep || out.Ahead {
					t.Errorf("afterwards: %+v", out)
				}
				b.sound()
			})
		}
	}
}
