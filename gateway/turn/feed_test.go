package turn_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/script"
	"proofmark/gateway/store"
	"proofmark/gateway/turn"
)

// An event that cannot be stored stops nothing: it is told all the same, that it
// is not stored is told once, and with room again the record is whole.
func TestEventsThatCannotBeStored(t *testing.T) {
	for _, recovers := range []bool{true, false} {
		r := withBrowser(t, page)
		db, err := sql.Open("sqlite", filepath.Join(r.Store.Dir(), store.FileName))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		exec := func(statement string) {
			if _, err := db.Exec(statement); err != nil {
				t.Error(err)
			}
		}
		m := script.New(inspect(), func(q llm.Request) (llm.Response, error) {
			exec("CREATE TRIGGER full BEFORE INSERT ON turn_events BEGIN SELECT RAISE(ABORT, 'no room'); END")
			return setText("Quarterly")(q)
		}, look(), finish(), func(q llm.Request) (llm.Response, error) {
			if recovers {
				exec("DROP TRIGGER full")
			}
			return script.Say("Done.")(q)
		})
		sent := r.send(r.draft("h1", "rename"))
		out := r.runTurn(context.Background(), sent, m)
		wantStatus(t, out, turn.Applied, "")
		if n := strings.Count(names(r.events), string(turn.Unrecorded)); n != 1 || !strings.HasSuffix(names(r.events), "committed thinking text_delta said usage ended") {
			t.Errorf("told %d times, events %s", n, names(r.events))
		}
		told := strings.Replace(names(stored(r.events)), string(turn.Unrecorded)+" ", "", 1)
		kept := names(r.recorded(turn.Scope{Turn: sent.ID}, 0))
		if whole := told == kept; whole != recovers || !strings.HasPrefix(told, kept) {
			t.Errorf("recovers %t: kept\n%s\nof\n%s", recovers, kept, told)
		}
	}
}

// A turn that cannot store its first events does not begin, and nobody is told
// that it did.
func TestATurnThatCannotBeginTellsNothing(t *testing.T) {
	r := newRig(t, page, nil)
	sent := r.send(r.draft("h1", "x"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := script.New(script.Say("late"))
	_, err := r.engine.Run(ctx, sent, m, r.opt, func(e turn.Event) { t.Errorf("told %+v", e) })
	wantCode(t, err, core.Cancelled)
	if r.state(sent.ID) != core.TurnAccepted || len(m.Requests()) != 0 || len(r.recorded(turn.Scope{Turn: sent.ID}, 0)) != 0 {
		t.Errorf("state %s after %d calls", r.state(sent.ID), len(m.Requests()))
	}
}
