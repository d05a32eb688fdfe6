package store

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
)

// collect removes everything, page by page.
func collect(t testing.TB, s *Store, page int) Garbage {
	t.Helper()
	var g Garbage
	for {
		var n [4]int64
		mustWrite(t, s, func(tx *Tx) (err error) {
			for i, step := range []func() (int64, error){
				func() (int64, error) { return tx.DeleteOrphanCandidates(page) },
				func() (int64, error) { return tx.DeleteIdleEditSessions(tx.Now().Add(-time.Hour), page) },
				func() (int64, error) { return tx.RepackBlobs(page) },
				func() (int64, error) { return tx.DeleteUnusedBlobs(page) },
			} {
				if n[i], err = step(); err != nil {
					return err
				}
			}
			return nil
		})
		g.Candidates, g.EditSessions, g.Repacked, g.Blobs = g.Candidates+n[0], g.EditSessions+n[1], g.Repacked+n[2], g.Blobs+n[3]
		if n == [4]int64{} {
			return g
		}
	}
}

func garbage(t testing.TB, s *Store) (g Garbage) {
	t.Helper()
	mustRead(t, s, func(tx *Tx) (err error) { g, err = tx.Garbage(tx.Now().Add(-time.Hour)); return err })
	return g
}

// wantSoundBlobs checks every blob, and that depth is the number of deltas under
// it.
func wantSoundBlobs(t rapid.TB, s *Store) {
	t.Helper()
	var wrong int
	if err := s.Read(context.Background(), func(tx *Tx) error {
		if err := tx.CheckBlobs(func(sha string) { t.Errorf("%s is damaged", sha) }); err != nil {
			return err
		}
		if found, err := tx.CheckTables(); err != nil || len(found) > 0 {
			t.Errorf("tables: %v %v", found, err)
		}
		return tx.tx.QueryRow(`SELECT count(*) FROM blobs b JOIN blobs p ON p.sha256 = b.parent WHERE b.depth <> p.depth + 1 OR b.chain < 0`).Scan(&wrong)
	}); err != nil || wrong > 0 {
		t.Errorf("%d blobs at a wrong depth (%v)", wrong, err)
	}
}

// D-85: what a collection removes is what it counted before, and nothing that
// is a version's or still worked on.
func TestCollection(t *testing.T) {
	c := newClock()
	s := mustOpen(t, t.TempDir(), Options{Now: c.Now})
	d := turns(t, s, "a", "b")
	candidate := func(tx *Tx, turn string) error {
		return tx.PutCandidate(Candidate{TurnID: turn, DocumentID: d.ID, BaseID: d.HeadID, SHA: d.SyncedSHA})
	}
	var keep []string
	mustWrite(t, s, func(tx *Tx) error {
		for _, turn := range []string{"trn_1", "trn_2"} {
			if err := candidate(tx, turn); err != nil {
				return err
			}
		}
		if err := tx.SetTurnState("trn_1", core.TurnAccepted, core.TurnFailed); err != nil {
			return err
		}
		for i, end := range []string{"open", "empty", "typed", "closed"} {
			e, err := tx.OpenEditSession(d.ID, d.HeadID, time.Duration(1+i/3)*time.Minute)
			if err == nil && end == "typed" {
				err = tx.SaveEditBuffer(e.ID, e.UpdatedAt, []byte("unsaved"), time.Minute)
			}
			if err == nil && end == "closed" {
				err = tx.CloseEditSession(e.ID)
			}
			if err != nil {
				return err
			}
			if end == "typed" {
				keep = append(keep, e.ID)
			}
		}
		_, err := tx.PutBlob([]byte("nobody's"), d.SyncedSHA)
		return err
	})
	if g := garbage(t, s); g != (Garbage{Candidates: 1, Blobs: 1, BlobBytes: g.BlobBytes}) || !g.Any() {
		t.Errorf("before the clock moved: %+v", g)
	}
	c.forward(2 * time.Hour)
	mustWrite(t, s, func(tx *Tx) error {
		_, err := tx.ExpireEditSessions()
		if err != nil {
			return err
		}
		e, err := tx.OpenEditSession(d.ID, d.HeadID, time.Minute) // somebody is at work
		keep = append(keep, e.ID)
		return err
	})
	want := garbage(t, s)
	if want.Candidates != 1 || want.EditSessions != 3 || want.Blobs != 1 || want.BlobBytes == 0 {
		t.Errorf("counted %+v", want)
	}
	got := collect(t, s, 1)
	got.BlobBytes = want.BlobBytes
	if got != want || garbage(t, s).Any() {
		t.Errorf("removed %+v, counted %+v, left %+v", got, want, garbage(t, s))
	}
	mustRead(t, s, func(tx *Tx) error {
		for _, id := range keep {
			if _, err := tx.EditSession(id); err != nil {
				t.Error(err)
			}
		}
		if _, ok, err := tx.Candidate("trn_2"); !ok || err != nil {
			t.Errorf("the candidate of a running turn is gone (%v)", err)
		}
		_, err := tx.Blob(d.SyncedSHA)
		return err
	})
	wantSoundBlobs(t, s)
}

