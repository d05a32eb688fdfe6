package oracle

import "testing"

// TestOracle asks each question once about documents whose answers are known.
func TestOracle(t *testing.T) {
	b := Open(t)
	src := []byte(`<p><b class=x>a<p>b</b><div><template shadowrootmode=open><i></i></template></div><template><td>c</template>`)
	const want = "html(head body(p(b) p(b) div([s]i) template([t]td)))"
	nav, _, err := b.Navigate(src, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := nav.Brief(); got != want {
		t.Errorf("navigation: %s", got)
	}
	if n, err := b.ShadowRoots(); err != nil || n != 1 {
		t.Errorf("%d shadow roots, %v", n, err)
	}
	parsed, err := b.Parse([][]byte{src})
	if err != nil {
		t.Fatal(err)
	}
	if d := nav.Diff(parsed[0], true); d != "" {
		t.Error(d)
	}
	briefs, err := b.Briefs([][]byte{src, []byte("x")})
	if err != nil || briefs[0] != want || briefs[1] != "html(head body)" {
		t.Errorf("%q %v", briefs, err)
	}
	tagged, err := b.Tags([][]byte{src})
	if err != nil {
		t.Fatal(err)
	}
	starts := map[string]Source{}
	for i, e := range tagged[0].Document {
		starts[e.Name] = tagged[0].Sources[i]
	}
	for name, want := range map[string]Source{"html": {Start: -1}, "b": {Start: 3, Shared: true}, "div": {Start: 23}} {
		if starts[name] != want {
			t.Errorf("%s: %+v, want %+v", name, starts[name], want)
		}
	}
}

// TestEdits holds a right and a wrong edit against the browser.
func TestEdits(t *testing.T) {
	b := Open(t)
	before := []byte(`<p>a<b>x</b>c</p>`)
	got, err := b.Edits([]Edit{
		{Before: before, After: []byte(`<p>ac</p>`), Element: 4, Op: "remove"},
		{Before: before, After: []byte(`<p>a</p>`), Element: 4, Op: "remove"},
		{Before: before, After: []byte(`<p>a<b>x</b>d</p>`), Element: 3, Op: "set_text", Name: "1", Value: "d"},
		{Before: before, After: []byte(`<p id=q>a<b>x</b>c</p>`), Element: 3, Op: "set_attribute", Name: "id", Value: "r"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Verdict{{true, true}, {true, false}, {true, true}, {false, false}}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Errorf("edit %d: %+v, want %+v", i, got, want[i])
		}
	}
}
