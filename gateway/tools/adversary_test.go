package tools

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/llm"
)

// adversary is a model that means harm. It knows all the tools give it, and
// grants of other turns, and chooses what to do by dice. What it may change at
// each call is worked out here from the ids of the elements, apart from the
// code under test; everything else has to stay byte for byte.
type adversary struct {
	r    *rig
	dice func(n int) int
	log  []string

	grants  map[string]granting // by token: what each grant is for
	used    map[string]bool     // tokens of calls that went through
	foreign []string            // tokens of another turn over the same document
	looked  string              // SHA-256 of the draft at the newest look
	receipt string
	staged  int
}

type granting struct{ element, operation string }

// hostilePage names each element by an id that nothing here changes.
const hostilePage = `<!doctype html>
<html lang="en"><head><title>T</title><style>p { color: black }</style></head>
<body>
<h1 id="e1" class="big">Sales &amp; more</h1>
<p id="e2">One <b id="e3">two</b> three</p>
<p id="e4" title='old "hint"'>Price: 25</p>
<ul id="e5"><li id="e6">a<li id="e7">b</ul>
<img id="e8" src="a.png" alt="cat">
<a id="e9" href="/x">Read</a>
<script>var secret = 1;</script>
<button id="e10" onclick="go()">Go</button>
</body></html>
`

var nasties = []string{
	`</h1><script>x()</script>`, `"><img src=x onerror=y>`, `' onclick='z`, `javascript:alert(1)`, "java\tscript:alert(1)", `url(javascript:1)`,
	"a\x00b", "\n\n", "\r", `</style>`, `<!--`, `-->`, `]]>`, `expression(1)`, `red; background: url(http://evil.example)`, `a b`, `&lt;`, "\u202e", "ſcript",
	"\u2028", strings.Repeat("x", 5000), ``, `onclick`, `ONLOAD`, `style`, `srcdoc`, `xmlns`, `color`, `href`, `class`, `font-weight`, `title`, `alt`, `bold`, `data:text/html,x`,
	`//evil.example/x`, `</p>`, `<p>`, `</body>`, `<base href=//evil.example>`, `{}`, `🙂`, `ａ`,
}

func newAdversary(t testing.TB, dice func(n int) int) *adversary {
	a := &adversary{r: newRig(t, hostilePage, noteOn{"a", []string{"h1"}}, noteOn{"b", []string{"p", "li/2"}}), dice: dice, grants: map[string]granting{}, used: map[string]bool{}}
	other := newSet(Config{
		Turn:   core.Turn{ID: "trn_2", SessionID: "ses_1", DocumentID: "doc_1", RevisionID: "rev_1", Notes: a.r.cfg.Turn.Notes},
		Grants: a.r.reg, SessionEpoch: 1,
	}, newMemory(t, hostilePage))
	res := other.Call(t.Context(), llm.ToolCall{Name: Inspect, Arguments: "{}"})
	for _, g := range grantsIn(t, res.Text) {
		a.foreign = append(a.foreign, g.token)
	}
	return a
}

func (a *adversary) nasty() string { return nasties[a.dice(len(nasties))] }

func (a *adversary) failf(format string, args ...any) {
	a.r.t.Helper()
	a.r.t.Fatalf(format+"\nafter\n%s", append(args, strings.Join(a.log, "\n"))...)
}

// call makes one call and checks what holds of every call.
func (a *adversary) call(tool string, args any, may func(before *htmlsrc.Tree) []core.Span) Result {
	raw, ok := args.(string)
	if !ok {
		b, err := json.Marshal(args)
		if err != nil {
			a.r.t.Fatal(err)
		}
		raw = string(b)
	}
	a.log = append(a.log, tool+" "+clip(raw, 400))
	before, over := a.r.draft.current, a.r.ended != nil
	res := a.r.Call(a.r.t.Context(), llm.ToolCall{Name: tool, Arguments: raw})
	a.log = append(a.log, "  "+clip(res.Text, 300))
	var out map[string]any
	if err := json.Unmarshal([]byte(res.Text), &out); err != nil || !utf8.ValidString(res.Text) || out["ok"] != !res.IsError {
		a.failf("the answer is %q", res.Text)
	}
	if over && !res.IsError {
		a.failf("a call went through after the end")
	}
	after := a.r.draft.current
	if after != before {
		a.checkChange(before, after, res, may)
	}
	for _, g := range grantsIn(a.r.t, res.Text) {
		a.grants[g.token] = g.granting
	}
	return res
}

