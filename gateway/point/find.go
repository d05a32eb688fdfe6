package point

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
	"proofmark/gateway/surface"
)

// listedMatches is how many elements a refused selector names.
const listedMatches = 10

// Match is one element of an ambiguous selector, as a person reads it.
type Match struct {
	Path string `json:"path"` // as Parse takes it
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
}

// String writes a match as the command line shows it.
func (m Match) String() string {
	s := fmt.Sprintf("--at '%s'   <%s>", m.Path, m.Name)
	if m.Text != "" {
		s += "  " + m.Text
	}
	return s
}

// Find gives the live element a target names. Refusals: SelectorNoMatch,
// SelectorAmbiguous with Detail "matches" ([]Match) and "count", SelectorInvalid,
// those of the surface.
func Find(ctx context.Context, s contract.Surface, t Target) (contract.Pick, error) {
	switch {
	case t.At != nil:
		pick, err := s.PickAt(ctx, t.At[0], t.At[1])
		return pick, hinted(err, t, "a point is counted in CSS pixels from the upper left of the view")
	case t.Indexes != nil:
		pick, err := s.ByPath(ctx, t.Indexes)
		return pick, hinted(err, t, "`proofmark map FILE` lists the paths; on the page scripts may have moved them")
	}
	picks, total, err := s.Query(ctx, t.Selector, listedMatches)
	if err != nil {
		return contract.Pick{}, err
	}
	switch total {
	case 0:
		return contract.Pick{}, core.Errorf(core.SelectorNoMatch, "the selector %q matches nothing on the page", t.Selector).
			With("target", t.Text).WithHint("`proofmark map FILE` lists the elements")
	case 1:
		return picks[0], nil
	}
	var list []Match
	for _, m := range picks {
		list = append(list, Match{Path: LivePath(m), Name: LiveName(m), Text: m.Text})
	}
	return contract.Pick{}, core.Errorf(core.SelectorAmbiguous, "the selector %q matches %d elements", t.Selector, total).
		With("target", t.Text).With("count", total).With("matches", list).
		WithHint("make the selector narrower, or take one of the paths")
}

// Prove proves a live element of a preview down to one start tag of the source
// in tree, whose SHA-256 is sha. Refusals: those of Preview.Claim and proof.Verify.
func Prove(ctx context.Context, p *surface.Preview, pick contract.Pick, tree *htmlsrc.Tree, sha string) (proof.Verified, error) {
	claim, err := p.Claim(ctx, pick)
	if err != nil {
		return proof.Verified{}, err
	}
	return proof.Verify(claim, tree, sha)
}

// hinted adds a hint, and the target, to an error that says there is nothing.
func hinted(err error, t Target, hint string) error {
	if core.CodeOf(err) != core.SelectorNoMatch {
		return err
	}
	e := core.AsError(err)
	if e.Hint == "" {
		e = e.WithHint("%s", hint)
	}
	return e.With("target", t.Text)
}

// LivePath writes a live element's path as Parse takes it; empty where it lies
// in a template's contents or a shadow root.
func LivePath(p contract.Pick) string {
	var path []core.PathStep
	for i := len(p.Chain) - 1; i >= 0; i-- {
		if p.Chain[i].Step != "" {
			return ""
		}
		path = append(path, core.PathStep{Name: p.Chain[i].Name, Index: p.Chain[i].Index})
	}
	return PathText(path)
}

// PathText writes a path as /html/2/1.
func PathText(path []core.PathStep) string {
	var b strings.Builder
	for i, p := range path {
		if i == 0 {
			b.WriteString("/" + p.Name)
			continue
		}
		b.WriteString("/" + strconv.Itoa(p.Index))
	}
	return b.String()
}

// LiveName writes an element's name with the attributes people know it by.
func LiveName(p contract.Pick) string {
	if len(p.Chain) == 0 {
		return "?"
	}
	l := p.Chain[0]
	s := l.Name
	for _, at := range l.Attrs {
		switch at.Name {
		case "id", "class", "href", "name":
			s += " " + at.Name + "=" + quoted(at.Value)
		}
	}
	return s
}

func quoted(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:39]) + "…"
	}
	return `"` + s + `"`
}
