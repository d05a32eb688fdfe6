//go:build unix

package document

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

func init() {
	jobs["collect"] = jobCollect
	jobs["work"] = jobWork
}

// jobCollect collects, and dies at a step.
func jobCollect(a jobArgs) error {
	s, st, err := a.service()
	if err != nil {
		return err
	}
	defer st.Close()
	_, err = s.Collect(context.Background(), false)
	return err
}

// jobWork commits, and leaves bytes nobody needs, until it is told to stop. It
// says each commit it got an answer for.
func jobWork(a jobArgs) error {
	ctx := context.Background()
	s, st, err := a.service()
	if err != nil {
		return err
	}
	defer st.Close()
	s.o.LeaseWait = 1 << 40
	o, err := s.Open(ctx, a.Path)
	if err != nil {
		return err
	}
	for i := range 25 {
		if err := s.WithLease(ctx, o.Document.ID, func(l core.WriterLease) error {
			d, r, text, err := s.Head(ctx, o.Document.ID)
			if err != nil {
				return err
			}
			if err := st.Write(ctx, func(tx *store.Tx) error {
				_, err := tx.PutBlob(append([]byte("loose "+a.Text+fmt.Sprint(i)), text...), r.SHA256)
				return err
			}); err != nil {
				return err
			}
			e := core.Edit{Span: core.Span{Start: len(text), End: len(text)}, Replacement: fmt.Sprintf("<p>%s %d\n", a.Text, i)}
			res, err := s.Commit(ctx, CommitRequest{
				DocumentID: d.ID, ExpectedHead: r.ID, ExpectedStateRev: d.StateRev, Lease: l, Source: core.SourceManual, Actor: a.Text,
				Edits: []core.Edit{e}, After: applyEdits(text, []core.Edit{e}),
			})
			if err == nil {
				fmt.Println(res.Revision.SHA256)
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// Collecting beside two processes that commit: each version they were told of
// is there, everything is sound, and in the end nothing is loose.
func TestCollectWhileOthersCommit(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, bigPage(20_000, 1))
	id := b.open().Document.ID
	said := make(chan string, 100)
	ended := make(chan error)
	for _, name := range []string{"one", "two"} {
		cmd := job(t, "work", jobArgs{Data: b.data, Path: b.path, Text: name})
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				said <- lines.Text()
			}
			ended <- cmd.Wait()
		}()
	}
	var acknowledged []string
	var removed int64
	collect := func() {
		c, err := b.s.Collect(ctx, false)
		if err != nil {
			t.Error(err)
		}
		removed += c.Blobs
	}
	for running := 2; running > 0; {
		select {
		case sha := <-said:
			acknowledged = append(acknowledged, sha)
		case err := <-ended:
			if running--; err != nil {
				t.Error(err)
			}
		default:
			collect()
		}
	}
	for len(said) > 0 {
		acknowledged = append(acknowledged, <-said)
	}
	collect()
	if len(acknowledged) != 50 || removed != 50 {
		t.Errorf("%d commits were acknowledged, %d loose blobs removed", len(acknowledged), removed)
	}
	b.outside()
	if err := b.st.Read(ctx, func(tx *store.Tx) error {
		for _, sha := range acknowledged {
			if ok, err := tx.HasRevisionSHA(id, sha); err != nil || !ok {
				t.Errorf("an acknowledged version is lost (%v)", err)
			}
			if _, err := tx.Blob(sha); err != nil {
				t.Error(err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if r, err := b.s.Integrity(ctx); err != nil || len(r.Problems) > 0 || r.Usage.Revisions != 51 || r.Usage.Blobs != 51 {
		t.Errorf("%+v %v", r, err)
	}
}

// A process is killed at each page of a collection: the database is sound, a
// dry run then counts the rest, and the next collection removes it.
func TestCollectKilled(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, bigPage(20_000, 1))
	o := b.open()
	editMany(b, 5, 1)
	if err := b.st.Write(ctx, func(tx *store.Tx) error {
		for i := range collectPage + 50 { // two pages
			if _, err := tx.PutBlob(fmt.Appendf(nil, "loose %d %s", i, o.Bytes), o.Head.SHA256); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	left := int64(collectPage + 50)
	for _, want := range []int64{50, 0} {
		killed(t, "collect", jobArgs{Data: b.data, Kill: "page collected"})
		c, err := b.s.Collect(ctx, true)
		if err != nil || c.Blobs != want {
			t.Errorf("%d of %d are left (%v)", c.Blobs, left, err)
		}
		left = c.Blobs
		if r, err := b.s.Integrity(ctx); err != nil || len(r.Problems) > 0 || r.Usage.Revisions != 6 {
			t.Errorf("%+v %v", r, err)
		}
	}
	before, err := b.st.DiskBytes()
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.s.Collect(ctx, false)
	if err != nil || c.Any() || c.BytesBefore != before || c.BytesAfter >= before {
		t.Errorf("%+v %v", c, err)
	}
}

// A dry run writes nothing; a damaged database is left alone.
func TestCollectDryAndDamaged(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	o := b.open()
	b.commit(o.Document.ID, edit{1, "First", "Opening"})
	if err := b.st.Write(ctx, func(tx *store.Tx) error { _, err := tx.PutBlob([]byte("loose"), ""); return err }); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c, err := b.s.Collect(ctx, true)
		if err != nil || c.Blobs != 1 || c.BlobBytes != 5 || c.BytesBefore != c.BytesAfter || c.BytesBefore == 0 {
			t.Errorf("%+v %v", c, err)
		}
	}
	// A row of an index is gone, as a bad page would do it: the version's bytes
	// look unused now.
	b.outside("UPDATE blobs SET data = x'00' WHERE depth = 1", "PRAGMA writable_schema = 1", "CREATE TABLE decoy (sha256 TEXT)", "CREATE INDEX decoy_sha ON decoy (sha256)",
		"UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'decoy_sha') WHERE name = 'revisions_sha256'")
	_, err := b.s.Collect(ctx, false)
	wantCode(t, err, core.StorageDamaged)
	r, n, err := b.s.Repair(ctx)
	if err != nil || n != 0 || len(r.Problems) == 0 || len(r.Documents) != 1 || len(r.Documents[0].Remade) != 1 {
		t.Errorf("a damaged file was repaired, or not looked at: %d %+v %v", n, r, err)
	}
	if err := b.st.Read(ctx, func(tx *store.Tx) error { return tx.CheckBlob(o.Head.SHA256) }); err != nil {
		t.Errorf("a version's bytes were removed: %v", err)
	}
}

// Backup and restore, through everything a document goes through: the restored
// history is that of the moment, and what happened since comes from the file.
func TestBackupAndRestore(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	b.commit(id, edit{1, "Quarterly", "Annual"})
	if _, err := b.s.WriteBack(ctx, id); err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/copy.db"
	c, err := Backup(ctx, b.data, file)
	if err != nil || c.Usage.Revisions != 2 {
		t.Fatalf("%+v %v", c, err)
	}
	b.commit(id, edit{1, "First", "Opening"}) // after the backup
	if _, err := b.s.WriteBack(ctx, id); err != nil {
		t.Fatal(err)
	}
	_, err = RestoreBackup(ctx, file, b.data)
	wantCode(t, err, core.AlreadyExists)
	b.data = t.TempDir() + "/restored/deeper"
	if _, err := RestoreBackup(ctx, file, b.data); err != nil {
		t.Fatal(err)
	}
	b.outside() // opens it
	o := b.open()
	if !o.OutsideImported || o.Head.Generation != 3 || !strings.Contains(string(o.Bytes), "Opening") {
		t.Errorf("%+v", o)
	}
	if _, err := b.s.Restore(ctx, id, 1, "test"); err != nil || b.head(id) != page {
		t.Errorf("%q %v", b.head(id), err)
	}
	if r, err := b.s.Integrity(ctx); err != nil || len(r.Problems) > 0 {
		t.Errorf("%+v %v", r, err)
	}
}

// A database whose bytes are sound but whose history is not is no backup.
func TestBackupChecksTheHistory(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	b.commit(b.open().Document.ID, edit{1, "First", "Opening"})
	b.outside("DROP TRIGGER change_sets_no_update", `UPDATE change_sets SET edits = '[{"span":[0,5],"replacement":"forged"}]'`)
	place := t.TempDir()
	_, err := Backup(ctx, b.data, place+"/copy.db")
	wantCode(t, err, core.StorageDamaged)
	if left, err := os.ReadDir(place); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	_, err = RestoreBackup(ctx, place+"/none.db", place+"/new")
	wantCode(t, err, core.NotFound)
}
