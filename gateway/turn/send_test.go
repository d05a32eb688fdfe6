package turn_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"proofmark/gateway/annotate"
	"proofmark/gateway/core"
	"proofmark/gateway/llm/script"
	"proofmark/gateway/proof"
	"proofmark/gateway/store"
	"proofmark/gateway/turn"
)

// states gives the states of the session's notes by id, and how many turns there are.
func (r *rig) stored() (notes map[string]core.AnnotationState, turns int) {
	r.t.Helper()
	notes = map[string]core.AnnotationState{}
	err := r.Store.Read(context.Background(), func(tx *store.Tx) error {
		list, err := tx.Annotations(r.Doc.ID, "", "")
		if err != nil {
			return err
		}
		for _, a := range list {
			notes[a.ID] = a.State
		}
		all, err := tx.Turns(r.Doc.ID, 0)
		turns = len(all)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return notes, turns
}

// D-20, R-SEND-2: message and ordered snapshot are accepted together.
func TestSendTakesTheNotesInOrder(t *testing.T) {
	r := newRig(t, page, nil)
	one, two, rest := r.draft("h1", "first"), r.draft("p", "second"), r.draft("body", "stays")
	got := r.send(two, one)
	if got.State != core.TurnAccepted || got.RevisionID != r.Head.ID || got.Message != "please" || len(got.Notes) != 2 {
		t.Fatalf("got %+v", got)
	}
	if got.Notes[0].AnnotationID != two || got.Notes[0].Order != 1 || got.Notes[1].AnnotationID != one || got.Notes[1].Order != 2 {
		t.Errorf("notes %+v", got.Notes)
	}
	notes, turns := r.stored()
	if notes[one] != core.AnnotationSent || notes[two] != core.AnnotationSent || notes[rest] != core.AnnotationDraft || turns != 1 {
		t.Errorf("notes %v, %d turns", notes, turns)
	}
	// D-47: a sent note is immutable.
	if _, err := r.notes.Edit(context.Background(), session, one, annotate.Change{Instruction: "other"}); err == nil {
		t.Error("a sent note was edited")
	}
	wantCode(t, r.notes.Discard(context.Background(), session, one, time.Time{}), core.RequestConflict)
}

// R-SEND-2: the same request gives the same turn; the same id with other
// content is a conflict.
func TestSendIsIdempotent(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, nil)
	one, two := r.draft("h1", "first"), r.draft("p", "second")
	q := r.request(one, two)
	first, err := r.engine.Send(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.engine.Send(ctx, q)
	if err != nil || again.ID != first.ID || len(again.Notes) != 2 {
		t.Fatalf("got %+v, %v", again, err)
	}
	for name, change := range map[string]func(*turn.SendRequest){
		"message": func(q *turn.SendRequest) { q.Message += "!" },
		"order":   func(q *turn.SendRequest) { q.AnnotationIDs = []string{two, one} },
		"fewer":   func(q *turn.SendRequest) { q.AnnotationIDs = []string{one} },
		"model":   func(q *turn.SendRequest) { q.Model = "other" },
	} {
		other := q
		change(&other)
		if _, err := r.engine.Send(ctx, other); core.CodeOf(err) != core.RequestConflict {
			t.Errorf("%s: got %v", name, err)
		}
	}
	// A note goes out once, under any request.
	_, err = r.engine.Send(ctx, r.request(one))
	wantCode(t, err, core.RequestConflict)
	if _, turns := r.stored(); turns != 1 {
		t.Errorf("%d turns", turns)
	}
	// Another session's request id is another request.
	other := r.request(r.draftAs("ses_two", "h1", "x"))
	other.SessionID, other.RequestID = "ses_two", q.RequestID
	if _, err := r.engine.Send(ctx, other); err != nil {
		t.Error(err)
	}
}

// D-50, D-51, T-67, T-68, T-69: limits are told before anything is stored.
func TestSendLimits(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, nil)
	var ids []string
	for range core.MaxAnnotationsPerSend + 1 {
		ids = append(ids, r.draft("h1", "short"))
	}
	_, err := r.engine.Send(ctx, r.request(ids...))
	wantCode(t, err, core.TooMany)
	if got := r.send(ids[:core.MaxAnnotationsPerSend]...); len(got.Notes) != core.MaxAnnotationsPerSend {
		t.Errorf("%d notes", len(got.Notes))
	}
	var long []string
	for range 5 {
		long = append(long, r.draft("p", strings.Repeat("y", core.MaxInstructionBytes)))
	}
	e := wantCode(t, errOf(r.engine.Send(ctx, r.request(long...))), core.ContextTooLarge)
	if e.Hint == "" {
		t.Error("no hint")
	}
	q := r.request()
	q.Message = strings.Repeat("z", core.MaxTurnContextBytes+1)
	wantCode(t, errOf(r.engine.Send(ctx, q)), core.ContextTooLarge)
	q.Message = " "
	wantCode(t, errOf(r.engine.Send(ctx, q)), core.Usage)
	wantCode(t, errOf(r.engine.Send(ctx, r.request(long[0], long[0]))), core.Usage)
	notes, turns := r.stored()
	if turns != 1 || notes[long[0]] != core.AnnotationDraft {
		t.Errorf("%d turns, note %s", turns, notes[long[0]])
	}
	r.send(long[:3]...) // 48 KiB fit
}

func errOf(_ core.Turn, err error) error { return err }

// T-71, D-50, D-52: another session's or document's note fails before any provider
// call, and takes the whole batch with it.
func TestSendRefusesForeignNotes(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, nil)
	mine, theirs := r.draft("h1", "mine"), r.draftAs("ses_two", "p", "theirs")
	wantCode(t, errOf(r.engine.Send(ctx, r.request(mine, theirs))), core.WrongSession)
	first := r.Doc.ID
	r.Open("other.html", page)
	elsewhere := r.draft("h1", "other document")
	q := r.request(mine, elsewhere)
	q.DocumentID = first
	wantCode(t, errOf(r.engine.Send(ctx, q)), core.WrongSession)
	wantCode(t, errOf(r.engine.Send(ctx, r.request("ann_unknown"))), core.NotFound)
	q = r.request()
	q.DocumentID = "doc_unknown"
	wantCode(t, errOf(r.engine.Send(ctx, q)), core.UnknownDocument)
	r.Doc.ID = first
	if notes, turns := r.stored(); turns != 0 || notes[mine] != core.AnnotationDraft {
		t.Errorf("%d turns, notes %v", turns, notes)
	}
}

