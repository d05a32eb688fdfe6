package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

func collect(t *testing.T, pieces ...Piece) []llm.ToolCall {
	t.Helper()
	req := llm.Request{Messages: make([]llm.Message, 4), Tools: []llm.ToolDef{{Name: "read"}, {Name: "apply"}}}
	c := Collect(req, nil)
	for _, p := range pieces {
		if err := c.Piece(p); err != nil {
			t.Fatal(err)
		}
	}
	return c.Response().ToolCalls
}

// TestCallsOfOddHosts: C-10. Which call a piece belongs to, for every way hosts
// number and name them.
func TestCallsOfOddHosts(t *testing.T) {
	for name, c := range map[string]struct {
		pieces []Piece
		want   []llm.ToolCall
	}{
		"by index": {
			[]Piece{{0, "a", "read", ""}, {1, "b", "apply", ""}, {0, "", "", `{"x"`}, {1, "", "", `{}`}, {0, "", "", `:1}`}},
			[]llm.ToolCall{{ID: "a", Name: "read", Arguments: `{"x":1}`}, {ID: "b", Name: "apply", Arguments: `{}`}},
		},
		"one index, ids in turns": {
			[]Piece{{0, "a", "read", `{`}, {0, "b", "apply", `[`}, {0, "a", "", `}`}, {0, "b", "", `]`}},
			[]llm.ToolCall{{ID: "a", Name: "read", Arguments: `{}`}, {ID: "b", Name: "apply", Arguments: `[]`}},
		},
		"an id of its own for each piece": {
			[]Piece{{0, "a1", "read", ""}, {0, "a2", "", `{"x":`}, {0, "a3", "", `1}`}},
			[]llm.ToolCall{{ID: "a1", Name: "read", Arguments: `{"x":1}`}},
		},
		"id and name repeated": {
			[]Piece{{0, "a", "read", ""}, {0, "a", "read", `{"x":`}, {0, "a", "read", `1}`}, {0, "a", "read", ""}},
			[]llm.ToolCall{{ID: "a", Name: "read", Arguments: `{"x":1}`}},
		},
		"no index, no id, whole": {
			[]Piece{{0, "", "read", `{"a":"}\""}`}, {0, "", "read", `{}`}, {0, "", "apply", ``}, {0, "", "read", `{}`}},
			[]llm.ToolCall{{ID: "call_4_1", Name: "read", Arguments: `{"a":"}\""}`}, {ID: "call_4_2", Name: "read", Arguments: `{}`}, {ID: "call_4_3", Name: "apply", Arguments: `{}`}, {ID: "call_4_4", Name: "read", Arguments: `{}`}},
		},
		"no index, no id, in pieces": {
			[]Piece{{0, "", "re", ""}, {0, "", "ad", ""}, {0, "", "", `{"a":`}, {0, "", "", `{}}`}, {0, "", "apply", ""}, {0, "", "", `{}`}},
			[]llm.ToolCall{{ID: "call_4_1", Name: "read", Arguments: `{"a":{}}`}, {ID: "call_4_2", Name: "apply", Arguments: `{}`}},
		},
		"id last": {
			[]Piece{{0, "", "read", ""}, {0, "", "", `{}`}, {0, "a", "", ""}},
			[]llm.ToolCall{{ID: "a", Name: "read", Arguments: `{}`}},
		},
		"name last": {
			[]Piece{{0, "", "", `{}`}, {0, "a", "read", ""}},
			[]llm.ToolCall{{ID: "a", Name: "read", Arguments: `{}`}},
		},
		"one id for all": {
			[]Piece{{0, "call_0", "read", `{}`}, {1, "call_0", "read", `{"b":1}`}},
			[]llm.ToolCall{{ID: "call_0", Name: "read", Arguments: `{}`}, {ID: "call_4_2", Name: "read", Arguments: `{"b":1}`}},
		},
		"the index drifts, the id does not": {
			[]Piece{{0, "a", "read", `{`}, {1, "a", "", `}`}},
			[]llm.ToolCall{{ID: "a", Name: "read", Arguments: `{}`}},
		},
		"an unknown tool in pieces": {
			[]Piece{{0, "a", "aa", ""}, {0, "", "aa", ""}},
			[]llm.ToolCall{{ID: "a", Name: "aaaa", Arguments: `{}`}},
		},
		"nothing": {[]Piece{{0, "", "", ""}}, nil},
		"a made-up id is taken": {
			[]Piece{{0, "call_4_2", "read", ""}, {1, "", "read", ""}},
			[]llm.ToolCall{{ID: "call_4_2", Name: "read", Arguments: `{}`}, {ID: "call_4_2_", Name: "read", Arguments: `{}`}},
		},
	} {
		if d := cmp.Diff(c.want, collect(t, c.pieces...)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestCallsPutTogether: C-10. Calls cut anywhere, in any interleaving that keeps
// the order within each, are whole again.
func TestCallsPutTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []llm.ToolCall
		var queues [][]Piece
		for i := range rapid.IntRange(1, 4).Draw(t, "calls") {
			w := llm.ToolCall{ID: fmt.Sprint("id", i), Name: rapid.StringMatching(`[a-c_]{1,8}`).Draw(t, "name"), Arguments: rapid.StringMatching(`\{[{}"\\xä]{1,12}\}`).Draw(t, "arguments")}
			want = append(want, w)
			var q []Piece
			for _, r := range w.Name {
				q = append(q, Piece{Index: int64(i * 7), Name: string(r)})
			}
			for _, r := range w.Arguments {
				q = append(q, Piece{Index: int64(i * 7), Arguments: string(r)})
			}
			at := rapid.IntRange(0, len(q)-1).Draw(t, "id at")
			q[at].ID = w.ID
			queues = append(queues, q)
		}
		c := Collect(llm.Request{}, nil)
		for i := range queues { // calls begin in order
			_ = c.Piece(queues[i][0])
			queues[i] = queues[i][1:]
		}
		for left := true; left; {
			left = false
			i := rapid.IntRange(0, len(queues)-1).Draw(t, "next")
			if q := queues[i]; len(q) > 0 {
				_ = c.Piece(q[0])
				queues[i] = q[1:]
			}
			for _, q := range queues {
				left = left || len(q) > 0
			}
		}
		if d := cmp.Diff(want, c.Response().ToolCalls); d != "" {
			t.Fatalf("(-want +got):\n%s", d)
		}
	})
}

