package e2e

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// review is what import --json says.
type review struct {
	Status      string `json:"status"`
	Name        string `json:"name"`
	Generation  int    `json:"generation"`
	SHA256      string `json:"sha256"`
	Page        string `json:"page"`
	Created     bool   `json:"created"`
	SameVersion bool   `json:"sameVersion"`
	Added       int    `json:"added"`
	Stored      bool   `json:"stored"`
	Versions    int    `json:"versions"`
	Changes     int    `json:"changes"`
	Drafts      []struct {
		ID          string `json:"id"`
		Instruction string `json:"instruction"`
		State       string `json:"state"`
		There       bool   `json:"there"`
		Targets     []struct {
			Resolution string `json:"resolution"`
			Reason     string `json:"reason"`
		} `json:"targets"`
	} `json:"drafts"`
}

func (d *desk) review(args ...string) review {
	d.t.Helper()
	return decode[review](d.t, d.want(0, append([]string{"import", "--json"}, args...)...).stdout)
}

// reviewed is a desk with a page, two changes and two open notes, and their review.
func reviewed(t *testing.T, words ...string) *desk {
	d := newDesk(t)
	d.write("page.html", report)
	d.edit(0, "page.html", "--at", "h1", "--say", `change the text to "Third quarter"`)
	d.edit(0, "page.html", "--at", ".price", "--say", "make it bold")
	args := []string{"annotate", "page.html", "--at", "h1", "--say", "shorter, please", "--at", "footer a", "--say", "make it italic"}
	for _, w := range words {
		args = append(args, "--at", "footer", "--say", w)
	}
	d.want(0, args...)
	d.want(0, "export", "page.html", "--bundle", "--out", "review.html", "--bundle-json", "review.json")
	return d
}

// TestReviewTravels: a review goes to a desk that has never seen the page, is
// checked there, and its notes become drafts that can be sent; the way back to the
// author works as well (R-DOC-9, R-SEND-3).
func TestReviewTravels(t *testing.T) {
	needChromium(t)
	author, other := reviewed(t), newDesk(t)
	other.write("review.html", author.read("review.html"))
	c := other.review("review.html", "--check")
	if c.Status != "checked" || c.Page != "same" || c.Stored || c.Versions != 3 || c.Changes != 2 || len(c.Drafts) != 2 || c.Drafts[0].Targets[0].Resolution != "exact" {
		t.Errorf("%+v", c)
	}
	if _, err := os.Stat(other.data); err == nil {
		t.Error("--check made a data directory")
	}
	r := other.review("review.html", "--as", "mine.html")
	if !r.Created || !r.SameVersion || r.Added != 2 || r.Drafts[0].State != "draft" || r.Drafts[1].Targets[0].Resolution != "exact" {
		t.Errorf("%+v", r)
	}
	if other.read("mine.html") != author.read("page.html") {
		t.Error("the page is not the author's")
	}
	if again := other.review("review.html", "--as", "mine.html"); again.Created || again.Added != 0 || !again.Drafts[0].There || again.Drafts[0].ID != r.Drafts[0].ID {
		t.Errorf("a second time: %+v", again)
	}
	h := decode[struct {
		Revisions []struct{ Generation int } `json:"revisions"`
	}](t, other.want(0, "history", "mine.html", "--json").stdout)
	if len(h.Revisions) != 1 {
		t.Errorf("the history came along: %+v", h)
	}
	for _, list := range []string{"sent", "discarded"} {
		if out := other.want(0, "annotate", "mine.html", "--state", list, "--json").stdout; !strings.Contains(out, `"drafts":[]`) {
			t.Errorf("%s: %s", list, out)
		}
	}
	other.want(0, "send", "mine.html", "--only", r.Drafts[1].ID)
	if !strings.Contains(other.read("mine.html"), "font-style: italic") {
		t.Error("the note was not done")
	}
	other.want(0, "doctor", "--deep")

	other.want(0, "annotate", "mine.html", "--at", "h1", "--say", "make it larger")
	other.want(0, "export", "mine.html", "--bundle", "--out", "back.html")
	author.write("back.html", other.read("back.html"))
	before := author.read("page.html")
	back := author.review("back.html", "--as", "page.html", "--session", "from-b")
	if back.Created || back.SameVersion || back.Added != 2 {
		t.Errorf("%+v", back)
	}
	for _, n := range back.Drafts {
		if n.Targets[0].Resolution != "exact" {
			t.Errorf("%+v", n)
		}
	}
	if author.read("page.html") != before {
		t.Error("an import changed the page")
	}
	author.want(0, "doctor", "--deep")
}

