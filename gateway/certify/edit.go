package certify

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/router"
	"proofmark/gateway/turn"
)

// change runs an editing case: the notes go out, the turn runs to its end, and
// what it left is looked at and taken back.
func (t *trial) change(e edit) error {
	if err := t.page(bakery); err != nil {
		return err
	}
	drafts, err := t.draft(e.notes...)
	if err != nil {
		return err
	}
	sent, err := t.send(t.session, drafts)
	if err != nil {
		return err
	}
	class := router.Classify(sent)
	choice, err := t.chosen(class)
	if err != nil {
		return err
	}
	t.check("classAndFloor", class.Operation == e.operation && class.Floor == e.floor && (e.mode != router.ModeRouter || choice.Route.Tier >= string(e.floor)))
	t.out.Tier = choice.Route.Tier
	for _, m := range slices.Concat([]llm.Model{choice.Model}, choice.Proposers) {
		t.out.Models = append(t.out.Models, m.Name())
	}
	var seen events
	watched := t.models.over(choice)
	out, err := t.engine.Run(t.ctx, sent, watched.Model, t.options(watched), seen.note)
	if err != nil {
		return err
	}
	t.out.Tools = seen.counts()
	t.checkLoop(e, choice, &seen)
	if err := t.checkResult(e, out); err != nil {
		return err
	}
	if out.Err != nil {
		return out.Err
	}
	return nil
}

// options run a turn as a person's turns are run, without anything approved.
func (t *trial) options(c router.Choice) turn.RunOptions {
	return turn.RunOptions{
		BeginOptions: candidate.BeginOptions{Width: viewWidth, Height: viewHeight},
		Route:        turn.Route(c.Route), Proposers: c.Proposers, Advise: advise,
	}
}

// advise asks proposers through the router.
func advise(ctx context.Context, proposers []llm.Model, req llm.Request) []turn.Advice {
	var out []turn.Advice
	for _, a := range router.Advise(ctx, proposers, req) {
		out = append(out, turn.Advice(a))
	}
	return out
}

// checkLoop looks at how the turn came to its result.
func (t *trial) checkLoop(e edit, choice router.Choice, seen *events) {
	ten, finaliser := t.models.loopTools()
	t.check("tenTools", ten)
	t.check("finaliserWithoutTools", finaliser)
	t.check("toolOrder", inOrder(seen.answered, e.order))
	t.check("oneCommit", seen.commits == 1)
	t.check("workerOwnsCalls", len(seen.called) == t.models.calls())
	if e.mode == router.ModeEnsemble {
		full, toolless := t.models.advice(len(choice.Proposers))
		t.check("fullLineup", full)
		t.check("proposersWithoutTools", toolless)
	}
}

// checkResult looks at what the turn left behind, and takes it back.
func (t *trial) checkResult(e edit, out turn.Outcome) error {
	t.check("applied", out.Status == turn.Applied && out.Result != nil)
	doc := t.opened.Document.ID
	head, rev, after, err := t.docs.Head(t.ctx, doc)
	if err != nil {
		return err
	}
	t.out.SHAAfter = rev.SHA256
	if out.Result == nil {
		t.check("headKept", rev.ID == t.opened.Head.ID)
		return nil
	}
	sets, err := t.docs.Changes(t.ctx, doc, 0)
	if err != nil {
		return err
	}
	t.check("oneRevision", head.Generation == 2 && rev.ID == out.Result.Revision.ID && rev.ParentID == t.opened.Head.ID)
	t.check("oneChangeSet", len(sets) == 1 && sets[0].ID == out.Result.ChangeSet.ID)
	t.check("asAsked", same(e, after))
	v := out.Verification
	t.check("verified", v != nil && v.CandidateSHA == rev.SHA256 && v.TreeMatches)
	_, _, _, err = t.docs.ChangeBytes(t.ctx, out.Result.ChangeSet.ID) // stands for it that the edits are all there is
	t.check("changeProven", err == nil)
	if err != nil {
		return err
	}
	return t.revert(out.Result.ChangeSet.ID)
}

// revert takes the whole turn back and compares every byte.
func (t *trial) revert(changeSet string) error {
	back, err := t.docs.Revert(t.ctx, t.opened.Document.ID, changeSet, 0, "certify")
	t.check("reverted", false)
	if err != nil {
		return err
	}
	b, err := t.docs.Bytes(t.ctx, back.Revision.ID)
	if err != nil {
		return err
	}
	t.out.SHAReverted = core.SHA256Hex(b)
	t.check("reverted", bytes.Equal(b, t.opened.Bytes))
	return nil
}

// same tells whether the page is as it was asked for.
func same(e edit, got []byte) bool {
	if !e.spaced {
		return string(got) == e.after
	}
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	tight := strings.NewReplacer("> <", "><")
	return tight.Replace(squeeze(string(got))) == tight.Replace(squeeze(e.after))
}

// events keeps of a turn's events what the report counts.
type events struct {
	called   []string
	answered []string // those that were not refused
	commits  int
}

func (s *events) note(ev turn.Event) {
	switch ev.Kind {
	case turn.ToolCalled:
		s.called = append(s.called, ev.Tool)
	case turn.ToolReturned:
		if ev.OK {
			s.answered = append(s.answered, ev.Tool)
		}
	case turn.Committed:
		s.commits++
	}
}

// counts gives how often each tool was called, the ten first and in their
// order; whatever else a model made up is "unknown".
func (s *events) counts() []ToolCount {
	var out []ToolCount
	rest := len(s.called)
	for _, name := range tenTools {
		n := 0
		for _, c := range s.called {
			if c == name {
				n++
			}
		}
		if n > 0 {
			out = append(out, ToolCount{name, n})
		}
		rest -= n
	}
	if rest > 0 {
		out = append(out, ToolCount{"unknown", rest})
	}
	return out
}

// inOrder tells whether the tools answered in the order that is wanted, with
// anything in between.
func inOrder(answered []string, want [][]string) bool {
	for _, name := range answered {
		if len(want) > 0 && slices.Contains(want[0], name) {
			want = want[1:]
		}
	}
	return len(want) == 0
}
