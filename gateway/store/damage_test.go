package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"proofmark/gateway/core"
)

// crashed gives the files of a database whose process died after n commits, the
// last of them only in the log, and the length of the log.
func crashed(t testing.TB, n int) (files map[string][]byte, log int) {
	t.Helper()
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{})
	d := seed(t, s, "/page.html", prose(2000, 1))
	if err := s.cutLog(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		mustWrite(t, s, func(tx *Tx) (err error) {
			d, _, err = advance(tx, d, append(prose(2000, 1), fmt.Sprint(i)...))
			return err
		})
	}
	files = map[string][]byte{}
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(filepath.Join(dir, FileName+suffix))
		if err != nil {
			t.Fatal(err)
		}
		files[suffix] = b
	}
	return files, len(files["-wal"])
}

func lay(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for suffix, b := range files {
		if err := os.WriteFile(filepath.Join(dir, FileName+suffix), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A log that was cut short or damaged anywhere: the database is as it was after
// one of its commits, whole, and goes on from there.
func TestTruncatedLog(t *testing.T) {
	const n = 12
	files, size := crashed(t, n)
	r := rand.New(rand.NewPCG(1, 1))
	last := int64(0)
	for i := range 25 {
		cut := map[string][]byte{"": files[""], "-wal": append([]byte{}, files["-wal"]...)}
		at := size * i / 24
		if damage := i%5 == 2; damage && at < size {
			cut["-wal"][at] ^= byte(1 + r.IntN(255))
		} else {
			cut["-wal"] = cut["-wal"][:at]
		}
		s := mustOpen(t, lay(t, cut), Options{})
		var d core.Document
		mustRead(t, s, func(tx *Tx) (err error) {
			if d, err = tx.DocumentByPath("/page.html"); err != nil {
				return err
			}
			head, err := tx.Revision(d.HeadID)
			if err == nil && head.Generation != d.Generation {
				t.Errorf("cut at %d: the head is generation %d of %d", at, head.Generation, d.Generation)
			}
			return err
		})
		if i%5 != 2 && d.Generation < last || d.Generation > n+1 {
			t.Errorf("cut at %d: generation %d after %d", at, d.Generation, last)
		}
		last = max(last, d.Generation)
		wantSoundBlobs(t, s)
		mustWrite(t, s, func(tx *Tx) error { _, _, err := advance(tx, d, []byte("<p>on it goes")); return err })
	}
	if last != n+1 {
		t.Errorf("the whole log gives generation %d, want %d", last, n+1)
	}
}

// An empty database file beside a log with commits is not a new database: what
// the log holds would be dropped.
func TestEmptyDatabaseWithALog(t *testing.T) {
	files, _ := crashed(t, 2)
	files[""] = nil
	dir := lay(t, files)
	_, err := Open(dir, Options{})
	wantCode(t, err, core.StorageDamaged)
	if b, err := os.ReadFile(filepath.Join(dir, FileName+"-wal")); err != nil || len(b) != len(files["-wal"]) {
		t.Errorf("the log was changed (%v)", err)
	}
}

// Attack 35: pages overwritten, cut off and exchanged at random. Whatever is
// asked is answered rightly or refused with a code that says what it is, and the
// checks see it wherever a version cannot be read.
func TestRandomDamage(t *testing.T) {
	files, _ := crashed(t, 60)
	dir := lay(t, files)
	if err := mustOpen(t, dir, Options{}).Close(); err != nil { // brings the log into the database
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	refused, found := 0, 0
	for i := range 80 {
		r := rand.New(rand.NewPCG(uint64(i), 2))
		b := append([]byte{}, whole...)
		at := r.IntN(len(b)/4096) * 4096
		switch i % 5 {
		case 0: // a few bytes
			for range 1 + r.IntN(8) {
				b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
			}
		case 1: // a page of noise
			copy(b[at:at+4096], noise(4096, uint64(i)))
		case 2: // a page of nothing
			clear(b[at : at+4096])
		case 3: // another page in its place
			other := r.IntN(len(b)/4096) * 4096
			copy(b[at:at+4096], whole[other:other+4096])
		case 4:
			b = b[:r.IntN(len(b))]
		}
		s, err := Open(lay(t, map[string][]byte{"": b}), Options{})
		if err != nil {
			wantDamageCode(t, i, err)
			refused++
			continue
		}
		unreadable, seen := readAll(t, i, s), 0
		err = s.Read(context.Background(), func(tx *Tx) error {
			if _, err := tx.CheckRows(); err != nil { // finds something in any: these changes have no audit rows
				wantDamageCode(t, i, mapError("test", err))
			}
			for _, check := range []func() ([]string, error){tx.CheckTables, tx.CheckSchema} {
				problems, err := check()
				if seen += len(problems); err != nil {
					seen++
					wantDamageCode(t, i, mapError("test", err))
				}
			}
			return tx.CheckBlobs(func(string) { seen++ })
		})
		if err != nil {
			seen++
			wantDamageCode(t, i, err)
		}
		if unreadable > 0 && seen == 0 {
			t.Errorf("%d: %d versions cannot be read, and no check says so", i, unreadable)
		}
		if seen > 0 {
			found++
		}
		if err := s.Close(); err != nil {
			wantDamageCode(t, i, mapError("test", err))
		}
	}
	t.Logf("80 damages: %d refused at the start, %d found by the checks", refused, found)
	if refused == 0 || found < 20 {
		t.Error("the damages do little")
	}
}

func wantDamageCode(t testing.TB, i int, err error) {
	t.Helper()
	switch core.CodeOf(err) {
	case core.StorageDamaged, core.StorageForeign, core.StorageNewer:
		if core.AsError(err).Hint == "" {
			t.Errorf("%d: no hint: %v", i, err)
		}
	case core.UnknownDocument, core.UnknownRevision, core.UnknownChange:
	default:
		t.Errorf("%d: %q: %v", i, core.CodeOf(err), err)
	}
}

// readAll reads every version one by one and tells how many cannot be.
func readAll(t testing.TB, i int, s *Store) (unreadable int) {
	t.Helper()
	for g := int64(1); g <= 61; g++ {
		err := s.Read(context.Background(), func(tx *Tx) error {
			d, err := tx.DocumentByPath("/page.html")
			if err != nil {
				return err
			}
			r, err := tx.RevisionAt(d.ID, g)
			if err != nil {
				return err
			}
			_, err = tx.Blob(r.SHA256)
			return err
		})
		if err != nil {
			unreadable++
			wantDamageCode(t, i, err)
		}
	}
	return unreadable
}
