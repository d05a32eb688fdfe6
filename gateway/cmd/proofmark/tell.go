package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/mattn/go-isatty"

	"proofmark/gateway/llm/builtin"
	"proofmark/gateway/turn"
)

// teller shows the events of a running turn: to a person as sentences and as the
// text a model is saying, with --json as lines of their own on standard error.
type teller struct {
	a     *app
	turn  string // its id
	model string // whose text is shown; the built-in planner's is the result itself

	text  strings.Builder // of the response that is being said
	shown string          // the last text that was shown as a whole
}

func (t *teller) tell(ev turn.Event) {
	switch {
	case t.a.quiet:
	case t.a.json:
		enc := json.NewEncoder(t.a.stderr)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(ev) // progress: nobody has to get it
	case ev.Kind == turn.TextDelta && t.model != builtin.Name:
		piece := printable(ev.Text)
		if t.text.Len() == 0 {
			piece = strings.TrimLeft(piece, "\n ")
		}
		t.text.WriteString(piece)
		fmt.Fprint(t.a.stderr, piece)
	case ev.Kind == turn.TextDelta:
	default:
		t.endText()
		if s := sentence(ev); s != "" {
			t.a.progress("%s", s)
		}
	}
}

// endText ends the line of a text.
func (t *teller) endText() {
	if t.text.Len() == 0 {
		return
	}
	if t.shown = t.text.String(); !strings.HasSuffix(t.shown, "\n") {
		fmt.Fprintln(t.a.stderr)
	}
	t.text.Reset()
}

// saw tells whether a person has the text on the screen already.
func (t *teller) saw(text string) bool {
	return terminalOut(t.a.stderr) && terminalOut(t.a.stdout.to) && strings.TrimSpace(printable(text)) == strings.TrimSpace(t.shown)
}

func terminalOut(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// printable leaves out what would steer a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, s)
}

// steps says in a few words what each tool does.
var steps = map[string]string{
	"document_inspect":            "reading the notes and their places",
	"document_read":               "reading the source",
	"document_locate":             "looking for a place",
	"document_apply":              "trying the change on a copy",
	"document_patch":              "trying the change on a copy",
	"document_browser_inspect":    "measuring in a hidden view",
	"document_browser_act":        "using the copy in a hidden view",
	"document_browser_screenshot": "looking at the copy in a hidden view",
	"document_browser_reload":     "loading the copy again",
	"document_finish":             "finishing",
}

// sentence says in a line what an event means to a person; "" for nothing.
func sentence(e turn.Event) string {
	switch e.Kind {
	case turn.Accepted:
		return fmt.Sprintf("%d note%s sent to %s", e.Notes, plural(e.Notes), e.Model)
	case turn.Routed:
		if e.Route != nil && e.Route.Tier != "" {
			return fmt.Sprintf("routed as %s to tier %s", strings.ReplaceAll(e.Route.Operation, "_", " "), e.Route.Tier)
		}
	case turn.Advised:
		return fmt.Sprintf("%d of %d proposer%s gave advice", e.Answered, e.Proposers, plural(e.Proposers))
	case turn.Retrying:
		return fmt.Sprintf("the model could not answer (%s); trying again in %s", e.Code, e.Wait.Round(100*time.Millisecond))
	case turn.Unrecorded:
		return fmt.Sprintf("the turn goes on, but what happens in it cannot be stored (%s)", e.Code)
	case turn.ToolCalled:
		return steps[e.Tool]
	case turn.CandidateStaged:
		s := fmt.Sprintf("staged: %d edit%s", e.Edits, plural(e.Edits))
		if e.Flags > 0 {
			s += fmt.Sprintf(", %d thing%s to approve", e.Flags, plural(e.Flags))
		}
		return s
	case turn.Verified:
		if e.Faults > 0 {
			return fmt.Sprintf("looked at: %d new fault%s", e.Faults, plural(e.Faults))
		}
		return "looked at: no new faults"
	case turn.Committed:
		return fmt.Sprintf("committed: generation %d", e.Generation)
	}
	return ""
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// spent says what a turn's models used.
func spent(u turn.Usage) string {
	about := ""
	if u.Estimated {
		about = "about "
	}
	return fmt.Sprintf("Model: %d call%s, %s%s tokens in (largest %s), %s out.",
		u.Calls, plural(u.Calls), about, thousands(u.PromptTokens), thousands(u.LargestPrompt), thousands(u.CompletionTokens))
}

// thousands writes a count with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
