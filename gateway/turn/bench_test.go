package turn_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"proofmark/gateway/annotate"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/grants"
	"proofmark/gateway/internal/testbed"
	"proofmark/gateway/proof"
	"proofmark/gateway/textpatch"
	"proofmark/gateway/turn"
)

// big is a page of about 1 MB.
func big() string {
	var b strings.Builder
	b.WriteString("<!doctype html><html><head><title>T</title></head><body><h1>Report</h1>\n")
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "<section id=\"s%d\"><h2>Part %d</h2><p class=\"lead\">Some words of part %d, and <b>more</b> of them.</p></section>\n", i, i, i)
	}
	return b.String() + "</body></html>\n"
}

// BenchmarkSend16 sends 16 notes on a 1 MB page after the head moved: by a
// known change, and by a foreign one (bar: 150 ms).
func BenchmarkSend16(b *testing.B) {
	for _, source := range []core.RevisionSource{core.SourceManual, core.SourceOutside} {
		b.Run(string(source), func(b *testing.B) {
			html := big()
			bed := testbed.New(b, html)
			notes := annotate.New(bed.Store, bed.Documents, nil)
			engine := turn.New(turn.Config{
				Store: bed.Store, Documents: bed.Documents, Annotations: notes, Grants: grants.New(nil),
				Candidates: candidate.New(candidate.Config{Store: bed.Store, Documents: bed.Documents}),
			})
			var proven []proof.Verified
			for i := range core.MaxAnnotationsPerSend {
				proven = append(proven, bed.Verified(bed.Element("h2", 1+i*300)))
			}
			var batches [][]string
			for range b.N {
				var ids []string
				for _, v := range proven {
					a, err := notes.Create(context.Background(), annotate.Draft{
						SessionID: session, DocumentID: bed.Doc.ID, Instruction: "shorten", Verified: []proof.Verified{v},
					})
					if err != nil {
						b.Fatal(err)
					}
					ids = append(ids, a.ID)
				}
				batches = append(batches, ids)
			}
			after := strings.Replace(html, "<h1>Report</h1>", "<header><h1>Quarterly report</h1></header>", 1)
			bed.Commit(source, after, textpatch.Diff([]byte(html), []byte(after)))
			b.ResetTimer()
			for _, ids := range batches {
				t, err := engine.Send(context.Background(), turn.SendRequest{
					SessionID: session, RequestID: core.NewID("req"), DocumentID: bed.Doc.ID, AnnotationIDs: ids,
				})
				if err != nil {
					b.Fatal(err)
				}
				for _, n := range t.Notes {
					if n.Targets[0].Resolution != core.Exact {
						b.Fatalf("%+v", n.Targets[0])
					}
				}
			}
		})
	}
}
