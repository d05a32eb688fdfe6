package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"proofmark/internal/modelserver"
)

// told is one line of a turn's events, as CLI users read it.
type told struct {
	Seq    int64  `json:"seq"`
	Kind   string `json:"kind"`
	Turn   string `json:"turn"`
	At     string `json:"at"`
	Text   string `json:"text"`
	Tool   string `json:"tool"`
	Status string `json:"status"`
}

// lines decodes JSON lines, and fails where a line is something else.
func lines(t *testing.T, text string) []told {
	t.Helper()
	var out []told
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		if l != "" {
			out = append(out, decode[told](t, l))
		}
	}
	return out
}

func kinds(list []told) string {
	var out []string
	for _, e := range list {
		out = append(out, e.Kind)
	}
	return strings.Join(out, " ")
}

func sameLines(t *testing.T, got, want []told) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

// usingOpenAI lets a desk's runs talk to a provider that answers with steps, and
// gives the flags that name it.
func (d *desk) usingOpenAI(s *modelserver.Server) []string {
	d.env = append(d.env, "OPENAI_API_KEY=sk-of-a-test", "OPENAI_BASE_URL="+s.OpenAIBase())
	return []string{"--model", "openai:test"}
}

// R-MODEL-3, T-52: with --json a turn's events are lines on standard error as
// they come, and the same ones are there afterwards, from any number on.
func TestEventsAsLines(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", small)
	r := d.want(0, "edit", "page.html", "--at", "h1", "--say", `change the text to "Two"`, "--json")
	out := decode[struct {
		Status string          `json:"status"`
		Turn   string          `json:"turn"`
		Usage  json.RawMessage `json:"usage"`
	}](t, r.stdout)
	live := lines(t, r.stderr)
	if out.Status != "applied" || out.Usage != nil || out.Turn == "" {
		t.Errorf("the result is %s", r.stdout)
	}
	var want []told
	for _, e := range live {
		if e.Turn != out.Turn || e.At == "" {
			t.Errorf("an event is %+v", e)
		}
		if e.Kind != "text_delta" {
			want = append(want, e)
		}
	}
	if !strings.HasPrefix(kinds(want), "accepted ") || !strings.HasSuffix(kinds(want), " ended") || !strings.Contains(kinds(want), "tool_returned candidate_staged") {
		t.Fatalf("events %s", kinds(want))
	}
	sameLines(t, lines(t, d.want(0, "events", "page.html", "--json").stdout), want)
	for i, e := range want {
		after := fmt.Sprint(e.Seq)
		sameLines(t, lines(t, d.want(0, "events", "page.html", "--json", "--after", after).stdout), want[i+1:])
		if i%7 == 0 { // followed to its end, which is now
			sameLines(t, lines(t, d.want(0, "events", "page.html", "--json", "--follow", "--turn", out.Turn, "--after", after).stdout), want[i+1:])
		}
	}
	d.write("other.html", small)
	d.want(5, "edit", "other.html", "--at", "h1", "--say", "make it pop", "--quiet")
	if got := lines(t, d.want(0, "events", "other.html", "--json").stdout); len(got) == 0 || got[0].Seq <= want[len(want)-1].Seq || got[len(got)-1].Status != "answered" {
		t.Errorf("the other page's events are %+v", got)
	}
	for _, args := range [][]string{{"--turn", "turn_unknown"}, {"--turn", "turn_unknown", "--follow"}} {
		d.want(3, append([]string{"events", "page.html"}, args...)...)
	}
	d.want(3, "events", "other.html", "--turn", out.Turn)
	d.want(2, "events", "page.html", "--after", "-1")
}

// For a person the events are sentences, and afterwards a list.
func TestEventsForPeople(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", small)
	edit := []string{"edit", "page.html", "--at", "h1", "--say", `change the text to "Two"`}
	r := d.want(0, edit...)
	for _, want := range []string{"1 note sent to builtin", "trying the change on a copy", "committed: generation 2"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("%q is not told:\n%s", want, r.stderr)
		}
	}
	if strings.Contains(r.stderr, "tokens") || strings.Contains(r.stderr, "{") {
		t.Errorf("too much is told:\n%s", r.stderr)
	}
	list := d.want(0, "events", "page.html").stdout
	for _, want := range []string{"call 1 of the model", "document_apply was done in", "committed: generation 2", "ended: applied"} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not listed:\n%s", want, list)
		}
	}
	for _, quiet := range [][]string{{"--quiet"}, {"--quiet", "--json"}} {
		if r := d.run(append(edit, quiet...)...); strings.TrimSpace(r.stderr) != "" {
			t.Errorf("%v: %s", quiet, r.stderr)
		}
	}
}

