package tools

import (
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// D-28: exactly one element, or a list and no grant.
func TestLocate(t *testing.T) {
	value := func(s string) *string { return &s }
	for _, tc := range []struct {
		name string
		code core.Code
		args locateArgs
		want string // of the element
	}{
		{"tag", "", locateArgs{Operation: "set_style", Tag: "IMG"}, `<img src="a.png" alt="cat">`},
		{"text", "", locateArgs{Operation: "set_style", Text: "two"}, `<b>`},
		{"text across", "", locateArgs{Operation: "remove_node", Text: "One two three"}, `<p>`},
		{"entity", "", locateArgs{Operation: "replace_text", Text: "Sales & more"}, `<h1 class="big" id=main>`},
		{"attribute", "", locateArgs{Operation: "set_attribute", Attribute: &attrQuery{Name: "href", Value: value("/y")}}, `<a href="/y">`},
		{"any value", "", locateArgs{Operation: "set_attribute", Attribute: &attrQuery{Name: "onclick"}}, `<button onclick="go()">`},
		{"in a note", "", locateArgs{Operation: "set_style", Note: 1, Tag: "b"}, `<b>`},
		{"outside the note", core.NoMatch, locateArgs{Operation: "set_style", Note: 1, Tag: "img"}, ""},
		{"none", core.NoMatch, locateArgs{Operation: "set_style", Tag: "h6"}, ""},
		{"script text", core.NoMatch, locateArgs{Operation: "set_style", Text: "secret()"}, ""},
		{"several", core.SeveralMatches, locateArgs{Operation: "set_style", Tag: "a"}, ""},
		{"several by text", core.SeveralMatches, locateArgs{Operation: "set_style", Text: "Read"}, ""},
		{"no text", core.Unsupported, locateArgs{Operation: "replace_text", Tag: "img"}, ""},
		{"implied", core.Unsupported, locateArgs{Operation: "set_style", Tag: "tbody"}, ""},
		{"script", core.Unsupported, locateArgs{Operation: "remove_node", Tag: "script"}, ""},
		{"script attribute", core.Unsupported, locateArgs{Operation: "set_attribute", Tag: "script"}, ""},
		{"no such note", core.ToolArguments, locateArgs{Operation: "set_style", Note: 7, Tag: "b"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, samplePage, noteOn{"x", []string{"p/1"}})
			before := r.reg.Live(r.cfg.Turn.ID)
			if tc.code != "" {
				out := r.refused(tc.code, Locate, tc.args)
				if r.reg.Live(r.cfg.Turn.ID) != before {
					t.Error("something was granted")
				}
				if tc.code == core.SeveralMatches && len(out["detail"].(map[string]any)["candidates"].([]any)) != 2 {
					t.Errorf("the candidates: %v", out["detail"])
				}
				return
			}
			out := r.must(Locate, tc.args)
			if got := out["target"].(map[string]any)["element"]; got != tc.want {
				t.Fatalf("found %v, want %s", got, tc.want)
			}
			if g, _ := out["grant"].(string); !strings.HasPrefix(g, "hrg_") && tc.args.Operation != "replace_text" {
				t.Errorf("no grant: %v", out)
			}
		})
	}
}

// A located grant edits that element and nothing else.
func TestLocateThenApply(t *testing.T) {
	r := newRig(t, samplePage)
	out := r.must(Locate, map[string]any{"operation": "set_attribute", "attribute": map[string]any{"name": "href", "value": "/y"}})
	r.must(Apply, apply(mutation{Grant: out["grant"].(string), Name: "href", Value: "/z"}))
	if got := string(r.draft.current.Source()); got != strings.Replace(samplePage, `"/y"`, `"/z"`, 1) {
		t.Error(got)
	}
}

// D-27: pages of what is read put together are the source, and end on rune borders.
func TestReadPages(t *testing.T) {
	src := "<!doctype html><body>" + strings.Repeat("<p>Zeile mit Ümläuten und 漢字</p>\n", 900) + "<p>" + strings.Repeat("漢", 9000) + "</p>"
	r := newRig(t, src)
	r.calls = 0
	first := r.must(Read, map[string]any{"page": 1})
	pages := int(first["pages"].(float64))
	var all strings.Builder
	for i := 1; i <= pages; i++ {
		text, n := pageOf([]byte(src), i)
		if len(text) > core.ReadPageBytes || n != pages || strings.Contains(text, "�") {
			t.Fatalf("page %d has %d bytes", i, len(text))
		}
		all.WriteString(text)
	}
	if all.String() != src || first["text"] != src[:len(first["text"].(string))] || pages < 5 {
		t.Error("the pages are not the source")
	}
}

func TestReadAroundAndFind(t *testing.T) {
	src := strings.Replace(samplePage, "<body>", "<body>\n"+strings.Repeat("<p>filler</p>\n", 2000), 1)
	r := newRig(t, src, noteOn{"x", []string{"h1"}})
	text := r.must(Read, map[string]any{"around": 1})["text"].(string)
	if !strings.Contains(text, `<h1 class="big" id=main>Sales`) || len(text) > core.ReadPageBytes || !strings.HasPrefix(text, "<p>filler") {
		t.Errorf("around: %d bytes, %.40q", len(text), text)
	}
	out := r.must(Read, map[string]any{"find": "filler"})
	if out["matches"] != float64(2000) || len(out["places"].([]any)) != maxFindResults || out["more"] != true {
		t.Errorf("find: %v matches", out["matches"])
	}
	lines := r.must(Read, map[string]any{"mode": "structure", "page": 5})["text"].(string)
	if !strings.Contains(lines, "\n    h1 .big #main “Sales & more”\n") || strings.Contains(lines, "secret()") {
		t.Errorf("structure: %s", lines)
	}
}

// Text is found across inline elements, not across blocks without a gap; of
// nested holders the innermost counts, wherever the text stands.
func TestLocateByText(t *testing.T) {
	src := "<!doctype html><body><div id=a>x <p>one</p>two<span>th</span>ree</div><div id=b><p>uno dos</p></div>" +
		"<div id=c>tw<p>o</p></div><pre id=d> four\n\n five</pre><script>six</script><div id=e>Straße</div></body>"
	for _, tc := range []struct{ text, want string }{
		{"uno dos", "p"},
		{"one  twothree", "div"},
		{"x one", "div"},
		{"twothree", "div"},
		{"th", "span"},
		{"four five", "pre"},
		{"Straße", "div"},
		{"aße", "div"},
		{"onetwo", ""},
		{"tw o", "div"},
		{"two o", ""},
		{"six", ""},
	} {
		r := newRig(t, src)
		args := map[string]any{"operation": "set_style", "text": tc.text}
		if tc.want == "" {
			r.refused(core.NoMatch, Locate, args)
			continue
		}
		if got := r.must(Locate, args)["target"].(map[string]any)["tag"]; got != tc.want {
			t.Errorf("%q found %v, want %s", tc.text, got, tc.want)
		}
	}
}

// A text with the line ends a model writes is found in a file with others.
func TestFindAcrossLineEnds(t *testing.T) {
	r := newRig(t, "<!doctype html>\r\n<p>one</p>\r\n<p>two</p>\r\n")
	if out := r.must(Read, map[string]any{"find": "</p>\n<p>two"}); out["matches"] != 1.0 {
		t.Errorf("got %v", out)
	}
	r.refused(core.NoMatch, Read, map[string]any{"find": "</p>\n\n<p>two"})
}
