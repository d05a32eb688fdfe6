// Package core holds the nouns of Proofmark: documents, revisions, change
// sets, anchors, annotations, leases, their states and limits, the closed list
// of refusal codes and the one error type. It does no I/O and imports nothing
// of the project.
package core
