package jscheck

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// What people write in pages is checked, and broken code is told apart.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, text string
		kind       Kind
		want       string // "" for good, "?" for unchecked, else a part of the message
	}{
		{"empty", "", Classic, ""},
		{"blanks and a comment", "\n  // nothing\n", Classic, ""},
		{"statements", "var a = 1; function go(x) { return x / 2 }\nif (a) { go(a) } else go(0);", Classic, ""},
		{"a class", "class A extends B { #p = 1; static s = 2; get x() { return this.#p } async *it() { yield* [1] } }", Classic, ""},
		{"async", "(async () => { for await (const x of y()) { await x } })();", Classic, ""},
		{"operators", "a ??= b?.c?.[0]?.(1) ?? 2 ** 3; x = 1_000n; `a${`b${c}`}`", Classic, ""},
		{"regular expressions", "s.replace(/[/'\"`(]+/g, ''); if (x) /['\"]/.test(x); return_ = [/\\(/.source, !/\\[/.test(y)]", Classic, ""},
		{"divisions", "x = (a / b) * (c / d) / e[0] / f() / this.g / 2 / a.if / i++ / 3; y /= 2; z = i-- / 2", Classic, ""},
		{"a comment as old pages have it", "<!--\nvar a = 1;\n//-->", Classic, ""},
		{"line separators", "var a = '\u2028'", Classic, ""},
		{"other letters", "const größe = 'é', 日本 = `語`", Classic, ""},
		{"a module", "import a, { b as c } from './x.js';\nexport const d = a / c; export default () => d;", Module, ""},
		{"import in a classic script", "import a from './x.js'", Classic, "module"},
		{"dynamic import in a classic script", "import('./x.js').then(m => m.go())", Classic, ""},
		{"a handler", "event.preventDefault(); return false", Handler, ""},
		{"an empty handler", "", Handler, ""},
		{"return outside a function", "return 1", Classic, "unexpected"},
		{"open brace", "function a() {", Classic, "EOF"},
		{"one brace too many", "function a() {} }", Classic, "unexpected"},
		{"open text", "var a = 'b", Classic, "unterminated"},
		{"markup", "<b>hello</b>", Classic, "unexpected"},
		{"twice declared", "let a; let a", Classic, "declared"},
		{"its line is named", "var a = 1;\nvar b = ;", Classic, "line 2"},
		{"handler with a brace too many", "go() }", Handler, "unexpected"},
		{"a slash behind a block", "if (a) {} /x/.test(a)", Classic, "?"},
		{"a slash on a new line", "var a = b\n/c/.test(d)", Classic, "?"},
		{"a slash behind break", "for (;;) { break out /'/; }", Classic, "?"},
		{"a first line that only this parser skips", "#!/usr/bin/env node\nvar a", Classic, "?"},
		{"too long", strings.Repeat("a;", MaxBytes/2+1), Classic, "?"},
		{"too deep", strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), Classic, "?"},
		{"deep enough", "x=" + strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1), Classic, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Check(c.text, c.kind)
			switch {
			case c.want == "":
				if err != nil {
					t.Errorf("refused: %v", err)
				}
			case err == nil:
				t.Error("taken")
			case (c.want == "?") != errors.Is(err, ErrUnchecked):
				t.Errorf("got %v", err)
			case c.want != "?" && !strings.Contains(err.Error(), c.want):
				t.Errorf("got %v, want %q in it", err, c.want)
			case strings.ContainsAny(err.Error(), "\n\r"):
				t.Errorf("%q has several lines", err)
			}
		})
	}
}

