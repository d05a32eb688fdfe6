package e2e

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestHelpNamesEveryCommand: what help lists exists, has help of its own, and
// the README's commands are among them (R-UI-5).
func TestHelpNamesEveryCommand(t *testing.T) {
	d := newDesk(t)
	help := d.want(0, "help").stdout
	_, list, _ := strings.Cut(help, "Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	names := regexp.MustCompile(`(?m)^  (\w+)`).FindAllStringSubmatch(list, -1)
	if len(names) < 12 {
		t.Fatalf("only %d commands in:\n%s", len(names), help)
	}
	for _, n := range names {
		h := d.want(0, "help", n[1]).stdout
		if h2 := d.want(0, n[1], "--help").stdout; h2 != h || !strings.HasPrefix(h, "Usage: proofmark "+n[1]) {
			t.Errorf("%s: help differs or is odd:\n%s\n%s", n[1], h, h2)
		}
	}
	for _, want := range []string{"edit", "map", "annotate", "history", "diff", "revert", "restore", "export", "doctor"} {
		if !strings.Contains(list, "\n  "+want+" ") && !strings.HasPrefix(list, "  "+want+" ") {
			t.Errorf("help does not list %s", want)
		}
	}
	d.want(2)
	if r := d.want(2, "hitsory"); !strings.Contains(r.stderr, "history") {
		t.Errorf("no suggestion: %s", r.stderr)
	}
}

func TestCompletionScriptsParse(t *testing.T) {
	d := newDesk(t)
	for _, sh := range []string{"bash", "zsh", "fish"} {
		out := d.want(0, "completion", sh).stdout
		if !strings.Contains(out, "restore") || !strings.Contains(out, "allow-origin") {
			t.Errorf("%s: %s", sh, out)
		}
		if path, err := exec.LookPath(sh); err == nil {
			cmd := exec.Command(path, "-n")
			cmd.Stdin = strings.NewReader(out)
			if msg, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s does not parse it: %v %s", sh, err, msg)
			}
		}
	}
}

// TestCompletionInBash: commands, values and file names with blanks.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: there is no bash to try the completion in")
	}
	d := newDesk(t)
	d.write("my page.html", small)
	d.write("script.sh", d.want(0, "completion", "bash").stdout)
	for _, c := range []struct{ words, want string }{
		{"proofmark re", "<redo><restore><restore-backup><revert>"},
		{"proofmark help expo", "<export>"},
		{"proofmark completion z", "<zsh>"},
		{"proofmark edit page.html --write n", "<never>"},
		{"proofmark edit page.html --kee", "<--keep><--keep-open>"},
		{"proofmark edit my", "<my page.html>"},
	} {
		cmd := exec.Command(bash, "--norc", "-c", `. ./script.sh; COMP_WORDS=(`+c.words+`); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _proofmark; printf '<%s>' "${COMPREPLY[@]}"`)
		cmd.Dir = d.dir
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.words, out, c.want, err)
		}
	}
}

func TestDoctor(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	type report struct {
		OK     bool
		Checks []struct{ Name, Status, Detail, Hint string }
	}
	r := decode[report](t, d.want(0, "doctor", "--json").stdout)
	if !r.OK || len(r.Checks) < 5 {
		t.Errorf("%+v", r)
	}
	d.env = []string{"PROOFMARK_CHROMIUM=" + d.path("none")}
	bad := decode[report](t, d.want(6, "doctor", "--json").stdout)
	for _, c := range bad.Checks {
		if c.Name == "browser" && (c.Status != "missing" || c.Hint == "") {
			t.Errorf("%+v", c)
		}
	}
}

// TestDemo is what `make run` shows.
func TestDemo(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	out := d.want(0, "demo").stdout
	for _, want := range []string{"inspect mode", "1 place in the source", "script", "hidden view", "+++", "byte for byte what it was"} {
		if !strings.Contains(out, want) {
			t.Errorf("the demonstration does not show %q:\n%s", want, out)
		}
	}
}

func TestVersion(t *testing.T) {
	d := newDesk(t)
	if v := decode[map[string]any](t, d.want(0, "version", "--json").stdout); v["version"] == "" || v["bridgeProtocol"] != float64(4) {
		t.Errorf("%v", v)
	}
}
