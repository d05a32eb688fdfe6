package bundle_test

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"proofmark/gateway/bundle"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
)

// fixed is a small review that is the same in every process.
func fixed(t testing.TB) []byte {
	const before, after = "<p>é<b>x", "<p>é<b>y</b>z"
	when := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	tree, err := htmlsrc.Parse([]byte(after), htmlsrc.Options{Scripting: true})
	if err != nil {
		t.Fatal(err)
	}
	a, err := proof.FromNode(tree, tree.At(5), "", "", "")
	if err != nil {
		t.Fatal(err)
	}
	b := bundle.Bundle{
		Format: bundle.Format, Version: bundle.FormatVersion, Made: when, Document: bundle.Document{Name: "p.html"},
		Source: bundle.Source{Generation: 1, SHA256: core.SHA256Hex([]byte(before)), Bytes: len(before), Text: before},
		Versions: []bundle.Version{
			{Generation: 1, SHA256: core.SHA256Hex([]byte(before)), Bytes: len(before), Source: core.SourceImport, Actor: "file", At: when},
			{Generation: 2, SHA256: core.SHA256Hex([]byte(after)), Bytes: len(after), Source: core.SourceTurn, Actor: "agent:x", At: when, Name: "done"},
		},
		Changes: []bundle.Change{{
			ID: "chg_a", Generation: 2, SHABefore: core.SHA256Hex([]byte(before)), SHAAfter: core.SHA256Hex([]byte(after)),
			Edits:    []core.Edit{{Note: 2, Notes: 6, Span: core.Span{Start: len(before) - 1, End: len(before)}, Replacement: "y</b>z"}},
			Notes:    []core.NoteOutcome{{Order: 2, Outcome: "applied", Instruction: "i", Targets: []core.TargetOutcome{{Resolution: core.Exact, Name: "b"}}}},
			Evidence: &core.Verification{NewErrors: []string{}, MissingResources: []string{"x"}, Widths: []core.WidthLook{{Width: 390, PixelsInside: 0.5}}},
			Flags:    []core.PolicyFlag{{Kind: "script", Detail: "d"}},
		}},
		Drafts: []bundle.Draft{{Instruction: "s\u202e\"", At: when, Targets: []bundle.Target{{
			Name: a.Name, Quote: a.Quote,
			Proof: &bundle.Proof{Generation: 2, Path: a.Path, NS: a.NS, StartTag: a.StartTag, TagHash: a.TagHash, ChainHash: a.ChainHash, SharedBy: a.SharedBy},
		}}}},
	}
	out, err := b.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// FuzzRead: nothing makes the reader panic or take much more room than its input;
// what it takes comes out again as it was (HARD_CASES 36). The input is two
// changes of a sound review, so that it stays short whatever is found.
func FuzzRead(f *testing.F) {
	base := fixed(f)
	r := read(f, base)
	if !r.Standings[0][0].Proven {
		f.Fatalf("the review to begin with: %+v", r.Standings)
	}
	f.Add(byte(0), uint16(0), uint16(0), "", uint16(0), uint16(0), "")
	f.Add(byte(1), uint16(0), uint16(0), "", uint16(0), uint16(0), "")
	f.Add(byte(2), uint16(0), uint16(0), `{"format":"\ud83d\ude00"`, uint16(0), uint16(0), "[[[")
	f.Add(byte(0), uint16(strings.Index(string(base), "replacement")), uint16(1), `"r`, uint16(90), uint16(3), "1e9")
	f.Add(byte(0), uint16(strings.Index(string(base), "chainHash")+13), uint16(2), "00", uint16(0), uint16(0), "")
	f.Fuzz(func(t *testing.T, how byte, at1, cut1 uint16, text1 string, at2, cut2 uint16, text2 string) {
		file := splice(splice(base, at1, cut1, text1), at2, cut2, text2)
		switch how % 3 {
		case 1:
			file = []byte("<!doctype html>" + `<script type="application/json" id="proofmark-review">` + string(file) + `</script>` + text2)
		case 2:
			file = []byte(text1 + text2)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := bundle.Read(context.Background(), file)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > uint64(16*len(file)+1<<20) {
			t.Errorf("%d bytes of input took %d", len(file), got)
		}
		if err != nil {
			if e := core.AsError(err); e.Code == core.Internal || e.Detail["where"] == nil || strings.ContainsFunc(e.Message, func(r rune) bool { return r < ' ' }) {
				t.Errorf("refused as %+v", e)
			}
			return
		}
		if again := read(t, data(t, r)); !bytes.Equal(data(t, again), data(t, r)) {
			t.Error("it reads back as something else")
		}
	})
}

// splice puts a text in place of a part of another.
func splice(b []byte, at, cut uint16, text string) []byte {
	from := min(int(at), len(b))
	to := min(from+int(cut), len(b))
	return []byte(string(b[:from]) + text + string(b[to:]))
}
