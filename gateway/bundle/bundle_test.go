package bundle_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"proofmark/gateway/bundle"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/textpatch"
)

// R-DOC-9: what goes out comes in again: the versions byte for byte, the changes,
// the names, the notes with proofs that hold, from the page and from its JSON.
func TestRoundTrip(t *testing.T) {
	r := newRig(t, page)
	r.replace("First", "The first <b>&amp; best</b>")
	r.replace("Sécond", "Zwei\u2028ter")
	if _, err := r.Documents.Name(context.Background(), document.NameRequest{DocumentID: r.Doc.ID, Generation: 2, Name: "before the launch", Actor: "cli"}); err != nil {
		t.Fatal(err)
	}
	r.note("make it </script> shorter\n<!-- & more", "h1", 1)
	r.note("bold", "li", 1, 3)
	out, left := r.collect(0)
	if left != (bundle.LeftOut{}) || len(out.Changes) != 2 || len(out.Versions) != 3 || out.Versions[1].Name != "before the launch" {
		t.Fatalf("%+v, left out %+v", out.Bundle, left)
	}
	for name, file := range map[string][]byte{"page": html(t, out), "json": data(t, out)} {
		in := read(t, file)
		if !reflect.DeepEqual(in.Bundle, out.Bundle) || !reflect.DeepEqual(in.Standings, out.Standings) {
			t.Errorf("%s: got %+v, want %+v", name, in.Bundle, out.Bundle)
		}
		if got, err := in.Page(); err != nil || name == "page" && got != bundle.PageSame || name == "json" && got != bundle.PageNone {
			t.Errorf("%s: the page is %q, %v", name, got, err)
		}
	}
	for i, d := range out.Standings {
		for j, st := range d {
			if !st.Proven || st.Resolution != core.Exact || !strings.HasPrefix(st.Tag, "<") {
				t.Errorf("draft %d, target %d: %+v", i, j, st)
			}
		}
	}
	if got := string(out.Text(3)); got != r.HeadBytes() {
		t.Errorf("the newest version is %q", got)
	}
	if out.Text(4) != nil || out.Text(0) != nil {
		t.Error("a version it does not hold was given")
	}
}

// A page that nobody touched has a review as well.
func TestNothingYet(t *testing.T) {
	r := newRig(t, "<p>x")
	out, _ := r.collect(0)
	for _, file := range [][]byte{html(t, out), data(t, out)} {
		if in := read(t, file); !reflect.DeepEqual(in.Bundle, out.Bundle) || len(in.Changes)+len(in.Drafts) != 0 || len(in.Versions) != 1 {
			t.Errorf("%+v", in.Bundle)
		}
	}
	if taken := newRig(t, page).take(read(t, html(t, out))); len(taken) != 0 {
		t.Errorf("%+v", taken)
	}
}

