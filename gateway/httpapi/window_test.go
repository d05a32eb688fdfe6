package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"proofmark/bridge/cdp"
	"proofmark/bridge/person"
	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/gateway/httpapi"
	"proofmark/gateway/internal/testbrowser"
	"proofmark/gateway/surface"
	"proofmark/gateway/webapp"
	"proofmark/gateway/workbench"
)

// deskScript is a small workbench: with the token of its host it looks, again and
// again, which frame the preferences ask for, and makes that one.
const deskScript = `
const { token } = await (await fetch('/host/token', { method: 'POST' })).json();
const headers = { Authorization: 'Bearer ' + token };
let now = '';
for (;;) {
  const { frame } = await (await fetch('/v1/preferences', { headers })).json();
  if (frame && frame !== now) {
    now = frame;
    document.querySelector('iframe')?.remove();
    const f = document.createElement('iframe');
    f.src = frame; f.width = 600; f.height = 400; f.style.border = 0;
    document.body.append(f);
  }
  await new Promise((r) => setTimeout(r, 20));
}
`

// windowed is a rig whose workbench stands in a window.
type windowed struct {
	*rig
	window *cdp.Window
	hand   *person.Tab
}

func newWindowed(t testing.TB, html string) *windowed {
	t.Helper()
	beside := person.NewBeside(t, testbrowser.Find(t))
	r := newRig(t, setup{html: html, browser: testbrowser.Shared(t), server: func(c *httpapi.Config) {
		app, err := webapp.New(fstest.MapFS{
			"index.html":     {Data: []byte(`<!doctype html><title>Desk</title><link rel=stylesheet href=/assets/desk.css><body><script type=module src=/assets/desk.js></script>`)},
			"assets/desk.js": {Data: []byte(deskScript)}, "assets/desk.css": {Data: []byte("body{margin:0}")},
		}, c.Workbench.PreviewPort)
		if err != nil {
			t.Fatal(err)
		}
		c.App = app
	}})
	l, err := surface.Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	origin := fmt.Sprintf("http://127.0.0.1:%d", r.port)
	late := cdp.NewLateWindow()
	lost := make(chan struct{})
	b := &workbench.Browser{Previews: surface.NewFramedManager(l, late, origin), Lost: lost, Close: func() error { return nil }}
	r.bench.SetWindow(b)
	w, err := cdp.OpenWindow(context.Background(), cdp.WindowOptions{
		Path: beside.Path, Proxy: l.ProxyURL(), Origin: origin, Headless: true, Width: 900, Height: 700,
		Hello: func() ([]byte, error) { return []byte("{}"), nil },
		Token: func() (string, time.Time, error) {
			t, c, err := r.issuer.Mint(token.UI, "window")
			return t, c.Expires, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	late.Set(w)
	go func() { <-w.Closed(); close(lost) }()
	t.Cleanup(func() { _ = w.Close() })
	hand := person.Attach(t, beside.Port(t, nil), "page", person.At(origin))
	return &windowed{r, w, hand}
}

// show opens a preview in the window and loads the newest version in it.
func (w *windowed) show() (id string) {
	w.t.Helper()
	p := w.do("POST", w.at("/previews"), object{"place": "window", "width": 600, "height": 400}).ok()
	id = p["id"].(string)
	if p["epoch"].(float64) != 0 || p["place"] != "window" || !strings.HasSuffix(p["frameUrl"].(string), surface.BlankPath) {
		w.t.Fatalf("opened: %v", p)
	}
	w.do("PUT", "/v1/preferences", object{"frame": p["frameUrl"]}).ok()
	if got := w.do("POST", "/v1/previews/"+id+"/reload", object{"version": ""}).ok(); got["epoch"].(float64) != 1 {
		w.t.Fatalf("loaded: %v", got)
	}
	return id
}

// until gives the next event of a name.
func (w *windowed) until(s *stream, name string) object {
	w.t.Helper()
	for {
		e, err := s.next()
		if err != nil {
			w.t.Fatalf("waiting for %s: %v", name, err)
		}
		if e.name == name {
			var out object
			if err := json.Unmarshal([]byte(e.data), &out); err != nil {
				w.t.Fatalf("%s: %v in %s", name, err, e.data)
			}
			return out
		}
	}
}

// A page in the workbench's window is pointed at with the mouse, and what is
// pointed at is proven, noted, and found again.
func TestWindowPreview(t *testing.T) {
	w := newWindowed(t, page)
	id := w.show()
	at := "/v1/previews/" + id
	s := w.follow(at+"/events", 0)
	defer s.close()
	if got := w.until(s, "state"); got["id"] != id {
		t.Errorf("state: %v", got)
	}
	w.do("GET", at+"/picture", nil).refused(422, core.Unsupported)
	if a := w.do("PUT", at+"/inspect", object{"on": true}); a.status != 204 {
		t.Fatalf("inspect: %d %s", a.status, a.body)
	}
	w.hand.Move(30, 20)
	hover := w.until(s, "hover")
	tag := func(p object) string {
		span, _ := p["startTag"].([]any)
		if len(span) != 2 {
			return fmt.Sprint(p["refusal"])
		}
		return page[int(span[0].(float64)):int(span[1].(float64))]
	}
	if tag(hover) != "<h1>" || hover["handle"] != "" || hover["sharedBy"].(float64) != 1 {
		t.Errorf("hover: %v", hover)
	}
	w.hand.ClickAt(30, 65)
	picked := w.until(s, "picked")
	if tag(picked) != `<p id="a" class="lead">` || picked["handle"] == "" {
		t.Errorf("picked: %v", picked)
	}
	note := w.do("POST", w.at("/annotations"), object{"session": session, "preview": id, "picks": []any{picked["handle"]}, "instruction": "x"}).ok()
	under := w.do("POST", at+"/under", object{"pick": picked["handle"]}).ok()
	if chain := under["chain"].([]any); len(chain) != 2 || chain[1].(object)["path"] != "/html" {
		t.Errorf("under: %v", under)
	}
	places := func() []any {
		return w.do("POST", at+"/places", object{"picks": []any{picked["handle"], "pick_none"}, "annotations": []any{note["id"], "ann_none"}}).ok()["places"].([]any)
	}
	got := places()
	if len(got) != 3 || got[0].(object)["rect"].(object)["y"] != got[2].(object)["rect"].(object)["y"] || got[1].(object)["rect"] != nil || got[2].(object)["id"] != note["id"] || got[2].(object)["shared"].(float64) != 1 {
		t.Errorf("places: %v", got)
	}
	// A step and a highlight bring what they are about into the view.
	if got := w.do("POST", at+"/picks/"+picked["handle"].(string)+"/step", object{"direction": "next"}).ok(); tag(got) != `<p id="b">` {
		t.Errorf("stepped: %v", got)
	}
	if a := w.do("PUT", at+"/highlight", object{"pick": picked["handle"], "scroll": true}); a.status != 204 {
		t.Errorf("highlight: %d %s", a.status, a.body)
	}
	if a := w.do("PUT", at+"/outlines", object{"outlines": []object{{"annotation": note["id"]}, {"pick": picked["handle"], "look": "cursor"}}}); a.status != 204 {
		t.Errorf("outlines: %d %s", a.status, a.body)
	}
	// In a later version the note is where its paragraph went, and the pick is over.
	cut := strings.Index(page, "\n<p id=\"a\"")
	w.Commit(core.SourceOutside, page[:cut]+"\n<p>More</p>"+page[cut:], []core.Edit{{Span: core.Span{Start: cut, End: cut}, Replacement: "\n<p>More</p>"}})
	w.do("POST", at+"/reload", object{"version": ""}).ok()
	if got := w.until(s, "loaded"); got["epoch"].(float64) != 2 || got["generation"].(float64) != 2 {
		t.Errorf("loaded: %v", got)
	}
	before := got[2].(object)["rect"].(object)["y"].(float64)
	if got = places(); got[0].(object)["rect"] != nil || got[2].(object)["rect"] == nil || got[2].(object)["rect"].(object)["y"].(float64) <= before {
		t.Errorf("places in the next version: %v", got)
	}
	// A direct edit of what is picked here is looked at in a hidden view.
	again := w.pick(id, "#b")
	if a := w.do("POST", at+"/edits", object{"tasks": []any{object{"do": "text", "value": "New", "picks": []any{again["handle"]}}}}); a.status != 200 {
		t.Errorf("a direct edit: %d %s", a.status, a.body)
	}
	if a := w.do("PUT", at+"/inspect", object{"on": false}); a.status != 204 {
		t.Fatalf("inspect: %d %s", a.status, a.body)
	}
	w.do("POST", at+"/origins", object{"allow": []any{"http://bad"}}).refused(400, core.Usage)
	if got := w.do("POST", at+"/origins", object{"allow": []any{"https://fonts.example.com"}}).ok(); got["epoch"].(float64) != 3 || len(got["allowedOrigins"].([]any)) != 1 {
		t.Errorf("origins: %v", got)
	}
	w.as(token.Agent, "POST", at+"/origins", object{"allow": []any{}}).refused(403, core.WrongScope)
	// The window goes, and with it the preview.
	_ = w.window.Close()
	w.until(s, "gone")
	w.do("GET", at, nil).refused(404, core.NotFound)
	w.do("POST", w.at("/previews"), object{"place": "window"}).refused(422, core.Unsupported)
	w.do("POST", w.at("/previews"), object{"place": "moon"}).refused(400, core.BadRequest)
}

// crowded is a page of about n elements with a button to press.
func crowded(n int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html><head><title>T</title><style>body{margin:0}#a,#b{position:fixed;left:10px;width:200px;height:50px;z-index:9}#a{top:10px}#b{top:100px}</style></head><body><main><button id=a>One</button><button id=b>Two</button>`)
	for i := range n / 100 {
		fmt.Fprintf(&b, "<section><h2>Part %d</h2>\n", i)
		for j := range 49 {
			fmt.Fprintf(&b, "<p class=line>Line <b>%d</b></p>\n", j)
		}
		b.WriteString("</section>\n")
	}
	return b.String() + "</main></body></html>"
}

// From the press in the window to the proven pick, and to the draft in the
// database, over the API as the workbench does it.
func BenchmarkWindowPick(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newWindowed(b, crowded(n))
			id := w.show()
			at := "/v1/previews/" + id
			s := w.follow(at+"/events", 0)
			defer s.close()
			w.do("PUT", at+"/inspect", object{"on": true})
			var hovers, picks, drafts []time.Duration
			for i := 0; b.Loop(); i++ {
				y := 30 + float64(i%2)*90
				begun := time.Now()
				w.hand.Move(50, y)
				for w.until(s, "hover")["name"] != []string{`button id="a"`, `button id="b"`}[i%2] {
				}
				hovers = append(hovers, time.Since(begun))
				begun = time.Now()
				w.hand.ClickAt(50, y)
				picked := w.until(s, "picked")
				picks = append(picks, time.Since(begun))
				note := w.do("POST", w.at("/annotations"), object{"session": session, "preview": id, "picks": []any{picked["handle"]}, "instruction": "x"}).ok()
				drafts = append(drafts, time.Since(begun))
				b.StopTimer()
				w.do("DELETE", w.at("/annotations/"+note["id"].(string)), object{"session": session, "seen": note["updatedAt"]})
				b.StartTimer()
			}
			for name, took := range map[string][]time.Duration{"hover": hovers, "pick": picks, "draft": drafts} {
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, name+"-p50-ms")
				b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, name+"-p95-ms")
			}
		})
	}
}
