// Package proof ties an element of the live page to the one start tag that
// made it, or refuses.
//
// A pick is never looked up by its path: scripts sort, move, drop and re-create
// elements, and a path into a tree that differs names another element. Instead
// the page's birth register is laid against the map of the source (Tie), so
// that an element is known by its birth wherever it stands now. Where there is
// no register, the chain from the root is aligned level by level and the
// element must be the only one of the whole source that it can be (align.go).
//
// How the files are cut: claim.go holds what goes in and comes out, tie.go and
// embed.go the tie, verify.go the proof, rules.go what scripts may have changed,
// align.go the way without a register, refuse.go the sentences; anchor.go makes
// anchors, reproject.go carries them through edits, remap.go and match.go
// through changes of another program.
//
// The rules and why they are so: docs/decisions/2026-11-30-proof-by-birth.md.
package proof
