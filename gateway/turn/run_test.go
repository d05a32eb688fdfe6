package turn_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/internal/testbrowser"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/script"
	"proofmark/gateway/turn"
)

// R-TURN-2 to 6: inspect, apply, look, finish: one revision and one change set
// for two notes, with the outcome of each, and the events in order.
func TestTwoNotesOneRevision(t *testing.T) {
	r := withBrowser(t, page)
	m := work("Quarterly report", "1st")
	sent := r.send(r.draft("h1", "rename it"), r.draft("p", "shorten it"))
	out := r.runTurn(context.Background(), sent, m)
	wantStatus(t, out, turn.Applied, "")
	want := strings.NewReplacer("Report", "Quarterly report", "First", "1st").Replace(page)
	if r.HeadBytes() != want || r.Now().Generation != 2 {
		t.Errorf("generation %d, head %q", r.Now().Generation, r.HeadBytes())
	}
	if len(out.Edits) != 2 || out.Edits[0].Note != 1 || out.Edits[1].Note != 2 {
		t.Errorf("edits %+v", out.Edits)
	}
	for i, n := range out.Notes {
		if n.Order != i+1 || n.Outcome != "applied" || n.Targets[0].Start == nil || n.Targets[0].Resolution != core.Exact {
			t.Errorf("note %+v", n)
		}
	}
	if v := out.Verification; v == nil || !v.TreeMatches || v.PixelsInside <= 0 || v.PixelsOutside != 0 {
		t.Errorf("verification %+v", v)
	}
	if out.Text != "It reads as you asked." || r.state(sent.ID) != core.TurnApplied || m.Left() != 0 {
		t.Errorf("text %q, state %s", out.Text, r.state(sent.ID))
	}
	const order = "accepted thinking usage tool_called tool_returned " +
		"thinking usage tool_called tool_returned candidate_staged " +
		"thinking usage tool_called tool_returned verified " +
		"thinking usage tool_called tool_returned committed " +
		"thinking text_delta said usage ended"
	if got := r.kinds(); got != order {
		t.Errorf("events\n%s\nwant\n%s", got, order)
	}
	committed, last := r.events[len(r.events)-6], r.events[len(r.events)-1]
	if committed.Generation != 2 || committed.ChangeSet != out.Result.ChangeSet.ID || last.Status != turn.Applied {
		t.Errorf("events %+v and %+v", committed, last)
	}
	// T-73: exactly ten tools, and the same in every call but the closing one.
	for i, q := range m.Requests() {
		if want := map[bool]int{true: core.AnnotatedTools}[i < 4]; len(q.Tools) != want {
			t.Errorf("call %d has %d tools", i+1, len(q.Tools))
		}
	}
	// A turn runs once.
	_, err := r.engine.Run(context.Background(), sent, script.New(), r.opt, nil)
	wantCode(t, err, core.TurnEnded)
	// T-85, D-58: the turn is taken back as a whole, to the very bytes.
	if _, err := r.Documents.Revert(context.Background(), r.Doc.ID, out.Result.ChangeSet.ID, 0, "test"); err != nil || r.HeadBytes() != page {
		t.Errorf("taken back, %v, it is %q", err, r.HeadBytes())
	}
}

// T-46, T-47, C-11: broken arguments and a tool there is not are error results
// that say so, never an empty call; the model puts it right and commits.
func TestBrokenCallsCanBePutRight(t *testing.T) {
	for name, c := range map[string]struct {
		call llm.ToolCall
		code core.Code
	}{
		"cut":       {llm.ToolCall{Name: "document_inspect", Arguments: `{"note":`}, core.ToolArguments},
		"not JSON":  {llm.ToolCall{Name: "document_inspect", Arguments: `note=1`}, core.ToolArguments},
		"no object": {llm.ToolCall{Name: "document_inspect", Arguments: `[]`}, core.ToolArguments},
		"unknown":   {llm.ToolCall{Name: "workspace_write", Arguments: `{}`}, core.ToolUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			r := withBrowser(t, page)
			m := script.New(script.Calls(c.call), inspect(), setText("Other"), look(), finish(), script.Say("Done."))
			wantStatus(t, r.run(m, r.draft("h1", "rename")), turn.Applied, "")
			msgs := m.Requests()[1].Messages
			last := msgs[len(msgs)-1]
			if last.Role != llm.Tool || !last.IsError || !strings.Contains(last.Text, string(c.code)) || !strings.Contains(last.Text, `"correctable":true`) {
				t.Errorf("answered with %+v", last)
			}
			if called := msgs[len(msgs)-2].ToolCalls[0]; called.Arguments != c.call.Arguments {
				t.Errorf("the call became %+v", called)
			}
		})
	}
}

