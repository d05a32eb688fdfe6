//go:build unix

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// place is a folder with one page and a data directory.
type place struct {
	t    testing.TB
	dir  string
	env  []string
	base snapshot // with the history every test starts from
}

func (p *place) folder() string { return filepath.Join(p.dir, "pages") }
func (p *place) data() string   { return filepath.Join(p.dir, "data") }
func (p *place) page() string   { return filepath.Join(p.folder(), "page.html") }

func (p *place) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) read() string {
	p.t.Helper()
	b, err := os.ReadFile(p.page())
	p.must(err)
	return string(b)
}

func (p *place) write(text string) {
	p.t.Helper()
	p.must(os.WriteFile(p.page(), []byte(text), 0o644))
}

// snapshot is all files of a place by their relative paths.
type snapshot map[string][]byte

// keep takes a snapshot.
func (p *place) keep() snapshot {
	p.t.Helper()
	s := snapshot{}
	p.must(filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(p.dir, path)
		if err != nil {
			return err
		}
		s[rel], err = os.ReadFile(path)
		return err
	}))
	return s
}

// put makes the place what it was.
func (p *place) put(s snapshot) {
	p.t.Helper()
	p.must(os.RemoveAll(p.dir))
	p.must(os.MkdirAll(p.folder(), 0o755))
	for rel, b := range s {
		path := filepath.Join(p.dir, rel)
		p.must(os.MkdirAll(filepath.Dir(path), 0o700))
		p.must(os.WriteFile(path, b, 0o600))
	}
}

// result is what one run of the binary gave.
type result struct {
	args      []string
	fault     string
	code      int // -1 when it was killed
	killed    bool
	out, errs string
}

func (r result) String() string {
	return "proofmark " + strings.Join(r.args, " ") + " with " + r.fault + "\nstdout: " + r.out + "stderr: " + r.errs
}

// patience is far more than any command takes: what is not over then hangs.
const patience = 2 * time.Minute

// command prepares a run of the binary in the place's folder.
func (p *place) command(ctx context.Context, fault string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = p.folder()
	cmd.WaitDelay = 10 * time.Second // a browser that a killed run leaves may hold the streams for a moment
	cmd.Env = append(os.Environ(), "PROOFMARK_DATA_DIR="+p.data(), "PROOFMARK_FAULT="+fault)
	cmd.Env = append(cmd.Env, p.env...)
	return cmd
}

// run calls the binary; fault is empty or what internal/faultpoint understands.
func (p *place) run(fault string, args ...string) result {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return p.finish(ctx, p.command(ctx, fault, args...), fault)
}

// finish runs a prepared command to its end.
func (p *place) finish(ctx context.Context, cmd *exec.Cmd, fault string) result {
	p.t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		p.t.Fatal(err)
	}
	r := result{args: cmd.Args[1:], fault: fault, code: cmd.ProcessState.ExitCode(), out: out.String(), errs: errs.String()}
	if ctx.Err() != nil {
		p.t.Fatalf("hangs: %s", r)
	}
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	r.killed = ok && status.Signaled() && status.Signal() == syscall.SIGKILL
	if !r.killed && (r.code < 0 || r.code > 7 || strings.Contains(r.errs, "goroutine ")) {
		p.t.Fatalf("crashed: exit %d: %s", r.code, r)
	}
	return r
}

// want runs the binary without a fault and fails unless it exits with a code.
func (p *place) want(code int, args ...string) result {
	p.t.Helper()
	r := p.run("", args...)
	if r.code != code {
		p.t.Fatalf("exit %d, want %d: %s", r.code, code, r)
	}
	return r
}

func decode[T any](t testing.TB, r result) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.out), &v); err != nil {
		t.Fatalf("not JSON: %v: %s", err, r)
	}
	return v
}

// outcome is what a command that moves the head says, of which any part may be missing.
type outcome struct {
	Status     string  `json:"status"`
	ChangeSet  string  `json:"changeSet"`
	Generation int     `json:"generation"`
	SHAAfter   string  `json:"sha256After"`
	Written    bool    `json:"written"`
	WriteError *failed `json:"writeError"`
	Error      *failed `json:"error"`
}

type failed struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// points runs a command once in a dry run and gives its points by their numbers,
// as "kind name"; number 0 is none.
func (p *place) points(args ...string) []string {
	p.t.Helper()
	trace := filepath.Join(p.dir, "trace")
	p.env = append(p.env, "PROOFMARK_FAULT_TRACE="+trace)
	defer func() { p.env = p.env[:len(p.env)-1] }()
	if r := p.run("", args...); r.code < 0 {
		p.t.Fatal(r)
	}
	b, err := os.ReadFile(trace)
	p.must(err)
	p.must(os.Remove(trace))
	list := []string{""}
	for line := range strings.Lines(string(b)) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		list = append(list, name)
	}
	return list
}