// Forests of blobs, some of which are versions': after a collection exactly
// those are left, each with its bytes.
func TestCollectionOfForests(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		first := append(prose(3000, 1), fmt.Sprintf("<p>try %d", n)...)
		d := seed(t, s, fmt.Sprintf("/page%d.html", n), first)
		shas, texts := []string{d.SyncedSHA}, [][]byte{first}
		live := map[string][]byte{d.SyncedSHA: first}
		kept := 0
		mustRead(t, s, func(tx *Tx) error { all, err := tx.BlobList("", 0); kept = len(all) - 1; return err })
		mustWrite(t, s, func(tx *Tx) error {
			for i := range rapid.IntRange(1, 30).Draw(r, "blobs") {
				at := rapid.IntRange(max(0, len(shas)-4), len(shas)-1).Draw(r, "parent")
				text := append(bytes.Clone(texts[at]), fmt.Sprintf("<p>%d", i)...)
				sha, err := tx.PutBlob(text, shas[at])
				if err != nil {
					return err
				}
				shas, texts = append(shas, sha), append(texts, text)
				if rapid.Bool().Draw(r, "a version's") {
					if d, _, err = advance(tx, d, text); err != nil {
						return err
					}
					live[sha] = text
				}
			}
			return nil
		})
		before := garbage(t, s)
		got := collect(t, s, rapid.IntRange(1, 20).Draw(r, "page"))
		if got.Blobs != before.Blobs || int(got.Blobs) != len(shas)-len(live) {
			r.Errorf("removed %d of %d, counted %d", got.Blobs, len(shas)-len(live), before.Blobs)
		}
		s.cache = newBlobCache(cacheBytes) // from disk
		mustRead(t, s, func(tx *Tx) error {
			left, err := tx.BlobList("", 0)
			if len(left) != kept+len(live) {
				r.Errorf("%d blobs are left, want %d", len(left), kept+len(live))
			}
			for sha, want := range live {
				if b, err := tx.Blob(sha); err != nil || !bytes.Equal(b, want) {
					r.Errorf("a version is lost (%v)", err)
				}
			}
			return err
		})
		wantSoundBlobs(r, s)
	})
}

// Chains longer than a read should follow, as a build with another bound would
// leave them, are cut; everything can be read before and after.
func TestLongChainsAreCut(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	text := prose(20_000, 1)
	d := seed(t, s, "/page.html", text)
	const n = 3 * maxDepth
	mustWrite(t, s, func(tx *Tx) (err error) {
		for i := range n {
			text = append(bytes.Clone(text), byte('a'+i%26))
			if d, _, err = advance(tx, d, text); err != nil {
				return err
			}
		}
		return nil
	})
	revisions := func() (out []core.Revision) {
		mustRead(t, s, func(tx *Tx) (err error) { out, err = tx.Revisions(d.ID, 0, 0); return err })
		slices.Reverse(out)
		return out
	}
	mustWrite(t, s, func(tx *Tx) error { // one long chain, made by hand
		all := revisions()
		for i := 1; i < len(all); i++ {
			p, err := tx.Blob(all[i-1].SHA256)
			if err != nil {
				return err
			}
			b, err := tx.Blob(all[i].SHA256)
			if err != nil {
				return err
			}
			delta, err := encodeDelta(p, b)
			if err != nil {
				return err
			}
			if _, err := tx.exec("UPDATE blobs SET encoding = 'delta', parent = ?, depth = ?, chain = ?, data = ? WHERE sha256 = ?",
				all[i-1].SHA256, i, 10*i, delta, all[i].SHA256); err != nil {
				return err
			}
		}
		return nil
	})
	wantSoundBlobs(t, s)
	if g := garbage(t, s); g.Repacked != 1 || g.Blobs != 0 {
		t.Errorf("%+v", g)
	}
	if g := collect(t, s, 1); g.Repacked != 2 || g.Blobs != 0 {
		t.Errorf("%+v", g)
	}
	var deepest int
	if err := s.read.QueryRow("SELECT max(depth) FROM blobs").Scan(&deepest); err != nil || deepest > maxDepth {
		t.Errorf("the deepest chain has %d (%v)", deepest, err)
	}
	wantSoundBlobs(t, s)
}

