package turn_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/script"
	"proofmark/gateway/turn"
)

// drop is a model's document_finish that drops the draft.
func drop() script.Step {
	return script.Call("document_finish", map[string]any{"action": "discard", "summary": "Not needed."})
}

// spin makes the same call for ever.
func spin(llm.Request) (llm.Response, error) {
	return llm.Response{ToolCalls: []llm.ToolCall{{Name: "document_read", Arguments: `{}`}}}, nil
}

// closing gives the last request where it is the closing one: without tools, and
// with the truth as its last message.
func closing(t *testing.T, m *script.Model) string {
	t.Helper()
	all := m.Requests()
	q := all[len(all)-1]
	if len(q.Tools) != 0 {
		t.Fatalf("the last of %d requests has %d tools", len(all), len(q.Tools))
	}
	for _, before := range all[:len(all)-1] {
		if len(before.Tools) != core.AnnotatedTools {
			t.Errorf("a request before it has %d tools", len(before.Tools))
		}
	}
	answered(t, q.Messages)
	last := q.Messages[len(q.Messages)-1]
	if last.Role != llm.User {
		t.Fatalf("the last message is %+v", last)
	}
	return last.Text
}

// answered fails where a call of a conversation has no result right behind it:
// providers refuse that.
func answered(t *testing.T, messages []llm.Message) {
	t.Helper()
	for i, m := range messages {
		for n, c := range m.ToolCalls {
			if at := i + 1 + n; at >= len(messages) || messages[at].ToolCallID != c.ID {
				t.Errorf("call %s of message %d has no result", c.Name, i+1)
			}
		}
		if m.Role != llm.Tool && m.Text == "" && len(m.ToolCalls) == 0 {
			t.Errorf("message %d is empty", i+1)
		}
	}
}

// D-94, D-107, AG-8: a turn that worked with the tools ends with one call without
// them, which is told what is true and whose words are the turn's.
func TestClosingWords(t *testing.T) {
	for name, c := range map[string]struct {
		steps  []script.Step
		status turn.Status
		code   core.Code
		truth  string
	}{
		"applied":           {[]script.Step{inspect(), setText("Other"), look(), finish()}, turn.Applied, "", "published as one new version with 1 edit.\nNote 1: applied."},
		"discarded":         {[]script.Step{inspect(), setText("Other"), drop()}, turn.Dropped, "", "the page is exactly as it was"},
		"discarded at once": {[]script.Step{drop()}, turn.Dropped, "", "Nothing was published"},
		"failures":          {[]script.Step{finish0(), finish0(), finish0()}, turn.Refused, core.TurnEnded, "3 calls in a row were refused"},
	} {
		t.Run(name, func(t *testing.T) {
			r := withBrowser(t, page)
			m := script.New(append(c.steps, script.Say("  In my own words.\n"))...)
			out := r.run(m, r.draft("h1", "rename"))
			wantStatus(t, out, c.status, c.code)
			if got := closing(t, m); !strings.Contains(got, c.truth) {
				t.Errorf("told %q, want %q", got, c.truth)
			}
			if out.Text != "In my own words." || m.Left() != 0 || out.Usage.Calls != len(c.steps)+1 {
				t.Errorf("text %q after %d calls", out.Text, out.Usage.Calls)
			}
			if !strings.HasSuffix(r.kinds(), "thinking text_delta said usage ended") {
				t.Errorf("events %s", r.kinds())
			}
		})
	}
}

// finish0 is a document_finish that is refused.
func finish0() script.Step {
	return script.Call("document_finish", map[string]any{"action": "commit", "receipt": "vfy_x", "sha": "y"})
}

