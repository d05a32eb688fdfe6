package tools

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

type grantSeen struct {
	token string
	granting
}

var idInTag = regexp.MustCompile(`id="(e\d+)"`)

// grantsIn reads the grants out of a result, with the element each is for.
func grantsIn(t testing.TB, text string) []grantSeen {
	var in struct {
		Notes []struct {
			Targets []targetInfo `json:"targets"`
		} `json:"notes"`
		Target targetInfo `json:"target"`
	}
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		t.Fatal(err)
	}
	targets := []targetInfo{in.Target}
	for _, n := range in.Notes {
		targets = append(targets, n.Targets...)
	}
	var out []grantSeen
	for _, target := range targets {
		m := idInTag.FindStringSubmatch(target.Element)
		if m == nil {
			continue
		}
		for op, token := range target.Grants {
			out = append(out, grantSeen{token, granting{m[1], op}})
		}
		for _, run := range target.Texts {
			out = append(out, grantSeen{run.Grant, granting{m[1], "replace_text"}})
		}
	}
	slices.SortFunc(out, func(a, b grantSeen) int { return strings.Compare(a.element+a.operation, b.element+b.operation) })
	return out
}

// checkChange: only a writer that went through changed anything, only inside
// what it may, and code only with a flag.
func (a *adversary) checkChange(before, after *htmlsrc.Tree, res Result, may func(*htmlsrc.Tree) []core.Span) {
	if res.IsError || may == nil {
		a.failf("%s changed the draft", res.Tool)
	}
	a.staged++
	if why := outsideSame(before.Source(), after.Source(), may(before)); why != "" {
		a.failf("%s:\n%s\nbecame\n%s", why, before.Source(), after.Source())
	}
	if code(after) != code(a.r.draft.base) && !slices.ContainsFunc(a.r.draft.flags, func(f core.PolicyFlag) bool {
		return f.Kind == "script" || f.Kind == "event_handler" || f.Kind == "url_scheme" || f.Kind == "frame"
	}) && len(code(after)) >= len(code(a.r.draft.base)) {
		a.failf("code was added without a flag: %v\n%s", a.r.draft.flags, after.Source())
	}
}

// outsideSame tells whether after is before with something else in place of the
// spans and nothing else; if not, why.
func outsideSame(before, after []byte, spans []core.Span) string {
	slices.SortFunc(spans, func(a, b core.Span) int { return a.Start - b.Start })
	rest, at := string(after), 0
	for i := 0; i <= len(spans); i++ {
		end := len(before)
		if i < len(spans) {
			end = max(at, spans[i].Start)
		}
		keep := string(before[at:end])
		n := strings.Index(rest, keep)
		switch {
		case i == 0 && n != 0:
			return "bytes before the first span changed"
		case i == len(spans) && !strings.HasSuffix(rest, keep):
			return "bytes behind the last span changed"
		case n < 0:
			return fmt.Sprintf("bytes between spans changed: %q", keep)
		}
		rest = rest[n+len(keep):]
		if i < len(spans) {
			at = max(at, spans[i].End)
		}
	}
	return ""
}

// code gives all that a page could run, one item a line, sorted.
func code(t *htmlsrc.Tree) string {
	var out []string
	for id := range t.Elements() {
		if t.Name(id) == "script" {
			end := len(t.Source())
			if tag, ok := t.EndTag(id); ok {
				end = tag.Start
			}
			start, _ := t.StartTag(id)
			out = append(out, "script "+string(t.Source()[start.Start:end]))
		}
		for _, at := range t.Attrs(id) {
			v := strings.ToLower(strings.Map(func(r rune) rune {
				if r <= ' ' {
					return -1
				}
				return r
			}, at.Value))
			if strings.HasPrefix(strings.ToLower(at.Name), "on") || active[at.Name] && (strings.HasPrefix(v, "javascript:") || strings.HasPrefix(v, "data:text/html")) || at.Name == "srcdoc" && t.Name(id) == "iframe" {
				out = append(out, at.Name+"="+at.Value)
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

var active = map[string]bool{"href": true, "src": true, "action": true, "formaction": true, "data": true, "xlink:href": true}

// elementByID gives the element with the id, 0 where there is none.
func elementByID(t *htmlsrc.Tree, id string) htmlsrc.ID {
	for e := range t.Elements() {
		for _, at := range t.Attrs(e) {
			if at.Name == "id" && at.Value == id {
				return e
			}
		}
	}
	return 0
}

// allowed gives the span that a grant may change.
func (g granting) allowed(t *htmlsrc.Tree) core.Span {
	e := elementByID(t, g.element)
	if e == 0 {
		return core.Span{}
	}
	tag, _ := t.StartTag(e)
	whole, _ := t.Range(e)
	switch g.operation {
	case "replace_text":
		return core.Span{Start: tag.End, End: max(tag.End, whole.End)}
	case "remove_node":
		return whole
	}
	return tag
}
