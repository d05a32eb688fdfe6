package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// together runs the commands at the same time and gives what each gave.
func (d *desk) together(commands ...[]string) []result {
	d.t.Helper()
	out := make([]result, len(commands))
	var wg sync.WaitGroup
	for i, args := range commands {
		wg.Go(func() { out[i] = d.run(args...) })
	}
	wg.Wait()
	return out
}

// headIsFile checks that the file holds the newest version.
func (d *desk) headIsFile(name string) {
	d.t.Helper()
	type history struct {
		Revisions []struct {
			Generation int    `json:"generation"`
			SHA256     string `json:"sha256"`
		} `json:"revisions"`
	}
	h := decode[history](d.t, d.want(0, "history", name, "--json").stdout)
	sum := sha256.Sum256([]byte(d.read(name)))
	if got := hex.EncodeToString(sum[:]); len(h.Revisions) == 0 || h.Revisions[0].SHA256 != got {
		d.t.Fatalf("the file holds %s, the history says %+v", got, h.Revisions)
	}
}

// TestFirstRunRace: processes that meet a new data directory together all work.
func TestFirstRunRace(t *testing.T) {
	for range 3 {
		d := newDesk(t)
		var commands [][]string
		for i := range 8 {
			name := "page" + strconv.Itoa(i) + ".html"
			d.write(name, small)
			commands = append(commands, []string{"history", name, "--json"})
		}
		for _, r := range d.together(commands...) {
			if f := decode[struct{ Error failed }](t, r.stdout).Error; r.code != 3 || f.Code != "unknown_document" {
				t.Errorf("exit %d %s%s", r.code, r.stdout, r.stderr)
			}
		}
	}
}

// TestOneFileRace: processes that move one head together are done or refuse
// with a conflict; none takes another's write for an outside change, and the
// file ends as the newest version.
func TestOneFileRace(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", small)
	d.edit(0, "page.html", "--at", "h1", "--say", "make it red")
	for range 4 {
		results := d.together(
			[]string{"restore", "page.html", "1", "--json"}, []string{"restore", "page.html", "2", "--json"},
			[]string{"revert", "page.html", "--json"}, []string{"redo", "page.html", "--json"},
			[]string{"restore", "page.html", "1", "--json"}, []string{"restore", "page.html", "2", "--json"},
		)
		for _, r := range results {
			if r.code != 0 && r.code != 3 && r.code != 4 || strings.Contains(r.stdout, "outside_change") {
				t.Errorf("exit %d %s%s", r.code, r.stdout, r.stderr)
			}
		}
		d.headIsFile("page.html")
	}
	if h := d.want(0, "history", "page.html", "--json").stdout; strings.Contains(h, `"outside"`) {
		t.Errorf("an own write was taken for an outside change: %s", h)
	}
}

// TestKilled: after SIGKILL at any moment the file is a whole version, the next
// command works at once, and nothing stays beside the page.
func TestKilled(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", small)
	d.edit(0, "page.html", "--at", "h1", "--say", "make it red")
	whole := map[string]bool{small: true, d.read("page.html"): true}
	for i := range 16 {
		cmd := exec.Command(binary, "restore", "page.html", strconv.Itoa(1+i%2))
		cmd.Dir = d.dir
		cmd.Env = append(os.Environ(), "PROOFMARK_DATA_DIR="+d.data)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(2+4*i)*time.Millisecond, func() { _ = cmd.Process.Kill() }) // it may have ended
		err := cmd.Wait()
		timer.Stop()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if !whole[d.read("page.html")] {
			t.Fatalf("kill %d: the page is %q", i, d.read("page.html"))
		}
		d.want(0, "history", "page.html")
	}
	if r := d.run("restore", "page.html", "1", "--json"); r.code != 0 && r.code != 3 {
		t.Fatalf("exit %d %s", r.code, r.stdout)
	}
	d.want(0, "restore", "page.html", "2", "--json")
	d.headIsFile("page.html")
	entries, err := os.ReadDir(d.dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the page: %v %v", entries, err)
	}
}
