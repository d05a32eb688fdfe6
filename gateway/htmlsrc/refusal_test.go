package htmlsrc

import (
	"errors"
	"strings"
	"testing"

	"proofmark/bridge/oracle"
	"proofmark/gateway/core"
)

// TestRefusals holds what cannot be a document: R-MAP-5, H42, H43, H45, H71.
func TestRefusals(t *testing.T) {
	rep := strings.Repeat
	for _, c := range []struct {
		name, src string
		code      core.Code
		offset    any
	}{
		{"latin 1", "<p>caf\xe9</p>", core.NotUTF8, 6},
		{"cut rune at the end", "<p>\xe6\x9d", core.NotUTF8, 3},
		{"surrogate in UTF-8", "ab\xed\xa0\x80", core.NotUTF8, 2},
		{"Shift JIS (Yahoo Japan)", "<title>Yahoo! \x93\xfa\x96\x7b</title>", core.NotUTF8, 14},
		{"UTF-16 little endian", "\xff\xfe<\x00p\x00", core.NotUTF8, 0},
		{"UTF-16 big endian", "\xfe\xff\x00<\x00p", core.NotUTF8, 0},
		{"NUL in text (H43)", rep("<p>text</p>", 20) + "<svg><meta>\x00\n", core.HasNUL, 231},
		{"NUL in a tag (H42)", rep(" ", 100) + "<a b\x00=c>", core.HasNUL, 104},
		{"a PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x02\x00", core.NotHTML, 8},
		{"zeros", rep("\x00", 100), core.NotHTML, 0},
		{"one byte too many", rep("x", core.MaxSourceBytes+1), core.TooLarge, nil},
		{"too many elements", rep("<p>", core.MaxElements+1), core.TooLarge, nil},
		{"too many clones", numbered("<b id=%d><p>", 20_000), core.TooComplex, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, err := Parse([]byte(c.src), Options{})
			var e *core.Error
			if !errors.As(err, &e) || tree != nil {
				t.Fatalf("not refused: %v", err)
			}
			if e.Code != c.code || e.Detail["offset"] != c.offset {
				t.Errorf("%s at %v, want %s at %v: %s", e.Code, e.Detail["offset"], c.code, c.offset, e.Message)
			}
		})
	}
}

// TestAccepted holds what is at the border and fine: R-MAP-1, H41, H71.
func TestAccepted(t *testing.T) {
	rep := strings.Repeat
	for name, src := range map[string]string{
		"empty":               "",
		"byte order mark":     "\ufeff<p>x",
		"greatest size":       "<p>" + rep("x", core.MaxSourceBytes-3),
		"one line of data":    "<img src=data:," + rep("A", 4<<20) + ">",
		"nearly all elements": rep("<p>", core.MaxElements-3),
		"CR line ends":        "<p>a\r<p>b\r",
	} {
		if _, err := Parse([]byte(src), Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDeep holds nesting beyond Chromium's 512 against its trees: H66, H68.
func TestDeep(t *testing.T) {
	b := oracle.Open(t)
	rep := strings.Repeat
	for _, src := range []string{
		rep("<div>", 505), rep("<div>", 509), rep("<div>", 510), rep("<div>", 511), rep("<div>", 600),
		rep("<div>", 520) + "x" + rep("</div>", 5) + "<p>y<b>z",
		rep("<b>", 600), rep("<i a=1><b>", 300) + "<p>x</b>y</i><table><tr><td>z",
		rep("<table><tr><td>", 200) + "<p>x", rep("<template>", 530) + "<p>x",
		rep("<svg><g>", 300) + "<p>x", rep("<font>", 530) + "<table><p>x",
		"<template>" + rep("<span>", 530) + "<table><p>x</template><p>",
	} {
		doc, _, err := b.Navigate([]byte(src), "")
		if err != nil {
			t.Fatal(err)
		}
		if got := brief(parse(t, src, Options{})); got != doc.Brief() {
			t.Errorf("%.40q… (%d bytes): the trees differ", src, len(src))
		}
	}
}
