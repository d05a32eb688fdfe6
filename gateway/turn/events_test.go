package turn_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/script"
	"proofmark/gateway/store"
	"proofmark/gateway/turn"
)

// chatty is a model that streams its texts in pieces, calls document_read a few
// times, and then answers.
func chatty(rounds int) *speaker { return &speaker{rounds: rounds} }

type speaker struct {
	rounds, calls int
	between       func() // called behind each piece
}

func (*speaker) Name() string { return "speaker" }
func (*speaker) Vision() bool { return false }

func (m *speaker) Complete(ctx context.Context, _ llm.Request, emit func(llm.Event)) (llm.Response, error) {
	m.calls++
	var text strings.Builder
	for i := range 4 {
		piece := fmt.Sprintf("piece %d of call %d. ", i+1, m.calls)
		text.WriteString(piece)
		emit(llm.Event{TextDelta: piece})
		if m.between != nil {
			m.between()
		}
	}
	resp := llm.Response{Text: text.String(), Usage: llm.Usage{PromptTokens: 10 * m.calls, CompletionTokens: 3}}
	if m.calls <= m.rounds {
		resp.ToolCalls = []llm.ToolCall{{Name: "document_read", Arguments: fmt.Sprintf(`{"find":"%c"}`, "FSReport"[m.calls])}}
	}
	return resp, ctx.Err()
}

// stored leaves out what is told but not stored.
func stored(events []turn.Event) []turn.Event {
	var out []turn.Event
	for _, e := range events {
		if e.Kind != turn.TextDelta {
			out = append(out, e)
		}
	}
	return out
}

func (r *rig) recorded(s turn.Scope, after int64) []turn.Event {
	r.t.Helper()
	got, err := r.engine.Events(context.Background(), s, after, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

func same(t testing.TB, got, want []turn.Event) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d events, want %d:\n%+v\nwant\n%+v", len(got), len(want), got, want)
	}
	for i := range got {
		if !got[i].At.Equal(want[i].At) {
			t.Errorf("event %d is of %s, want %s", i, got[i].At, want[i].At)
		}
		a, b := got[i], want[i]
		a.At, b.At = time.Time{}, time.Time{}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("event %d:\n%+v\nwant\n%+v", i, a, b)
		}
	}
}

// AG-3, D10, R-MODEL-3: what is told is what is stored, word for word, but for
// the pieces of texts; each text is stored as a whole.
func TestEventsAreStoredAsTheyAreTold(t *testing.T) {
	r := newRig(t, page, nil)
	r.opt.Route = turn.Route{Mode: "router", Format: "html", Operation: "selection_edit", Floor: "c2", Tier: "c3"}
	sent := r.send(r.draft("h1", "what is this?"))
	wantStatus(t, r.runTurn(context.Background(), sent, chatty(2)), turn.Answered, "")
	got := r.recorded(turn.Scope{Turn: sent.ID}, 0)
	same(t, got, stored(r.events))
	same(t, r.recorded(turn.Scope{Session: session}, got[3].Seq), got[4:])
	same(t, r.recorded(turn.Scope{Document: r.Doc.ID}, 0), got)
	if got[1].Kind != turn.Routed || *got[1].Route != r.opt.Route {
		t.Errorf("the route is %+v", got[1])
	}
	// A text is its pieces joined, in the store and on the way.
	var pieces strings.Builder
	said := 0
	for _, e := range r.events {
		switch e.Kind {
		case turn.TextDelta:
			pieces.WriteString(e.Text)
		case turn.Said:
			if said++; e.Text != pieces.String() {
				t.Errorf("said %q in pieces %q", e.Text, pieces.String())
			}
			pieces.Reset()
		}
	}
	if said != 3 || !strings.Contains(r.kinds(), "thinking text_delta text_delta text_delta text_delta said usage tool_called") {
		t.Errorf("%d texts, events %s", said, r.kinds())
	}
	if last := got[len(got)-1]; last.Kind != turn.Ended || last.Status != turn.Answered {
		t.Errorf("the last is %+v", last)
	}
}

// D-95, R-MODEL-4: but for what a model says, an event holds nothing that a
// person or the page wrote.
func TestEventsAreContentFree(t *testing.T) {
	r := withBrowser(t, strings.Replace(page, "Report", "PAGESECRET", 1))
	r.message, r.opt.Context = "MESSAGESECRET", "# Context\nVIEWSECRET\n"
	out := r.run(script.New(inspect(), setText("TEXTSECRET"), look(), finish()), r.draft("h1", "NOTESECRET"))
	wantStatus(t, out, turn.Applied, "")
	for _, e := range r.recorded(turn.Scope{Session: session}, 0) {
		if s := fmt.Sprintf("%+v", e); strings.Contains(s, "SECRET") {
			t.Errorf("an event tells too much: %s", s)
		}
	}
}

