package httpapi_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// Four turns run at a time. A request that was made before is told of its turn all
// the same, and the place of one that has ended is free.
func TestFourTurnsAtATime(t *testing.T) {
	r := newRig(t, setup{})
	m := newTalker()
	r.use(m)
	var turns []string
	for i := range 4 {
		turns = append(turns, r.started(message("r"+strconv.Itoa(i))))
		<-m.asked
	}
	r.do("POST", r.at("/turns"), message("r4")).refused(422, core.TooMany)
	if a := r.do("POST", r.at("/turns"), message("r0")).ok(); a["id"] != turns[0] || a["running"] != true {
		t.Errorf("asked again: %v", a)
	}
	if a := r.do("POST", "/v1/turns/"+turns[1]+"/cancel", nil); a.status != 200 {
		t.Errorf("cancelled: %d %s", a.status, a.body)
	}
	end := r.ended(turns[1])["result"].(object)
	if end["status"] != "discarded" || end["error"].(object)["code"] != "cancelled" {
		t.Errorf("cancelled: %v", end)
	}
	more := r.started(message("r4"))
	<-m.asked
	close(m.pieces)
	for _, id := range []string{turns[0], turns[2], turns[3], more} {
		r.ended(id)
	}
}

// The gateway's end ends its turns, and says in the history that they have ended;
// nothing of them goes on.
func TestEndOfTurns(t *testing.T) {
	r := newRig(t, setup{})
	m := newTalker()
	r.use(m)
	turn := r.started(message("r1"))
	<-m.asked
	r.stop()
	var got core.Turn
	if err := r.Store.Read(context.Background(), func(tx *store.Tx) (err error) {
		got, err = tx.Turn(turn)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got.State != core.TurnDiscarded {
		t.Errorf("the turn is %s", got.State)
	}
	if _, err := r.bench.Preview("prv_none"); core.CodeOf(err) != core.NotFound {
		t.Errorf("a preview: %v", err)
	}
	goleak.VerifyNone(t, r.before)
}

// A browser that was started, a preview and a turn that waits for a person leave
// nothing behind.
func TestEndOfEverything(t *testing.T) {
	r := withBrowser(t, setup{})
	id := r.open()
	r.pick(id, "h1")
	q := ask("r1", r.note("h1", 1, saying)["id"])
	q["review"] = true
	turn := r.started(q)
	r.waits(turn)
	r.stop()
	if r.Now().Generation != 1 {
		t.Error("committed without a person's word")
	}
	var got core.Turn
	if err := r.Store.Read(context.Background(), func(tx *store.Tx) (err error) {
		got, err = tx.Turn(turn)
		return err
	}); err != nil || got.State != core.TurnDiscarded {
		t.Errorf("the turn is %s (%v)", got.State, err)
	}
	goleak.VerifyNone(t, r.before)
}

// R-MODEL-4, D-94: a turn of another process, or of one that was killed, can be
// cancelled, too: it ends at once, publishes nothing, and its stream ends.
func TestCancelTurnOfAnotherProcess(t *testing.T) {
	r := newRig(t, setup{})
	dead := core.Turn{
		ID: core.NewID("turn"), SessionID: session, RequestID: "r1", Fingerprint: "f", DocumentID: r.Doc.ID, RevisionID: r.Head.ID,
		Message: "hello", State: core.TurnAccepted, Model: "builtin", At: time.Now(),
	}
	err := r.Store.Write(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.InsertTurn(dead), tx.SetTurnState(dead.ID, core.TurnAccepted, core.TurnRunning))
	})
	if err != nil {
		t.Fatal(err)
	}
	at := "/v1/turns/" + dead.ID
	if a := r.do("GET", at, nil).ok(); a["state"] != "running" || a["running"] != false || a["result"] != nil {
		t.Errorf("before: %v", a)
	}
	if a := r.do("POST", at+"/cancel", nil).ok(); a["state"] != "failed" || a["result"].(object)["error"].(object)["code"] != "cancelled" {
		t.Errorf("cancelled: %v", a)
	}
	body := string(r.do("GET", at+"/events", nil).body)
	if !strings.Contains(body, "event: ended") || !strings.Contains(body, `"code":"cancelled"`) || !strings.HasSuffix(body, "event: end\ndata: {}\n\n") {
		t.Errorf("the stream: %q", body)
	}
	if a := r.do("POST", at+"/cancel", nil).ok(); a["state"] != "failed" { // once
		t.Errorf("cancelled twice: %v", a)
	}
	err = r.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.SetTurnState(dead.ID, core.TurnRunning, core.TurnApplied) })
	if err == nil {
		t.Error("it can be applied still")
	}
}
