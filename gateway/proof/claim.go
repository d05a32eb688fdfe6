package proof

import (
	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// Claim says that a pick shows an element of one revision of a document. That
// the pick comes from the lease's own page and its present load is the
// surface's to check before it makes one.
type Claim struct {
	Pick       contract.Pick
	Births     contract.Births
	DocumentID string
	RevisionID string
	SourceSHA  string // SHA-256 of the bytes the preview shows, lower-case hexadecimal
	// Tie is the tie of Births to the map, kept from an earlier pick on the same
	// load. Without one, or with one to another map, Verify makes it.
	Tie *Tie
}

// Verified is a proven target: exactly one start tag. Only Verify makes one
// that holds anything.
type Verified struct {
	tree       *htmlsrc.Tree
	node       htmlsrc.ID
	documentID string
	revisionID string
	sha        string
}

// Node gives the proven element, 0 for the zero Verified.
func (v Verified) Node() htmlsrc.ID { return v.node }

// Tree gives the map the element is in, nil for the zero Verified.
func (v Verified) Tree() *htmlsrc.Tree { return v.tree }

// DocumentID gives the document the claim was made for.
func (v Verified) DocumentID() string { return v.documentID }

// RevisionID gives the revision the claim was made for.
func (v Verified) RevisionID() string { return v.revisionID }

// SourceSHA gives the SHA-256 of the bytes the proof holds for.
func (v Verified) SourceSHA() string { return v.sha }

// SharedBy gives the number of live elements the start tag makes: 1 for an
// element of its own, more where formatting was opened again.
func (v Verified) SharedBy() int {
	if v.tree == nil {
		return 0
	}
	return v.tree.SharedBy(v.node)
}

// Anchor gives the anchor of the proven element. Empty ids stand for those of
// the claim.
func (v Verified) Anchor(documentID, revisionID string) core.Anchor {
	if v.tree == nil {
		return core.Anchor{}
	}
	if documentID == "" {
		documentID = v.documentID
	}
	if revisionID == "" {
		revisionID = v.revisionID
	}
	a, err := FromNode(v.tree, v.node, documentID, revisionID, v.sha)
	if err != nil { // Verify has seen the start tag
		return core.Anchor{}
	}
	return a
}
