package tools

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

var update = flag.Bool("update", false, "write the golden files")

// D-21 to D-24 (D-22, D-23), D-45, T-73: exactly ten tools, and their contract does not change by accident.
func TestDefs(t *testing.T) {
	defs := Defs()
	if len(defs) != core.AnnotatedTools {
		t.Fatalf("%d tools, want %d", len(defs), core.AnnotatedTools)
	}
	got, err := json.MarshalIndent(defs, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	golden := filepath.Join("testdata", "tools.json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("the tools differ from testdata/tools.json; look at the change, then run with -update")
	}
}

// forbidden are names no schema may show or take (R-TURN-1, D-94).
var forbidden = regexp.MustCompile(`(?i)path|file(name)?\b|offset|\bspan\b|anchor|locator|proof|\bcdp\b|node.?id|element.?id|document.?id|session|revision|bridge|\bhandle\b|javascript|expression|surface`)

func TestSchemasAreClosedAndClean(t *testing.T) {
	for _, d := range Defs() {
		var s map[string]any
		if err := json.Unmarshal(d.Schema, &s); err != nil {
			t.Fatal(err)
		}
		walkSchema(t, d.Name, s)
		if m := forbidden.FindString(string(d.Schema) + d.Description); m != "" {
			t.Errorf("%s shows %q", d.Name, m)
		}
	}
}

// walkSchema makes sure that every object of a schema is closed and every
// property says what it is for.
func walkSchema(t *testing.T, at string, s map[string]any) {
	t.Helper()
	if s["type"] == "object" {
		if closed, ok := s["additionalProperties"].(bool); !ok || closed {
			t.Errorf("%s is open", at)
		}
	}
	if _, typed := s["type"].(string); !typed {
		t.Errorf("%s has no single type", at)
	}
	props, _ := s["properties"].(map[string]any)
	for name, p := range props {
		sub := p.(map[string]any)
		if d, _ := sub["description"].(string); d == "" {
			t.Errorf("%s.%s has no description", at, name)
		}
		walkSchema(t, at+"."+name, sub)
	}
	if items, ok := s["items"].(map[string]any); ok {
		walkSchema(t, at+"[]", items)
	}
}

// D-37, D-94: resultKeys are the member names of every result, and none of them may be
// one of R-TURN-1; nor may the values that are not the page's own.
func TestResultsAreClean(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"make it bold", []string{"h1"}}, noteOn{"fix it", []string{"td"}})
	var texts []string
	keep := func(tool string, args any) {
		res, _ := r.do(tool, args)
		texts = append(texts, res.Text)
	}
	keep(Inspect, map[string]any{})
	in := r.seen()
	keep(Read, map[string]any{})
	keep(Read, map[string]any{"mode": "structure"})
	keep(Read, map[string]any{"around": 1})
	keep(Locate, map[string]any{"operation": "set_attribute", "tag": "img"})
	keep(Locate, map[string]any{"operation": "set_attribute", "tag": "a"})
	keep(BrowserSee, map[string]any{})
	keep(Screenshot, map[string]any{"what": "target", "note": 1})
	keep(BrowserAct, map[string]any{"kind": "scroll", "direction": "down"})
	keep(Apply, apply(mutation{Grant: in.Notes[0].Targets[0].Grants["set_style"], Name: "color", Value: "url(x)"}))
	keep(Apply, apply(mutation{Grant: in.Notes[0].Targets[0].Grants["set_style"], Name: "font-weight", Value: "bold"}))
	keep(Reload, map[string]any{})
	keep(FinishName, map[string]any{"action": "discard"})
	ids := regexp.MustCompile(`trn_|ses_|doc_|rev_|ann_|anc_|localhost`)
	for _, text := range texts {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		for _, k := range keysOf(v) {
			if forbidden.MatchString(k) {
				t.Errorf("a result has the member %q: %s", k, text)
			}
		}
		if m := ids.FindString(text); m != "" {
			t.Errorf("a result shows %q: %s", m, text)
		}
		if strings.Contains(text, "PNG picture") {
			t.Errorf("a result holds a picture")
		}
	}
}

func keysOf(v any) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			out = append(append(out, k), keysOf(e)...)
		}
	case []any:
		for _, e := range v {
			out = append(out, keysOf(e)...)
		}
	}
	return out
}

