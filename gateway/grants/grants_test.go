package grants

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"proofmark/gateway/core"
)

// clock is a hand-moved time source.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

var source = []byte(`<h1 class="big">Sales</h1><p>old</p>`)

func world() Current {
	return Current{
		SessionID: "ses_a", SessionEpoch: 3, DocumentID: "doc_a", RevisionID: "rev_a",
		SourceSHA: core.SHA256Hex(source), CandidateEpoch: 0, Source: source,
	}
}

func binding(turn, op string, s core.Span) Binding {
	w := world()
	return Binding{
		TurnID: turn, SessionID: w.SessionID, SessionEpoch: w.SessionEpoch, DocumentID: w.DocumentID,
		RevisionID: w.RevisionID, SourceSHA: w.SourceSHA, CandidateEpoch: w.CandidateEpoch,
		Range: s, RangeSHA: core.SHA256Hex(source[s.Start:s.End]), Operation: op, Order: 1, Target: 4, Batch: "inspect",
	}
}

var tag = core.Span{Start: 0, End: 16}

func issue(t *testing.T, r *Registry, b Binding) string {
	t.Helper()
	token, err := r.Issue(b)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func fresh() (*Registry, *clock) {
	c := &clock{t: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	return New(c.now), c
}

// D-42: 256 random bits behind hrg_, and no two alike.
func TestTokenShape(t *testing.T) {
	r, _ := fresh()
	seen := map[string]bool{}
	for range 200 {
		token := issue(t, r, binding("trn_a", "set_style", tag))
		if !wellFormed(token) || len(token) != len(Prefix)+43 {
			t.Fatalf("token %q has not the shape of one", token)
		}
		if seen[token] {
			t.Fatal("the same token twice")
		}
		seen[token] = true
	}
}

func TestClaimGivesTheBinding(t *testing.T) {
	r, _ := fresh()
	b := binding("trn_a", "set_style", tag)
	got, err := r.Claim("trn_a", []Want{{Token: issue(t, r, b), Operation: "set_style"}}, world())
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Binding() != b {
		t.Fatalf("claimed %+v, want %+v", got[0].Binding(), b)
	}
}

// T-74, D-43: whatever is wrong with one grant refuses the call, and the good
// grant beside it is still there afterwards.
func TestOneBadGrantRefusesAll(t *testing.T) {
	with := func(change func(*Current)) func() Current {
		return func() Current { w := world(); change(&w); return w }
	}
	cases := []struct {
		name string
		code core.Code
		bad  func(t *testing.T, r *Registry, c *clock, good string) Want
		cur  func() Current
		late bool // the good grant cannot be used afterwards either
	}{
		{"invented", core.GrantUnknown, func(*testing.T, *Registry, *clock, string) Want {
			return Want{Token: core.NewSecret(Prefix)}
		}, world, false},
		{"cut", core.GrantUnknown, func(_ *testing.T, _ *Registry, _ *clock, good string) Want {
			return Want{Token: good[:20]}
		}, world, false},
		{"empty", core.GrantUnknown, func(*testing.T, *Registry, *clock, string) Want { return Want{} }, world, false},
		{"foreign turn", core.GrantUnknown, func(t *testing.T, r *Registry, _ *clock, _ string) Want {
			return Want{Token: issue(t, r, binding("trn_b", "set_style", tag))}
		}, world, false},
		{"duplicate", core.GrantReused, func(_ *testing.T, _ *Registry, _ *clock, good string) Want {
			return Want{Token: good}
		}, world, false},
		{"reused", core.GrantReused, func(t *testing.T, r *Registry, _ *clock, _ string) Want {
			token := issue(t, r, binding("trn_a", "set_style", tag))
			if _, err := r.Claim("trn_a", []Want{{Token: token}}, world()); err != nil {
				t.Fatal(err)
			}
			return Want{Token: token}
		}, world, false},
		{"expired", core.GrantExpired, func(t *testing.T, r *Registry, c *clock, _ string) Want {
			token := issue(t, r, binding("trn_a", "set_style", tag))
			c.t = c.t.Add(core.GrantTTL)
			return Want{Token: token}
		}, world, true},
		{"replaced", core.GrantExpired, func(t *testing.T, r *Registry, _ *clock, _ string) Want {
			b := binding("trn_a", "set_style", tag)
			b.Batch = "older"
			token := issue(t, r, b)
			r.Replace("trn_a", "older")
			return Want{Token: token}
		}, world, false},
		{"other operation", core.GrantMismatch, func(t *testing.T, r *Registry, _ *clock, _ string) Want {
			return Want{Token: issue(t, r, binding("trn_a", "set_style", tag)), Operation: "remove_node"}
		}, world, false},
		{"range hash", core.GrantMismatch, func(t *testing.T, r *Registry, _ *clock, _ string) Want {
			b := binding("trn_a", "set_style", tag)
			b.RangeSHA = core.SHA256Hex([]byte("something else"))
			return Want{Token: issue(t, r, b)}
		}, world, false},
		{"range outside", core.GrantMismatch, func(t *testing.T, r *Registry, _ *clock, _ string) Want {
			b := binding("trn_a", "set_style", tag)
			b.Range = core.Span{Start: 10, End: 1 << 20}
			return Want{Token: issue(t, r, b)}
		}, world, false},
		{"session", core.GrantMismatch, another("set_style"), with(func(w *Current) { w.SessionID = "ses_b" }), false},
		{"session epoch", core.GrantMismatch, another("set_style"), with(func(w *Current) { w.SessionEpoch++ }), false},
		{"document", core.GrantMismatch, another("set_style"), with(func(w *Current) { w.DocumentID = "doc_b" }), false},
		{"revision", core.GrantMismatch, another("set_style"), with(func(w *Current) { w.RevisionID = "rev_b" }), false},
		{"source", core.GrantMismatch, another("set_style"), with(func(w *Current) { w.SourceSHA = "00" }), false},
		{"candidate epoch", core.GrantMismatch, another("set_style"), with(func(w *Current) { w.CandidateEpoch++ }), false},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			r, c := fresh()
			good := issue(t, r, binding("trn_a", "add_class", tag))
			bad := tc.bad(t, r, c, good)
			got, err := r.Claim("trn_a", []Want{{Token: good, Operation: "add_class"}, bad}, tc.cur())
			if core.CodeOf(err) != tc.code || got != nil {
				t.Fatalf("claimed %v with error %v, want refusal %s", got, err, tc.code)
			}
			e := core.AsError(err)
			if text := fmt.Sprint(e.Message, e.Hint, e.Detail); bad.Token != "" && strings.Contains(text, bad.Token) {
				t.Errorf("the refusal repeats the token: %s", text)
			}
			if e.Hint == "" {
				t.Error("the refusal does not say what to do next")
			}
			if index, ok := e.Detail["index"].(int); !ok || index < 1 || index > 2 {
				t.Errorf("the refusal names no mutation: %v", e.Detail)
			}
			_, err = r.Claim("trn_a", []Want{{Token: good, Operation: "add_class"}}, world())
			if (err != nil) != tc.late {
				t.Errorf("the good grant afterwards: %v", err)
			}
		})
	}
}

