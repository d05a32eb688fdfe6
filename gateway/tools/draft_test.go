package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/grants"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/llm"
	"proofmark/gateway/proof"
	"proofmark/gateway/textpatch"
)

// memory is a Draft without a store and a browser: real maps, edits, checks and
// anchors, and a page that is only told about. What a real session adds is
// tested in gateway/turn.
type memory struct {
	base, current *htmlsrc.Tree
	edits         []core.Edit
	epoch         int64
	receipt       string
	faults        []string
	flags         []core.PolicyFlag
	published     []byte
	discarded     bool
	reloads       int
	page          *page
	lookErr       error
	pictures      []candidate.PictureOptions
}

var scripting = htmlsrc.Options{Scripting: true}

func newMemory(t testing.TB, src string) *memory {
	t.Helper()
	tree, err := htmlsrc.Parse([]byte(src), scripting)
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{base: tree, current: tree}
	m.page = &page{draft: m}
	return m
}

func (m *memory) Current() *htmlsrc.Tree { return m.current }
func (m *memory) SHA() string            { return core.SHA256Hex(m.current.Source()) }
func (m *memory) Epoch() int64           { return m.epoch }
func (m *memory) Staged() bool           { return m.current != m.base }

func (m *memory) Stage(_ context.Context, edits []core.Edit) (candidate.Staged, error) {
	norm, err := textpatch.Normalize(edits, len(m.current.Source()))
	if err != nil {
		return candidate.Staged{}, err
	}
	all := norm
	if m.Staged() {
		if all, err = textpatch.Compose(m.base.Source(), m.edits, norm); err != nil {
			return candidate.Staged{}, err
		}
	}
	tree, err := htmledit.Check(m.base, all, scripting)
	if err != nil {
		return candidate.Staged{}, err
	}
	changed, err := htmledit.CheckScripts(m.base, tree, all)
	if err != nil {
		return candidate.Staged{}, err
	}
	m.current, m.edits, m.receipt = tree, all, ""
	m.flags = htmledit.MergeFlags(changed, htmledit.Added(m.base, tree))
	m.epoch++
	return candidate.Staged{SHA: m.SHA(), Edits: all, Flags: m.flags}, nil
}

func (m *memory) Look(context.Context) (candidate.Look, error) {
	if m.lookErr != nil {
		return candidate.Look{}, m.lookErr
	}
	m.receipt = core.NewID("vfy")
	after := contract.Shot{MediaType: "image/png", Data: []byte("\x89PNG picture of the look"), Width: 1280, Height: 2000}
	return candidate.Look{Receipt: m.receipt, Faults: m.faults, After: after, Verification: core.Verification{
		CandidateSHA: m.SHA(), TreeMatches: true, NewErrors: m.faults, MissingResources: []string{}, Width: 1280, Height: 800,
	}}, nil
}

func (m *memory) Live(ctx context.Context, id htmlsrc.ID) (contract.Pick, error) {
	var indexes []int
	for _, p := range m.current.Path(id) {
		indexes = append(indexes, p.Index)
	}
	return m.page.ByPath(ctx, indexes)
}

func (m *memory) Surface(context.Context) (contract.Surface, error) { return m.page, nil }
func (m *memory) Reload(context.Context) error                      { m.reloads++; return nil }
func (m *memory) Discard(context.Context) error                     { m.discarded = true; return nil }

func (m *memory) Reproject(a core.Anchor) (core.Anchor, core.Resolution, string) {
	if !m.Staged() {
		return a, core.Exact, ""
	}
	return proof.Reproject(a, m.edits, m.current, m.SHA(), a.RevisionID)
}

func (m *memory) Publish(_ context.Context, o candidate.CommitOptions) (Published, error) {
	if o.SHA != m.SHA() || m.receipt == "" || o.Receipt != m.receipt {
		return Published{}, core.Errorf(core.StaleReceipt, "the receipt is not the newest one for this draft")
	}
	if len(m.faults) > 0 {
		return Published{}, core.Errorf(core.NewFault, "the draft breaks something").With("faults", m.faults)
	}
	m.published = m.current.Source()
	return Published{Generation: 2, SHA: m.SHA()}, nil
}

// page is a live page that shows exactly the current tree.
type page struct {
	contract.Surface
	draft  *memory
	acted  []contract.Action
	health contract.Health
}

func (p *page) pickOf(id htmlsrc.ID) contract.Pick {
	t := p.draft.current
	pick := contract.Pick{Handle: fmt.Sprint("h", id), Text: quote(t, id, core.QuoteRunes), Rect: contract.Rect{X: 10, Y: float64(10 * id), Width: 100, Height: 20}}
	for e := id; t.IsElement(e); e = t.Parent(e) {
		path := t.Path(e)
		l := contract.Link{Name: t.Name(e), NS: t.NS(e).String(), Index: path[len(path)-1].Index}
		for _, a := range t.Attrs(e) {
			l.Attrs = append(l.Attrs, contract.Attr{Name: a.Name, Value: a.Value})
		}
		pick.Chain = append(pick.Chain, l)
	}
	return pick
}

func (p *page) Query(_ context.Context, selector string, limit int) ([]contract.Pick, int, error) {
	var out []contract.Pick
	n := 0
	for id := range p.draft.current.Elements() {
		if selector == usable && p.draft.current.Name(id) != "a" && p.draft.current.Name(id) != "button" {
			continue
		}
		n++
		if len(out) < limit {
			out = append(out, p.pickOf(id))
		}
	}
	return out, n, nil
}

