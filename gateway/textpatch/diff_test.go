package textpatch_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/textpatch"
)

func TestDiff(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		want                []core.Edit
	}{
		{"equal", "a\nb", "a\nb", nil},
		{"from nothing", "", "a", []core.Edit{edit(0, 0, "a")}},
		{"to nothing", "a", "", []core.Edit{edit(0, 1, "")}},
		{"one word, not one letter", "<p>the cat sat</p>", "<p>the cow sat</p>", []core.Edit{edit(7, 10, "cow")}},
		{"two words", "one two three four", "uno two three quattro", []core.Edit{edit(0, 3, "uno"), edit(14, 18, "quattro")}},
		{"a line in between", "a\nb\nc\n", "a\nx\nb\nc\n", []core.Edit{edit(2, 2, "x\n")}},
		{"CRLF stays whole", "a\r\nb", "a\nb", []core.Edit{edit(1, 3, "\n")}},
		{"no line end at the end", "a\nb", "a\nb\n", []core.Edit{edit(3, 3, "\n")}},
		{"an accent is part of its word", "le cafe\u0301 noir", "le cafe noir", []core.Edit{edit(3, 9, "cafe")}},
		{"Chinese by character", "東京都です", "東京市です", []core.Edit{edit(6, 9, "市")}},
		{"attribute value", `<a class="x y" href=z>`, `<a class="x w" href=z>`, []core.Edit{edit(12, 13, "w")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := textpatch.Diff([]byte(c.before), []byte(c.after))
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// Many small changes far apart come back as many small edits.
func TestDiffIsFine(t *testing.T) {
	before := page(200 << 10)
	after := before
	const n = 40
	for i := range n {
		after = strings.Replace(after, "zebra", fmt.Sprint("mark", i), 1)
	}
	edits := textpatch.Diff([]byte(before), []byte(after))
	if got := mustApply(t, before, edits); got != after {
		t.Fatal("does not give the text after")
	}
	if len(edits) != n {
		t.Errorf("%d edits, want %d", len(edits), n)
	}
	for _, e := range edits {
		if old := before[e.Span.Start:e.Span.End]; old != "zebra" {
			t.Errorf("an edit takes %q", old)
		}
	}
}

// Equal neighbours must not lead to cuts through the middle of two of them: the
// tags of those that stay, stay (R-PICK-4, H74).
func TestDiffSlides(t *testing.T) {
	for _, c := range []struct{ name, before, after, removed, inserted string }{
		{"first item of a row deleted", "<li>a</li><li>b</li><li>c</li>", "<li>b</li><li>c</li>", "<li>a</li>", ""},
		{"middle item deleted", "<li>a</li><li>b</li><li>c</li>", "<li>a</li><li>c</li>", "<li>b</li>", ""},
		{"last item deleted", "<ul><li>a</li><li>b</li></ul>", "<ul><li>a</li></ul>", "<li>b</li>", ""},
		{"first item inserted", "<ul><li>b</li></ul>", "<ul><li>a</li><li>b</li></ul>", "", "<li>a</li>"},
		{"item inserted behind", "<ul><li>b</li></ul>", "<ul><li>b</li><li>c</li></ul>", "", "<li>c</li>"},
		{"items without end tags", "<ul><li>b<li>c</ul>", "<ul><li>a<li>b<li>c</ul>", "", "<li>a"},
		{"on lines", "<ul>\n  <li>b</li>\n</ul>", "<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>", "", "  <li>a</li>\n"},
		{"wrapped", "<p>x</p>", "<p><b></b>x</p>", "", "<b></b>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			edits := textpatch.Diff([]byte(c.before), []byte(c.after))
			if len(edits) != 1 || c.before[edits[0].Span.Start:edits[0].Span.End] != c.removed || edits[0].Replacement != c.inserted {
				t.Errorf("%v, want %q out and %q in", edits, c.removed, c.inserted)
			}
			checkDiff(t, c.before, c.after)
			patch, err := textpatch.Patch([]byte(c.before), []textpatch.Replacement{{Expected: c.before, Replacement: c.after}})
			if err != nil || len(patch) != 1 || patch[0].Replacement != c.inserted && c.name != "on lines" {
				t.Errorf("Patch: %v %v", patch, err)
			}
		})
	}
}

func checkDiff(t interface {
	Helper()
	Fatalf(string, ...any)
}, before, after string,
) {
	t.Helper()
	edits := textpatch.Diff([]byte(before), []byte(after))
	if got := mustApply(t, before, edits); got != after {
		t.Fatalf("Diff(%q, %q) = %v gives %q", before, after, edits, got)
	}
	for i, e := range edits {
		if i > 0 && edits[i-1].Span.End >= e.Span.Start {
			t.Fatalf("edits %v touch", edits)
		}
		for _, at := range []int{e.Span.Start, e.Span.End} {
			if at > 0 && at < len(before) && before[at-1] == '\r' && before[at] == '\n' {
				t.Fatalf("%v cuts CRLF of %q", e, before)
			}
		}
		if before[e.Span.Start:e.Span.End] == e.Replacement {
			t.Fatalf("%v changes nothing", e)
		}
	}
}

func TestDiffProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := genText(60).Draw(t, "before")
		checkDiff(t, before, genText(60).Draw(t, "unrelated"))
		checkDiff(t, before, mustApply(t, before, genEdits(before).Draw(t, "edits")))
	})
}

