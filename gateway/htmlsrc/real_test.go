package htmlsrc

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"proofmark/bridge/oracle"
)

var realPages = flag.Int("pages", 12, "real pages of each place that are compared with Chromium's")

// realPlaces are where machines have real pages. Each is skipped loudly where
// it is not there.
func realPlaces() []string {
	root, _ := exec.Command("go", "env", "GOROOT").Output()
	return []string{
		"/usr/share/doc/nodejs/api/*.html", filepath.Join(strings.TrimSpace(string(root)), "doc/*.html"),
		"/usr/share/doc/libxslt1-dev/html/*.html", "/usr/share/doc/valgrind/html/*.html",
		"/usr/share/doc/*/*.html", "/usr/share/doc/*/html/*.html",
	}
}

// TestRealPages holds pages of the machine against Chromium, by navigation:
// the tree, and the tag of each element by numbering all tags (R-MAP-2, R-MAP-3).
func TestRealPages(t *testing.T) {
	b := oracle.Open(t)
	pages, elements, mapped := 0, 0, 0
	for _, glob := range realPlaces() {
		files, _ := filepath.Glob(glob)
		if len(files) == 0 {
			t.Logf("NOT THERE: %s", glob)
			continue
		}
		step := max(1, len(files) / *realPages)
		for i := 0; i < len(files); i += step {
			src, err := os.ReadFile(files[i])
			if err != nil || len(src) > 2<<20 || Check(src) != nil || bytes.Contains(bytes.ToLower(src), []byte("http-equiv=\"refresh")) {
				continue
			}
			n, m := checkPage(t, b, files[i], src)
			pages, elements, mapped = pages+1, elements+n, mapped+m
		}
	}
	if pages == 0 {
		t.Skip("SKIPPED, NOT PASSED: no real pages on this machine")
	}
	t.Logf("%d pages, %d elements, %d with the tag that Chromium shows", pages, elements, mapped)
	if mapped*1000 < elements*999 {
		t.Errorf("coverage below 99.9 %%")
	}
}

// checkPage gives the number of elements, and of those whose source is right.
func checkPage(t *testing.T, b *oracle.Browser, name string, src []byte) (elements, right int) {
	t.Helper()
	tree, err := Parse(src, Options{})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return 0, 0
	}
	doc, _, err := b.Navigate(src, "")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if d := flat(tree).Diff(doc, false); d != "" {
		t.Errorf("%s: %s", name, d)
		return len(doc), 0
	}
	numbered, marks, err := b.Navigate(numberTags(tree), "zqmark")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if d := numbered.Diff(doc, true); d != "" {
		t.Logf("%s: cannot be numbered: %s", name, d)
		return 0, 0
	}
	i := 0
	for id := range tree.Elements() {
		got, want := "-1", "-1"
		if at := tree.nodes[id].open; at >= 0 {
			got = strconv.Itoa(int(at))
		}
		if marks[i] != nil {
			want = *marks[i]
		}
		if got == want {
			right++
		} else {
			t.Errorf("%s: <%s> is from %s, chromium says %s", name, tree.Name(id), got, want)
		}
		i++
	}
	return len(doc), right
}

// numberTags puts an attribute with its offset into every tag that makes an
// element.
func numberTags(tree *Tree) []byte {
	var out strings.Builder
	at := 0
	for i := range tree.nodes {
		n := &tree.nodes[i]
		if n.open < 0 || n.isText() || n.bits&(flagClone|flagMerged) != 0 || n.bits&flagShadow != 0 {
			continue
		}
		end := tagNameEnd(tree.src, int(n.open)+1)
		out.Write(tree.src[at:end])
		out.WriteString(" zqmark=" + strconv.Itoa(int(n.open)) + " ")
		at = end
	}
	out.Write(tree.src[at:])
	return []byte(out.String())
}
