package tools

import (
	"slices"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// D-26: instructions in order, a bounded summary, capabilities and grants.
func TestInspect(t *testing.T) {
	r := newRig(t, samplePage,
		noteOn{"make it bold", []string{"h1"}}, noteOn{"shorten", []string{"p/1", "img"}})
	in := r.seen()
	if len(in.Notes) != 2 || in.Notes[0].Instruction != "make it bold" || in.Notes[1].Order != 2 || in.Staged {
		t.Fatalf("%+v", in)
	}
	if in.Document.SHA != r.draft.SHA() || in.Document.Bytes != len(samplePage) || in.Document.Name != "shop.html" ||
		in.Document.Lines != strings.Count(samplePage, "\n")+1 || in.Document.Summary.Title != "Shop" || in.Document.Summary.Language != "en" {
		t.Errorf("document %+v", in.Document)
	}
	h1 := in.Notes[0].Targets[0]
	if h1.Element != `<h1 class="big" id=main>` || h1.Text != "Sales & more" || h1.Tag != "h1" || len(h1.Texts) != 1 || h1.Texts[0].Text != "Sales & more" {
		t.Errorf("h1: %+v", h1)
	}
	for _, op := range []string{"set_attribute", "remove_attribute", "set_style", "add_class", "remove_class", "remove_node"} {
		if !strings.HasPrefix(h1.Grants[op], "hrg_") {
			t.Errorf("h1 has no grant for %s: %+v", op, h1)
		}
	}
	p, img := in.Notes[1].Targets[0], in.Notes[1].Targets[1]
	if len(p.Texts) != 3 || p.Texts[1].Within != "b" {
		t.Errorf("the runs of mixed content: %+v", p.Texts)
	}
	if len(img.Texts) != 0 || img.Cannot["replace_text"] == "" || img.Grants["set_attribute"] == "" {
		t.Errorf("img: %+v", img)
	}
}

// D-52: a target that is not certain gets no grants, and spoils no other.
func TestInspectContextual(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"a", []string{"h1"}}, noteOn{"b", []string{"p/1"}}, noteOn{"c", []string{"td"}})
	r.cfg.Turn.Notes[0].Targets[0].Resolution = core.Contextual
	r.cfg.Turn.Notes[0].Targets[0].Reason = "several match"
	r.cfg.Turn.Notes[1].Targets[0].Anchor.Path = []core.PathStep{{Name: "html", Index: 1}, {Name: "nowhere", Index: 7}}
	in := r.seen()
	for i, want := range []core.Resolution{core.Contextual, core.Contextual, core.Exact} {
		got := in.Notes[i].Targets[0]
		if got.Resolution != want || (len(got.Grants) > 0) != (want == core.Exact) || (got.Reason == "") != (want == core.Exact) {
			t.Errorf("note %d: %+v", i+1, got)
		}
	}
	r.refused(core.NoMatch, Read, map[string]any{"around": 1})
}

// Whatever an anchor holds, its target is listed and spoils no other.
func TestInspectBrokenAnchors(t *testing.T) {
	for name, spoil := range map[string]func(*core.Anchor){
		"no path":       func(a *core.Anchor) { a.Path = nil },
		"path too long": func(a *core.Anchor) { a.Path = append(slices.Clone(a.Path), a.Path...) },
		"wrong index":   func(a *core.Anchor) { a.Path = slices.Clone(a.Path); a.Path[len(a.Path)-1].Index = -7 },
		"wrong tag":     func(a *core.Anchor) { a.StartTag = core.Span{Start: -5, End: 1 << 40} },
		"wrong name":    func(a *core.Anchor) { a.Name = "h9" },
		"nothing":       func(a *core.Anchor) { *a = core.Anchor{} },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, samplePage, noteOn{"x", []string{"h1", "img"}})
			spoil(&r.cfg.Turn.Notes[0].Targets[0].Anchor)
			for range 2 {
				targets := r.seen().Notes[0].Targets
				// Once something is staged the start tag alone may tell it again.
				told := r.draft.Staged() && targets[0].Resolution == core.Exact && targets[0].Tag == "h1"
				if !told && (targets[0].Resolution != core.Contextual || len(targets[0].Grants) > 0 || targets[0].Reason == "") {
					t.Errorf("the broken one: %+v", targets[0])
				}
				if targets[1].Resolution != core.Exact || targets[1].Grants["set_attribute"] == "" {
					t.Errorf("the other one: %+v", targets[1])
				}
				if !r.draft.Staged() {
					r.must(Patch, patchArgs{SourceSHA: r.draft.SHA(), Edits: []patchEdit{{ExpectedText: "cell", Replacement: "cube"}}})
				}
			}
		})
	}
}