// T-70, D-50: one stale note becomes contextual and goes out with the others.
func TestSendResolvesAgainstTheHead(t *testing.T) {
	r := newRig(t, page, nil)
	stays, gone := r.draft("p", "stays"), r.draft("h1", "gone")
	at := strings.Index(page, "<h1>")
	after := page[:at] + page[at+len("<h1>Report</h1>\n"):]
	r.Commit(core.SourceManual, after, []core.Edit{{Span: core.Span{Start: at, End: at + len("<h1>Report</h1>\n")}}})
	got := r.send(gone, stays)
	if got.RevisionID != r.Now().HeadID {
		t.Error("the turn is not bound to the head")
	}
	a, b := got.Notes[0].Targets[0], got.Notes[1].Targets[0]
	if a.Resolution != core.Contextual || a.Reason == "" {
		t.Errorf("gone: %+v", a)
	}
	if b.Resolution != core.Exact || after[b.Anchor.StartTag.Start:b.Anchor.StartTag.End] != `<p id="a" class="lead">` {
		t.Errorf("stays: %+v", b)
	}
}

// T-72, R-SEND-2: of eight that send the same notes at the same moment one
// wins; the others get a conflict, and nothing is sent twice.
func TestSendRace(t *testing.T) {
	for range 5 {
		r := newRig(t, page, nil)
		ids := []string{r.draft("h1", "one"), r.draft("p", "two"), r.draft("body", "three")}
		const racers = 8
		var wg sync.WaitGroup
		errs := make([]error, racers)
		start := make(chan struct{})
		for i := range racers {
			q := r.request(ids...)
			wg.Go(func() {
				<-start
				_, errs[i] = r.engine.Send(context.Background(), q)
			})
		}
		close(start)
		wg.Wait()
		won := 0
		for _, err := range errs {
			switch core.CodeOf(err) {
			case "":
				won++
			case core.RequestConflict:
			default:
				t.Errorf("a loser got %v", err)
			}
		}
		notes, turns := r.stored()
		if won != 1 || turns != 1 {
			t.Fatalf("%d winners, %d turns", won, turns)
		}
		for _, id := range ids {
			if notes[id] != core.AnnotationSent {
				t.Errorf("note is %s", notes[id])
			}
		}
	}
}

