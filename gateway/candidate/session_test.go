package candidate_test

import (
	"context"
	"strings"
	"testing"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/store"
)

// R-TURN-6, 7, 8: staged, looked at, committed: one revision with exactly the
// edited bytes, and evidence of what was seen.
func TestStageLookCommit(t *testing.T) {
	r := newRig(t, page, "h1")
	s := r.begin()
	st := stage(t, s, "Report", "Quarterly report")
	if !s.Staged() || s.SHA() != st.SHA || s.Epoch() != 1 || !r.draftStored() {
		t.Fatalf("staged %t, sha %s, epoch %d", s.Staged(), s.SHA(), s.Epoch())
	}
	r.untouched()
	l := look(t, s)
	v := l.Verification
	if !v.TreeMatches || v.CandidateSHA != st.SHA || len(v.NewErrors)+len(v.MissingResources) != 0 || len(l.Faults) != 0 {
		t.Errorf("verification %+v", v)
	}
	if v.PixelsInside <= 0 || v.PixelsInside > 0.5 || v.PixelsOutside != 0 {
		t.Errorf("pixels inside %v, outside %v; only the heading changed", v.PixelsInside, v.PixelsOutside)
	}
	if !strings.HasPrefix(l.Receipt, "vfy_") || l.Before.Width != 600 || l.After.Height < 400 {
		t.Errorf("receipt %q, pictures %d × %d", l.Receipt, l.Before.Width, l.After.Height)
	}
	res, err := s.Commit(context.Background(), candidate.CommitOptions{SHA: st.SHA, Receipt: l.Receipt})
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(page, "Report", "Quarterly report", 1); r.HeadBytes() != want || res.Revision.SHA256 != st.SHA || res.Revision.Generation != 2 {
		t.Errorf("head is %q", r.HeadBytes())
	}
	cs := res.ChangeSet
	if cs.TurnID != r.turn.ID || cs.Evidence == nil || cs.Evidence.CandidateSHA != st.SHA || len(cs.Edits) != 1 || cs.Edits[0].Note != 1 {
		t.Errorf("change set %+v", cs)
	}
	if len(cs.Notes) != 1 || cs.Notes[0].Outcome != "applied" || *cs.Notes[0].Targets[0].Start != r.turn.Notes[0].Targets[0].Anchor.StartTag {
		t.Errorf("notes %+v", cs.Notes)
	}
	if r.draftStored() || r.state() != core.TurnApplied {
		t.Errorf("draft stored %t, turn %s", r.draftStored(), r.state())
	}
	// T-84: a second commit in one turn is refused, and so is a new draft.
	_, err = s.Commit(context.Background(), candidate.CommitOptions{SHA: st.SHA, Receipt: l.Receipt})
	wantCode(t, err, core.TurnEnded)
	_, err = s.Stage(context.Background(), []core.Edit{{Replacement: "x"}})
	wantCode(t, err, core.TurnEnded)
	if r.Now().Generation != 2 {
		t.Error("the head moved twice")
	}
}

// T-82, D-33, D-56: a repair replaces the draft, the generation stays, and the
// edits of both become one list against the base.
func TestRepairReplacesTheDraft(t *testing.T) {
	r := newRig(t, page, "h1", "p")
	s := r.begin()
	first := stage(t, s, "Report", "Quarterly report")
	second := stage(t, s, "Quarterly", "Yearly")
	third, err := s.Stage(context.Background(), []core.Edit{{
		Note: 2, Span: replace(t, s, "First", "").Span, Replacement: "1st",
	}})
	if err != nil {
		t.Fatal(err)
	}
	if first.SHA == second.SHA || s.Epoch() != 3 || r.Now().Generation != 1 {
		t.Fatalf("epoch %d, generation %d", s.Epoch(), r.Now().Generation)
	}
	l := look(t, s)
	res, err := s.Commit(context.Background(), candidate.CommitOptions{SHA: third.SHA, Receipt: l.Receipt})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("Report", "Yearly report", "First", "1st").Replace(page)
	if r.HeadBytes() != want || res.Revision.Generation != 2 {
		t.Errorf("generation %d, head %q", res.Revision.Generation, r.HeadBytes())
	}
	if n := res.ChangeSet.Notes; n[0].Outcome != "applied" || n[1].Outcome != "applied" {
		t.Errorf("notes %+v", n)
	}
}

