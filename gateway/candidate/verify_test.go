package candidate_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/internal/testbrowser"
	"proofmark/gateway/surface"
)

func commit(s *candidate.Session, st candidate.Staged, l candidate.Look) error {
	_, err := s.Commit(context.Background(), candidate.CommitOptions{SHA: st.SHA, Receipt: l.Receipt})
	return err
}

func body(inner string) string {
	return "<!doctype html>\n<html><head><meta charset=\"utf-8\"><title>T</title></head>\n<body>\n" + inner + "\n</body></html>\n"
}

func pixel() []byte {
	m := image.NewRGBA(image.Rect(0, 0, 20, 20))
	m.Set(0, 0, color.RGBA{R: 255, A: 255})
	return encoded(m)
}

func encoded(m image.Image) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, m)
	return b.Bytes()
}

// R-TURN-7: what the page had broken before does not stop a commit; the same
// page with something newly broken is refused with the reason.
func TestHealthIsADifference(t *testing.T) {
	old := `<h1>Report</h1><p id="x">text</p><img src="gone.png" alt=""><link rel="stylesheet" href="gone.css">
<script>console.error("old trouble"); document.getElementById("x").title = "t"</script>
<script>nothing.here()</script>`
	cases := []struct {
		name, from, to string
		fault          string // part of the reason; empty for none
	}{
		{"old faults", "Report", "Other", ""},
		{"a line above moves the positions", "<h1>Report</h1>", "<h1>Re\n\n\nport</h1>", ""},
		{"new uncaught error", `<p id="x">text</p>`, ``, "null"},
		{"newly missing image", "text", `<img src="fresh.png" alt="">`, "fresh.png"},
		{"image that is there", "text", `<img src="there.png" alt="">`, ""},
		{"foreign image is policy, not a fault", "text", `<img src="https://images.example.com/a.png" alt="">`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, body(old), "h1")
			r.Write("there.png", pixel())
			r.opt.Approved = []string{"external_origin"}
			s := r.begin()
			st := stage(t, s, c.from, c.to)
			l := look(t, s)
			err := commit(s, st, l)
			if c.fault == "" {
				if err != nil || len(l.Faults) != 0 {
					t.Errorf("refused: %v, faults %q", err, l.Faults)
				}
				return
			}
			e := wantCode(t, err, core.NewFault)
			if !strings.Contains(strings.Join(l.Faults, "\n"), c.fault) || !strings.Contains(e.Message, c.fault) {
				t.Errorf("faults %q, message %q", l.Faults, e.Message)
			}
			if strings.Contains(e.Message, "old trouble") || strings.Contains(e.Message, "gone") {
				t.Errorf("an old fault is held against the draft: %s", e.Message)
			}
			r.untouched()
		})
	}
}

// A page that falls flat is a fault, unless the target was all there was.
func TestLayoutCollapse(t *testing.T) {
	r := newRig(t, body(`<div><h1>Report</h1><p>text</p><p>more</p><p>more</p></div>`), "h1")
	s := r.begin()
	st := stage(t, s, "<div>", `<div style="display:none">`)
	l := look(t, s)
	if err := commit(s, st, l); core.CodeOf(err) != core.NewFault || !strings.Contains(strings.Join(l.Faults, ""), "layout") {
		t.Errorf("got %v, faults %q", err, l.Faults)
	}
	r.untouched()

	all := newRig(t, body(`<div><h1>Report</h1><p>text</p><p>more</p><p>more</p></div>`), "div")
	s = all.begin()
	st = stage(t, s, "<div>", `<div style="display:none">`)
	if err := commit(s, st, look(t, s)); err != nil {
		t.Errorf("hiding the target itself was refused: %v", err)
	}
}

// R-TURN-8: a shift of everything below the target is told, not refused.
func TestLayoutShiftIsReported(t *testing.T) {
	r := newRig(t, page, "h1")
	s := r.begin()
	st := stage(t, s, "<h1>Report</h1>", `<h1 style="height:120px">Report</h1>`)
	l := look(t, s)
	if l.Verification.PixelsOutside <= 0 {
		t.Errorf("the paragraphs moved, but %v of the pixels outside differ", l.Verification.PixelsOutside)
	}
	if err := commit(s, st, l); err != nil {
		t.Error(err)
	}
}

// R-TURN-8: what moves by itself is not the edit's.
func TestAnimationIsMasked(t *testing.T) {
	html := strings.Replace(page, "</style>", `
@keyframes k{from{margin-left:0}to{margin-left:300px}}
#b{width:40px;height:40px;background:red;animation:k 0.7s linear infinite}</style>`, 1)
	r := newRig(t, html, "h1")
	s := r.begin()
	st := stage(t, s, "Report", "Other")
	l := look(t, s)
	if l.Verification.PixelsInside <= 0 || l.Verification.PixelsOutside > 0.01 {
		t.Errorf("inside %v, outside %v", l.Verification.PixelsInside, l.Verification.PixelsOutside)
	}
	if err := commit(s, st, l); err != nil {
		t.Error(err)
	}
}