// hostile are texts that would cost a parser much, each as large as is checked
// and as far as a bound lets it.
func hostile() map[string]string {
	fill := func(head, tail string, f func(i int) string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len()+len(tail)+16 < MaxBytes; i++ {
			b.WriteString(f(i))
		}
		return b.String() + tail
	}
	names := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
	wrap := func(open, inside, close string, n int) string {
		return strings.Repeat(open, n) + inside + strings.Repeat(close, n)
	}
	return map[string]string{
		"arrows":             fill("", "", func(i int) string { return fmt.Sprintf("a%x=>0;", i) }),
		"arrows among names": fill(names(1000, "b%d;"), "", func(i int) string { return fmt.Sprintf("a%x=>0;", i) }),
		"a few arrows":       names(4000, "b%d;") + names(4000, "b%d=>0;"),
		"patterns":           "let " + strings.Repeat("[", MaxBytes-8),
		"object patterns":    "let " + strings.Repeat("{a:", MaxBytes/3-8),
		"calls of async":     strings.Repeat("async(", MaxBytes/6-1),
		"async with names":   fill("", "", func(i int) string { return fmt.Sprintf("async(a%x,", i) }),
		"names":              fill("", "", func(i int) string { return fmt.Sprintf("a%x;", i) }),
		"names in brackets":  wrap("(", names(1_300, "a%d,")+"a", ")", 190),
		"names in blocks":    wrap("{", names(1_300, "var a%d;"), "}", 190),
		"names in functions": wrap("function f(){", names(1_300, "var a%d;"), "}", 190),
		"names in arrows":    strings.Repeat("a=>", 900) + "[" + names(280, "a%d,") + "]",
		"many in blocks":     fill(strings.Repeat("{", 150), strings.Repeat("}", 150), func(i int) string { return fmt.Sprintf("var a%x;", i) }),
		"hidden brackets":    strings.Repeat("break a/'/;async(", MaxBytes/20),
		"hidden in export":   "export var a/'/;" + strings.Repeat("async(", MaxBytes/8) + "'",
		"hidden on a line":   "var a\n/'/;" + strings.Repeat("async(", MaxBytes/8) + "'",
		"hidden in a block":  "{}/'/;" + strings.Repeat("async(", MaxBytes/8) + "'",
		"hidden in import":   "import 'a' /'/;" + strings.Repeat("async(", MaxBytes/8) + "'",
		"labels":             strings.Repeat("a:", MaxBytes/2-1),
		"unary":              strings.Repeat("!", MaxBytes-1),
		"if":                 strings.Repeat("if(a)", MaxBytes/5-1),
		"templates":          strings.Repeat("`${", MaxBytes/3-1),
		"comments":           strings.Repeat("{/*!*/}", MaxBytes/7-1),
		"chain":              strings.Repeat("a.", MaxBytes/2-1) + "a",
		"commas":             strings.Repeat("a,", MaxBytes/2-1) + "a",
		"one name":           strings.Repeat("a=>a;", MaxBytes/5-1),
		"escapes":            "'" + strings.Repeat("\\", MaxBytes-2),
		"classes":            strings.Repeat("class a{static{", MaxBytes/16),
		"new":                strings.Repeat("new ", MaxBytes/4-1),
		"NUL":                strings.Repeat("\x00", MaxBytes-1),
		"broken UTF-8":       strings.Repeat("\xe2\x80", MaxBytes/2-1),
		"end in an escape":   "\\u{",
		"lone number sign":   "#",
	}
}

// No text takes long; what would is not parsed at all.
func TestHostileTextsAreBounded(t *testing.T) {
	slowest, which := time.Duration(0), ""
	for name, text := range hostile() {
		for _, k := range []Kind{Classic, Handler} {
			began := time.Now()
			_ = Check(text, k)
			if took := time.Since(began); took > slowest {
				slowest, which = took, name
			}
		}
	}
	t.Logf("slowest: %s, %s", which, slowest)
}

// The costs that bounds are for are seen by the measuring pass.
func TestHostileTextsAreMeasured(t *testing.T) {
	all := hostile()
	for _, name := range []string{
		"patterns", "object patterns", "calls of async", "async with names", "many in blocks", "hidden brackets",
		"hidden in export", "hidden on a line", "hidden in a block", "hidden in import", "templates", "arrows among names",
	} {
		if err := Check(all[name], Classic); !errors.Is(err, ErrUnchecked) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What the parser takes, the measuring pass has read to its end: it saw the
// same tokens.
func TestMeasureReadsWhatTheParserReads(t *testing.T) {
	words := []string{
		"a", "b", "/", "/", "/=", "'", "\"", "`", "${", "}", "{", "(", ")", "[", "]", "\n", " ", ";", ",", "=", "=>", ".", "?.", "++", "--", ":",
		"if", "for", "while", "do", "else", "return", "break", "var", "let", "const", "async", "await", "of", "in", "yield", "function", "class",
		"import", "export", "from", "default", "this", "new", "typeof", "case", "static", "get", "1", "0.5", "'s'", "/r/", "/'/", "/[/]/g", "//c\n", "/*c*/", "<!--", "*", "+", "x/y",
	}
	rng := rand.New(rand.NewPCG(1, 2))
	good := 0
	for range 200_000 {
		var b strings.Builder
		for range 1 + rng.IntN(9) {
			b.WriteString(words[rng.IntN(len(words))])
			if rng.IntN(2) == 0 {
				b.WriteByte(' ')
			}
		}
		text := b.String()
		inline := rng.IntN(2) == 0
		if _, err := js.Parse(parse.NewInputString(text), js.Options{Inline: inline}); err != nil {
			continue
		}
		good++
		m := measure{lex: js.NewLexer(parse.NewInputString(text)), names: map[string]bool{}}
		if err := m.run(); err == nil && (m.lex.Err() != io.EOF || len(m.stack) != 0) {
			t.Fatalf("%q is parsed, but measured only in part", text)
		}
	}
	if good < 1000 {
		t.Errorf("only %d texts were JavaScript", good)
	}
	t.Logf("%d texts were JavaScript", good)
}

// FuzzCheck: whatever the text, there is an answer of one short line.
func FuzzCheck(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text[:min(len(text), 400)], uint8(0))
	}
	for _, s := range []string{
		"x = a / b", "if (a) /b/.test(c)", "`${a}` / 2", "export var a /b/", "class a { b\n/c/ }", "async\n/a/", "({a,b=1,...c})=>c", "let [a,{b:[c=1]}] = d",
	} {
		f.Add(s, uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, k uint8) {
		err := Check(text, Kind(k%3))
		if err != nil && (len(err.Error()) > 300 || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("%q", err)
		}
	})
}
