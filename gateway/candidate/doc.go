// Package candidate stages what a turn wants to change, looks at it, and
// publishes it at most once.
//
// A Session belongs to one turn. It holds the bytes of the document's head (the
// base) and one draft candidate, the base with a list of edits applied. A
// writer's call replaces or extends the draft (Stage); Look loads base and
// candidate side by side in hidden views and says what changed and what broke;
// Commit publishes exactly the bytes that were looked at, under the writer
// lease and by compare-and-swap. Nothing here moves a document's head except
// Commit, and Commit does so at most once in a session.
package candidate
