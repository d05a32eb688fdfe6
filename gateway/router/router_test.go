package router_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/script"
	"proofmark/gateway/router"
)

// turnOf makes a turn whose notes have so many targets each; a negative number
// makes the last of them contextual.
func turnOf(targets ...int) core.Turn {
	var t core.Turn
	for i, n := range targets {
		note := core.SentNote{Order: i + 1, Instruction: "SECRET instruction"}
		for range max(n, -n) {
			note.Targets = append(note.Targets, core.SentTarget{
				Anchor: core.Anchor{Quote: "SECRET quote", Name: "p"}, Resolution: core.Exact,
			})
		}
		if n < 0 {
			note.Targets[len(note.Targets)-1].Resolution = core.Contextual
		}
		t.Notes = append(t.Notes, note)
	}
	return t
}

// TestClassesAndFloors: R-MODEL-2, D-110. One exact selection is a selection
// edit with floor c2; everything else that can change is structural, floor c3.
func TestClassesAndFloors(t *testing.T) {
	for _, c := range []struct {
		name      string
		turn      core.Turn
		operation string
		floor     router.Tier
	}{
		{"no notes", turnOf(), router.Answer, router.C1},
		{"one note, one target", turnOf(1), router.SelectionEdit, router.C2},
		{"one note, two targets", turnOf(2), router.StructuralEdit, router.C3},
		{"two notes", turnOf(1, 1), router.StructuralEdit, router.C3},
		{"one contextual target", turnOf(-1), router.StructuralEdit, router.C3},
		{"exact and contextual", turnOf(-2), router.StructuralEdit, router.C3},
		{"sixteen notes", turnOf(slices.Repeat([]int{16}, 16)...), router.StructuralEdit, router.C3},
	} {
		got := router.Classify(c.turn)
		if want := (router.Class{Format: router.HTML, Operation: c.operation, Floor: c.floor}); got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}

func tiers(names ...router.Tier) router.Lineup {
	l := router.Lineup{Name: "mine", Mode: router.ModeRouter, Tiers: map[router.Tier]llm.Model{}}
	for _, n := range names {
		l.Tiers[n] = named{script.New(), string(n)}
	}
	return l
}

type named struct {
	llm.Model
	name string
}

func (n named) Name() string { return n.name }

// TestRouterNeverGoesBelowTheFloor: for any set of tiers and any floor, the
// choice is the smallest tier at or above it, or NoModel.
func TestRouterNeverGoesBelowTheFloor(t *testing.T) {
	all := router.Tiers()
	rapid.Check(t, func(rt *rapid.T) {
		var have []router.Tier
		for _, tier := range all {
			if rapid.Bool().Draw(rt, string(tier)) {
				have = append(have, tier)
			}
		}
		floor := rapid.SampledFrom(all).Draw(rt, "floor")
		got, err := tiers(have...).Choose(router.Class{Format: router.HTML, Operation: router.StructuralEdit, Floor: floor})
		var want router.Tier
		for _, tier := range have { // ascending
			if tier >= floor && want == "" {
				want = tier
			}
		}
		if want == "" {
			if core.CodeOf(err) != core.NoModel || core.AsError(err).Hint == "" || got.Model != nil {
				rt.Fatalf("with %v for %s: %+v, %v", have, floor, got, err)
			}
			return
		}
		if err != nil || got.Model.Name() != string(want) || got.Route.Tier != string(want) || got.Route.Floor != string(floor) {
			rt.Fatalf("with %v for %s: %+v, %v; want %s", have, floor, got.Route, err, want)
		}
		if len(got.Proposers) != 0 {
			rt.Fatal("a router has proposers")
		}
	})
}

func TestUnknownFloorIsRefused(t *testing.T) {
	if _, err := tiers(router.C1, router.C4).Choose(router.Class{Floor: "c0"}); core.CodeOf(err) != core.NoModel {
		t.Errorf("got %v", err)
	}
}

func TestDirectAndIncompleteLineups(t *testing.T) {
	edit := router.Classify(turnOf(2))
	m := script.New()
	got, err := router.Direct(m).Choose(edit)
	if err != nil || got.Model != m || got.Proposers != nil || got.Route.Tier != "" || got.Route.Mode != router.ModeDirect {
		t.Errorf("%+v %v", got, err)
	}
	many := slices.Repeat([]llm.Model{m}, core.MaxProposers+1)
	for name, l := range map[string]router.Lineup{
		"nothing":            {},
		"unknown mode":       {Mode: "swarm", Direct: m},
		"direct, no model":   {Mode: router.ModeDirect, Aggregator: m},
		"router, no tiers":   {Mode: router.ModeRouter, Direct: m},
		"no aggregator":      {Mode: router.ModeEnsemble, Proposers: []llm.Model{m}},
		"no proposers":       {Mode: router.ModeEnsemble, Aggregator: m},
		"too many proposers": {Mode: router.ModeEnsemble, Aggregator: m, Proposers: many},
	} {
		if got, err := l.Choose(edit); core.CodeOf(err) != core.NoModel || got.Model != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestAnAnswerHasNoProposers: T-88, R-SEND-4. What can change nothing costs one
// call in every mode.
func TestAnAnswerHasNoProposers(t *testing.T) {
	m := script.New()
	l := router.Lineup{Mode: router.ModeEnsemble, Proposers: []llm.Model{m, m}, Aggregator: m}
	if got, err := l.Choose(router.Classify(turnOf())); err != nil || len(got.Proposers) != 0 || got.Model != m {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := l.Choose(router.Classify(turnOf(1))); err != nil || len(got.Proposers) != 2 || got.Model != m {
		t.Errorf("%+v %v", got, err)
	}
}

// TestRouteIsContentFree: D-95. What is told of a route comes from closed lists.
func TestRouteIsContentFree(t *testing.T) {
	words := []string{
		"direct", "router", "ensemble", "html", "answer", "selection_edit", "structural_edit", "c1", "c2", "c3", "c4", "",
	}
	m := named{script.New(), "SECRET model"}
	for _, l := range []router.Lineup{
		router.Direct(m),
		{Name: "SECRET name", Mode: router.ModeRouter, Tiers: map[router.Tier]llm.Model{router.C3: m}},
		{Name: "SECRET name", Mode: router.ModeEnsemble, Proposers: []llm.Model{m}, Aggregator: m},
	} {
		for _, turn := range []core.Turn{turnOf(), turnOf(1), turnOf(-1), turnOf(2, 2)} {
			got, err := l.Choose(router.Classify(turn))
			if err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(got.Route)
			if err != nil {
				t.Fatal(err)
			}
			var fields map[string]string
			if err := json.Unmarshal(raw, &fields); err != nil {
				t.Fatal(err)
			}
			if len(fields) != 5 {
				t.Errorf("a route has %d fields: %s", len(fields), raw)
			}
			for k, v := range fields {
				if !slices.Contains(words, v) {
					t.Errorf("%s is %q", k, v)
				}
			}
		}
	}
}

// request is what an aggregator would get, in the middle of a loop.
func request() llm.Request {
	return llm.Request{
		System: "aggregator's rules",
		Tools:  []llm.ToolDef{{Name: "document_inspect"}},
		Messages: []llm.Message{
			{Role: llm.User, Text: "Note 1: x", Images: []llm.Image{{MediaType: "image/png", Data: []byte{1}}}},
			{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "c", Name: "document_inspect"}}},
			{Role: llm.Tool, ToolCallID: "c", Text: "hrg_grant"},
		},
	}
}

// TestProposersHaveNoTools: T-91, D-78, D-108. A proposer gets the person's
// words and nothing to act with: no tools, no results, no grants, no pictures.
func TestProposersHaveNoTools(t *testing.T) {
	made := script.New(func(llm.Request) (llm.Response, error) {
		return llm.Response{Text: " Change the heading. ", ToolCalls: []llm.ToolCall{{Name: "document_apply", Arguments: `{}`}}}, nil
	})
	req := request()
	got := router.Advise(t.Context(), []llm.Model{made}, req)
	if len(got) != 1 || got[0] != (router.Advice{Name: "script", Text: "Change the heading."}) {
		t.Fatalf("%+v", got)
	}
	seen := made.Requests()[0]
	if len(seen.Tools) != 0 || seen.System == req.System || strings.Contains(seen.System, "document_") {
		t.Errorf("a proposer got tools: %+v", seen)
	}
	if len(seen.Messages) != 1 || seen.Messages[0].Text != "Note 1: x" || len(seen.Messages[0].Images) != 0 {
		t.Errorf("messages: %+v", seen.Messages)
	}
	if seen.MaxTokens != core.MaxAdviceTokens {
		t.Errorf("%d tokens were asked for", seen.MaxTokens)
	}
	if len(req.Messages[0].Images) != 1 {
		t.Error("the aggregator's own request was changed")
	}
}

// TestFailingProposersAreLeftOut: each failure is named, the order stays, and
// nothing is lost of those that answered.
func TestFailingProposersAreLeftOut(t *testing.T) {
	all := []llm.Model{
		script.New(script.Fail(core.Errorf(core.ModelBusy, "busy with key-123"))),
		script.New(script.Say("second")),
		script.New(script.Fail(errors.New("plain"))),
		script.New(script.Say("  \n ")),
	}
	var codes, texts []string
	for _, a := range router.Advise(t.Context(), all, request()) {
		codes, texts = append(codes, string(a.Code)), append(texts, a.Text)
	}
	if !slices.Equal(codes, []string{"model_busy", "", "internal", "model_broken"}) {
		t.Errorf("codes %q", codes)
	}
	if !slices.Equal(texts, []string{"", "second", "", ""}) {
		t.Errorf("texts %q", texts)
	}
	if got := router.Advise(t.Context(), nil, request()); len(got) != 0 {
		t.Errorf("advice from nobody: %+v", got)
	}
}

// TestAdviceIsBounded: at most core.MaxAdviceBytes of valid UTF-8, whatever a
// proposer says; what is short stays as it was said.
func TestAdviceIsBounded(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		unit := rapid.SampledFrom([]string{"x", "é", "字", "🙂", "\xff", "\xe5\xad"}).Draw(rt, "unit")
		said := strings.Repeat("a", rapid.IntRange(0, 4).Draw(rt, "shift")) + strings.Repeat(unit, rapid.IntRange(1, 10_000).Draw(rt, "times"))
		got := router.Advise(context.Background(), []llm.Model{script.New(script.Say(said))}, request())[0].Text
		if len(got) > core.MaxAdviceBytes || !utf8.ValidString(got) {
			rt.Fatalf("%d bytes, valid %v", len(got), utf8.ValidString(got))
		}
		if utf8.ValidString(said) && (!strings.HasPrefix(said, got) || len(said)-len(got) > 0 && core.MaxAdviceBytes-len(got) > 3) {
			rt.Fatalf("%d bytes became %d", len(said), len(got))
		}
	})
}

