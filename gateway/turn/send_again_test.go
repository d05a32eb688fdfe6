package turn_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/script"
	"proofmark/gateway/turn"
)

func (r *rig) again(turnID string) turn.Again {
	r.t.Helper()
	got, err := r.engine.Again(context.Background(), turn.AgainRequest{SessionID: session, DocumentID: r.Doc.ID, TurnID: turnID})
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

func (r *rig) againCode(q turn.AgainRequest, want core.Code) *core.Error {
	r.t.Helper()
	q.DocumentID = r.Doc.ID
	_, err := r.engine.Again(context.Background(), q)
	return wantCode(r.t, err, want)
}

// catchUp makes what is drafted from here on about the head as it is now.
func (r *rig) catchUp() {
	r.t.Helper()
	head, err := r.Documents.Revision(context.Background(), r.Doc.ID, r.Now().Generation)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Head, r.Tree = head, r.Parse([]byte(r.HeadBytes()))
}

func ids(list []core.Annotation) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.ID)
	}
	return out
}

// What failed, was answered or discarded is drafted again in its order, once, and
// goes nowhere until somebody sends it (R-SEND-3).
func TestAgain(t *testing.T) {
	for name, m := range map[string]llm.Model{
		"failed":   script.New(script.Fail(errors.New("no line"))),
		"answered": script.New(script.Say("I would rather not")),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, page, nil)
			out := r.run(m, r.draft("p", "second"), r.draft("h1", "first"))
			if out.Status == turn.Applied {
				t.Fatal("it applied")
			}
			got := r.again("")
			if len(got.Drafts) != 2 || got.Drafts[0].Instruction != "second" || got.Drafts[1].Instruction != "first" ||
				got.Drafts[0].Order != 1 || got.Drafts[1].Order != 2 || got.Ended {
				t.Fatalf("got %+v", got)
			}
			if a := got.Drafts[1]; a.State != core.AnnotationDraft || a.SessionID != session || a.RevisionID != r.Head.ID || a.Anchors[0].Name != "h1" {
				t.Errorf("got %+v", a)
			}
			if _, turns := r.stored(); turns != 1 {
				t.Errorf("%d turns: something was sent", turns)
			}
			if twice := r.again(got.Turn.ID); !slices.Equal(ids(twice.Drafts), ids(got.Drafts)) {
				t.Errorf("asked twice, %v and %v", ids(twice.Drafts), ids(got.Drafts))
			}
			if next := r.send(ids(got.Drafts)...); next.Notes[0].Instruction != "second" || next.Notes[0].Targets[0].Resolution != core.Exact {
				t.Errorf("sent %+v", next.Notes)
			}
			// All of them are sent now; asking for the same turn makes them anew.
			if third := r.again(got.Turn.ID); len(third.Drafts) != 2 || slices.Contains(ids(got.Drafts), third.Drafts[0].ID) {
				t.Errorf("got %+v", third.Drafts)
			}
		})
	}
}

// R-PICK-4: the notes' elements are looked for in the head as it is now; one
// that is gone is a context, and found again when it is back.
func TestAgainCarriesOn(t *testing.T) {
	r := newRig(t, page, nil)
	r.run(script.New(script.Fail(errors.New("no line"))), r.draft("h1", "head"), r.draft("p", "lead"))
	gone := strings.Index(page, "<h1>Report</h1>\n")
	without := page[:gone] + page[gone+len("<h1>Report</h1>\n"):]
	r.Commit(core.SourceManual, without, []core.Edit{{Span: core.Span{Start: gone, End: gone + len("<h1>Report</h1>\n")}}})
	got := r.again("")
	if tag := got.Drafts[1].Anchors[0].StartTag; without[tag.Start:tag.End] != `<p id="a" class="lead">` || got.Drafts[1].RevisionID != r.Now().HeadID {
		t.Errorf("got %+v", got.Drafts[1])
	}
	if again := r.again(""); !slices.Equal(ids(again.Drafts), ids(got.Drafts)) {
		t.Error("a note that is not found is drafted twice")
	}
	p, err := r.engine.Preview(context.Background(), r.Doc.ID, "", got.Drafts)
	if err != nil {
		t.Fatal(err)
	}
	if p.Notes[0].Targets[0].Resolution != core.Contextual || p.Notes[1].Targets[0].Resolution != core.Exact {
		t.Errorf("got %+v", p.Notes)
	}
	r.Commit(core.SourceRestore, page, []core.Edit{{Span: core.Span{Start: gone, End: gone}, Replacement: "<h1>Report</h1>\n"}})
	sent := r.send(ids(got.Drafts)...)
	for i, want := range []string{"<h1>", `<p id="a" class="lead">`} {
		target := sent.Notes[i].Targets[0]
		if tag := target.Anchor.StartTag; target.Resolution != core.Exact || page[tag.Start:tag.End] != want {
			t.Errorf("note %d: %+v", i+1, target)
		}
	}
}

// An applied turn has nothing to send again but the notes it left alone.
func TestAgainOfAnAppliedTurn(t *testing.T) {
	r := withBrowser(t, page)
	one := r.draft("h1", "shorter")
	wantStatus(t, r.run(work("Short"), one), turn.Applied, "")
	if e := r.againCode(turn.AgainRequest{SessionID: session}, core.Usage); e.Hint == "" {
		t.Error("no hint")
	}
	r.catchUp()
	m := script.New(inspect(), setText("Second try"), look(), finish(), script.Say("one of two"))
	first, second := r.draft("h1", "another"), r.draft("p", "left alone")
	out := r.run(m, first, second)
	wantStatus(t, out, turn.Applied, "")
	if out.Notes[0].Outcome != "applied" || out.Notes[1].Outcome == "applied" {
		t.Fatalf("outcomes %+v", out.Notes)
	}
	if got := r.again(""); len(got.Drafts) != 1 || got.Drafts[0].Instruction != "left alone" {
		t.Errorf("got %+v", got.Drafts)
	}
}

