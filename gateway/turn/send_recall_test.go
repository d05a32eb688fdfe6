package turn_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"proofmark/gateway/annotate"
	"proofmark/gateway/core"
	"proofmark/gateway/llm/script"
	"proofmark/gateway/turn"
)

// R-SEND-2: what became of a request is told again as it was told first.
func TestRecall(t *testing.T) {
	ctx := context.Background()
	r := withBrowser(t, page)
	sent := r.send(r.draft("h1", "shorter"))
	_, err := r.engine.Recall(ctx, sent.ID)
	if e := wantCode(t, err, core.RequestConflict); e.Detail["turn"] != sent.ID {
		t.Errorf("got %+v", e)
	}
	first := r.runTurn(ctx, sent, work("Short"))
	wantStatus(t, first, turn.Applied, "")
	again, err := r.engine.Recall(ctx, sent.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, again, turn.Applied, "")
	if again.Result.ChangeSet.ID != first.Result.ChangeSet.ID || again.Result.Revision.ID != first.Result.Revision.ID || !again.Result.Replayed ||
		!reflect.DeepEqual(again.Edits, first.Edits) || again.Text != first.Text || again.Usage != first.Usage ||
		again.Notes[0].Outcome != "applied" || again.Verification.CandidateSHA != first.Verification.CandidateSHA {
		t.Errorf("told\n%+v, first\n%+v", again, first)
	}
	if r.Now().Generation != 2 {
		t.Errorf("generation %d", r.Now().Generation)
	}
	r.catchUp()
	for name, c := range map[string]struct {
		m     *script.Model
		notes []string
	}{
		"failed":   {script.New(script.Fail(errors.New("no line"))), []string{"p"}},
		"answered": {script.New(script.Say("It is a list.")), []string{"p"}},
		"message":  {script.New(script.Say("Hello.")), nil},
	} {
		var notes []string
		for _, n := range c.notes {
			notes = append(notes, r.draft(n, "x"))
		}
		sent := r.send(notes...)
		first := r.runTurn(ctx, sent, c.m)
		again, err := r.engine.Recall(ctx, sent.ID)
		if err != nil {
			t.Fatal(err)
		}
		if again.Status != first.Status || again.Text != first.Text || len(again.Notes) != len(first.Notes) || again.Result != nil ||
			(again.Err == nil) != (first.Err == nil) || again.Err != nil && (again.Err.Code != first.Err.Code || again.Err.Hint == "") {
			t.Errorf("%s: told %+v, first %+v", name, again, first)
		}
		if len(notes) > 0 && again.Notes[0].Outcome != first.Notes[0].Outcome {
			t.Errorf("%s: note %+v, first %+v", name, again.Notes[0], first.Notes[0])
		}
	}
	_, err = r.engine.Recall(ctx, "turn_unknown")
	wantCode(t, err, core.NotFound)
}

func TestByRequest(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, nil)
	q := r.request(r.draft("h1", "x"))
	if _, found, err := r.engine.ByRequest(ctx, session, q.RequestID); found || err != nil {
		t.Error(found, err)
	}
	sent, err := r.engine.Send(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	if got, found, err := r.engine.ByRequest(ctx, session, q.RequestID); !found || err != nil || got.ID != sent.ID {
		t.Error(got, found, err)
	}
	if _, found, _ := r.engine.ByRequest(ctx, "ses_two", q.RequestID); found {
		t.Error("another session's request")
	}
}

// T-72, R-SEND-2: no text goes out that its sender has not seen; a replay asks
// for nothing.
func TestSendWhatWasSeen(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, nil)
	one, two := r.draft("h1", "one"), r.draft("p", "two")
	seen, err := r.notes.Drafts(ctx, session, r.Doc.ID, one, two)
	if err != nil {
		t.Fatal(err)
	}
	q := r.request(one, two)
	q.Seen = []time.Time{{}, seen[1].UpdatedAt}
	if _, err := r.notes.Edit(ctx, session, two, annotate.Change{Instruction: "two, from another window"}); err != nil {
		t.Fatal(err)
	}
	e := wantCode(t, errOf(r.engine.Send(ctx, q)), core.RequestConflict)
	if now, ok := e.Detail["now"].(core.Annotation); !ok || now.Instruction != "two, from another window" {
		t.Errorf("got %+v", e)
	}
	if notes, turns := r.stored(); turns != 0 || notes[one] != core.AnnotationDraft || notes[two] != core.AnnotationDraft {
		t.Errorf("%d turns, notes %v", turns, notes)
	}
	q.Seen = q.Seen[:1]
	wantCode(t, errOf(r.engine.Send(ctx, q)), core.Usage)
	q.Seen = []time.Time{seen[0].UpdatedAt, e.Detail["now"].(core.Annotation).UpdatedAt}
	sent, err := r.engine.Send(ctx, q)
	if err != nil || sent.Notes[1].Instruction != "two, from another window" {
		t.Fatal(sent, err)
	}
	if again, err := r.engine.Send(ctx, q); err != nil || again.ID != sent.ID {
		t.Errorf("replay: %v", err)
	}
}

// T-69, D-51: what a model would read is counted, and refused, before sending.
func TestPreview(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, nil)
	one := r.draft("h1", "x")
	drafts, err := r.notes.Drafts(ctx, session, r.Doc.ID, one)
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.engine.Preview(ctx, r.Doc.ID, "m", drafts)
	if err != nil || p.Refusal() != nil || p.Head.ID != r.Head.ID || p.Notes[0].Targets[0].Resolution != core.Exact {
		t.Fatal(p, err)
	}
	// Exactly as much as fits goes out; a byte more does not.
	q := r.request(one)
	rest := core.MaxTurnContextBytes - p.ContextBytes
	q.Message = "m" + stringOf(rest+1)
	wantCode(t, errOf(r.engine.Send(ctx, q)), core.ContextTooLarge)
	if p, err = r.engine.Preview(ctx, r.Doc.ID, q.Message, drafts); err != nil {
		t.Fatal(err)
	}
	wantCode(t, p.Refusal(), core.ContextTooLarge)
	q.Message = q.Message[:1+rest]
	if p, err = r.engine.Preview(ctx, r.Doc.ID, q.Message, drafts); err != nil || p.ContextBytes != core.MaxTurnContextBytes || p.Refusal() != nil {
		t.Errorf("%d bytes, %v, %v", p.ContextBytes, err, p.Refusal())
	}
	if _, err := r.engine.Send(ctx, q); err != nil {
		t.Error(err)
	}
	many := make([]core.Annotation, core.MaxAnnotationsPerSend+1)
	for i := range many {
		many[i] = drafts[0]
	}
	if p, err = r.engine.Preview(ctx, r.Doc.ID, "", many); err != nil {
		t.Fatal(err)
	}
	wantCode(t, p.Refusal(), core.TooMany)
}

func stringOf(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'y'
	}
	return string(b)
}
