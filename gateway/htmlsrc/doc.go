// Package htmlsrc maps an HTML file: it builds the element tree that Chromium
// builds, and keeps for every element and text run the bytes it came from.
//
// It is a tree builder of its own: the tree-construction rules of the WHATWG
// standard, with Chromium's deviations, in one pass over byte offsets. No text
// is copied and no attribute is decoded, except where a rule looks at one.
// Nothing in the tree is ever guessed: an element either has its exact span or
// a Reason why not.
//
// How the files are cut: tree.go and walk.go hold what a map is; parse.go, token.go,
// rawtext.go and chartext.go read the source; mode_*.go and foreign.go are the
// insertion modes; stack.go, scope.go, insert.go, formatting.go and adoption.go
// are the structures they work on. attrs.go, ranges.go, path.go, at.go,
// births.go, text.go, lines.go and utf16.go answer questions about a finished
// map, and compare.go holds two maps against each other.
//
// A Tree is immutable and safe for concurrent use.
package htmlsrc
