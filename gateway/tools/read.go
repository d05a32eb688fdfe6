package tools

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

// readResult is document_read's answer.
type readResult struct {
	OK          bool     `json:"ok"`
	Mode        string   `json:"mode"`
	Page        int      `json:"page,omitempty"`
	Pages       int      `json:"pages,omitempty"`
	Text        string   `json:"text,omitempty"`   // of the page
	Places      []string `json:"places,omitempty"` // of a search, each with its surroundings
	Matches     int      `json:"matches,omitempty"`
	More        bool     `json:"more"` // there is more to read
	Correctable bool     `json:"correctable"`
	status
}

// read answers with a part of the source or the structure. It grants nothing.
func (s *Set) read(_ context.Context, a readArgs) (Result, error) {
	given := 0
	for _, set := range []bool{a.Page > 0, a.Around > 0, a.Find != ""} {
		if set {
			given++
		}
	}
	if given > 1 {
		return Result{}, badArguments("page, around and find exclude each other")
	}
	tree := s.draft.Current()
	out := readResult{OK: true, Mode: orElse(a.Mode, "source"), Correctable: true}
	switch {
	case a.Find != "":
		out.Places, out.Matches = places(tree.Source(), a.Find)
		// The file's line ends may be other ones than the model writes.
		if other := textpatch.WithEOL(a.Find, textpatch.EOL(tree.Source())); out.Matches == 0 && other != a.Find {
			out.Places, out.Matches = places(tree.Source(), other)
		}
		if out.Matches == 0 {
			return Result{}, core.Errorf(core.NoMatch, "the source does not hold this text").
				WithHint("nothing was done; the text is compared exactly, with its white space and character references as the source has them")
		}
		out.More = out.Matches > len(out.Places)
	case a.Around > 0:
		id, err := s.firstTarget(a.Around)
		if err != nil {
			return Result{}, err
		}
		out.Text, out.More = around(tree, id)
	default:
		text := tree.Source()
		if out.Mode == "structure" {
			text = structure(tree)
		}
		out.Page = max(1, a.Page)
		page, pages := pageOf(text, out.Page)
		if out.Page > pages {
			return Result{}, core.Errorf(core.ToolArguments, "there is no page %d; the %s has %d", out.Page, out.Mode, pages).
				WithHint("nothing was done; ask for a page from 1 to %d", pages)
		}
		out.Text, out.Pages, out.More = page, pages, out.Page < pages
	}
	out.status = s.status()
	return good(out), nil
}

// pageOf gives one page of a text and how many there are. Pages end behind a
// line where a line ends in them, else on a rune border, so all of them put
// together are the text.
func pageOf(text []byte, want int) (string, int) {
	found, n := "", 0
	for rest := text; len(rest) > 0 || n == 0; {
		cut := pageEnd(rest, core.ReadPageBytes)
		n++
		if n == want {
			found = string(rest[:cut])
		}
		rest = rest[cut:]
	}
	return found, n
}

// pageEnd gives where the page of at most size bytes that begins at rest's start
// ends.
func pageEnd(rest []byte, size int) int {
	if len(rest) <= size {
		return len(rest)
	}
	if i := bytes.LastIndexByte(rest[:size], '\n'); i >= core.MinReadPageBytes {
		return i + 1
	}
	cut := size
	for cut > size-utf8.UTFMax && !utf8.RuneStart(rest[cut]) {
		cut--
	}
	return cut
}

// around gives half a page of source with the element's start tag in it, from
// whole line to whole line where lines are short enough.
func around(t *htmlsrc.Tree, id htmlsrc.ID) (string, bool) {
	span, ok := t.StartTag(id)
	if !ok {
		span, _ = t.Inner(id)
	}
	src := t.Source()
	from := max(0, span.Start-aroundBytes/4)
	if i := bytes.LastIndexByte(src[from:span.Start], '\n'); from > 0 && i >= 0 {
		if j := bytes.IndexByte(src[from:span.Start], '\n'); j >= 0 {
			from += j + 1
		}
	}
	for from < span.Start && !utf8.RuneStart(src[from]) {
		from++
	}
	end := from + pageEnd(src[from:], aroundBytes)
	return string(src[from:end]), from > 0 || end < len(src)
}

// places gives the surroundings of every match, at most maxFindResults, and
// how many matches there are.
func places(src []byte, find string) ([]string, int) {
	var out []string
	n := 0
	for from := 0; ; {
		i := bytes.Index(src[from:], []byte(find))
		if i < 0 {
			return out, n
		}
		at := from + i
		n++
		if len(out) < maxFindResults {
			lo, hi := max(0, at-findContextBytes), min(len(src), at+len(find)+findContextBytes)
			for lo < at && !utf8.RuneStart(src[lo]) {
				lo++
			}
			for hi < len(src) && hi > at+len(find) && !utf8.RuneStart(src[hi]) {
				hi--
			}
			out = append(out, string(src[lo:hi]))
		}
		from = at + len(find)
	}
}

// structure gives the element tree as indented lines: tag, id, first class and
// the start of the element's own text.
func structure(t *htmlsrc.Tree) []byte {
	var b bytes.Buffer
	outline(t, 0, 0, &b)
	return b.Bytes()
}

func outline(t *htmlsrc.Tree, id htmlsrc.ID, depth int, b *bytes.Buffer) {
	each := func(c htmlsrc.ID) {
		for range min(depth, maxStructureDepth) {
			b.WriteString("  ")
		}
		b.WriteString(outlineLine(t, c))
		b.WriteByte('\n')
		outline(t, c, depth+1, b)
	}
	for c := range t.Content(id) {
		each(c)
	}
	for c := range t.Children(id) {
		each(c)
	}
}

func outlineLine(t *htmlsrc.Tree, id htmlsrc.ID) string {
	var b strings.Builder
	b.WriteString(clip(t.Name(id), maxStructureLabels))
	for _, a := range t.Attrs(id) {
		if a.Value == "" {
			continue
		}
		switch a.Name {
		case "id":
			b.WriteString(" #" + clip(a.Value, maxStructureLabels))
		case "class":
			b.WriteString(" ." + strings.Join(strings.Fields(clip(a.Value, maxStructureLabels)), "."))
		}
	}
	if isCode(t.Name(id)) {
		return b.String()
	}
	var own strings.Builder
	for _, run := range t.TextRuns(id) {
		own.WriteString(clip(t.Text(run), maxStructureLabels))
		if own.Len() >= maxStructureLabels {
			break
		}
	}
	if text := strings.Join(strings.Fields(own.String()), " "); text != "" {
		b.WriteString(" “" + clip(text, maxStructureLabels) + "”")
	}
	return b.String()
}
