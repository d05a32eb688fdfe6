package candidate_test

import (
	"strings"
	"testing"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
)

// shop is a page as people make them: a bar, two cards beside each other, a
// box of fixed height, a foot.
const shop = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>T</title>
<style>
body{margin:0;font:16px/20px sans-serif}
nav{display:flex;gap:20px;height:40px}
.cards{display:flex;gap:20px}
.card{width:200px;height:100px;overflow:hidden}
.fixed{height:60px;width:300px}
.bar{height:12px;width:200px;background:#147}
h1{font-size:20px;margin:0}
p{margin:0 0 10px}
</style></head>
<body>
<nav><a href="#a">One</a><a href="#b">Two</a></nav>
<h1>Report</h1>
<div class="cards">
<div class="card"><h2>Left</h2><p id="l">left words</p></div>
<div class="card"><h2>Right</h2><p id="r">right words</p></div>
</div>
<div class="bar"></div>
<div class="fixed"><p>inside the box</p></div>
<p id="after">after the box</p>
<footer><p>The foot</p></footer>
</body></html>
`

// narrowShop is shop for telephones too.
var narrowShop = strings.Replace(shop, "</style>", "@media(max-width:500px){.cards{display:block}}\n</style>", 1)

// R-TURN-7: what stands worse elsewhere than in the target is caught, with a
// reason that names the element and what happened to it.
func TestLayoutElsewhere(t *testing.T) {
	cases := []struct {
		name, page, from, to string
		faults               []string // a part of each, in order; none for a draft that may be committed
	}{
		{"another element is hidden", shop, `<p id="after">`, `<p id="after" hidden>`, []string{`layout: <p#after> “after the box” is not displayed any more`}},
		{"a style sheet hides others", shop, "p{margin:0 0 10px}", "p{visibility:hidden}", []string{
			"<p#l> “left words” is not displayed", "<p#r> “right words” is not", "<div.fixed> “inside the box” is not", "<p#after> “after the box” is not", "<footer> “The foot” is not",
		}},
		{"a whole part is hidden", shop, ".cards{display:flex", ".cards{display:none", []string{"<div.cards> “Left left words Right right words” is not displayed any more"}},
		{"a painted bar is hidden", shop, "background:#147", "display:none;background:#147", []string{"<div.bar> is not displayed any more"}},
		{"no room", shop, ".card{width:200px", ".card:last-child{width:0;padding:0}.card{width:200px", []string{"<div.card> “Right right words” was 200 × 100 CSS pixels and has no room any more (0 × 100)"}},
		{"off the page", shop, ".bar{", "footer{position:absolute;left:-4000px}.bar{", []string{"<footer> “The foot” is where nobody can see it"}},
		{"the view cuts off", shop, "body{margin:0;", "html{overflow:hidden}body{margin:0;padding-top:900px;", []string{
			"<nav> “One Two”", "<div.cards> “Left left words Right right words” is where nobody can see it", "<div.fixed>", "<p#after>", "<footer>",
		}},
		{"a box cuts off", shop, ".card{width:200px;height:100px", ".card{width:200px;height:30px", []string{"<p#l> “left words” is where nobody", "<p#r> “right words” is where nobody"}},
		{"a box cuts off at its side", shop, ".cards{display:flex;gap:20px}", ".cards{display:flex;gap:20px;width:210px;overflow:hidden}.card{flex:none}", []string{
			"<div.card> “Right right words” is where nobody",
		}},
		{"beside the target", strings.Replace(shop, "<h1>Report</h1>", `<div class="top"><h1>Report</h1><p>beside</p></div>`, 1), "<p>beside", "<p hidden>beside", []string{
			"layout: <p> “beside” is not displayed any more",
		}},
		{"a patch that repeats what it keeps", shop, `<div class="fixed"><p>inside the box</p></div>`, `<div class="fixed" title="x"><p hidden>inside the box</p></div>`, []string{
			"“inside the box” is not displayed any more",
		}},
		{"everything on one place", shop, ".cards{display:flex;gap:20px}", ".cards{display:flex;gap:20px;position:relative}.card{position:absolute}", []string{
			"<div.cards> “Left left words Right right words” was 600 × 100 CSS pixels and is now 600 × 0", "<h2> “Left” and <p> “inside the box” lie on each other now", "<p#l> “left words” and <p#r> “right words” lie on each other now",
		}},
		{"wider than the view", shop, ".fixed{height:60px;width:300px}", ".fixed{height:60px;width:1300px}", []string{
			"the page is now 1300 CSS pixels wide in a view of 600, which it fitted before; <div.fixed> “inside the box” sticks out",
		}},
		{"only where it is narrow", narrowShop, ".cards{display:block}}", ".cards{display:none}}", []string{"at a width of 390: layout: <div.cards>"}},
		{"only where it is wide", narrowShop, "</style>", "@media(min-width:1000px){footer{display:none}}</style>", []string{"at a width of 1280: layout: <footer>"}},
		{"an error only where it is narrow", narrowShop, "</footer>", "</footer><script>setInterval(() => { if (innerWidth < 500) missing() }, 10)</script>", []string{
			"at a width of 390: new error: ReferenceError: missing is not defined",
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.page, "h1")
			r.opt.Approved = []string{"script"}
			s := r.begin()
			st := stage(t, s, c.from, c.to)
			l := look(t, s)
			if len(l.Faults) != len(c.faults) {
				t.Fatalf("faults %q, want %d", l.Faults, len(c.faults))
			}
			for i, want := range c.faults {
				if !strings.Contains(l.Faults[i], want) {
					t.Errorf("fault %d is %q, want %q", i, l.Faults[i], want)
				}
			}
			e := wantCode(t, commit(s, st, l), core.NewFault)
			if strings.Contains(c.faults[0], "error") == strings.Contains(e.Hint, "--approve layout") {
				t.Errorf("hint %q", e.Hint)
			}
			r.untouched()
		})
	}
}

