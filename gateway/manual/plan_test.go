package manual

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/internal/testbed"
	"proofmark/gateway/proof"
	"proofmark/gateway/textpatch"
)

const list = "<!doctype html>\n<title>T</title>\n<ul id=\"l\">\n  <li class=\"a\">One</li>\n  <li id=\"two\">Two</li>\n  <li>Three</li>\n</ul>\n<p>End</p>\n"

// ground is a page with proofs of its elements.
type ground struct {
	t    *testing.T
	tree *htmlsrc.Tree
}

func newGround(t *testing.T, page string) ground {
	t.Helper()
	tree, err := htmlsrc.Parse([]byte(page), parseOptions)
	if err != nil {
		t.Fatal(err)
	}
	return ground{t, tree}
}

func (g ground) proven(id htmlsrc.ID) proof.Verified {
	g.t.Helper()
	sha := core.SHA256Hex(g.tree.Source())
	v, err := proof.Verify(testbed.Claim(g.tree, id, "doc_x", "rev_x", sha), g.tree, sha)
	if err != nil {
		g.t.Fatal(err)
	}
	return v
}

// at proves the n-th (from 1) element of a name.
func (g ground) at(name string, n int) proof.Verified {
	g.t.Helper()
	return g.proven(testbed.Element(g.t, g.tree, name, n))
}

func (g ground) made(p Plan) string {
	g.t.Helper()
	b, err := textpatch.Apply(g.tree.Source(), p.Edits)
	if err != nil {
		g.t.Fatal(err)
	}
	return string(b)
}

// R-DOC-8: tasks are carried out in order, each on what those before it made,
// and each edit is the note of its task.
func TestTasksInOrder(t *testing.T) {
	g := newGround(t, list)
	li := func(n int) []proof.Verified { return []proof.Verified{g.at("li", n)} }
	for name, c := range map[string]struct {
		tasks []Task
		want  string
	}{
		"text, then a copy of it": {
			[]Task{{Do: SetText, Value: "2 & 3", Targets: li(2)}, {Do: Duplicate, Targets: li(2)}},
			strings.Replace(list, "<li id=\"two\">Two</li>", "<li id=\"two\">2 &amp; 3</li>\n  <li id=\"two\">2 &amp; 3</li>", 1),
		},
		"a copy, then text of the first": {
			[]Task{{Do: Duplicate, Targets: li(2)}, {Do: SetText, Value: "2", Targets: li(2)}},
			strings.Replace(list, "<li id=\"two\">Two</li>", "<li id=\"two\">2</li>\n  <li id=\"two\">Two</li>", 1),
		},
		"down twice": {
			[]Task{{Do: MoveDown, Targets: li(1)}, {Do: MoveDown, Targets: li(1)}},
			strings.NewReplacer("  <li class=\"a\">One</li>\n", "", "  <li>Three</li>\n", "  <li>Three</li>\n  <li class=\"a\">One</li>\n").Replace(list),
		},
		"up, and all else on the one that was passed": {
			[]Task{
				{Do: MoveUp, Targets: li(2)},
				{Do: AddClass, Value: "b", Targets: li(1)},
				{Do: SetStyle, Name: "color", Value: "red", Targets: li(1)},
				{Do: SetAttribute, Name: "title", Value: `a"b`, Targets: li(2)},
			},
			strings.NewReplacer(
				"  <li class=\"a\">One</li>\n", "",
				"<li id=\"two\">Two</li>\n", "<li id=\"two\" title=\"a&quot;b\">Two</li>\n  <li class=\"a b\" style=\"color: red\">One</li>\n",
			).Replace(list),
		},
		"several targets": {
			[]Task{{Do: Remove, Targets: []proof.Verified{g.at("li", 1), g.at("li", 3)}}, {Do: RemoveAttribute, Name: "id", Targets: li(2)}},
			strings.NewReplacer("<li class=\"a\">One</li>", "", "<li>Three</li>", "", " id=\"two\"", "").Replace(list),
		},
		"a class goes": {
			[]Task{{Do: RemoveClass, Value: "a", Targets: li(1)}},
			strings.Replace(list, `class="a"`, `class=""`, 1),
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := planTasks(g.tree, c.tasks)
			if err != nil {
				t.Fatal(err)
			}
			if got := g.made(p); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			for _, e := range p.Edits {
				if e.Note < 1 || e.Note > len(c.tasks) {
					t.Errorf("no task is named in %+v", e)
				}
			}
		})
	}
}

