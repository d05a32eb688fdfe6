package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

func jsonText(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// TestMapLines holds `map --json` against CLI.md: a header, then one line an
// element in tree order, spans in bytes of the file as it is on disk.
func TestMapLines(t *testing.T) {
	d := newDesk(t)
	src := "\ufeff<!doctype html><p title=\"é\">x<table><tr><td>1</table><template><b>t</b></template><svg><path d='M0'/></svg><p>é<b>u<p>v"
	d.write("page.html", src)
	lines := strings.Split(strings.TrimRight(d.want(0, "map", "page.html", "--json").stdout, "\n"), "\n")
	var head struct {
		File, SHA256, Encoding string
		Bytes, Elements        int
		BOM                    bool
	}
	if err := json.Unmarshal([]byte(lines[0]), &head); err != nil {
		t.Fatal(err)
	}
	if head.File != "page.html" || head.SHA256 != sha(src) || head.Bytes != len(src) || !head.BOM || head.Encoding != "utf-8" || head.Elements != len(lines)-1 {
		t.Errorf("header %+v with %d lines", head, len(lines)-1)
	}
	type line struct {
		Path              [][2]any
		NS, Name          string
		Provenance        string
		Start, End, Range *span
		Reason            string
		Attrs             []struct {
			Name                string
			NameSpan, ValueSpan *span
		}
	}
	var got []line
	for _, l := range lines[1:] {
		if !strings.Contains(l, `"start":`) || !strings.Contains(l, `"end":`) || !strings.Contains(l, `"range":`) {
			t.Errorf("a span is left out, it should be null: %s", l)
		}
		var x line
		if err := json.Unmarshal([]byte(l), &x); err != nil {
			t.Fatal(err)
		}
		got = append(got, x)
	}
	cut := func(s *span) string {
		if s == nil {
			return "-"
		}
		return src[s[0]:s[1]]
	}
	var brief []string
	for _, x := range got {
		brief = append(brief, x.Name+"|"+x.Provenance+"|"+cut(x.Start)+"|"+cut(x.End))
		if x.Range == nil && x.Reason == "" {
			t.Errorf("%s has neither a range nor a reason", x.Name)
		}
	}
	want := []string{
		"html|implied|-|-", "head|implied|-|-", "body|implied|-|-", `p|source|<p title="é">|-`, "table|source|<table>|</table>",
		"tbody|implied|-|-", "tr|source|<tr>|-", "td|source|<td>|-", "template|source|<template>|</template>", "b|source|<b>|</b>",
		"svg|source|<svg>|</svg>", "path|source|<path d='M0'/>|-", "p|source|<p>|-", "b|source|<b>|-", "p|source|<p>|-", "b|cloned|<b>|-",
	}
	if strings.Join(brief, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(brief, "\n"), strings.Join(want, "\n"))
	}
	if a := got[3].Attrs; len(a) != 1 || a[0].Name != "title" || cut(a[0].NameSpan) != "title" || cut(a[0].ValueSpan) != "é" {
		t.Errorf("attributes %+v", a)
	}
	if p := jsonText(got[9].Path); p != `[["html",1],["body",2],["template",3],["#content",1],["b",1]]` {
		t.Errorf("path in a template: %s", p)
	}
	if got[11].NS != "svg" || cut(got[11].Attrs[0].ValueSpan) != "M0" {
		t.Errorf("%+v", got[11])
	}
}
