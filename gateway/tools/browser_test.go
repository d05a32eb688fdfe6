package tools

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/builtin"
)

// bold stages a small draft.
func bold(r *rig) {
	r.t.Helper()
	r.must(Apply, apply(mutation{Grant: r.seen().Notes[0].Targets[0].Grants["set_style"], Name: "font-weight", Value: "bold"}))
}

// T-81, D-34: a commit needs the receipt of a look at exactly this draft.
func TestFinishNeedsAFreshReceipt(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"x", []string{"h1"}})
	r.refused(core.Unbound, FinishName, map[string]any{"action": "commit", "receipt": "vfy_x", "sha": r.draft.SHA()})
	if saw := r.must(BrowserSee, map[string]any{}); saw["receipt"] != nil {
		t.Error("a receipt without a draft")
	}
	bold(r)
	r.refused(core.StaleReceipt, FinishName, map[string]any{"action": "commit"})
	old := r.must(BrowserSee, map[string]any{})
	if old["receipt"] == nil || old["candidateSha"] != r.draft.SHA() || old["state"].(map[string]any)["draft"] != "verified" {
		t.Fatalf("the look: %v", old)
	}
	r.must(Apply, apply(mutation{Grant: r.seen().Notes[0].Targets[0].Grants["add_class"], Name: "new"}))
	r.refused(core.StaleReceipt, FinishName, map[string]any{"action": "commit", "receipt": old["receipt"], "sha": old["candidateSha"]})
	r.refused(core.StaleReceipt, FinishName, map[string]any{"action": "commit", "receipt": old["receipt"], "sha": r.draft.SHA()})
	if r.draft.published != nil {
		t.Fatal("published without a fresh receipt")
	}
	res := r.commit()
	if res.IsError || res.Finished == nil || res.Finished.Action != Commit || res.Finished.Published.Generation != 2 {
		t.Fatal(res.Text)
	}
	if string(r.draft.published) != string(r.draft.current.Source()) || r.reg.Live(r.cfg.Turn.ID) != 0 {
		t.Error("not what was staged, or grants are left (D-94)")
	}
	r.refused(core.TurnEnded, Inspect, map[string]any{})
	r.refused(core.TurnEnded, FinishName, map[string]any{"action": "commit", "receipt": "x", "sha": "y"})
}

// R-TURN-7: a draft that breaks something can be repaired, not committed.
func TestFaultsAreCorrectable(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"x", []string{"h1"}})
	bold(r)
	r.draft.faults = []string{"new error: http://abcdefgh234567.localhost:41234/a.js failed"}
	saw := r.must(Screenshot, map[string]any{})
	if faults := saw["faults"].([]any); len(faults) != 1 || strings.Contains(faults[0].(string), "localhost") {
		t.Errorf("faults %v", saw["faults"])
	}
	out := r.refused(core.NewFault, FinishName, map[string]any{"action": "commit", "receipt": saw["receipt"], "sha": saw["candidateSha"]})
	if out["correctable"] != true {
		t.Error("a new fault can be repaired")
	}
	r.draft.faults = nil
	r.must(Apply, apply(mutation{Grant: r.seen().Notes[0].Targets[0].Grants["add_class"], Name: "new"}))
	if res := r.commit(); res.IsError {
		t.Fatal(res.Text)
	}
}

func TestDiscard(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"x", []string{"h1"}})
	bold(r)
	res, out := r.do(FinishName, map[string]any{"action": "discard", "summary": "not wanted"})
	if res.Finished == nil || res.Finished.Action != Discard || res.Finished.Summary != "not wanted" || out["status"] != "discarded" || !r.draft.discarded || r.draft.published != nil {
		t.Fatal(res.Text)
	}
}

// A refusal that cannot be put right says so and ends the turn.
func TestFinalRefusals(t *testing.T) {
	for code, over := range map[core.Code]bool{
		core.HeadMoved: true, core.SurfaceLost: true, core.NoBrowser: true, core.StorageFull: true, core.Cancelled: true, core.Internal: true,
		core.UnsafeStructure: false, core.Timeout: false, core.TooLarge: false,
	} {
		r := newRig(t, samplePage, noteOn{"x", []string{"h1"}})
		bold(r)
		r.draft.lookErr = core.Errorf(code, "it went wrong")
		res, out := r.do(Screenshot, map[string]any{})
		if res.Code != code || res.Over != over || out["correctable"] == over {
			t.Errorf("%s: over %t, %s", code, res.Over, res.Text)
		}
	}
}

