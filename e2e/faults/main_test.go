//go:build unix

// Package faults kills the real binary at each numbered point of its work,
// fails its writes, moves its clock, damages its database, and looks at what is
// left: the file and the newest version are old or new, never mixed; what was
// acknowledged is there; what was said is true.
//
// PROOFMARK_FAULTS=full asks for all of it (make faults); else a short form runs.
package faults

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
)

var (
	binary string // with points, see internal/faultpoint
	full   = os.Getenv("PROOFMARK_FAULTS") == "full"
	kills  atomic.Int64 // by SIGKILL at a point, and looked at afterwards
	fails  atomic.Int64 // writes that were made to fail
)

// places are the folders tests work in, one a worker. Each was given its history
// once: a document is known by its absolute path, so places are used again.
var places chan *place

func TestMain(m *testing.M) {
	noticeSources()
	dir, err := os.MkdirTemp("", "proofmark-faults-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "proofmark")
	if out, err := exec.Command("go", "build", "-tags", "faults", "-o", binary, "proofmark/gateway/cmd/proofmark").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the binary: %v\n%s", err, out)
		os.Exit(1)
	}
	n := max(2, runtime.GOMAXPROCS(0))
	places = make(chan *place, n)
	for i := range n {
		places <- &place{dir: filepath.Join(dir, fmt.Sprintf("p%d", i))}
	}
	code := m.Run()
	fmt.Printf("faults: %d kills and %d failed writes were looked at\n", kills.Load(), fails.Load())
	os.RemoveAll(dir)
	os.Exit(code)
}

// noticeSources looks at what the binary is made of. The binary is no import of
// this package; without a look at them, go test would not know that sources have
// changed and give an earlier run's result.
func noticeSources() {
	for _, part := range []string{"gateway", "bridge", "internal", "migrations", "go.mod"} {
		_ = filepath.WalkDir(filepath.Join("..", "..", part), func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		})
	}
}

// A build without the tag has no points: nothing in the environment makes it die.
func TestReleaseHasNoPoints(t *testing.T) {
	out := filepath.Join(t.TempDir(), "proofmark")
	if b, err := exec.Command("go", "build", "-o", out, "proofmark/gateway/cmd/proofmark").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"PROOFMARK_FAULT", "sqlite writes "} {
		if bytes.Contains(b, []byte(text)) {
			t.Errorf("the binary holds %q", text)
		}
	}
}

// inPlace runs a test's work in a free place. An ordinary failure of the work
// stops it, and the place goes to the next.
func inPlace(t *testing.T, work func(p *place)) {
	t.Helper()
	p := <-places
	defer func() { places <- p }()
	p.t = t
	work(p)
}

// either gives the full value or the short one.
func either[T any](whole, short T) T {
	if full {
		return whole
	}
	return short
}
