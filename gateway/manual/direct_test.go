package manual_test

import (
	"context"
	"strings"
	"testing"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/internal/testbed"
	"proofmark/gateway/internal/testbrowser"
	"proofmark/gateway/manual"
	"proofmark/gateway/proof"
)

func TestMain(m *testing.M) { testbrowser.Main(m) }

// studio is a page in a real browser that a person edits directly.
type studio struct {
	*testbed.Bed
	t   *testing.T
	svc *candidate.Service
	opt candidate.BeginOptions
}

const poster = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>T</title>
<style>body{margin:0;font:16px/20px sans-serif}</style></head>
<body>
<h1>Report</h1>
<p id="a">First</p>
<p id="b">Second</p>
</body></html>
`

func newStudio(t *testing.T, html string) *studio {
	t.Helper()
	br := testbrowser.Shared(t)
	b := testbed.New(t, html)
	return &studio{
		Bed: b, t: t, svc: candidate.New(candidate.Config{Store: b.Store, Documents: b.Documents, Surfaces: br.Surfaces}),
		opt: candidate.BeginOptions{AssetDir: b.Dir, Width: 600, Height: 400},
	}
}

func (s *studio) on(name string, n int) []proof.Verified {
	s.t.Helper()
	return []proof.Verified{s.Verified(s.Element(name, n))}
}

func (s *studio) direct(tasks ...manual.Task) (manual.Directed, error) {
	s.t.Helper()
	return manual.Direct(context.Background(), s.svc, manual.DirectRequest{
		DocumentID: s.Doc.ID, RevisionID: s.Head.ID, Tasks: tasks, Actor: "person",
	}, s.opt)
}

// R-DOC-8: a direct edit has all that a turn's change has: one manual revision
// of exactly its bytes, known edits, evidence of a look, and the way back, whole
// and task by task.
func TestDirectIsAChangeLikeATurns(t *testing.T) {
	s := newStudio(t, poster)
	out, err := s.direct(
		manual.Task{Say: "text=Yearly", Do: manual.SetText, Value: "Yearly", Targets: s.on("h1", 1)},
		manual.Task{Say: "down", Do: manual.MoveDown, Targets: s.on("p", 1)},
		manual.Task{Say: "duplicate", Do: manual.Duplicate, Targets: s.on("p", 2)},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("Report", "Yearly", "<p id=\"a\">First</p>\n<p id=\"b\">Second</p>",
		"<p id=\"b\">Second</p>\n<p id=\"b\">Second</p>\n<p id=\"a\">First</p>").Replace(poster)
	if s.HeadBytes() != want {
		t.Fatalf("the head is %q", s.HeadBytes())
	}
	c := out.Result.ChangeSet
	if c.Computed || c.Source != core.SourceManual || c.TurnID != "" || c.Actor != "person" || out.Result.Revision.Generation != 2 {
		t.Errorf("%+v", c)
	}
	if v := c.Evidence; v == nil || !v.TreeMatches || v.CandidateSHA != c.SHAAfter || v.PixelsInside == 0 {
		t.Errorf("evidence %+v", v)
	}
	if len(c.Notes) != 3 || c.Notes[0].Outcome != "applied" || c.Notes[1].Instruction != "down" || !strings.Contains(c.Notes[2].Reason, `"b"`) {
		t.Errorf("notes %+v", c.Notes)
	}
	if _, err := s.Documents.Revert(t.Context(), s.Doc.ID, c.ID, 1, "person"); err != nil {
		t.Fatal(err)
	}
	if got := s.HeadBytes(); got != strings.Replace(want, "Yearly", "Report", 1) {
		t.Errorf("without the first: %q", got)
	}
	if _, err := s.Documents.Revert(t.Context(), s.Doc.ID, c.ID, 0, "person"); err != nil || s.HeadBytes() != poster {
		t.Errorf("taken back: %q %v", s.HeadBytes(), err)
	}
	// The attempt was recorded and is settled (R-DOC-5).
	if done, err := s.Documents.Attempts(t.Context(), core.AttemptApplied); err != nil || len(done) != 1 {
		t.Errorf("%+v %v", done, err)
	}
}

// R-TURN-11: what the policy is about needs the person's word, in a direct edit
// too; nothing is committed before.
func TestDirectNeedsApproval(t *testing.T) {
	s := newStudio(t, strings.Replace(poster, "First", `<img alt="" src="data:,">`, 1))
	link := manual.Task{Say: "attr:src", Do: manual.SetAttribute, Name: "src", Value: "https://example.com/x.png", Targets: s.on("img", 1)}
	out, err := s.direct(link)
	if core.CodeOf(err) != core.NeedsApproval || out.Result != nil || len(out.Flags) != 1 || out.Notes[0].Outcome != "refused" || s.Now().Generation != 1 {
		t.Fatalf("%+v %v", out, err)
	}
	s.opt.Approved = []string{out.Flags[0].Kind}
	if out, err = s.direct(link); err != nil || len(out.Result.ChangeSet.Flags) != 1 {
		t.Errorf("%+v %v", out, err)
	}
}

// A copy of what holds a script runs it twice: that is for a person to approve.
func TestDuplicatedScriptNeedsApproval(t *testing.T) {
	s := newStudio(t, strings.Replace(poster, "First", `<script>window.n = (window.n || 0) + 1</script>First`, 1))
	_, err := s.direct(manual.Task{Do: manual.Duplicate, Targets: s.on("p", 1)})
	if core.CodeOf(err) != core.NeedsApproval || s.Now().Generation != 1 {
		t.Error(err)
	}
}

// D-48: a head that moved since the target was pointed at is not edited.
func TestDirectOnAMovedHead(t *testing.T) {
	s := newStudio(t, poster)
	at := strings.Index(poster, "Second")
	theirs := strings.Replace(poster, "Second", "Theirs", 1)
	s.Commit(core.SourceManual, theirs, []core.Edit{{Span: core.Span{Start: at, End: at + 6}, Replacement: "Theirs"}})
	_, err := s.direct(manual.Task{Do: manual.Remove, Targets: s.on("p", 1)})
	if core.CodeOf(err) != core.HeadMoved || s.HeadBytes() != theirs {
		t.Error(err)
	}
}

// A change that breaks the page is refused, and the person may say no.
func TestDirectIsLookedAt(t *testing.T) {
	s := newStudio(t, strings.Replace(poster, "</body>", "<script>document.querySelector('h1').textContent</script></body>", 1))
	out, err := s.direct(manual.Task{Do: manual.Remove, Targets: s.on("h1", 1)})
	if core.CodeOf(err) != core.NewFault || len(out.Verification.NewErrors) == 0 || s.Now().Generation != 1 {
		t.Errorf("%+v %v", out.Verification, err)
	}
	s.opt.Review = func(context.Context, candidate.Proposal) bool { return false }
	if _, err = s.direct(manual.Task{Do: manual.SetText, Value: "x", Targets: s.on("h1", 1)}); core.CodeOf(err) != core.Denied || s.Now().Generation != 1 {
		t.Error(err)
	}
}

// Without a browser there is nothing to look in, and so nothing is committed.
func TestDirectWithoutABrowser(t *testing.T) {
	b := testbed.New(t, poster)
	svc := candidate.New(candidate.Config{Store: b.Store, Documents: b.Documents})
	_, err := manual.Direct(context.Background(), svc, manual.DirectRequest{
		DocumentID: b.Doc.ID, RevisionID: b.Head.ID,
		Tasks: []manual.Task{{Do: manual.Remove, Targets: []proof.Verified{b.Verified(b.Element("p", 1))}}},
	}, candidate.BeginOptions{Width: 600, Height: 400})
	if core.CodeOf(err) != core.NoBrowser || b.Now().Generation != 1 {
		t.Error(err)
	}
}
