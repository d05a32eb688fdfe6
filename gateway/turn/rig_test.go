package turn_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"proofmark/gateway/annotate"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/grants"
	"proofmark/gateway/internal/testbed"
	"proofmark/gateway/internal/testbrowser"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/script"
	"proofmark/gateway/proof"
	"proofmark/gateway/store"
	"proofmark/gateway/surface"
	"proofmark/gateway/turn"
)

func TestMain(m *testing.M) { testbrowser.Main(m) }

const session = "ses_one"

const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>T</title>
<style>body{margin:0;font:16px/20px sans-serif}h1{height:40px;margin:0;font-size:20px}</style></head>
<body>
<h1>Report</h1>
<p id="a" class="lead">First</p>
<p id="b">Second</p>
</body></html>
`

// rig is a document with an engine. It has no browser unless one is put in.
type rig struct {
	*testbed.Bed
	t      *testing.T
	notes  *annotate.Service
	engine *turn.Engine
	opt    turn.RunOptions
	events []turn.Event

	message string // beside the notes
}

func newRig(t *testing.T, html string, surfaces *surface.Manager) *rig {
	t.Helper()
	b := testbed.New(t, html)
	r := &rig{Bed: b, t: t, message: "please", notes: annotate.New(b.Store, b.Documents, nil)}
	r.engine = turn.New(turn.Config{
		Store: b.Store, Documents: b.Documents, Annotations: r.notes, Grants: grants.New(time.Now),
		Candidates: candidate.New(candidate.Config{Store: b.Store, Documents: b.Documents, Surfaces: surfaces}),
	})
	r.opt = turn.RunOptions{BeginOptions: candidate.BeginOptions{AssetDir: b.Dir, Width: 600, Height: 400}}
	return r
}

// withBrowser is newRig with the package's Chromium.
func withBrowser(t *testing.T, html string) *rig {
	t.Helper()
	return newRig(t, html, testbrowser.Shared(t).Surfaces)
}

// draft notes something at the first element of a name.
func (r *rig) draft(name, say string) string {
	r.t.Helper()
	return r.draftAs(session, name, say)
}

func (r *rig) draftAs(session, name, say string) string {
	r.t.Helper()
	a, err := r.notes.Create(context.Background(), annotate.Draft{
		SessionID: session, DocumentID: r.Doc.ID, Instruction: say,
		Verified: []proof.Verified{r.Verified(r.Element(name, 1))},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return a.ID
}

func (r *rig) request(notes ...string) turn.SendRequest {
	return turn.SendRequest{
		SessionID: session, RequestID: core.NewID("req"), DocumentID: r.Doc.ID, Message: r.message, AnnotationIDs: notes, Model: "script",
	}
}

func (r *rig) send(notes ...string) core.Turn {
	r.t.Helper()
	t, err := r.engine.Send(context.Background(), r.request(notes...))
	if err != nil {
		r.t.Fatal(err)
	}
	return t
}

// run sends the notes and runs the turn to its end.
func (r *rig) run(m llm.Model, notes ...string) turn.Outcome {
	r.t.Helper()
	return r.runTurn(context.Background(), r.send(notes...), m)
}

func (r *rig) runTurn(ctx context.Context, t core.Turn, m llm.Model) turn.Outcome {
	r.t.Helper()
	r.events = nil
	out, err := r.engine.Run(ctx, t, m, r.opt, func(e turn.Event) { r.events = append(r.events, e) })
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r *rig) state(turnID string) core.TurnState {
	r.t.Helper()
	var now core.Turn
	err := r.Store.Read(context.Background(), func(tx *store.Tx) error {
		var err error
		now, err = tx.Turn(turnID)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return now.State
}

// untouched fails where anything but turns and notes was stored.
func (r *rig) untouched() {
	r.t.Helper()
	err := r.Store.Read(context.Background(), func(tx *store.Tx) error {
		doc, err := tx.Document(r.Doc.ID)
		if err != nil {
			return err
		}
		if doc.HeadID != r.Head.ID || doc.Generation != 1 {
			r.t.Errorf("the head moved to generation %d", doc.Generation)
		}
		sets, err := tx.ChangeSets(r.Doc.ID, 0, 0)
		if err != nil {
			return err
		}
		turns, err := tx.Turns(r.Doc.ID, 0)
		if err != nil {
			return err
		}
		for _, t := range turns {
			if _, ok, err := tx.Candidate(t.ID); ok || err != nil {
				r.t.Errorf("a draft candidate is left: %v", err)
			}
			if _, ok, err := tx.Attempt(t.ID); ok || err != nil {
				r.t.Errorf("a commit attempt is stored: %v", err)
			}
		}
		if len(sets) != 0 {
			r.t.Errorf("%d change sets are stored", len(sets))
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// kinds gives the kinds of the events in order, and fails where their numbers
// are not what Event.Seq says.
func (r *rig) kinds() string {
	r.t.Helper()
	last := int64(0)
	for i, e := range r.events {
		grew := e.Kind != turn.TextDelta
		if e.Seq < last || grew != (e.Seq > last) || e.TurnID == "" || e.At.IsZero() {
			r.t.Errorf("event %d, %s, has number %d behind %d, turn %q, time %s", i+1, e.Kind, e.Seq, last, e.TurnID, e.At)
		}
		last = e.Seq
	}
	return names(r.events)
}

func names(events []turn.Event) string {
	var out []string
	for _, e := range events {
		out = append(out, string(e.Kind))
	}
	return strings.Join(out, " ")
}

func wantStatus(t *testing.T, out turn.Outcome, want turn.Status, code core.Code) {
	t.Helper()
	got := core.Code("")
	if out.Err != nil {
		got = out.Err.Code
	}
	if out.Status != want || got != code {
		t.Fatalf("status %s, error %v; want %s and %q", out.Status, out.Err, want, code)
	}
	if (out.Result != nil) != (want == turn.Applied) {
		t.Errorf("status %s with result %v", out.Status, out.Result)
	}
}

func wantCode(t *testing.T, err error, want core.Code) *core.Error {
	t.Helper()
	if got := core.CodeOf(err); got != want {
		t.Fatalf("got %q (%v), want %q", got, err, want)
	}
	return core.AsError(err)
}

// The steps of a model that does its work.

func inspect() script.Step { return script.Call("document_inspect", map[string]any{}) }

func look() script.Step {
	return script.Call("document_browser_inspect", map[string]any{})
}

// target gives the n-th note's first target out of document_inspect's result.
func target(result map[string]any, note int) map[string]any {
	n := result["notes"].([]any)[note-1].(map[string]any)
	return n["targets"].([]any)[0].(map[string]any)
}

// setText applies new text to the first text of each note's target.
func setText(texts ...string) script.Step {
	return script.CallFrom("document_apply", func(result map[string]any) any {
		var list []any
		for i, text := range texts {
			grant := target(result, i+1)["texts"].([]any)[0].(map[string]any)["grant"]
			list = append(list, map[string]any{"grant": grant, "text": text})
		}
		return map[string]any{"mutations": list}
	})
}

// finish commits what the latest look saw.
func finish() script.Step {
	return script.CallFrom("document_finish", func(result map[string]any) any {
		return map[string]any{"action": "commit", "receipt": result["receipt"], "sha": result["candidateSha"], "summary": "Changed the text."}
	})
}

// work is a model that changes the text of each note's target and then says so.
func work(texts ...string) *script.Model {
	return script.New(inspect(), setText(texts...), look(), finish(), script.Say("It reads as you asked."))
}
