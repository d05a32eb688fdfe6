package scene

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
)

// full is a source that fills every section.
func full() Source {
	s := page("/home/anna/site/index.html")
	saved := numbered(300)
	s.View, s.Document.Text, s.Document.Lines = "Source", &saved, 0
	s.Editor = &Editor{Text: strings.Replace(saved, "item 7<", "item seven<", 1), Base: 12, Dirty: true, Cursor: &Position{100, 3}}
	s.Unavailable = []Unavailable{{What: "panes"}}
	for i := range 12 {
		s.Diagnostics = append(s.Diagnostics, Diagnostic{Level: "error", World: Page, Source: "console", Message: fmt.Sprint("fault ", i)})
		s.Tabs = append(s.Tabs, Tab{Path: fmt.Sprintf("/home/anna/site/%d.html", i)})
	}
	s.Files = []File{{Path: "/home/anna/site/README.md", Text: "# Read me\n"}, {Path: "/home/anna/site/more.md", Text: "# More\n"}}
	return s
}

func ids(s Snapshot) (shown, gone []SectionID) {
	for _, sec := range s.Sections {
		if sec.Text != "" {
			shown = append(shown, sec.ID)
		} else {
			gone = append(gone, sec.ID)
		}
	}
	return shown, gone
}

// T-42: the budget counts code points, of the whole block. What makes exactly
// 12,000 goes out whole; one more, and something is cut and said to be.
func TestBudgetIsExact(t *testing.T) {
	with := func(n int) Snapshot {
		s := page("/home/anna/site/index.html")
		text := strings.Repeat("日", n)
		s.Editor = &Editor{Text: text, Base: 12, Selection: &Range{Position{1, 1}, Position{1, n + 1}}}
		return Collect(s, Options{})
	}
	n := 11_000
	for n += core.SnapshotMaxRunes - with(n).Used; with(n).Used < core.SnapshotMaxRunes; n++ {
	}
	exact, over := with(n), with(n+1)
	if got := Render(exact); exact.Used != 12_000 || utf8.RuneCountInString(got) != 12_000 || exact.Truncated ||
		!strings.Contains(got, "Used 12000/12000 characters (Unicode code points). Truncated: no.\n") || strings.Count(got, "日") != n {
		t.Errorf("exact: %v, truncated %v", exact, exact.Truncated)
	}
	got := Render(over)
	if over.Used != utf8.RuneCountInString(got) || over.Used > 12_000 || over.Used < 11_900 || !over.Truncated ||
		!strings.Contains(got, "Truncated: yes.\nCut: Selection.\n") || !utf8.ValidString(got) {
		t.Errorf("over: %v, truncated %v\n%s", over, over.Truncated, got[len(got)-200:])
	}
}

// T-43, R-CTX-2: what stands later goes first, and what is gone is named.
func TestOrderOfTruncation(t *testing.T) {
	order := []SectionID{
		SectionDocument, SectionUnsaved, SectionUnavailable, SectionNearby, SectionDiagnostics, SectionTabs, SectionFiles,
	}
	before := len(order)
	seen := map[int]bool{}
	for room := 12_000; room > 200; room -= 13 {
		s := Collect(full(), Options{MaxRunes: room})
		if s.Used > room {
			t.Fatalf("%d of %d used", s.Used, room)
		}
		if len(s.Sections) == 0 {
			continue
		}
		shown, gone := ids(s)
		if !slices.Equal(shown, order[:len(shown)]) || !slices.Equal(gone, order[len(shown):]) {
			t.Fatalf("with room for %d: %v, without %v", room, shown, gone)
		}
		if len(shown) > before {
			t.Fatalf("with less room, %d, there is more: %v", room, shown)
		}
		for _, id := range gone {
			if !strings.Contains(Render(s), titles[id]) {
				t.Fatalf("%s is gone without a word:\n%s", id, Render(s))
			}
		}
		before = len(shown)
		seen[len(shown)] = true
	}
	if len(seen) < len(order)-1 {
		t.Errorf("only %d steps were seen", len(seen))
	}
}

// The lines near the cursor fill the room, and the diagnostics still go out.
func TestLinesNearTheCursorLeaveRoomForDiagnostics(t *testing.T) {
	s := full()
	wide := strings.Repeat(strings.Repeat("x", 119)+"\n", 400)
	s.Document.Text, s.Editor.Text, s.Editor.Dirty, s.Tabs, s.Files = nil, wide, false, nil, nil
	got := Collect(s, Options{})
	text := Render(got)
	if !strings.Contains(text, "fault 11") || !strings.Contains(text, "Cut: Near the cursor.") || got.Used < 11_500 {
		t.Errorf("%v\n%s", got, text[len(text)-700:])
	}
	s.Tabs = []Tab{{Path: "/home/anna/site/a.html"}}
	if text = Render(Collect(s, Options{})); !strings.Contains(text, "No room for: Open tabs.") {
		t.Error("tabs take what the lines near the cursor gave to the diagnostics")
	}
}

