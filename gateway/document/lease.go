package document

import (
	"context"
	"errors"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// Lease takes the document's writer lease. One that another holder has gives
// LeaseHeld, unless that holder is a process of this machine that is gone, or
// work of this one that ended and could not free it: then the lease passes at
// once. Each call makes a holder of its own, so that two
// pieces of work of one process exclude each other too.
func (s *Service) Lease(ctx context.Context, documentID string) (l core.WriterLease, err error) {
	holder := s.self.holder()
	err = s.st.Write(ctx, func(tx *store.Tx) error {
		l, err = tx.AcquireLease(documentID, holder, s.o.LeaseTTL)
		return err
	})
	if core.CodeOf(err) != core.LeaseHeld {
		return l, err
	}
	dead, _ := core.AsError(err).Detail["holder"].(string)
	if _, ours := s.done.Load(dead); !ours && !s.self.gone(dead) {
		return l, err
	}
	err = s.st.Write(ctx, func(tx *store.Tx) error {
		if l, err = tx.BreakLease(documentID, holder, s.o.LeaseTTL, dead); err != nil {
			return err
		}
		d, err := tx.Document(documentID)
		if err != nil {
			return err
		}
		return tx.InsertAudit(store.AuditEvent{Kind: "lease_broken", DocumentID: documentID, Actor: "proofmark", Generation: d.Generation, Fence: l.Fence})
	})
	return l, err
}

// Renew moves the expiry of a lease that is still held, or gives LeaseLost.
func (s *Service) Renew(ctx context.Context, l core.WriterLease) (out core.WriterLease, err error) {
	err = s.st.Write(ctx, func(tx *store.Tx) error {
		out, err = tx.RenewLease(l, s.o.LeaseTTL)
		return err
	})
	return out, err
}

// Release frees a lease; one that has passed on is left alone. It works even
// when ctx is done, because the lease should not wait for its expiry.
func (s *Service) Release(ctx context.Context, l core.WriterLease) error {
	err := s.st.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.ReleaseLease(l) })
	if err != nil { // on a full disk, say
		s.done.Store(l.Holder, true)
	}
	return err
}

// leasePoll is how often a held lease is tried again.
const leasePoll = 20 * time.Millisecond

// patientLease is Lease that waits a little: another short step is over soon.
func (s *Service) patientLease(ctx context.Context, documentID string) (core.WriterLease, error) {
	for deadline := time.Now().Add(s.o.LeaseWait); ; {
		l, err := s.Lease(ctx, documentID)
		if core.CodeOf(err) != core.LeaseHeld || !time.Now().Before(deadline) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return l, err
		case <-time.After(leasePoll):
		}
	}
}

// WithLease runs fn under the document's writer lease, for which it waits a
// little where somebody else holds it, and frees it.
func (s *Service) WithLease(ctx context.Context, documentID string, fn func(core.WriterLease) error) error {
	l, err := s.patientLease(ctx, documentID)
	if err != nil {
		return err
	}
	err = fn(l)
	if rel := s.Release(ctx, l); rel != nil && err != nil {
		return errors.Join(err, rel)
	}
	// A lease that could not be freed expires; the work is done all the same.
	return err
}
