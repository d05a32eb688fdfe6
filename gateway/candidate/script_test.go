package candidate_test

import (
	"context"
	"strings"
	"testing"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
)

// scriptedPage builds two rows by a script.
const scriptedPage = `<!doctype html>
<html><head><meta charset="utf-8"><title>T</title></head>
<body>
<h1>Report</h1>
<ul></ul>
<button onclick="go()">Go</button>
<script>
function go() { document.title = "went"; }
for (const name of ["a", "b"]) {
  document.querySelector("ul").append(Object.assign(document.createElement("li"), { textContent: name }));
}
</script>
</body></html>
`

// R-TURN-2, R-TURN-11: a script's text may be changed, and the change is
// published when a person approved it, even where the script then builds another
// page at run time.
func TestScriptEditNeedsApproval(t *testing.T) {
	r := newRig(t, scriptedPage, "h1")
	s := r.begin()
	st := stage(t, s, `["a", "b"]`, `["a", "b", "c"]`)
	if len(st.Flags) != 1 || st.Flags[0].Kind != "script" {
		t.Fatalf("flags %v", st.Flags)
	}
	l := look(t, s)
	if len(l.Faults) > 0 {
		t.Fatalf("faults %v", l.Faults)
	}
	_, err := s.Commit(context.Background(), candidate.CommitOptions{SHA: st.SHA, Receipt: l.Receipt})
	wantCode(t, err, core.NeedsApproval)
	r.untouched()
	if _, err := s.Commit(context.Background(), candidate.CommitOptions{SHA: st.SHA, Receipt: l.Receipt, Approved: []string{"script"}}); err != nil {
		t.Fatal(err)
	}
	if got := r.HeadBytes(); got != strings.Replace(scriptedPage, `["a", "b"]`, `["a", "b", "c"]`, 1) {
		t.Errorf("published\n%s", got)
	}
}

// An event handler's value is code like a script's.
func TestHandlerEditNeedsApproval(t *testing.T) {
	r := newRig(t, scriptedPage, "h1")
	r.opt.Approved = []string{"event_handler"}
	s := r.begin()
	st := stage(t, s, `"go()"`, `"go(); this.remove()"`)
	if len(st.Flags) != 1 || st.Flags[0].Kind != "event_handler" {
		t.Fatalf("flags %v", st.Flags)
	}
	l := look(t, s)
	if _, err := s.Commit(context.Background(), candidate.CommitOptions{SHA: st.SHA, Receipt: l.Receipt}); err != nil {
		t.Fatal(err)
	}
}

// R-TURN-7: code that parses and fails at run time is a new fault; code the
// parser lets pass and the browser does not, too.
func TestScriptThatFailsIsAFault(t *testing.T) {
	for _, now := range []string{`["a", missing]`, `["a"]) {} for (const x of await 1`} {
		r := newRig(t, scriptedPage, "h1")
		r.opt.Approved = []string{"script"}
		s := r.begin()
		st := stage(t, s, `["a", "b"]`, now)
		l := look(t, s)
		_, err := s.Commit(context.Background(), candidate.CommitOptions{SHA: st.SHA, Receipt: l.Receipt})
		wantCode(t, err, core.NewFault)
		r.untouched()
	}
}

// T-75: code that does not parse is no draft, and the draft before stays.
func TestBrokenScriptIsNoDraft(t *testing.T) {
	r := newRig(t, scriptedPage, "h1")
	s := r.begin()
	good := stage(t, s, "Report", "Bericht")
	for _, edit := range [][2]string{
		{`["a", "b"]`, `["a", "b"`}, {"\n</script>", "\n</script><script>"}, {`"go()"`, `"go("`}, {`"went"`, `"</script>"`},
	} {
		_, err := s.Stage(context.Background(), []core.Edit{replace(t, s, edit[0], edit[1])})
		if code := core.CodeOf(err); code != core.ScriptRegion && code != core.UnsafeStructure {
			t.Errorf("%q: %v", edit[1], err)
		}
		if s.SHA() != good.SHA {
			t.Fatalf("%q replaced the draft", edit[1])
		}
	}
}