// T-81, D-34: no receipt, an old one, a made-up one, or another SHA.
func TestReceiptIsForTheseBytes(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, "h1")
	s := r.begin()
	_, err := s.Commit(ctx, candidate.CommitOptions{})
	wantCode(t, err, core.Unbound)
	_, err = s.Look(ctx)
	wantCode(t, err, core.Unbound)
	old := stage(t, s, "Report", "One")
	_, err = s.Commit(ctx, candidate.CommitOptions{SHA: old.SHA})
	wantCode(t, err, core.StaleReceipt)
	before := look(t, s)
	now := stage(t, s, "One", "Two")
	if s.Verification() != nil {
		t.Error("the old verification stands for the new draft")
	}
	for _, o := range []candidate.CommitOptions{
		{SHA: now.SHA, Receipt: before.Receipt},
		{SHA: old.SHA, Receipt: before.Receipt},
		{SHA: now.SHA, Receipt: "vfy_" + strings.Repeat("a", 26)},
	} {
		_, err := s.Commit(ctx, o)
		wantCode(t, err, core.StaleReceipt)
	}
	first, second := look(t, s), look(t, s)
	_, err = s.Commit(ctx, candidate.CommitOptions{SHA: now.SHA, Receipt: first.Receipt})
	wantCode(t, err, core.StaleReceipt)
	_, err = s.Commit(ctx, candidate.CommitOptions{SHA: old.SHA, Receipt: second.Receipt})
	wantCode(t, err, core.StaleReceipt)
	r.untouched()
	if _, err := s.Commit(ctx, candidate.CommitOptions{SHA: now.SHA, Receipt: second.Receipt}); err != nil {
		t.Errorf("the newest receipt was refused: %v", err)
	}
}

// A refused writer's call leaves the earlier draft as it was.
func TestRefusedStageKeepsTheDraft(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, "h1")
	s := r.begin()
	for _, edits := range [][]core.Edit{nil, {{Span: core.Span{Start: 5, End: 5}}}, {replace(t, s, "Report", "Report")}} {
		_, err := s.Stage(ctx, edits)
		wantCode(t, err, core.NoOp)
	}
	st := stage(t, s, "Report", "One")
	end := len(s.Current().Source())
	for _, edits := range [][]core.Edit{
		{{Span: core.Span{Start: end, End: end + 9}, Replacement: "x"}},
		{{Span: core.Span{Start: 9, End: 3}, Replacement: "x"}},
		{{Span: core.Span{Start: 3, End: 9}}, {Span: core.Span{Start: 5, End: 11}}},
		{replace(t, s, "One", "Report")}, // back to the base
		{{Span: core.Span{Start: end, End: end}, Replacement: strings.Repeat("x", core.MaxSourceBytes)}},
	} {
		if _, err := s.Stage(ctx, edits); err == nil {
			t.Errorf("staged %v", edits)
		}
	}
	if s.SHA() != st.SHA || s.Epoch() != 1 || len(s.Edits()) != 1 {
		t.Errorf("the draft changed: epoch %d, edits %v", s.Epoch(), s.Edits())
	}
	r.untouched()
}

// HeadMoved, D-48: whoever comes second changes nothing.
func TestHeadMovedDuringTheTurn(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, "h1")
	s := r.begin()
	st := stage(t, s, "Report", "Mine")
	l := look(t, s)
	at := strings.Index(page, "Second")
	theirs := strings.Replace(page, "Second", "Theirs", 1)
	r.Bed.Commit(core.SourceManual, theirs, []core.Edit{{Span: core.Span{Start: at, End: at + 6}, Replacement: "Theirs"}})
	_, err := s.Commit(ctx, candidate.CommitOptions{SHA: st.SHA, Receipt: l.Receipt})
	wantCode(t, err, core.HeadMoved)
	if r.HeadBytes() != theirs || s.Result() != nil || core.CodeOf(s.CommitError()) != core.HeadMoved {
		t.Errorf("head %q", r.HeadBytes())
	}
	_, err = r.svc.Begin(ctx, r.turn, r.opt)
	wantCode(t, err, core.HeadMoved)
}