func (a *adversary) step() {
	switch a.dice(11) {
	case 0:
		a.call(Inspect, map[string]any{}, nil)
	case 1:
		a.call(Locate, map[string]any{"operation": string(allOperations[a.dice(len(allOperations))]), "attribute": map[string]any{"name": "id", "value": fmt.Sprint("e", 1+a.dice(10))}}, nil)
	case 2, 3, 4:
		a.apply()
	case 5, 6:
		a.patch()
	case 7:
		a.see()
	case 8:
		a.finish()
	case 9:
		a.junk()
	case 10:
		a.several()
	}
}

// apply uses grants of all kinds, with hostile values.
func (a *adversary) apply() {
	var list []mutation
	var real []granting
	bad := false
	tokens := make([]string, 0, len(a.grants))
	for token := range a.grants {
		tokens = append(tokens, token)
	}
	slices.Sort(tokens)
	for range 1 + a.dice(4) {
		m := mutation{Name: a.nasty(), Value: a.nasty()}
		switch n := a.dice(12); {
		case n == 0:
			m.Grant = "hrg_" + strings.Repeat("A", 43)
		case n == 1:
			m.Grant = a.foreign[a.dice(len(a.foreign))]
		case n == 2:
			m.Grant = a.nasty()
		case len(tokens) == 0:
			return
		default:
			m.Grant = tokens[a.dice(len(tokens))]
		}
		g, ok := a.grants[m.Grant]
		if !ok || a.used[m.Grant] {
			bad = true
		}
		for _, before := range list {
			bad = bad || before.Grant == m.Grant
		}
		switch g.operation {
		case "replace_text":
			m = mutation{Grant: m.Grant, Text: a.nasty()}
		case "remove_node":
			m = mutation{Grant: m.Grant}
		case "set_attribute", "set_style":
		default:
			m.Value = ""
		}
		if a.dice(8) == 0 {
			m.Operation = string(allOperations[a.dice(len(allOperations))])
			bad = bad || m.Operation != g.operation
		}
		list, real = append(list, m), append(real, g)
	}
	res := a.call(Apply, apply(list...), func(t *htmlsrc.Tree) []core.Span {
		var out []core.Span
		for _, g := range real {
			out = append(out, g.allowed(t))
		}
		return out
	})
	if res.IsError {
		return
	}
	if bad {
		a.failf("a bad grant went through")
	}
	for _, m := range list {
		a.used[m.Grant] = true
	}
}

// patch replaces exact text, some of it in code.
func (a *adversary) patch() {
	places := []string{"Sales", "two", "25", "<li id=\"e7\">b", "</body>", "var secret = 1;", "go()", "Read", "color: black", "</ul>", "nowhere", "id=", "</script>", "<", "alt=\"cat\""}
	args := patchArgs{SourceSHA: a.r.draft.SHA()}
	if a.dice(10) == 0 {
		args.SourceSHA = strings.Repeat("0", 64)
	}
	for range 1 + a.dice(3) {
		p := places[a.dice(len(places))]
		now := a.nasty()
		if a.dice(2) == 0 {
			now = p + now
		}
		args.Edits = append(args.Edits, patchEdit{ExpectedText: p, Replacement: now, Note: a.dice(4)})
	}
	src := string(a.r.draft.current.Source())
	res := a.call(Patch, args, func(t *htmlsrc.Tree) []core.Span {
		var out []core.Span
		for _, e := range args.Edits {
			at := strings.Index(src, e.ExpectedText)
			out = append(out, core.Span{Start: at, End: at + len(e.ExpectedText)})
		}
		return out
	})
	if res.IsError {
		return
	}
	for _, e := range args.Edits {
		if strings.Count(src, e.ExpectedText) != 1 {
			a.failf("%q is not once in the source and was replaced", e.ExpectedText)
		}
	}
}

func (a *adversary) see() {
	res := a.call([]string{BrowserSee, Screenshot, Reload}[a.dice(3)], map[string]any{}, nil)
	var out struct{ Receipt, CandidateSHA string }
	if json.Unmarshal([]byte(res.Text), &out) == nil && out.Receipt != "" {
		a.receipt, a.looked = out.Receipt, out.CandidateSHA
	}
}

// finish tries to commit what was seen, or lies about it.
func (a *adversary) finish() {
	args := map[string]any{"action": "commit", "receipt": a.receipt, "sha": a.looked, "summary": a.nasty()}
	switch a.dice(5) {
	case 0:
		args["receipt"] = "vfy_" + strings.Repeat("a", 26)
	case 1:
		args["sha"] = a.r.draft.SHA()
	}
	res := a.call(FinishName, args, nil)
	if p := a.r.draft.published; p != nil && !res.IsError && core.SHA256Hex(p) != a.looked {
		a.failf("bytes were published that nobody looked at")
	}
}

