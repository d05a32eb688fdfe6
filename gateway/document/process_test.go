//go:build unix

package document

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// The test binary runs itself as another process: jobs by name.
const (
	jobEnv  = "PROOFMARK_TEST_JOB"
	argsEnv = "PROOFMARK_TEST_ARGS"
)

// jobArgs is what a job is given.
type jobArgs struct {
	Data, Path, Key, Kill, Text string
}

var jobs = map[string]func(jobArgs) error{
	"commit":    jobCommit,
	"hold":      jobHold,
	"writeback": jobWriteBack,
	"race":      jobRace,
}

func TestMain(m *testing.M) {
	if name := os.Getenv(jobEnv); name != "" {
		var a jobArgs
		err := json.Unmarshal([]byte(os.Getenv(argsEnv)), &a)
		if err == nil {
			err = jobs[name](a)
		}
		if err != nil {
			fmt.Printf("%s\n", core.CodeOf(err))
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// job prepares this binary as another process.
func job(t testing.TB, name string, a jobArgs) *exec.Cmd {
	t.Helper()
	args, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), jobEnv+"="+name, argsEnv+"="+string(args))
	cmd.Stderr = os.Stderr
	return cmd
}

// killed runs a job that must end by SIGKILL.
func killed(t testing.TB, name string, a jobArgs) {
	t.Helper()
	cmd := job(t, name, a)
	cmd.Stderr = nil
	err := cmd.Run()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		t.Fatalf("%s was not killed: %v", name, err)
	}
}

func killSelf() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // never reached, once the signal is there
}

// service opens the store as the job's process does, and dies at a step.
func (a jobArgs) service() (*Service, *store.Store, error) {
	st, err := store.Open(a.Data, store.Options{})
	if err != nil {
		return nil, nil, err
	}
	return New(st, Options{LeaseWait: -1, step: func(name string) {
		if name == a.Kill {
			killSelf()
		}
	}}), st, nil
}

func (a jobArgs) request(s *Service, id string, l core.WriterLease) (CommitRequest, error) {
	d, r, text, err := s.Head(context.Background(), id)
	if err != nil {
		return CommitRequest{}, err
	}
	at := strings.Index(string(text), crashEdit.old)
	if at < 0 {
		return CommitRequest{}, fmt.Errorf("the head holds no %q", crashEdit.old)
	}
	q := CommitRequest{
		DocumentID: id, ExpectedHead: r.ID, ExpectedStateRev: d.StateRev, Lease: l, Source: core.SourceManual, Actor: "test", Key: a.Key,
		Edits: []core.Edit{{Note: 1, Span: core.Span{Start: at, End: at + len(crashEdit.old)}, Replacement: a.Text}},
	}
	q.After = applyEdits(text, q.Edits)
	if a.Kill == "inside the transaction" {
		q.Also = func(*store.Tx, Result) error { killSelf(); return nil }
	}
	return q, nil
}

// jobCommit opens, commits and writes back, and dies on the way.
func jobCommit(a jobArgs) error {
	ctx := context.Background()
	s, _, err := a.service()
	if err != nil {
		return err
	}
	o, err := s.Open(ctx, a.Path)
	if err != nil {
		return err
	}
	l, err := s.Lease(ctx, o.Document.ID)
	if err != nil {
		return err
	}
	q, err := a.request(s, o.Document.ID, l)
	if err != nil {
		return err
	}
	if _, err := s.Commit(ctx, q); err != nil {
		return err
	}
	if _, err := s.WriteBack(ctx, o.Document.ID); err != nil {
		return err
	}
	s.step("end")
	return nil
}

// jobHold takes the lease, says so, and waits to be killed.
func jobHold(a jobArgs) error {
	s, _, err := a.service()
	if err != nil {
		return err
	}
	d, err := s.Lookup(context.Background(), a.Path)
	if err != nil {
		return err
	}
	if _, err := s.Lease(context.Background(), d.ID); err != nil {
		return err
	}
	fmt.Println("held")
	_, err = os.Stdin.Read(make([]byte, 1))
	return err
}

// jobWriteBack writes the file back.
func jobWriteBack(a jobArgs) error {
	s, st, err := a.service()
	if err != nil {
		return err
	}
	defer st.Close()
	d, err := s.Lookup(context.Background(), a.Path)
	if err != nil {
		return err
	}
	_, err = s.WriteBack(context.Background(), d.ID)
	return err
}

// jobRace waits for the start, then tries to take the lease and commit once
// against the first revision.
func jobRace(a jobArgs) error {
	ctx := context.Background()
	s, st, err := a.service()
	if err != nil {
		return err
	}
	defer st.Close()
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	o, err := s.Open(ctx, a.Path)
	if err != nil {
		return err
	}
	return s.WithLease(ctx, o.Document.ID, func(l core.WriterLease) error {
		first, err := s.Revision(ctx, o.Document.ID, 1)
		if err != nil {
			return err
		}
		q, err := a.request(s, o.Document.ID, l)
		if err != nil {
			return core.Errorf(core.HeadMoved, "the head has another text")
		}
		q.ExpectedHead, q.ExpectedStateRev = first.ID, 1
		_, err = s.Commit(ctx, q)
		return err
	})
}