// Grants are bounded however many targets there are, and a note can be asked
// for alone.
func TestInspectManyTargets(t *testing.T) {
	var notes []noteOn
	for range core.MaxAnnotationsPerSend {
		n := noteOn{say: "x"}
		for range core.MaxTargetsPerNote {
			n.on = append(n.on, "p/1")
		}
		notes = append(notes, n)
	}
	r := newRig(t, samplePage, notes...)
	in := r.seen()
	if n := r.reg.Live(r.cfg.Turn.ID); n > core.MaxGrantsPerTurn {
		t.Fatalf("%d grants", n)
	}
	last := in.Notes[15].Targets[15]
	if len(last.Grants) > 0 || last.Reason == "" || last.Resolution != core.Exact {
		t.Errorf("the last target: %+v", last)
	}
	out := r.must(Inspect, map[string]any{"note": 16})
	target := out["notes"].([]any)[0].(map[string]any)["targets"].([]any)[15].(map[string]any)
	if len(target["grants"].(map[string]any)) == 0 {
		t.Errorf("asked for alone: %v", target)
	}
}

// Asking for one note again leaves the grants of the others as they are.
func TestInspectOneNote(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"a", []string{"h1"}}, noteOn{"b", []string{"td"}})
	in := r.seen()
	r.must(Inspect, map[string]any{"note": 2})
	r.refused(core.GrantExpired, Apply, apply(mutation{Grant: in.Notes[1].Targets[0].Grants["set_style"], Name: "color", Value: "red"}))
	r.must(Apply, apply(mutation{Grant: in.Notes[0].Targets[0].Grants["set_style"], Name: "color", Value: "red"}))
}

// apply through each operation; the bytes around stay (R-TURN-4, T-76, T-77).
// D-29, D-31, D-40: what each operation makes of the page.
func TestApplyOperations(t *testing.T) {
	for _, tc := range []struct {
		name, on string
		m        func(targetInfo) mutation
		old, new string
	}{
		{"text", "h1", func(i targetInfo) mutation { return mutation{Grant: i.Texts[0].Grant, Text: "A < B & C"} }, `Sales &amp; more`, `A &lt; B &amp; C`},
		{"text in mixed content", "p/1", func(i targetInfo) mutation { return mutation{Grant: i.Texts[1].Grant, Text: "2"} }, `<b>two</b>`, `<b>2</b>`},
		{"attribute", "p/2", func(i targetInfo) mutation {
			return mutation{Grant: i.Grants["set_attribute"], Name: "title", Value: "new"}
		}, `title='old "hint"'`, `title='new'`},
		{"attribute away", "img", func(i targetInfo) mutation { return mutation{Grant: i.Grants["remove_attribute"], Name: "alt"} }, ` alt="cat"`, ``},
		{"style", "h1", func(i targetInfo) mutation {
			return mutation{Grant: i.Grants["set_style"], Name: "color", Value: "red", Also: []pair{{"font-weight", "bold"}}}
		}, `id=main>`, `id=main style="color: red; font-weight: bold">`},
		{"class", "h1", func(i targetInfo) mutation {
			return mutation{Grant: i.Grants["add_class"], Name: "a", Also: []pair{{Name: "b"}}}
		}, `class="big"`, `class="big a b"`},
		{"class away", "h1", func(i targetInfo) mutation { return mutation{Grant: i.Grants["remove_class"], Name: "big"} }, `class="big"`, `class=""`},
		{"node", "img", func(i targetInfo) mutation { return mutation{Grant: i.Grants["remove_node"]} }, `<img src="a.png" alt="cat">`, ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, samplePage, noteOn{"x", []string{tc.on}})
			res, _ := r.do(Apply, apply(tc.m(r.seen().Notes[0].Targets[0])))
			if res.IsError || res.Staged == nil || res.Staged.SHA != r.draft.SHA() {
				t.Fatal(res.Text)
			}
			want := strings.Replace(samplePage, tc.old, tc.new, 1)
			if got := string(r.draft.current.Source()); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			for _, e := range r.draft.edits {
				if e.Note != 1 {
					t.Errorf("an edit lost its note: %+v", e)
				}
			}
		})
	}
}