// T-80, D-32, R-TURN-5: what calls one response may hold.
func TestAdmit(t *testing.T) {
	c := func(names ...string) []llm.ToolCall {
		var out []llm.ToolCall
		for _, n := range names {
			out = append(out, llm.ToolCall{Name: n})
		}
		return out
	}
	many := make([]string, core.MaxToolCallsPerTurn+1)
	for i := range many {
		many[i] = Read
	}
	for _, tc := range []struct {
		calls []llm.ToolCall
		code  core.Code
	}{
		{c(Inspect), ""},
		{c(Inspect, Read, Locate), ""},
		{c(Read, Apply), ""},
		{c(BrowserSee, Screenshot), ""},
		{c(FinishName), ""},
		{c(Apply, Apply), core.ToolArguments},
		{c(Apply, Patch), core.ToolArguments},
		{c(Patch, BrowserSee), core.ToolArguments},
		{c(Reload, Inspect, Apply), core.ToolArguments},
		{c(FinishName, Read), core.ToolArguments},
		{c(FinishName, FinishName), core.ToolArguments},
		{c("read_file"), core.ToolUnknown},
		{c(Inspect, "bash"), core.ToolUnknown},
		{c(many...), core.ToolArguments},
	} {
		r := newRig(t, samplePage)
		err := r.Admit(tc.calls)
		if core.CodeOf(err) != tc.code {
			t.Errorf("%v: %v, want %q", tc.calls, err, tc.code)
		}
		if err != nil && core.AsError(err).Hint == "" {
			t.Errorf("%v: the refusal does not say what to do", tc.calls)
		}
	}
}

// A response that is refused as a whole does nothing at all.
func TestRespondRefusesAll(t *testing.T) {
	r := newRig(t, samplePage, noteOn{"x", []string{"h1"}})
	in := r.seen()
	args, _ := json.Marshal(apply(mutation{Grant: in.Notes[0].Targets[0].Grants["set_style"], Name: "color", Value: "red"}))
	res := r.Respond(t.Context(), []llm.ToolCall{{Name: Apply, Arguments: string(args)}, {Name: Screenshot, Arguments: `{}`}})
	if len(res) != 2 || !res[0].IsError || !res[1].IsError || r.draft.Staged() {
		t.Fatalf("%+v", res)
	}
}

// T-73, D-46: an eleventh name is refused where calls are made, too.
func TestUnknownTool(t *testing.T) {
	r := newRig(t, samplePage)
	for _, name := range []string{"document_eval", "", "document_inspect ", strings.Repeat("x", 9999)} {
		res := r.Call(t.Context(), llm.ToolCall{Name: name, Arguments: "{}"})
		if res.Code != core.ToolUnknown && res.Code != core.TurnEnded || len(res.Text) > 2000 {
			t.Errorf("%.20q: %s", name, res.Text)
		}
	}
}

// Invalid arguments are an error result, never an empty object; unknown and
// repeated names are refused (T-46).
func TestArguments(t *testing.T) {
	for _, tc := range []struct{ tool, args string }{
		{Inspect, ``},
		{Inspect, ` `},
		{Inspect, `{`},
		{Inspect, `{}{}`},
		{Inspect, `[]`},
		{Inspect, `null`},
		{Inspect, `"x"`},
		{Inspect, `{"note":1`},
		{Inspect, `{"Note":1}`},
		{Inspect, `{"note":"1"}`},
		{Inspect, `{"note":-1}`},
		{Inspect, `{"note":1.5}`},
		{Inspect, `{"note":null}`},
		{Inspect, `{"path":"/etc/passwd"}`},
		{Inspect, `{"note":1,"note":1}`},
		{Inspect, "{\"note\":\xff}"},
		{Inspect, `{"note":99}`},
		{Read, `{"find":"a\ud800b"}`},
		{Read, `{"find":"\uDC00"}`},
		{Read, `{"find":"\ud83d\ud83d\ude00"}`},
		{Read, `{"find":"\\\ud800"}`},
		{Read, `{"mode":"raw"}`},
		{Read, `{"page":1,"around":1}`},
		{Read, `{"page":999}`},
		{Read, `{"find":""}`},
		{Locate, `{}`},
		{Locate, `{"operation":"set_style"}`},
		{Locate, `{"operation":"eval","tag":"p"}`},
		{Locate, `{"operation":"set_style","tag":"p","xpath":"//p"}`},
		{Apply, `{}`},
		{Apply, `{"mutations":[]}`},
		{Apply, `{"mutations":{}}`},
		{Apply, `{"mutations":[{"operation":"set_style"}]}`},
		{Apply, `{"mutations":[{"grant":"hrg_x","target":3}]}`},
		{Apply, `{"mutations":[{"grant":"a","grant":"b"}]}`},
		{Patch, `{}`},
		{Patch, `{"sourceSha":"xyz","edits":[{"expectedText":"a","replacement":"b"}]}`},
		{BrowserSee, `{"scope":"target"}`},
		{BrowserSee, `{"limit":201}`},
		{BrowserSee, `{"limit":0}`},
		{BrowserSee, `{"selector":"p"}`},
		{BrowserAct, `{}`},
		{BrowserAct, `{"kind":"navigate"}`},
		{BrowserAct, `{"kind":"click"}`},
		{BrowserAct, `{"kind":"type"}`},
		{BrowserAct, `{"kind":"press","key":"F12"}`},
		{BrowserAct, `{"kind":"press"}`},
		{BrowserAct, `{"kind":"scroll"}`},
		{Screenshot, `{"what":"target"}`},
		{Screenshot, `{"what":"window"}`},
		{Reload, `{"url":"http://x"}`},
		{FinishName, `{}`},
		{FinishName, `{"action":"publish"}`},
	} {
		r := newRig(t, samplePage, noteOn{"x", []string{"h1"}})
		res, out := r.do(tc.tool, tc.args)
		if res.Code != core.ToolArguments {
			t.Errorf("%s %s: got %q %s", tc.tool, tc.args, res.Code, res.Text)
			continue
		}
		if out["correctable"] != true || r.draft.Staged() {
			t.Errorf("%s %s: %s", tc.tool, tc.args, res.Text)
		}
	}
	for _, good := range []string{`{"find":"\ud83d\ude00\u00e4"}`, `{"find":"\\ud800 \\\\ud800"}`} {
		if res, _ := newRig(t, samplePage).do(Read, good); res.IsError && res.Code == core.ToolArguments {
			t.Errorf("%s: %s", good, res.Text)
		}
	}
	res, _ := newRig(t, samplePage).do(FinishName, `{"action":"commit","receipt":null}`)
	if strings.Contains(res.Text, "reflect") {
		t.Error(res.Text)
	}
	deep := newRig(t, samplePage)
	deep.refused(core.ToolArguments, Inspect, strings.Repeat("[", 100_000))
	deep.refused(core.ToolArguments, Inspect, `{"note":`+strings.Repeat("1", maxArgumentBytes)+`}`)
}

