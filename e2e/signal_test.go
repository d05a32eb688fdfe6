//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// signalled runs the binary and interrupts it when a line of its progress
// holds word, or after the delay when word is empty.
func (d *desk) signalled(word string, delay time.Duration, args ...string) result {
	d.t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = d.dir
	cmd.Env = append(append(os.Environ(), "PROOFMARK_DATA_DIR="+d.data), d.env...)
	var out, errs bytes.Buffer
	cmd.Stdout = &out
	progress, err := cmd.StderrPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	interrupt := func() { _ = cmd.Process.Signal(os.Interrupt) } // it may have ended
	if word == "" {
		defer time.AfterFunc(delay, interrupt).Stop()
	}
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		errs.WriteString(lines.Text() + "\n")
		if word != "" && strings.Contains(lines.Text(), word) {
			interrupt()
			word = "\x00" // once
		}
	}
	_ = cmd.Wait() // the exit code tells
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// TestInterrupted: an interrupted run says so once, with one code, whatever it
// was doing; a change that is committed already reaches the file.
func TestInterrupted(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", small)
	for _, word := range []string{"opening", "1 place", "trying", "looking"} {
		r := d.signalled(word, 0, "edit", "page.html", "--at", "h1", "--say", `change the text to "Two"`)
		if r.code != 1 || strings.Count(r.stderr, "proofmark: ") != 1 || strings.Contains(r.stderr, "doctor") {
			t.Errorf("at %q: exit %d\n%s", word, r.code, r.stderr)
		}
		if d.read("page.html") != small {
			t.Fatalf("at %q: the page was changed", word)
		}
	}
	for _, delay := range []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, 600 * time.Millisecond} {
		r := d.signalled("", delay, "edit", "page.html", "--json", "--at", "h1", "--say", `change the text to "One"`)
		switch r.code {
		case 1: // interrupted
			if f := decode[outcome](t, r.stdout); f.Error == nil || f.Error.Code != "cancelled" {
				t.Errorf("after %v: %+v", delay, f)
			}
		case 5, -1: // it was faster, or not even started
		default:
			t.Errorf("after %v: exit %d %s%s", delay, r.code, r.stdout, r.stderr)
		}
	}
	if r := d.signalled("", 200*time.Millisecond, "doctor"); r.code == 6 {
		t.Errorf("doctor calls missing what it did not look at: %s", r.stdout)
	}
	r := d.signalled("committed", 0, "edit", "page.html", "--at", "h1", "--say", `change the text to "Two"`)
	if want := strings.Replace(small, "One", "Two", 1); r.code != 0 || d.read("page.html") != want {
		t.Errorf("after the commit: exit %d, the page is %q\n%s", r.code, d.read("page.html"), r.stderr)
	}
}
