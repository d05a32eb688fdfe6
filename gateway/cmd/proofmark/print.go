package main

import (
	"fmt"
	"io"
)

// writef writes to a buffered writer whose Flush reports the error.
func writef(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

// quoted gives the start of a text in quotation marks.
func quoted(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:39]) + "…"
	}
	return `"` + s + `"`
}
