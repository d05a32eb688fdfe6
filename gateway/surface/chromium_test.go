package surface

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"proofmark/bridge/cdp"
	"proofmark/bridge/chromium"
	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// browser finds Chromium, or skips the test where there is none.
func browser(t *testing.T) string {
	t.Helper()
	path, err := chromium.Locate("")
	if err != nil {
		if os.Getenv("PROOFMARK_REQUIRE_CHROMIUM") != "" {
			t.Fatalf("a browser is required and none was found: %v", err)
		}
		t.Skipf("SKIPPED, NOT PASSED: no Chromium on this machine: %v", err)
	}
	return path
}

// launch starts the listener and a Chromium behind it.
func launch(t *testing.T) (*Manager, *Listener) {
	t.Helper()
	path := browser(t)
	l, err := Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	host, err := cdp.Launch(t.Context(), cdp.LaunchOptions{Path: path, Proxy: l.ProxyURL(), Headless: true, Width: 1280, Height: 800})
	if err != nil {
		t.Fatal(err)
	}
	m := NewManager(l, host)
	t.Cleanup(func() {
		_ = m.Close()
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return m, l
}

func show(t *testing.T, m *Manager, s Spec) *Preview {
	t.Helper()
	s.DocumentID, s.RevisionID, s.SHA = "doc_1", "rev_1", core.SHA256Hex(s.Bytes)
	if s.Width == 0 {
		s.Width, s.Height = 1280, 800
	}
	p, err := m.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s loaded in %v, timed out: %v", s.FileName, got.Took, got.TimedOut)
	return p
}

// texts gives the text of every element that a selector matches.
func texts(t *testing.T, p *Preview, selector string) []string {
	t.Helper()
	picks, n, err := p.Surface().Query(t.Context(), selector, 100)
	if err != nil {
		t.Fatalf("%s: %v", selector, err)
	}
	out := make([]string, 0, n)
	for _, k := range picks {
		out = append(out, k.Text)
	}
	return out
}

// await waits until a selector matches, by asking the page.
func await(t *testing.T, p *Preview, selector string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		if _, n, err := p.Surface().Query(ctx, selector, 1); err != nil {
			t.Fatalf("waiting for %s: %v", selector, err)
		} else if n > 0 {
			return
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("%s did not appear", selector)
		}
	}
}

// rect gives where the one element that a selector matches is.
func rect(t *testing.T, p *Preview, selector string) contract.Rect {
	t.Helper()
	picks, n, err := p.Surface().Query(t.Context(), selector, 2)
	if err != nil || n != 1 {
		t.Fatalf("%s matches %d elements, %v", selector, n, err)
	}
	return picks[0].Rect
}

func screenshot(t *testing.T, p *Preview) image.Image {
	t.Helper()
	shot, err := p.Surface().Screenshot(t.Context(), contract.ShotOptions{})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func healthy(t *testing.T, p *Preview) {
	t.Helper()
	h, err := p.Surface().Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Errors) > 0 {
		t.Errorf("the page complains: %q", h.Errors)
	}
	t.Logf("console %q, failed %q", h.ConsoleErr, h.Missing)
}

// R-PREV-1: the sample page looks as it does in a browser, its stylesheet,
// picture and script included, and says which origin it would like.
func TestLandingPageLooksRight(t *testing.T) {
	m, _ := launch(t)
	dir := filepath.Join("..", "..", "examples", "landing")
	src, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	p := show(t, m, Spec{Bytes: src, FileName: "index.html", AssetDir: dir})
	for _, selector := range []string{"h1", ".price", "footer a", "img[alt]", "form", "nav"} {
		if _, n, err := p.Surface().Query(t.Context(), selector, 1); err != nil || n != 1 {
			t.Errorf("%s matches %d elements, %v", selector, n, err)
		}
	}
	if _, n, err := p.Surface().Query(t.Context(), ".card", 1); err != nil || n != 3 {
		t.Errorf("%d cards, %v", n, err)
	}
	h1, img := rect(t, p, "h1"), rect(t, p, ".hero img")
	if img.X < h1.X+h1.Width || img.Height < 300 || img.Width < 400 {
		t.Errorf("the stylesheet is not applied: heading %+v, picture %+v", h1, img)
	}
	pic := screenshot(t, p)
	if got := pic.At(4, 4); !near(got, color.RGBA{0xfb, 0xf7, 0xf1, 0xff}) {
		t.Errorf("the paper is %v", got)
	}
	// The first vase of the picture is blue-green.
	vase := pic.At(int(img.X+img.Width*0.19), int(img.Y+img.Height*0.40))
	if r, g, b, _ := vase.RGBA(); g <= r || b <= r {
		t.Errorf("the picture does not show: %v", vase)
	}
	if got := p.Missing(); len(got) > 0 {
		t.Errorf("missing %q", got)
	}
	if got := p.Asked(); !slices.Equal(got, []string{"https://fonts.googleapis.com"}) {
		t.Errorf("asked %q", got)
	}
	healthy(t, p)

	narrow := show(t, m, Spec{Bytes: src, FileName: "index.html", AssetDir: dir, Width: 420, Height: 800, Hidden: true})
	press(t, narrow, ".menu")
	await(t, narrow, "nav.open")
	if got := rect(t, narrow, "nav"); got.Height < 40 {
		t.Errorf("the script did not open the menu: %+v", got)
	}
}

func press(t *testing.T, p *Preview, selector string) {
	t.Helper()
	picks, n, err := p.Surface().Query(t.Context(), selector, 1)
	if err != nil || n != 1 {
		t.Fatalf("%s matches %d elements, %v", selector, n, err)
	}
	if err := p.Surface().Act(t.Context(), contract.Action{Kind: "click", Handle: picks[0].Handle}); err != nil {
		t.Fatal(err)
	}
}

func near(got color.Color, want color.RGBA) bool {
	r, g, b, _ := got.RGBA()
	d := func(a uint32, b uint8) bool { x := int(a>>8) - int(b); return x > -6 && x < 6 }
	return d(r, want.R) && d(g, want.G) && d(b, want.B)
}

// The other samples open without a complaint; the live page has been changed by
// its scripts.
func TestOtherSamplesOpen(t *testing.T) {
	m, _ := launch(t)
	dir := filepath.Join("..", "..", "examples")
	for _, name := range []string{"report.html", "live.html"} {
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		p := show(t, m, Spec{Bytes: src, FileName: name, AssetDir: dir})
		if len(p.Missing())+len(p.Asked()) > 0 {
			t.Errorf("%s: missing %q, asked %q", name, p.Missing(), p.Asked())
		}
		healthy(t, p)
		if name == "report.html" {
			if _, n, err := p.Surface().Query(t.Context(), "table, svg rect", 1); err != nil || n != 2+27 {
				t.Errorf("%d tables and bars, %v", n, err)
			}
			continue
		}
		if _, n, err := p.Surface().Query(t.Context(), "body.open > p.banner:first-child", 1); err != nil || n != 1 {
			t.Errorf("no banner: %d, %v", n, err)
		}
		if got := texts(t, p, "#stalls b"); !slices.Equal(got, []string{"1", "3", "4", "7", "9", "12"}) {
			t.Errorf("the stalls stand as %q", got)
		}
		if got := texts(t, p, "#tables p"); strings.Join(got, " ") != "Free Free Free Free Free Taken Taken Taken" {
			t.Errorf("the tables stand as %q", got)
		}
	}
}

// R-PREV-1 in the browser: what needs CORS under an opaque origin (fonts,
// modules, integrity) loads as well as what does not; folders above, hidden
// files and pages do not.
func TestEverythingBesideThePageLoads(t *testing.T) {
	m, _ := launch(t)
	dir := t.TempDir()
	font, err := os.ReadFile(fontFile(t))
	if err != nil {
		t.Fatal(err)
	}
	const script = "document.body.append(Object.assign(document.createElement('p'), {id: 'checked'}))"
	sum := sha256.Sum256([]byte(script))
	write(t, dir, "css/style.css", "@import url(more.css); @font-face { font-family: F; src: url(../fonts/f.ttf) } #probe { width: 123px }")
	write(t, dir, "css/more.css", "#probe { height: 77px; background: url('../img/p.svg') }")
	write(t, dir, "fonts/f.ttf", string(font))
	write(t, dir, "img/p.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><style>rect { fill: #ff0000 }</style><rect width="200" height="200"/></svg>`)
	write(t, dir, "js/app.js", "document.fonts.load('16px F').then((l) => { if (l.length) document.body.append(Object.assign(document.createElement('p'), {id: 'font'})) })")
	write(t, dir, "js/mod.mjs", "import { id } from './dep.mjs'; document.body.append(Object.assign(document.createElement('p'), { id }))")
	write(t, dir, "js/dep.mjs", "export const id = 'module'")
	write(t, dir, "js/sri.js", script)
	write(t, dir, ".hidden/a.css", "#probe { width: 1px !important }")
	write(t, dir, "other.html", "<p>other")
	page := `<!doctype html><meta charset=utf-8><base href="css/"><link rel=stylesheet href="style.css?v=1"><link rel=stylesheet href="../.hidden/a.css">
<body style="margin:0"><div id=probe></div><img src="../img/p.svg" width=50 height=50 onload="document.body.append(Object.assign(document.createElement('p'), {id: 'img'}))">
<img src="../../../etc/hostname"><iframe src="../other.html" width=10 height=10></iframe>
<script src="../js/app.js"></script><script type=module src="../js/mod.mjs"></script>
<script src="../js/sri.js" integrity="sha256-` + base64.StdEncoding.EncodeToString(sum[:]) + `" crossorigin></script>`
	p := show(t, m, Spec{Bytes: []byte(page), FileName: "page with spaces & ünïcode.html", AssetDir: dir})
	for _, id := range []string{"#font", "#module", "#checked", "#img"} {
		await(t, p, id)
	}
	if got := rect(t, p, "#probe"); got.Width != 123 || got.Height != 77 {
		t.Errorf("the stylesheets are not applied: %+v", got)
	}
	if got := screenshot(t, p).At(60, 40); !near(got, color.RGBA{0xff, 0, 0, 0xff}) {
		t.Errorf("the background is %v", got)
	}
	if got := p.Missing(); !slices.Equal(got, []string{".hidden/a.css", "etc/hostname"}) {
		t.Errorf("missing %q", got)
	}
	if got := p.Asked(); len(got) != 0 {
		t.Errorf("asked %q", got)
	}
}

func fontFile(t *testing.T) string {
	t.Helper()
	for _, p := range []string{
		"/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf", "/usr/share/fonts/truetype/liberation/LiberationSans-Bold.ttf",
		"/System/Library/Fonts/Supplemental/Arial.ttf", `C:\Windows\Fonts\arial.ttf`,
	} {
		if _, err := os.Stat(p); err == nil {
			return p
		}
	}
	t.Skip("SKIPPED, NOT PASSED: no font file on this machine")
	return ""
}

// R-PREV-2 in the browser: an allowed origin's stylesheet, font, script with
// integrity and picture arrive through the gateway; base and candidate, open at
// once, see the same answers although the server gives others each time.
func TestAllowedOriginsArriveThroughTheGateway(t *testing.T) {
	m, l := launch(t)
	font, err := os.ReadFile(fontFile(t))
	if err != nil {
		t.Fatal(err)
	}
	const script = "document.body.append(Object.assign(document.createElement('p'), {id: 'script'}))"
	sum := sha256.Sum256([]byte(script))
	n := 100
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/sub/s.css":
			n++ // another answer each time
			rw.Header().Set("Content-Type", "text/css")
			_, _ = io.WriteString(rw, "@font-face { font-family: G; src: url(../f.ttf) } #probe { width: "+string([]byte{byte('0' + n/100), byte('0' + n/10%10), byte('0' + n%10)})+"px }")
		case "/deep/deep/moved.css":
			http.Redirect(rw, r, "/sub/s.css", http.StatusFound)
		case "/f.ttf":
			rw.Header().Set("Access-Control-Allow-Origin", "*")
			_, _ = rw.Write(font)
		case "/a.js":
			rw.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(rw, script)
		case "/p.svg":
			rw.Header().Set("Content-Type", "image/svg+xml")
			_, _ = io.WriteString(rw, `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20"/></svg>`)
		default:
			http.NotFound(rw, r)
		}
	})
	m.fetcher = w.fetcher
	page := func(extra string) []byte {
		return []byte(`<!doctype html><link rel=stylesheet href="` + site + `/deep/deep/moved.css"><body><div id=probe style="height:10px">` + extra + `</div>
<script src="` + site + `/a.js" integrity="sha256-` + base64.StdEncoding.EncodeToString(sum[:]) + `" crossorigin=anonymous></script>
<img src="` + site + `/p.svg" onload="document.body.append(Object.assign(document.createElement('p'), {id: 'img'}))"><img src="https://other.org/x.png">
<script>document.fonts.load('16px G').then((l) => { if (l.length) document.body.append(Object.assign(document.createElement('p'), {id: 'font'})) })
fetch('` + site + `/post', { method: 'POST', mode: 'no-cors', body: 'x' }).catch(() => {}); new Image().src = 'http://example.com/plain.png'; document.cookie = 'a=b'</script>`)
	}
	rec := NewRecording()
	spec := Spec{Bytes: page("base"), FileName: "p.html", AllowOrigins: []string{site}, Record: rec, Hidden: true}
	base := show(t, m, spec)
	spec.Bytes = page("candidate")
	candidate := show(t, m, spec)
	for _, p := range []*Preview{base, candidate} {
		for _, id := range []string{"#script", "#img", "#font"} {
			await(t, p, id)
		}
		if got := rect(t, p, "#probe"); got.Width != 101 {
			t.Errorf("width %v, want the first answer's 101", got.Width)
		}
		if got := p.Asked(); !slices.Equal(got, []string{"http://example.com", "https://other.org"}) {
			t.Errorf("asked %q", got)
		}
	}
	if got := texts(t, base, "#probe"); !slices.Equal(got, []string{"base"}) {
		t.Errorf("base shows %q", got)
	}
	if got := w.hits.Load(); got != 5 { // moved.css, sub/s.css, f.ttf, a.js, p.svg, once each
		t.Errorf("%d requests went out", got)
	}
	counts, _ := l.Refused()
	for origin := range counts {
		if strings.Contains(origin, "example.com") || strings.Contains(origin, "other.org") {
			t.Errorf("%s was asked for past the gateway", origin)
		}
	}

	// Without permission nothing goes out, and the page says what it would like.
	spec.AllowOrigins, spec.Record = nil, nil
	alone := show(t, m, spec)
	if got := alone.Asked(); !slices.Equal(got, []string{"http://example.com", site, "https://other.org"}) {
		t.Errorf("asked %q", got)
	}
	if got := w.hits.Load(); got != 5 {
		t.Errorf("%d requests went out", got)
	}
}

