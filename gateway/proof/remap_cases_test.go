package proof

import (
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

// Both versions of each case hold one mark, ▸, in front of the start tag meant;
// a second version without a mark wants a contextual target.
func unmark(t *testing.T, text string) (string, int) {
	t.Helper()
	at := strings.Index(text, "▸")
	return strings.ReplaceAll(text, "▸", ""), at
}

func anchorAt(t *testing.T, src string, at int) core.Anchor {
	t.Helper()
	tree := mustParse(t, src)
	a, err := FromNode(tree, tree.At(at), "d", "r1", core.SHA256Hex([]byte(src)))
	if err != nil || a.StartTag.Start != at {
		t.Fatalf("no tag at %d in %s: %v", at, src, err)
	}
	return a
}

// either reason will do: which one depends on the difference that was found.
const either = "either"

// R-PICK-4, D-52: one match is exact, none or several are contextual.
func TestRemapCases(t *testing.T) {
	cases := []struct{ name, before, after, reason string }{
		{"text before grows", `<p>a</p>▸<h1>Title</h1>`, `<p>abc</p>▸<h1>Title</h1>`, ""},
		{"own text changed", `▸<h1>Title</h1><p>a</p>`, `▸<h1>Other title</h1><p>a</p>`, ""},
		{"own attribute added", `▸<h1>Title</h1><p>a</p>`, `▸<h1 class=k>Title</h1><p>a</p>`, ""},
		{"moved, known by its id", `▸<p id=x>text</p><ul><li>a</ul><p>b</p>`, `<ul><li>a</ul><p>b</p>▸<p class=n id=x>other</p>`, ""},
		{"moved, known by its link", `<nav>▸<a href=/c>Contact</a></nav><p>b</p>`, `<nav></nav><p>b</p><footer>▸<a class=n href=/c>Contact us</a></footer>`, ""},
		{"moved, known by its text", `▸<h2>Pricing</h2><p>b</p><p>c</p>`, `<p>b</p><p>c</p><section>▸<h2>Pricing</h2></section>`, ""},
		{"twins untouched", `<p>a</p><ul><li>x</li>▸<li>x</li><li>x</li></ul>`, `<p>abc</p><ul><li>x</li>▸<li>x</li><li>x</li></ul>`, ""},
		{"twin removed", `<ul><li>x</li>▸<li>x</li><li>x</li></ul>`, `<ul><li>x</li><li>x</li></ul>`, ReasonAmbiguous},
		{"twin added", `<ul><li>x</li>▸<li>x</li></ul>`, `<ul><li>x</li><li>x</li><li>x</li></ul>`, ReasonAmbiguous},
		{"first of different items removed", `<ul>▸<li>a</li><li>b</li><li>c</li></ul>`, `<ul><li>b</li><li>c</li></ul>`, ReasonNoMatch},
		{"item behind a removed one", `<ul><li>alpha</li>▸<li>beta</li><li>gamma</li></ul>`, `<ul>▸<li>beta</li><li>gamma</li></ul>`, ""},
		{"removed", `<p>a</p>▸<h1 id=x>Title</h1>`, `<p>a</p>`, ReasonNoMatch},
		{"id given twice", `▸<p id=x>text</p><i>i</i>`, `<i>i</i><p id=x>one</p><b>b</b><p id=x>two</p>`, ReasonAmbiguous},
		{"id given to another name", `▸<p id=x>text</p><i>i</i>`, `<i>i</i><h2 id=x>text</h2>`, ReasonNoMatch},
		{"card copied", `<div class=card><h3>One</h3>▸<button>Buy</button></div>`, `<div class=card><h3>One</h3><button>Buy</button></div><div class=card><h3>One</h3><button>Buy</button></div>`, ReasonAmbiguous},
		{"button known by its card", `<div><h3>One</h3><button>Buy</button></div><div><h3>Two</h3>▸<button>Buy</button></div>`, `<div><h3>New</h3><button>Buy</button></div><div><h3>One</h3><button>Buy</button></div><div><h3>Two</h3>▸<button>Buy</button></div>`, ""},
		{"one of two boxes went, the other has new words", `<div class=box>▸<p>Alpha</p></div><div class=box><p>Beta</p></div>`, `<div class=box><p>fresh</p></div>`, either},
		{"one of two boxes went, its twin was edited", `<div class=box>▸<p>Other</p><i>1</i></div><div class=box><p>Other</p><i>2</i></div>`, `<div class=box><p title=t>Other</p><i>2</i></div>`, ReasonAmbiguous},
		{"a twin that was made alike", `<ul class=box><li>same<b>Buy</b></li></ul><ul>▸<li>same</li><li class=k>z</li></ul>`, `<ul class=box><li>same</li></ul><ul><li class=k>z</li></ul>`, ReasonAmbiguous},
		{"words went to the next item", `<ul>▸<li>Alpha</li><li>Beta</li></ul>`, `<ul><li>Gamma</li><li>Alpha</li></ul>`, either},
		{"words came from the next item", `<ul>▸<li>Alpha</li><li>Beta</li></ul>`, `<ul><li>Beta</li><li>Gamma</li></ul>`, either},
		{"all written anew", `<main>▸<p>short</p></main>`, `<article><h1>Nothing left</h1></article>`, ReasonNoMatch},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before, at := unmark(t, c.before)
			after, want := unmark(t, c.after)
			sha := core.SHA256Hex([]byte(after))
			got, res, why := Remap(anchorAt(t, before, at), []byte(before), mustParse(t, after), sha, "r2")
			if c.reason != "" {
				if res != core.Contextual || why == "" || why != c.reason && c.reason != either {
					t.Fatalf("%s %q at %v, want contextual %q", res, why, got.StartTag, c.reason)
				}
				return
			}
			if res != core.Exact || got.StartTag.Start != want || got.SourceSHA != sha || got.RevisionID != "r2" {
				t.Fatalf("%s %q at %v, want %d in %s", res, why, got.StartTag, want, after)
			}
		})
	}
}