// A collection that meets damage stops; what is damaged, and what it stands on,
// stays.
func TestCollectionStopsAtDamage(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	d := seed(t, s, "/page.html", prose(5000, 1))
	mustWrite(t, s, func(tx *Tx) error {
		between := append(prose(5000, 1), "<p>between"...)
		sha, err := tx.PutBlob(between, d.SyncedSHA)
		if err != nil {
			return err
		}
		last := append(bytes.Clone(between), "<p>last"...)
		if _, err := tx.PutBlob(last, sha); err != nil {
			return err
		}
		_, _, err = advance(tx, d, last)
		return err
	})
	if _, err := s.write.Exec("UPDATE blobs SET data = x'00' WHERE depth = 2"); err != nil {
		t.Fatal(err)
	}
	err := s.Write(context.Background(), func(tx *Tx) error { _, err := tx.RepackBlobs(10); return err })
	wantCode(t, err, core.StorageDamaged)
	mustWrite(t, s, func(tx *Tx) error {
		if n, err := tx.DeleteUnusedBlobs(10); n != 0 || err != nil {
			t.Errorf("%d removed under something damaged (%v)", n, err)
		}
		return nil
	})
}

// The guard behind the queries: a foreign key keeps bytes that are a version's,
// and these two tables are all that stand on blobs.
func TestWhatStandsOnBlobs(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	d := seed(t, s, "/page.html", []byte("<p>one"))
	err := s.Write(context.Background(), func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM blobs WHERE sha256 = ?", d.SyncedSHA)
		return err
	})
	if err == nil {
		t.Error("a version's bytes were deleted")
	}
	mustRead(t, s, func(tx *Tx) error {
		got, err := list(tx, scanText, `SELECT m.name || '.' || f."from" FROM sqlite_schema m, pragma_foreign_key_list(m.name) f
			WHERE m.type = 'table' AND f."table" = 'blobs' ORDER BY 1`)
		if !slices.Equal(got, []string{"blobs.parent", "revisions.sha256"}) {
			t.Errorf("collecting does not know that these stand on blobs: %v", got)
		}
		return err
	})
}

// Compact gives room back: page by page for a database of this program, by one
// rewrite for one of the first schemas, which can from then on.
func TestCompact(t *testing.T) {
	for name, first := range map[string][]string{
		"new":                {},
		"of an older schema": {"PRAGMA journal_mode = DELETE", "PRAGMA auto_vacuum = 0", "VACUUM"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := mustOpen(t, dir, Options{})
			d := seed(t, s, "/page.html", []byte("<p>one"))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			execOutside(t, filepath.Join(dir, FileName), first...)
			steps := map[string]int{}
			s = mustOpen(t, dir, Options{step: func(name string) { steps[name]++ }})
			mustWrite(t, s, func(tx *Tx) error {
				for i := range 60 {
					if _, err := tx.PutBlob(noise(100_000, uint64(i)), ""); err != nil {
						return err
					}
				}
				return nil
			})
			for range 2 {
				mustWrite(t, s, func(tx *Tx) error { _, err := tx.DeleteUnusedBlobs(0); return err })
				before, err := s.DiskBytes()
				if err != nil || before < 5_000_000 {
					t.Fatalf("%d bytes before (%v)", before, err)
				}
				if err := s.Compact(context.Background()); err != nil {
					t.Fatal(err)
				}
				after, err := s.DiskBytes()
				if err != nil || after > 1_000_000 {
					t.Errorf("%d bytes are left of %d (%v)", after, before, err)
				}
				if log, err := os.Stat(filepath.Join(dir, FileName+"-wal")); err != nil || log.Size() > 0 {
					t.Errorf("the log: %v", err)
				}
				mustWrite(t, s, func(tx *Tx) error {
					for i := range 60 {
						if _, err := tx.PutBlob(noise(100_000, uint64(i)), ""); err != nil {
							return err
						}
					}
					_, err := tx.Blob(d.SyncedSHA)
					return err
				})
			}
			if old := len(first) > 0; steps["compact"] < 1 || (steps["rewrite"] == 1) != old {
				t.Errorf("steps %v", steps)
			}
			wantSoundBlobs(t, s)
		})
	}
}