// T-48: the 24 calls of a turn are carried out, the 25th ends it; T-49: so does a
// call that is made again and again; T-50: so do three failures in a row. Each
// time the model is heard once more, without tools.
func TestSpentBudgetsEndTheTurn(t *testing.T) {
	var many []script.Step
	for i := range core.MaxToolCallsPerTurn + 1 {
		mode := []string{"source", "structure"}[i%2]
		many = append(many, script.Call("document_read", map[string]any{"find": "<>/h1pabodyetl"[i/2 : i/2+1], "mode": mode}))
	}
	for name, c := range map[string]struct {
		steps  []script.Step
		code   core.Code
		made   int // calls that went well
		called int
	}{
		"the 25th call":      {many, core.Budget, core.MaxToolCallsPerTurn, core.MaxToolCallsPerTurn + 1},
		"the same call":      {[]script.Step{spin, spin, spin, spin, spin}, core.TurnEnded, core.MaxSameCallPerTurn, 5},
		"three failures":     {[]script.Step{finish0(), script.Call("document_eval", map[string]any{}), finish0()}, core.TurnEnded, 0, 3},
		"the same, at once":  {[]script.Step{script.Calls(slow(8)...)}, core.TurnEnded, core.MaxSameCallPerTurn, 5},
		"more than there is": {[]script.Step{script.Calls(slow(5000)...), script.Calls(slow(5000)...), script.Calls(slow(5000)...)}, core.TurnEnded, 0, 3 * 4 * core.MaxToolCallsPerTurn},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, page, nil)
			m := script.New(append(c.steps, script.Say("I could not do it."))...)
			out := r.run(m, r.draft("h1", "rename"))
			wantStatus(t, out, turn.Refused, c.code)
			if got := closing(t, m); !strings.Contains(got, "exactly as it was") || out.Text != "I could not do it." {
				t.Errorf("told %q, said %q", got, out.Text)
			}
			made, called := 0, 0
			for _, e := range r.events {
				if e.Kind == turn.ToolCalled {
					called++
				}
				if e.Kind == turn.ToolReturned && e.OK {
					made++
				}
			}
			if made != c.made || called != c.called || m.Left() != 0 {
				t.Errorf("%d of %d calls were made, want %d of %d; %d steps are left", made, called, c.made, c.called, m.Left())
			}
			r.untouched()
		})
	}
}

// slow makes n equal calls.
func slow(n int) []llm.ToolCall {
	var out []llm.ToolCall
	for range n {
		out = append(out, llm.ToolCall{Name: "document_read", Arguments: `{}`})
	}
	return out
}

// What fails, and calls that are made up, change nothing about the end: the
// summary of document_finish stays.
func TestClosingWordsThatFail(t *testing.T) {
	for name, last := range map[string]script.Step{
		"error":   script.Fail(core.Errorf(core.ModelBusy, "busy")),
		"nothing": script.Say(" \n"),
		"calls":   script.Call("document_patch", map[string]any{"edits": []any{}}),
	} {
		t.Run(name, func(t *testing.T) {
			r := withBrowser(t, page)
			m := script.New(inspect(), setText("Other"), look(), finish(), last)
			out := r.run(m, r.draft("h1", "rename"))
			wantStatus(t, out, turn.Applied, "")
			if out.Text != "Changed the text." || m.Left() != 0 || r.Now().Generation != 2 {
				t.Errorf("text %q, %d steps left, generation %d", out.Text, m.Left(), r.Now().Generation)
			}
		})
	}
}

