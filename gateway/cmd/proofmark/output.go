package main

import (
	"errors"
	"io"
	"syscall"
)

// output is standard output; it remembers the first error, so that a result
// nobody got is never called a success.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(b)
	o.err = err
	return n, err
}

// readerGone tells whether the other end of a pipe simply stopped reading, as
// head does; there is nobody to tell about it.
func (o *output) readerGone() bool { return errors.Is(o.err, syscall.EPIPE) }
