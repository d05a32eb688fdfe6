package bundle

import (
	"context"

	"proofmark/gateway/annotate"
	"proofmark/gateway/core"
)

// drafts gives a session's open drafts as they stand in the newest version of the
// bundle, and how many were left out.
func (c *collector) drafts(ctx context.Context, notes *annotate.Service, b *Bundle) ([]Draft, int, error) {
	out := []Draft{}
	list, err := notes.Drafts(ctx, c.q.SessionID, c.q.Document.ID)
	if err != nil || len(list) == 0 {
		return out, 0, err
	}
	left := max(0, len(list)-core.MaxBundleDrafts)
	list = list[:len(list)-left]
	text, err := c.docs.Bytes(ctx, c.q.Revision.ID)
	if err != nil {
		return out, left, err
	}
	tree, err := c.docs.Map(c.q.Revision.SHA256, text)
	if err != nil {
		return out, left, err
	}
	sent, err := notes.Resolve(ctx, list, c.q.Revision, tree)
	if err != nil {
		return out, left, err
	}
	made := map[string]int64{}
	for i, n := range sent {
		d := Draft{Instruction: c.instruction(n.Instruction), At: list[i].UpdatedAt.UTC(), Targets: []Target{}}
		for _, t := range n.Targets {
			generation := c.q.Revision.Generation
			if t.Resolution != core.Exact {
				generation = c.generation(ctx, made, t.Anchor.RevisionID)
			}
			d.Targets = append(d.Targets, c.target(t, generation, b))
		}
		out = append(out, d)
	}
	c.fewVersions(out)
	return out, left, nil
}

// instruction is the person's own text, which is not touched but for what no
// bundle may hold.
func (c *collector) instruction(s string) string {
	return (&collector{redact: redactor("")}).clean(s, core.MaxInstructionBytes)
}

// generation gives the number of the version an anchor was made on; 0 where it
// cannot be read.
func (c *collector) generation(ctx context.Context, known map[string]int64, revisionID string) int64 {
	n, ok := known[revisionID]
	if !ok {
		if r, err := c.docs.RevisionByID(ctx, revisionID); err == nil && r.DocumentID == c.q.Document.ID {
			n = r.Generation
		}
		known[revisionID] = n
	}
	return n
}

// target gives a target with its proof, where the bundle holds the version the
// proof is of and the proof is within the format's bounds. A target that a review
// brought and that was found nowhere has none.
func (c *collector) target(t core.SentTarget, generation int64, b *Bundle) Target {
	a := t.Anchor
	out := Target{Name: a.Name, Quote: a.Quote, Reason: t.Reason}
	fits := a.NS != nsNowhere && elementLike(a.Name) && len(a.Path) <= maxPath
	for _, p := range a.Path {
		fits = fits && elementLike(p.Name)
	}
	if out.Reason != "" && out.Reason != "ambiguous" {
		out.Reason = "no_match"
	}
	if generation < b.Source.Generation || generation > c.q.Revision.Generation || !fits {
		if out.Quote = c.clean(a.Quote, maxQuote); !elementLike(a.Name) {
			out.Name = anyElement
		}
		return out
	}
	out.Proof = &Proof{
		Generation: generation, Path: a.Path, NS: a.NS, StartTag: a.StartTag, TagHash: a.TagHash, ChainHash: a.ChainHash, SharedBy: a.SharedBy,
	}
	return out
}

// fewVersions drops proofs of more versions than an import looks at.
func (c *collector) fewVersions(list []Draft) {
	seen := map[int64]bool{c.q.Revision.Generation: true}
	for _, d := range list {
		for j := range d.Targets {
			p := d.Targets[j].Proof
			if p == nil || seen[p.Generation] {
				continue
			}
			if len(seen) == core.MaxBundleDraftVersions {
				d.Targets[j].Proof = nil
				continue
			}
			seen[p.Generation] = true
		}
	}
}
