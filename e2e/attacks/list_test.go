//go:build unix

package attacks

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// elsewhere are the attacks on the desktop, which its own tests try on the real app:
// the file, and the titles of the tests.
var elsewhere = map[int][]string{
	44: {"desktop/test/package.test.ts", "have every fuse stated, the safe way", "has its fuses flipped", "is no Node", "loads nothing that NODE_OPTIONS names", "does not check its archive on Linux"},
	45: {"desktop/test/app.test.ts", "points 11 and 12: a guest comes to nothing", "point 14: no windows", "point 15: nothing asks the system to open anything"},
	46: {"desktop/test/app.test.ts", "a second start hands its pages to the first, with its own folder; nothing else of it counts"},
	47: {"desktop/test/package.test.ts", "have no update channel"},
	48: {"desktop/test/app.test.ts", "a program that others can change is not started by an installed app", "the token goes to the workbench alone, and stands nowhere", "an app that is killed takes its gateway along"},
}

// partly are attacks that have a test, and a part that waits.
var partly = map[int]string{
	21: "MCP: its sessions, its order of calls",
}

const attacks = 48

// TestEveryAttack: each number has a test, here or with the desktop.
func TestEveryAttack(t *testing.T) {
	has := map[int]bool{}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			var n int
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "TestAttack") {
				if _, err := fmt.Sscanf(strings.TrimPrefix(fn.Name.Name, "TestAttack"), "%02d", &n); err != nil || n < 1 || n > attacks {
					t.Errorf("%s is no attack's name", fn.Name.Name)
				}
				has[n] = true
			}
		}
	}
	for n := 1; n <= attacks; n++ {
		file := elsewhere[n]
		switch {
		case has[n] && file != nil:
			t.Errorf("attack %d is said to be tried elsewhere, and is tried here", n)
		case !has[n] && file == nil:
			t.Errorf("attack %d has no test", n)
		case partly[n] != "" && !has[n]:
			t.Errorf("attack %d waits as a whole", n)
		}
	}
	for n, file := range elsewhere {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file[0])))
		if err != nil {
			t.Fatal(err)
		}
		for _, title := range file[1:] {
			if !strings.Contains(string(text), "test('"+title+"'") {
				t.Errorf("attack %d: %s has no test %q", n, file[0], title)
			}
		}
	}
}
