package store

import (
	"time"

	"proofmark/gateway/core"
)

func scanLease(r scanner) (core.WriterLease, error) {
	var l core.WriterLease
	var expires int64
	err := r.Scan(&l.DocumentID, &l.Holder, &l.Fence, &expires)
	l.ExpiresAt = fromMillis(expires)
	return l, err
}

// AcquireLease gives holder the document's writer lease for ttl, with a
// fencing token greater than every one before. A lease another holder has and
// that has not expired gives LeaseHeld. A holder that asks again gets a new
// token; its older one is void. A lease that ends later than any taken now
// could was taken before the clock was set back; it counts as expired, or it
// would be waited for until that time comes again.
func (t *Tx) AcquireLease(documentID, holder string, ttl time.Duration) (core.WriterLease, error) {
	return t.acquire(documentID, holder, ttl, "")
}

// BreakLease is AcquireLease that also takes the lease from dead, a holder of
// whom the caller knows that it is gone. Fencing keeps this safe even when the
// caller is wrong: the old token is void.
func (t *Tx) BreakLease(documentID, holder string, ttl time.Duration, dead string) (core.WriterLease, error) {
	return t.acquire(documentID, holder, ttl, dead)
}

func (t *Tx) acquire(documentID, holder string, ttl time.Duration, dead string) (core.WriterLease, error) {
	if holder == "" || ttl <= 0 {
		return core.WriterLease{}, core.Errorf(core.Internal, "a lease needs a holder and a time to live")
	}
	if _, err := t.Document(documentID); err != nil {
		return core.WriterLease{}, err
	}
	expires := t.now.Add(ttl)
	n, err := t.exec(`INSERT INTO leases (document_id, holder, fence, expires_at) VALUES (?, ?, 1, ?)
		ON CONFLICT (document_id) DO UPDATE SET holder = excluded.holder, fence = fence + 1, expires_at = excluded.expires_at
		WHERE holder IN ('', excluded.holder, ?) OR expires_at <= ? OR expires_at > ?`,
		documentID, holder, millis(expires), dead, millis(t.now), millis(expires.Add(ttl)))
	if err != nil {
		return core.WriterLease{}, err
	}
	l, err := t.LeaseOf(documentID)
	if err != nil || n == 1 {
		return l, err
	}
	return core.WriterLease{}, core.Errorf(core.LeaseHeld, "another Proofmark is changing this document").
		WithHint("Wait until it is done (at most %d seconds if it has stopped), and do it again.", int(l.ExpiresAt.Sub(t.now)/time.Second)+1).
		With("expiresAt", l.ExpiresAt).With("holder", l.Holder)
}

// LeaseOf gives the document's lease row as it is, expired or not; a document
// that never had a lease gives the zero lease.
func (t *Tx) LeaseOf(documentID string) (core.WriterLease, error) {
	rows, err := list(t, scanLease, "SELECT document_id, holder, fence, expires_at FROM leases WHERE document_id = ?", documentID)
	if err != nil || len(rows) == 0 {
		return core.WriterLease{DocumentID: documentID}, err
	}
	return rows[0], nil
}

// RenewLease moves the expiry of a lease that is still held. A lease that has
// expired cannot be renewed: someone else may have written in between.
func (t *Tx) RenewLease(l core.WriterLease, ttl time.Duration) (core.WriterLease, error) {
	l.ExpiresAt = t.now.Add(ttl)
	err := t.one(leaseLost(l), `UPDATE leases SET expires_at = ? WHERE document_id = ? AND holder = ? AND fence = ? AND expires_at > ?`,
		millis(l.ExpiresAt), l.DocumentID, l.Holder, l.Fence, millis(t.now))
	return l, err
}

// ReleaseLease frees a lease. One that is no longer held is left alone.
func (t *Tx) ReleaseLease(l core.WriterLease) error {
	_, err := t.exec("UPDATE leases SET holder = '', expires_at = 0 WHERE document_id = ? AND holder = ? AND fence = ?",
		l.DocumentID, l.Holder, l.Fence)
	return err
}

// CheckLease gives LeaseLost unless the lease is held, with this fencing
// token, at this moment.
func (t *Tx) CheckLease(l core.WriterLease) error {
	now, err := t.LeaseOf(l.DocumentID)
	if err != nil {
		return err
	}
	if l.Fence == 0 || now.Fence != l.Fence || now.Holder != l.Holder || t.expired(now.ExpiresAt) {
		return leaseLost(l)
	}
	return nil
}

func leaseLost(l core.WriterLease) *core.Error {
	return core.Errorf(core.LeaseLost, "the right to change this document has passed to someone else; nothing was stored").
		WithHint("Look at the newest version and do it again.").With("fence", l.Fence)
}
