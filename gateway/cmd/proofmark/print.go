package main

import (
	"fmt"
	"io"
)

// writef writes to a buffered writer whose Flush reports the error.
func writef(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