func another(op string) func(*testing.T, *Registry, *clock, string) Want {
	return func(t *testing.T, r *Registry, _ *clock, _ string) Want {
		return Want{Token: issue(t, r, binding("trn_a", op, tag))}
	}
}

func TestNoGrantsAtAll(t *testing.T) {
	r, _ := fresh()
	if _, err := r.Claim("trn_a", nil, world()); core.CodeOf(err) != core.ToolArguments {
		t.Fatalf("got %v", err)
	}
}

// R-TURN-5: grants follow a staged edit, or are void where it rewrote them.
func TestRebind(t *testing.T) {
	r, _ := fresh()
	moved := issue(t, r, binding("trn_a", "set_style", tag))
	void := issue(t, r, binding("trn_a", "add_class", tag))
	foreign := issue(t, r, binding("trn_b", "add_class", tag))
	after := append([]byte("<!-- -->"), source...)
	r.Rebind("trn_a", func(b Binding) (Binding, bool) {
		if b.Operation == "add_class" {
			return Binding{}, false
		}
		b.Range = core.Span{Start: b.Range.Start + 8, End: b.Range.End + 8}
		b.SourceSHA, b.CandidateEpoch = core.SHA256Hex(after), 1
		b.Operation, b.TurnID, b.DocumentID = "remove_node", "trn_b", "doc_b" // must not take
		return b, true
	})
	w := world()
	w.Source, w.SourceSHA, w.CandidateEpoch = after, core.SHA256Hex(after), 1
	if _, err := r.Claim("trn_a", []Want{{Token: void}}, w); core.CodeOf(err) != core.GrantExpired {
		t.Errorf("void grant: %v", err)
	}
	if _, err := r.Claim("trn_a", []Want{{Token: moved, Operation: "remove_node"}}, w); core.CodeOf(err) != core.GrantMismatch {
		t.Errorf("rebinding changed what a grant is for: %v", err)
	}
	got, err := r.Claim("trn_a", []Want{{Token: moved, Operation: "set_style"}}, w)
	if err != nil {
		t.Fatal(err)
	}
	if s := got[0].Binding().Range; string(after[s.Start:s.End]) != string(source[:16]) {
		t.Errorf("range moved to %v", s)
	}
	if _, err := r.Claim("trn_b", []Want{{Token: foreign}}, world()); err != nil {
		t.Errorf("another turn's grant was touched: %v", err)
	}
}

