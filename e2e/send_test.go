package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// draftList is what annotate --json says.
type draftList struct {
	Drafts  []draft `json:"drafts"`
	Context struct {
		Notes   int     `json:"notes"`
		Bytes   int     `json:"bytes"`
		Exceeds *failed `json:"exceeds"`
	} `json:"context"`
}

type draft struct {
	ID          string `json:"id"`
	Instruction string `json:"instruction"`
	State       string `json:"state"`
	TurnID      string `json:"turnId"`
	UpdatedAt   string `json:"updatedAt"`
	Targets     []struct {
		Resolution string `json:"resolution"`
	} `json:"targets"`
}

// annotate runs annotate --json on the page and decodes the list.
func (d *desk) annotate(args ...string) draftList {
	d.t.Helper()
	return decode[draftList](d.t, d.want(0, append([]string{"annotate", "page.html", "--json"}, args...)...).stdout)
}

func (l draftList) says() string {
	var out []string
	for _, n := range l.Drafts {
		out = append(out, n.Instruction)
	}
	return strings.Join(out, " | ")
}

// fails runs the binary with --json and gives the error it must end with.
func (d *desk) fails(exit int, code string, args ...string) failed {
	d.t.Helper()
	f := decode[struct{ Error failed }](d.t, d.want(exit, append(args, "--json")...).stdout).Error
	if f.Code != code {
		d.t.Fatalf("proofmark %s: %s, want %s: %+v", strings.Join(args, " "), f.Code, code, f)
	}
	return f
}

// TestDraftsAcrossProcesses: drafts are written over, put in order, dropped and
// listed, each time by another process, and go out in their order (R-SEND-1, D-19).
func TestDraftsAcrossProcesses(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", report)
	d.want(0, "annotate", "page.html", "--at", "h1", "--say", "make it red", "--at", "footer a", "--say", "make it bold", "--at", ".price", "--say", "hide it")
	l := d.annotate()
	if l.says() != "make it red | make it bold | hide it" || l.Context.Notes != 3 || l.Context.Bytes < 100 || l.Context.Exceeds != nil {
		t.Fatalf("%+v", l)
	}
	red, bold, hide := l.Drafts[0], l.Drafts[1], l.Drafts[2]
	if got := d.annotate("--move", hide.ID, "1").says(); got != "hide it | make it red | make it bold" {
		t.Errorf("moved: %s", got)
	}
	if got := d.annotate("--edit", bold.ID, "--say", "make it italic", "--seen", bold.UpdatedAt).says(); got != "hide it | make it red | make it italic" {
		t.Errorf("edited: %s", got)
	}
	f := d.fails(4, "request_conflict", "annotate", "page.html", "--edit", bold.ID, "--say", "mine", "--seen", bold.UpdatedAt)
	if f.Detail["yours"] != "mine" || !strings.Contains(f.Hint, "make it italic") {
		t.Errorf("%+v", f)
	}
	d.fails(4, "request_conflict", "annotate", "page.html", "--discard", bold.ID, "--seen", bold.UpdatedAt)
	if got := d.annotate("--discard", red.ID, "--seen", red.UpdatedAt).says(); got != "hide it | make it italic" {
		t.Errorf("discarded: %s", got)
	}
	if got := d.annotate("--state", "discarded").says(); got != "make it red" { // nothing is lost
		t.Errorf("discarded: %s", got)
	}
	d.fails(4, "request_conflict", "annotate", "page.html", "--edit", red.ID, "--say", "x")
	d.fails(4, "request_conflict", "annotate", "page.html", "--move", red.ID, "1")
	d.fails(4, "request_conflict", "send", "page.html", "--only", red.ID)
	d.fails(3, "not_found", "annotate", "page.html", "--discard", "ann_unknown")

	// Another session has drafts of its own, and none of these (T-71).
	d.fails(3, "wrong_session", "annotate", "page.html", "--session", "two", "--edit", bold.ID, "--say", "x")
	d.fails(3, "wrong_session", "send", "page.html", "--session", "two", "--only", bold.ID)
	d.want(0, "annotate", "page.html", "--session", "two", "--at", "h1", "--say", "theirs")
	if mine, theirs := d.annotate().says(), d.annotate("--session", "two").says(); mine != "hide it | make it italic" || theirs != "theirs" {
		t.Errorf("mine %q, theirs %q", mine, theirs)
	}

	dry := d.want(0, "send", "page.html", "--dry-run")
	if !strings.Contains(dry.stdout, "1. hide it") || !strings.Contains(dry.stderr, "nothing was sent") || d.read("page.html") != report {
		t.Errorf("%s%s", dry.stdout, dry.stderr)
	}
	o := decode[outcome](t, d.want(0, "send", "page.html", "--only", bold.ID, "--json").stdout)
	if o.Status != "applied" || len(o.Notes) != 1 || !strings.Contains(d.read("page.html"), "italic") {
		t.Errorf("%+v", o)
	}
	// The page moved on; what is left finds its place in it and goes out.
	if left := d.annotate(); left.says() != "hide it" || left.Drafts[0].Targets[0].Resolution != "exact" {
		t.Errorf("left: %+v", left)
	}
	d.want(0, "send", "page.html")
	if sent := d.annotate("--state", "sent"); sent.says() != "hide it | make it italic" || sent.Drafts[0].TurnID == "" {
		t.Errorf("sent: %+v", sent)
	}
	d.want(2, "send", "page.html")
}

