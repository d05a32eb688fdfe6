//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// child is a run of the binary that is watched while it is at work.
type child struct {
	cmd      *exec.Cmd
	progress *bufio.Scanner
	out      bytes.Buffer
}

// until starts the binary and waits for a line of its progress that holds word.
func (d *desk) until(word string, args ...string) *child {
	d.t.Helper()
	c := &child{cmd: exec.Command(binary, args...)}
	c.cmd.Dir = d.dir
	c.cmd.Env = append(append(os.Environ(), "PROOFMARK_DATA_DIR="+d.data), d.env...)
	c.cmd.Stdout = &c.out
	progress, err := c.cmd.StderrPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	c.progress = bufio.NewScanner(progress)
	for c.progress.Scan() {
		if strings.Contains(c.progress.Text(), word) {
			return c
		}
	}
	_ = c.cmd.Wait() // the state tells
	d.t.Fatalf("proofmark %s ended, %s, without saying %q", strings.Join(args, " "), c.cmd.ProcessState, word)
	return nil
}

// signal sends a signal to the process alone, not to its browser.
func (c *child) signal(s syscall.Signal) { _ = c.cmd.Process.Signal(s) } // it may have ended

// wait gives what the run came to, -1 where it was killed.
func (c *child) wait() result {
	var errs strings.Builder
	for c.progress.Scan() {
		errs.WriteString(c.progress.Text() + "\n")
	}
	_ = c.cmd.Wait() // the state tells
	return result{c.cmd.ProcessState.ExitCode(), c.out.String(), errs.String()}
}

// sentTurn gives the turn of the newest sent note.
func (d *desk) sentTurn() string {
	d.t.Helper()
	sent := d.annotate("--state", "sent").Drafts
	if len(sent) == 0 {
		d.t.Fatal("nothing was sent")
	}
	return sent[len(sent)-1].TurnID
}

// TestKilledTurnIsSentAgain: after SIGKILL in the middle of a turn the notes are
// not lost, not carried out by themselves, and are sent again when asked for.
func TestKilledTurnIsSentAgain(t *testing.T) {
	needChromium(t)
	for _, word := range []string{"sent to", "looking"} {
		d := newDesk(t)
		d.write("page.html", small)
		d.want(0, "annotate", "page.html", "--at", "h1", "--say", `change the text to "Two"`)
		c := d.until(word, "send", "page.html", "--request-id", "one")
		c.signal(syscall.SIGKILL)
		c.wait()
		if d.read("page.html") != small {
			t.Logf("at %q: the turn was faster than the signal", word)
			continue
		}
		turn := d.sentTurn()
		d.want(2, "send", "page.html")
		for _, args := range [][]string{{"--again"}, {"--request-id", "one"}} {
			f := d.fails(4, "request_conflict", append([]string{"send", "page.html"}, args...)...)
			if !strings.Contains(f.Hint, "--again "+turn) {
				t.Errorf("at %q: %v: %+v", word, args, f)
			}
		}
		o := decode[outcome](t, d.want(0, "send", "page.html", "--again", turn, "--json").stdout)
		if o.Status != "applied" || o.Generation != 2 || d.read("page.html") != strings.Replace(small, "One", "Two", 1) {
			t.Errorf("at %q: %+v %q", word, o, d.read("page.html"))
		}
		f := decode[outcome](t, d.want(3, "send", "page.html", "--request-id", "one", "--json").stdout)
		if f.Status != "refused" || f.Error == nil || f.Error.Code != "turn_ended" {
			t.Errorf("at %q: what became of it: %+v", word, f)
		}
		d.headIsFile("page.html")
	}
}

// TestStoppedProcessComesTooLate: a process that stood still while its turn was
// ended by another publishes nothing when it goes on: the note is carried out once.
func TestStoppedProcessComesTooLate(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", small)
	d.want(0, "annotate", "page.html", "--at", "h1", "--say", `change "One" to "One and more"`)
	c := d.until("looking", "send", "page.html")
	c.signal(syscall.SIGSTOP)
	defer c.signal(syscall.SIGKILL)
	o := decode[outcome](t, d.want(0, "send", "page.html", "--again", d.sentTurn(), "--json").stdout)
	want := strings.Replace(small, "One", "One and more", 1)
	if o.Status != "applied" || d.read("page.html") != want {
		t.Fatalf("%+v %q", o, d.read("page.html"))
	}
	c.signal(syscall.SIGCONT)
	if r := c.wait(); r.code == 0 || r.code == -1 {
		t.Errorf("the late process: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if d.read("page.html") != want {
		t.Errorf("the page is %q", d.read("page.html"))
	}
	if h := d.want(0, "history", "page.html", "--json").stdout; strings.Count(h, `"generation"`) != 2 {
		t.Errorf("history %s", h)
	}
	d.headIsFile("page.html")
}