// T-88, D-54, R-SEND-4: an answer stores nothing and costs one call.
func TestAnswerStoresNothing(t *testing.T) {
	r := newRig(t, page, nil)
	m := script.New(script.Say("It is a heading."))
	sent := r.send(r.draft("h1", "what is this?"))
	out := r.runTurn(context.Background(), sent, m)
	wantStatus(t, out, turn.Answered, "")
	if out.Text != "It is a heading." || out.Notes[0].Outcome != "answered" || len(m.Requests()) != 1 {
		t.Errorf("outcome %+v after %d calls", out, len(m.Requests()))
	}
	if r.state(sent.ID) != core.TurnAnswered {
		t.Errorf("state %s", r.state(sent.ID))
	}
	r.untouched()
	if got := r.kinds(); got != "accepted thinking text_delta said usage ended" {
		t.Errorf("events %s", got)
	}
}

// D-93: a message without notes can only be answered: its model has no tools,
// is told of none, and calls it makes up go nowhere.
func TestMessageWithoutNotesHasNoTools(t *testing.T) {
	r := newRig(t, page, nil)
	made := llm.ToolCall{Name: "document_inspect", Arguments: "{}"}
	m := script.New(func(llm.Request) (llm.Response, error) {
		return llm.Response{Text: "It is a report.", ToolCalls: []llm.ToolCall{made}}, nil
	})
	out := r.run(m)
	wantStatus(t, out, turn.Answered, "")
	if q := m.Requests(); len(q) != 1 || len(q[0].Tools) != 0 || strings.Contains(q[0].System, "document_") {
		t.Errorf("tools were offered: %+v", q)
	}
	if strings.Contains(r.kinds(), "tool_called") {
		t.Errorf("events %s", r.kinds())
	}
	r.untouched()
}

// A model that stops with a draft in hand is told once, and then the draft is
// dropped; what it claims changes nothing (D-55).
func TestClaimWithoutCommit(t *testing.T) {
	r := withBrowser(t, page)
	m := script.New(inspect(), setText("Other"), script.Say("Done, the page is updated."), script.Say("As I said: it is updated."))
	sent := r.send(r.draft("h1", "rename"))
	out := r.runTurn(context.Background(), sent, m)
	wantStatus(t, out, turn.Dropped, "")
	last := m.Requests()[3].Messages
	if !strings.Contains(last[len(last)-1].Text, "not published") {
		t.Errorf("the model was told %q", last[len(last)-1].Text)
	}
	if !strings.HasSuffix(r.kinds(), "text_delta said usage discarded ended") {
		t.Errorf("events %s", r.kinds())
	}
	if out.Notes[0].Outcome != "unchanged" || r.state(sent.ID) != core.TurnDiscarded {
		t.Errorf("notes %+v, state %s", out.Notes, r.state(sent.ID))
	}
	r.untouched()
}

func TestDiscardedByTheModel(t *testing.T) {
	r := withBrowser(t, page)
	out := r.run(script.New(inspect(), setText("Other"),
		script.Call("document_finish", map[string]any{"action": "discard", "summary": "Not needed."})), r.draft("h1", "rename"))
	wantStatus(t, out, turn.Dropped, "")
	if out.Text != "Not needed." || !strings.HasSuffix(r.kinds(), "tool_returned discarded thinking ended") {
		t.Errorf("text %q, events %s", out.Text, r.kinds())
	}
	r.untouched()
}

// T-82 through the tools: stage, look, repair, look, commit.
func TestRepairLoop(t *testing.T) {
	r := withBrowser(t, page)
	m := script.New(inspect(), setText("One"), look(), inspect(), setText("Two"), look(), finish())
	out := r.run(m, r.draft("h1", "rename"))
	wantStatus(t, out, turn.Applied, "")
	if r.Now().Generation != 2 || r.HeadBytes() != strings.Replace(page, "Report", "Two", 1) {
		t.Errorf("generation %d, head %q", r.Now().Generation, r.HeadBytes())
	}
}

