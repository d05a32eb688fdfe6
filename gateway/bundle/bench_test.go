package bundle_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"proofmark/gateway/bundle"
)

// hundred is a page of 1 MB with 100 changes and 16 notes.
func hundred(t testing.TB) *rig {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html><head><title>T</title></head><body>\n")
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "<p id=\"p%d\" class=\"text\">Paragraph %d says something of <b>%d</b> words.</p>\n", i, i, i%17)
	}
	r := newRig(t, b.String())
	for i := range 100 {
		r.replace(fmt.Sprintf("Paragraph %d says", i*97), fmt.Sprintf("Section %d tells", i))
	}
	for i := range 16 {
		r.note(fmt.Sprintf("note %d", i), "p", i+1)
	}
	return r
}

func BenchmarkCollect(b *testing.B) {
	r := hundred(b)
	for b.Loop() {
		out, _ := r.collect(0)
		b.ReportMetric(float64(len(html(b, out))), "page-bytes")
		b.ReportMetric(float64(len(data(b, out))), "json-bytes")
	}
}

func BenchmarkRead(b *testing.B) {
	out, _ := hundred(b).collect(0)
	file := html(b, out)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, err := bundle.Read(context.Background(), file); err != nil {
			b.Fatal(err)
		}
	}
}
