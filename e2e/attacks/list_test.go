//go:build unix

package attacks

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// waiting are the attacks on parts that are not built yet, and for what they wait.
// One that has a test by now must not stand here.
var waiting = map[int]string{
	44: "the desktop: its fuses and its archive",
	45: "the desktop: where its windows may go",
	46: "the desktop: what other programs open it with",
	47: "the desktop: how it is updated",
	48: "the desktop: how it starts and ends the gateway",
}

// partly are attacks that have a test, and a part that waits.
var partly = map[int]string{
	21: "MCP: its sessions, its order of calls",
}

const attacks = 48

// TestEveryAttack: each number has a test, or waits for a reason.
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
		switch {
		case has[n] && waiting[n] != "":
			t.Errorf("attack %d has a test and is said to wait", n)
		case !has[n] && waiting[n] == "":
			t.Errorf("attack %d has no test", n)
		case partly[n] != "" && !has[n]:
			t.Errorf("attack %d waits as a whole", n)
		}
	}
}