// TestDraftRaceOfProcesses: processes that saw the same draft write and drop it
// at once. One gets its way; each of the others is told so and gets its text back
// (T-72, R-SEND-2).
func TestDraftRaceOfProcesses(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", small)
	for round := range 3 {
		d.want(0, "annotate", "page.html", "--at", "h1", "--say", fmt.Sprint("round ", round))
		l := d.annotate()
		n := l.Drafts[len(l.Drafts)-1]
		commands := [][]string{{"annotate", "page.html", "--discard", n.ID, "--seen", n.UpdatedAt, "--json"}}
		for i := range 7 {
			commands = append(commands, []string{"annotate", "page.html", "--edit", n.ID, "--say", fmt.Sprint("window ", i), "--seen", n.UpdatedAt, "--json"})
		}
		won := -1
		for i, r := range d.together(commands...) {
			switch {
			case r.code == 0 && won < 0:
				won = i
			case r.code == 0:
				t.Errorf("%d and %d both won", won, i)
			default:
				f := decode[struct{ Error failed }](t, r.stdout).Error
				if r.code != 4 || f.Code != "request_conflict" || i > 0 && f.Detail["yours"] != fmt.Sprint("window ", i-1) {
					t.Errorf("process %d: exit %d, %+v", i, r.code, f)
				}
			}
		}
		all := d.annotate("--state", "all").Drafts
		got := all[slices.IndexFunc(all, func(o draft) bool { return o.ID == n.ID })]
		if won < 0 || (won == 0) != (got.State == "discarded") || won > 0 && got.Instruction != fmt.Sprint("window ", won-1) {
			t.Errorf("%d won, the note is %s %q", won, got.State, got.Instruction)
		}
	}
}

// TestSendRaceOfProcesses: processes send, write and drop the same draft at
// once. It goes out once at most, with the text that was stored last, or not at
// all; the page holds what was sent (T-72, R-SEND-2).
func TestSendRaceOfProcesses(t *testing.T) {
	needChromium(t)
	for _, rival := range []string{"--edit", "--discard"} {
		d := newDesk(t)
		d.write("page.html", small)
		d.want(0, "annotate", "page.html", "--at", "h1", "--say", `change the text to "First"`)
		n := d.annotate().Drafts[0]
		other := []string{"annotate", "page.html", "--json", rival, n.ID, "--seen", n.UpdatedAt}
		if rival == "--edit" {
			other = append(other, "--say", `change the text to "Second"`)
		}
		send := []string{"send", "page.html", "--only", n.ID, "--json"}
		results := d.together(send, send, other, send)
		sent := 0
		for i, r := range results {
			switch {
			case r.code == 0 && i != 2:
				sent++
			case r.code == 0:
			default:
				f := decode[struct{ Error failed }](t, r.stdout).Error
				if r.code != 4 || f.Code != "request_conflict" {
					t.Errorf("%s: process %d: exit %d, %s%s", rival, i, r.code, r.stdout, r.stderr)
				}
			}
		}
		now := d.annotate("--state", "all").Drafts[0]
		edited := results[2].code == 0
		want := map[bool]string{true: "Second", false: "First"}[edited]
		switch {
		case sent > 1, sent == 0 && !edited:
			t.Errorf("%s: %d sent, the rival's exit is %d", rival, sent, results[2].code)
		case sent == 1 && (now.State != "sent" || rival == "--discard" && edited || !strings.Contains(d.read("page.html"), "<h1>"+want+"</h1>") ||
			!strings.Contains(now.Instruction, want)):
			t.Errorf("%s: sent, and the note is %s %q, the page %q", rival, now.State, now.Instruction, d.read("page.html"))
		case sent == 0 && (now.State == "sent" || d.read("page.html") != small):
			t.Errorf("%s: nothing was sent, and the note is %s, the page %q", rival, now.State, d.read("page.html"))
		}
		d.headIsFile("page.html")
	}
}