// R-TURN-7: edits as people make them are not held against their pages.
func TestOrdinaryEditsCommit(t *testing.T) {
	long := strings.Repeat("many more words than before ", 12)
	cases := []struct{ name, page, target, from, to string }{
		{"longer text", narrowShop, "h1", "Report", long},
		{"longer text in a box of fixed height", shop, "h2", "Left", long},
		{"one long word", narrowShop, "h1", "Report", strings.Repeat("long", 120)},
		{"larger than the view", narrowShop, "h1", "<h1>", `<h1 style="font-size:300px;line-height:1;white-space:nowrap">`},
		{"hide the target", shop, "nav", "<nav>", `<nav style="display:none">`},
		{"remove the target", shop, "nav", `<nav><a href="#a">One</a><a href="#b">Two</a></nav>`, ""},
		{"remove the only thing in a box", shop, "h2", `<h2>Left</h2><p id="l">left words</p>`, ""},
		{"move a card", shop, "div", `<div class="card"><h2>Left</h2><p id="l">left words</p></div>
<div class="card"><h2>Right</h2><p id="r">right words</p></div>`, `<div class="card"><h2>Right</h2><p id="r">right words</p></div>
<div class="card"><h2>Left</h2><p id="l">left words</p></div>`},
		{"another tag", shop, "h1", "<h1>Report</h1>", "<h2>Report</h2>"},
		{"restyle everything", narrowShop, "h1", "font:16px/20px sans-serif", "font:19px/26px serif;color:#247;background:#eee"},
		{"cards below each other", narrowShop, "h1", ".cards{display:flex;gap:20px}", ".cards{display:grid;gap:8px}"},
		{"a new section", narrowShop, "h1", "after the box</p>", "after the box</p>\n<section><h2>New</h2><p>" + long + "</p></section>"},
		{"a badge on a card", shop, "h1", "<h2>Right</h2>", `<b style="position:absolute;background:red">New</b><h2>Right</h2>`},
		{"a flowing filler shrinks", strings.Replace(shop, "<h1>Report</h1>", `<div style="display:flex;width:200px"><h1>Report</h1><i style="flex:1;border-bottom:1px dotted"></i><b>9</b></div>`, 1), "h1", "Report", "Report of the whole long year"},
		{"a line that is meant to be cut", strings.Replace(shop, "left words", "left words <b>and more</b>", 1), "h1", "p{margin:0 0 10px}", "p{margin:0 0 10px;width:60px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis}"},
		{"a link pushed out of its bar", strings.Replace(shop, "nav{", "nav{white-space:nowrap;", 1), "a", "One", long},
		{"pushed under what floats over the page", strings.Replace(shop, "<footer>", `<b style="position:absolute;left:0;top:700px;width:600px;height:80px">over</b><footer>`, 1), "h1", "Report", strings.Repeat(long, 5)},
		{"what lay on each other before", strings.Replace(shop, "<footer>", `<p>under under under</p><p style="margin-top:-30px">over over over</p><footer>`, 1), "h1", "Report", long},
		{"a cut line of text", strings.Replace(shop, "<h1>Report</h1>", `<div style="width:100px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap"><h1 style="display:inline">Report</h1> <b>more</b></div>`, 1), "h1", "Report", "Report of the year"},
		{"pushed down in a box that was bounded", strings.Replace(shop, "<h1>Report</h1>", `<div style="height:60px;overflow:hidden"><h1>Report</h1><p>pushed</p></div>`, 1), "h1", "Report", long},
		{"slides", strings.Replace(shop, "body{", "html,body{height:100%;overflow:hidden}body{", 1), "h1", "Report", strings.Repeat(long, 9)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.page, c.target)
			s := r.begin()
			st := stage(t, s, c.from, c.to)
			l := look(t, s)
			if err := commit(s, st, l); err != nil {
				t.Error(err)
			}
			if l.Verification.Compared == 0 {
				t.Error("nothing was compared")
			}
			if c.page == narrowShop && len(l.Verification.Widths) != 2 {
				t.Errorf("looked at %+v too", l.Verification.Widths)
			}
		})
	}
}

