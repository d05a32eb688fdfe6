package e2e

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// archive is a desk whose data directory holds ten versions of a page, written
// by the program of three migrations ago. The page itself is gone.
func archive(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	f, err := os.Open("../gateway/store/testdata/schema3.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(d.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.data, "proofmark.db"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

const keptPage = "/schema3.html"

type deep struct {
	OK        bool
	Problems  []string
	Repaired  int
	Documents []struct {
		File                   string
		Generation             int64
		NewestReadable         int64
		Unreadable, Repairable []int64
	}
	Usage struct{ Revisions, Blobs int64 }
	Error failed
}

// TestDoctorDeep: sound is exit 0; damage is exit 1 and named, what is whole
// still comes out, and what the changes make is repaired (D-86, attack 35).
func TestDoctorDeep(t *testing.T) {
	d := archive(t)
	if r := decode[deep](t, d.want(0, "doctor", "--deep", "--json").stdout); !r.OK || r.Usage.Revisions != 10 || len(r.Documents) != 1 {
		t.Errorf("%+v", r)
	}
	whole := d.want(0, "export", keptPage, "--generation", "2", "--out", "-").stdout
	d.exec("UPDATE blobs SET data = x'00' WHERE sha256 = (SELECT sha256 FROM revisions WHERE generation = 2)")
	r := decode[deep](t, d.want(1, "doctor", "--deep", "--json").stdout)
	if r.OK || r.Error.Code != "storage_damaged" || r.Error.Hint == "" || len(r.Problems) == 0 || len(r.Documents) != 1 {
		t.Fatalf("%+v", r)
	}
	doc := r.Documents[0]
	if doc.File != keptPage || len(doc.Unreadable) == 0 || doc.Unreadable[0] != 2 || len(doc.Repairable) != len(doc.Unreadable) {
		t.Errorf("%+v", doc)
	}
	text := d.want(1, "doctor", "--deep").stdout
	for _, want := range []string{keptPage, "What can still be read", "--repair", "export"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	if d.want(0, "history", keptPage); !strings.Contains(d.want(0, "export", keptPage, "--generation", "1", "--out", "-").stdout, "Quarterly plan") {
		t.Error("what is whole does not come out")
	}
	if f := decode[struct{ Error failed }](t, d.want(1, "export", keptPage, "--generation", "2", "--out", d.path("x.html"), "--json").stdout).Error; f.Code != "storage_damaged" {
		t.Errorf("%+v", f)
	}
	if r := decode[deep](t, d.want(0, "doctor", "--deep", "--repair", "--json").stdout); !r.OK || r.Repaired == 0 {
		t.Errorf("%+v", r)
	}
	if got := d.want(0, "export", keptPage, "--generation", "2", "--out", "-").stdout; got != whole {
		t.Errorf("repaired to %q", got)
	}
	d.want(2, "doctor", "--repair")
}

// TestGC: a dry run counts and changes nothing; the run removes just that.
func TestGC(t *testing.T) {
	d := archive(t)
	d.want(0, "history", keptPage)
	d.exec("INSERT INTO blobs VALUES (?, 300000, 'raw', NULL, 0, 0, ?)", strings.Repeat("0", 64), make([]byte, 300_000))
	type collected struct {
		DryRun                                bool
		Blobs, BlobBytes, Candidates          int64
		BytesBefore, BytesAfter, EditSessions int64
	}
	for range 2 {
		if c := decode[collected](t, d.want(0, "gc", "--dry-run", "--json").stdout); !c.DryRun || c.Blobs != 1 || c.BlobBytes != 300_000 || c.BytesAfter != c.BytesBefore {
			t.Errorf("%+v", c)
		}
	}
	before := d.want(0, "history", keptPage, "--json").stdout
	c := decode[collected](t, d.want(0, "gc", "--json").stdout)
	if c.DryRun || c.Blobs != 1 || c.BytesAfter > c.BytesBefore-250_000 {
		t.Errorf("%+v", c)
	}
	if out := d.want(0, "gc").stdout; !strings.Contains(out, "Nothing to remove") {
		t.Error(out)
	}
	if d.want(0, "history", keptPage, "--json").stdout != before {
		t.Error("the history changed")
	}
	d.want(0, "doctor", "--deep")
}

// TestBackup: a backup by the new program of what the old one wrote, restored
// elsewhere; nothing is ever overwritten.
func TestBackup(t *testing.T) {
	d := archive(t)
	var b struct {
		File     string
		Schema   int
		Bytes    int64
		Verified bool
	}
	if err := json.Unmarshal([]byte(d.want(0, "backup", "copy.db", "--json").stdout), &b); err != nil || b.Schema != 3 || !b.Verified || b.Bytes == 0 {
		t.Errorf("%+v %v", b, err)
	}
	d.want(0, "backup", ".") // a directory: a name with the time
	names, err := filepath.Glob(d.path("proofmark-*.db"))
	if err != nil || len(names) != 1 {
		t.Errorf("%v %v", names, err)
	}
	history := d.want(0, "history", keptPage, "--json").stdout
	for _, args := range [][]string{{"backup", "copy.db"}, {"restore-backup", "copy.db"}} {
		if f := decode[struct{ Error failed }](t, d.want(3, append(args, "--json")...).stdout).Error; f.Code != "already_exists" || f.Hint == "" {
			t.Errorf("%v: %+v", args, f)
		}
	}
	other := *d
	other.data = filepath.Join(t.TempDir(), "elsewhere")
	other.want(3, "backup", "nothing.db")
	other.want(0, "restore-backup", "copy.db")
	if other.want(0, "history", keptPage, "--json").stdout != history {
		t.Error("another history came back")
	}
	other.want(0, "doctor", "--deep")
	third := *d
	third.data = filepath.Join(t.TempDir(), "third")
	third.want(0, "restore-backup", other.data) // a data directory is a backup too
	d.write("page.html", small)
	third.data += "x"
	if f := decode[struct{ Error failed }](t, third.want(3, "restore-backup", "page.html", "--json").stdout).Error; f.Code != "storage_foreign" {
		t.Errorf("%+v", f)
	}
	third.want(3, "restore-backup", "missing.db")
	if _, err := os.Stat(third.data); !os.IsNotExist(err) {
		t.Errorf("a directory was left behind (%v)", err)
	}
}

// TestFullDiskCanBeRead: not one byte is left where the versions are. They can
// be listed, compared and exported; what would write says why it does not.
func TestFullDiskCanBeRead(t *testing.T) {
	d := archive(t)
	d.want(0, "history", keptPage) // brought up to date
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED LOUDLY: only root can mount the small disk this test fills")
	}
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED LOUDLY: no small disk can be mounted here: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", disk).Run() })
	b, err := os.ReadFile(filepath.Join(d.data, "proofmark.db"))
	if err != nil {
		t.Fatal(err)
	}
	d.data = filepath.Join(disk, "data")
	if err := os.Mkdir(d.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.data, "proofmark.db"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	ballast, err := os.Create(filepath.Join(disk, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 16; size > 0; size /= 16 {
		for err = nil; err == nil; {
			_, err = ballast.Write(make([]byte, size))
		}
	}
	if err := ballast.Close(); err != nil {
		t.Fatal(err)
	}
	d.want(0, "history", keptPage)
	d.want(0, "changes", keptPage)
	d.want(0, "diff", keptPage)
	d.want(0, "export", keptPage, "--out", d.path("out.html"))
	d.want(0, "doctor", "--deep")
	d.want(0, "backup", d.path("rescue.db"))
	for _, args := range [][]string{{"gc"}, {"name", keptPage, "1", "first"}} {
		f := decode[struct{ Error failed }](t, d.want(1, append(args, "--json")...).stdout).Error
		if f.Code != "storage_full" || f.Hint == "" {
			t.Errorf("%v: %+v", args, f)
		}
	}
	if err := os.Remove(filepath.Join(disk, "ballast")); err != nil {
		t.Fatal(err)
	}
	d.want(0, "gc")
}
