package annotate_test

import (
	"context"
	"strings"
	"testing"

	"proofmark/gateway/annotate"
	"proofmark/gateway/core"
	"proofmark/gateway/internal/testbed"
	"proofmark/gateway/proof"
)

const page = `<!doctype html>
<html><head><title>T</title></head>
<body>
<h1>Report</h1>
<p id="a" class="lead">First</p>
<p id="b">Second</p>
<ul><li>one</li><li>two</li></ul>
</body></html>
`

const session = "ses_one"

func service(t *testing.T, html string) (*testbed.Bed, *annotate.Service) {
	b := testbed.New(t, html)
	return b, annotate.New(b.Store, b.Documents, nil)
}

func create(t *testing.T, b *testbed.Bed, s *annotate.Service, say string, name string, n int) core.Annotation {
	t.Helper()
	a, err := s.Create(context.Background(), annotate.Draft{
		SessionID: session, DocumentID: b.Doc.ID, Instruction: say,
		Verified: []proof.Verified{b.Verified(b.Element(name, n))},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func wantCode(t *testing.T, err error, want core.Code) {
	t.Helper()
	if got := core.CodeOf(err); got != want {
		t.Fatalf("got %q (%v), want %q", got, err, want)
	}
}

// D-19, R-SEND-1: a draft binds session, document, revision and anchor, and is
// there after the service is made anew.
func TestDraftsAreDurable(t *testing.T) {
	b, s := service(t, page)
	a := create(t, b, s, "make it shorter", "h1", 1)
	create(t, b, s, "translate", "p", 2)
	again := annotate.New(b.Store, b.Documents, nil)
	list, err := again.List(context.Background(), session, b.Doc.ID, core.AnnotationDraft)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].ID != a.ID || list[0].Order != 1 || list[1].Order != 2 {
		t.Fatalf("got %+v", list)
	}
	got := list[0].Anchors[0]
	if got.Name != "h1" || got.RevisionID != b.Head.ID || got.SourceSHA != b.Head.SHA256 || got.Quote != "Report" {
		t.Errorf("got anchor %+v", got)
	}
	if tag, _ := b.Tree.StartTag(b.Element("h1", 1)); got.StartTag != tag {
		t.Errorf("start tag %v, want %v", got.StartTag, tag)
	}
}

// T-68, D-51: 16 KiB of instruction pass, one byte more does not, whatever the
// number of characters.
func TestInstructionLimitCountsBytes(t *testing.T) {
	b, s := service(t, page)
	exact := strings.Repeat("é", core.MaxInstructionBytes/2)
	create(t, b, s, exact, "h1", 1)
	for _, bad := range []struct {
		say  string
		want core.Code
	}{
		{exact + "x", core.InstructionTooLong},
		{"a\xffb", core.NotUTF8},
		{" \n\t", core.Usage},
		{"", core.Usage},
	} {
		_, err := s.Create(context.Background(), annotate.Draft{
			SessionID: session, DocumentID: b.Doc.ID, Instruction: bad.say,
			Verified: []proof.Verified{b.Verified(b.Element("h1", 1))},
		})
		wantCode(t, err, bad.want)
	}
}

// R-PICK-1: one note may be about several elements, each of them once.
func TestSeveralTargets(t *testing.T) {
	b, s := service(t, page)
	one, two := b.Verified(b.Element("li", 1)), b.Verified(b.Element("li", 2))
	a, err := s.Create(context.Background(), annotate.Draft{
		SessionID: session, DocumentID: b.Doc.ID, Instruction: "make them bold", Verified: []proof.Verified{two, one, two},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Anchors) != 2 || a.Anchors[0].StartTag.Start <= a.Anchors[1].StartTag.Start {
		t.Errorf("got %+v, want the two items in the order they were picked", a.Anchors)
	}
	many := make([]proof.Verified, core.MaxTargetsPerNote+1)
	for i := range many {
		many[i] = one
	}
	_, err = s.Create(context.Background(), annotate.Draft{SessionID: session, DocumentID: b.Doc.ID, Instruction: "x", Verified: many})
	wantCode(t, err, core.TooMany)
	_, err = s.Create(context.Background(), annotate.Draft{SessionID: session, DocumentID: b.Doc.ID, Instruction: "x"})
	wantCode(t, err, core.Usage)
}

// R-PICK-2, T-66: what was proved on another version, another document, or not
// at all, is refused before anything is stored.
func TestOnlyTheHeadsProofMakesADraft(t *testing.T) {
	b, s := service(t, page)
	v := b.Verified(b.Element("h1", 1))
	other := testbed.New(t, page)
	foreign := other.Verified(other.Element("h1", 1))
	at := strings.Index(page, "Report")
	b.Commit(core.SourceManual, strings.Replace(page, "Report", "Other", 1),
		[]core.Edit{{Span: core.Span{Start: at, End: at + 6}, Replacement: "Other"}})
	for _, bad := range []struct {
		v    proof.Verified
		want core.Code
	}{{v, core.Changed}, {foreign, core.LeaseMismatch}, {proof.Verified{}, core.NoSource}} {
		_, err := s.Create(context.Background(), annotate.Draft{
			SessionID: session, DocumentID: b.Doc.ID, Instruction: "x", Verified: []proof.Verified{bad.v},
		})
		wantCode(t, err, bad.want)
	}
	list, err := s.List(context.Background(), session, b.Doc.ID, "")
	if err != nil || len(list) != 0 {
		t.Errorf("stored all the same: %v, %v", list, err)
	}
}
