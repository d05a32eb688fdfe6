// Package store is the one place that speaks to SQLite. It holds documents,
// revisions and their bytes, change sets, anchors, annotations, turns, draft
// candidates, writer leases, edit sessions, commit attempts and the audit
// trail in one database file.
//
// A Store has two handles on that file: one writer connection whose
// transactions are immediate, and a pool of read-only connections. All work
// happens inside Write or Read, with typed methods on Tx, one file for each
// aggregate. Commits are durable when Write returns: the write-ahead log is
// synchronised to disk.
//
// What must never change cannot change: triggers abort updates and deletes of
// revisions, change sets, anchors, sent annotations, turn snapshots and audit
// rows. State changes are named transitions that check the state they leave.
package store