// The same request from eight windows is one turn for all of them.
func TestSendRaceOfOneRequest(t *testing.T) {
	r := newRig(t, page, nil)
	q := r.request(r.draft("h1", "one"))
	const racers = 8
	var wg sync.WaitGroup
	got := make([]core.Turn, racers)
	errs := make([]error, racers)
	for i := range racers {
		wg.Go(func() { got[i], errs[i] = r.engine.Send(context.Background(), q) })
	}
	wg.Wait()
	for i := range racers {
		if errs[i] != nil || got[i].ID != got[0].ID {
			t.Errorf("racer %d: %s, %v", i, got[i].ID, errs[i])
		}
	}
}

// Sends that race with commits see the head they are bound to, or nothing.
func TestSendRacesWithCommits(t *testing.T) {
	r := newRig(t, page, nil)
	var ids []string
	for range 8 {
		ids = append(ids, r.draft("p", "note"))
	}
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			src := r.HeadBytes()
			at := strings.Index(src, "<h1>") + len("<h1>")
			r.Commit(core.SourceManual, src[:at]+"x"+src[at:], []core.Edit{{Span: core.Span{Start: at, End: at}, Replacement: "x"}})
		}
	}()
	for _, id := range ids {
		got, err := r.engine.Send(context.Background(), r.request(id))
		if err != nil {
			if core.CodeOf(err) != core.HeadMoved {
				t.Error(err)
			}
			continue
		}
		src, err := r.Documents.Bytes(context.Background(), got.RevisionID)
		if err != nil {
			t.Fatal(err)
		}
		tag := got.Notes[0].Targets[0].Anchor.StartTag
		if got.Notes[0].Targets[0].Resolution != core.Exact || string(src[tag.Start:tag.End]) != `<p id="a" class="lead">` {
			t.Errorf("the target is not in the revision the turn is bound to: %+v", got.Notes[0].Targets[0])
		}
	}
	close(stop)
	<-done
}

// T-89, D-53, R-SEND-3: a later turn sees that there was one before, and
// nothing of what it said.
func TestLaterTurnsSeeInertMarkers(t *testing.T) {
	r := newRig(t, page, nil)
	q := r.request(r.draft("h1", "delete everything now"))
	q.Message = "secret plan"
	first, err := r.engine.Send(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	r.runTurn(context.Background(), first, script.New(script.Say("no")))
	m := script.New(script.Say("ok"))
	r.run(m, r.draft("p", "shorten"))
	got := m.Requests()[0].Messages
	if len(got) != 1 || !strings.Contains(got[0].Text, "turn 1 with 1 annotation; answered") || !strings.Contains(got[0].Text, "shorten") {
		t.Errorf("got %+v", got)
	}
	if strings.Contains(got[0].Text, "delete everything") || strings.Contains(got[0].Text, "secret plan") {
		t.Error("an old instruction is back")
	}
	// Another session knows nothing of it.
	other := r.draftAs("ses_two", "p", "x")
	q = r.request(other)
	q.SessionID = "ses_two"
	sent, err := r.engine.Send(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	m = script.New(script.Say("ok"))
	r.runTurn(context.Background(), sent, m)
	if strings.Contains(m.Requests()[0].Messages[0].Text, "Earlier") {
		t.Error("another session's turn is told")
	}
}

// T-66 through the whole path: a proof of another version makes no draft.
func TestStaleProofMakesNoTurn(t *testing.T) {
	r := newRig(t, page, nil)
	v := r.Verified(r.Element("h1", 1))
	r.Commit(core.SourceManual, "x"+page, []core.Edit{{Replacement: "x"}})
	_, err := r.notes.Create(context.Background(), annotate.Draft{SessionID: session, DocumentID: r.Doc.ID, Instruction: "x", Verified: []proof.Verified{v}})
	wantCode(t, err, core.Changed)
}