// Nobody is asked for closing words who was stopped, refused or only answered.
func TestNoClosingWords(t *testing.T) {
	patch := script.CallFrom("document_patch", func(result map[string]any) any {
		return map[string]any{"sourceSha": result["document"].(map[string]any)["sha256"], "edits": []any{map[string]any{
			"expectedText": "<h1>Report</h1>", "replacement": `<h1>Report</h1><img src="https://images.example.com/a.png" alt="">`, "note": 1,
		}}}
	})
	for name, c := range map[string]struct {
		steps  []script.Step
		status turn.Status
		code   core.Code
	}{
		"answered":         {[]script.Step{script.Say("It is a heading.")}, turn.Answered, ""},
		"looked, answered": {[]script.Step{inspect(), script.Say("It is a heading.")}, turn.Answered, ""},
		"needs approval":   {[]script.Step{inspect(), patch, look(), finish()}, turn.NeedsApproval, core.NeedsApproval},
		"model fails":      {[]script.Step{inspect(), script.Fail(core.Errorf(core.ModelDenied, "no"))}, turn.Refused, core.ModelDenied},
	} {
		t.Run(name, func(t *testing.T) {
			r := withBrowser(t, page)
			m := script.New(append(c.steps, script.Fail(errors.New("one too many")))...)
			out := r.run(m, r.draft("h1", "rename"))
			wantStatus(t, out, c.status, c.code)
			if len(m.Requests()) != len(c.steps) {
				t.Errorf("%d calls, want %d", len(m.Requests()), len(c.steps))
			}
			r.untouched()
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		r := withBrowser(t, page)
		ctx, cancel := context.WithCancel(context.Background())
		m := script.New(inspect(), setText("Other"), look(), func(q llm.Request) (llm.Response, error) {
			defer cancel()
			return finish()(q)
		}, script.Say("too late"))
		out := r.runTurn(ctx, r.send(r.draft("h1", "rename")), m)
		wantStatus(t, out, turn.Dropped, core.Cancelled)
		if m.Left() != 1 {
			t.Error("it was asked for closing words")
		}
		r.untouched()
	})
}

// A turn that is stopped right behind its discard is asked nothing any more.
func TestCancelledBeforeClosing(t *testing.T) {
	r := withBrowser(t, page)
	ctx, cancel := context.WithCancel(context.Background())
	m := script.New(inspect(), drop(), script.Say("too late"))
	sent := r.send(r.draft("h1", "rename"))
	out, err := r.engine.Run(ctx, sent, m, r.opt, func(e turn.Event) {
		r.events = append(r.events, e)
		if e.Kind == turn.Discarded {
			cancel()
		}
	})
	if err != nil || out.Status != turn.Dropped || out.Text != "Not needed." || !strings.HasSuffix(r.kinds(), "discarded ended") {
		t.Errorf("%+v, %v, events %s", out, err, r.kinds())
	}
	if r.state(sent.ID) != core.TurnDiscarded {
		t.Errorf("state %s", r.state(sent.ID))
	}
}

// Cancelling while the closing words are said leaves what is committed committed.
func TestCancelledWhileClosing(t *testing.T) {
	r := withBrowser(t, page)
	ctx, cancel := context.WithCancel(context.Background())
	m := script.New(inspect(), setText("Other"), look(), finish(), func(llm.Request) (llm.Response, error) {
		cancel()
		return llm.Response{}, ctx.Err()
	})
	sent := r.send(r.draft("h1", "rename"))
	out := r.runTurn(ctx, sent, m)
	wantStatus(t, out, turn.Applied, "")
	if out.Text != "Changed the text." || r.state(sent.ID) != core.TurnApplied || !strings.HasSuffix(r.kinds(), "committed thinking ended") {
		t.Errorf("text %q, state %s, events %s", out.Text, r.state(sent.ID), r.kinds())
	}
}

// D-55, R-TURN-6: a model may say what it likes; what is true is the outcome.
func TestLyingChangesNothing(t *testing.T) {
	const lie = "Done: the page is updated."
	for name, steps := range map[string][]script.Step{
		"at once":          {script.Say(lie)},
		"after looking":    {inspect(), script.Say(lie)},
		"after a draft":    {inspect(), setText("Other"), script.Say(lie), script.Say(lie)},
		"after discarding": {inspect(), setText("Other"), drop(), script.Say(lie)},
	} {
		t.Run(name, func(t *testing.T) {
			r := withBrowser(t, page)
			out := r.run(script.New(steps...), r.draft("h1", "rename"))
			if out.Status == turn.Applied || out.Result != nil || out.Text != lie || out.Notes[0].Outcome == "applied" {
				t.Errorf("%+v", out)
			}
			r.untouched()
		})
	}
}

// A turn's draft dies with it also where the model's last word is silence.
func TestSilenceIsNoAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		last llm.Response
		code core.Code
	}{
		"nothing":        {llm.Response{}, core.ModelBroken},
		"cut at once":    {llm.Response{Stop: llm.StopLength}, core.ModelBroken},
		"refused":        {llm.Response{Stop: llm.StopRefused}, core.ModelRefused},
		"refused, words": {llm.Response{Stop: llm.StopRefused, Text: "I cannot"}, core.ModelRefused},
	} {
		t.Run(name, func(t *testing.T) {
			r := withBrowser(t, page)
			quiet := func(llm.Request) (llm.Response, error) { return c.last, nil }
			out := r.run(script.New(inspect(), setText("Other"), quiet, quiet), r.draft("h1", "rename"))
			wantStatus(t, out, turn.Refused, c.code)
			if out.Err.Hint == "" {
				t.Error("no hint")
			}
			r.untouched()
			m := script.New(quiet)
			wantStatus(t, r.run(m), turn.Refused, c.code)
		})
	}
}

// What was committed is told before the model has its closing words: the file
// does not wait for them.
func TestPublishedBeforeTheClosingWords(t *testing.T) {
	r := withBrowser(t, page)
	var told []int64
	m := script.New(inspect(), setText("Other"), look(), finish(), func(llm.Request) (llm.Response, error) {
		if len(told) != 1 || told[0] != 2 {
			t.Errorf("at the closing words, generations told were %v", told)
		}
		return llm.Response{Text: "Done."}, nil
	})
	r.opt.Published = func(res document.Result) { told = append(told, res.Revision.Generation) }
	wantStatus(t, r.run(m, r.draft("h1", "rename")), turn.Applied, "")
	if len(told) != 1 || m.Left() != 0 {
		t.Errorf("told %v, %d steps left", told, m.Left())
	}
	r = withBrowser(t, page)
	r.opt.Published = func(document.Result) { t.Error("a dropped draft was told as published") }
	wantStatus(t, r.run(script.New(inspect(), setText("Third"), drop(), script.Say("No.")), r.draft("h1", "rename")), turn.Dropped, "")
}