// R-TURN-8: twins that a script sorted leave a tree that looks like the
// source's; what changed is still measured where the target stands now.
func TestSortedTwinsAreMeasured(t *testing.T) {
	html := body("<p>x</p>\n<p>x</p>\n<p>x</p>\n<script>document.body.insertBefore(document.querySelector('p'), document.querySelector('script'))</script>")
	r := newRig(t, html, "p")
	s := r.begin()
	stage(t, s, "<body>\n<p>", `<body>
<p style="color:red">`)
	l := look(t, s)
	if l.Verification.PixelsInside <= 0 || l.Verification.PixelsOutside > 0 {
		t.Errorf("inside %v, outside %v", l.Verification.PixelsInside, l.Verification.PixelsOutside)
	}
}

// Pages whose scripts rebuild their DOM still get Chromium's word on the
// elements the parser made, and their targets are found where they moved to.
func TestScriptedPagesAreChecked(t *testing.T) {
	html := body(`<ul><li id="one">one</li><li id="two">two</li></ul><h1>Report</h1>
<script>
for (let i = 0; i < 3; i++) document.body.insertBefore(document.createElement("p"), document.body.firstChild).textContent = "banner " + Math.random();
const ul = document.querySelector("ul"); ul.append(ul.firstElementChild); ul.prepend(document.createElement("li"));
</script>`)
	r := newRig(t, html, "h1")
	s := r.begin()
	st := stage(t, s, `<li id="one">one</li>`, "")
	l := look(t, s)
	if !l.Verification.TreeMatches {
		t.Error("the trees do not match")
	}
	if err := commit(s, st, l); err != nil {
		t.Error(err)
	}

	r = newRig(t, html, "h1")
	s = r.begin()
	stage(t, s, "Report", "Other")
	if l := look(t, s); l.Verification.PixelsInside <= 0 {
		t.Errorf("the moved target was not found: inside %v, outside %v", l.Verification.PixelsInside, l.Verification.PixelsOutside)
	}
}

// Pages that browsers build in odd ways: Chromium's word on them is the map's.
func TestOddPagesMatch(t *testing.T) {
	for name, html := range map[string]string{
		"template":        body(`<h1>Report</h1><template><p>a</p><template><i>b</i></template></template>`),
		"open shadow":     body(`<h1>Report</h1><div><template shadowrootmode="open"><p>a</p><slot></slot></template><b>c</b></div>`),
		"closed shadow":   body(`<h1>Report</h1><div><template shadowrootmode="closed"><p>a</p><slot></slot></template><b>c</b></div>`),
		"foster parents":  body(`<h1>Report</h1><table><p>a<tr><td>b<b>c</table>d`),
		"formatting":      body(`<h1>Report</h1><p><b><i>a<p>b</i>c</b>d`),
		"foreign":         body(`<h1>Report</h1><svg><foreignObject><p>a</foreignObject><path d="M0 0"/></svg><math><mi>x</mi></math>`),
		"select":          body(`<h1>Report</h1><select><optgroup label=a><option>b<option selected>c</select>`),
		"noscript":        body(`<h1>Report</h1><noscript><p>a</p></noscript>`),
		"no tags at all":  "<h1>Report</h1>text",
		"quirks, CRLF":    "<html>\r\n<body>\r\n<h1>Report</h1>\r\n<p>a<table><td>b</table>",
		"byte order mark": "\ufeff<!doctype html><title>T</title><h1>Report</h1>",
		"empty frames":    body(`<h1>Report</h1><iframe src="about:blank"></iframe><object data="x"></object>`),
		"late body":       "<!doctype html><title>T</title><h1>Report</h1><body class=a><html lang=en>",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, html, "h1")
			s := r.begin()
			st := stage(t, s, "Report", "Other")
			l := look(t, s)
			if err := commit(s, st, l); err != nil || !l.Verification.TreeMatches {
				t.Errorf("%v, verification %+v", err, l.Verification)
			}
		})
	}
}

// R-TURN-11: what the change adds needs approval, by kind.
func TestPolicyNeedsApproval(t *testing.T) {
	r := newRig(t, page, "h1")
	s := r.begin()
	st := stage(t, s, "<h1>Report</h1>", `<h1>Report</h1><img src="https://images.example.com/a.png" alt="">`)
	if len(st.Flags) == 0 {
		t.Fatal("no flag")
	}
	l := look(t, s)
	e := wantCode(t, commit(s, st, l), core.NeedsApproval)
	if !strings.Contains(e.Hint, st.Flags[0].Kind) {
		t.Errorf("hint %q does not say how to approve", e.Hint)
	}
	r.untouched()
	_, err := s.Commit(context.Background(), candidate.CommitOptions{SHA: st.SHA, Receipt: l.Receipt, Approved: []string{"meta_refresh"}})
	wantCode(t, err, core.NeedsApproval)
	var kinds []string
	for _, f := range st.Flags {
		kinds = append(kinds, f.Kind)
	}
	res, err := s.Commit(context.Background(), candidate.CommitOptions{SHA: st.SHA, Receipt: l.Receipt, Approved: kinds})
	if err != nil || len(res.ChangeSet.Flags) != len(st.Flags) {
		t.Errorf("approved, but %v; flags %v", err, res.ChangeSet.Flags)
	}
}

