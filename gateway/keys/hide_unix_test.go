//go:build linux

package keys

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"proofmark/gateway/core"
)

// terminal opens a pseudo-terminal: where a person types, and where the program reads.
func terminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}

func echoes(t *testing.T, f *os.File) bool {
	t.Helper()
	s, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return s.Lflag&unix.ECHO != 0
}

// TestReadHidden: what is typed comes in and is shown nowhere; then the
// terminal is as it was.
func TestReadHidden(t *testing.T) {
	person, program := terminal(t)
	show, err := hide(program) // before the typing, so that no time decides
	if err != nil {
		t.Fatal(err)
	}
	if echoes(t, program) {
		t.Error("the terminal still shows what is typed")
	}
	if _, err := person.WriteString("my-secret-key\nrest\n"); err != nil {
		t.Fatal(err)
	}
	key, err := ReadHidden(t.Context(), program)
	if err != nil || key != "my-secret-key" {
		t.Errorf("%q, %v", key, err)
	}
	show()
	if !echoes(t, program) {
		t.Error("the terminal does not show what is typed any more")
	}
	if _, err := program.WriteString("end"); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	n, err := person.Read(buf)
	if err != nil || strings.Contains(string(buf[:n]), "secret") {
		t.Errorf("the terminal showed %q, %v", buf[:n], err)
	}
}

func TestReadHiddenStops(t *testing.T) {
	_, program := terminal(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadHidden(ctx, program); core.CodeOf(err) != core.Cancelled {
		t.Errorf("%v", err)
	}
	if !echoes(t, program) {
		t.Error("after a cancel the terminal shows nothing any more")
	}
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := ReadHidden(t.Context(), file); core.CodeOf(err) != core.Usage {
		t.Errorf("a file is no terminal: %v", err)
	}
}