// Picture draws nothing: what a real session shows is tested in package
// candidate.
func (m *memory) Picture(_ context.Context, o candidate.PictureOptions) (candidate.Picture, error) {
	m.pictures = append(m.pictures, o)
	p := candidate.Picture{Of: orElse(o.Of, "draft"), Part: orElse(o.Part, "viewport"), View: max(o.Width, 390), Scale: 0.51234}
	p.Shot = contract.Shot{MediaType: "image/png", Data: []byte("\x89PNG what the page looks like"), Width: 640, Height: 400}
	p.Region = contract.Rect{X: 1, Y: 2, Width: 3, Height: 4}
	return p, nil
}

// D-35, D-36, T-92: a picture goes to a model that sees, beside the JSON, and
// nowhere else; every other model is told its size and state.
func TestScreenshot(t *testing.T) {
	for _, vision := range []bool{false, true} {
		r := newRig(t, samplePage, noteOn{"x", []string{"h1", "p/1"}})
		r.cfg.Vision = vision
		for _, args := range []map[string]any{
			{}, {"what": "page", "of": "document"}, {"what": "target", "note": 1, "of": "difference", "width": 768}, {"what": "target", "note": 1, "target": 2},
		} {
			res, out := r.do(Screenshot, args)
			if res.IsError || (res.Image != nil) != vision {
				t.Fatalf("vision %t: %s", vision, res.Text)
			}
			if vision && string(res.Image.Data) != "\x89PNG what the page looks like" {
				t.Errorf("another picture: %q", res.Image.Data)
			}
			data := base64.StdEncoding.EncodeToString([]byte("what the page looks like"))
			if strings.Contains(res.Text, "PNG what") || strings.Contains(res.Text, data[:12]) {
				t.Errorf("the picture is in the JSON: %s", res.Text)
			}
			pic := out["picture"].(map[string]any)
			if pic["width"] != 640.0 || pic["attached"] != vision || pic["scale"] != 0.512 || pic["bytes"] != 29.0 || pic["region"] == nil {
				t.Errorf("%v", pic)
			}
		}
		p := r.draft.pictures
		if p[1].Of != "document" || p[1].Part != "page" || p[2].Width != 768 || len(p[2].Targets) != 2 || len(p[3].Targets) != 1 || p[3].Targets[0].Name != "p" {
			t.Errorf("pictures %+v", p)
		}
		for _, bad := range []map[string]any{
			{"what": "target"}, {"what": "target", "note": 2}, {"what": "target", "note": 1, "target": 3}, {"width": 500}, {"of": "head"}, {"what": "window"},
		} {
			r.refused(core.ToolArguments, Screenshot, bad)
			r.failures = 0
		}
	}
}

// R-TURN-8: the widths of a look are stated, and what a person approved is.
func TestVerdict(t *testing.T) {
	v := core.Verification{
		TreeMatches: true, Width: 1280, PixelsInside: 0.5, PixelsOutside: 0.25, Compared: 9, Layout: []string{"a"},
		Widths: []core.WidthLook{{Width: 390, PixelsOutside: 1, Layout: []string{"b"}}},
	}
	got := verdictOf(v, nil)
	if len(got.Looks) != 2 || got.Looks[1] != (lookOne{Width: 390, Outside: 1}) || strings.Join(got.Approved, "") != "ab" || got.Compared != 9 {
		t.Errorf("%+v", got)
	}
	if got = verdictOf(v, []string{"layout: a"}); got.Approved != nil {
		t.Errorf("not approved: %+v", got)
	}
}

