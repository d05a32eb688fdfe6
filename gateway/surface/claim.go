package surface

import (
	"context"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/proof"
)

// Claim binds a pick to what the lease served when the picked page was loaded:
// document, revision and SHA-256 come from the lease, never from the page or its
// view. Refusals: SurfaceLost, LeaseMismatch (the lease is over, or the pick is
// from another origin), StaleEpoch (from another load, or from before the bytes
// changed), the host's.
//
// A pick in a frame or shadow root passes with its refusal, so that the proof
// can name it and the nearest element outside.
func (p *Preview) Claim(ctx context.Context, pick contract.Pick) (proof.Claim, error) {
	const op = "surface.Claim"
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(); err != nil {
		return proof.Claim{}, err.In(op)
	}
	if !p.lease.touch() {
		return proof.Claim{}, leaseOver().In(op)
	}
	if pick.Origin != p.lease.origin && pick.Refusal == "" {
		return proof.Claim{}, core.Errorf(core.LeaseMismatch, "the picked element is not on the page of this preview").In(op)
	}
	if err := p.present(pick.Epoch); err != nil {
		return proof.Claim{}, err.In(op)
	}
	births, err := p.surface.Births(ctx)
	if err != nil {
		return proof.Claim{}, err
	}
	// The page may have gone on to another load while the register was read.
	if err := p.present(pick.Epoch); err != nil {
		return proof.Claim{}, err.In(op)
	}
	b := p.loaded.bound
	return proof.Claim{
		Pick: pick, Births: births, DocumentID: b.documentID, RevisionID: b.revisionID, SourceSHA: b.sha,
	}, nil
}

// present tells whether epoch is the load the preview made last, and the
// document has not gone out again since, as it does when a page reloads itself.
func (p *Preview) present(epoch int64) *core.Error {
	count, _ := p.lease.deliveries()
	if p.loaded == nil || epoch != p.loaded.epoch || count != p.loaded.delivered {
		return core.Errorf(core.StaleEpoch, "the page has changed since the element was picked").WithHint("pick the element again")
	}
	return nil
}
