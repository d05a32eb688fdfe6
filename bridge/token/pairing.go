package token

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"strings"
	"sync"
	"time"
)

// Paired is the scope of a browser in which a person has typed the gateway's
// code. It opens the one route that mints a token for the workbench.
const Paired Scope = "paired"

// PairingScheme is the authorization scheme of that code: "Pairing XXXX-XXXX".
const PairingScheme = "Pairing"

// PairingLife is how long a code can be used.
const PairingLife = 10 * time.Minute

// Pairing holds the one code that lets a plain browser in. It stands on the
// gateway's own terminal, where a person reads it and no page does: 40 random
// bits, good once and for PairingLife. It is safe for concurrent use.
type Pairing struct {
	now func() time.Time

	mu    sync.Mutex
	code  string // without its dash; "" where there is none; guarded by mu
	until time.Time
}

// NewPairing makes a Pairing without a code; now is the clock, nil for the
// machine's.
func NewPairing(now func() time.Time) *Pairing {
	if now == nil {
		now = time.Now
	}
	return &Pairing{now: now}
}

// Next makes a new code in place of the one before, and gives it as a person
// reads it.
func (p *Pairing) Next() string {
	var b [5]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // crypto/rand never fails on the platforms Go supports
	}
	code := base32.StdEncoding.EncodeToString(b[:])
	p.mu.Lock()
	p.code, p.until = code, p.now().Add(PairingLife)
	p.mu.Unlock()
	return code[:4] + "-" + code[4:]
}

// Admit takes a code, as it may be typed: in small letters, without its dash. It
// is good once. The refusal is Unauthenticated; its detail "reason" is malformed,
// expired or revoked (there is none, or it was used).
func (p *Pairing) Admit(typed string) error {
	if len(typed) > 32 {
		return refused("malformed")
	}
	typed = strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(typed))
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.code == "":
		return refused("revoked")
	case !p.now().Before(p.until):
		return refused("expired")
	case subtle.ConstantTimeCompare([]byte(typed), []byte(p.code)) != 1:
		return refused("malformed")
	}
	p.code = ""
	return nil
}