func TestBrowserInspect(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"x", []string{"h1"}})
	r.draft.page.health = contract.Health{Errors: []string{"old error"}, Missing: []string{"http://abcdefgh234567.localhost:1/a.png"}}
	out := r.must(BrowserSee, map[string]any{"limit": 3})
	if n := len(out["elements"].([]any)); n != 3 || out["more"].(float64) < 10 {
		t.Errorf("%d elements, %v more", n, out["more"])
	}
	if out["missing"].([]any)[0] != "/a.png" || out["errors"].([]any)[0] != "old error" {
		t.Errorf("health: %v", out)
	}
	seen := r.must(BrowserSee, map[string]any{"scope": "viewport", "limit": 200})
	for _, e := range seen["elements"].([]any) {
		if y := e.(map[string]any)["box"].([]any)[1].(float64); y >= defaultHeight {
			t.Errorf("an element at %v is not in sight", y)
		}
	}
	if sel := selector(r.draft.page.pickOf(nodeOf(t, r.draft.base, "h1"))); sel != ":root > :nth-child(2) > :nth-child(1)" {
		t.Errorf("selector %q", sel)
	}
}

// R-TURN-9: bounded, real input.
func TestBrowserAct(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"x", []string{"button"}})
	for _, args := range []map[string]any{
		{"kind": "click", "note": 1},
		{"kind": "click", "text": "Go"},
		{"kind": "focus", "note": 1},
		{"kind": "type", "text": "abc"},
		{"kind": "press", "key": "Enter"},
		{"kind": "scroll", "direction": "down", "unit": "page"},
		{"kind": "scroll", "direction": "left"},
	} {
		r.must(BrowserAct, args)
	}
	a := r.draft.page.acted
	if a[0].Handle == "" || a[0].Handle != a[1].Handle || a[3].Text != "abc" || a[3].Handle != "" || a[4].Key != "Enter" || a[5].DY != 720 || a[6].DX != -40 {
		t.Errorf("%+v", a)
	}
	r.refused(core.SeveralMatches, BrowserAct, map[string]any{"kind": "click", "text": "Read"})
	r.refused(core.NoMatch, BrowserAct, map[string]any{"kind": "click", "text": "Buy"})
}

func TestReload(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"x", []string{"h1"}})
	r.must(Reload, map[string]any{})
	if r.draft.reloads != 1 {
		t.Error("the page was not loaded anew")
	}
	bold(r)
	one := r.must(Reload, map[string]any{})["receipt"]
	two := r.must(Reload, map[string]any{})["receipt"]
	if one == nil || one == two || r.draft.receipt != two {
		t.Errorf("receipts %v and %v", one, two)
	}
}

// plan lets the built-in planner run the turn to its end.
func plan(r *rig) (string, Result) {
	r.t.Helper()
	model := builtin.New()
	messages := []llm.Message{{Role: llm.User, Text: "Notes are in document_inspect."}}
	for range 12 {
		resp, err := model.Complete(r.t.Context(), llm.Request{Messages: messages, Tools: Defs()}, nil)
		if err != nil {
			r.t.Fatal(err)
		}
		messages = append(messages, llm.Message{Role: llm.Assistant, Text: resp.Text, ToolCalls: resp.ToolCalls})
		if len(resp.ToolCalls) == 0 {
			return resp.Text, Result{}
		}
		for i, res := range r.Respond(r.t.Context(), resp.ToolCalls) {
			messages = append(messages, llm.Message{Role: llm.Tool, ToolCallID: resp.ToolCalls[i].ID, Text: res.Text, IsError: res.IsError})
			if res.Finished != nil || res.Over {
				last, err := model.Complete(r.t.Context(), llm.Request{Messages: messages, Tools: Defs()}, nil)
				if err != nil {
					r.t.Fatal(err)
				}
				return last.Text, res
			}
		}
	}
	r.t.Fatal("the planner did not come to an end")
	return "", Result{}
}