// T-74, T-79: a refused call stages nothing and uses no grant up, whatever it
// was refused for.
func TestRefusedApplyChangesNothing(t *testing.T) {
	for _, tc := range []struct {
		name string
		code core.Code
		bad  func(targetInfo) mutation
	}{
		{"unknown grant", core.GrantUnknown, func(targetInfo) mutation { return mutation{Grant: "hrg_nope"} }},
		{"other operation", core.GrantMismatch, func(i targetInfo) mutation {
			return mutation{Grant: i.Grants["add_class"], Operation: "remove_node", Name: "a"}
		}},
		{"twice", core.GrantReused, func(i targetInfo) mutation {
			return mutation{Grant: i.Grants["set_style"], Name: "color", Value: "blue"}
		}},
		{"handler", core.ScriptRegion, func(i targetInfo) mutation {
			return mutation{Grant: i.Grants["set_attribute"], Name: "onclick", Value: "x()"}
		}},
		{"javascript address", core.Policy, func(i targetInfo) mutation {
			return mutation{Grant: i.Grants["set_attribute"], Name: "href", Value: " java\tscript:alert(1)"}
		}},
		{"no name", core.ToolArguments, func(i targetInfo) mutation { return mutation{Grant: i.Grants["set_attribute"], Value: "x"} }},
		{"text for an attribute", core.ToolArguments, func(i targetInfo) mutation {
			return mutation{Grant: i.Grants["set_attribute"], Name: "x", Text: "y"}
		}},
		{"value for a class", core.ToolArguments, func(i targetInfo) mutation { return mutation{Grant: i.Grants["add_class"], Name: "x", Value: "y"} }},
		{"name for a text", core.ToolArguments, func(i targetInfo) mutation { return mutation{Grant: i.Texts[0].Grant, Name: "x", Text: "y"} }},
		{"overlap", core.Overlap, func(i targetInfo) mutation { return mutation{Grant: i.Grants["remove_node"]} }},
		{"no change", core.NoOp, func(i targetInfo) mutation {
			return mutation{Grant: i.Grants["add_class"], Name: "big"}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, samplePage, noteOn{"x", []string{"h1"}})
			h1 := r.seen().Notes[0].Targets[0]
			live := r.reg.Live(r.cfg.Turn.ID)
			good := mutation{Grant: h1.Grants["set_style"], Name: "color", Value: "red"}
			res, out := r.do(Apply, apply(good, tc.bad(h1)))
			if !res.IsError || r.draft.Staged() || r.reg.Live(r.cfg.Turn.ID) != live {
				t.Fatalf("staged %t, %d grants left of %d: %s", r.draft.Staged(), r.reg.Live(r.cfg.Turn.ID), live, res.Text)
			}
			if res.Code != tc.code && !(tc.code == core.Policy && (res.Code == core.Unsupported || res.Code == core.InvalidEdit)) {
				t.Errorf("code %s, want %s", res.Code, tc.code)
			}
			if out["correctable"] != true {
				t.Errorf("not correctable: %s", res.Text)
			}
			if strings.Contains(res.Text, "hrg_") {
				t.Errorf("the refusal repeats a token: %s", res.Text)
			}
			r.must(Apply, apply(good))
		})
	}
}

// R-TURN-5: after the first write every tool keeps working, on the draft, with
// the grants that were not used; a repair replaces the draft (T-82).
func TestAfterStaging(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"a", []string{"h1"}}, noteOn{"b", []string{"p/2"}})
	in := r.seen()
	h1, p := in.Notes[0].Targets[0], in.Notes[1].Targets[0]
	r.must(Apply, apply(mutation{Grant: h1.Grants["set_style"], Name: "color", Value: "red"}, mutation{Grant: h1.Texts[0].Grant, Text: "A much longer heading than before"}))
	first := r.draft.SHA()

	// What was not used still holds: of the same element, and of one behind it.
	r.must(Apply, apply(
		mutation{Grant: h1.Grants["add_class"], Name: "x"},
		mutation{Grant: p.Texts[0].Grant, Text: "Price: 30"},
		mutation{Grant: p.Grants["set_attribute"], Name: "title", Value: "t"}))
	src := string(r.draft.current.Source())
	for _, want := range []string{`class="big x"`, `style="color: red"`, `>A much longer heading than before<`, `title='t'`, `>Price: 30<`} {
		if !strings.Contains(src, want) {
			t.Errorf("the draft lacks %s:\n%s", want, src)
		}
	}
	if first == r.draft.SHA() || r.draft.epoch != 2 {
		t.Error("the repair did not replace the draft")
	}
	// What was used is gone; what the edit rewrote is void.
	r.refused(core.GrantReused, Apply, apply(mutation{Grant: h1.Grants["set_style"], Name: "color", Value: "blue"}))

	again := r.seen()
	if !again.Staged || again.Notes[0].Targets[0].Element != `<h1 class="big x" id=main style="color: red">` || again.Document.SHA != r.draft.SHA() {
		t.Errorf("inspected after staging: %+v", again.Notes[0].Targets[0])
	}
	r.must(Apply, apply(mutation{Grant: again.Notes[0].Targets[0].Grants["set_style"], Name: "color", Value: "blue"}))
	r.must(Locate, map[string]any{"operation": "set_style", "note": 1, "tag": "h1"})
	r.must(Read, map[string]any{"around": 2})
	r.must(BrowserSee, map[string]any{"scope": "target", "note": 2})
}

