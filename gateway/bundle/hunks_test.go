package bundle

import (
	"math/rand/v2"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/textpatch"
)

// shown writes hunks as a person reads them, marks in brackets.
func shown(list []hunk) string {
	var b strings.Builder
	for i, h := range list {
		if i > 0 {
			b.WriteString("~\n")
		}
		for _, l := range h.Lines {
			b.WriteString(l.Kind)
			for _, p := range l.Pieces {
				if p.Mark {
					b.WriteString("[" + p.Text + "]")
				} else {
					b.WriteString(p.Text)
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestHunks(t *testing.T) {
	const text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"
	find := func(s string) int { return strings.Index(text, s) }
	for _, c := range []struct {
		name, old, with, want string
	}{
		{"a word", "our", "ork", " two\n three\n-f[our]\n+f[ork]\n five\n six\n"},
		{"a line put in", "four", "new\nfour", " two\n three\n-[four]\n+[new]\n+[four]\n five\n six\n"},
		{"a line taken out", "three\n", "", " one\n two\n-[three]\n four\n five\n"},
		{"the first", "one", "1", "-[one]\n+[1]\n two\n three\n"},
		{"the last", "eight\n", "8\n", " six\n seven\n-[eight]\n+[8]\n \n"},
		{"line ends", "two\n", "two\r\n", " one\n-[two]\n+[two‹U+000D›]\n three\n four\n"},
		{"an override", "two", "\u202eowt", " one\n-[two]\n+[‹U+202E›owt]\n three\n four\n"},
	} {
		at := find(c.old)
		budget := maxShown
		got, more := hunksOf([]byte(text), []core.Edit{{Span: core.Span{Start: at, End: at + len(c.old)}, Replacement: c.with}}, &budget)
		if more != 0 || shown(got) != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, shown(got), c.want)
		}
	}
	at := find("three")
	budget := maxShown
	got, _ := hunksOf([]byte(text), []core.Edit{{Span: core.Span{Start: at, End: at}, Replacement: "new\n"}}, &budget)
	if want := " one\n two\n+[new]\n three\n four\n"; shown(got) != want {
		t.Errorf("a line put in by itself:\n%swant\n%s", shown(got), want)
	}
	if n := got[0].Lines[3].Number; n != 4 {
		t.Errorf("the line behind has the number %d", n)
	}
}

// Whatever the edits, the marked pieces are what they took and gave, and the page
// stays bounded.
func TestHunksMarkWhatWasDone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 3000 {
		var b strings.Builder
		for range rng.IntN(60) {
			b.WriteString([]string{"a", "b c", "\n", "\r\n", "é", "<p>", "\n\n"}[rng.IntN(7)])
		}
		text := b.String()
		var edits []core.Edit
		took, gave := 0, 0
		for at := rng.IntN(10); at <= len(text); at += 1 + rng.IntN(40) {
			end := min(at+rng.IntN(6), len(text))
			with := []string{"", "x", "\n", "x\ny", "\nx\n"}[rng.IntN(5)]
			e := core.Edit{Span: core.Span{Start: at, End: end}, Replacement: with}
			if _, err := textpatch.Apply([]byte(text), append(edits, e)); err != nil || at == end && with == "" {
				continue
			}
			edits = append(edits, e)
			took, gave = took+len(strings.ReplaceAll(text[at:end], "\n", "")), gave+len(strings.ReplaceAll(with, "\n", ""))
			at = end
		}
		budget := maxShown
		hunks, more := hunksOf([]byte(text), edits, &budget)
		if more > 0 {
			continue
		}
		seenTook, seenGave := 0, 0
		for _, h := range hunks {
			for _, l := range h.Lines {
				for _, p := range l.Pieces {
					n := len(strings.ReplaceAll(p.Text, "‹U+000D›", "\r"))
					switch {
					case !p.Mark:
					case l.Kind == "-":
						seenTook += n
					case l.Kind == "+":
						seenGave += n
					default:
						t.Fatalf("a mark in an unchanged line: %+v", l)
					}
				}
			}
			if h.Cut > 0 {
				t.Fatal("cut")
			}
		}
		if seenTook != took || seenGave != gave {
			t.Fatalf("%q %+v:\n%s%d taken, %d given; shown %d and %d", text, edits, shown(hunks), took, gave, seenTook, seenGave)
		}
	}
}

func TestHunksAreBounded(t *testing.T) {
	text := strings.Repeat("x", 1<<20) + "\n" + strings.Repeat("line\n", 10_000)
	var edits []core.Edit
	for at := 1<<20 + 1; at < len(text)-50; at += 45 {
		edits = append(edits, core.Edit{Span: core.Span{Start: at, End: at + 1}, Replacement: "L"})
	}
	budget := maxShown
	hunks, more := hunksOf([]byte(text), edits, &budget)
	if len(hunks) != maxHunks || more != len(edits)-maxHunks {
		t.Errorf("%d hunks, %d more of %d", len(hunks), more, len(edits))
	}
	hunks, _ = hunksOf([]byte(text), []core.Edit{{Span: core.Span{Start: 1 << 19, End: 1<<19 + 1}, Replacement: strings.Repeat("y\n", 1<<16)}}, &budget)
	if n := len(shown(hunks)); n > 4_000 || hunks[0].Cut == 0 {
		t.Errorf("%d bytes shown, %d lines cut", n, hunks[0].Cut)
	}
	budget = 0
	if hunks, more = hunksOf([]byte(text), edits[:1], &budget); len(hunks) != 0 || more != 1 {
		t.Error("more is shown than the budget lets")
	}
}