// TestCollectorBounds: R-MODEL-4, each limit to the byte.
func TestCollectorBounds(t *testing.T) {
	fill := func(f func(*Collector) error) error { return f(Collect(llm.Request{}, nil)) }
	broken := func(what string, err error, want bool) {
		t.Helper()
		if (core.CodeOf(err) == core.ModelBroken) != want || (err != nil) != want {
			t.Errorf("%s: %v", what, err)
		}
	}
	text := strings.Repeat("t", core.MaxModelTextBytes)
	arguments := strings.Repeat("a", core.MaxModelArgumentBytes)
	broken("text at its limit", fill(func(c *Collector) error { return c.Text(text) }), false)
	broken("text beyond it", fill(func(c *Collector) error { _ = c.Text(text); return c.Text("x") }), true)
	broken("arguments at their limit", fill(func(c *Collector) error { return c.Piece(Piece{Arguments: arguments}) }), false)
	broken("arguments beyond it, over two calls", fill(func(c *Collector) error {
		_ = c.Piece(Piece{Arguments: arguments})
		return c.Piece(Piece{Index: 1, Arguments: "x"})
	}), true)
	broken("calls", fill(func(c *Collector) (err error) {
		for i := range maxCalls {
			if err := c.Piece(Piece{Index: int64(i), Name: "f"}); err != nil {
				return nil //nolint:nilerr // too early: the test fails
			}
		}
		return c.Piece(Piece{Index: maxCalls, Name: "f"})
	}), true)
	broken("an id", fill(func(c *Collector) error { return c.Piece(Piece{ID: strings.Repeat("i", maxIDBytes+1)}) }), true)
	broken("a name", fill(func(c *Collector) error { return c.Piece(Piece{Name: strings.Repeat("n", maxNameBytes+1)}) }), true)
}

// TestCount: what a host counts is believed within reason, and only grows.
func TestCount(t *testing.T) {
	c := Collect(llm.Request{}, nil)
	for _, n := range [][2]int64{{10, 1}, {0, 5}, {-3, 4}, {-1 << 62, -1}} {
		c.Count(n[0], n[1])
	}
	if u := c.Response().Usage; u != (llm.Usage{PromptTokens: 10, CompletionTokens: 5}) {
		t.Errorf("%+v", u)
	}
	c.Count(1<<62, 1<<62)
	if u := c.Response().Usage; u.PromptTokens != maxTokens || u.CompletionTokens != maxTokens {
		t.Errorf("%+v", u)
	}
}
