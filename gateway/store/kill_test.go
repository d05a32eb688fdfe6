//go:build unix

package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

const killEnv = "PROOFMARK_TEST_KILL_STORE"

// TestMain lets the test binary run itself as a process that dies inside a
// migration.
func TestMain(m *testing.M) {
	if dir := os.Getenv(killEnv); dir != "" {
		_, err := Open(dir, Options{step: func(name string) {
			if name == os.Getenv(killEnv+"_AT") {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}})
		println("not killed:", err)
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// T-96: a process killed inside any migration leaves the schema before it; the
// next start finishes the work.
func TestKilledInAMigration(t *testing.T) {
	for i, m := range allMigrations(t) {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killEnv+"="+dir, killEnv+"_AT=migration "+m.Name)
		err := cmd.Run()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
			t.Fatalf("%s: not killed: %v", m.Name, err)
		}
		half := mustOpen(t, dir, Options{migrations: allMigrations(t)[:max(i, 1)]}) // it knows no more than was done
		if v, err := pragma(t.Context(), half.write, "user_version"); err != nil || int(v) != max(i, 1) {
			t.Errorf("%s: schema %d (%v)", m.Name, v, err)
		}
		if err := half.Close(); err != nil {
			t.Fatal(err)
		}
		s := mustOpen(t, dir, Options{})
		seed(t, s, "/page.html", []byte("<p>one"))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		fresh := t.TempDir()
		if err := mustOpen(t, fresh, Options{}).Close(); err != nil {
			t.Fatal(err)
		}
		if schema(t, filepath.Join(dir, FileName)) != schema(t, filepath.Join(fresh, FileName)) {
			t.Errorf("%s: the schema differs from a fresh one", m.Name)
		}
	}
}