// R-DOC-9: whatever a history holds can go out: many notes, all kinds of changes,
// texts at their longest.
func TestEverythingGoesOut(t *testing.T) {
	r := newRig(t, page)
	ctx := context.Background()
	src := r.HeadBytes()
	var edits []core.Edit
	var outcomes []core.NoteOutcome
	for i := range 100 {
		at := strings.Index(src, "</ul>")
		edits = append(edits, core.Edit{Note: i + 1, Span: core.Span{Start: at, End: at}, Replacement: fmt.Sprintf("<li>%d</li>", i)})
		span := core.Span{Start: 0, End: 15}
		outcomes = append(outcomes, core.NoteOutcome{
			Order: i + 1, Outcome: []string{"applied", "unchanged", "answered", "refused"}[i%4], Instruction: strings.Repeat("é", 1000), Reason: "\x00bad \xff\u202e",
			Targets: []core.TargetOutcome{{Resolution: core.Exact, Name: "ul", Start: &span, SharedBy: 2}, {Resolution: core.Contextual, Reason: "no_match"}},
		})
	}
	edits[3].Notes = core.NoteSet(1<<3 | 1<<4)
	after, err := textpatch.Apply([]byte(src), edits)
	if err != nil {
		t.Fatal(err)
	}
	lease, err := r.Documents.Lease(ctx, r.Doc.ID)
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Documents.Commit(ctx, document.CommitRequest{
		DocumentID: r.Doc.ID, ExpectedHead: r.Now().HeadID, ExpectedStateRev: r.Now().StateRev, Lease: lease, Source: core.SourceTurn, Actor: "agent:x",
		After: after, Edits: edits, Notes: outcomes, Evidence: &core.Verification{PixelsInside: 1, Widths: []core.WidthLook{{}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Documents.Release(ctx, lease); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Documents.Revert(ctx, r.Doc.ID, res.ChangeSet.ID, 7, "cli"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Documents.Redo(ctx, r.Doc.ID, "cli"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Documents.Revert(ctx, r.Doc.ID, res.ChangeSet.ID, 0, "cli"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Documents.Restore(ctx, r.Doc.ID, 2, "cli"); err != nil {
		t.Fatal(err)
	}
	out, _ := r.collect(0)
	if len(out.Versions) != 6 || len(out.Changes[0].Notes) != 100 || out.Changes[0].Edits[3].Notes != edits[3].Notes {
		t.Errorf("%d versions, %d notes", len(out.Versions), len(out.Changes[0].Notes))
	}
	file := strings.ReplaceAll(string(html(t, out)), "&#43;", "+") // as a browser reads it
	for _, want := range []string{"Took back note 7 of the change to version 2", "Put back note 7 of the change to version 2", "Took back the change to version 2", "Restored an older version", "taken back by version 5", "bad \ufffd‹U+202E›"} {
		if !strings.Contains(file, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(file, "taken back by version 3") {
		t.Error("what was put back again is shown as taken back")
	}
	read(t, html(t, out))
}

// R-DOC-9: a review of an older version ends there.
func TestOlderVersion(t *testing.T) {
	r := newRig(t, page)
	r.replace("First", "1st")
	r.replace("<h1", "<h1 id=x")
	r.note("shorter", "p", 1)
	out, _ := r.collect(2)
	if out.Newest().Generation != 2 || len(out.Changes) != 1 || out.Standings[0][0].Resolution != core.Exact {
		t.Errorf("%+v %+v", out.Bundle, out.Standings)
	}
}

// HARD_CASES 16, 31: nothing of the machine is in a review.
func TestNothingOfTheMachine(t *testing.T) {
	r := newRig(t, page)
	src := r.HeadBytes()
	at := strings.Index(src, "First")
	lease, err := r.Documents.Lease(context.Background(), r.Doc.ID)
	if err != nil {
		t.Fatal(err)
	}
	said := "file://" + r.Dir + "/lib.js is not there, nor is " + r.Dir
	if _, err := r.Documents.Commit(context.Background(), document.CommitRequest{
		DocumentID: r.Doc.ID, ExpectedHead: r.Now().HeadID, ExpectedStateRev: r.Now().StateRev, Lease: lease, Source: core.SourceManual, Actor: "cli",
		After: []byte(strings.Replace(src, "First", "1", 1)), Edits: []core.Edit{{Span: core.Span{Start: at, End: at + 5}, Replacement: "1"}},
		Evidence: &core.Verification{
			CandidateSHA: strings.Repeat("0", 64), NewErrors: []string{said}, Layout: []string{said},
			Widths: []core.WidthLook{{Width: 390, NewErrors: []string{said}}},
		},
		Flags: []core.PolicyFlag{{Kind: "script", Detail: said}},
		Notes: []core.NoteOutcome{{Order: 1, Outcome: "refused", Reason: said}},
	}); err != nil {
		t.Fatal(err)
	}
	r.note("shorter", "h1", 1)
	out, _ := r.collect(0)
	both := string(html(t, out)) + string(data(t, out))
	for _, never := range []string{r.Dir, filepath.Dir(r.Dir), r.Doc.ID, r.Now().HeadID, r.drafts()[0].ID} {
		if strings.Contains(both, never) {
			t.Errorf("%q is in it", never)
		}
	}
	if !strings.Contains(both, "lib.js is not there") {
		t.Error("what the browser said is not in it")
	}
}

// A history that is too long loses its oldest part, and that is said.
func TestLongHistory(t *testing.T) {
	r := newRig(t, page)
	big := strings.Repeat("x", 1<<20)
	r.replace("First", "A")
	for i := range 10 {
		r.replace("<p id=\"b\">", fmt.Sprintf("<p id=\"b\">%d%s", i, big[:i*64<<10]))
		r.replace(fmt.Sprintf("%d%s", i, big[:i*64<<10]), "")
	}
	if _, left := r.collect(0); left.Changes != 0 {
		t.Fatalf("%d left out", left.Changes)
	}
	for range 9 {
		r.replace("<p id=\"b\">", "<p id=\"b\">"+big)
		r.replace(big, "")
	}
	out, left := r.collect(0)
	if left.Changes == 0 || left.Changes != out.Source.Generation-1 || out.Newest().SHA256 != r.head(t).SHA256 {
		t.Errorf("%d left out, from %d", left.Changes, out.Source.Generation)
	}
	if want := fmt.Sprintf("The %d oldest changes are not in this file. It begins at version %d.", left.Changes, out.Source.Generation); !bytes.Contains(html(t, out), []byte(want)) {
		t.Errorf("the page does not say %q", want)
	}
}

func (r *rig) head(t *testing.T) core.Revision {
	t.Helper()
	rev, err := r.Documents.Revision(context.Background(), r.Doc.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

// R-DOC-9, R-SEND-1: whatever the history, a review read elsewhere has the same
// bytes at every version, and its notes become exact drafts on them.
func TestRandomHistories(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 9))
	texts := []string{"x", "<i>é</i>", "</script>", "\r\n", "日本", "&lt;", "<p>new</p>", "", "\u2028", "]]>"}
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		r := newRig(t, page)
		for range 1 + rng.IntN(8) {
			src := r.HeadBytes()
			var edits []core.Edit
			for at := strings.Index(src, "<body>") + 6; at < len(src)-20; at += 10 + rng.IntN(60) {
				end := min(at+rng.IntN(4), len(src))
				for at > 0 && src[at]&0xc0 == 0x80 {
					at--
				}
				for end < len(src) && src[end]&0xc0 == 0x80 {
					end++
				}
				if text := texts[rng.IntN(len(texts))]; end > at || text != "" {
					edits = append(edits, core.Edit{Span: core.Span{Start: at, End: max(end, at)}, Replacement: text})
				}
				at = max(at, end)
			}
			after, err := textpatch.Apply([]byte(src), edits)
			if err != nil || string(after) == src {
				continue
			}
			r.Commit(core.SourceManual, string(after), edits)
		}
		for i := range 1 + rng.IntN(3) {
			r.note(fmt.Sprintf("note %d %s", i, texts[rng.IntN(len(texts))]), "html", 1)
			r.note(fmt.Sprintf("body %d", i), "body", 1)
		}
		out, _ := r.collect(0)
		in := read(t, html(t, out))
		for g := in.Source.Generation; g <= in.Newest().Generation; g++ {
			rev, err := r.Documents.Revision(context.Background(), r.Doc.ID, g)
			if err != nil {
				t.Fatal(err)
			}
			if want, _ := r.Documents.Bytes(context.Background(), rev.ID); !bytes.Equal(in.Text(g), want) {
				t.Fatalf("version %d is %q, want %q", g, in.Text(g), want)
			}
		}
		there := newRig(t, string(in.Text(in.Newest().Generation)))
		taken, mine := there.take(in), r.drafts()
		if len(taken) != len(mine) {
			t.Fatalf("%d drafts, want %d", len(taken), len(mine))
		}
		for i, x := range taken {
			if x.Instruction != mine[i].Instruction || len(x.Targets) != len(mine[i].Anchors) {
				t.Errorf("got %+v, want %+v", x, mine[i])
			}
			for j, target := range x.Targets {
				want := mine[i].Anchors[j]
				if target.Resolution != core.Exact || target.Anchor.StartTag != want.StartTag || target.Anchor.TagHash != want.TagHash || target.Anchor.ChainHash != want.ChainHash {
					t.Errorf("got %+v, want %+v", target, want)
				}
			}
		}
		if got, err := in.Page(); err != nil || got != bundle.PageSame {
			t.Errorf("the page is %q, %v", got, err)
		}
	}
}