// R-DOC-4: what a move carries along stays the work of those who did it, and is
// shared with the move, so that none of them is said to have changed nothing.
func TestMovedWorkIsCredited(t *testing.T) {
	g := newGround(t, list)
	li := func(n int) []proof.Verified { return []proof.Verified{g.at("li", n)} }
	class, style := Task{Do: AddClass, Value: "b", Targets: li(2)}, Task{Do: SetStyle, Name: "color", Value: "red", Targets: li(2)}
	for name, c := range map[string]struct {
		last   Task
		shared bool // with the move
	}{
		"the passed element has them": {Task{Do: MoveDown, Targets: li(1)}, true},
		"what moves has them":         {Task{Do: MoveDown, Targets: li(2)}, false},
		"neither has them":            {Task{Do: SetText, Value: "1", Targets: li(1)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := planTasks(g.tree, []Task{class, style, c.last})
			if err != nil {
				t.Fatal(err)
			}
			for n := 1; n <= 3; n++ {
				if !slices.ContainsFunc(p.Edits, func(e core.Edit) bool { return e.For(n) }) {
					t.Errorf("task %d has no edit: %+v", n, p.Edits)
				}
			}
			if got := slices.ContainsFunc(p.Edits, func(e core.Edit) bool { return e.For(3) && e.Joint() }); got != c.shared {
				t.Errorf("shared with the last: %v: %+v", got, p.Edits)
			}
		})
	}
}

// R-DOC-4: of a task of which nothing is left it is said why.
func TestUndoneWorkIsTold(t *testing.T) {
	g := newGround(t, list)
	li := func(n int) []proof.Verified { return []proof.Verified{g.at("li", n)} }
	p, err := planTasks(g.tree, []Task{{Do: SetText, Value: "Hi", Targets: li(2)}, {Do: Remove, Targets: li(2)}})
	if err != nil || !strings.Contains(p.Remarks[0], "left nothing of it") || p.Remarks[1] != "" {
		t.Errorf("%q, %v", p.Remarks, err)
	}
}

func TestTaskRefusals(t *testing.T) {
	g := newGround(t, list)
	li := []proof.Verified{g.at("li", 1)}
	other := newGround(t, "<p>x</p>")
	for name, c := range map[string]struct {
		tasks []Task
		want  core.Code
		task  int
	}{
		"nothing":                {nil, core.NoOp, 0},
		"no target":              {[]Task{{Do: Remove}}, core.Unbound, 0},
		"the zero proof":         {[]Task{{Do: Remove, Targets: []proof.Verified{{}}}}, core.StaleSource, 0},
		"another page's proof":   {[]Task{{Do: Remove, Targets: []proof.Verified{other.at("p", 1)}}}, core.StaleSource, 0},
		"removed before":         {[]Task{{Do: Remove, Targets: li}, {Do: SetText, Value: "x", Targets: li}}, core.Overlap, 2},
		"inside what is removed": {[]Task{{Do: Remove, Targets: []proof.Verified{g.at("ul", 1)}}, {Do: MoveUp, Targets: li}}, core.Overlap, 2},
		"there and back":         {[]Task{{Do: MoveDown, Targets: li}, {Do: MoveUp, Targets: li}}, core.NoOp, 0},
		"several texts":          {[]Task{{Do: SetText, Value: "x", Targets: []proof.Verified{g.at("ul", 1)}}}, core.Ambiguous, 1},
		"a no-op":                {[]Task{{Do: AddClass, Value: "a", Targets: li}}, core.NoOp, 1},
		"a handler":              {[]Task{{Do: SetAttribute, Name: "onclick", Value: "x()", Targets: li}}, core.ScriptRegion, 1},
		"a script address":       {[]Task{{Do: SetAttribute, Name: "href", Value: "javascript:x()", Targets: []proof.Verified{g.at("p", 1)}}}, core.Policy, 1},
		"no such edit":           {[]Task{{Do: "explode", Targets: li}}, core.InvalidEdit, 1},
		"too many":               {slices.Repeat([]Task{{Do: Duplicate, Targets: li}}, core.MaxMutationsPerCall+1), core.TooMany, 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := planTasks(g.tree, c.tasks)
			if core.CodeOf(err) != c.want {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if e := core.AsError(err); e.Code == core.Ambiguous && !strings.Contains(e.Hint, "Point at") {
				t.Errorf("it does not say what a person can do: %+v", e)
			}
			if task, _ := core.AsError(err).Detail["task"].(int); task != c.task {
				t.Errorf("it names task %d, not %d", task, c.task)
			}
		})
	}
}