// Grants whose element the draft removed, or whose text it replaced, are void.
func TestVoidGrants(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"a", []string{"p/1"}}, noteOn{"b", []string{"b"}})
	in := r.seen()
	p, b := in.Notes[0].Targets[0], in.Notes[1].Targets[0]
	r.must(Apply, apply(mutation{Grant: p.Texts[1].Grant, Text: "2"}))
	r.refused(core.GrantExpired, Apply, apply(mutation{Grant: b.Texts[0].Grant, Text: "zwei"}))
	r.must(Apply, apply(mutation{Grant: p.Grants["remove_node"]}))
	r.refused(core.GrantExpired, Apply, apply(mutation{Grant: b.Grants["set_style"], Name: "color", Value: "red"}))
	in = r.seen()
	if got := in.Notes[1].Targets[0]; got.Resolution != core.Contextual || len(got.Grants) > 0 {
		t.Errorf("a removed target: %+v", got)
	}
}

// R-TURN-10: the same proposal again ends the turn.
func TestRepeatedProposals(t *testing.T) {
	t.Run("refused", func(t *testing.T) {
		r := newRig(t, samplePage, noteOn{"x", []string{"h1"}})
		g := r.seen().Notes[0].Targets[0].Grants
		bad := apply(mutation{Grant: g["set_attribute"], Name: "onclick", Value: "x()"})
		r.do(Apply, bad)
		res, _ := r.do(Apply, bad)
		if res.Code != core.TurnEnded || !res.Over {
			t.Fatal(res.Text)
		}
	})
	t.Run("back and forth", func(t *testing.T) {
		r := newRig(t, samplePage, noteOn{"x", []string{"h1"}})
		for i, colour := range []string{"red", "blue", "red"} {
			g := r.seen().Notes[0].Targets[0].Grants["set_style"]
			res, _ := r.do(Apply, apply(mutation{Grant: g, Name: "color", Value: colour}))
			if over := i == 2; res.Over != over || res.IsError != over {
				t.Fatalf("proposal %d: %s", i+1, res.Text)
			}
		}
	})
	t.Run("back to the start", func(t *testing.T) {
		r := newRig(t, samplePage)
		patch := func(from, to string) patchArgs {
			return patchArgs{SourceSHA: r.draft.SHA(), Edits: []patchEdit{{ExpectedText: from, Replacement: to}}}
		}
		r.must(Patch, patch("cell", "cube"))
		r.refused(core.NoOp, Patch, patch("cube", "cell"))
		r.must(Patch, patch("cube", "cone"))
		r.refused(core.TurnEnded, Patch, patch("cone", "cube"))
	})
	t.Run("patch", func(t *testing.T) {
		r := newRig(t, samplePage)
		bad := patchArgs{SourceSHA: r.draft.SHA(), Edits: []patchEdit{{ExpectedText: "nowhere", Replacement: "x"}}}
		r.refused(core.NoMatch, Patch, bad)
		r.refused(core.TurnEnded, Patch, bad)
	})
}

// Whatever is staged, following an element by its tag finds the same element.
func TestFollowIsTheSameElement(t *testing.T) {
	r := newRig(t, samplePage)
	before := r.draft.current
	r.must(Patch, patchArgs{SourceSHA: r.draft.SHA(), Edits: []patchEdit{
		{ExpectedText: "<p>One", Replacement: "<p>Zero</p><p>One"}, {ExpectedText: `class="big" `, Replacement: ""},
	}})
	after := r.draft.current
	for id := range before.Elements() {
		now := follow(before, after, id, r.draft.edits)
		if _, tagged := before.StartTag(id); !tagged {
			if now != 0 {
				t.Errorf("%s without a tag followed to %s", before.Name(id), after.Name(now))
			}
			continue
		}
		if before.Name(id) == "p" && strings.HasPrefix(quote(before, id, 9), "One") {
			continue // its tag was edited
		}
		if now == htmlsrc.ID(0) || after.Name(now) != before.Name(id) || quote(after, now, 20) != quote(before, id, 20) && before.Name(id) != "body" && before.Name(id) != "html" {
			t.Errorf("%s followed to %s", tagSource(before, id, 80), tagSource(after, now, 80))
		}
	}
}
