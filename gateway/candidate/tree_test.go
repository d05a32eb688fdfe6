package candidate

import (
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

func parsed(t *testing.T, src string) *htmlsrc.Tree {
	t.Helper()
	tree, err := htmlsrc.Parse([]byte(src), parseOptions)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// seen is the evidence of a page as if its live tree were that of live.
func seen(t *testing.T, src, live string, births contract.Births) treeEvidence {
	return treeEvidence{
		tree: parsed(t, src), live: expectedTree(parsed(t, live)),
		births: func() (contract.Births, error) { return births, nil },
	}
}

func born(t *testing.T, src string, more ...contract.Birth) contract.Births {
	return contract.Births{Complete: true, List: append(expectedBirths(parsed(t, src)), more...)}
}

func TestExpectedTreeHasContentsFirst(t *testing.T) {
	got := expectedTree(parsed(t, "<body><template><i></i></template><svg><a></a></svg>"))
	want := []contract.TreeElement{
		{Parent: -1, NS: "html", Name: "html"},
		{Parent: 0, NS: "html", Name: "head"},
		{Parent: 0, NS: "html", Name: "body"},
		{Parent: 2, NS: "html", Name: "template"},
		{Parent: 3, Step: "content", NS: "html", Name: "i"},
		{Parent: 2, NS: "svg", Name: "svg"},
		{Parent: 5, NS: "svg", Name: "a"},
	}
	if ok, why := sameTree(want, got); !ok {
		t.Errorf("%s: %+v", why, got)
	}
	if n := len(expectedBirths(parsed(t, "<body><template><i></i></template>"))); n != 4 {
		t.Errorf("%d births, the template's contents are not of the document", n)
	}
}

// D7b: Chromium has the last word, as far as scripts let it be heard.
func TestChromiumAgrees(t *testing.T) {
	const base, cand = "<body><p>a</p><p>b</p>", "<body><p>a</p>"
	banner := contract.Birth{NS: "html", Name: "div", ScriptMade: true}
	none := contract.Births{Reason: "too large"}
	cases := []struct {
		name       string
		base, cand treeEvidence
		want       core.Code
	}{
		{"calm pages", seen(t, base, base, born(t, base)), seen(t, cand, cand, born(t, cand)), ""},
		{"calm pages, another tree", seen(t, base, base, born(t, base)), seen(t, cand, base, born(t, base)), core.UnsafeStructure},
		{"a script woke up in the draft", seen(t, base, base, born(t, base)), seen(t, cand, cand+"<div>", born(t, cand, banner)), ""},
		{
			"scripts move things, births match",
			seen(t, base, "<body><div>"+base, born(t, base, banner)), seen(t, cand, "<body><div><div>", born(t, cand, banner)), "",
		},
		{
			"scripts move things, births differ",
			seen(t, base, "<body><div>", born(t, base, banner)), seen(t, cand, "<body><div>", born(t, base, banner)), core.UnsafeStructure,
		},
		{
			"scripts take open elements away, the rest fits",
			seen(t, base, "<body>", born(t, "<body><p>")), seen(t, cand, "<body><i>", born(t, "<body>")), "",
		},
		{
			"scripts take open elements away, the rest does not fit",
			seen(t, base, "<body>", born(t, "<body><p>")), seen(t, cand, "<body><i>", born(t, "<body><table>")), core.UnsafeStructure,
		},
		{"nobody can follow, the structure changes", seen(t, base, "<body>", none), seen(t, cand, "<body><i>", none), core.UnsafeStructure},
		{"nobody can follow, only text changes", seen(t, base, "<body>", none), seen(t, "<body><p>c</p><p>d</p>", "<body>", none), ""},
		{"nobody can follow, and it differs", seen(t, base, "<body>", none), seen(t, "<body><p>c</p><p>d</p>", "<body><i>", none), core.UnsafeStructure},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := core.CodeOf(chromiumAgrees(c.base, c.cand)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCollapsed(t *testing.T) {
	body := func(h float64) sighting { return sighting{body: contract.Rect{Width: 600, Height: h}} }
	for _, c := range []struct {
		base, cand float64
		targets    []contract.Rect
		want       bool
	}{
		{500, 0, nil, true},
		{500, 480, nil, false},
		{500, 100, nil, false},
		{0, 0, nil, false},
		{20, 0, nil, false},
		{500, 0, []contract.Rect{{Height: 100}}, true},
		{500, 0, []contract.Rect{{Height: 490}}, false},
	} {
		if got := collapsed(body(c.base), body(c.cand), c.targets); got != c.want {
			t.Errorf("%v → %v with %v: %t", c.base, c.cand, c.targets, got)
		}
	}
}
