// Package webui holds the workbench as `make web` builds it from this folder.
package webui

import "embed"

// Files has the built workbench in static/app, and nothing there where it was
// not built.
//
//go:embed all:static
var Files embed.FS