// D-89, R-PICK-2: a pick on the loaded page becomes a claim; after other bytes
// are bound and loaded on the same origin it is stale.
func TestClaimAndRebindInTheBrowser(t *testing.T) {
	m, _ := launch(t)
	p := show(t, m, Spec{Bytes: []byte("<!doctype html><h1>One</h1><p>x"), FileName: "p.html"})
	other := show(t, m, Spec{Bytes: []byte("<!doctype html><h1>Other</h1>"), FileName: "p.html"})
	pick, _, err := p.Surface().Query(t.Context(), "h1", 1)
	if err != nil {
		t.Fatal(err)
	}
	foreign, _, err := other.Surface().Query(t.Context(), "h1", 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Claim(t.Context(), pick[0])
	if err != nil || c.SourceSHA != p.Lease().SHA || !c.Births.Complete || len(c.Births.List) < 4 {
		t.Fatalf("%+v %v", c, err)
	}
	_, err = p.Claim(t.Context(), foreign[0])
	wantCode(t, "pick of another lease", err, core.LeaseMismatch)
	next := specOf("<!doctype html><h1>Two</h1><p>x", "", "p.html")
	if err := p.Rebind(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	_, err = p.Claim(t.Context(), pick[0])
	wantCode(t, "pick from before the rebinding", err, core.StaleEpoch)
	load(t, p)
	if got := texts(t, p, "h1"); !slices.Equal(got, []string{"Two"}) {
		t.Errorf("shows %q", got)
	}
	_, err = p.Claim(t.Context(), pick[0])
	wantCode(t, "pick of the load before", err, core.StaleEpoch)
}

// A page that reloads itself, or tries to, is not followed: it stays or its
// picks are stale, and never are they taken for those of the first load.
func TestPageThatReloadsItself(t *testing.T) {
	m, _ := launch(t)
	p := show(t, m, Spec{Bytes: []byte("<!doctype html><h1>One</h1><script>setTimeout(() => { location.reload(); setTimeout(() => document.body.append(Object.assign(document.createElement('i'), {id: 'end'})), 300) }, 100)</script>"), FileName: "p.html"})
	await(t, p, "#end")
	pick, _, err := p.Surface().Query(t.Context(), "h1", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = p.Claim(t.Context(), pick[0]); err != nil {
		wantCode(t, "claim after a reload", err, core.StaleEpoch)
	}
	if n, _ := p.lease.deliveries(); n != 1 {
		t.Errorf("the document went out %d times", n)
	}
}
