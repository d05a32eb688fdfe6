// Package bundle makes and reads review bundles: one document's newest versions,
// the change sets between them, the notes and their proofs, and the drafts that
// are open, as one HTML page for people with the same as JSON inside for programs.
//
// A bundle that is read comes from a stranger. Its schema is closed, its size is
// bounded, every hash in it is computed again, every version is made again from
// the one before, and every anchor is proved again against the bytes it names. It
// can grant nothing: what was applied is history, and only open drafts become
// work, as fresh drafts of whoever takes them in. No path in it is honoured.
package bundle