// R-TURN-11: what a person approved can be committed, though no preview shows a
// frame.
func TestApprovedFrameIsNoFault(t *testing.T) {
	r := newRig(t, page, "h1")
	r.opt.Approved = []string{"frame"}
	s := r.begin()
	st := stage(t, s, "<h1>Report</h1>", `<h1>Report</h1><iframe src="/f.html"></iframe>`)
	if err := commit(s, st, look(t, s)); err != nil {
		t.Error(err)
	}
}

// The browser tools' view is of the current bytes; using it does not spoil the
// comparison.
func TestSurfaceShowsTheCurrentBytes(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, "h1")
	s := r.begin()
	read := func() string {
		sf, err := s.Surface(ctx)
		if err != nil {
			t.Fatal(err)
		}
		picks, _, err := sf.Query(ctx, "h1", 1)
		if err != nil || len(picks) != 1 {
			t.Fatal(picks, err)
		}
		return picks[0].Text
	}
	if got := read(); got != "Report" {
		t.Errorf("base shows %q", got)
	}
	stage(t, s, "Report", "One")
	if got := read(); got != "One" {
		t.Errorf("draft shows %q", got)
	}
	st := stage(t, s, "One", "Two")
	if err := s.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	if got := read(); got != "Two" {
		t.Errorf("repaired draft shows %q", got)
	}
	l := look(t, s)
	if l.Verification.PixelsOutside != 0 {
		t.Errorf("outside %v", l.Verification.PixelsOutside)
	}
	if err := commit(s, st, l); err != nil {
		t.Error(err)
	}
}

// A page that was loaded for picking serves as the base, and stays open.
func TestLentBase(t *testing.T) {
	ctx := context.Background()
	html := strings.Replace(page, "<title>", `<meta name="viewport" content="width=device-width"><title>`, 1)
	r := newRig(t, html, "h1")
	p, err := r.svc.Surfaces.Open(ctx, surface.Spec{
		DocumentID: r.Doc.ID, RevisionID: r.Head.ID, SHA: r.Head.SHA256, Bytes: []byte(html), FileName: "page.html", Width: 600, Height: 400,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	loaded, err := p.Load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r.opt.Base = p
	s := r.begin()
	st := stage(t, s, "Report", "Other")
	l := look(t, s)
	if l.Verification.PixelsInside <= 0 || l.Verification.PixelsOutside != 0 {
		t.Errorf("verification %+v", l.Verification)
	}
	if err := commit(s, st, l); err != nil {
		t.Error(err)
	}
	s.Close()
	if now, err := p.Surface().Layout(ctx); err != nil || now.Width != 600 || len(l.Verification.Widths) != 2 {
		t.Errorf("the lent page is %v wide, after looks at %d other widths: %v", now.Width, len(l.Verification.Widths), err)
	}
	if again, err := p.Load(ctx); err != nil || again.Epoch != loaded.Epoch+1 {
		t.Errorf("the lent page was loaded again or closed: %+v, %v", again, err)
	}
}

// T-101: the browser goes away in the middle of a turn.
func TestSurfaceLost(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, "h1")
	br := testbrowser.Own(t)
	r.svc.Surfaces = br.Surfaces
	s := r.begin()
	stage(t, s, "Report", "One")
	l := look(t, s)
	st := stage(t, s, "One", "Two")
	if err := br.Host.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := s.Look(ctx)
	wantCode(t, err, core.SurfaceLost)
	wantCode(t, commit(s, st, l), core.StaleReceipt)
	s.Close()
	r.untouched()
	if r.draftStored() {
		t.Error("the draft is still there")
	}
}

// Without a browser nothing can be verified, and so nothing committed.
func TestNoBrowserNoCommit(t *testing.T) {
	r := newRig(t, page, "h1")
	r.svc.Surfaces = nil
	s := r.begin()
	stage(t, s, "Report", "One")
	_, err := s.Look(context.Background())
	wantCode(t, err, core.NoBrowser)
}

// A cancelled turn stops where it waits.
func TestCancelledLook(t *testing.T) {
	r := newRig(t, page, "h1")
	s := r.begin()
	st := stage(t, s, "Report", "One")
	l := look(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Commit(ctx, candidate.CommitOptions{SHA: st.SHA, Receipt: l.Receipt}); core.CodeOf(err) != core.Cancelled {
		t.Errorf("got %v", err)
	}
	if _, err := s.Look(ctx); err == nil {
		t.Error("a look went on after cancelling")
	}
	r.untouched()
}