// Unchanged bytes keep the anchor as it is, but for the revision.
func TestUnchangedSourceKeepsTheAnchor(t *testing.T) {
	src := `<ul><li>x</li><li>x</li></ul>`
	a := anchorAt(t, src, 4)
	want := a
	want.RevisionID = "r9"
	tree := mustParse(t, src)
	for _, carry := range []func() (core.Anchor, core.Resolution, string){
		func() (core.Anchor, core.Resolution, string) {
			return Reproject(a, []core.Edit{{Span: core.Span{Start: 0, End: 9}}}, tree, a.SourceSHA, "r9")
		},
		func() (core.Anchor, core.Resolution, string) { return Remap(a, nil, tree, a.SourceSHA, "r9") },
	} {
		if got, res, why := carry(); res != core.Exact || why != "" || got.ChainHash != want.ChainHash || got.StartTag != want.StartTag || got.RevisionID != "r9" {
			t.Errorf("%+v %s %q", got, res, why)
		}
	}
}

// An anchor of other bytes than the older version's is not carried.
func TestRemapOfAnotherVersion(t *testing.T) {
	src := `<p>a</p>`
	a := anchorAt(t, src, 0)
	a.SourceSHA = "other"
	if _, res, why := Remap(a, []byte(src), mustParse(t, `<p>ab</p>`), "s2", "r2"); res != core.Contextual || why != ReasonNoMatch {
		t.Errorf("%s %q", res, why)
	}
}

// Edits that swallow, rename or re-open a tag leave no exact anchor.
func TestReprojectIsSeenInTheNewMap(t *testing.T) {
	cases := []struct {
		name, src string
		edit      core.Edit
		exact     bool
	}{
		{"inserted before", `<p>a</p>`, core.Edit{Replacement: "<i>x</i>"}, true},
		{"commented out", `<p>a</p>`, core.Edit{Replacement: "<!--"}, false},
		{"swallowed by an attribute", `<p>a</p>`, core.Edit{Replacement: `<a title="`}, false},
		{"renamed", `<p>a</p>`, core.Edit{Span: core.Span{Start: 2, End: 2}, Replacement: "re"}, false},
		{"attribute added", `<p>a</p>`, core.Edit{Span: core.Span{Start: 2, End: 2}, Replacement: " id=x"}, true},
		{"replaced", `<p>a</p>`, core.Edit{Span: core.Span{Start: 0, End: 8}, Replacement: "<p>b</p>"}, false},
		{"text replaced", `<p>a</p>`, core.Edit{Span: core.Span{Start: 3, End: 4}, Replacement: "b"}, true},
		{"another one opened inside", `<p>a</p>`, core.Edit{Span: core.Span{Start: 3, End: 3}, Replacement: "n</p><p>"}, false},
		{"in a template now", `<p>a</p>`, core.Edit{Replacement: "<template>"}, true},
		{"behind it", `<p>a</p>`, core.Edit{Span: core.Span{Start: 8, End: 8}, Replacement: "<p>b"}, true},
	}
	for _, c := range cases {
		a := anchorAt(t, c.src, 0)
		out, err := textpatch.Apply([]byte(c.src), []core.Edit{c.edit})
		if err != nil {
			t.Fatal(err)
		}
		got, res, why := Reproject(a, []core.Edit{c.edit}, mustParse(t, string(out)), core.SHA256Hex(out), "r2")
		if (res == core.Exact) != c.exact || (why == "") != c.exact {
			t.Errorf("%s: %s %q %+v", c.name, res, why, got)
		}
	}
}

// Whatever the edit: an exact anchor is a start tag of that name, and the bytes
// before it are the ones the edits leave there.
func FuzzReproject(f *testing.F) {
	f.Add(`<ul><li>a<li>b</ul><p>c`, 4, 8, 12, "<li>")
	f.Add(`<p><b>x<p>y<table><td>z`, 3, 0, 0, "<!--")
	f.Fuzz(func(t *testing.T, src string, at, from, to int, text string) {
		tree, err := htmlsrc.Parse([]byte(src), htmlsrc.Options{Scripting: true})
		if err != nil || len(src) > 4096 || len(text) > 512 {
			return
		}
		edits := []core.Edit{{Span: core.Span{Start: from, End: to}, Replacement: text}}
		out, err := textpatch.Apply([]byte(src), edits)
		if err != nil {
			return
		}
		after, err := htmlsrc.Parse(out, htmlsrc.Options{Scripting: true})
		if err != nil {
			return
		}
		a, err := FromNode(tree, tree.At(at), "d", "r", core.SHA256Hex([]byte(src)))
		if err != nil {
			return
		}
		sha := core.SHA256Hex(out)
		for _, carry := range []func() (core.Anchor, core.Resolution, string){
			func() (core.Anchor, core.Resolution, string) { return Reproject(a, edits, after, sha, "r2") },
			func() (core.Anchor, core.Resolution, string) { return Remap(a, []byte(src), after, sha, "r2") },
		} {
			b, res, why := carry()
			if (res == core.Exact) != (why == "") {
				t.Fatalf("%s with reason %q", res, why)
			}
			if res != core.Exact {
				continue
			}
			id, ok := after.Find(b.Path)
			if tag, has := after.StartTag(id); !ok || !has || tag != b.StartTag || after.Name(id) != a.Name {
				t.Fatalf("%+v is not in %q", b, out)
			}
		}
	})
}
