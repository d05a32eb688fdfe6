// Package tools is what a model can do in an annotated turn: exactly ten
// tools over one document, and nothing else.
//
// A model names what it wants by opaque grants and by text it has read. It
// never sees or writes a path, an id of ours, an offset or anything of the
// browser's protocol (R-TURN-1); the arguments' schemas are closed and made
// from the Go types in args.go. Looking is free of effects. The two writers
// stage one draft; only document_finish publishes it, and only with a receipt
// that says that exactly these bytes were looked at.
//
// A Set belongs to one turn and counts its budgets. Every result is JSON that
// says whether it went well, what the state is now, what is left of the
// budgets and, where it was refused, whether this turn can still put it right.
// Text of the page occurs in results only inside JSON strings, which it cannot
// close, and is marked as data.
package tools
