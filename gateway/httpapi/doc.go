// Package httpapi is the gateway's API: JSON over HTTP on loopback, for the
// workbench, the desktop shell and agents.
//
// There is one table of routes. Each names its method, pattern, the scopes that
// may call it, how large its body may be, and what it does; docs/api.md is the
// same table in words, and a test compares the two. Nothing is routed that the
// edge has not let in. Handlers take values and give values: bodies are read
// strictly and whole before a handler runs, and its answer is written when it is
// done, except for streams of events.
package httpapi
