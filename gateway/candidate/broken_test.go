package candidate_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/internal/testbrowser"
	"proofmark/gateway/surface"
)

// actor is a host of the real browser whose pages behave as a test says.
type actor struct {
	contract.Host
	protocol int // 0 for the real one
	// health changes what a page complains about at its n-th load, from 1.
	health func(load int, h *contract.Health)
	// layout changes where a page's elements stand at its n-th load.
	layout func(load int, l *contract.Layout)
	// looks runs before every picture, with the surface and which picture it is.
	looks func(s contract.Surface, n int)

	mu   sync.Mutex
	made int
}

func (a *actor) Info() contract.HostInfo {
	i := a.Host.Info()
	if a.protocol != 0 {
		i.Protocol = a.protocol
	}
	return i
}

func (a *actor) Open(ctx context.Context, o contract.OpenOptions) (contract.Surface, error) {
	s, err := a.Host.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.made++
	return &acted{Surface: s, by: a}, nil
}

type acted struct {
	contract.Surface
	by           *actor
	loads, shots int
}

func (s *acted) Load(ctx context.Context, path string) (contract.Loaded, error) {
	s.loads++
	return s.Surface.Load(ctx, path)
}

func (s *acted) Health(ctx context.Context) (contract.Health, error) {
	h, err := s.Surface.Health(ctx)
	if err == nil && s.by.health != nil {
		s.by.health(s.loads, &h)
	}
	return h, err
}

func (s *acted) Layout(ctx context.Context) (contract.Layout, error) {
	l, err := s.Surface.Layout(ctx)
	if err == nil && s.by.layout != nil {
		s.by.layout(s.loads, &l)
	}
	return l, err
}

func (s *acted) Screenshot(ctx context.Context, o contract.ShotOptions) (contract.Shot, error) {
	s.shots++
	if s.by.looks != nil {
		s.by.looks(s.Surface, s.shots)
	}
	return s.Surface.Screenshot(ctx, o)
}

// play makes the rig's pages those of an actor.
func (r *rig) play(a *actor) {
	r.t.Helper()
	br := testbrowser.Shared(r.t)
	a.Host = br.Host
	m := surface.NewManager(br.Listener, a)
	r.t.Cleanup(func() { _ = m.Close() })
	r.svc.Surfaces = m
}

// R-TURN-7: what only shows now and then is not held against the draft, on
// whichever of the pages it shows first.
func TestFlakyFaults(t *testing.T) {
	for _, load := range []int{1, 2} {
		r := newRig(t, page, "h1")
		r.play(&actor{health: func(n int, h *contract.Health) {
			if n == load {
				h.ConsoleErr = append(h.ConsoleErr, "now and then")
			}
		}})
		s := r.begin()
		st := stage(t, s, "Report", "Other")
		if _, err := s.Surface(t.Context()); err != nil { // touched, so that base and draft are on different loads
			t.Fatal(err)
		}
		l := look(t, s)
		if err := commit(s, st, l); err != nil {
			t.Errorf("at load %d: %v", load, err)
		}
	}
}

// A place that only looks broken now and then is not the draft's doing either.
func TestFlakyLayout(t *testing.T) {
	for _, c := range []struct {
		width  int
		always bool
	}{{candidate.Narrow, false}, {candidate.Narrow, true}, {600, false}, {600, true}} {
		r := newRig(t, narrowShop, "h1")
		elements := 0
		for range r.Tree.Elements() {
			elements++
		}
		r.play(&actor{layout: func(load int, l *contract.Layout) {
			last := len(l.Boxes) - 1
			if draft := last == elements; draft && int(l.Width) == c.width && (load == 1 || c.always) {
				l.Boxes[last].Shown = false
			}
		}})
		s := r.begin()
		stage(t, s, "Report", "Report <b>more</b>")
		if l := look(t, s); (len(l.Faults) > 0) != c.always {
			t.Errorf("%+v: faults %q", c, l.Faults)
		}
	}
}

// R-TURN-7: the same faults before and after do not stop a commit: errors, a
// web font that is blocked, files that are missing.
func TestOldFaultsCommit(t *testing.T) {
	r := newRig(t, body(`<style>@font-face{font-family:F;src:url(https://fonts.example.com/f.woff2)}@font-face{font-family:G;src:url(gone.woff2)}
h1{font-family:F,sans-serif}p{font-family:G}</style><link rel="stylesheet" href="https://fonts.example.com/css"><h1>Report</h1><p>text</p><img src="gone.png" alt="x">
<script>console.error("at", Math.random() < 2); setTimeout(() => { throw new Error("late") }); fetch("/api").catch(() => console.error("no api")); missing()</script>`), "h1")
	s := r.begin()
	st := stage(t, s, "Report", "Other report")
	l := look(t, s)
	if len(l.Faults) != 0 {
		t.Errorf("faults %q", l.Faults)
	}
	if err := commit(s, st, l); err != nil {
		t.Error(err)
	}
}

