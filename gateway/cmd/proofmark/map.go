package main

import (
	"bufio"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/point"
)

var mapCommand = &command{
	name: "map", args: "FILE [--scripting=false]", summary: "list every element with its byte spans",
	long: `Maps FILE as Chromium reads it: every element in tree order with the byte spans of its
tags and attributes, its range, and where it comes from (source, implied, cloned, moved).
Offsets are UTF-8 bytes in the file as it is on disk, ends exclusive. With --json: a header
line, then one line an element. --scripting=false reads <noscript> as a browser without
JavaScript does.

  proofmark map page.html
  proofmark map page.html --json | head`,
	run: runMap,
}

type mapHeader struct {
	File     string `json:"file"`
	SHA256   string `json:"sha256"`
	Bytes    int    `json:"bytes"`
	Elements int    `json:"elements"`
	Encoding string `json:"encoding"`
	BOM      bool   `json:"bom"`
}

type mapElement struct {
	Path       []core.PathStep `json:"path"`
	NS         string          `json:"ns"`
	Name       string          `json:"name"`
	Provenance string          `json:"provenance"`
	Start      *core.Span      `json:"start"`
	End        *core.Span      `json:"end"`
	Range      *core.Span      `json:"range"`
	Reason     string          `json:"reason,omitempty"`
	SharedBy   int             `json:"sharedBy,omitempty"`
	Attrs      []mapAttr       `json:"attrs,omitempty"`
	Texts      []core.Span     `json:"texts,omitempty"`
}

type mapAttr struct {
	Name      string     `json:"name"`
	NameSpan  core.Span  `json:"nameSpan"`
	ValueSpan *core.Span `json:"valueSpan"`
}

func runMap(_ context.Context, a *app, args []string) error {
	fs := a.flags("map")
	scripting := fs.Bool("scripting", true, "")
	pos, err := a.parse(fs, args, 1, 1)
	if err != nil {
		return err
	}
	src, err := document.ReadFile(pos[0])
	if err != nil {
		return err
	}
	tree, err := htmlsrc.Parse(src, htmlsrc.Options{Scripting: *scripting})
	if err != nil {
		return err
	}
	head := mapHeader{
		File: filepath.Base(pos[0]), SHA256: core.SHA256Hex(src), Bytes: len(src), Encoding: "utf-8",
		BOM: strings.HasPrefix(string(src[:min(3, len(src))]), "\ufeff"),
	}
	var elements []htmlsrc.ID
	for id := range tree.Elements() {
		elements = append(elements, id)
	}
	head.Elements = len(elements)
	out := bufio.NewWriterSize(a.stdout, 1<<16)
	if a.json {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(head); err != nil {
			return err
		}
		for _, id := range elements {
			if err := enc.Encode(describe(tree, id)); err != nil {
				return err
			}
		}
		return out.Flush()
	}
	printMap(out, tree, head, elements)
	return out.Flush()
}

// describe gives the map's line of one element.
func describe(t *htmlsrc.Tree, id htmlsrc.ID) mapElement {
	e := mapElement{Path: t.Path(id), NS: t.NS(id).String(), Name: t.Name(id), Provenance: string(t.Provenance(id))}
	if s, ok := t.StartTag(id); ok {
		e.Start = &s
	}
	if s, ok := t.EndTag(id); ok {
		e.End = &s
	}
	r, reason := t.Range(id)
	if reason == "" {
		e.Range = &r
	} else {
		e.Reason = string(reason)
	}
	if n := t.SharedBy(id); n > 1 {
		e.SharedBy = n
	}
	for _, at := range t.Attrs(id) {
		m := mapAttr{Name: at.Name, NameSpan: at.NameSpan}
		if at.HasValue {
			m.ValueSpan = &at.ValueSpan
		}
		e.Attrs = append(e.Attrs, m)
	}
	for _, run := range t.TextRuns(id) {
		e.Texts = append(e.Texts, t.TextSpan(run))
	}
	return e
}

func printMap(w *bufio.Writer, t *htmlsrc.Tree, head mapHeader, elements []htmlsrc.ID) {
	bom := ""
	if head.BOM {
		bom = ", with a byte order mark"
	}
	writef(w, "%s: %d bytes, %d elements, UTF-8%s\nsha256 %s\n\n", head.File, head.Bytes, head.Elements, bom, head.SHA256)
	writef(w, "%-17s %-17s %-9s %s\n", "START TAG", "RANGE", "FROM", "ELEMENT")
	for _, id := range elements {
		e := describe(t, id)
		span := func(s *core.Span) string {
			if s == nil {
				return "·"
			}
			return s.String()
		}
		note := ""
		if e.Reason != "" && e.Reason != e.Provenance {
			note = "  (" + e.Reason + ")"
		}
		writef(w, "%-17s %-17s %-9s %s%s%s%s\n", span(e.Start), span(e.Range), e.Provenance,
			strings.Repeat("  ", min(len(e.Path)-1, 40)), label(t, id), pathNote(e.Path), note)
	}
}

// pathNote is the path that --at takes; what is in a template has none.
func pathNote(path []core.PathStep) string {
	for _, p := range path {
		if strings.HasPrefix(p.Name, "#") {
			return ""
		}
	}
	return "  " + point.PathText(path)
}

// label names an element as a person would: tag, id and classes.
func label(t *htmlsrc.Tree, id htmlsrc.ID) string {
	s := t.Name(id)
	for _, at := range t.Attrs(id) {
		switch {
		case at.Name == "id" && at.Value != "":
			s += "#" + at.Value
		case at.Name == "class" && at.Value != "":
			s += "." + strings.Join(strings.Fields(at.Value), ".")
		}
	}
	return s
}