// The head moves between sending and the commit: a conflict, nothing changed.
func TestHeadMovedAfterSending(t *testing.T) {
	theirs := strings.Replace(page, "Second", "Theirs", 1)
	at := strings.Index(page, "Second")
	edits := []core.Edit{{Span: core.Span{Start: at, End: at + 6}, Replacement: "Theirs"}}
	t.Run("before the run", func(t *testing.T) {
		r := newRig(t, page, nil)
		sent := r.send(r.draft("h1", "rename"))
		r.Commit(core.SourceManual, theirs, edits)
		m := script.New()
		out := r.runTurn(context.Background(), sent, m)
		wantStatus(t, out, turn.Conflict, core.HeadMoved)
		if len(m.Requests()) != 0 || r.state(sent.ID) != core.TurnFailed || r.HeadBytes() != theirs {
			t.Errorf("%d calls, state %s", len(m.Requests()), r.state(sent.ID))
		}
	})
	t.Run("before the commit", func(t *testing.T) {
		r := withBrowser(t, page)
		m := script.New(inspect(), setText("Mine"), look(), func(q llm.Request) (llm.Response, error) {
			r.Commit(core.SourceManual, theirs, edits)
			return finish()(q)
		})
		out := r.run(m, r.draft("h1", "rename"))
		wantStatus(t, out, turn.Conflict, core.HeadMoved)
		if r.HeadBytes() != theirs || r.Now().Generation != 2 || out.Notes[0].Outcome != "refused" {
			t.Errorf("generation %d, notes %+v", r.Now().Generation, out.Notes)
		}
	})
}

// R-TURN-11: what needs approval ends the turn with what it would have done.
func TestNeedsApproval(t *testing.T) {
	patch := script.CallFrom("document_patch", func(result map[string]any) any {
		return map[string]any{"sourceSha": result["document"].(map[string]any)["sha256"], "edits": []any{map[string]any{
			"expectedText": "<h1>Report</h1>", "replacement": `<h1>Report</h1><img src="https://images.example.com/a.png" alt="">`, "note": 1,
		}}}
	})
	r := withBrowser(t, page)
	out := r.run(script.New(inspect(), patch, look(), finish()), r.draft("h1", "add a picture"))
	wantStatus(t, out, turn.NeedsApproval, core.NeedsApproval)
	if len(out.Flags) == 0 || len(out.Edits) != 1 || out.Verification == nil {
		t.Errorf("outcome %+v", out)
	}
	r.untouched()
	for _, f := range out.Flags {
		r.opt.Approved = append(r.opt.Approved, f.Kind)
	}
	out = r.run(script.New(inspect(), patch, look(), finish()), r.draft("h1", "add a picture"))
	wantStatus(t, out, turn.Applied, "")
	if len(out.Flags) == 0 || len(out.Result.ChangeSet.Flags) == 0 {
		t.Error("the flags are not in the change set")
	}
}

func TestReview(t *testing.T) {
	r := withBrowser(t, page)
	answer := false
	r.opt.Review = func(_ context.Context, p candidate.Proposal) bool { return answer }
	out := r.run(work("Other"), r.draft("h1", "rename"))
	wantStatus(t, out, turn.Dropped, core.Denied)
	r.untouched()
	answer = true
	wantStatus(t, r.run(work("Other"), r.draft("h1", "rename")), turn.Applied, "")
}

// Cancelling drops the draft, wherever the turn stands (R-TURN-6).
func TestCancel(t *testing.T) {
	for _, at := range []int{0, 1, 2, 3} {
		r := withBrowser(t, page)
		ctx, cancel := context.WithCancel(context.Background())
		steps := []script.Step{inspect(), setText("Other"), look(), finish()}
		step := steps[at]
		steps[at] = func(q llm.Request) (llm.Response, error) {
			cancel()
			return step(q)
		}
		sent := r.send(r.draft("h1", "rename"))
		out := r.runTurn(ctx, sent, script.New(steps...))
		wantStatus(t, out, turn.Dropped, core.Cancelled)
		if r.state(sent.ID) != core.TurnDiscarded {
			t.Errorf("state %s", r.state(sent.ID))
		}
		r.untouched()
	}
}

