package document

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
)

// link is one revision of a chain: its bytes, and what made it.
type link struct {
	after  []byte
	edits  []core.Edit // from the bytes before; a difference is worked out where there are none
	source core.RevisionSource
	inFile bool // these are the bytes the file holds
}

// actor gives who made the revision: what the file held is the file's.
func (k link) actor(who string) string {
	if k.source == core.SourceOutside {
		return actorFile
	}
	return who
}

// chained is what a chain has made.
type chained struct {
	doc     core.Document
	last    core.Revision
	outside *core.Revision
}

// chain appends revisions on top of the head of out, all or none of them, and
// makes the last one out's head.
func (s *Service) chain(ctx context.Context, out *Synced, actor string, links ...link) error {
	before := out.Ours
	for i, k := range links { // outside the transaction: it may take a while
		if k.edits == nil {
			links[i].edits = textpatch.Diff(before, k.after)
		}
		before = k.after
	}
	return s.WithLease(ctx, out.Document.ID, func(l core.WriterLease) error {
		var made chained
		q := links[0].request(out.Document, out.Head, l, actor)
		q.Also = func(tx *store.Tx, res Result) (err error) {
			s.step("sync: first version stored")
			made, err = appendLinks(tx, l, actor, links, res)
			s.step("sync: last version stored")
			return err
		}
		if _, err := s.commit(ctx, q); err != nil {
			return err
		}
		out.Document, out.Head, out.Outside, out.Bytes = made.doc, made.last, made.outside, before
		return nil
	})
}

func (k link) request(d core.Document, base core.Revision, l core.WriterLease, actor string) CommitRequest {
	return CommitRequest{
		DocumentID: d.ID, ExpectedHead: base.ID, ExpectedStateRev: d.StateRev, Lease: l,
		After: k.after, Edits: k.edits, Computed: true, Source: k.source, Actor: k.actor(actor),
	}
}

// appendLinks stores the second link and those after it, in the transaction
// that stored the first.
func appendLinks(tx *store.Tx, l core.WriterLease, actor string, links []link, res Result) (made chained, err error) {
	for i, k := range links {
		if i > 0 {
			p, err := prepareOn(tx, res.Revision, links[i-1].after, k.request(res.Document, res.Revision, l, actor))
			if err != nil {
				return made, err
			}
			if res, err = publishTx(tx, p); err != nil {
				return made, err
			}
		}
		if r := res.Revision; k.source == core.SourceOutside {
			made.outside = &r
		}
		if k.inFile {
			if err := tx.MarkSynced(res.Document.ID, res.Document.StateRev, res.Revision); err != nil {
				return made, err
			}
			if res.Document, err = tx.Document(res.Document.ID); err != nil {
				return made, err
			}
		}
	}
	made.doc, made.last = res.Document, res.Revision
	return made, nil
}

// prepareOn is prepare for a revision on top of one that is being stored in the
// same transaction.
func prepareOn(tx *store.Tx, base core.Revision, before []byte, q CommitRequest) (prepared, error) {
	p := prepared{CommitRequest: q, base: base, sha: core.SHA256Hex(q.After), changeSetID: tx.NewID("chg")}
	err := p.makes(before)
	return p, err
}