// T-83, R-DOC-5: a process is killed at each step of commit and write-back.
// Afterwards the file is old or new, never mixed; what was acknowledged is
// there; asking again with the same key gives one change, not two.
func TestKilledAtEachStep(t *testing.T) {
	after := strings.Replace(page, crashEdit.old, crashEdit.new, 1)
	for _, c := range []struct {
		step      string
		committed bool // the head has moved
		written   bool // the file holds the new bytes
	}{
		{"attempt stored", false, false},
		{"inside the transaction", false, false},
		{"commit stored", true, false},
		{"temporary file written", true, false},
		{"file renamed", true, true},
		{"file written", true, true},
		{"end", true, true},
	} {
		t.Run(c.step, func(t *testing.T) {
			ctx := context.Background()
			b := newBench(t, page)
			b.clock.now = time.Now() // the other process has the real clock: its lease has not expired
			killed(t, "commit", jobArgs{Data: b.data, Path: b.path, Key: "key", Kill: c.step, Text: crashEdit.new})

			want := page
			if c.written {
				want = after
			}
			if got := b.file(); got != want {
				t.Fatalf("the file holds %q", got)
			}
			rec, err := b.s.Reconcile(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if wantFailed := !c.committed; (len(rec.Failed) == 1) != wantFailed || len(rec.Ambiguous) != 0 || len(rec.Applied) != 0 {
				t.Errorf("reconciled %+v", rec)
			}
			o := b.open()
			if o.OutsideImported || (o.Head.Generation == 2) != c.committed {
				t.Fatalf("opened %+v", o)
			}
			// The same request again: made now, or replayed.
			l, err := b.s.Lease(ctx, o.Document.ID) // the dead process held it
			if err != nil {
				t.Fatal(err)
			}
			first, err := b.s.Revision(ctx, o.Document.ID, 1)
			if err != nil {
				t.Fatal(err)
			}
			q := CommitRequest{
				DocumentID: o.Document.ID, ExpectedHead: first.ID, ExpectedStateRev: 1, Lease: l, Source: core.SourceManual, Actor: "test", Key: "key",
				After: []byte(after), Edits: []core.Edit{{Note: 1, Span: spanOf(page, crashEdit.old), Replacement: crashEdit.new}},
			}
			res, err := b.s.Commit(ctx, q)
			if err != nil || res.Replayed != c.committed || res.Revision.Generation != 2 {
				t.Fatalf("asked again: %+v %v", res, err)
			}
			if _, err := b.s.WriteBack(ctx, o.Document.ID); err != nil {
				t.Fatal(err)
			}
			if b.file() != after || b.head(o.Document.ID) != after {
				t.Errorf("the file holds %q", b.file())
			}
			b.wantNoTemp()
			if r, err := b.s.Integrity(ctx); err != nil || len(r.Problems) > 0 {
				t.Errorf("integrity: %+v %v", r, err)
			}
		})
	}
}

func spanOf(text, part string) core.Span {
	at := strings.Index(text, part)
	return core.Span{Start: at, End: at + len(part)}
}

// A lease whose process runs is respected; one whose process was killed passes
// on at once, with a new fencing token.
func TestLeaseOfAnotherProcess(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	cmd := job(t, "hold", jobArgs{Data: b.data, Path: b.path})
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("%q %v", line, err)
	}
	b.clock.now = time.Now() // the other process has the real clock
	_, err = b.s.Lease(ctx, id)
	e := wantCode(t, err, core.LeaseHeld)
	if e.Hint == "" {
		t.Error("no hint")
	}
	_, err = b.s.Undo(ctx, id, "test")
	wantCode(t, err, core.LeaseHeld)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	l, err := b.s.Lease(ctx, id)
	if machineID() == "" {
		wantCode(t, err, core.LeaseHeld) // it waits for the expiry here
		return
	}
	if err != nil || l.Fence < 2 {
		t.Fatalf("%+v %v", l, err)
	}
}

// D-48: eight processes race for the same head; exactly one wins, the others
// are told, and the file of the winner's head is the only new revision.
func TestRaceOfProcesses(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	type racer struct {
		cmd   *exec.Cmd
		start func()
		out   *bufio.Reader
	}
	racers := make([]racer, 8)
	for i := range racers {
		cmd := job(t, "race", jobArgs{Data: b.data, Path: b.path, Key: fmt.Sprintf("key-%d", i), Text: fmt.Sprintf("Winner %d.", i)})
		cmd.Stderr = nil
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		racers[i] = racer{cmd: cmd, start: func() { fmt.Fprintln(stdin, "go") }, out: bufio.NewReader(out)}
	}
	for _, r := range racers {
		if line, err := r.out.ReadString('\n'); line != "ready\n" {
			t.Fatalf("%q %v", line, err)
		}
	}
	for _, r := range racers {
		r.start()
	}
	won := -1
	for i, r := range racers {
		line, _ := r.out.ReadString('\n')
		if err := r.cmd.Wait(); err == nil {
			if won >= 0 {
				t.Errorf("%d and %d both won", won, i)
			}
			won = i
			continue
		}
		switch code := core.Code(strings.TrimSpace(line)); code {
		case core.LeaseHeld, core.HeadMoved:
		default:
			t.Errorf("process %d ended with %q", i, code)
		}
	}
	if won < 0 {
		t.Fatal("nobody won")
	}
	o := b.open()
	if o.Head.Generation != 2 || !strings.Contains(string(o.Bytes), fmt.Sprintf("Winner %d.", won)) {
		t.Errorf("the head is generation %d: %q", o.Head.Generation, o.Bytes)
	}
	if r, err := b.s.Integrity(ctx); err != nil || len(r.Problems) > 0 {
		t.Errorf("integrity: %+v %v", r, err)
	}
}
