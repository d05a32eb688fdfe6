package proof

import (
	"strings"
	"testing"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// target gives the anchor of the one element with id=x.
func target(t *testing.T, src string) core.Anchor {
	t.Helper()
	tree := mustParse(t, src)
	for id := range tree.Elements() {
		if a, ok := tree.Attr(id, "id"); ok && a.Value == "x" {
			anchor, err := FromNode(tree, id, "d", "r", "s")
			if err != nil {
				t.Fatal(err)
			}
			return anchor
		}
	}
	t.Fatalf("no element with id=x in %s", src)
	return core.Anchor{}
}

// D-92: text, descendants and other branches have no part in the chain's hash;
// names and attributes of the element and its ancestors have.
func TestChainHash(t *testing.T) {
	const base = `<body class=a><nav><a href=/>n</a></nav><main lang=en><p id=x title="a b">text <b>bold</b></p><p>other</p></main>`
	want := target(t, base)
	same := map[string]string{
		"text":                `<body class=a><nav><a href=/>n</a></nav><main lang=en><p id=x title="a b">changed <b>bold</b></p><p>other</p></main>`,
		"descendants":         `<body class=a><nav><a href=/>n</a></nav><main lang=en><p id=x title="a b"><i class=z>i</i></p><p>other</p></main>`,
		"siblings":            `<body class=a><nav><a href=/>n</a></nav><main lang=en><h1>new</h1><p id=x title="a b">text <b>bold</b></p></main>`,
		"another branch":      `<body class=a><div><nav>more</nav></div><main lang=en><p id=x title="a b">text <b>bold</b></p><p>other</p></main><footer>f</footer>`,
		"quotes and order":    `<BODY class='a'><nav><a href=/>n</a></nav><main lang="en"><P title='a b' id="x">text <b>bold</b></p><p>other</p></main>`,
		"head and white":      `<!doctype html><title>t</title> <body class=a>  <main lang=en> <p id=x title="a b">`,
		"character reference": `<body class=a><main lang=en><p id=x title="a&#32;b">`,
	}
	for name, src := range same {
		if got := target(t, src); got.ChainHash != want.ChainHash {
			t.Errorf("%s changes the chain's hash", name)
		}
	}
	other := map[string]string{
		"own attribute":      `<body class=a><main lang=en><p id=x title="a c">`,
		"attribute added":    `<body class=a><main lang=en><p id=x title="a b" hidden>`,
		"attribute gone":     `<body class=a><main lang=en><p id=x>`,
		"ancestor attribute": `<body class=a><main lang=de><p id=x title="a b">`,
		"body attribute":     `<body class=b><main lang=en><p id=x title="a b">`,
		"ancestor name":      `<body class=a><section lang=en><p id=x title="a b">`,
		"own name":           `<body class=a><main lang=en><div id=x title="a b">`,
		"ancestor more":      `<body class=a><main lang=en><div><p id=x title="a b">`,
		"value across names": `<body class=a><main lang=en><p id=x title="a b" a="" b="">`,
		"in a template":      `<body class=a><template lang=en><p id=x title="a b">`,
	}
	seen := map[string]string{want.ChainHash: "base"}
	for name, src := range other {
		got := target(t, src)
		if was := seen[got.ChainHash]; was != "" {
			t.Errorf("%s has the chain's hash of %s", name, was)
		}
		seen[got.ChainHash] = name
	}
}

func TestTagHashIsOfTheBytes(t *testing.T) {
	a, b, c := target(t, `<p id=x>a`), target(t, `<div><p id=x>b</div>`), target(t, `<p id="x">a`)
	if a.TagHash != b.TagHash || a.TagHash == c.TagHash || a.TagHash != core.SHA256Hex([]byte(`<p id=x>`)) {
		t.Errorf("%s %s %s", a.TagHash, b.TagHash, c.TagHash)
	}
}

func TestQuote(t *testing.T) {
	word := strings.Repeat("ä", 159)
	cases := []struct{ src, want string }{
		{`<p id=x>  a` + "\n\t" + `b  </p>`, "a b"},
		{`<p id=x>a<b>b</b> c<script>no()</script><style>no{}</style><i> d</i></p>`, "ab c d"},
		{`<p id=x>a &amp; b&nbsp;c</p>`, "a & b\u00a0c"},
		{`<p id=x></p>`, ""},
		{`<p id=x>` + word + ` tail</p>`, word},
		{`<p id=x>` + word + `xtail</p>`, word + "x"},
		{`<ul id=x><li>one<li>two</ul>`, "onetwo"},
		{`<script id=x>run()</script>`, "run()"},
		{`<p id=x>a<template><i>b</i></template>c</p>`, "ac"},
	}
	for _, c := range cases {
		got := target(t, c.src).Quote
		if got != c.want || utf8.RuneCountInString(got) > core.QuoteRunes {
			t.Errorf("%s: quote %q, want %q", c.src, got, c.want)
		}
		if quoteOf(got) != got {
			t.Errorf("%q is not in its own form", got)
		}
	}
}

// Elements without a tag have no anchor (H4).
func TestNoAnchorWithoutTag(t *testing.T) {
	tree := mustParse(t, `<p>a<table><tr><td>b`)
	for id := range tree.Elements() {
		_, err := FromNode(tree, id, "d", "r", "s")
		if _, ok := tree.StartTag(id); ok != (err == nil) {
			t.Errorf("<%s>: %v", tree.Name(id), err)
		}
	}
	for _, id := range []htmlsrc.ID{0, -1, htmlsrc.ID(tree.Len())} {
		if _, err := FromNode(tree, id, "d", "r", "s"); core.CodeOf(err) != core.NoSource {
			t.Errorf("node %d: %v", id, err)
		}
	}
}

// Every anchor says what stands in the source.
func FuzzFromNode(f *testing.F) {
	f.Add(plain)
	f.Add("<svg><p><table><b><i></b><div><template><image>")
	f.Fuzz(func(t *testing.T, src string) {
		tree, err := htmlsrc.Parse([]byte(src), htmlsrc.Options{Scripting: true})
		if err != nil || len(src) > 4096 {
			return
		}
		for id := range tree.Elements() {
			a, err := FromNode(tree, id, "d", "r", "s")
			if err != nil {
				continue
			}
			if src[a.StartTag.Start] != '<' || src[a.StartTag.End-1] != '>' || !utf8.ValidString(a.Quote) || utf8.RuneCountInString(a.Quote) > core.QuoteRunes {
				t.Errorf("%q: %+v", src, a)
			}
			got, ok := tree.Find(a.Path)
			if !ok || got != id {
				t.Errorf("%q: path %v leads to %d, not %d", src, a.Path, got, id)
			}
		}
	})
}