// D-94: range grants live one turn.
func TestClear(t *testing.T) {
	r, _ := fresh()
	token := issue(t, r, binding("trn_a", "set_style", tag))
	other := issue(t, r, binding("trn_b", "set_style", tag))
	r.Clear("trn_a")
	if _, err := r.Claim("trn_a", []Want{{Token: token}}, world()); core.CodeOf(err) != core.GrantUnknown {
		t.Errorf("after clearing: %v", err)
	}
	if _, err := r.Claim("trn_b", []Want{{Token: other}}, world()); err != nil {
		t.Errorf("another turn: %v", err)
	}
}

func TestBudget(t *testing.T) {
	r, c := fresh()
	for range core.MaxGrantsPerTurn {
		issue(t, r, binding("trn_a", "set_style", tag))
	}
	if _, err := r.Issue(binding("trn_a", "set_style", tag)); core.CodeOf(err) != core.Budget {
		t.Fatalf("one over the limit: %v", err)
	}
	issue(t, r, binding("trn_b", "set_style", tag))
	c.t = c.t.Add(core.GrantTTL)
	issue(t, r, binding("trn_a", "set_style", tag))
	if n := r.Live("trn_a"); n != 1 {
		t.Errorf("%d live grants after the others expired, want 1", n)
	}
}

func TestIssueNeedsProof(t *testing.T) {
	r, _ := fresh()
	if _, err := r.Issue(Binding{TurnID: "trn_a", Operation: "set_style"}); err == nil {
		t.Fatal("a grant without verified bytes")
	}
}

// A grant goes to exactly one of many that race for it.
func TestClaimRace(t *testing.T) {
	r, _ := fresh()
	token := issue(t, r, binding("trn_a", "set_style", tag))
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for range 32 {
		wg.Go(func() {
			if _, err := r.Claim("trn_a", []Want{{Token: token}}, world()); err == nil {
				mu.Lock()
				won++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Fatalf("%d claims won", won)
	}
}

// A call that is refused after its grants were claimed gives them back; what
// another call used stays used.
func TestRelease(t *testing.T) {
	r, _ := fresh()
	token := issue(t, r, binding("trn_a", "set_style", tag))
	got, err := r.Claim("trn_a", []Want{{Token: token}}, world())
	if err != nil {
		t.Fatal(err)
	}
	r.Release("trn_b", got)
	if _, err := r.Claim("trn_a", []Want{{Token: token}}, world()); core.CodeOf(err) != core.GrantReused {
		t.Fatalf("released by another turn: %v", err)
	}
	r.Release("trn_a", got)
	if _, err := r.Claim("trn_a", []Want{{Token: token}}, world()); err != nil {
		t.Fatalf("after release: %v", err)
	}
	r.Clear("trn_a")
	r.Release("trn_a", got)
	if _, err := r.Claim("trn_a", []Want{{Token: token}}, world()); core.CodeOf(err) != core.GrantUnknown {
		t.Fatalf("release brought a cleared grant back: %v", err)
	}
}
