//go:build !unix

package discover

import "io/fs"

const openFlags = 0

// exposed says why others than its owner could read or write a file. On Windows
// the data directory lies in the account's own folder, whose rights it inherits.
func exposed(fs.FileInfo) string { return "" }