// The budgets of a turn: 24 calls, the same call twice, three failures in a row.
func TestBudgets(t *testing.T) {
	t.Run("calls", func(t *testing.T) {
		r := newRig(t, samplePage)
		for i := range core.MaxToolCallsPerTurn {
			if out := r.must(Read, map[string]any{"find": fmt.Sprintf("%c", "<>/h1pabodyetl"[i%12]), "mode": []string{"source", "structure"}[i/12]}); out["budget"].(map[string]any)["callsLeft"] != float64(core.MaxToolCallsPerTurn-i-1) {
				t.Fatalf("budget after call %d: %v", i+1, out["budget"])
			}
		}
		res, out := r.do(Read, map[string]any{"page": 1})
		if res.Code != core.Budget || !res.Over || out["correctable"] != false {
			t.Fatalf("one call too many: %s", res.Text)
		}
		if core.CodeOf(r.Admit([]llm.ToolCall{{Name: Read}})) != core.Budget {
			t.Error("calls are admitted after the budget is spent")
		}
	})
	t.Run("same call", func(t *testing.T) {
		r := newRig(t, samplePage)
		r.must(Read, `{"page":1,"mode":"source"}`)
		r.must(Read, `{ "mode": "source", "page": 1 }`)
		r.refused(core.Budget, Read, `{"page":1,"mode":"source"}`)
		r.must(Read, `{"page":1,"mode":"structure"}`)
	})
	t.Run("failures", func(t *testing.T) {
		r := newRig(t, samplePage)
		r.refused(core.NoMatch, Read, map[string]any{"find": "nowhere 1"})
		r.must(Read, map[string]any{})
		r.refused(core.NoMatch, Read, map[string]any{"find": "nowhere 2"})
		r.refused(core.NoMatch, Read, map[string]any{"find": "nowhere 3"})
		res, out := r.do(Read, map[string]any{"find": "nowhere 4"})
		if !res.Over || out["correctable"] != false || r.Ended() == nil {
			t.Fatalf("third failure in a row: %s", res.Text)
		}
		r.refused(core.TurnEnded, Inspect, map[string]any{})
	})
	t.Run("locates", func(t *testing.T) {
		r := newRig(t, samplePage)
		for i := range core.MaxLocatesPerTurn {
			r.must(Locate, map[string]any{"operation": []string{"set_style", "add_class", "set_attribute", "remove_node", "remove_class", "remove_attribute"}[i%6], "tag": []string{"h1", "img", "button"}[i/6]})
		}
		r.refused(core.Budget, Locate, map[string]any{"operation": "set_style", "tag": "table"})
	})
}

// R-TURN-10: seconds and tokens are told where the turn counts them, and are
// never below nothing.
func TestSecondsAndTokensLeft(t *testing.T) {
	r := newRig(t, samplePage)
	left := r.must(Read, map[string]any{"find": "cell"})["budget"].(map[string]any)
	if _, told := left["secondsLeft"]; told {
		t.Errorf("nobody counts and seconds are told: %v", left)
	}
	now, tokens := time.Unix(1000, 0), 77
	r.cfg.Now, r.cfg.Deadline = func() time.Time { return now }, time.Unix(1090, 0)
	r.cfg.TokensLeft = func() int { return tokens }
	for _, c := range []struct {
		at      int64
		tokens  int
		seconds float64
		left    float64
	}{{1000, 77, 90, 77}, {1089, 0, 1, 0}, {1200, -5, 0, 0}} {
		now, tokens = time.Unix(c.at, 0), c.tokens
		left := r.must(Read, map[string]any{"find": fmt.Sprintf("%c", "Scb"[c.at%3])})["budget"].(map[string]any)
		if left["secondsLeft"] != c.seconds || left["tokensLeft"] != c.left {
			t.Errorf("at %d: %v", c.at, left)
		}
	}
}
