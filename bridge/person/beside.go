package person

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Beside is a browser for a program under test that gives the browser's window a
// port beside the program's own pipe, by which a test looks on and moves the mouse.
type Beside struct {
	Path string // of what the program is to take for a browser

	dir string
}

// NewBeside makes one of the browser at a path.
func NewBeside(t testing.TB, browser string) *Beside {
	t.Helper()
	b := &Beside{dir: t.TempDir()}
	b.Path = filepath.Join(b.dir, "chromium")
	script := `#!/bin/sh
for a in "$@"; do
	case $a in
	--app=*) window=yes ;;
	--user-data-dir=*) profile=${a#--user-data-dir=} ;;
	esac
done
if [ "${window:-}" ]; then
	echo "$profile" >` + b.dir + `/profile.new && mv ` + b.dir + `/profile.new ` + b.dir + `/profile
	exec ` + browser + ` --remote-debugging-port=0 "$@"
fi
exec ` + browser + ` "$@"
`
	if err := os.WriteFile(b.Path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return b
}

// Port waits for where the window's browser is looked on from; ended tells, when
// it is not nil, why the program has ended, "" while it runs.
func (b *Beside) Port(t testing.TB, ended func() string) string {
	t.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ended != nil {
			if why := ended(); why != "" {
				t.Fatal(why)
			}
		}
		profile, err := os.ReadFile(filepath.Join(b.dir, "profile"))
		if err != nil {
			continue
		}
		if ws := Port(strings.TrimSpace(string(profile))); ws != "" {
			return ws
		}
	}
	t.Fatal("no window of the program's can be looked on")
	return ""
}