// A person may want it so: the kind layout can be approved, before the look or
// at the commit, and what was seen stays written down.
func TestLayoutCanBeApproved(t *testing.T) {
	for _, before := range []bool{true, false} {
		r := newRig(t, shop, "h1")
		o := candidate.CommitOptions{}
		if before {
			r.opt.Approved = []string{candidate.LayoutKind}
		} else {
			o.Approved = []string{candidate.LayoutKind}
		}
		s := r.begin()
		o.SHA = stage(t, s, `<p id="after">`, `<p id="after" hidden>`).SHA
		l := look(t, s)
		if (len(l.Faults) == 0) != before {
			t.Errorf("approved before the look %t: faults %q", before, l.Faults)
		}
		o.Receipt = l.Receipt
		res, err := s.Commit(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if v := res.ChangeSet.Evidence; v == nil || len(v.Layout) != 1 {
			t.Errorf("evidence %+v", v)
		}
	}
}

// A repaired draft is looked at anew, at all widths; the base is not loaded
// again for that.
func TestLayoutRepaired(t *testing.T) {
	r := newRig(t, narrowShop, "h1")
	s := r.begin()
	stage(t, s, ".cards{display:block}}", ".cards{display:none}}")
	if l := look(t, s); len(l.Faults) != 1 || len(l.Verification.Widths) != 2 || len(l.Verification.Widths[0].Layout) != 1 || l.Verification.Widths[0].PixelsOutside == 0 {
		t.Fatalf("faults %q, widths %+v", l.Faults, l.Verification.Widths)
	}
	sf, err := s.Surface(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if now, err := sf.Layout(t.Context()); err != nil || int(now.Width) != r.opt.Width {
		t.Errorf("after the look the view is %v wide, %v", now.Width, err)
	}
	st := stage(t, s, ".cards{display:none}}", ".cards{display:block;color:#123}}")
	l := look(t, s)
	w := l.Verification.Widths
	if len(l.Faults) != 0 || len(w) != 2 || w[0].Width != candidate.Narrow || w[0].PixelsOutside == 0 || w[1].Width != candidate.Wide || w[1].PixelsOutside != 0 {
		t.Errorf("faults %q, widths %+v", l.Faults, w)
	}
	if err := commit(s, st, l); err != nil {
		t.Error(err)
	}
}

// On a page whose scripts sort twins, what a person pointed at is still known
// from what stands beside it.
func TestLayoutOfSortedTwins(t *testing.T) {
	html := body(`<h1>x</h1><ul><li>1</li><li>1</li><li>1</li></ul>
<script>const ul = document.querySelector('ul'); ul.append(ul.firstElementChild); ul.prepend(document.createElement('li'))</script>`)
	for _, c := range []struct {
		target, from, to string
		ok               bool
	}{
		{"li", "<ul><li>1", "<ul><li hidden>1", true},
		{"h1", "<ul><li>1", "<ul><li hidden>1", false},
	} {
		r := newRig(t, html, c.target)
		s := r.begin()
		stage(t, s, c.from, c.to)
		if l := look(t, s); (len(l.Faults) == 0) != c.ok {
			t.Errorf("%s: faults %q", c.target, l.Faults)
		}
	}
}

// A page that takes its own view's size from nothing is looked at once.
func TestOnePageOneWidth(t *testing.T) {
	r := newRig(t, shop, "h1")
	s := r.begin()
	stage(t, s, "Report", "Other")
	if l := look(t, s); len(l.Verification.Widths) != 0 {
		t.Errorf("widths %+v", l.Verification.Widths)
	}
}
