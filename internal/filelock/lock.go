// Package filelock locks a file across processes, without waiting. The operating
// system frees a lock when its holder closes the file or dies.
package filelock

import "errors"

// ErrLocked tells that another process, or another open file, holds the lock.
var ErrLocked = errors.New("the lock is held")
