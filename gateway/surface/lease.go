package surface

import (
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"proofmark/gateway/core"
)

// Lease says what one origin of the preview listener stands for. It is a copy;
// the listener keeps the truth.
type Lease struct {
	Label       string // 128 bits, lower-case base32
	Origin      string // "http://<label>.localhost:<port>"
	Path        string // of the document below Origin, escaped
	DocumentID  string
	RevisionID  string // the revision shown, or the candidate's base
	CandidateID string // "" where a revision is shown
	SHA         string // SHA-256 of the bytes served, lower-case hexadecimal
	Binding     int64  // grows with every rebinding to other bytes
	ExpiresAt   time.Time
}

// binding is what a lease serves at a time; it never changes once made.
type binding struct {
	documentID, revisionID, candidateID string
	sha                                 string
	bytes                               []byte
	fileName                            string // decoded
	root                                *os.Root
	allowed                             origins
	policy                              string // Content-Security-Policy of the document
	number                              int64
}

// reportPath is where the browser reports what the policy blocked. It is the same
// for every lease, so that base and candidate differ in nothing a page can see.
const reportPath = "/.proofmark/report"

// BlankPath is what a frame shows until the document is loaded in it.
const BlankPath = "/.proofmark/blank"

// lease is one origin. Everything below mu is guarded by it.
type lease struct {
	label, host, origin string // immutable; host is "<label>.localhost:<port>"
	ancestor            string // immutable; the origin whose page has it in a frame, "" for a page of its own
	now                 func() time.Time

	missing *tally
	asked   *tally

	mu        sync.Mutex
	bound     *binding
	expiresAt time.Time
	revoked   bool
	served    int64 // times the document went out
	servedAs  int64 // binding number of the latest one
	reports   int
}

// current gives what is served now, or nil when the lease is over.
func (l *lease) current() *binding {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.overLocked() {
		return nil
	}
	return l.bound
}

func (l *lease) overLocked() bool { return l.revoked || !l.now().Before(l.expiresAt) }

func (l *lease) over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.overLocked()
}

// touch pushes the expiry out. Only the gateway's own use does; a page cannot
// keep its lease alive.
func (l *lease) touch() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.overLocked() {
		return false
	}
	l.expiresAt = l.now().Add(core.PreviewLeaseIdle)
	return true
}

// bind replaces what is served. The folder the old binding held open is closed
// when the new one does not share it.
func (l *lease) bind(b *binding) bool {
	l.mu.Lock()
	if l.overLocked() {
		l.mu.Unlock()
		return false
	}
	old := l.bound
	if old != nil {
		b.number = old.number + 1
	} else {
		b.number = 1
	}
	l.bound = b
	l.mu.Unlock()
	l.missing.reset()
	l.asked.reset()
	if old != nil && old.root != nil && old.root != b.root {
		_ = old.root.Close()
	}
	return true
}

// revoke ends the lease; it can be called again.
func (l *lease) revoke() {
	l.mu.Lock()
	was := l.revoked
	l.revoked = true
	root := (*os.Root)(nil)
	if l.bound != nil {
		root = l.bound.root
	}
	l.mu.Unlock()
	if !was && root != nil {
		_ = root.Close()
	}
}

// noteServed counts one delivery of the document.
func (l *lease) noteServed(b *binding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.served++
	l.servedAs = b.number
}

// deliveries tells how often the document went out, and as which binding last.
func (l *lease) deliveries() (count, number int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.served, l.servedAs
}

// mayReport spends one of the lease's policy reports.
func (l *lease) mayReport() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reports++
	return l.reports <= maxReportsPerLease
}

func (l *lease) snapshot() Lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := Lease{Label: l.label, Origin: l.origin, ExpiresAt: l.expiresAt}
	if b := l.bound; b != nil {
		out.Path = documentPath(b.fileName)
		out.DocumentID, out.RevisionID, out.CandidateID = b.documentID, b.revisionID, b.candidateID
		out.SHA, out.Binding = b.sha, b.number
	}
	return out
}

// documentPath gives the URL path of a file name, escaped.
func documentPath(fileName string) string { return "/" + url.PathEscape(fileName) }

func newLabel() string { return strings.TrimPrefix(core.NewID("x"), "x_") }