func (p *page) ByPath(_ context.Context, indexes []int) (contract.Pick, error) {
	id, ok := p.draft.current.FindIndexes(indexes)
	if !ok {
		return contract.Pick{}, core.Errorf(core.NoMatch, "no such element")
	}
	return p.pickOf(id), nil
}

func (p *page) Rect(context.Context, string) (contract.Rect, error) {
	return contract.Rect{X: 4, Y: 100, Width: 50, Height: 20}, nil
}

func (p *page) Style(_ context.Context, _ string, properties []string) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range properties {
		out[name] = map[string]string{"font-size": "56px", "display": "block"}[name]
	}
	return out, nil
}

func (p *page) Health(context.Context) (contract.Health, error) { return p.health, nil }

func (p *page) Act(_ context.Context, a contract.Action) error {
	p.acted = append(p.acted, a)
	return nil
}

// rig is a Set over a page with notes on elements named by path.
type rig struct {
	*Set
	t     testing.TB
	draft *memory
	reg   *grants.Registry
	calls int
}

type noteOn struct {
	say string
	on  []string // tag names, "h1" or "p/2" for the second p
}

const samplePage = `<!doctype html>
<html lang="en">
<head><title>Shop</title><style>h1 { color: black }</style></head>
<body>
<h1 class="big" id=main>Sales &amp; more</h1>
<p>One <b>two</b> three</p>
<p title='old "hint"'>Price: 25</p>
<img src="a.png" alt="cat">
<a href="/x">Read</a> <a href="/y">Read</a>
<table><tr><td>cell</table>
<script>var a = 1; // secret()</script>
<button onclick="go()">Go</button>
</body>
</html>
`

func newRig(t testing.TB, src string, notes ...noteOn) *rig {
	t.Helper()
	m := newMemory(t, src)
	turn := core.Turn{ID: "trn_1", SessionID: "ses_1", DocumentID: "doc_1", RevisionID: "rev_1"}
	for i, n := range notes {
		sent := core.SentNote{AnnotationID: fmt.Sprint("ann_", i), Order: i + 1, Instruction: n.say}
		for _, name := range n.on {
			sent.Targets = append(sent.Targets, core.SentTarget{Anchor: anchorOf(t, m, name), Resolution: core.Exact})
		}
		turn.Notes = append(turn.Notes, sent)
	}
	reg := grants.New(time.Now)
	set := newSet(Config{Turn: turn, Grants: reg, SessionEpoch: 1, DocumentName: "shop.html"}, m)
	return &rig{Set: set, t: t, draft: m, reg: reg}
}

func anchorOf(t testing.TB, m *memory, name string) core.Anchor {
	t.Helper()
	a, err := proof.FromNode(m.base, nodeOf(t, m.base, name), "doc_1", "rev_1", m.SHA())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func nodeOf(t testing.TB, tree *htmlsrc.Tree, name string) htmlsrc.ID {
	t.Helper()
	name, nth, _ := strings.Cut(name, "/")
	n := 1
	if nth != "" {
		fmt.Sscan(nth, &n)
	}
	for id := range tree.Elements() {
		if tree.Name(id) == name {
			if n--; n == 0 {
				return id
			}
		}
	}
	t.Fatalf("the page has no %s", name)
	return 0
}

// do makes one call and gives its result with the JSON decoded.
func (r *rig) do(tool string, args any) (Result, map[string]any) {
	r.t.Helper()
	raw, ok := args.(string)
	if !ok {
		b, err := json.Marshal(args)
		if err != nil {
			r.t.Fatal(err)
		}
		raw = string(b)
	}
	r.calls++
	res := r.Call(r.t.Context(), llm.ToolCall{ID: fmt.Sprint(r.calls), Name: tool, Arguments: raw})
	var out map[string]any
	if err := json.Unmarshal([]byte(res.Text), &out); err != nil {
		r.t.Fatalf("%s answered no JSON: %v\n%s", tool, err, res.Text)
	}
	for _, key := range []string{"ok", "correctable", "state", "budget"} {
		if _, has := out[key]; !has {
			r.t.Errorf("%s's result has no %s: %s", tool, key, res.Text)
		}
	}
	return res, out
}

// must is do for a call that has to go well.
func (r *rig) must(tool string, args any) map[string]any {
	r.t.Helper()
	res, out := r.do(tool, args)
	if res.IsError {
		r.t.Fatalf("%s %v: %s", tool, args, res.Text)
	}
	return out
}

// refused is do for a call that has to be refused with the code.
func (r *rig) refused(code core.Code, tool string, args any) map[string]any {
	r.t.Helper()
	res, out := r.do(tool, args)
	if res.Code != code || !res.IsError {
		r.t.Fatalf("%s %v: got %q, want refusal %s: %s", tool, args, res.Code, code, res.Text)
	}
	return out
}

// seen reads an inspection.
func (r *rig) seen() inspectResult {
	r.t.Helper()
	raw, err := json.Marshal(r.must(Inspect, struct{}{}))
	if err != nil {
		r.t.Fatal(err)
	}
	var out inspectResult
	if err := json.Unmarshal(raw, &out); err != nil {
		r.t.Fatal(err)
	}
	return out
}

func apply(list ...mutation) applyArgs { return applyArgs{Mutations: list} }

// commit looks and commits.
func (r *rig) commit() Result {
	r.t.Helper()
	saw := r.must(BrowserSee, map[string]any{})
	res, _ := r.do(FinishName, map[string]any{"action": "commit", "receipt": saw["receipt"], "sha": saw["candidateSha"]})
	return res
}