// follow collects what a follower is given until it has had enough.
type follow struct {
	events []turn.Event
	err    error
}

var errEnough = errors.New("enough")

// cuts follows a scope again and again, each time for a few events, and each
// time from the last stored number it was given, until it is told the turn's end.
func cuts(e *turn.Engine, s turn.Scope, turnID func() string, lengths func() int) follow {
	var all follow
	var after int64
	for {
		left := lengths()
		err := e.Follow(context.Background(), s, after, func(ev turn.Event) error {
			if ev.Kind != turn.TextDelta {
				all.events = append(all.events, ev)
				after = ev.Seq
			} else if ev.Seq != after {
				return fmt.Errorf("a piece behind %d came behind %d", ev.Seq, after)
			}
			if left--; left <= 0 || ev.Kind == turn.Ended && ev.TurnID == turnID() {
				return errEnough
			}
			return nil
		})
		if !errors.Is(err, errEnough) {
			all.err = fmt.Errorf("ended with %w", err)
			return all
		}
		if last := all.events[len(all.events)-1]; last.Kind == turn.Ended && last.TurnID == turnID() {
			return all
		}
	}
}

// T-52, R-MODEL-3: several followers, in this process and in another one beside
// it, come and go at any moment while turns run. Each gets every stored event
// once, in order, and no piece of a text out of its place.
func TestResumeLosesAndRepeatsNothing(t *testing.T) {
	r := newRig(t, page, nil)
	other, err := store.Open(r.Store.Dir(), store.Options{}) // as another process has it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	var final atomic.Value
	final.Store("")
	beside := make(chan follow)
	go func() {
		n := 0
		beside <- cuts(turn.New(turn.Config{Store: other}), turn.Scope{Session: session}, func() string { return final.Load().(string) },
			func() int { n++; return 1 + n%5 })
	}()
	rapid.Check(t, func(rt *rapid.T) {
		sent := r.send(r.draft("h1", "what is this?"))
		lengths := rapid.SliceOfN(rapid.IntRange(1, 9), 3, 3).Draw(rt, "lengths")
		m := chatty(rapid.IntRange(0, 3).Draw(rt, "rounds"))
		ends := make(chan follow)
		for _, length := range lengths {
			n := 0
			go func() {
				ends <- cuts(r.engine, turn.Scope{Turn: sent.ID}, func() string { return sent.ID }, func() int { n++; return 1 + (length*n)%7 })
			}()
		}
		out, err := r.engine.Run(context.Background(), sent, m, r.opt, nil)
		if err != nil || out.Status != turn.Answered {
			rt.Fatalf("%v, %v", out, err)
		}
		want := r.recorded(turn.Scope{Turn: sent.ID}, 0)
		for range lengths {
			got := <-ends
			if got.err != nil {
				rt.Fatal(got.err)
			}
			same(t, got.events, want)
		}
	})
	last := r.send(r.draft("h1", "what is this?"))
	final.Store(last.ID)
	r.runTurn(context.Background(), last, chatty(1))
	got := <-beside
	if got.err != nil {
		t.Fatal(got.err)
	}
	same(t, got.events, r.recorded(turn.Scope{Session: session}, 0))
}

