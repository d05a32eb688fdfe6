package htmledit

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

// CheckScripts proves that the edits change code only in ways that can be
// checked; before and after are the maps of Check. It gives what a person has
// to approve beyond what Added finds. It refuses with ScriptRegion.
//
// Code is the text of script elements and the values of event handlers. What
// must hold:
//
//   - An edit inside code stays inside: it neither reaches beyond it nor ends it.
//   - Code that an edit changes was JavaScript (or JSON, by the script's type)
//     and still is. Of other types nothing is known, so it is not changed. Every
//     such change is to be approved, but for JSON that is data.
//   - Code that the edits put in is JavaScript, or JSON, where its type says so.
//   - A script may go with an element around it. One that goes by itself is to be
//     approved.
func CheckScripts(before, after *htmlsrc.Tree, edits []core.Edit) ([]core.PolicyFlag, error) {
	edits, err := textpatch.Normalize(edits, len(before.Source()))
	if err != nil {
		return nil, core.AsError(err).In("htmledit.CheckScripts")
	}
	edits = refined(before, edits)
	c := scripts{
		b: newSpans(before, edits), a: newSpans(after, textpatch.Inverse(before.Source(), edits)),
		edits: edits, had: map[sameCode]int{},
	}
	c.was, c.is = codeIn(before, c.b), codeIn(after, c.a)
	c.inert = inertIn(after)
	for _, step := range []func() error{c.lateHandlers, c.changed, c.added} {
		if err := step(); err != nil {
			return nil, core.AsError(err).In("htmledit.CheckScripts")
		}
	}
	return c.flags, nil
}

// MergeFlags puts lists of flags together, sorted, each flag once.
func MergeFlags(lists ...[]core.PolicyFlag) []core.PolicyFlag {
	out := slices.Concat(lists...)
	slices.SortFunc(out, func(a, b core.PolicyFlag) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Detail, b.Detail))
	})
	return slices.Compact(out)
}

// scripts is one run of CheckScripts.
type scripts struct {
	b, a    *side
	edits   []core.Edit
	was, is []code           // near the edits, before and after
	done    map[int]bool     // of is: those that are the same place as one of was
	had     map[sameCode]int // code that was there and need not be checked when it stands elsewhere
	inert   []bool
	flags   []core.PolicyFlag
}

type sameCode struct {
	kind       codeKind
	name, text string
}

func (c code) same() sameCode { return sameCode{c.kind, c.name, c.text} }

// meeting says how the edits meet a place of code.
type meeting uint8

const (
	apart  meeting = iota
	inside         // some are in it, none reaches beyond
	gone           // the element is not there any more
)

// lateHandlers refuses to edit a second html or body tag that holds a handler:
// whether it counts depends on the first.
func (c *scripts) lateHandlers() error {
	for id := range c.b.t.Elements() {
		if n := c.b.t.Name(id); n != "html" && n != "body" {
			continue
		}
		for _, tag := range c.b.t.LateTags(id) {
			if !c.b.meets(tag) {
				continue
			}
			for _, a := range readTag(c.b.t.Source()[tag.Start:tag.End]) {
				if isHandler(lower(a.Name)) {
					return refuseScript("an edit meets an event handler in a second <%s> tag of the page", c.b.t.Name(id))
				}
			}
		}
	}
	return nil
}

// changed looks at the code that was there.
func (c *scripts) changed() error {
	c.done = map[int]bool{}
	for _, w := range c.was {
		how, err := c.meet(w)
		if err != nil {
			return err
		}
		c.had[w.same()]++
		switch how {
		case inside:
			if err := c.edited(w); err != nil {
				return err
			}
		case gone:
			c.taken(w)
		}
	}
	return nil
}

// meet tells how the edits meet a place of code.
func (c *scripts) meet(w code) (meeting, error) {
	if !c.stays(w) {
		return gone, nil
	}
	how := apart
	around := w.span
	if w.name != "" {
		around = w.attr
	}
	for i := c.b.first(w.element.Start - 1); i < len(c.edits) && c.edits[i].Span.Start <= w.element.End; i++ {
		e := c.edits[i]
		switch {
		case w.holds(e):
			how = inside
		case e.Span.Overlaps(around):
			return apart, reaches(w)
		}
	}
	return how, nil
}

// stays tells whether the code's element is still there: its "<" is, and it
// begins the same element.
func (c *scripts) stays(w code) bool {
	if c.b.meets(core.Span{Start: w.tag.Start, End: w.tag.Start + 1}) {
		return false
	}
	at := c.b.moved(w.tag.Start)
	for id := c.a.t.At(at); id != 0; id = c.a.t.Parent(id) {
		if tag, ok := c.a.t.StartTag(id); ok && tag.Start == at {
			return c.a.t.Name(id) == c.b.t.Name(w.id) && c.a.t.NS(id) == c.b.t.NS(w.id)
		}
	}
	return false
}

