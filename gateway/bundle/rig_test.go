package bundle_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"proofmark/gateway/annotate"
	"proofmark/gateway/bundle"
	"proofmark/gateway/core"
	"proofmark/gateway/internal/testbed"
	"proofmark/gateway/proof"
)

const session = "cli"

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>T</title></head>
<body>
<h1 class="title">Report</h1>
<p id="a" class="lead">First</p>
<p id="b">Sécond</p>
<ul><li>one</li><li>two</li><li>three</li></ul>
</body></html>
`

type rig struct {
	*testbed.Bed
	notes *annotate.Service
}

func newRig(t testing.TB, html string) *rig {
	b := testbed.New(t, html)
	return &rig{Bed: b, notes: annotate.New(b.Store, b.Documents, nil)}
}

// replace commits the head with one text in place of another, as a turn would.
func (r *rig) replace(old, with string) core.Revision {
	r.T.Helper()
	src := r.HeadBytes()
	at := strings.Index(src, old)
	if at < 0 {
		r.T.Fatalf("%q is not in the page", old)
	}
	return r.Commit(core.SourceManual, src[:at]+with+src[at+len(old):],
		[]core.Edit{{Span: core.Span{Start: at, End: at + len(old)}, Replacement: with}})
}

// note drafts a note on the n-th elements of that name in the head.
func (r *rig) note(say, name string, ns ...int) core.Annotation {
	r.T.Helper()
	ctx := context.Background()
	_, head, src, err := r.Documents.Head(ctx, r.Doc.ID)
	if err != nil {
		r.T.Fatal(err)
	}
	tree := r.Parse(src)
	var targets []proof.Verified
	for _, n := range ns {
		v, err := proof.Verify(testbed.Claim(tree, testbed.Element(r.T, tree, name, n), r.Doc.ID, head.ID, head.SHA256), tree, head.SHA256)
		if err != nil {
			r.T.Fatal(err)
		}
		targets = append(targets, v)
	}
	a, err := r.notes.Create(ctx, annotate.Draft{SessionID: session, DocumentID: r.Doc.ID, Verified: targets, Instruction: say})
	if err != nil {
		r.T.Fatal(err)
	}
	return a
}

// collect makes the review of a generation; 0 is the head.
func (r *rig) collect(generation int64) (*bundle.Review, bundle.LeftOut) {
	r.T.Helper()
	ctx := context.Background()
	rev, err := r.Documents.Revision(ctx, r.Doc.ID, generation)
	if err != nil {
		r.T.Fatal(err)
	}
	out, left, err := bundle.Collect(ctx, r.Documents, r.notes, bundle.Request{
		Document: r.Now(), Revision: rev, SessionID: session, Made: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
	})
	if err != nil {
		r.T.Fatal(err)
	}
	return out, left
}

func (r *rig) take(from *bundle.Review) []bundle.Taken {
	r.T.Helper()
	out, err := bundle.Taker{Store: r.Store, Documents: r.Documents, Notes: r.notes}.Take(context.Background(), from, r.Doc.ID, session)
	if err != nil {
		r.T.Fatal(err)
	}
	r.sound()
	return out
}

// sound fails where doctor --deep would find something.
func (r *rig) sound() {
	r.T.Helper()
	report, err := r.Documents.Integrity(context.Background())
	if err != nil || len(report.Problems) > 0 {
		r.T.Errorf("the database is not sound: %q, %v", report.Problems, err)
	}
}

func (r *rig) drafts() []core.Annotation {
	r.T.Helper()
	list, err := r.notes.Drafts(context.Background(), session, r.Doc.ID)
	if err != nil {
		r.T.Fatal(err)
	}
	return list
}

func read(t testing.TB, file []byte) *bundle.Review {
	t.Helper()
	r, err := bundle.Read(context.Background(), file)
	if err != nil {
		t.Fatalf("%v %+v", err, core.AsError(err).Detail)
	}
	return r
}

func html(t testing.TB, r *bundle.Review) []byte {
	t.Helper()
	b, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func data(t testing.TB, r *bundle.Review) []byte {
	t.Helper()
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tree gives a review as JSON values, to be spoiled.
func tree(t testing.TB, r *bundle.Review) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(data(t, r), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wantCode(t testing.TB, err error, want core.Code) {
	t.Helper()
	if got := core.CodeOf(err); got != want {
		t.Fatalf("got %q (%v), want %q", got, err, want)
	}
}