// Something done to each of many lines that look alike comes back as an edit a
// line, so that it can be merged with a change elsewhere (R-DOC-8).
func TestDiffOfEveryLine(t *testing.T) {
	var b strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&b, "<section class=\"s\"><h2>Heading %d</h2><p>Some <b>bold</b> text %d.</p></section>\n", i, i)
	}
	base := b.String()
	mine := strings.ReplaceAll(base, "bold", "strong")
	edits := textpatch.Diff([]byte(base), []byte(mine))
	if len(edits) != 4000 || edits[7].Replacement != "strong" {
		t.Fatalf("%d edits", len(edits))
	}
	checkDiff(t, base, mine)
	head := strings.Replace(base, "Heading 2000", "Middle", 1)
	m, err := textpatch.Merge([]byte(base), []byte(head), []byte(mine))
	if err != nil || len(m.Conflicts) > 0 || string(m.Bytes) != strings.ReplaceAll(head, "bold", "strong") {
		t.Errorf("%d conflicts, %v", len(m.Conflicts), err)
	}
}

// Texts that share next to nothing, and texts made to be hard, end soon.
func TestDiffBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n, alphabet int) string {
		var b strings.Builder
		for range n {
			b.WriteByte("abcdefgh \n<>"[r.IntN(alphabet)])
		}
		return b.String()
	}
	for name, pair := range map[string][2]string{
		"random":         {random(1<<20, 12), random(1<<20, 12)},
		"two letters":    {strings.Repeat("<>", 1<<19), strings.Repeat("><>", 1<<18)},
		"reversed lines": {lines(60_000, 1), lines(60_000, -1)},
		"one long line":  {strings.Repeat("a b ", 1<<18), strings.Repeat("a c ", 1<<18)},
	} {
		t.Run(name, func(t *testing.T) { checkDiff(t, pair[0], pair[1]) })
	}
}

func lines(n, step int) string {
	var b strings.Builder
	for i := range n {
		if step < 0 {
			i = n - i
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// page makes a page of about n bytes, with the word "zebra" once every few
// lines.
func page(n int) string {
	r := rand.New(rand.NewPCG(7, 7))
	words := strings.Fields("the quick brown fox jumps over lazy dog while café tables report of 2026 shows &amp; prices in 東京 by ten percent")
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<body>\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "<section class=\"card c%d\" id=\"s%d\"><h2><a href=\"/p/%d?x=1&amp;y=2\">", i%9, i, i)
		for range 20 {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		b.WriteString("zebra</a></h2>\n  <p>text</p>\n</section>\n")
	}
	return b.String()
}

func TestUnified(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		context             int
		want                string
	}{
		{"equal", "a\n", "a\n", 3, ""},
		{"one line", "a\nb\nc\n", "a\nB\nc\n", 3, "--- old\n+++ new\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"no line end before", "a", "b\n", 3, "--- old\n+++ new\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"},
		{"no line end after", "a\n", "b", 3, "--- old\n+++ new\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n"},
		{"CRLF", "a\r\nb\r\n", "a\r\nc\r\n", 0, "--- old\n+++ new\n@@ -2 +2 @@\n-b\r\n+c\r\n"},
		{"into nothing", "", "a\n", 3, "--- old\n+++ new\n@@ -0,0 +1 @@\n+a\n"},
		{"insertion without context", "a\nb\n", "a\nx\nb\n", 0, "--- old\n+++ new\n@@ -1,0 +2 @@\n+x\n"},
		{"deletion without context", "a\nx\nb\n", "a\nb\n", 0, "--- old\n+++ new\n@@ -2 +1,0 @@\n-x\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := textpatch.Unified("old", "new", []byte(c.before), []byte(c.after), c.context)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	if got := textpatch.Unified("a\n--- x", "b", []byte("1"), []byte("2"), 3); !strings.HasPrefix(got, "--- a?--- x\n") {
		t.Errorf("a file name broke out of the header: %q", got)
	}
}

// R-DOC-4: the unified diff is one that patch(1) takes.
func TestUnifiedWithPatch(t *testing.T) {
	bin, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("patch(1) is not installed: the printed hunks are checked by TestUnifiedProperty alone")
	}
	before := page(20 << 10)
	after := strings.Replace(before, "zebra", "Zebra", 3) + "no line end"
	after = strings.Replace(after, "  <p>text</p>\n", "", 1)
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "--binary", file)
	cmd.Stdin = strings.NewReader(textpatch.Unified("page.html", "page.html", []byte(before), []byte(after), 3))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != after {
		t.Error("patch(1) made another text")
	}
}

// Every printed hunk, applied by its line numbers, gives the text after.
func TestUnifiedProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := genText(60).Draw(t, "before")
		after := mustApply(t, before, genEdits(before).Draw(t, "edits"))
		context := rapid.IntRange(0, 3).Draw(t, "context")
		u := textpatch.Unified("a", "b", []byte(before), []byte(after), context)
		if got := applyUnified(t, before, u); got != after {
			t.Fatalf("%q to %q, context %d:\n%s\ngives %q", before, after, context, u, got)
		}
	})
}

