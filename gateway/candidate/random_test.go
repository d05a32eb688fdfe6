package candidate_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"proofmark/examples"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// Settings of the random edits: how many, the seed, and pages of one's own to
// try them on, separated by colons.
const (
	envEdits = "PROOFMARK_LAYOUT_EDITS"
	envSeed  = "PROOFMARK_LAYOUT_SEED"
	envPages = "PROOFMARK_LAYOUT_PAGES"
)

// samples gives the pages that are edited at random, as files with what lies
// beside them.
func samples(t *testing.T) []string {
	t.Helper()
	if own := os.Getenv(envPages); own != "" {
		return strings.Split(own, ":")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, examples.Files()); err != nil {
		t.Fatal(err)
	}
	var out []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".html") {
			out = append(out, filepath.Join(dir, path))
		}
		return err
	})
	if err != nil || len(out) < 3 {
		t.Fatalf("%d example pages, %v", len(out), err)
	}
	return out
}

// R-TURN-7: no edit as a person makes it is held against a page for its layout,
// wherever it is made.
func TestOrdinaryEditsAtRandom(t *testing.T) {
	edits := 6
	if n, err := strconv.Atoi(os.Getenv(envEdits)); err == nil {
		edits = n
	}
	seed, _ := strconv.ParseUint(os.Getenv(envSeed), 10, 64)
	rng := rand.New(rand.NewPCG(seed, 7))
	pages := samples(t)
	var counts struct{ edits, compared int }
	for i := 0; counts.edits < edits && i < 10*edits; i++ {
		file := pages[i%len(pages)]
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(t, string(src))
		r.opt.Width, r.opt.Height, r.opt.AssetDir = 1280, 800, filepath.Dir(file)
		id := pickAny(rng, r.Tree)
		what, e, ok := anyEdit(rng, r.Tree, id)
		if !ok {
			continue
		}
		r.aim(id)
		s := r.begin()
		if _, err := s.Stage(t.Context(), []core.Edit{e}); err != nil {
			s.Close()
			continue // an edit the structure does not allow is not made
		}
		counts.edits++
		l := look(t, s)
		v := l.Verification
		counts.compared += v.Compared
		for _, f := range l.Faults {
			if strings.Contains(f, "layout: ") {
				t.Errorf("%s: %s on %s at %d: %s", filepath.Base(file), what, r.Tree.Name(id), e.Span.Start, f)
			}
		}
		s.Close()
	}
	if counts.edits < edits || counts.compared < 20*edits {
		t.Errorf("%d edits, %d elements compared", counts.edits, counts.compared)
	}
}

// pickAny gives an element a person can point at.
func pickAny(rng *rand.Rand, t *htmlsrc.Tree) htmlsrc.ID {
	var ids []htmlsrc.ID
	for id := range t.Elements() {
		if _, ok := t.StartTag(id); ok && t.NS(id) == htmlsrc.HTML && t.SharedBy(id) == 1 && !slices.Contains(
			[]string{"html", "head", "body", "meta", "title", "style", "script", "link", "template", "base", "noscript"}, t.Name(id)) {
			ids = append(ids, id)
		}
	}
	return ids[rng.IntN(len(ids))]
}

// anyEdit gives an edit as people ask for them.
func anyEdit(rng *rand.Rand, t *htmlsrc.Tree, id htmlsrc.ID) (what string, e core.Edit, ok bool) {
	tag, _ := t.StartTag(id)
	styles := []string{
		"font-weight:bold", "font-size:1.6em", "display:none", "visibility:hidden", "color:red;background:#ff0", "padding:40px;text-align:center",
		"margin-top:60px", "width:50%", "text-transform:uppercase;letter-spacing:.2em", "border:8px solid",
	}
	switch n := rng.IntN(len(styles) + 6); {
	case n < len(styles):
		_, styled := t.Attr(id, "style")
		at := tag.Start + len("<") + len(t.Name(id))
		return styles[n], core.Edit{Note: 1, Span: core.Span{Start: at, End: at}, Replacement: fmt.Sprintf(" style=%q", styles[n])}, !styled
	case n < len(styles)+2:
		span, why := t.Range(id)
		return "remove", core.Edit{Note: 1, Span: span}, why == ""
	}
	for _, run := range t.TextRuns(id) {
		if text := strings.TrimSpace(t.Text(run)); text != "" && !t.RawText(id) && !strings.ContainsAny(text, "<&") {
			return "longer text", core.Edit{Note: 1, Span: t.TextSpan(run), Replacement: strings.Repeat(text+" ", 2+rng.IntN(5))}, true
		}
	}
	return "", e, false
}