// R-TURN-6: discarding and closing leave nothing behind, and may come twice.
func TestDiscardLeavesNothing(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, "h1")
	s := r.begin()
	stage(t, s, "Report", "One")
	for range 2 {
		if err := s.Discard(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if r.draftStored() || s.Staged() || s.Open() {
		t.Error("the draft is still there")
	}
	_, err := s.Stage(ctx, []core.Edit{replace(t, s, "Report", "x")})
	wantCode(t, err, core.TurnEnded)
	_, err = s.Look(ctx)
	wantCode(t, err, core.TurnEnded)
	_, err = s.Surface(ctx)
	wantCode(t, err, core.TurnEnded)
	s.Close()
	s.Close()
	r.untouched()
}

// A person who looks at the change and says no.
func TestReviewCanRefuse(t *testing.T) {
	r := newRig(t, page, "h1")
	var seen candidate.Proposal
	r.opt.Review = func(_ context.Context, p candidate.Proposal) bool { seen = p; return false }
	s := r.begin()
	st := stage(t, s, "Report", "One")
	l := look(t, s)
	_, err := s.Commit(context.Background(), candidate.CommitOptions{SHA: st.SHA, Receipt: l.Receipt, Summary: "done"})
	wantCode(t, err, core.Denied)
	r.untouched()
	if string(seen.Before) != page || !strings.Contains(string(seen.After), "<h1>One</h1>") || seen.Summary != "done" ||
		len(seen.Edits) != 1 || len(seen.Pictures[1].Data) == 0 {
		t.Errorf("the review saw %+v", seen.Edits)
	}
}

// A turn that another process gave up on cannot commit any more.
func TestAbandonedTurnCannotCommit(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, "h1")
	s := r.begin()
	st := stage(t, s, "Report", "One")
	l := look(t, s)
	err := r.Store.Write(ctx, func(tx *store.Tx) error { return tx.SetTurnState(r.turn.ID, core.TurnRunning, core.TurnFailed) })
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Commit(ctx, candidate.CommitOptions{SHA: st.SHA, Receipt: l.Receipt})
	wantCode(t, err, core.TurnEnded)
	r.untouched()
	_, err = s.Stage(ctx, []core.Edit{replace(t, s, "One", "Two")})
	wantCode(t, err, core.TurnEnded)
	if n, err := r.svc.Reconcile(ctx); err != nil || n != 1 || r.draftStored() {
		t.Errorf("removed %d drafts, %v", n, err)
	}
}

// Anchors follow the staged edits, so that every tool works on (R-TURN-5).
func TestAnchorsFollowTheDraft(t *testing.T) {
	r := newRig(t, page, "p")
	s := r.begin()
	anchor := r.turn.Notes[0].Targets[0].Anchor
	if a, how, _ := s.Reproject(anchor); how != core.Exact || a.StartTag != anchor.StartTag {
		t.Errorf("without a draft: %s %v", how, a.StartTag)
	}
	stage(t, s, "<h1>Report</h1>", "<h1>A much longer heading</h1>")
	a, how, why := s.Reproject(anchor)
	if how != core.Exact {
		t.Fatal(why)
	}
	if got := string(s.Current().Source()[a.StartTag.Start:a.StartTag.End]); got != `<p id="a" class="lead">` {
		t.Errorf("got %s", got)
	}
	if _, ok := s.Current().Find(a.Path); !ok || s.Base().Source()[0] != '<' {
		t.Error("the path does not fit")
	}
	if id := s.Base().At(anchor.StartTag.Start); id == htmlsrc.ID(0) {
		t.Error("no element there")
	}
}
