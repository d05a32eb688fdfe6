package httpapi_test

import (
	"context"
	"strconv"
	"testing"

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
