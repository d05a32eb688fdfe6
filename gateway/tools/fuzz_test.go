package tools

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

// FuzzCall, D-25: whatever a model sends, each tool answers with JSON that says how
// it went, and the page changes only through a draft.
func FuzzCall(f *testing.F) {
	for i, args := range []string{
		`{}`, `{"note":1}`, `{"mode":"structure","page":2}`, `{"around":1}`, `{"find":"a"}`, `{"operation":"set_style","tag":"h1"}`,
		`{"mutations":[{"grant":"hrg_x","name":"a","value":"b","also":[{"name":"c"}]}]}`, `{"sourceSha":"","edits":[{"expectedText":"cell","replacement":"<script>"}]}`,
		`{"scope":"target","note":1}`, `{"kind":"click","note":1}`, `{"what":"page"}`, `{"action":"commit","receipt":"vfy_","sha":"x"}`, `{"a":` + strings.Repeat(`{"a":`, 40),
	} {
		f.Add(uint8(i%10), args)
	}
	defs := Defs()
	f.Fuzz(func(t *testing.T, tool uint8, args string) {
		r := newRig(t, samplePage, noteOn{"make it bold", []string{"h1"}})
		name := defs[int(tool)%len(defs)].Name
		res := r.Call(t.Context(), llm.ToolCall{Name: name, Arguments: args})
		var out map[string]any
		if err := json.Unmarshal([]byte(res.Text), &out); err != nil || !utf8.ValidString(res.Text) {
			t.Fatalf("%s %q answered %q", name, args, res.Text)
		}
		if out["ok"] != !res.IsError || res.IsError && res.Code == "" {
			t.Fatalf("%s %q: ok is %v, code %q", name, args, out["ok"], res.Code)
		}
		if r.draft.published != nil || r.draft.Staged() && name != Patch {
			t.Fatalf("%s %q changed something", name, args)
		}
		if !json.Valid([]byte(args)) && res.Code != core.ToolArguments {
			t.Fatalf("%s took invalid JSON %q: %s", name, args, res.Text)
		}
	})
}

// An adversary with grants to one element changes no byte outside it, whatever
// it puts into the mutations.
func TestAdversaryStaysInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	nasty := []string{
		`</h1><script>x()</script>`, `"><img src=x onerror=y>`, `' onclick='z`, `javascript:alert(1)`, `url(javascript:1)`, "a\x00b", "\n\n", `</style>`,
		`<!--`, `-->`, `]]>`, `expression(1)`, `red; background: url(http://evil.example)`, `a b`, `&lt;`, "\u202e", strings.Repeat("x", 5000), ``, `onclick`, `style`, `srcdoc`, `color`, `href`, `class`, `font-weight`,
	}
	pickOne := func() string { return nasty[rng.IntN(len(nasty))] }
	staged := 0
	for range 1500 {
		r := newRig(t, samplePage, noteOn{"x", []string{"h1"}})
		h1 := r.seen().Notes[0].Targets[0]
		span, _ := r.draft.base.Range(nodeOf(t, r.draft.base, "h1"))
		var list []mutation
		for _, op := range []string{"set_attribute", "remove_attribute", "set_style", "add_class", "remove_class"} {
			if rng.IntN(3) > 0 {
				continue
			}
			m := mutation{Grant: h1.Grants[op], Name: pickOne()}
			if op == "set_attribute" || op == "set_style" {
				m.Value = pickOne()
			}
			list = append(list, m)
		}
		if rng.IntN(2) == 0 {
			list = append(list, mutation{Grant: h1.Texts[0].Grant, Text: pickOne()})
		}
		if len(list) == 0 {
			continue
		}
		res, _ := r.do(Apply, apply(list...))
		if res.IsError {
			if r.draft.Staged() {
				t.Fatalf("%+v was refused and staged", list)
			}
			continue
		}
		staged++
		got := string(r.draft.current.Source())
		if !strings.HasPrefix(got, samplePage[:span.Start]) || !strings.HasSuffix(got, samplePage[span.End:]) {
			t.Fatalf("%+v changed bytes outside:\n%s", list, got)
		}
		if n := strings.Count(strings.ToLower(got), "<script"); n != 1 {
			t.Fatalf("%+v made %d scripts", list, n)
		}
	}
	if staged < 100 {
		t.Errorf("only %d proposals went through", staged)
	}
}

// However much a target holds and however many there are, what document_inspect
// repeats of the page is bounded.
func TestInspectRepeatsLittle(t *testing.T) {
	var b strings.Builder
	b.WriteString("<!doctype html><title>Long</title><body><main>")
	for i := range 300 {
		fmt.Fprintf(&b, "<p id=p%d", i)
		for k := range 40 {
			fmt.Fprintf(&b, " data-%d=\"%s\"", k, strings.Repeat("v", 200))
		}
		fmt.Fprintf(&b, ">%s</p>\n", strings.Repeat("word ", 1000))
	}
	b.WriteString("</main>")
	size := func(notes ...noteOn) int {
		r := newRig(t, b.String(), notes...)
		res, _ := r.do(Inspect, map[string]any{})
		if res.IsError {
			t.Fatal(res.Text)
		}
		return len(res.Text)
	}
	var all []noteOn
	for i := range core.MaxAnnotationsPerSend {
		n := noteOn{say: "x"}
		for k := range core.MaxTargetsPerNote {
			n.on = append(n.on, fmt.Sprintf("p/%d", 1+i*core.MaxTargetsPerNote+k))
		}
		all = append(all, n)
	}
	for _, c := range []struct {
		name  string
		most  int
		notes []noteOn
	}{
		{"one paragraph", 8 << 10, []noteOn{{"x", []string{"p"}}}},
		{"all of them", 10 << 10, []noteOn{{"x", []string{"main"}}}},
		{"256 targets", 160 << 10, all},
	} {
		if n := size(c.notes...); n > c.most {
			t.Errorf("%s: %d bytes, at most %d", c.name, n, c.most)
		} else {
			t.Logf("%s: %d bytes", c.name, n)
		}
	}
}

// One edit on a page of five megabytes costs the model few bytes to read.
func TestInspectIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("<!doctype html><title>Big</title><body><h1>Top</h1>")
	for i := 0; b.Len() < 5<<20; i++ {
		fmt.Fprintf(&b, "<section class='s%d'><h2>Section %d</h2><p>Some text with <b>bold</b> words.</p></section>\n", i, i)
	}
	r := newRig(t, b.String(), noteOn{"make it bold", []string{"h1"}})
	began := time.Now()
	res, _ := r.do(Inspect, map[string]any{})
	t.Logf("document_inspect: %d bytes in %s", len(res.Text), time.Since(began))
	if len(res.Text) > 2<<10 {
		t.Errorf("document_inspect gives %d bytes for one note", len(res.Text))
	}
	defs, _ := json.Marshal(Defs())
	t.Logf("the ten tools: %d bytes", len(defs))
	if len(defs) > 12<<10 {
		t.Errorf("the tools take %d bytes of the prompt", len(defs))
	}
	began = time.Now()
	r.refused(core.SeveralMatches, Locate, map[string]any{"operation": "set_style", "text": "bold words"})
	t.Logf("document_locate by text: %s", time.Since(began))
	began = time.Now()
	r.must(Read, map[string]any{"mode": "structure", "page": 3})
	t.Logf("document_read structure: %s", time.Since(began))
	began = time.Now()
	r.must(Apply, apply(mutation{Grant: r.seen().Notes[0].Targets[0].Grants["set_style"], Name: "color", Value: "red"}))
	t.Logf("inspect, apply and stage: %s", time.Since(began))
}