// R-MODEL-1: the planner goes through the same tools as any model.
func TestBuiltinPlanner(t *testing.T) {
	for _, tc := range []struct {
		name     string
		notes    []noteOn
		old, new []string // replaced in the page, in order; none where nothing changes
		says     string
	}{
		{"text", []noteOn{{`change the text to "Quarterly <report>"`, []string{"h1"}}}, []string{`Sales &amp; more`}, []string{`Quarterly &lt;report&gt;`}, "Done"},
		{"looks", []noteOn{{"make it bold and red", []string{"h1"}}}, []string{`id=main>`}, []string{`id=main style="font-weight: bold; color: red">`}, "Done"},
		{"chinese", []noteOn{{"把文字改成“季度报告”，然后加粗", []string{"h1"}}}, []string{`id=main>Sales &amp; more`}, []string{`id=main style="font-weight: bold">季度报告`}, "已完成"},
		{"two notes", []noteOn{{`set alt to "A black cat"`, []string{"img"}}, {`change "25" to "30"`, []string{"p/2"}}}, []string{`Price: 25`, `alt="cat"`}, []string{`Price: 30`, `alt="A black cat"`}, "note 2: “25”"},
		{"two targets", []noteOn{{`set href to /new`, []string{"a/1", "a/2"}}}, []string{`"/x"`, `"/y"`}, []string{`"/new"`, `"/new"`}, "Done"},
		{"remove", []noteOn{{"删除它", []string{"img"}}}, []string{`<img src="a.png" alt="cat">`}, []string{``}, "已完成"},
		{"not understood", []noteOn{{"make it look nicer", []string{"h1"}}}, nil, nil, "I can:"},
		{"one of two", []noteOn{{"make it bold", []string{"h1"}}, {"make it pop", []string{"p/1"}}}, nil, nil, "Note 2"},
		{"several texts", []noteOn{{`change the text to "x"`, []string{"p/1"}}}, nil, nil, "several texts"},
		{"no change", []noteOn{{`set alt to "cat"`, []string{"img"}}}, nil, nil, "Nothing was changed"},
		{"forbidden", []noteOn{{`set href to javascript:alert(1)`, []string{"a/1"}}}, nil, nil, "Nothing was changed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, samplePage, tc.notes...)
			text, res := plan(r)
			if !strings.Contains(text, tc.says) {
				t.Errorf("it says %q, want %q in it", text, tc.says)
			}
			want := samplePage
			for i := range tc.old {
				want = strings.Replace(want, tc.old[i], tc.new[i], 1)
			}
			if tc.old == nil {
				if r.draft.published != nil || r.draft.Staged() {
					t.Fatalf("something was changed: %s", res.Text)
				}
				return
			}
			if string(r.draft.published) != want {
				t.Errorf("published\n%s\nwant\n%s", r.draft.published, want)
			}
		})
	}
}

// The planner takes back what would break the page, and claims nothing.
func TestBuiltinPlannerDiscards(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"make it bold", []string{"h1"}})
	r.draft.faults = []string{"new error: boom"}
	text, res := plan(r)
	if r.draft.published != nil || !r.draft.discarded || res.Finished.Action != Discard || !strings.Contains(text, "boom") || !strings.Contains(text, "Nothing was changed") {
		t.Errorf("%s\n%s", text, res.Text)
	}
	r = newRig(t, samplePage, noteOn{"make it bold", []string{"h1"}})
	r.draft.lookErr = core.Errorf(core.UnsafeStructure, "the browser builds another page")
	if text, _ := plan(r); r.draft.published != nil || !r.draft.discarded || !strings.Contains(text, "another page") {
		t.Error(text)
	}
}

// A look tells what a model needs next: of a draft its targets, a few elements.
func TestLookAtADraftTellsItsTargets(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"x", []string{"h1", "p/2"}}, noteOn{"y", []string{"img"}})
	chosen := func(a browserInspectArgs) (string, int) {
		t.Helper()
		sel, limit, err := r.chosen(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		return sel, limit
	}
	if sel, limit := chosen(browserInspectArgs{}); sel != ":root, :root *" || limit != defaultNodes {
		t.Errorf("of the document: %q, %d", sel, limit)
	}
	bold(r)
	const h1, p2, img = ":root > :nth-child(2) > :nth-child(1)", ":root > :nth-child(2) > :nth-child(3)", ":root > :nth-child(2) > :nth-child(4)"
	want := strings.Join([]string{h1, h1 + " *", p2, p2 + " *", img, img + " *"}, ", ")
	if sel, limit := chosen(browserInspectArgs{}); sel != want || limit != draftNodes {
		t.Errorf("of the draft: %q, %d", sel, limit)
	}
	if sel, limit := chosen(browserInspectArgs{Scope: "document", Limit: 5}); sel != ":root, :root *" || limit != 5 {
		t.Errorf("of the document, as asked: %q, %d", sel, limit)
	}
	p := contract.Pick{Text: strings.Repeat("word ", 30)}
	if leaf, holder := live(p, false), live(p, true); len(leaf.Text) <= len(holder.Text) || len([]rune(holder.Text)) > holderRunes+1 {
		t.Errorf("leaf %q, holder %q", leaf.Text, holder.Text)
	}
}
