package httpapi_test

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/internal/testbrowser"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/builtin"
	"proofmark/gateway/workbench"
)

// children lists the processes this one has started and that still run.
func children(t *testing.T) []int {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(tasks) == 0 {
		t.Skip("SKIPPED, NOT TESTED: this system does not list a process' children")
	}
	var out []int
	for _, f := range tasks {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // the thread has ended
		}
		for pid := range strings.FieldsSeq(string(b)) {
			if n, err := strconv.Atoi(pid); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// mortal is a workbench's browser that a test may kill: each start gives another.
type mortal struct {
	t    *testing.T
	pids []int // of the newest
	n    int
}

func (m *mortal) start(context.Context) (*workbench.Browser, error) {
	before := children(m.t)
	b := testbrowser.Own(m.t)
	m.pids = slices.DeleteFunc(children(m.t), func(pid int) bool { return slices.Contains(before, pid) })
	m.n++
	return &workbench.Browser{Previews: b.Surfaces, Close: b.Surfaces.Close}, nil
}

func (m *mortal) kill() {
	m.t.Helper()
	if len(m.pids) == 0 {
		m.t.Fatal("the browser is none of our children")
	}
	for _, pid := range m.pids {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
}

// D-93, D-112: a browser that dies takes its previews with it, and says so; the
// next preview gets another browser, and what was drafted is still there.
func TestBrowserDiesUnderAPreview(t *testing.T) {
	testbrowser.Shared(t)
	m := &mortal{t: t}
	r := newRig(t, setup{workbench: func(c *workbench.Config) { c.Start = m.start }})
	id := r.open()
	pick := r.pick(id, "h1")["handle"]
	r.do("POST", r.at("/annotations"), object{"session": session, "preview": id, "picks": []any{pick}, "instruction": "x"}).ok()
	m.kill()
	a := r.do("GET", "/v1/previews/"+id+"/picture", nil)
	if code := a.code(); code != core.SurfaceLost && code != core.NotFound && code != core.BrowserFailed {
		t.Errorf("a picture of a dead browser: %d %.300s", a.status, a.body)
	}
	a = r.do("POST", "/v1/previews/"+id+"/picks", object{"target": "h1"})
	if code := a.code(); code != core.SurfaceLost && code != core.NotFound {
		t.Errorf("a pick in a dead browser: %d %s", a.status, a.body)
	}
	next := r.open()
	if next == id || m.n != 2 {
		t.Errorf("preview %s of browser %d", next, m.n)
	}
	r.do("GET", "/v1/previews/"+id, nil).refused(404, core.NotFound)
	if got := r.pick(next, "h1"); got["refusal"] != nil {
		t.Errorf("picked: %v", got)
	}
	if list := r.do("GET", "/v1/previews", nil).ok()["previews"].([]any); len(list) != 1 {
		t.Errorf("open: %v", list)
	}
	if list := r.do("GET", r.at("/annotations?session="+session), nil).ok()["annotations"].([]any); len(list) != 1 {
		t.Errorf("drafts: %v", list)
	}
}

// deadly kills the browser when it is asked for the n-th time.
type deadly struct {
	llm.Model
	m  *mortal
	at int
	n  int
}

func (*deadly) Name() string { return "script" }

func (d *deadly) Complete(ctx context.Context, q llm.Request, emit func(llm.Event)) (llm.Response, error) {
	if d.n++; d.n == d.at {
		d.m.kill()
	}
	return d.Model.Complete(ctx, q, emit)
}

// D-93: a browser that dies under a turn is started again, or ends the turn with a
// reason and nothing changed; never is something half done, and the next turn works.
func TestBrowserDiesUnderATurn(t *testing.T) {
	testbrowser.Shared(t)
	for _, at := range []int{1, 3} {
		m := &mortal{t: t}
		r := newRig(t, setup{workbench: func(c *workbench.Config) { c.Start = m.start }})
		r.use(&deadly{Model: builtin.New(), m: m, at: at})
		q := ask("r1", r.note("h1", 1, saying)["id"])
		q["model"] = "script"
		next := r.note("p", 1, saying)["id"]
		end := r.ended(r.started(q))["result"].(object)
		e, _ := end["error"].(object)
		want := page
		switch {
		case end["status"] == "applied":
			want = strings.Replace(page, "Report", "Quarterly", 1)
		case e == nil || e["code"] != "surface_lost" && e["code"] != "browser_failed":
			t.Errorf("killed at call %d: %v", at, end)
		}
		if r.HeadBytes() != want {
			t.Errorf("killed at call %d: %s", at, r.HeadBytes())
		}
		if end := r.ended(r.started(ask("r2", next)))["result"].(object); end["status"] != "applied" {
			t.Errorf("the turn behind call %d: %v", at, end)
		}
		r.stop()
	}
}

// Without a browser the API says so, and everything else works; notes stay drafts.
func TestNoBrowser(t *testing.T) {
	r := newRig(t, setup{})
	r.do("POST", r.at("/previews"), object{}).refused(503, core.NoBrowser)
	r.do("GET", r.at("/revisions/1/picture"), nil).refused(503, core.NoBrowser)
	n := r.note("h1", 1, saying)
	r.do("POST", r.at("/turns"), ask("r1", n["id"])).refused(503, core.NoBrowser)
	if list := r.do("GET", r.at("/annotations?session="+session), nil).ok()["annotations"].([]any); len(list) != 1 {
		t.Errorf("drafts: %v", list)
	}
}

// R-UI-3: a byte of the source names the innermost element that holds it, as long
// as the page has that element at its place.
func TestPickByByte(t *testing.T) {
	const html = "<!doctype html><html><head><title>é</title></head><body><ul><li>one</li><li>two <b>three</b></li></ul><p>four</p><script>document.querySelector('p').remove()</script></body></html>"
	r := newRig(t, setup{html: html, browser: testbrowser.Shared(t)})
	id := r.open()
	at := func(text string) string { return "byte:" + strconv.Itoa(strings.Index(html, text)) }
	for text, want := range map[string]string{"one": "<li>", "two": "<li>", "three": "<b>", "<b>": "<b>", "</b>": "<b>", "</ul>": "<ul>", "é": "<title>"} {
		if p := r.pick(id, at(text)); p["tag"] != want {
			t.Errorf("at %q: %v, want %s", text, p, want)
		}
	}
	one, two := r.pick(id, at("one")), r.pick(id, at("two"))
	if one["path"] == two["path"] {
		t.Errorf("twins: %v, %v", one, two)
	}
	for target, code := range map[string]core.Code{
		at("four"): core.SelectorNoMatch, "byte:0": core.SelectorNoMatch, "byte:-1": core.BadRequest, "byte:+1": core.BadRequest,
		"byte:": core.BadRequest, "byte:1e3": core.BadRequest, "byte:99999999999999999999": core.BadRequest, "byte:" + strconv.Itoa(len(html)+1): core.BadRequest,
	} {
		if a := r.do("POST", "/v1/previews/"+id+"/picks", object{"target": target}); a.code() != code {
			t.Errorf("%s: %d %s, want %s", target, a.status, a.body, code)
		}
	}
}

// A version's picture is the page of that version, at any width, taken offline in a
// view that is closed again; the second time it is not taken again.
func TestPictureOfAVersion(t *testing.T) {
	const html = "<!doctype html><title>x</title><body style='background:#fff'><p>a</p>"
	r := newRig(t, setup{html: html, browser: testbrowser.Shared(t)})
	r.Commit(core.SourceManual, strings.Replace(html, "#fff", "#00f", 1), []core.Edit{{Span: spanOf(html, "#fff"), Replacement: "#00f"}})
	at := func(version, query string) string { return r.at("/revisions/" + version + "/picture" + query) }
	blue := func(a reply) bool {
		t.Helper()
		if a.status != 200 || a.header.Get("Content-Type") != "image/jpeg" {
			t.Fatalf("%d %s %.200s", a.status, a.header.Get("Content-Type"), a.body)
		}
		img, err := jpeg.Decode(bytes.NewReader(a.body))
		if err != nil {
			t.Fatal(err)
		}
		if s := img.Bounds().Size(); s != image.Pt(640, 800) {
			t.Errorf("it is %v", s)
		}
		red, _, _, _ := img.At(300, 600).RGBA()
		return red < 0x1000
	}
	first, second := r.do("GET", at("1", "?width=640"), nil), r.do("GET", at("2", "?width=640"), nil)
	if blue(first) || !blue(second) || first.header.Get("ETag") == second.header.Get("ETag") {
		t.Errorf("before and after are %t, %t; %s", blue(first), blue(second), first.header.Get("ETag"))
	}
	if again := r.do("GET", at("2", "?width=640"), nil); !bytes.Equal(again.body, second.body) {
		t.Error("it was taken twice")
	}
	if list := r.do("GET", "/v1/previews", nil).ok()["previews"].([]any); len(list) != 0 {
		t.Errorf("open: %v", list)
	}
	r.do("GET", at("2", "?width=319"), nil).refused(400, core.BadRequest)
	r.do("GET", at("2", "?width=1921"), nil).refused(400, core.BadRequest)
	r.do("GET", at("9", ""), nil).refused(404, core.UnknownRevision)
}

// One picture is taken at a time, eight are waited for, and another one is refused.
func TestPicturesAreBounded(t *testing.T) {
	hold := make(chan struct{})
	r := newRig(t, setup{workbench: func(c *workbench.Config) {
		c.Start = func(context.Context) (*workbench.Browser, error) {
			<-hold
			return nil, core.Errorf(core.NoBrowser, "this test has no browser")
		}
	}})
	const asked = 10
	got := make(chan reply, asked)
	for range asked {
		go func() { got <- r.do("GET", r.at("/revisions/1/picture"), nil) }()
	}
	first := <-got // nobody else can be answered yet
	close(hold)
	first.refused(422, core.TooMany)
	for range asked - 1 {
		a := <-got
		a.refused(503, core.NoBrowser)
	}
}