// A model that fails, T-101: a browser that goes away.
func TestFailures(t *testing.T) {
	r := newRig(t, page, nil)
	broken := script.New(script.Fail(core.Errorf(core.NoModel, "no key")))
	sent := r.send(r.draft("h1", "rename"))
	wantStatus(t, r.runTurn(context.Background(), sent, broken), turn.Refused, core.NoModel)
	if r.state(sent.ID) != core.TurnFailed {
		t.Errorf("state %s", r.state(sent.ID))
	}
	wantStatus(t, r.run(script.New(script.Fail(errors.New("boom"))), r.draft("h1", "x")), turn.Refused, core.Internal)
	r.untouched()

	br := testbrowser.Own(t)
	r = newRig(t, page, br.Surfaces)
	m := script.New(inspect(), setText("Other"), func(q llm.Request) (llm.Response, error) {
		_ = br.Host.Close()
		return look()(q)
	})
	out := r.run(m, r.draft("h1", "rename"))
	if out.Status != turn.Refused || out.Err == nil || out.Err.Code != core.SurfaceLost && out.Err.Code != core.BrowserFailed {
		t.Errorf("status %s, %v", out.Status, out.Err)
	}
	r.untouched()
}

// T-92, D-35: a seeing model gets a picture after the tool result, and only the
// newest one; another model gets none.
func TestPicturesAreForModelsThatSee(t *testing.T) {
	shoot := func(what string) script.Step {
		return script.Call("document_browser_screenshot", map[string]any{"what": what})
	}
	for _, sees := range []bool{true, false} {
		r := withBrowser(t, page)
		m := script.New(inspect(), shoot("viewport"), shoot("page"), script.Say("nice"))
		m.Sees = sees
		wantStatus(t, r.run(m, r.draft("h1", "look at it")), turn.Answered, "")
		for i, q := range m.Requests() {
			images := 0
			for _, msg := range q.Messages {
				images += len(msg.Images)
				if strings.Contains(msg.Text, "iVBOR") {
					t.Error("a picture is in the text")
				}
			}
			if want := sees && i >= 2; (images == 1) != want || images > 1 {
				t.Errorf("sees %t: request %d has %d images", sees, i+1, images)
			}
		}
		r.untouched()
	}
}

// Calls without ids of their own get some, so that each result has its call.
func TestCallsWithoutIDs(t *testing.T) {
	r := newRig(t, page, nil)
	same := func(llm.Request) (llm.Response, error) {
		c := llm.ToolCall{ID: "x", Name: "document_read", Arguments: `{}`}
		d := llm.ToolCall{Name: "document_inspect", Arguments: `{}`}
		return llm.Response{ToolCalls: []llm.ToolCall{c, d, c}}, nil
	}
	m := script.New(same, script.Say("ok"))
	r.run(m, r.draft("h1", "x"))
	ids := map[string]bool{}
	msgs := m.Requests()[1].Messages
	for i, c := range msgs[1].ToolCalls {
		if c.ID == "" || ids[c.ID] || msgs[2+i].ToolCallID != c.ID {
			t.Errorf("call %d has id %q, its result %q", i+1, c.ID, msgs[2+i].ToolCallID)
		}
		ids[c.ID] = true
	}
	if len(ids) != 3 {
		t.Errorf("ids %v", ids)
	}
}

// A new fault is told to the model, which can repair it in the same turn.
func TestNewFaultCanBeRepaired(t *testing.T) {
	html := strings.Replace(page, "</body>", `<script>document.getElementById("a").title = "x"</script></body>`, 1)
	remove := script.CallFrom("document_apply", func(result map[string]any) any {
		return map[string]any{"mutations": []any{map[string]any{"grant": target(result, 1)["grants"].(map[string]any)["remove_node"]}}}
	})
	restore := func(q llm.Request) (llm.Response, error) {
		return script.CallFrom("document_patch", func(result map[string]any) any {
			return map[string]any{"sourceSha": result["document"].(map[string]any)["sha256"], "edits": []any{map[string]any{
				"expectedText": `<p id="b">`, "replacement": `<p id="a" hidden></p><p id="b">`, "note": 1,
			}}}
		})(q)
	}
	r := withBrowser(t, html)
	m := script.New(inspect(), remove, look(), finish(), inspect(), restore, look(), finish())
	out := r.run(m, r.draft("p", "remove it"))
	wantStatus(t, out, turn.Applied, "")
	if out.Verification.NewErrors == nil || len(out.Verification.NewErrors) != 0 {
		t.Errorf("verification %+v", out.Verification)
	}
	var refused bool
	for _, q := range m.Requests()[4].Messages {
		refused = refused || q.Role == llm.Tool && q.IsError && strings.Contains(q.Text, string(core.NewFault))
	}
	if !refused {
		t.Error("the first commit was not refused with new_fault")
	}
}
