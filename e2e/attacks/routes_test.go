//go:build unix

package attacks

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// route is one row of docs/api.md's tables.
type route struct {
	method, path string
	scopes       []string
}

var routeRow = regexp.MustCompile("(?m)^\\| (GET|POST|PUT|PATCH|DELETE) \\| `(/[^`]+)` \\| ([a-z ]+) \\|")

// routes reads the routes of the API from its documentation, which a test of the
// API compares with the program.
func routes(t testing.TB) (list []route) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range routeRow.FindAllStringSubmatch(string(b), -1) {
		list = append(list, route{m[1], m[2], strings.Fields(m[3])})
	}
	if len(list) < 50 {
		t.Fatalf("only %d routes are documented", len(list))
	}
	return list
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// at gives the route's path with the names filled in.
func (r route) at(names map[string]string) string {
	return placeholder.ReplaceAllStringFunc(r.path, func(s string) string {
		if v := names[s[1:len(s)-1]]; v != "" {
			return v
		}
		return "1"
	})
}

func (r route) String() string { return fmt.Sprintf("%s %s", r.method, r.path) }
