package candidate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/internal/testbed"
	"proofmark/gateway/internal/testbrowser"
	"proofmark/gateway/proof"
	"proofmark/gateway/store"
)

func TestMain(m *testing.M) { testbrowser.Main(m) }

const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>T</title>
<style>body{margin:0;font:16px/20px sans-serif}h1{height:40px;margin:0;font-size:20px}</style></head>
<body>
<h1>Report</h1>
<p id="a" class="lead">First</p>
<p id="b">Second</p>
</body></html>
`

// rig is a session's surroundings.
type rig struct {
	*testbed.Bed
	t    *testing.T
	svc  *candidate.Service
	opt  candidate.BeginOptions
	turn core.Turn
}

// newRig opens html with one note on each of the elements.
func newRig(t *testing.T, html string, targets ...string) *rig {
	t.Helper()
	br := testbrowser.Shared(t)
	b := testbed.New(t, html)
	r := &rig{
		Bed: b, t: t, svc: candidate.New(candidate.Config{Store: b.Store, Documents: b.Documents, Surfaces: br.Surfaces}),
		opt: candidate.BeginOptions{AssetDir: b.Dir, Width: 600, Height: 400},
	}
	r.newTurn(targets...)
	return r
}

// newTurn stores a running turn with one note on the first element of each name.
func (r *rig) newTurn(targets ...string) {
	r.t.Helper()
	tree := r.Parse([]byte(r.HeadBytes()))
	ids := make([]htmlsrc.ID, len(targets))
	for i, name := range targets {
		ids[i] = testbed.Element(r.t, tree, name, 1)
	}
	r.aim(ids...)
}

// aim stores a running turn with one note on each of the head's elements.
func (r *rig) aim(targets ...htmlsrc.ID) {
	r.t.Helper()
	head := r.Now()
	tree := r.Parse([]byte(r.HeadBytes()))
	turn := core.Turn{
		ID: core.NewID("turn"), SessionID: "ses_one", RequestID: core.NewID("req"), Fingerprint: "f", DocumentID: head.ID,
		RevisionID: head.HeadID, State: core.TurnAccepted, Model: "test",
	}
	for i, id := range targets {
		a, err := proof.FromNode(tree, id, head.ID, head.HeadID, core.SHA256Hex(tree.Source()))
		if err != nil {
			r.t.Fatal(err)
		}
		turn.Notes = append(turn.Notes, core.SentNote{
			Order: i + 1, Instruction: "change it", Targets: []core.SentTarget{{Anchor: a, Resolution: core.Exact}},
		})
	}
	err := r.Store.Write(context.Background(), func(tx *store.Tx) error {
		turn.At = tx.Now()
		return errors.Join(tx.InsertTurn(turn), tx.SetTurnState(turn.ID, core.TurnAccepted, core.TurnRunning))
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.turn = turn
}

func (r *rig) begin() *candidate.Session {
	r.t.Helper()
	s, err := r.svc.Begin(context.Background(), r.turn, r.opt)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(s.Close)
	return s
}

// replace is the edit that puts other text in place of the one occurrence of
// some, in the session's current bytes.
func replace(t *testing.T, s *candidate.Session, some, other string) core.Edit {
	t.Helper()
	src := string(s.Current().Source())
	if n := strings.Count(src, some); n != 1 {
		t.Fatalf("%q occurs %d times", some, n)
	}
	at := strings.Index(src, some)
	return core.Edit{Note: 1, Span: core.Span{Start: at, End: at + len(some)}, Replacement: other}
}

func stage(t *testing.T, s *candidate.Session, some, other string) candidate.Staged {
	t.Helper()
	st, err := s.Stage(context.Background(), []core.Edit{replace(t, s, some, other)})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func look(t *testing.T, s *candidate.Session) candidate.Look {
	t.Helper()
	l, err := s.Look(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func wantCode(t *testing.T, err error, want core.Code) *core.Error {
	t.Helper()
	if got := core.CodeOf(err); got != want {
		t.Fatalf("got %q (%v), want %q", got, err, want)
	}
	return core.AsError(err)
}

// drafts tells whether the turn's draft is stored.
func (r *rig) draftStored() bool {
	r.t.Helper()
	var ok bool
	err := r.Store.Read(context.Background(), func(tx *store.Tx) error {
		var err error
		_, ok, err = tx.Candidate(r.turn.ID)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return ok
}

func (r *rig) state() core.TurnState {
	r.t.Helper()
	var now core.Turn
	err := r.Store.Read(context.Background(), func(tx *store.Tx) error {
		var err error
		now, err = tx.Turn(r.turn.ID)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return now.State
}

// untouched fails where the document moved.
func (r *rig) untouched() {
	r.t.Helper()
	if d := r.Now(); d.HeadID != r.Head.ID || d.Generation != 1 {
		r.t.Errorf("the head moved to generation %d", d.Generation)
	}
}