// TestSameRequest: a request id is carried out once, whoever sends it and how
// often; who comes later gets what became of it (R-SEND-2).
func TestSameRequest(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", small)
	d.want(0, "annotate", "page.html", "--at", "h1", "--say", `change the text to "Two"`)
	n := d.annotate().Drafts[0]
	send := []string{"send", "page.html", "--only", n.ID, "--request-id", "one", "--json"}
	first := outcome{}
	for i, r := range d.together(send, send, send) {
		switch r.code {
		case 0:
			o := decode[outcome](t, r.stdout)
			if first.ChangeSet == "" {
				first = o
			}
			if o.Status != "applied" || o.ChangeSet != first.ChangeSet {
				t.Errorf("process %d: %+v", i, o)
			}
		case 4:
			if f := decode[struct{ Error failed }](t, r.stdout).Error; f.Code != "request_conflict" || !strings.Contains(f.Hint, "events") {
				t.Errorf("process %d: %+v", i, f)
			}
		default:
			t.Errorf("process %d: exit %d %s%s", i, r.code, r.stdout, r.stderr)
		}
	}
	d.want(0, "annotate", "page.html", "--at", "p:last-child", "--say", "hide it") // is no part of it
	again := decode[outcome](t, d.want(0, "send", "page.html", "--request-id", "one", "--json").stdout)
	if first.ChangeSet == "" || again.ChangeSet != first.ChangeSet || again.Generation != 2 || !again.Written || len(again.Notes) != 1 || again.Notes[0].Outcome != "applied" {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
	d.fails(4, "request_conflict", "send", "page.html", "--request-id", "one", "--message", "another")
	d.fails(4, "request_conflict", "send", "page.html", "--request-id", "one", "--only", d.annotate().Drafts[0].ID)
	if got := d.annotate().says(); got != "hide it" {
		t.Errorf("left: %s", got)
	}
	// What was published and did not reach the file does, when it is asked for again.
	d.want(0, "send", "page.html", "--request-id", "two", "--write", "never")
	if o := decode[outcome](t, d.want(0, "send", "page.html", "--request-id", "two", "--json").stdout); !o.Written || !strings.Contains(d.read("page.html"), "display: none") {
		t.Errorf("%+v %q", o, d.read("page.html"))
	}
	d.headIsFile("page.html")
}

// TestSendAgain: the notes of a turn that came to nothing are sent again without
// writing them anew, only when asked for, and one can be put right before (R-SEND-3).
func TestSendAgain(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", small)
	d.want(0, "annotate", "page.html", "--at", "h1", "--say", "make it frobnicated", "--at", "p:last-child", "--say", "hide it")
	d.fails(2, "usage", "send", "page.html", "--again") // nothing was sent yet
	o := decode[outcome](t, d.want(5, "send", "page.html", "--json").stdout)
	if o.Status != "answered" || d.read("page.html") != small {
		t.Fatalf("%+v", o)
	}
	d.want(2, "send", "page.html") // never by itself
	l := d.annotate("--again")
	if l.says() != "make it frobnicated | hide it" {
		t.Fatalf("again: %+v", l)
	}
	if got := d.annotate("--again"); got.says() != l.says() { // not twice
		t.Errorf("again: %s", got.says())
	}
	d.write("page.html", strings.Replace(small, "<body>", "<body><nav>new</nav>", 1)) // by somebody else
	d.annotate("--edit", l.Drafts[0].ID, "--say", "make it bold")
	o = decode[outcome](t, d.want(0, "send", "page.html", "--json").stdout)
	if now := d.read("page.html"); o.Status != "applied" || !strings.Contains(now, `<h1 style="font-weight: bold">`) || !strings.Contains(now, "<nav>new</nav>") {
		t.Errorf("%+v %q", o, now)
	}
	d.fails(2, "usage", "send", "page.html", "--again") // all of it was applied

	// What edit was refused with is sent again, too.
	r := d.want(5, "edit", "page.html", "--json", "--at", "h1", "--say", "translate it")
	turn := decode[struct{ Turn string }](t, r.stdout).Turn
	d.want(5, "send", "page.html", "--again", turn)
	d.fails(3, "not_found", "send", "page.html", "--again", "turn_unknown")
	d.fails(3, "wrong_session", "send", "page.html", "--session", "two", "--again", turn)
	d.want(2, "send", "page.html", turn)
}

// TestSendLeavesOutWhatIsGone: a note whose element somebody took away is named
// and changes nothing; the others are carried out (R-PICK-4, D-50).
func TestSendLeavesOutWhatIsGone(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", report)
	d.want(0, "annotate", "page.html", "--at", ".price", "--say", "hide it", "--at", "footer a", "--say", "set href to /new")
	without := strings.Replace(report, "\t<p class='price'>$ 9 &amp; more</p>\r\n", "", 1)
	d.write("page.html", without)
	r := d.want(0, "send", "page.html")
	if now := d.read("page.html"); now != strings.Replace(without, "/old", "/new", 1) {
		t.Errorf("the page is %q", now)
	}
	if !strings.Contains(r.stderr, "Note 1 changed nothing: its <p> is not found for certain any more") {
		t.Errorf("it is not told: %s", r.stderr)
	}
	if l := d.annotate("--again"); l.says() != "hide it" {
		t.Errorf("again: %s", l.says())
	}
}

// TestSendLimitsAreTold: sixteen notes, 16 KiB of text and 64 KiB of context go
// out; what is over is told before anything is sent, and stays (T-67, T-68, T-69).
func TestSendLimitsAreTold(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", small)
	var notes []string
	for i := range 16 {
		notes = append(notes, "--at", "h1", "--say", fmt.Sprint("make it frobnicated ", i))
	}
	d.want(0, append([]string{"annotate", "page.html"}, notes...)...)
	d.fails(3, "too_many", append([]string{"edit", "page.html", "--at", "h1", "--say", "x"}, notes...)...)
	d.want(0, "annotate", "page.html", "--at", "h1", "--say", "one more")
	l := d.annotate()
	if len(l.Drafts) != 17 || l.Context.Exceeds == nil || l.Context.Exceeds.Code != "too_many" {
		t.Fatalf("%+v", l.Context)
	}
	if f := d.fails(3, "too_many", "send", "page.html"); !strings.Contains(f.Hint, "--only") {
		t.Errorf("%+v", f)
	}
	var ids []string
	for _, n := range l.Drafts[:16] {
		ids = append(ids, n.ID)
	}
	if o := decode[outcome](t, d.want(5, "send", "page.html", "--json", "--only", strings.Join(ids, ",")).stdout); len(o.Notes) != 16 {
		t.Errorf("%d notes", len(o.Notes))
	}
	d.annotate("--discard", l.Drafts[16].ID)

	full := strings.Repeat("語", 16<<10/3) + "x" // 16384 bytes
	d.fails(3, "instruction_too_long", "annotate", "page.html", "--at", "h1", "--say", full+"x")
	d.want(0, "annotate", "page.html", "--at", "h1", "--say", full, "--at", "h1", "--say", full, "--at", "h1", "--say", full)
	if l := d.annotate(); l.Context.Exceeds != nil || l.Context.Bytes < 3*16<<10 {
		t.Errorf("%+v", l.Context)
	}
	d.fails(3, "instruction_too_long", "annotate", "page.html", "--edit", d.annotate().Drafts[0].ID, "--say", full+"x")
	told := d.want(0, "annotate", "page.html", "--at", "p:last-child", "--say", full)
	if !strings.Contains(told.stderr, "cannot be sent") {
		t.Errorf("the limit is not told: %s", told.stderr)
	}
	d.fails(3, "context_too_large", "send", "page.html", "--dry-run")
	d.fails(3, "context_too_large", "send", "page.html")
	if l := d.annotate(); len(l.Drafts) != 4 || l.Context.Exceeds == nil {
		t.Errorf("%d drafts, %+v", len(l.Drafts), l.Context)
	}
}