// CTX-6: a section the person leaves out is not there, and the model is told.
func TestPersonLeavesSectionsOut(t *testing.T) {
	s := Collect(full(), Options{LeaveOut: []SectionID{SectionFiles, SectionNearby, SectionSelection}})
	got := Render(s)
	if strings.Contains(got, "Read me") || strings.Contains(got, "item 100") || !strings.Contains(got, "Left out by the person: Near the cursor, Project files.\n") {
		t.Errorf("got\n%s", got)
	}
	if s.Truncated {
		t.Error("what is left out is not truncated")
	}
}

// R-CTX-5, T-31: whatever is missing, there is a snapshot or nothing, never a
// failure.
func TestPartsMayBeMissing(t *testing.T) {
	for _, s := range []Source{
		{},
		{Editor: &Editor{Text: "x", Cursor: &Position{1, 1}}},
		{Roots: []Root{{}}},
	} {
		if got := Render(Collect(s, Options{})); got != "" {
			t.Errorf("%+v gives\n%s", s, got)
		}
	}
	for _, s := range []Source{
		{Document: &Document{}},
		{Document: &Document{Path: "a.html"}, Editor: &Editor{Selection: &Range{}, Cursor: &Position{}}},
		{Document: &Document{Path: "a.html"}, Editor: &Editor{Cursor: &Position{9, 9}}},
		{Document: &Document{Path: "a.html"}, Editor: &Editor{Dirty: true, Text: "x", FirstLine: 7, Cursor: &Position{1, 1}}},
		{Preview: &Preview{}, Staged: &Staged{}},
		{Picks: []Pick{{}}},
	} {
		if got := Render(Collect(s, Options{})); !strings.Contains(got, "### Document") || strings.Contains(got, "%!") {
			t.Errorf("%+v gives\n%s", s, got)
		}
	}
	if s := Collect(full(), Options{MaxRunes: 100}); len(s.Sections) > 0 || Render(s) != "" || !s.Truncated {
		t.Errorf("a budget of 100 gives %q", Render(s))
	}
}

// T-44: what is logged or printed by mistake tells sizes and a hash, no text.
func TestLogsHoldNoText(t *testing.T) {
	src := full()
	snap := Collect(src, Options{})
	var b bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&b, nil))
	log.Info("turn", "scene", src, "snapshot", snap)
	fmt.Fprintf(&b, "%v %s", snap, snap)
	for _, leak := range []string{"anna", "item", "fault", "Read me", "index"} {
		if strings.Contains(b.String(), leak) {
			t.Errorf("%q is logged: %s", leak, b.String())
		}
	}
	if !strings.Contains(b.String(), `"sha256":"`) || !strings.Contains(b.String(), `"diagnostics":12`) {
		t.Errorf("logged is %s", b.String())
	}
}

