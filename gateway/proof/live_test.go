package proof_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"proofmark/bridge/cdp"
	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
)

// The truth of these tests: the page that Chromium gets has a number in every
// start tag (data-truth), and the test's script library marks whatever a
// script makes (data-made). The proof sees neither: its source is the page
// without the numbers, and both attributes are taken out of the picks. Script
// text is never numbered, so that what it writes carries no truth.

const (
	truthAttr = "data-truth"
	madeAttr  = "data-made"
)

// library is what the pages' scripts do their work with.
const library = `
const made = (n) => { if (n.nodeType === 1) n.setAttribute('data-made', ''); for (const c of n.childNodes) made(c); if (n.content) made(n.content); return n; };
const mk = (name, text, attrs) => { const e = document.createElement(name); if (text) e.textContent = text; for (const k in attrs || {}) e.setAttribute(k, attrs[k]); return made(e); };
const cl = (n) => made(n.cloneNode(true));
const html = (e, s) => { e.innerHTML = s; for (const c of e.childNodes) made(c); };
const again = (e) => html(e, e.innerHTML);
const put = (e, where, s) => { const before = new Set(document.querySelectorAll('*')); e.insertAdjacentHTML(where, s); for (const n of document.querySelectorAll('*')) if (!before.has(n)) n.setAttribute('data-made', ''); };
const $ = (s) => document.querySelector(s);
const $$ = (s) => [...document.querySelectorAll(s)];
const reorder = (e, f) => { const k = [...e.children]; const o = f(k); for (const c of o) e.appendChild(c); };
let seed = 7; const rnd = (n) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
const shuffle = (k) => { for (let i = k.length - 1; i > 0; i--) { const j = rnd(i + 1); [k[i], k[j]] = [k[j], k[i]]; } return k; };
`

// writing is the part of it that stops nothing from being tied where it is not
// used: a page whose scripts name document.write is trusted less.
const writing = `const write = (s) => document.write(s.replace(/<([a-z][a-z0-9-]*)/g, '<$1 data-made'));
`

// page is one live test page: what Chromium gets, and what the proof gets.
type page struct {
	served string
	source string
	starts []int // of each numbered start tag in source
}

var startTags = regexp.MustCompile(`<[a-zA-Z][^\s/>]*|<!--|</?script\b[^>]*>`)

// number makes both forms of a page written with ordinary start tags. The
// placeholder LIBRARY becomes the library. Text of scripts and comments stays.
func number(text string) page {
	lib := library
	if strings.Contains(text, "write(") {
		lib += writing
	}
	text = strings.ReplaceAll(text, "LIBRARY", lib)
	var p page
	var b strings.Builder
	at, n, quiet := 0, 0, ""
	for _, m := range startTags.FindAllStringIndex(text, -1) {
		tag := text[m[0]:m[1]]
		if quiet != "" {
			if end := strings.Index(text[at:m[0]], "-->"); quiet == "<!--" && end >= 0 || strings.HasPrefix(tag, quiet) {
				quiet = ""
			}
			if strings.HasPrefix(tag, "</script") || quiet != "" {
				continue
			}
		}
		switch {
		case tag == "<!--":
			quiet = "<!--"
			b.WriteString(text[at:m[0]])
			at = m[0]
			continue
		case strings.HasPrefix(tag, "</"):
			continue
		case strings.HasPrefix(tag, "<script"):
			quiet = "</script"
		}
		name := m[0] + 1
		for name < len(text) && !strings.ContainsRune(" \t\n/>", rune(text[name])) {
			name++
		}
		b.WriteString(text[at:name])
		fmt.Fprintf(&b, ` %s=%d`, truthAttr, n)
		at = name
		p.starts = append(p.starts, m[0])
		n++
	}
	b.WriteString(text[at:])
	p.served, p.source = b.String(), text
	return p
}

// stage serves pages by path, as origin and proxy in one, to one Chromium.
type stage struct {
	host    contract.Host
	surface contract.Surface
	mu      sync.Mutex
	files   map[string]string
	n       int
	resume  chan struct{} // a page asks for /go: what stands behind PAUSE may follow
}

// pause is where the server stops sending until the page asks for /go.
const pause = "<!--PAUSE-->"

