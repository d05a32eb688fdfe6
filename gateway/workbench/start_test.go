package workbench

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"proofmark/gateway/annotate"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/llm/builtin"
	"proofmark/gateway/router"
	"proofmark/gateway/store"
	"proofmark/gateway/turn"
)

// R-SEND-2, R-TURN-6: a gateway that ends right after it has accepted a turn ends
// that turn, too: nothing waits for one that nobody will run.
func TestEndsWhatItCannotBegin(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	var w *Workbench
	sending := false
	st, err := store.Open(dir, store.Options{Now: func() time.Time {
		if sending { // between the place that was kept for it and its beginning
			w.mu.Lock()
			w.closed = w.running > 0
			w.mu.Unlock()
		}
		return time.Now()
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	docs := document.New(st, document.Options{})
	page := filepath.Join(dir, "page.html")
	if err := os.WriteFile(page, []byte("<!doctype html><p>x"), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := docs.Open(ctx, page)
	if err != nil {
		t.Fatal(err)
	}
	w = New(Config{
		Store: st, Documents: docs, Notes: annotate.New(st, docs, nil),
		Lineup: func(context.Context, string) (router.Lineup, error) { return router.Direct(builtin.New()), nil },
		Check:  func(context.Context, core.Feature) error { return nil },
	})
	defer w.Close(ctx)
	sending = true
	ask := Ask{SendRequest: turn.SendRequest{SessionID: "s", RequestID: "r", DocumentID: o.Document.ID, Message: "what is this?"}}
	if _, err = w.Start(ctx, ask); core.CodeOf(err) != core.ShuttingDown {
		t.Fatalf("begun: %v", err)
	}
	got, found, err := w.engine.ByRequest(ctx, "s", "r")
	if err != nil || !found || got.State != core.TurnFailed {
		t.Errorf("the turn is %+v, %v, %v", got.State, found, err)
	}
	if w.running != 0 {
		t.Errorf("%d turns are counted as running", w.running)
	}
}
