//go:build !faults || !unix

package faultpoint

import (
	"io"
	"time"
)

// Enabled tells whether this build has points at all.
const Enabled = false

// Reach is a point at which the process may die.
func Reach(string) {}

// Write is a point in front of a write, and gives the error the write fails with.
func Write(string) error { return nil }

// Do is write with a point in front of it.
func Do(_ string, write func() error) error { return write() }

// All writes all of b, with a point in front and one in the middle of it.
func All(_ string, to io.Writer, b []byte) error {
	_, err := to.Write(b)
	return err
}

// Now gives the time.
func Now() time.Time { return time.Now() }
