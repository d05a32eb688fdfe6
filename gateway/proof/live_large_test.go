package proof_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
)

// On a page too large for the register, what is the only one of its kind is
// proven by its place and its witnesses, and twins are refused, sorted or not.
func TestLiveLargePage(t *testing.T) {
	if testing.Short() {
		t.Skip("a page of 50,000 elements takes seconds to load")
	}
	s := newStage(t)
	var b strings.Builder
	b.WriteString(`<!doctype html><html><head><title>t</title></head><body><main>`)
	for i := range 520 {
		fmt.Fprintf(&b, "<section id=s%d><h2>Part %d</h2><ul>", i, i)
		for j := range 99 {
			fmt.Fprintf(&b, "<li>item %d</li>", j)
		}
		b.WriteString("</ul></section>\n")
	}
	b.WriteString(`</main><script>
		const u = document.querySelector('#s3 ul'); u.prepend(u.lastElementChild);
		const [p, q] = [document.querySelector('#s5'), document.querySelector('#s6')]; q.after(p);
		document.querySelector('#s9').prepend(document.createElement('hr'));
	</script></body></html>`)
	src := b.String()
	s.put("/large.html", src)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	if _, err := s.surface.Load(ctx, "/large.html"); err != nil {
		t.Fatal(err)
	}
	births, err := s.surface.Births(ctx)
	if err != nil || births.Complete {
		t.Fatalf("complete %v, %v: the page was to be too large", births.Complete, err)
	}
	tree, err := htmlsrc.Parse([]byte(src), htmlsrc.Options{Scripting: true})
	if err != nil {
		t.Fatal(err)
	}
	tie := proof.NewTie(births, tree)
	for _, c := range []struct {
		selector, want string // start of the source at the tag; "" for a refusal
	}{
		{"#s2", "<section id=s2>"},
		{"#s2 h2", "<h2>Part 2</h2>"},
		{"#s2 li:nth-child(4)", ""},                  // a twin in every section
		{"#s3 li:first-child", ""},                   // moved here
		{"#s5", ""},                                  // changed places with #s6: not where the source has it
		{"#s5 h2", ""},                               // in it
		{"#s9 h2", ""},                               // a script put something in front of it
		{"main", "<main>"},                           // the only one
		{"#s500 h2", "<h2>Part 500</h2>"},            // far down
		{"hr", ""},                                   // made by a script
		{"body > script", "<script>\n\t\tconst u ="}, // at the end
	} {
		picks, n, err := s.surface.Query(ctx, c.selector, 2)
		if err != nil || n != 1 {
			t.Fatalf("%s: %d, %v", c.selector, n, err)
		}
		v, err := proof.Verify(proof.Claim{Pick: picks[0], Births: births, SourceSHA: "s", Tie: tie}, tree, "s")
		switch {
		case err != nil && c.want != "":
			t.Errorf("%s: refused: %v %v", c.selector, err, core.AsError(err).Detail)
		case err == nil && c.want == "":
			tag, _ := tree.StartTag(v.Node())
			t.Errorf("%s: proven to be %v", c.selector, tag)
		case err == nil:
			tag, _ := tree.StartTag(v.Node())
			if !strings.HasPrefix(src[tag.Start:], c.want) {
				t.Errorf("%s: WRONG: %.60q", c.selector, src[tag.Start:])
			}
		}
	}
}

// R-PICK-1 and 3 in one: what inspect mode picks at a point is proven as the
// element that stands there, after its twins were sorted.
func TestLivePickAtAPoint(t *testing.T) {
	s := newStage(t)
	src := `<!doctype html><html><head><style>button{display:block;height:40px;width:200px;margin:0}body{margin:0}</style></head>` +
		`<body><div><button>Go</button><button>Go</button><button>Go</button><button>Go</button></div>` +
		`<script>const d = document.querySelector('div'); d.append(...[...d.children].reverse())</script></body></html>`
	s.put("/point.html", src)
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	if _, err := s.surface.Load(ctx, "/point.html"); err != nil {
		t.Fatal(err)
	}
	births, err := s.surface.Births(ctx)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := htmlsrc.Parse([]byte(src), htmlsrc.Options{Scripting: true})
	if err != nil {
		t.Fatal(err)
	}
	for row := range 4 {
		pick, err := s.surface.PickAt(ctx, 100, float64(20+40*row))
		if err != nil {
			t.Fatal(err)
		}
		checkRow(t, tree, src, pick, births, 3-row)
	}
}

// checkRow asks that the pick is the n-th button of the source, from 0.
func checkRow(t *testing.T, tree *htmlsrc.Tree, src string, pick contract.Pick, births contract.Births, n int) {
	t.Helper()
	v, err := proof.Verify(proof.Claim{Pick: pick, Births: births, DocumentID: "d", RevisionID: "r", SourceSHA: "s"}, tree, "s")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Index(src, "<button>") + n*len("<button>Go</button>")
	if a := v.Anchor("", ""); a.StartTag.Start != want || a.Name != "button" || a.Quote != "Go" {
		t.Errorf("button %d: %+v, want it at %d", n, a, want)
	}
}