func newStage(t testing.TB) *stage {
	t.Helper()
	s := &stage{files: map[string]string{}, resume: make(chan struct{}, 1)}
	srv := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(srv.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	host, err := cdp.Launch(ctx, cdp.LaunchOptions{Proxy: srv.URL, Headless: true})
	if core.CodeOf(err) == core.NoBrowser && os.Getenv("PROOFMARK_REQUIRE_CHROMIUM") == "" {
		t.Skipf("NO CHROMIUM: nothing of the live proof was tested: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	s.host = host
	origin := strings.Replace(srv.URL, "127.0.0.1", "prooftest.localhost", 1)
	if s.surface, err = host.Open(ctx, contract.OpenOptions{Origin: origin, Width: 800, Height: 600, Hidden: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.surface.Close() })
	return s
}

func (s *stage) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	text, ok := s.files[r.URL.Path]
	s.mu.Unlock()
	switch {
	case r.URL.Path == "/go":
		s.resume <- struct{}{}
		return
	case !ok:
		http.NotFound(w, r)
		return
	case strings.HasSuffix(r.URL.Path, ".js"):
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	first, rest, paused := strings.Cut(text, pause)
	fmt.Fprint(w, first)
	if !paused {
		return
	}
	w.(http.Flusher).Flush()
	select {
	case <-s.resume:
		fmt.Fprint(w, pause, rest)
	case <-r.Context().Done():
	}
}

func (s *stage) put(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = text
}

// result counts what became of the elements of live pages.
type result struct {
	right, refusedSource, refusedOther int
	codes                              map[core.Code]int
}

func (r result) rate() float64 { return float64(r.right) / float64(max(1, r.right+r.refusedSource)) }

// run loads a page and asks for a proof of every element on it; a wrong one
// fails the test.
func (s *stage) run(t testing.TB, text string) result {
	t.Helper()
	p := number(text)
	s.n++
	path := fmt.Sprintf("/page%d.html", s.n)
	s.put(path, p.served)
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	if _, err := s.surface.Load(ctx, path); err != nil {
		t.Fatalf("load: %v\n%s", err, text)
	}
	births, err := s.surface.Births(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range births.List { // but for the number
		births.List[i].Attrs = max(0, births.List[i].Attrs-1)
	}
	picks, n, err := s.surface.Query(ctx, "*", core.MaxInspectNodes)
	if err != nil {
		t.Fatal(err)
	}
	if n > len(picks) {
		t.Logf("only %d of %d elements looked at", len(picks), n)
	}
	tree, err := htmlsrc.Parse([]byte(p.source), htmlsrc.Options{Scripting: true})
	if err != nil {
		t.Fatal(err)
	}
	tie := proof.NewTie(births, tree)
	res := result{codes: map[core.Code]int{}}
	for _, pick := range picks {
		truth, isMade := strip(&pick)
		v, err := proof.Verify(proof.Claim{Pick: pick, Births: births, SourceSHA: "s", Tie: tie}, tree, "s")
		fromSource := truth >= 0 && !isMade
		if err != nil {
			res.codes[core.CodeOf(err)]++
			if fromSource {
				res.refusedSource++
			} else {
				res.refusedOther++
			}
			continue
		}
		tag, _ := tree.StartTag(v.Node())
		if !fromSource || tag.Start != p.starts[truth] {
			t.Fatalf("WRONG: <%s> (truth %d, made %v) proven to be %v\n%s\n%s", pick.Chain[0].Name, truth, isMade, tag, text, pick.Text)
		}
		res.right++
	}
	if res.refusedSource > 0 && testing.Verbose() {
		t.Logf("tie: %q, births: %q", tie.Reason(), births.Reason)
	}
	return res
}

// strip takes the truth out of a pick.
func strip(p *contract.Pick) (truth int, isMade bool) {
	truth = -1
	for i := range p.Chain {
		kept := p.Chain[i].Attrs[:0]
		for _, a := range p.Chain[i].Attrs {
			switch {
			case a.Name == truthAttr && i == 0:
				truth, _ = strconv.Atoi(a.Value)
			case a.Name == madeAttr && i == 0:
				isMade = true
			case a.Name != truthAttr && a.Name != madeAttr:
				kept = append(kept, a)
			}
		}
		p.Chain[i].Attrs = kept
	}
	return truth, isMade
}
