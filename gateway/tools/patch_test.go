package tools

import (
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// D-30, D-38, D-39, D-75, T-75: patches.
func TestPatch(t *testing.T) {
	edits := func(list ...patchEdit) patchArgs {
		return patchArgs{SourceSHA: core.SHA256Hex([]byte(samplePage)), Edits: list}
	}
	for _, tc := range []struct {
		name string
		code core.Code
		args patchArgs
		old  string
		new  string
	}{
		{"insert", "", edits(patchEdit{"</h1>\n", "</h1>\n<h2>New</h2>\n", 1}), "</h1>\n", "</h1>\n<h2>New</h2>\n"},
		{"style sheet", "", edits(patchEdit{"color: black", "color: navy", 0}), "color: black", "color: navy"},
		{"stale", core.StaleSource, patchArgs{SourceSHA: strings.Repeat("0", 64), Edits: []patchEdit{{"cell", "x", 0}}}, "", ""},
		{"nowhere", core.NoMatch, edits(patchEdit{"nowhere", "x", 0}), "", ""},
		{"twice", core.SeveralMatches, edits(patchEdit{"Read", "x", 0}), "", ""},
		{"overlap", core.Overlap, edits(patchEdit{"One <b>", "1 <b>", 0}, patchEdit{"ne <b>two", "x <b>y", 0}), "", ""},
		{"no change", core.NoOp, edits(patchEdit{"cell", "cell", 0}), "", ""},
		{"partial", core.NoMatch, edits(patchEdit{"cell", "x", 0}, patchEdit{"nowhere", "x", 0}), "", ""},
		{"script", "", edits(patchEdit{"var a = 1", "var a = 2", 1}), "var a = 1", "var a = 2"},
		{"handler", "", edits(patchEdit{"go()", "stop()", 1}), "go()", "stop()"},
		{"broken script", core.ScriptRegion, edits(patchEdit{"var a = 1", "var a = ", 0}), "", ""},
		{"broken handler", core.ScriptRegion, edits(patchEdit{"go()", "stop(", 0}), "", ""},
		{"handler taken", core.ScriptRegion, edits(patchEdit{` onclick="go()"`, "", 0}), "", ""},
		{"script ended", core.ScriptRegion, edits(patchEdit{"var a = 1;", "</script><script>x();", 0}), "", ""},
		{"invalid structure", core.UnsafeStructure, edits(patchEdit{"<p>One", "<p><table>One", 0}), "", ""},
		{"foreign note", core.ToolArguments, edits(patchEdit{"cell", "x", 9}), "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, samplePage, noteOn{"x", []string{"h1"}})
			if tc.code != "" {
				r.refused(tc.code, Patch, tc.args)
				if r.draft.Staged() {
					t.Error("something was staged")
				}
				return
			}
			r.must(Patch, tc.args)
			if got, want := string(r.draft.current.Source()), strings.Replace(samplePage, tc.old, tc.new, 1); got != want {
				t.Errorf("got\n%s", got)
			}
			if note := tc.args.Edits[0].Note; r.draft.edits[0].Note != note {
				t.Errorf("note %d, want %d", r.draft.edits[0].Note, note)
			}
		})
	}
}

// R-TURN-11: a patch that adds or changes code stages, and says that a person
// has to approve it.
func TestPatchOfCodeAsksAPerson(t *testing.T) {
	for _, c := range []struct{ old, now, kind string }{
		{"</body>", "<script>fresh()</script>\n</body>", "script"},
		{"var a = 1", "var a = 2", "script"},
		{"go()", "stop()", "event_handler"},
		{"<p>One", `<p onfocus="go()">One`, "event_handler"},
	} {
		r := newRig(t, samplePage)
		out := r.must(Patch, patchArgs{SourceSHA: r.draft.SHA(), Edits: []patchEdit{{ExpectedText: c.old, Replacement: c.now}}})
		flags, _ := out["needsApproval"].([]any)
		if len(flags) != 1 || flags[0].(map[string]any)["kind"] != c.kind {
			t.Errorf("%q for %q: to approve %v, want %s", c.now, c.old, flags, c.kind)
		}
	}
}