// holds tells whether the edit is one of the code itself. What is put behind
// the name of a handler without a value makes new code; what is put behind a
// value without quotes, and begins with a blank, is behind it.
func (w code) holds(e core.Edit) bool {
	if !w.span.Contains(e.Span) || w.name != "" && !w.valued {
		return false
	}
	behind := w.bare && e.Span.Len() == 0 && e.Span.Start == w.span.End
	return !behind || !strings.ContainsAny(e.Replacement[:min(1, len(e.Replacement))], spaces)
}

// edited checks code that edits change in place.
func (c *scripts) edited(w code) error {
	i := slices.IndexFunc(c.is, func(n code) bool { return n.name == w.name && n.tag.Start == c.b.moved(w.tag.Start) })
	if i < 0 || c.is[i].span.Start != c.b.moved(w.span.Start-1)+1 || c.is[i].span.End != c.b.moved(w.span.End) {
		return refuseScript("the new text would end the code it stands in").
			WithHint("keep </script, quotes and the like out of code, or write them so that they do not end it")
	}
	n := c.is[i]
	c.done[i] = true
	if w.text == n.text && w.kind == n.kind {
		return nil
	}
	if err := correct(w.text, w.kind); err != nil {
		return refuseScript("the %s that is there cannot be checked, so it cannot be changed (%v)", describe(w), err).
			WithHint("leave it as it is, and say so to the person")
	}
	if err := correct(n.text, n.kind); err != nil {
		return refuseScript("the changed %s would not be correct %s: %v", describe(n), n.kind.language(), err).
			WithHint("nothing changed; correct the replacement and send the whole patch again")
	}
	if f, asks := n.flag(c.a.t, c.inert); asks {
		c.flags = append(c.flags, f)
	}
	return nil
}

// taken flags a script that goes by itself: one that goes with an element around
// it is part of that.
func (c *scripts) taken(w code) {
	if w.name != "" {
		return
	}
	for p := c.b.t.Parent(w.id); p != 0; p = c.b.t.Parent(p) {
		if tag, ok := c.b.t.StartTag(p); ok {
			if c.b.meets(core.Span{Start: tag.Start, End: tag.Start + 1}) {
				return
			}
			break
		}
	}
	if slices.ContainsFunc(c.is, func(n code) bool { return n.same() == w.same() }) {
		return
	}
	if f, asks := w.flag(c.b.t, nil); asks {
		f.Detail = "taken out: " + f.Detail
		c.flags = append(c.flags, f)
	}
}

// added checks the code that was not there before. Added flags it.
func (c *scripts) added() error {
	for i, n := range c.is {
		if c.done[i] {
			continue
		}
		if c.had[n.same()] > 0 || n.kind == codeOther {
			continue
		}
		if err := correct(n.text, n.kind); err != nil {
			return refuseScript("the new %s is not correct %s: %v", describe(n), n.kind.language(), err).
				WithHint("nothing changed; correct the replacement and send the whole patch again")
		}
	}
	return nil
}

func describe(c code) string {
	switch {
	case c.name != "":
		return "event handler " + quoted(c.name)
	case c.kind == codeJSON || c.kind == codeSteer:
		return "data of a script element"
	}
	return "script"
}

func reaches(w code) error {
	if w.name != "" {
		return refuseScript("an edit takes or cuts the event handler %s", quoted(w.name)).
			WithHint("change what is between its quotes, or take the whole element")
	}
	return refuseScript("an edit reaches across the border of a script").
		WithHint("change a script by an edit of its own, all of it between the script's tags")
}

func refuseScript(format string, args ...any) *core.Error {
	return core.Errorf(core.ScriptRegion, format, args...)
}

// refined takes out of edits that reach across code what they only repeat.
func refined(t *htmlsrc.Tree, edits []core.Edit) []core.Edit {
	places := codeIn(t, newSpans(t, edits))
	if len(places) == 0 {
		return edits
	}
	src := t.Source()
	var out []core.Edit
	for _, e := range edits {
		crosses := slices.ContainsFunc(places, func(c code) bool {
			return e.Span.Overlaps(c.element) && !c.span.Contains(e.Span)
		})
		if !crosses || e.Replacement == "" {
			out = append(out, e)
			continue
		}
		for _, d := range textpatch.Diff(src[e.Span.Start:e.Span.End], []byte(e.Replacement)) {
			d.Span = core.Span{Start: d.Span.Start + e.Span.Start, End: d.Span.End + e.Span.Start}
			d.Note, d.Notes = e.Note, e.Notes
			out = append(out, d)
		}
	}
	return out
}

// mayHoldHandler is a quick look at a tag's bytes for "on".
func mayHoldHandler(tag []byte) bool {
	for i := 0; i+1 < len(tag); i++ {
		n := bytes.IndexAny(tag[i:], "oO")
		if n < 0 {
			return false
		}
		i += n
		if i+1 < len(tag) && (tag[i+1] == 'n' || tag[i+1] == 'N') {
			return true
		}
	}
	return false
}