// junkArguments are arguments of no call.
var junkArguments = []string{
	``, `null`, `[]`, `{"a":1}`, `{`, `{"mutations":[]}`, `{"mutations":null}`, strings.Repeat(`{"a":`, 500), strings.Repeat(`[`, 100_000),
	`{"grant":"x","grant":"y"}`, "{\"find\":\"\xff\xfe\"}", `{"page":1e999}`, `{"page":-1}`, `{"page":99999999999999999999}`, `{"NOTE":1}`, `{"ſcope":"target"}`,
	`{"action":"commit"} {"action":"discard"}`, `{"mode":"source","page":1,"path":"/etc/passwd"}`, `{"kind":"click","text":"` + strings.Repeat("a", 20_000) + `"}`,
	`{"sourceSha":"` + strings.Repeat("0", 64) + `","edits":[{"expectedText":"` + strings.Repeat("x", maxArgumentBytes) + `","replacement":""}]}`,
}

// junk sends what is no call at all.
func (a *adversary) junk() {
	names := []string{Inspect, Read, Locate, Apply, Patch, BrowserSee, BrowserAct, Screenshot, Reload, FinishName, "write_file", "document_inspect ", "DOCUMENT_APPLY", "document_аpply"}
	a.call(names[a.dice(len(names))], junkArguments[a.dice(len(junkArguments))], nil)
}

// several puts calls together that must not be.
func (a *adversary) several() {
	sha := a.r.draft.SHA()
	edit, _ := json.Marshal(patchArgs{SourceSHA: sha, Edits: []patchEdit{{ExpectedText: "Sales", Replacement: "Sold"}}})
	sets := [][]llm.ToolCall{
		{{Name: Patch, Arguments: string(edit)}, {Name: Apply, Arguments: "{}"}},
		{{Name: Patch, Arguments: string(edit)}, {Name: BrowserSee, Arguments: "{}"}},
		{{Name: Inspect, Arguments: "{}"}, {Name: FinishName, Arguments: `{"action":"discard"}`}},
		{{Name: Patch, Arguments: string(edit)}, {Name: "write_file", Arguments: "{}"}},
	}
	calls := sets[a.dice(len(sets))]
	a.log = append(a.log, fmt.Sprintf("together %v", calls))
	for _, res := range a.r.Respond(a.r.t.Context(), calls) {
		if !res.IsError {
			a.failf("calls that exclude each other were made: %s", res.Text)
		}
	}
	if a.r.draft.SHA() != sha || a.r.draft.discarded && a.r.draft.published == nil && a.r.ended == nil {
		a.failf("a refused response did something")
	}
}

// attack lets the adversary act until the turn ends.
func (a *adversary) attack() {
	a.call(Inspect, map[string]any{}, nil)
	for range 60 {
		a.step()
	}
	if a.r.Set.calls < core.MaxToolCallsPerTurn && a.r.ended == nil {
		a.failf("60 steps are over and the turn is not")
	}
	if a.r.draft.published == nil && a.r.draft.base.Source() == nil {
		a.failf("the document is gone")
	}
}

// T-73, T-74, T-79, T-80, T-81, D-41, D-43, D-56: a hostile model over many turns
// changes no byte outside what its grants and its exact text name, adds no code
// without a flag, publishes nothing that was not looked at, and comes to an end.
func TestAdversary(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	staged, published := 0, 0
	for range 400 {
		a := newAdversary(t, rng.IntN)
		a.attack()
		staged += a.staged
		if a.r.draft.published != nil {
			published++
		}
	}
	t.Logf("%d drafts staged, %d published", staged, published)
	if staged < 120 || published < 6 {
		t.Errorf("only %d drafts were staged, %d published", staged, published)
	}
}

// FuzzAdversary lets the fuzzer throw the dice.
func FuzzAdversary(f *testing.F) {
	f.Add([]byte{2, 0, 5, 7, 8, 8, 8})
	f.Add([]byte("apply and look and commit"))
	f.Fuzz(func(t *testing.T, throws []byte) {
		i := 0
		newAdversary(t, func(n int) int {
			if i >= len(throws) {
				i++
				return i % n
			}
			i++
			return int(throws[i-1]) % n
		}).attack()
	})
}
