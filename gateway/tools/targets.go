package tools

import (
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// target is one target of a note in the document as it is now.
type target struct {
	sent   core.SentTarget
	node   htmlsrc.ID // 0 where it is not found for certain
	reason string     // why not
}

// noteByOrder gives the note with the order, or nil.
func (s *Set) noteByOrder(order int) *core.SentNote {
	for i := range s.cfg.Turn.Notes {
		if s.cfg.Turn.Notes[i].Order == order {
			return &s.cfg.Turn.Notes[i]
		}
	}
	return nil
}

func (s *Set) needNote(order int) (*core.SentNote, error) {
	n := s.noteByOrder(order)
	if n == nil {
		return nil, core.Errorf(core.ToolArguments, "there is no note %d; this turn has %d", order, len(s.cfg.Turn.Notes)).
			WithHint("nothing was done; name a note by its order in document_inspect")
	}
	return n, nil
}

// resolve finds a note's target in the current bytes: the base's anchor,
// carried through the staged edits (R-TURN-5).
func (s *Set) resolve(t core.SentTarget) target {
	if t.Resolution != core.Exact {
		return target{sent: t, reason: orElse(t.Reason, "it was not found for certain")}
	}
	a, how, why := s.draft.Reproject(t.Anchor)
	if how != core.Exact {
		return target{sent: t, reason: orElse(why, "the draft changed it")}
	}
	tree := s.draft.Current()
	id, ok := tree.Find(a.Path)
	if ok {
		tag, has := tree.StartTag(id)
		ok = has && tag == a.StartTag && tree.Name(id) == a.Name
	}
	if !ok {
		return target{sent: t, reason: "it is not where it was"}
	}
	return target{sent: t, node: id}
}

// firstTarget gives the first target of a note that is found for certain.
func (s *Set) firstTarget(order int) (htmlsrc.ID, error) { return s.target(order, 0) }

// target gives one of a note's targets by number, or the first that can be
// told where number is 0.
func (s *Set) target(order, number int) (htmlsrc.ID, error) {
	n, err := s.needNote(order)
	if err != nil {
		return 0, err
	}
	why := "it has no target"
	if number < 0 || number > len(n.Targets) {
		return 0, badArguments("note %d has %d targets", order, len(n.Targets))
	}
	for i, t := range n.Targets {
		if number != 0 && number != i+1 {
			continue
		}
		r := s.resolve(t)
		if r.node != 0 {
			return r.node, nil
		}
		why = r.reason
	}
	return 0, core.Errorf(core.NoMatch, "no target of note %d can be told for certain: %s", order, why).
		WithHint("nothing was done; use document_read to see the page, and document_locate to find the element meant")
}

// tagSource gives the element's start tag as it stands in the source, at most
// that many bytes of it.
func tagSource(t *htmlsrc.Tree, id htmlsrc.ID, most int) string {
	span, ok := t.StartTag(id)
	if !ok {
		return "<" + t.Name(id) + "> (without a tag in the source)"
	}
	return clip(string(t.Source()[span.Start:span.End]), most)
}

// attributes gives the element's attributes as the source has them, bounded.
func attributes(t *htmlsrc.Tree, id htmlsrc.ID) []attribute {
	var out []attribute
	room := maxAttrBytes
	for _, a := range t.Attrs(id) {
		at := attribute{Name: clip(a.Name, core.MaxAttributeNameLen), Value: clip(a.Value, maxAttrValueBytes)}
		if room -= len(at.Name) + len(at.Value); room < 0 || len(out) == maxAttributes {
			break
		}
		out = append(out, at)
	}
	return out
}

type attribute struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// quote gives the start of the element's text, white space collapsed, at most
// runes characters.
func quote(t *htmlsrc.Tree, id htmlsrc.ID, runes int) string {
	var b strings.Builder
	gather(t, id, &b, runes*4, 0)
	return clipRunes(strings.Join(strings.Fields(b.String()), " "), runes)
}

// gather appends the element's text in order until there is enough of it.
func gather(t *htmlsrc.Tree, id htmlsrc.ID, b *strings.Builder, enough, depth int) {
	if depth > 600 || isCode(t.Name(id)) {
		return
	}
	for c := t.FirstChild(id); c != 0 && b.Len() < enough; c = t.NextSibling(c) {
		if t.IsText(c) {
			b.WriteString(clip(t.Text(c), enough))
			continue
		}
		block := !inline[t.Name(c)]
		if block {
			b.WriteByte(' ')
		}
		gather(t, c, b, enough, depth+1)
		if block {
			b.WriteByte(' ')
		}
	}
}

// isCode tells whether an element's text is not for reading.
func isCode(name string) bool { return name == "script" || name == "style" || name == "template" }

var inline = map[string]bool{
	"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "data": true,
	"del": true, "dfn": true, "em": true, "font": true, "i": true, "ins": true, "kbd": true, "mark": true,
	"q": true, "s": true, "samp": true, "small": true, "span": true, "strong": true, "sub": true, "sup": true,
	"time": true, "tspan": true, "u": true, "var": true, "wbr": true,
}

// where gives the names of an element's nearest ancestors, outermost first, so
// that like elements can be told apart.
func where(t *htmlsrc.Tree, id htmlsrc.ID) string {
	var names []string
	for p := t.Parent(id); p != 0 && len(names) < maxWhereSteps; p = t.Parent(p) {
		names = append(names, label(t, p))
	}
	for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
		names[i], names[j] = names[j], names[i]
	}
	return strings.Join(names, " > ")
}

// label names an element shortly: its tag name and its first class.
func label(t *htmlsrc.Tree, id htmlsrc.ID) string {
	name := t.Name(id)
	for _, a := range t.Attrs(id) {
		if a.Name == "class" {
			if f := strings.Fields(clip(a.Value, maxStructureLabels)); len(f) > 0 {
				return name + "." + f[0]
			}
		}
	}
	return name
}

// clip cuts s to at most n bytes on a rune border and marks the cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// clipRunes cuts s to at most n characters and marks the cut.
func clipRunes(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
