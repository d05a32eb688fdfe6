package turn_test

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/llm/builtin"
	"proofmark/gateway/turn"
)

// R-MODEL-1: the built-in planner goes through the same tools and the same
// loop as any model.
func TestBuiltinPlanner(t *testing.T) {
	for _, c := range []struct{ say, from, to string }{
		{`change the text to "Quarterly report"`, "<h1>Report</h1>", "<h1>Quarterly report</h1>"},
		{"把文字改成“季度报告”", "<h1>Report</h1>", "<h1>季度报告</h1>"},
		{"remove it", "<h1>Report</h1>", ""},
		{"set title to Hello", "<h1>Report</h1>", `<h1 title="Hello">Report</h1>`},
	} {
		r := withBrowser(t, page)
		r.message = ""
		out := r.run(builtin.New(), r.draft("h1", c.say))
		if out.Status != turn.Applied {
			t.Errorf("%s: %s (%v): %s", c.say, out.Status, out.Err, out.Text)
			continue
		}
		got, want := r.HeadBytes(), strings.Replace(page, c.from, c.to, 1)
		if c.to == "" { // the line break behind it may go with it
			got, want = strings.ReplaceAll(got, "\n", ""), strings.ReplaceAll(want, "\n", "")
		}
		if got != want {
			t.Errorf("%s: head %q", c.say, r.HeadBytes())
		}
	}
}

// D12: what it does not understand it says, and nothing is stored.
func TestBuiltinDoesNotUnderstand(t *testing.T) {
	r := withBrowser(t, page)
	out := r.run(builtin.New(), r.draft("h1", "make it pop like a summer breeze"))
	wantStatus(t, out, turn.Answered, "")
	if out.Text == "" || !utf8.ValidString(out.Text) {
		t.Errorf("it says %q", out.Text)
	}
	r.untouched()
}

// The whole turn on a small page, browser running: measured, with a generous bound.
func TestSmallEditIsQuick(t *testing.T) {
	r := withBrowser(t, page)
	r.message = ""
	sent := r.send(r.draft("h1", `change the text to "Quarterly report"`))
	begun := time.Now()
	out := r.runTurn(context.Background(), sent, builtin.New())
	took := time.Since(begun)
	wantStatus(t, out, turn.Applied, core.Code(""))
	t.Logf("turn took %s", took)
	for _, e := range r.events {
		t.Logf("%8s %s %s", e.At.Sub(begun).Round(time.Millisecond), e.Kind, e.Tool)
	}
	if took > 20*time.Second {
		t.Errorf("a small edit took %s", took)
	}
}