// The ids a copy doubles are said, bounded, of the task that doubled them.
func TestRemarks(t *testing.T) {
	g := newGround(t, list)
	p, err := planTasks(g.tree, []Task{
		{Do: AddClass, Value: "b", Targets: []proof.Verified{g.at("li", 1)}},
		{Do: Duplicate, Targets: []proof.Verified{g.at("ul", 1)}},
	})
	if err != nil || p.Remarks[0] != "" || p.Remarks[1] != `the ids "l", "two" now stand in the page more than once` {
		t.Errorf("%q %v", p.Remarks, err)
	}
	ids := strings.Fields("a b c d e f g")
	if got := twice(ids); !strings.HasSuffix(got, "\"e\" and 2 more now stand in the page more than once") {
		t.Error(got)
	}
}

// TestTasksProperty: random lists of tasks on a page keep every byte outside
// their edits, can be taken back, and leave untouched what no task names.
func TestTasksProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	page := "<!doctype html><title>T</title>\n<main>\n"
	for i := range 12 {
		page += "  <section><h2 class=\"h" + string(rune('a'+i)) + "\">H</h2>\n    <p>Some <b>bold</b> text</p></section>\n"
	}
	page += "</main>\n<footer>kept, whatever happens</footer>\n"
	g := newGround(t, page)
	all := []Do{SetText, SetAttribute, SetStyle, AddClass, Remove, Duplicate, MoveUp, MoveDown}
	done := 0
	for range 400 {
		var tasks []Task
		for range 1 + r.IntN(6) {
			name := []string{"section", "h2", "p", "b"}[r.IntN(4)]
			tasks = append(tasks, Task{
				Do: all[r.IntN(len(all))], Name: "title", Value: "v" + string(rune('a'+r.IntN(26))),
				Targets: []proof.Verified{g.at(name, 1+r.IntN(12))},
			})
			if tasks[len(tasks)-1].Do == SetStyle {
				tasks[len(tasks)-1].Name = "color"
			}
		}
		p, err := planTasks(g.tree, tasks)
		if err != nil {
			switch core.CodeOf(err) {
			case core.NoOp, core.Overlap, core.Ambiguous, core.Unsupported:
				continue
			}
			t.Fatalf("%+v: %v", tasks, err)
		}
		done++
		made := g.made(p)
		back, err := textpatch.Apply([]byte(made), textpatch.Inverse([]byte(page), p.Edits))
		if err != nil || string(back) != page {
			t.Fatalf("back: %q %v", back, err)
		}
		if !strings.HasSuffix(made, "</main>\n<footer>kept, whatever happens</footer>\n") {
			t.Fatalf("%q", made)
		}
	}
	if done < 50 {
		t.Errorf("only %d lists went through", done)
	}
}