// A changed script may make other elements than before; one that throws is a
// new fault.
func TestChangedScripts(t *testing.T) {
	html := body(`<h1>Report</h1><p>text</p><ul id="list"></ul><script>
const rows = ["one", "two"];
for (const r of rows) { const li = document.createElement("li"); li.textContent = r; document.getElementById("list").append(li) }
</script>`)
	for _, c := range []struct {
		name, from, to, fault string
	}{
		{"one more row", `["one", "two"]`, `["one", "two", "three"]`, ""},
		{"in front of everything", `document.getElementById("list").append(li)`, `document.body.prepend(li)`, ""},
		{"it throws", `["one", "two"]`, `undefined`, "new error"},
		{"it hides the rest", `const rows =`, `document.querySelector("p").hidden = true; const rows =`, "<p> “text” is not displayed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, html, "h1")
			r.opt.Approved = []string{"script"}
			s := r.begin()
			st := stage(t, s, c.from, c.to)
			l := look(t, s)
			if !l.Verification.TreeMatches {
				t.Error("the parser's elements are the map's")
			}
			err := commit(s, st, l)
			if c.fault == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if core.CodeOf(err) != core.NewFault || !strings.Contains(strings.Join(l.Faults, "\n"), c.fault) {
				t.Errorf("%v, faults %q", err, l.Faults)
			}
		})
	}
}

// T-93: a host that speaks protocol 3 lets the source be edited, and nothing it
// shows may count as a verification.
func TestOldProtocolIsSourceOnly(t *testing.T) {
	r := newRig(t, page, "h1")
	a := &actor{protocol: 3}
	r.play(a)
	s := r.begin()
	st := stage(t, s, "Report", "Other") // the source tools work
	if len(st.Edits) != 1 || !bytes.Contains(s.Current().Source(), []byte("Other")) {
		t.Errorf("staged %+v", st)
	}
	_, lookErr := s.Look(t.Context())
	_, showErr := s.Surface(t.Context())
	_, shotErr := s.Picture(t.Context(), candidate.PictureOptions{})
	for _, err := range []error{lookErr, showErr, shotErr} {
		if e := wantCode(t, err, core.NoBrowser); !strings.Contains(e.Message, "protocol 3") || e.Hint == "" {
			t.Errorf("%s (%s)", e.Message, e.Hint)
		}
	}
	if s.Verification() != nil || s.Looks() != 0 || a.made != 0 {
		t.Errorf("it was looked at: %+v, %d pages", s.Verification(), a.made)
	}
	_, err := s.Commit(t.Context(), candidate.CommitOptions{SHA: st.SHA, Receipt: "vfy_forged"})
	wantCode(t, err, core.StaleReceipt)
	r.untouched()
	s.Close()
	// By hand the source can be edited all the same.
	after := strings.Replace(page, "Report", "Other", 1)
	at := strings.Index(page, "Report")
	if rev := r.Commit(core.SourceManual, after, []core.Edit{{Span: core.Span{Start: at, End: at + 6}, Replacement: "Other"}}); rev.Generation != 2 {
		t.Errorf("generation %d", rev.Generation)
	}
}

// T-101: the draft's page goes away in the middle of a look; the head is as it
// was, and nothing of the turn is left.
func TestPageLostWhileLooking(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		r := newRig(t, narrowShop, "h1")
		r.play(&actor{looks: func(s contract.Surface, shot int) {
			if shot == n {
				_ = s.Close()
			}
		}})
		s := r.begin()
		st := stage(t, s, "Report", "Other")
		l, err := s.Look(t.Context())
		wantCode(t, err, core.SurfaceLost)
		wantCode(t, commit(s, st, l), core.StaleReceipt)
		s.Close()
		r.untouched()
		if r.draftStored() {
			t.Error("the draft is still there")
		}
	}
}

// D-36, T-92: pictures are never written anywhere: not into the store, not
// beside the document.
func TestNoPictureIsStored(t *testing.T) {
	r := newRig(t, narrowShop, "h1")
	s := r.begin()
	st := stage(t, s, "Report", "Other")
	look(t, s)
	if _, err := s.Picture(t.Context(), candidate.PictureOptions{Of: candidate.OfDifference, Part: candidate.PartPage}); err != nil {
		t.Fatal(err)
	}
	l := look(t, s)
	if err := commit(s, st, l); err != nil {
		t.Fatal(err)
	}
	s.Close()
	magic := [][]byte{[]byte("\x89PNG"), []byte("IDAT"), []byte("iVBORw0KGgo")}
	files := 0
	for _, dir := range []string{r.Dir, r.Store.Dir()} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			files++
			b, err := os.ReadFile(path)
			for _, m := range magic {
				if bytes.Contains(b, m) {
					t.Errorf("%s holds a picture", filepath.Base(path))
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 2 {
		t.Errorf("only %d files were looked at", files)
	}
}