// applyUnified is a strict reader of unified diffs: it believes the line
// numbers, and checks them.
func applyUnified(t *rapid.T, before, u string) string {
	t.Helper()
	if u == "" {
		return before
	}
	old := strings.SplitAfter(before, "\n")
	var out []string
	at := 0 // lines of old taken
	body := strings.SplitAfter(u, "\n")[2:]
	for i := 0; i < len(body) && body[i] != ""; i++ {
		l := body[i]
		if strings.HasPrefix(l, "@@") {
			var from, to string
			if _, err := fmt.Sscanf(l, "@@ -%s +%s @@", &from, &to); err != nil {
				t.Fatalf("hunk head %q: %v", l, err)
			}
			for at < firstLine(from) {
				out = append(out, old[at])
				at++
			}
			if len(out) != firstLine(to) {
				t.Fatalf("%q says the new text is at line %d, it is at %d", l, firstLine(to), len(out))
			}
			continue
		}
		text := l[1:]
		if i+1 < len(body) && strings.HasPrefix(body[i+1], `\`) {
			text = strings.TrimSuffix(text, "\n")
		}
		switch l[0] {
		case ' ', '-':
			if old[at] != text {
				t.Fatalf("line %d is %q, the diff has %q", at, old[at], text)
			}
			at++
			if l[0] == ' ' {
				out = append(out, text)
			}
		case '+':
			out = append(out, text)
		}
	}
	return strings.Join(slices.Concat(out, old[at:]), "")
}

// firstLine gives the 0-based first line of a range such as "3,2", "3" or, for
// an empty one behind line 3, "3,0".
func firstLine(s string) int {
	var first, n int
	if k, _ := fmt.Sscanf(s, "%d,%d", &first, &n); k < 2 {
		n = 1
	}
	if n == 0 {
		return first
	}
	return first - 1
}

func FuzzDiff(f *testing.F) {
	f.Add("<p>a</p>\r\n", "<p>b</p>\n")
	f.Add("a\rb\r\nc", "a\nb\rc")
	f.Add("é\u0301", "e\u0301é")
	f.Add("aaaa bbbb aaaa", "bbbb aaaa bbbb")
	f.Fuzz(func(t *testing.T, before, after string) {
		if !utf8.ValidString(before) || !utf8.ValidString(after) {
			return
		}
		checkDiff(t, before, after)
		if u := textpatch.Unified("a", "b", []byte(before), []byte(after), 2); (u == "") != (before == after) {
			t.Fatalf("%q and %q: diff %q", before, after, u)
		}
	})
}

func FuzzApplyInverse(f *testing.F) {
	f.Add("hello", 1, 2, "x", 3, 3, "y")
	f.Add("a\r\nb", 1, 2, "", 2, 2, "\n")
	f.Add("éa", 0, 1, "", 2, 3, "é")
	f.Add("", 0, 0, "x", 0, 0, "y")
	f.Fuzz(func(t *testing.T, src string, s1, e1 int, r1 string, s2, e2 int, r2 string) {
		edits := []core.Edit{edit(s1, e1, r1), edit(s2, e2, r2)}
		after, err := textpatch.Apply([]byte(src), edits)
		inv := textpatch.Inverse([]byte(src), edits)
		if err != nil {
			if inv != nil {
				t.Fatalf("%v cannot be made (%v) but has an inverse", edits, err)
			}
			return
		}
		if !utf8.ValidString(src) {
			return
		}
		if !utf8.Valid(after) {
			t.Fatalf("%q with %v is no UTF-8", src, edits)
		}
		if got := mustApply(t, string(after), inv); got != src {
			t.Fatalf("%q with %v, and back: %q", src, edits, got)
		}
		if _, err := textpatch.Stat([]byte(src), after, edits); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkDiff1MB(b *testing.B) {
	before := page(1 << 20)
	cases := map[string]string{
		"one word":    strings.Replace(before, "zebra", "tiger", 1),
		"both ends":   "x" + before + "x",
		"40 words":    strings.Replace(before, "zebra", "tiger", 40),
		"every card":  strings.ReplaceAll(before, "zebra", "tiger"),
		"long line":   "",
		"half is new": before[:1<<19] + page(3 << 19)[1<<20:],
	}
	for name, after := range cases {
		b.Run(name, func(b *testing.B) {
			x, y := []byte(before), []byte(after)
			if name == "long line" {
				x = []byte(strings.ReplaceAll(before, "\n", " "))
				y = []byte(strings.Replace("x"+string(x)+"x", "zebra", "tiger", 40))
			}
			b.SetBytes(int64(len(x)))
			for b.Loop() {
				textpatch.Diff(x, y)
			}
		})
	}
}