// someSource draws a hostile source.
func someSource(t *rapid.T) Source {
	text := func(name string) string { return someText(t, name, 12) }
	n := func(name string) int { return rapid.IntRange(-1, 12).Draw(t, name) }
	s := Source{
		Roots: []Root{{Path: "/home/anna/site", Name: text("root")}},
		View:  text("view"), Panes: []string{text("pane")},
		Picks:       []Pick{{n("note"), text("pick"), n("line")}},
		Unavailable: []Unavailable{{text("what"), text("why")}},
		Files: []File{
			{Path: "/home/anna/site/" + text("file") + ".md", Text: someText(t, "fileText", 80)}, {Path: "a.md", Error: text("error")},
		},
		Tabs: []Tab{{Path: text("tab")}},
	}
	if rapid.Bool().Draw(t, "document") {
		s.Document = &Document{Path: "/home/anna/site/" + text("path"), Language: text("language"), Revision: int64(n("revision"))}
		s.Document.Text = ptr(someText(t, "saved", 60))
	}
	if rapid.Bool().Draw(t, "editor") {
		s.Editor = &Editor{Text: someText(t, "buffer", 60), Dirty: rapid.Bool().Draw(t, "dirty"), Base: int64(n("base"))}
		s.Editor.Cursor = &Position{n("cl"), n("cc")}
		if rapid.Bool().Draw(t, "selects") {
			s.Editor.Selection = &Range{Position{n("sl"), n("sc")}, Position{n("el"), n("ec")}}
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "diagnostics") {
		s.Diagnostics = append(s.Diagnostics, Diagnostic{
			Level: "error", World: World(text("world")), Path: text("dp"), Source: text("ds"), Message: text("dm"), Line: n("dl"), Column: n("dc"),
		})
	}
	return s
}

// R-CTX-4, T-38: nothing in a source can end its fence, begin a section, or say
// anything outside a fence or a code span; the block holds to its budget, says
// its own length, and is the same each time.
func TestNothingEscapes(t *testing.T) {
	fixed := map[string]bool{"## What the person has in view": true, "### Budget": true}
	for _, title := range titles {
		fixed["### "+title] = true
	}
	rapid.Check(t, func(t *rapid.T) {
		src := someSource(t)
		o := Options{MaxRunes: rapid.IntRange(1, 3_000).Draw(t, "max")}
		s := Collect(src, o)
		got := Render(s)
		if n := utf8.RuneCountInString(got); n > o.MaxRunes || n != s.Used || !utf8.ValidString(got) {
			t.Fatalf("%d code points, %d used, %d allowed", n, s.Used, o.MaxRunes)
		}
		if got != Render(Collect(src, o)) {
			t.Fatal("the same source gives two blocks")
		}
		fence := ""
		for _, line := range strings.FieldsFunc(got, func(r rune) bool { return r == '\n' || r == '\r' }) {
			bare := strings.TrimLeft(strings.TrimRight(line, " \t"), " ")
			ticks := bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
			switch {
			case fence != "" && bare == ticks && len(ticks) >= len(fence):
				fence = ""
			case fence != "":
			case len(ticks) >= 3 && !strings.Contains(bare[len(ticks):], "`"):
				if fence = ticks; !strings.HasPrefix(line[len(ticks):], "context") {
					t.Fatalf("a fence of somebody else: %q", line)
				}
			case strings.HasPrefix(bare, "#") && !fixed[line]:
				t.Fatalf("a heading of somebody else: %q in\n%s", line, got)
			case strings.ContainsAny(outsideSpans(line), "<\x1b\u202e\u2028~") || strings.Contains(outsideSpans(line), "日"):
				t.Fatalf("outside a code span: %q", line)
			}
		}
		if fence != "" {
			t.Fatalf("a fence is open at the end:\n%s", got)
		}
	})
}

// outsideSpans takes the code spans off a line, as CommonMark finds them.
func outsideSpans(line string) string {
	var b strings.Builder
	for line != "" {
		i := strings.IndexByte(line, '`')
		if i < 0 {
			break
		}
		b.WriteString(line[:i])
		rest := strings.TrimLeft(line[i:], "`")
		ticks := line[i : len(line)-len(rest)]
		line = rest
		for at := 0; ; {
			j := strings.Index(rest[at:], ticks)
			if j < 0 {
				break // no span; the ticks are text
			}
			end := at + j
			after := strings.TrimLeft(rest[end:], "`")
			if len(rest)-len(after)-end == len(ticks) {
				line = after
				break
			}
			at = len(rest) - len(after)
		}
	}
	return b.String() + line
}

// The form the workbench sends survives the wire, and quotes stay byte for byte
// what they were (REQUIREMENTS 2.3: a model copies them into exact edits).
func TestSourceGoesOverTheWire(t *testing.T) {
	src := full()
	src.Editor.Text = "<p>\t`` ``` \u202e é</p>\r\n<b>e\u0301</b>\r"
	src.Editor.Cursor = &Position{1, 1}
	raw, err := json.Marshal(src)
	if err != nil {
		t.Fatal(err)
	}
	var back Source
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	got := Render(Collect(back, Options{}))
	if got != Render(Collect(src, Options{})) || !strings.Contains(got, "context html\n"+src.Editor.Text+"\n````\n") {
		t.Errorf("got\n%s", got)
	}
	if _, err := json.Marshal(Collect(src, Options{})); err != nil {
		t.Error(err)
	}
}

func BenchmarkCollect5MB(b *testing.B) {
	s := full()
	text := strings.Repeat("<li>an item of a long page</li>\n", 5<<20/32)
	edited := strings.Replace(text, "long", "short", 1)
	s.Document.Text, s.Editor.Text = &text, edited
	b.ReportAllocs()
	for b.Loop() {
		Collect(s, Options{})
	}
}
