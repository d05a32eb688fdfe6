//go:build linux

package document

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

func init() { jobs["lastmoment"] = jobLastMoment }

// jobLastMoment writes back while another program saves Text in the last moment
// before the exchange, and dies at a step.
func jobLastMoment(a jobArgs) error {
	st, err := store.Open(a.Data, store.Options{})
	if err != nil {
		return err
	}
	s := New(st, Options{LeaseWait: -1})
	s.o.step = func(name string) {
		if name == "temporary file named" && a.Text != "" {
			if err := os.WriteFile(a.Path, []byte(a.Text), 0o644); err != nil {
				panic(err)
			}
		}
		if name == a.Kill {
			killSelf()
		}
	}
	d, err := s.Lookup(context.Background(), a.Path)
	if err != nil {
		return err
	}
	_, err = s.WriteBack(context.Background(), d.ID)
	return err
}

// Attack 33 and 34 together: a process that is killed right after it exchanged
// the file does not take with it what another program had written the moment
// before. Whoever comes next puts it back, and the conflict is told.
func TestKilledExchangeLosesNothing(t *testing.T) {
	ctx := context.Background()
	for name, next := range map[string]func(b *bench, id string) error{
		"open":       func(b *bench, _ string) error { _, err := b.s.Open(ctx, b.path); return err },
		"write back": func(b *bench, id string) error { _, err := b.s.WriteBack(ctx, id); return err },
		"sync": func(b *bench, _ string) error {
			out, err := b.s.Sync(ctx, b.path, SyncRequest{})
			if err == nil && out.State == SyncConflict {
				err = core.Errorf(core.OutsideChange, "told")
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, id := ahead(t)
			killed(t, "lastmoment", jobArgs{Data: b.data, Path: b.path, Kill: "file renamed", Text: theirs})
			if b.file() != b.head(id) {
				t.Fatalf("the file holds %q", b.file())
			}
			wantCode(t, next(b, id), core.OutsideChange)
			if b.file() != theirs {
				t.Errorf("the file holds %q", b.file())
			}
			b.wantNoTemp()
			if out := b.sync(SyncMerge); out.State != SyncMerged {
				t.Errorf("%+v", out)
			}
		})
	}
}

// Without a last moment's change nothing is left of a killed exchange, whoever
// comes next.
func TestKilledExchangeIsCleaned(t *testing.T) {
	ctx := context.Background()
	for _, step := range []string{"temporary file written", "temporary file named", "file renamed", "file written"} {
		for name, next := range map[string]func(b *bench, id string) error{
			"open":       func(b *bench, _ string) error { _, err := b.s.Open(ctx, b.path); return err },
			"write back": func(b *bench, id string) error { _, err := b.s.WriteBack(ctx, id); return err },
			"sync":       func(b *bench, _ string) error { _, err := b.s.Sync(ctx, b.path, SyncRequest{}); return err },
		} {
			t.Run(step+", "+name, func(t *testing.T) {
				b, id := ahead(t)
				killed(t, "lastmoment", jobArgs{Data: b.data, Path: b.path, Kill: step})
				if got := b.file(); got != b.head(id) && got != page {
					t.Fatalf("the file holds %q", got)
				}
				if err := next(b, id); err != nil {
					t.Fatal(err)
				}
				b.wantNoTemp()
				if _, err := b.s.WriteBack(ctx, id); err != nil || b.file() != b.head(id) {
					t.Errorf("%v, the file holds %q", err, b.file())
				}
			})
		}
	}
}

// Where the file has moved on since, what was taken out stays beside it: it is
// nowhere else. So does what belongs to another document, or to a process that
// runs.
func TestSalvageLeavesWhatIsNowhereElse(t *testing.T) {
	b, id := ahead(t)
	killed(t, "lastmoment", jobArgs{Data: b.data, Path: b.path, Kill: "file renamed", Text: theirs})
	left, err := filepath.Glob(filepath.Join(filepath.Dir(b.path), tempPrefix+"*"))
	if err != nil || len(left) != 1 {
		t.Fatalf("%v %v", left, err)
	}
	b.write(page + "newer still")
	mine := filepath.Join(filepath.Dir(b.path), b.s.swapName(id))
	writeFile(t, mine, page)
	_, err = b.s.WriteBack(context.Background(), id)
	wantCode(t, err, core.OutsideChange)
	for _, path := range []string{left[0], mine} {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if b.file() != page+"newer still" {
		t.Errorf("the file holds %q", b.file())
	}
	// With the file a version again it comes back.
	must(t, os.Remove(mine))
	b.write(b.head(id))
	_, err = b.s.Open(context.Background(), b.path)
	wantCode(t, err, core.OutsideChange)
	if b.file() != theirs {
		t.Errorf("the file holds %q", b.file())
	}
	b.wantNoTemp()
}
