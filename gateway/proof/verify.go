package proof

import (
	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// Verify proves that the picked element was made by exactly one start tag of
// the source in t, whose SHA-256 is sha, or refuses. A refusal is a *core.Error
// with a sentence for people and, where there is one, the nearest proven
// ancestor in Detail["nearest"] (Nearest).
//
// It fails closed: whatever it cannot tell is refused.
func Verify(c Claim, t *htmlsrc.Tree, sha string) (Verified, error) {
	if c.SourceSHA != sha || sha == "" {
		return Verified{}, core.Errorf(core.StaleSource, "the page shows another version of the document").
			WithHint("load the page again and pick once more").In(opVerify)
	}
	if len(c.Pick.Chain) == 0 && c.Pick.Refusal == "" {
		return Verified{}, refuse(core.Detached, "").In(opVerify)
	}
	v := newVerifier(&c, t)
	switch c.Pick.Refusal {
	case "":
	case core.Detached: // so is all around it
		return Verified{}, refuse(core.Detached, "").In(opVerify)
	default:
		return Verified{}, v.withNearest(refuse(c.Pick.Refusal, ""), 0)
	}
	id, err := v.prove(0)
	if err != nil {
		return Verified{}, v.withNearest(err, 1)
	}
	return Verified{tree: t, node: id, documentID: c.DocumentID, revisionID: c.RevisionID, sha: sha}, nil
}

const opVerify = "proof.Verify"

// verifier proves the elements of one chain. It looks at each link once.
type verifier struct {
	claim *Claim
	tree  *htmlsrc.Tree
	tie   *Tie
	chain []contract.Link
	nodes []htmlsrc.ID  // the element of each link, 0 where it is not known
	why   []*core.Error // why it is not known
	born  []bool        // known by its birth; one known by its place must be the only one
	bad   []*core.Error // what about the link as an ancestor refuses all below it
}

func newVerifier(c *Claim, t *htmlsrc.Tree) *verifier {
	tie := c.Tie
	if tie == nil || tie.tree != t || tie.births != len(c.Births.List) {
		tie = NewTie(c.Births, t)
	}
	v := &verifier{claim: c, tree: t, tie: tie, chain: c.Pick.Chain}
	n := len(v.chain)
	v.nodes = make([]htmlsrc.ID, n)
	v.why = make([]*core.Error, n)
	v.born = make([]bool, n)
	v.bad = make([]*core.Error, n)
	for i := n - 1; i >= 0; i-- { // root first
		v.nodes[i], v.why[i] = v.resolve(i)
		v.bad[i] = v.asAncestor(i)
	}
	return v
}

// resolve finds the element of a link: by its birth, or without a register by
// its place.
func (v *verifier) resolve(i int) (htmlsrc.ID, *core.Error) {
	link := &v.chain[i]
	id := v.tie.Node(link.Birth)
	switch {
	case link.ScriptMade || v.scriptBirth(link.Birth):
		return 0, refuse(core.ScriptMade, link.Name)
	case id != 0:
		v.born[i] = true
	case v.claim.Births.Complete && link.Birth < 0 && !v.inContents(i):
		return 0, refuse(core.ScriptMade, link.Name)
	default:
		var err *core.Error
		if id, err = v.place(i); err != nil {
			return 0, err
		}
	}
	if v.tree.Name(id) != link.Name || v.tree.NS(id).String() != link.NS {
		return 0, core.Errorf(core.Changed, "the page shows a <%s> where the source has a <%s>", link.Name, v.tree.Name(id))
	}
	return id, nil
}

// scriptBirth tells whether the register has the birth as a script's.
func (v *verifier) scriptBirth(birth int) bool {
	list := v.claim.Births.List
	return birth >= 0 && birth < len(list) && list[birth].ScriptMade
}

// inContents tells whether the link stands in a template's contents, which no
// register sees.
func (v *verifier) inContents(i int) bool {
	for ; i < len(v.chain); i++ {
		if v.chain[i].Step == "content" {
			return true
		}
	}
	return false
}

// asAncestor tells what about link i refuses every element below it. A wrapper
// made by a script refuses nothing, nor does an ancestor that cannot be told:
// the element's own birth names its bytes wherever it stands.
func (v *verifier) asAncestor(i int) *core.Error {
	id := v.nodes[i]
	if id == 0 {
		return nil
	}
	if v.tree.SelectedContent(id) {
		return core.Errorf(core.NoSource, "the browser copied this element from the chosen option; the source has no tag for it here")
	}
	if name := changedAttr(v.tree, id, &v.chain[i], true); name != "" {
		return core.Errorf(core.Changed, "a script changed the attribute %s of the <%s> around it since the page was read",
			name, v.chain[i].Name).With("attribute", name).With("element", v.chain[i].Name)
	}
	return nil
}

// prove proves link i: it is known, has a tag, stands in no shadow root, and
// neither it nor an ancestor has lost what the source gave it.
func (v *verifier) prove(i int) (htmlsrc.ID, *core.Error) {
	for j := i; j < len(v.chain); j++ {
		if v.chain[j].Step == "shadow" {
			return 0, refuse(core.InShadow, v.chain[i].Name)
		}
	}
	if v.why[i] != nil {
		return 0, v.why[i]
	}
	id := v.nodes[i]
	if !v.born[i] && v.tie.scripted() && !v.only(i, id) {
		return 0, v.ambiguous(&v.chain[i])
	}
	for j := i + 1; j < len(v.chain); j++ {
		if v.bad[j] != nil {
			return 0, v.bad[j]
		}
	}
	if _, ok := v.tree.StartTag(id); !ok {
		return 0, refuse(core.NoSource, v.chain[i].Name)
	}
	if name := changedAttr(v.tree, id, &v.chain[i], false); name != "" {
		return 0, core.Errorf(core.Changed, "a script changed the attribute %s of this <%s> since the page was read",
			name, v.chain[i].Name).With("attribute", name).With("element", v.chain[i].Name)
	}
	return id, nil
}
