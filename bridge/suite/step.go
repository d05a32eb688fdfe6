package suite

import (
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// testStep: R-PICK-1, every element can be reached without a mouse, and every
// direction undoes its opposite.
func testStep(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><title>t</title><body><header><h1>a<b>b</b></h1><nav><ul><li>1<li>2<li>3</ul></nav></header>
<template><p>not here</p></template><table><tr><td>x<td>y</table><svg><g><path d=""/></g></svg><footer></footer>`)
	tree, err := v.Tree(v.ctx)
	if err != nil {
		t.Fatal(err)
	}
	root, err := v.ByPath(v.ctx, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var walk func(p contract.Pick)
	step := func(p contract.Pick, d contract.Direction) (contract.Pick, bool) {
		t.Helper()
		q, err := v.Step(v.ctx, p.Handle, d)
		if err != nil {
			wantCode(t, err, core.SelectorNoMatch)
			return q, false
		}
		return q, true
	}
	walk = func(p contract.Pick) {
		names = append(names, p.Chain[0].Name)
		c, ok := step(p, contract.Down)
		for ok {
			walk(c)
			if up, is := step(c, contract.Up); !is || path(up) != path(p) {
				t.Fatalf("up from %s: %s", path(c), path(up))
			}
			n, more := step(c, contract.Next)
			if more {
				if back, is := step(n, contract.Prev); !is || path(back) != path(c) {
					t.Fatalf("prev from %s: %s", path(n), path(back))
				}
			}
			c, ok = n, more
		}
	}
	walk(root)
	var want []string
	for _, e := range tree {
		if !inTemplate(tree, e) {
			want = append(want, e.Name)
		}
	}
	if len(names) != len(want) {
		t.Fatalf("%d elements reached, %d in the tree\n%v\n%v", len(names), len(want), names, want)
	}
	for i := range names {
		if names[i] != want[i] {
			t.Errorf("element %d: %s, in the tree %s", i, names[i], want[i])
		}
	}
	if _, ok := step(root, contract.Up); ok {
		t.Error("there is something above the root")
	}
	_, err = v.Step(v.ctx, "sel_unknown", contract.Up)
	wantCode(t, err, core.StaleEpoch)
}

func inTemplate(tree []contract.TreeElement, e contract.TreeElement) bool {
	for {
		if e.Step != "" {
			return true
		}
		if e.Parent < 0 {
			return false
		}
		e = tree[e.Parent]
	}
}

// testQuery: the command line's --at.
func testQuery(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><ul><li class=x>1<li>2<li class=x>3</ul><div id=h><template shadowrootmode=open><li class=x>s</template></div>
<template id=t><li class=x>t<template><b></b></template></template>`)
	picks, n, err := v.Query(v.ctx, "li.x", 10)
	if err != nil || n != 2 || len(picks) != 2 || path(picks[1]) != "/html[1]/body[2]/ul[1]/li[3]" {
		t.Errorf("%d %+v %v", n, picks, err)
	}
	if picks, n, err = v.Query(v.ctx, "li", 1); err != nil || n != 3 || len(picks) != 1 {
		t.Errorf("limit: %d of %d, %v", len(picks), n, err)
	}
	if picks, n, err = v.Query(v.ctx, "nav", 5); err != nil || n != 0 || len(picks) != 0 {
		t.Errorf("none: %d of %d, %v", len(picks), n, err)
	}
	for _, bad := range []string{"li[", "", "li::", "'); alert(1); ('", "li:has(", "\x00<"} {
		_, _, err := v.Query(v.ctx, bad, 5)
		if core.CodeOf(err) != core.SelectorInvalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, bad := range [][]int{{}, {2}, {1, 3}, {1, 2, 0}, {1, 2, -1}, {1, 2, 1, 4}} {
		_, err := v.ByPath(v.ctx, bad)
		wantCode(t, err, core.SelectorNoMatch)
	}
	tree, err := v.Tree(v.ctx)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, e := range tree {
		got += e.Step + ":" + e.Name + " "
	}
	const want = ":html :head :body :ul :li :li :li :div shadow:li :template content:li :template content:b "
	if got != want {
		t.Errorf("tree\n%s\n%s", got, want)
	}
}
