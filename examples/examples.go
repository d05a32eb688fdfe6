// Package examples carries the sample pages inside the binary, so that the
// demonstration works wherever it is started.
package examples

import (
	"embed"
	"io/fs"
)

//go:embed landing report.html live.html
var files embed.FS

// Files holds landing/ (index.html with a stylesheet, a script and a picture),
// report.html and live.html, whose scripts change it.
func Files() fs.FS { return files }

// LiveBanner is the selector of an element of live.html that a script makes.
const LiveBanner = ".banner"