// blocking answers when it is told to, or never.
type blocking struct {
	script.Model
	begun   chan<- string
	release <-chan struct{}
	name    string
}

func (b *blocking) Name() string { return b.name }

func (b *blocking) Complete(ctx context.Context, _ llm.Request, _ func(llm.Event)) (llm.Response, error) {
	b.begun <- b.name
	select {
	case <-b.release:
		return llm.Response{Text: b.name}, nil
	case <-ctx.Done():
		return llm.Response{}, ctx.Err()
	}
}

// TestProposersWorkAtTheSameTime: none is answered before all were asked.
func TestProposersWorkAtTheSameTime(t *testing.T) {
	begun, release := make(chan string), make(chan struct{})
	var all []llm.Model
	for _, n := range []string{"a", "b", "c", "d"} {
		all = append(all, &blocking{begun: begun, release: release, name: n})
	}
	out := make(chan []router.Advice)
	go func() { out <- router.Advise(context.Background(), all, request()) }()
	for range all {
		<-begun
	}
	close(release)
	for i, a := range <-out {
		if a.Name != all[i].Name() || a.Text != all[i].Name() {
			t.Errorf("advice %d: %+v", i, a)
		}
	}
}

// TestAHangingProposerHoldsUpNothing: it is given core.ProposerTimeout; the
// others' advice is there all the same.
func TestAHangingProposerHoldsUpNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := &blocking{begun: make(chan string, 1), name: "hangs"}
		got := router.Advise(t.Context(), []llm.Model{hangs, script.New(script.Say("here"))}, request())
		if got[0].Code != core.Timeout || got[0].Text != "" || got[1].Text != "here" {
			t.Errorf("%+v", got)
		}
	})
}

func TestACancelledTurnAsksNobodyFurther(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	hangs := &blocking{begun: make(chan string, 1), name: "hangs"}
	cancel()
	if got := router.Advise(ctx, []llm.Model{hangs}, request()); got[0].Code != core.Cancelled {
		t.Errorf("%+v", got)
	}
}
