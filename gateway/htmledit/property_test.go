package htmledit_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

var propertyPages = flag.Int("pages", 4_000, "random pages of TestEditsProperty")

// TestEditsProperty: for edits that are allowed on random pages, every byte
// outside the edits stays, taking them back gives the file back, each operation
// does what it says and nothing else, and htmlsrc.Compare, which knows the
// targets and was written apart, agrees that the tree differs only there.
func TestEditsProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(*editSeed, 13))
	allowed, refused := map[htmledit.Kind]int{}, map[core.Code]int{}
	disagree := 0
	for range *propertyPages {
		src := randomPage(r)
		tree, err := htmlsrc.Parse(src, scripting)
		if err != nil {
			continue
		}
		var ops []htmledit.Op
		for range 1 + r.IntN(3) {
			if op, ok := randomOp(r, tree, kinds[r.IntN(len(kinds))]); ok {
				ops = append(ops, op)
			}
		}
		edits, err := htmledit.Plan(tree, ops)
		if err != nil {
			refused[core.CodeOf(err)]++
			continue
		}
		after, err := htmledit.Check(tree, edits, scripting)
		if err != nil {
			refused[core.CodeOf(err)]++
			if core.CodeOf(err) != core.UnsafeStructure {
				t.Fatalf("%q with %v: %v", src, ops, err)
			}
			continue
		}
		for _, op := range ops {
			allowed[op.Kind]++
			done(t, tree, after, edits, op)
		}
		if _, err := textpatch.Stat(src, after.Source(), edits); err != nil {
			t.Fatal(err)
		}
		back, err := textpatch.Apply(after.Source(), textpatch.Inverse(src, edits))
		if err != nil || string(back) != string(src) {
			t.Fatalf("%q with %v: back %q, %v", src, ops, back, err)
		}
		if err := htmlsrc.Compare(tree, after, edits, declaredBy(tree, ops)); err != nil && !stricter(tree, ops...) {
			if disagree++; disagree < 10 {
				t.Errorf("allowed here, but Compare says %v:\n%q with %+v\n%q", err, src, ops, after.Source())
			}
		}
	}
	t.Logf("allowed %v, refused %v", allowed, refused)
	for _, k := range kinds {
		if allowed[k] == 0 {
			t.Errorf("%s was never allowed, so nothing was shown", k)
		}
	}
}

// declaredBy says which nodes the operations may change.
func declaredBy(t *htmlsrc.Tree, ops []htmledit.Op) func(htmlsrc.ID) bool {
	all := map[htmlsrc.ID]bool{}
	for _, op := range ops {
		for _, id := range t.Sharers(op.Target) {
			all[id] = true
		}
		if op.Kind != htmledit.ReplaceText {
			continue
		}
		if op.Run != 0 {
			all[op.Run] = true
		}
		for _, r := range htmledit.Runs(t, op.Target) {
			all[r] = true
		}
	}
	return func(id htmlsrc.ID) bool { return all[id] }
}

// stricter tells whether Compare is known to refuse what is fine here: it
// minds blanks at the start of a page without a body tag, the newline that must
// be doubled at the start of a pre, and a value for an attribute without one.
func stricter(t *htmlsrc.Tree, ops ...htmledit.Op) bool {
	for _, op := range ops {
		switch op.Kind {
		case htmledit.RemoveNode:
			for id := range t.Elements() {
				if _, ok := t.StartTag(id); !ok && t.Name(id) == "body" {
					return true
				}
			}
		case htmledit.ReplaceText:
			if strings.HasPrefix(op.Value, "\n") || strings.HasPrefix(op.Value, "\r") {
				return true
			}
		default:
			for _, a := range t.Attrs(op.Target) {
				if !a.HasValue || a.Quote == 0 && a.ValueSpan.Len() == 0 {
					return true
				}
			}
		}
	}
	return false
}

// done proves that the operation's effect is in the new tree.
func done(t *testing.T, before, after *htmlsrc.Tree, edits []core.Edit, op htmledit.Op) {
	t.Helper()
	tag, _ := before.StartTag(op.Target)
	if op.Kind == htmledit.RemoveNode {
		return // that the element is gone, and nothing else, is for Compare
	}
	moved, ok := textpatch.Reproject(core.Span{Start: tag.Start, End: tag.Start + 1}, edits)
	if !ok {
		t.Fatalf("the target of %+v is gone", op)
	}
	var all []htmlsrc.ID // several where the tag is shared
	for id := range after.Elements() {
		if s, ok := after.StartTag(id); ok && s.Start == moved.Start {
			all = append(all, id)
		}
	}
	if len(all) == 0 {
		t.Fatalf("%+v: the element is gone", op)
	}
	now := all[0]
	value := textpatch.WithEOL(op.Value, "\n")
	switch op.Kind {
	case htmledit.SetAttribute:
		if a, ok := after.Attr(now, attrNameOf(after, now, op.Name)); !ok || a.Value != value {
			t.Errorf("%+v gives %+v in %q", op, a, after.Source())
		}
	case htmledit.RemoveAttribute:
		if a, ok := after.Attr(now, attrNameOf(after, now, op.Name)); ok {
			t.Errorf("%+v leaves %+v", op, a)
		}
	case htmledit.AddClass, htmledit.RemoveClass:
		a, _ := after.Attr(now, "class")
		for _, c := range strings.Fields(op.Value) {
			if slices.Contains(strings.Fields(a.Value), c) != (op.Kind == htmledit.AddClass) {
				t.Errorf("%+v gives %q", op, a.Value)
			}
		}
	case htmledit.SetStyle:
		a, _ := after.Attr(now, "style")
		if !strings.Contains(a.Value, strings.Trim(strings.ReplaceAll(value, "\n", " "), " \t\f")) {
			t.Errorf("%+v gives %q", op, a.Value)
		}
	case htmledit.ReplaceText:
		want := strings.Join(strings.Fields(value), " ")
		var text []string
		for _, id := range all {
			for c := range allText(after, id) {
				text = append(text, strings.Fields(c)...)
			}
		}
		if !strings.Contains(strings.Join(text, " "), want) {
			t.Errorf("%+v: the text is %q", op, text)
		}
	}
}

func attrNameOf(t *htmlsrc.Tree, id htmlsrc.ID, name string) string {
	for _, a := range t.Attrs(id) {
		if strings.EqualFold(a.Name, name) {
			return a.Name
		}
	}
	return name
}

// allText yields the text runs below id.
func allText(t *htmlsrc.Tree, id htmlsrc.ID) func(func(string) bool) {
	return func(yield func(string) bool) {
		var visit func(id htmlsrc.ID) bool
		visit = func(id htmlsrc.ID) bool {
			for c := t.FirstChild(id); c != 0; c = t.NextSibling(c) {
				if t.IsText(c) && !yield(t.Text(c)) || !t.IsText(c) && !visit(c) {
					return false
				}
			}
			return true
		}
		visit(id)
	}
}
