//go:build faults && unix

package faultpoint

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Enabled tells whether this build has points at all.
const Enabled = true

// fault is one thing that happens.
type fault struct {
	at    int
	after bool          // and at every point behind it
	kill  bool          // the process dies
	run   bool          // another program runs
	err   error         // writes fail
	clock time.Duration // is added to the time
}

// harness is what the environment asked for, and how far the run is.
var harness = struct {
	sync.Mutex
	faults []fault
	trace  *os.File
	passed int
	ahead  time.Duration
}{}

var errnos = map[string]error{"ENOSPC": syscall.ENOSPC, "EIO": syscall.EIO, "EROFS": syscall.EROFS}

func init() {
	for _, word := range strings.FieldsFunc(os.Getenv("PROOFMARK_FAULT"), func(r rune) bool { return r == ',' }) {
		f, err := parse(word)
		if err != nil {
			fmt.Fprintln(os.Stderr, "PROOFMARK_FAULT:", err)
			os.Exit(2)
		}
		if f.at == 0 {
			harness.ahead += f.clock
		}
		harness.faults = append(harness.faults, f)
	}
	if path := os.Getenv("PROOFMARK_FAULT_TRACE"); path != "" {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			fmt.Fprintln(os.Stderr, "PROOFMARK_FAULT_TRACE:", err)
			os.Exit(2)
		}
		harness.trace = f
	}
}

func parse(word string) (f fault, err error) {
	what, at, ok := strings.Cut(word, "@")
	if at, f.after = strings.CutSuffix(at, "+"); !ok {
		return f, fmt.Errorf("%q has no @", word)
	}
	if f.at, err = strconv.Atoi(at); err != nil {
		return f, err
	}
	if f.kill, f.run = what == "kill", what == "run"; f.kill || f.run {
		return f, nil
	}
	if by, ok := strings.CutPrefix(what, "clock"); ok {
		f.clock, err = time.ParseDuration(by)
		return f, err
	}
	if f.err, ok = errnos[what]; !ok {
		return f, fmt.Errorf("%q is no fault", what)
	}
	return f, nil
}

// Reach is a point at which the process may die.
func Reach(name string) { _ = pass("point", name) }

// Write is a point in front of a write, and gives the error the write fails with.
func Write(name string) error { return pass("write", name) }

// Do is write with a point in front of it.
func Do(name string, write func() error) error {
	if err := Write(name); err != nil {
		return err
	}
	return write()
}

// All writes all of b, with a point in front and one in the middle of it.
func All(name string, to io.Writer, b []byte) error {
	if err := Write(name); err != nil {
		return err
	}
	half := len(b) / 2
	if _, err := to.Write(b[:half]); err != nil {
		return err
	}
	if err := Write(name + ", half"); err != nil {
		return err
	}
	_, err := to.Write(b[half:])
	return err
}

// Now gives the time.
func Now() time.Time {
	harness.Lock()
	defer harness.Unlock()
	return time.Now().Add(harness.ahead)
}

func pass(kind, name string) error {
	harness.Lock()
	defer harness.Unlock()
	harness.passed++
	if harness.trace != nil {
		fmt.Fprintf(harness.trace, "%d %s %s\n", harness.passed, kind, name)
	}
	var failed error
	for _, f := range harness.faults {
		if f.at != harness.passed && (!f.after || f.at > harness.passed) {
			continue
		}
		if f.kill {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // with the lock: no other goroutine gets past a point
		}
		if f.run {
			if out, err := exec.Command("sh", "-c", os.Getenv("PROOFMARK_FAULT_RUN")).CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "PROOFMARK_FAULT_RUN: %v %s\n", err, out)
			}
		}
		if f.at == harness.passed {
			harness.ahead += f.clock
		}
		if f.err != nil {
			failed = f.err
		}
	}
	return failed
}