// Who follows within the process hears a text while it is being said, and who
// comes back in the middle of it hears the rest, and then the whole.
func TestPiecesComeWhileTheyAreSaid(t *testing.T) {
	r := newRig(t, page, nil)
	sent := r.send(r.draft("h1", "what is this?"))
	heard := make(chan turn.Event)
	go func() {
		_ = r.engine.Follow(context.Background(), turn.Scope{Turn: sent.ID}, 0, func(e turn.Event) error {
			heard <- e
			return nil
		})
		close(heard)
	}()
	m := chatty(0)
	m.between = func() { // each piece is said only when the one before was heard
		for e := range heard {
			if e.Kind == turn.TextDelta {
				return
			}
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.runTurn(context.Background(), sent, m)
	}()
	<-done
	var rest []string
	for e := range heard {
		rest = append(rest, string(e.Kind))
	}
	if got := strings.Join(rest, " "); got != "said usage ended" {
		t.Errorf("behind the pieces came %s", got)
	}
}

// A follower that takes its time holds up nobody.
func TestASlowFollowerHoldsUpNothing(t *testing.T) {
	r := newRig(t, page, nil)
	sent := r.send(r.draft("h1", "what is this?"))
	release, in := make(chan struct{}), make(chan struct{}, 1)
	var got []turn.Event
	followed := make(chan error)
	go func() {
		followed <- r.engine.Follow(context.Background(), turn.Scope{Turn: sent.ID}, 0, func(e turn.Event) error {
			select {
			case in <- struct{}{}:
			default:
			}
			<-release
			if e.Kind != turn.TextDelta {
				got = append(got, e)
			}
			return nil
		})
	}()
	flood := script.New(func(llm.Request) (llm.Response, error) { return llm.Response{Text: "done"}, nil })
	out := r.runTurn(context.Background(), sent, flooded{flood})
	wantStatus(t, out, turn.Answered, "")
	<-in
	close(release)
	if err := <-followed; err != nil {
		t.Fatal(err)
	}
	same(t, got, r.recorded(turn.Scope{Turn: sent.ID}, 0))
}

// flooded says ten thousand pieces before it answers.
type flooded struct{ *script.Model }

func (m flooded) Complete(ctx context.Context, q llm.Request, emit func(llm.Event)) (llm.Response, error) {
	for range 10_000 {
		emit(llm.Event{TextDelta: "again and again "})
	}
	return m.Model.Complete(ctx, q, emit)
}

// The pieces that are passed on are bounded as the text is.
func TestPiecesAreBounded(t *testing.T) {
	r := newRig(t, page, nil)
	r.run(flooded{script.New(script.Say("done"))}, r.draft("h1", "x"))
	n, cut := 0, 0
	for _, e := range r.events {
		if e.Kind == turn.TextDelta {
			n += len(e.Text)
			cut += strings.Count(e.Text, "…")
		}
	}
	if n > 70<<10 || n < 60<<10 || cut != 1 {
		t.Errorf("%d bytes in pieces, cut %d times", n, cut)
	}
}

// Following what is over ends at once, from any number on; a session's and a
// document's turns are followed until their reader has enough.
func TestFollowingWhatIsOver(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, nil)
	sent := r.send(r.draft("h1", "x"))
	r.runTurn(ctx, sent, script.New(script.Say("no")))
	want := r.recorded(turn.Scope{Turn: sent.ID}, 0)
	for at := range len(want) + 1 {
		after := int64(0)
		if at > 0 {
			after = want[at-1].Seq
		}
		var got []turn.Event
		if err := r.engine.Follow(ctx, turn.Scope{Turn: sent.ID}, after, func(e turn.Event) error {
			got = append(got, e)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		same(t, got, want[at:])
	}
	wantCode(t, r.engine.Follow(ctx, turn.Scope{Turn: "turn_unknown"}, 0, nil), core.NotFound)
	limited, cancel := context.WithCancel(ctx)
	n := 0
	err := r.engine.Follow(limited, turn.Scope{Session: session}, 0, func(turn.Event) error {
		if n++; n == len(want) {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n != len(want) {
		t.Errorf("%d events, %v", n, err)
	}
}

// A turn whose process died is followed to its end: Reconcile tells it, and
// without that the silence does.
func TestFollowingADeadTurn(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, nil)
	dead, applied := r.send(r.draft("h1", "a")), r.send(r.draft("p", "b"))
	err := r.Store.Write(ctx, func(tx *store.Tx) error {
		return errors.Join(tx.SetTurnState(dead.ID, core.TurnAccepted, core.TurnRunning),
			tx.SetTurnState(applied.ID, core.TurnAccepted, core.TurnRunning), tx.SetTurnState(applied.ID, core.TurnRunning, core.TurnApplied))
	})
	if err != nil {
		t.Fatal(err)
	}
	r.engine.Now = func() time.Time { return time.Now().Add(2*core.TurnTimeout + 2*core.FinaliserTimeout + time.Minute) }
	none := func(e turn.Event) error { return fmt.Errorf("told %+v", e) }
	for _, sent := range []core.Turn{dead, applied} {
		if err := r.engine.Follow(ctx, turn.Scope{Turn: sent.ID}, 0, none); err != nil {
			t.Error(err)
		}
	}
	if _, err := r.engine.Reconcile(ctx); err != nil {
		t.Fatal(err)
	}
	got := r.recorded(turn.Scope{Document: r.Doc.ID}, 0)
	if len(got) != 1 || got[0].TurnID != dead.ID || got[0].Kind != turn.Ended || got[0].Status != turn.Refused || got[0].Code != core.TurnEnded {
		t.Errorf("told %+v", got)
	}
}