func TestAgainRefuses(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, nil)
	r.againCode(turn.AgainRequest{SessionID: session}, core.Usage)
	r.againCode(turn.AgainRequest{SessionID: session, TurnID: "turn_unknown"}, core.NotFound)
	r.run(script.New(script.Say("yes"))) // a message alone
	r.againCode(turn.AgainRequest{SessionID: session}, core.Usage)
	q := r.request(r.draftAs("ses_two", "h1", "theirs"))
	q.SessionID = "ses_two"
	theirs, err := r.engine.Send(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	r.runTurn(ctx, theirs, script.New(script.Say("no")))
	r.againCode(turn.AgainRequest{SessionID: session, TurnID: theirs.ID}, core.WrongSession) // T-71
	r.againCode(turn.AgainRequest{SessionID: session}, core.Usage)
	got, err := r.engine.Again(ctx, turn.AgainRequest{SessionID: session, DocumentID: r.Doc.ID, AnySession: true})
	if err != nil || got.Turn.ID != theirs.ID || got.Drafts[0].SessionID != session {
		t.Errorf("got %+v, %v", got, err)
	}
	r.Open("other.html", page)
	r.againCode(turn.AgainRequest{SessionID: "ses_two", TurnID: theirs.ID}, core.NotFound)
}

// A turn that has not ended is left alone unless it is named. Then it is over
// for its process, too: what that publishes late is refused, and the note is
// applied once.
func TestAgainEndsTheTurn(t *testing.T) {
	ctx := context.Background()
	r := withBrowser(t, page)
	first := r.send(r.draft("h1", "shorter"))
	if e := r.againCode(turn.AgainRequest{SessionID: session}, core.RequestConflict); e.Detail["turn"] != first.ID || e.Hint == "" {
		t.Errorf("got %+v", e)
	}
	var drafts []core.Annotation
	late := script.New(inspect(), setText("Late"), look(), script.CallFrom("document_finish", func(result map[string]any) any {
		got := r.again(first.ID)
		if !got.Ended || got.Turn.State != core.TurnFailed {
			t.Errorf("got %+v", got)
		}
		drafts = got.Drafts
		return map[string]any{"action": "commit", "receipt": result["receipt"], "sha": result["candidateSha"], "summary": "x"}
	}), script.Say("done"))
	out := r.runTurn(ctx, first, late)
	if out.Status == turn.Applied || r.Now().Generation != 1 || r.state(first.ID) != core.TurnFailed {
		t.Fatalf("%s, generation %d, turn %s", out.Status, r.Now().Generation, r.state(first.ID))
	}
	list, err := r.engine.Events(ctx, turn.Scope{Turn: first.ID}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if last := list[len(list)-1]; last.Kind != turn.Ended || last.Code != core.TurnEnded || strings.Count(names(list), "ended") != 1 {
		t.Errorf("told %s", names(list))
	}
	wantStatus(t, r.run(work("Short"), ids(drafts)...), turn.Applied, "")
	if !strings.Contains(r.HeadBytes(), "<h1>Short</h1>") || r.Now().Generation != 2 {
		t.Errorf("generation %d, %s", r.Now().Generation, r.HeadBytes())
	}

	// One that was accepted and never begun cannot begin any more.
	r.catchUp()
	waits := r.send(r.draft("p", "x"))
	if got := r.again(waits.ID); !got.Ended {
		t.Error("not ended")
	}
	_, err = r.engine.Run(ctx, waits, script.New(), r.opt, nil)
	wantCode(t, err, core.TurnEnded)
}

// Of eight that ask for the same notes at once each gets the same drafts, also
// while the head moves; a note is there once.
func TestAgainRace(t *testing.T) {
	r := newRig(t, page, nil)
	r.run(script.New(script.Say("no")), r.draft("p", "note"), r.draft("h1", "other"))
	var wg sync.WaitGroup
	got := make([]turn.Again, 8)
	errs := make([]error, len(got))
	for i := range got {
		wg.Go(func() {
			got[i], errs[i] = r.engine.Again(context.Background(), turn.AgainRequest{SessionID: session, DocumentID: r.Doc.ID})
		})
	}
	for range 4 {
		src := r.HeadBytes()
		at := strings.Index(src, "<h1>") + len("<h1>")
		r.Commit(core.SourceManual, src[:at]+"x"+src[at:], []core.Edit{{Span: core.Span{Start: at, End: at}, Replacement: "x"}})
	}
	wg.Wait()
	var first []string
	for i := range got {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if first == nil {
			first = ids(got[i].Drafts)
		}
		if !slices.Equal(ids(got[i].Drafts), first) {
			t.Errorf("%d got %v, the first %v", i, ids(got[i].Drafts), first)
		}
	}
	for _, a := range got[0].Drafts {
		src, err := r.Documents.Bytes(context.Background(), a.Anchors[0].RevisionID)
		if err != nil {
			t.Fatal(err)
		}
		if tag := string(src[a.Anchors[0].StartTag.Start:a.Anchors[0].StartTag.End]); tag != `<p id="a" class="lead">` && tag != "<h1>" {
			t.Errorf("the anchor is not one of its revision: %+v", a.Anchors[0])
		}
	}
	if list, err := r.notes.Drafts(context.Background(), session, r.Doc.ID); err != nil || len(list) != 2 {
		t.Errorf("%d drafts of two notes, %v", len(list), err)
	}
}
