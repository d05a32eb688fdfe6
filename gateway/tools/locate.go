package tools

import (
	"context"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
)

// locateResult is document_locate's answer.
type locateResult struct {
	OK          bool       `json:"ok"`
	Grant       string     `json:"grant,omitempty"` // the one grant, where there is exactly one
	Target      targetInfo `json:"target"`
	Correctable bool       `json:"correctable"`
	status
}

// candidateInfo describes one of several matches, without granting anything.
type candidateInfo struct {
	Element string `json:"element"`
	Text    string `json:"text"`
	Where   string `json:"where"`
}

// locate finds exactly one element and grants one operation on it.
func (s *Set) locate(_ context.Context, a locateArgs) (Result, error) {
	if a.Tag == "" && a.Text == "" && a.Attribute == nil {
		return Result{}, badArguments("say what to look for: tag, text or attribute")
	}
	if s.locates >= core.MaxLocatesPerTurn {
		return Result{}, core.Errorf(core.Budget, "the %d locate calls of this turn are used up", core.MaxLocatesPerTurn).
			WithHint("nothing was done; use the grants you have, or document_patch")
	}
	s.locates++
	scope, err := s.scope(a.Note)
	if err != nil {
		return Result{}, err
	}
	tree := s.draft.Current()
	found := s.matches(scope, a)
	switch {
	case len(found) == 0:
		return Result{}, core.Errorf(core.NoMatch, "no element of the source matches").
			WithHint("nothing was granted; read the structure with document_read, and name what the source has, not what a script adds")
	case len(found) > 1:
		return Result{}, core.Errorf(core.SeveralMatches, "%d elements match", len(found)).
			WithHint("nothing was granted; add a tag, a text or an attribute that only the one meant has, or a note to look in").
			With("matches", len(found)).With("candidates", candidatesOf(tree, found))
	}
	id, op := found[0], htmledit.Kind(a.Operation)
	s.room = maxResultBytes
	info := s.describe(id)
	info.Number = 1
	info.granted = s.grantAll(id, a.Note, "locate", op)
	if why, no := info.Cannot[a.Operation]; no && len(info.Texts) == 0 {
		return Result{}, core.Errorf(core.Unsupported, "%s is not possible on this element: %s", a.Operation, why).
			WithHint("nothing was granted; choose another operation or element, or use document_patch")
	}
	out := locateResult{OK: true, Target: info, Grant: info.Grants[a.Operation], Correctable: true}
	if len(info.Texts) == 1 {
		out.Grant = info.Texts[0].Grant
	}
	out.status = s.status()
	return good(out), nil
}

// scope gives the elements to look in: 0, the document, or a note's targets.
func (s *Set) scope(order int) ([]htmlsrc.ID, error) {
	if order == 0 {
		return []htmlsrc.ID{0}, nil
	}
	n, err := s.needNote(order)
	if err != nil {
		return nil, err
	}
	var out []htmlsrc.ID
	for _, t := range n.Targets {
		if r := s.resolve(t); r.node != 0 {
			out = append(out, r.node)
		}
	}
	if len(out) == 0 {
		_, err := s.firstTarget(order)
		return nil, err
	}
	return out, nil
}

// matches gives the elements that fit the query, each once, in tree order. Of
// nested elements that hold the text only the innermost fit.
func (s *Set) matches(scope []htmlsrc.ID, a locateArgs) []htmlsrc.ID {
	tree := s.draft.Current()
	want := strings.Join(strings.Fields(a.Text), " ")
	var holders func(htmlsrc.ID) bool
	if want != "" {
		holders = holdersOf(tree, scope, want)
	}
	seen := map[htmlsrc.ID]bool{}
	var out []htmlsrc.ID
	var visit func(id htmlsrc.ID)
	visit = func(id htmlsrc.ID) {
		// What does not hold the text has nothing inside that does.
		if seen[id] || holders != nil && !holders(id) {
			return
		}
		seen[id] = true
		if id != 0 && fits(tree, id, a) {
			out = append(out, id)
		}
		for c := range tree.Content(id) {
			visit(c)
		}
		for c := range tree.Children(id) {
			visit(c)
		}
	}
	for _, id := range scope {
		visit(id)
	}
	if want == "" {
		return out
	}
	return innermost(tree, out)
}

func fits(t *htmlsrc.Tree, id htmlsrc.ID, a locateArgs) bool {
	if a.Tag != "" && !strings.EqualFold(a.Tag, t.Name(id)) {
		return false
	}
	if a.Attribute == nil {
		return true
	}
	for _, at := range t.Attrs(id) {
		if strings.EqualFold(at.Name, a.Attribute.Name) {
			return a.Attribute.Value == nil || *a.Attribute.Value == at.Value
		}
	}
	return false
}

// innermost drops every element that has another one of the list inside it.
// The list is in tree order, an element before what is inside it.
func innermost(t *htmlsrc.Tree, list []htmlsrc.ID) []htmlsrc.ID {
	outer := map[htmlsrc.ID]bool{}
	in := make(map[htmlsrc.ID]bool, len(list))
	for _, id := range list {
		in[id] = true
	}
	for _, id := range list {
		for p := t.Parent(id); p != 0 && !outer[p]; p = t.Parent(p) {
			if in[p] {
				outer[p] = true
			}
		}
	}
	var out []htmlsrc.ID
	for _, id := range list {
		if !outer[id] {
			out = append(out, id)
		}
	}
	return out
}

func candidatesOf(t *htmlsrc.Tree, ids []htmlsrc.ID) []candidateInfo {
	var out []candidateInfo
	for _, id := range ids {
		if len(out) == maxCandidates {
			break
		}
		out = append(out, candidateInfo{Element: tagSource(t, id, maxTagBytes), Text: quote(t, id, core.QuoteRunes), Where: where(t, id)})
	}
	return out
}
