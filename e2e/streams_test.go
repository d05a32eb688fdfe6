package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// runTo calls the binary with standard output as given.
func (d *desk) runTo(stdout *os.File, args ...string) result {
	d.t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = d.dir
	cmd.Env = append(append(os.Environ(), "PROOFMARK_DATA_DIR="+d.data), d.env...)
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = stdout, &errs
	_ = cmd.Run() // the exit code tells
	return result{cmd.ProcessState.ExitCode(), "", errs.String()}
}

// TestResultNobodyGot: a result that could not be written is not a success,
// and a reader that goes away kills nothing.
func TestResultNobodyGot(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", small)
	commands := [][]string{
		{"map", "page.html"},
		{"map", "page.html", "--json"},
		{"version"},
		{"version", "--json"},
		{"help"},
		{"help", "edit"},
		{"edit", "--help"},
		{"completion", "bash"},
	}
	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
		defer full.Close()
		for _, args := range commands {
			if r := d.runTo(full, args...); r.code != 1 || strings.Count(r.stderr, "standard output") != 1 {
				t.Errorf("%v to a full device: exit %d, %q", args, r.code, r.stderr)
			}
		}
	}
	for _, args := range commands {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if r := d.runTo(w, args...); r.code != 1 || r.stderr != "" {
			t.Errorf("%v to a pipe nobody reads: exit %d, %q", args, r.code, r.stderr)
		}
		w.Close()
	}
}
