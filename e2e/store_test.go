package e2e

import (
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite" // damaged and newer databases are made by hand
)

func (d *desk) exec(query string, args ...any) {
	d.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(d.data, "proofmark.db"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query, args...); err != nil {
		d.t.Fatal(err)
	}
}

// TestNewerAndForeignDatabases: refused with a clear message, untouched (T-96).
func TestNewerAndForeignDatabases(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", small)
	d.want(0, "doctor", "--json")
	d.exec("PRAGMA user_version = 99")
	r := d.want(3, "edit", "page.html", "--json", "--at", "h1", "--say", "make it red")
	if f := decode[struct{ Error failed }](t, r.stdout).Error; f.Code != "storage_newer" || f.Hint == "" {
		t.Errorf("%+v", f)
	}

	d2 := newDesk(t)
	d2.write("page.html", small)
	if err := os.MkdirAll(d2.data, 0o700); err != nil {
		t.Fatal(err)
	}
	d2.exec("CREATE TABLE notes (x)")
	r = d2.want(3, "history", "page.html", "--json")
	if f := decode[struct{ Error failed }](t, r.stdout).Error; f.Code != "storage_foreign" {
		t.Errorf("%+v", f)
	}
}

// TestSecondProcessHoldsTheLease (R-DOC-2): a conflict, nothing changed.
func TestSecondProcessHoldsTheLease(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", report)
	d.edit(0, "page.html", "--at", "h1", "--say", "make it red")
	mine := d.read("page.html")
	d.exec("UPDATE leases SET holder = 'another process', fence = fence + 1, expires_at = ?", time.Now().Add(time.Minute).UnixMilli())
	r := d.run("edit", "page.html", "--json", "--at", "h1", "--say", "make it bold")
	o := decode[outcome](t, r.stdout)
	if r.code != 4 || o.Status != "conflict" || o.Error == nil || o.Error.Code != "lease_held" || d.read("page.html") != mine {
		t.Errorf("exit %d %+v", r.code, o)
	}
	d.exec("UPDATE leases SET expires_at = 0")
	d.edit(0, "page.html", "--at", "h1", "--say", "make it bold")
}

// TestTwoProcessesRace: one wins, the other gets a conflict; nothing is mixed.
func TestTwoProcessesRace(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", report)
	d.edit(0, "page.html", "--at", "h1", "--say", "make it red")
	var wg sync.WaitGroup
	codes := make([]result, 2)
	for i, say := range []string{"make it bold", "make it italic"} {
		wg.Go(func() { codes[i] = d.run("edit", "page.html", "--json", "--at", "h1", "--say", say) })
	}
	wg.Wait()
	won := 0
	for _, r := range codes {
		switch r.code {
		case 0:
			won++
		case 4:
		default:
			t.Errorf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
		}
	}
	// Both may win, one after the other, when the second opened the file after
	// the first had committed.
	page := d.read("page.html")
	if n := strings.Count(page, "font-weight: bold") + strings.Count(page, "font-style: italic"); won == 0 || n != won {
		t.Errorf("%d won, the page has %d changes: %s", won, n, page)
	}
}

// TestKilledEdit: SIGKILL in the middle leaves the old file or the new one,
// no browser, and a usable store (R-DOC-5).
func TestKilledEdit(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", report)
	d.edit(0, "page.html", "--at", "h1", "--say", "make it red")
	was := d.read("page.html")
	for _, wait := range []time.Duration{20, 200, 500, 800, 1000, 1200} {
		ctx, cancel := context.WithTimeout(context.Background(), wait*time.Millisecond)
		cmd := exec.CommandContext(ctx, binary, "edit", "page.html", "--quiet", "--at", "h1", "--say", "make it bold")
		cmd.Dir = d.dir
		cmd.Env = append(os.Environ(), "PROOFMARK_DATA_DIR="+d.data)
		_ = cmd.Run() // killed, or done before the kill
		cancel()
		now := d.read("page.html")
		if now != was && !strings.Contains(now, "font-weight: bold") {
			t.Fatalf("after %d ms: %q", wait, now)
		}
		if now != was {
			break
		}
	}
	// A lease of the killed process may be live for its time; history reads at once.
	d.want(0, "history", "page.html")
	d.want(0, "diff", "page.html")
}
