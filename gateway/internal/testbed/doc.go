// Package testbed sets up what tests of notes and turns need: a real database
// and a real file, opened as a document. It is imported by tests only.
package testbed