// T-52: another process follows a page from before its turns begin, is stopped,
// comes back, and has every event once.
func TestFollowingFromAnotherProcess(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", small)
	d.want(0, "annotate", "page.html", "--at", "h1", "--say", "make it bold", "--quiet")
	var got []told
	var after int64
	follow := func(enough func() bool) {
		t.Helper()
		cmd := exec.Command(binary, "events", "page.html", "--follow", "--json", "--after", fmt.Sprint(after))
		cmd.Dir = d.dir
		cmd.Env = append(os.Environ(), "PROOFMARK_DATA_DIR="+d.data)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for !enough() && lines.Scan() {
			e := decode[told](t, lines.Text())
			got, after = append(got, e), e.Seq
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("a stopped follower ends with %v", err)
		}
	}
	ended := func() bool { return len(got) > 0 && got[len(got)-1].Kind == "ended" }
	sent := make(chan result)
	go func() { sent <- d.run("send", "page.html", "--quiet") }()
	follow(func() bool { return len(got) >= 3 })
	follow(ended)
	if r := <-sent; r.code != 0 {
		t.Fatalf("exit %d: %s", r.code, r.stderr)
	}
	d.want(0, "edit", "page.html", "--at", "h1", "--say", "make it red", "--quiet")
	got[len(got)-1].Kind = "ended, the first"
	follow(ended)
	for i := range got {
		if strings.HasPrefix(got[i].Kind, "ended,") {
			got[i].Kind = "ended"
		}
	}
	sameLines(t, got, lines(t, d.want(0, "events", "page.html", "--json").stdout))
}

// R-TURN-10: what a model used is told, to people and to programs; a call that is
// tried again is, too, and what the model says is seen while it says it.
func TestWhatAModelUsed(t *testing.T) {
	needChromium(t)
	for _, asJSON := range []bool{false, true} {
		s := modelserver.StartT(t, append([]modelserver.Step{modelserver.Fail(503, "overloaded")}, modelserver.Editor(modelserver.SetTexts("Two"))...)...)
		d := newDesk(t)
		d.write("page.html", small)
		args := append([]string{"edit", "page.html", "--at", "h1", "--say", "say two"}, d.usingOpenAI(s)...)
		if !asJSON {
			r := d.want(0, args...)
			for _, want := range []string{"trying again in", "The page is changed as you asked.\n", "Model: 5 calls, ", " tokens in (largest ", " out."} {
				if !strings.Contains(r.stderr, want) {
					t.Errorf("%q is not told:\n%s", want, r.stderr)
				}
			}
			continue
		}
		r := d.want(0, append(args, "--json")...)
		out := decode[struct {
			Text  string `json:"text"`
			Usage struct {
				Calls, PromptTokens, CompletionTokens, LargestPrompt int
				Estimated                                            bool
			} `json:"usage"`
		}](t, r.stdout)
		sum, largest := 0, 0
		for _, c := range s.Calls()[1:] {
			sum, largest = sum+c.PromptTokens, max(largest, c.PromptTokens)
		}
		if u := out.Usage; u.Calls != 5 || u.PromptTokens != sum || u.LargestPrompt != largest || u.CompletionTokens == 0 || u.Estimated {
			t.Errorf("usage %+v, the provider counted %d, %d at most", u, sum, largest)
		}
		if out.Text != "The page is changed as you asked." || !strings.Contains(kinds(lines(t, r.stderr)), "thinking retrying ") {
			t.Errorf("text %q, events %s", out.Text, kinds(lines(t, r.stderr)))
		}
	}
}

// D-55: a model that claims a change it did not make is put right.
func TestClaimsArePutRight(t *testing.T) {
	needChromium(t)
	s := modelserver.StartT(t, modelserver.Say("Done! The \x1b[31mheading is now two."))
	d := newDesk(t)
	d.write("page.html", small)
	r := d.want(5, append([]string{"edit", "page.html", "--at", "h1", "--say", "say two"}, d.usingOpenAI(s)...)...)
	if !strings.Contains(r.stdout, "Done!") || !strings.Contains(r.stderr, "Nothing was changed.") || strings.Contains(r.stdout+r.stderr, "\x1b") {
		t.Errorf("told %q\n%s", r.stdout, r.stderr)
	}
	if d.read("page.html") != small || s.Count() != 1 {
		t.Errorf("%d calls", s.Count())
	}
}

// The prompts of one edit on a large page stay small: at most 8,000 tokens, as
// the provider counts them.
func TestPromptsOfALargePageAreSmall(t *testing.T) {
	needChromium(t)
	var b strings.Builder
	b.WriteString("<!doctype html><html lang=en><head><title>T</title></head><body><h1>Report</h1>\n")
	for i := 0; b.Len() < 5<<20; i++ {
		fmt.Fprintf(&b, "<section id=\"s%d\"><h2>Part %d</h2><p class=\"lead\">Some words of part %d. %s</p></section>\n", i, i, i, strings.Repeat("And more of them. ", 60))
	}
	b.WriteString("</body></html>\n")
	s := modelserver.StartT(t, modelserver.Editor(modelserver.SetTexts("Two"))...)
	d := newDesk(t)
	d.write("page.html", b.String())
	r := d.want(0, append([]string{"edit", "page.html", "--at", "h1", "--say", "say two"}, d.usingOpenAI(s)...)...)
	largest := 0
	for i, c := range s.Calls() {
		t.Logf("call %d: %d tokens", i+1, c.PromptTokens)
		largest = max(largest, c.PromptTokens)
	}
	if largest > 8_000 || len(s.Calls()) != 5 {
		t.Errorf("the largest of %d prompts has %d tokens", len(s.Calls()), largest)
	}
	t.Log(r.stderr[strings.Index(r.stderr, "Model: "):])
}
