package annotate_test

import (
	"context"
	"strings"
	"testing"

	"proofmark/gateway/annotate"
	"proofmark/gateway/core"
	"proofmark/gateway/internal/testbed"
	"proofmark/gateway/textpatch"
)

// move publishes the page with one text replaced, as a known change set.
func move(b *testbed.Bed, source core.RevisionSource, from, to string) {
	b.T.Helper()
	src := b.HeadBytes()
	at := strings.Index(src, from)
	if at < 0 {
		b.T.Fatalf("%q is not in the page", from)
	}
	b.Commit(source, src[:at]+to+src[at+len(from):],
		[]core.Edit{{Span: core.Span{Start: at, End: at + len(from)}, Replacement: to}})
}

func resolve(t *testing.T, b *testbed.Bed, s *annotate.Service, anns ...core.Annotation) []core.SentNote {
	t.Helper()
	ctx := context.Background()
	head, err := b.Documents.Revision(ctx, b.Doc.ID, b.Now().Generation)
	if err != nil {
		t.Fatal(err)
	}
	notes, err := s.Resolve(ctx, anns, head, b.Parse([]byte(b.HeadBytes())))
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) != len(anns) {
		t.Fatalf("%d notes for %d annotations", len(notes), len(anns))
	}
	for i, n := range notes {
		if n.Order != i+1 || n.AnnotationID != anns[i].ID || n.Instruction != anns[i].Instruction {
			t.Errorf("note %d is %+v", i+1, n)
		}
	}
	return notes
}

// tag gives the source of an exact target's start tag.
func tag(t *testing.T, b *testbed.Bed, target core.SentTarget) string {
	t.Helper()
	if target.Resolution != core.Exact {
		t.Fatalf("%s (%s), want exact", target.Resolution, target.Reason)
	}
	if target.Anchor.RevisionID != b.Now().HeadID || target.Anchor.SourceSHA != core.SHA256Hex([]byte(b.HeadBytes())) {
		t.Errorf("the anchor is not bound to the head: %+v", target.Anchor)
	}
	return b.HeadBytes()[target.Anchor.StartTag.Start:target.Anchor.StartTag.End]
}

// D-7, R-PICK-4: unchanged source keeps the anchor.
func TestUnchangedSourceKeepsTheAnchor(t *testing.T) {
	b, s := service(t, page)
	a := create(t, b, s, "x", "p", 2)
	n := resolve(t, b, s, a)
	if got := tag(t, b, n[0].Targets[0]); got != `<p id="b">` {
		t.Errorf("got %s", got)
	}
	if n[0].Targets[0].Anchor.StartTag != a.Anchors[0].StartTag {
		t.Error("the anchor moved")
	}
}

// D-8, T-70: after known edits the anchors are re-projected; the one whose
// element is gone becomes contextual with a reason, and blocks none of the others.
func TestKnownEditsReproject(t *testing.T) {
	b, s := service(t, page)
	first := create(t, b, s, "x", "h1", 1)
	gone := create(t, b, s, "y", "ul", 1)
	second := create(t, b, s, "z", "p", 2)
	move(b, core.SourceManual, "<h1>Report</h1>\n", "<nav>new</nav>\n<h1>Report</h1>\n")
	move(b, core.SourceManual, "<ul><li>one</li><li>two</li></ul>\n", "")
	move(b, core.SourceManual, `<p id="b">`, `<p  id="b">`)
	n := resolve(t, b, s, first, gone, second)
	if got := tag(t, b, n[0].Targets[0]); got != "<h1>" {
		t.Errorf("got %s", got)
	}
	if got := n[1].Targets[0]; got.Resolution != core.Contextual || got.Reason == "" || got.Anchor.Name != "ul" {
		t.Errorf("got %+v, want contextual with a reason", got)
	}
	if got := n[2].Targets[0]; got.Resolution == core.Exact && tag(t, b, got) != `<p  id="b">` {
		t.Errorf("got another element: %s", tag(t, b, got))
	}
}

// R-PICK-4: a change made outside is followed through its diff.
func TestOutsideChangeRemaps(t *testing.T) {
	b, s := service(t, page)
	li := create(t, b, s, "x", "li", 2)
	lead := create(t, b, s, "x", "p", 1)
	after := strings.Replace(page, "<h1>Report</h1>", "<header><h1>Quarterly report</h1></header>", 1)
	b.Commit(core.SourceOutside, after, textpatch.Diff([]byte(page), []byte(after)))
	n := resolve(t, b, s, li, lead)
	if got := tag(t, b, n[1].Targets[0]); got != `<p id="a" class="lead">` {
		t.Errorf("got %s", got)
	}
	at := n[0].Targets[0]
	if tag(t, b, at); !strings.HasPrefix(b.HeadBytes()[at.Anchor.StartTag.End:], "two") {
		t.Error("the anchor went to another item")
	}
}

// D-9, T-61: never the first of several.
func TestTwinsAreNeverGuessed(t *testing.T) {
	html := "<!doctype html><html><head></head><body><div><p>same</p></div></body></html>"
	b, s := service(t, html)
	a := create(t, b, s, "x", "p", 1)
	after := "<!doctype html><html><head></head><body><main><section><p>same</p></section><section><p>same</p></section></main></body></html>"
	// The whole page was written anew: no edit leads from one to the other.
	b.Commit(core.SourceOutside, after, []core.Edit{{Span: core.Span{Start: 0, End: len(html)}, Replacement: after}})
	if got := resolve(t, b, s, a)[0].Targets[0]; got.Resolution != core.Contextual || got.Reason == "" {
		t.Errorf("got %+v, want contextual with a reason", got)
	}
}

// A revert gives the old bytes back in a new revision; the anchor stands again.
func TestSameBytesInALaterRevision(t *testing.T) {
	b, s := service(t, page)
	a := create(t, b, s, "x", "h1", 1)
	move(b, core.SourceManual, "Report", "Other")
	move(b, core.SourceManual, "Other", "Report")
	if got := tag(t, b, resolve(t, b, s, a)[0].Targets[0]); got != "<h1>" {
		t.Errorf("got %s", got)
	}
}