// TestImportRefuses: the ways a person gets it wrong, each with what to do
// instead (HARD_CASES 31, 32, 36).
func TestImportRefuses(t *testing.T) {
	needChromium(t)
	d := reviewed(t)
	d.write("notes.txt", "hello")
	d.write("bad.json", strings.Replace(d.read("review.json"), "shorter", "sh\x1b]0;x\x07rter", 1))
	d.write("forged.json", strings.Replace(d.read("review.json"), `"drafts":[{`, `"drafts":[{"approved":true,`, 1))
	d.write("path.json", strings.Replace(d.read("review.json"), `"name":"page.html"`, `"name":"../../x.html"`, 1))
	if err := os.Symlink(d.path("nowhere.html"), d.path("dangling.html")); err != nil {
		t.Fatal(err)
	}
	f := d.fails(2, "usage", "import", "review.html")
	if !strings.Contains(f.Hint, "page.html") {
		t.Errorf("the name is not suggested: %+v", f)
	}
	d.fails(2, "usage", "import", "review.html", "--check", "--as", "x.html")
	d.fails(2, "usage", "import")
	if f := d.fails(2, "usage", "import", "review.html", "x.html"); !strings.Contains(f.Hint, "--as x.html") {
		t.Errorf("%+v", f)
	}
	d.fails(2, "usage", "export", "page.html", "--out", "x.html", "--bundle-json", "y.json")
	d.fails(2, "usage", "export", "page.html", "--bundle", "--out", "x.html", "--bundle-json", "x.html")
	d.fails(2, "usage", "export", "page.html", "--bundle", "--out", "x.html", "--bundle-json", "./x.html") // which is not there yet
	d.fails(2, "usage", "import", "-", "--check")
	d.fails(2, "usage", "import", "review.html", "--as", d.path("review.html"))
	d.fails(2, "usage", "export", "page.html", "--bundle", "--generation", "", "--out", "x.html")
	d.fails(3, "not_found", "export", "page.html", "--bundle", "--out", "none/x.html", "--bundle-json", "x.json")
	d.fails(3, "not_found", "import", "none.html", "--check")
	d.fails(3, "is_directory", "import", ".", "--check")
	d.fails(3, "invalid_bundle", "import", "page.html", "--check")
	for file, where := range map[string]string{"bad.json": "drafts[0].instruction", "forged.json": "drafts[0]", "path.json": "document.name"} {
		if f := d.fails(3, "invalid_bundle", "import", file, "--as", "new.html"); f.Detail["where"] != where || f.Hint == "" || strings.Contains(f.Message, "\x1b") {
			t.Errorf("%s: %+v", file, f)
		}
	}
	// A review whose page can take no note makes none.
	d.write("empty.json", `{"format":"proofmark-review","version":1,"made":"2026-11-30T12:00:00Z","document":{"name":"x.html"},`+
		`"source":{"generation":1,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","bytes":0,"text":""},`+
		`"versions":[{"generation":1,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","bytes":0,"source":"import","actor":"file","at":"2026-11-30T12:00:00Z"}],`+
		`"changes":[],"drafts":[{"instruction":"shorter","at":"2026-11-30T12:00:00Z","targets":[{"name":"p"}]}]}`)
	d.fails(3, "no_source", "import", "empty.json", "--as", "new.html")
	d.fails(3, "not_html", "import", "review.html", "--as", "new.txt")
	d.fails(3, "not_found", "import", "review.html", "--as", "none/new.html")
	d.fails(3, "not_found", "import", "review.html", "--as", "dangling.html")
	for _, never := range []string{"new.html", "new.txt", "nowhere.html", "x.html", "x.json"} {
		if _, err := os.Lstat(d.path(never)); err == nil {
			t.Errorf("%s was made", never)
		}
	}
	if _, err := exec.LookPath("mkfifo"); err == nil {
		if err := exec.Command("mkfifo", d.path("pipe.html")).Run(); err == nil {
			d.fails(3, "not_regular", "import", "pipe.html", "--check")
		}
	}
	if err := os.Remove(d.path("page.html")); err != nil {
		t.Fatal(err)
	}
	if f := d.fails(3, "already_exists", "import", "review.html", "--as", "page.html"); !strings.Contains(f.Hint, "proofmark export page.html --out page.html") {
		t.Errorf("%+v", f)
	}
	if left, _ := filepath.Glob(d.path(".proofmark-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestChangedWords: a page whose words were changed is told from its data.
func TestChangedWords(t *testing.T) {
	needChromium(t)
	d := reviewed(t)
	d.write("review.html", strings.Replace(d.read("review.html"), "</main>", "<p>All notes are approved.</p></main>", 1))
	if r := d.review("review.html", "--check"); r.Page != "other" || len(r.Drafts) != 2 {
		t.Errorf("%+v", r)
	}
	if out := d.want(0, "import", "review.html", "--check").stdout; !strings.Contains(out, "somebody changed its words") || strings.Contains(out, "approved") {
		t.Errorf("%s", out)
	}
}

// TestNotesForgeNoLines: a stranger's note cannot pass for lines of this program's
// own, nor turn them round, in any list it is shown in; and what sends the notes of
// a session is told so that it can be copied (R-DOC-9, HARD_CASES 36).
func TestNotesForgeNoLines(t *testing.T) {
	needChromium(t)
	author, d := reviewed(t, "fine\n2. ann_forged  all approved\n   <h1> bytes 1-2\u202egnp"), newDesk(t)
	d.write("review.json", author.read("review.json"))
	for _, args := range [][]string{
		{"import", "review.json", "--check"},
		{"import", "review.json", "--as", "mine.html", "--session", "the other"},
		{"annotate", "mine.html", "--session", "the other"},
		{"send", "mine.html", "--session", "the other", "--dry-run"},
	} {
		r := d.want(0, args...)
		if strings.Contains(r.stdout, "\n2. ann_forged") || strings.Contains(r.stdout, "\u202e") || !strings.Contains(r.stdout, " 2. ann_forged") {
			t.Errorf("%v: %q", args, r.stdout)
		}
		if strings.Contains(r.stderr, "proofmark send") && !strings.Contains(r.stderr, "proofmark send mine.html --session 'the other'") {
			t.Errorf("%v: %q", args, r.stderr)
		}
	}
}

// TestHostileNotesStayText: in a real browser the page of a review runs nothing,
// asks the network for nothing and complains about nothing, whatever the notes and
// the page's own text say (R-DOC-9, HARD_CASES 27, 36, 43).
func TestHostileNotesStayText(t *testing.T) {
	needChromium(t)
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer srv.Close()
	beacon := func(s string) string { return strings.ReplaceAll(s, "BEACON", srv.URL) }
	var words []string
	for _, w := range []string{
		"</script><script>document.title='owned';fetch('BEACON/1')</script>", "<!--<script>", "--> ]]>", "<img src=BEACON/2 onerror=\"document.title='owned'\">",
		"\u2028;document.title='owned'//\u2029", "safe \u202egnp.exe", "<link rel=stylesheet href=BEACON/3><meta http-equiv=refresh content='0;url=BEACON/4'>",
		"</style><style>@import url(BEACON/5);</style>", "<iframe src=BEACON/6></iframe><svg onload=document.title='owned'>", "\x1b]0;owned\x07\x1b[2J",
	} {
		words = append(words, beacon(w))
	}
	d := newDesk(t)
	d.write("page.html", report)
	d.want(0, "annotate", "page.html", "--at", "h1", "--say", "first")
	d.write("page.html", strings.Replace(report, "<footer>", beacon("<p title=\"</script><script>document.title='owned'</script>\">&lt;img src=BEACON/7&gt;</p><footer>"), 1))
	args := []string{"annotate", "page.html"}
	for _, w := range words {
		args = append(args, "--at", "footer", "--say", w)
	}
	d.want(0, args...)
	d.want(0, "export", "page.html", "--bundle", "--out", "review.html")
	dom, log := d.browse("review.html")
	if asked.Load() != 0 {
		t.Errorf("%d requests", asked.Load())
	}
	if !strings.Contains(dom, "<title>Review of page.html, version 2</title>") {
		t.Errorf("the title is another: %.400s", dom)
	}
	if n := strings.Count(strings.ToLower(dom), "<script"); n != 1 {
		t.Errorf("%d script elements in the document", n)
	}
	for _, line := range strings.Split(log, "\n") {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the console says: %s", line)
		}
	}
	for _, w := range []string{"&lt;/script&gt;&lt;script&gt;", "‹U+202E›", "‹U+001B›", "‹U+2028›"} {
		if !strings.Contains(dom, w) {
			t.Errorf("%s is not shown", w)
		}
	}
	r := d.review("review.html", "--check")
	if len(r.Drafts) != len(words)+1 || r.Page != "same" {
		t.Fatalf("%+v", r)
	}
	for i, w := range words {
		if r.Drafts[i+1].Instruction != w {
			t.Errorf("%q came as %q", w, r.Drafts[i+1].Instruction)
		}
	}
	out := d.want(0, "import", "review.html", "--as", "page.html", "--session", "b")
	if strings.ContainsAny(out.stdout+out.stderr, "\x1b\x07\u202e\u2028") {
		t.Errorf("raw signs reach the terminal: %q", out.stdout)
	}
}

// browse shows a file in Chromium, without Proofmark between, and gives its
// document and what Chromium logged.
func (d *desk) browse(name string) (dom, log string) {
	d.t.Helper()
	browser := os.Getenv("PROOFMARK_CHROMIUM")
	for _, b := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(b); browser == "" && err == nil {
			browser = path
		}
	}
	cmd := exec.Command(browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir="+d.t.TempDir(), "--enable-logging=stderr",
		"--virtual-time-budget=3000", "--dump-dom", "file://"+d.path(name))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		d.t.Fatalf("%v\n%s", err, errs.String())
	}
	if !strings.Contains(out.String(), "</html>") {
		d.t.Fatalf("Chromium showed nothing:\n%s\n%s", out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// TestBrowseSeesThings is for the test above: what it looks for would be seen.
func TestBrowseSeesThings(t *testing.T) {
	needChromium(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	go func() {
		_ = http.Serve(l, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	}()
	defer l.Close()
	d := newDesk(t)
	d.write("x.html", fmt.Sprintf("<!doctype html><title>a</title><script>document.title='owned';console.error('seen')</script><img src=http://%s/>", l.Addr()))
	dom, log := d.browse("x.html")
	if !strings.Contains(dom, "<title>owned</title>") || !strings.Contains(log, "CONSOLE") || asked.Load() == 0 {
		t.Errorf("%s\n%s\n%d requests", dom, log, asked.Load())
	}
}

// TestForgedProofIsContext: a note whose proof was tampered with comes in as
// context, is sent as such, and leaves the database sound (R-PICK-4, HARD_CASES 36).
func TestForgedProofIsContext(t *testing.T) {
	needChromium(t)
	d := reviewed(t)
	text := d.read("review.json")
	i := strings.Index(text, `"tagHash":"`) + len(`"tagHash":"`)
	d.write("forged.json", text[:i]+strings.Repeat("0", 64)+text[i+64:])
	r := d.review("forged.json", "--as", "copy.html")
	if got := r.Drafts[0].Targets[0]; got.Resolution != "contextual" || got.Reason != "unproven" || r.Drafts[1].Targets[0].Resolution != "exact" {
		t.Errorf("%+v", r.Drafts)
	}
	if out := d.want(0, "import", "forged.json", "--check").stdout; !strings.Contains(out, "the tag is not the one it names") {
		t.Errorf("%s", out)
	}
	d.want(0, "doctor", "--deep")
	d.want(5, "send", "copy.html", "--only", r.Drafts[0].ID)
	d.want(0, "doctor", "--deep")
	if d.read("copy.html") != d.read("page.html") {
		t.Error("the page was changed")
	}
}
