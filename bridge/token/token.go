package token

import (
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"proofmark/gateway/core"
)

// Scope says what a token opens.
type Scope string

// Scopes.
const (
	Desktop Scope = "desktop" // the shell that owns the gateway: starts, stops, mints for its workbench
	UI      Scope = "ui"      // the workbench a person works in
	Agent   Scope = "agent"   // the command line and outside agents
	Preview Scope = "preview" // the host of one preview: that preview's lease and nothing else
)

// Lives of tokens and their families.
const (
	Life         = 15 * time.Minute
	MaxFamilyAge = 12 * time.Hour
	maxFamilies  = 4_096 // of a scope that are remembered at once; its oldest ends for a new one
	maxBytes     = 2_048 // of a token; one of ours has about 400
)

const audience = "proofmark-gateway"

// Claims is what a valid token says.
type Claims struct {
	ID      string // of the token
	Family  string // of the token and what it was refreshed from
	Scope   Scope
	Subject string // the client it was given to; for Preview the preview
	Expires time.Time
}

// claims is the body on the wire.
type claims struct {
	jwt.RegisteredClaims
	Scope  Scope  `json:"scope"`
	Family string `json:"fam"`
}

// family is a chain of refreshed tokens.
type family struct {
	began time.Time
	scope Scope
	sub   string
}

// Issuer mints and checks the tokens of one launch. It is safe for concurrent use.
type Issuer struct {
	launch string
	secret []byte
	parser *jwt.Parser
	now    func() time.Time

	mu       sync.Mutex
	families map[string]family // live ones; guarded by mu
}

// NewIssuer makes the issuer of a launch with a fresh secret. launch names the
// gateway process; now is the clock, nil for the machine's.
func NewIssuer(launch string, now func() time.Time) *Issuer {
	if now == nil {
		now = time.Now
	}
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		panic(err) // crypto/rand never fails on the platforms Go supports
	}
	return &Issuer{
		launch: launch, secret: secret, now: now, families: map[string]family{},
		parser: jwt.NewParser(
			jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Name}), jwt.WithAudience(audience), jwt.WithIssuer(launch),
			jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithStrictDecoding(), jwt.WithTimeFunc(now)),
	}
}

// Mint gives a token of a new family.
func (i *Issuer) Mint(scope Scope, subject string) (string, Claims, error) {
	switch scope {
	case Desktop, UI, Agent, Preview:
	default:
		return "", Claims{}, core.Errorf(core.Usage, "%q is no scope of a token", scope).In("token.Mint")
	}
	id := core.NewID("fam")
	f := family{began: i.now(), scope: scope, sub: subject}
	i.mu.Lock()
	i.forget(f.began, scope)
	i.families[id] = f
	i.mu.Unlock()
	return i.sign(id, f)
}

// Refresh gives a new token for one that is still valid. The old one stays
// valid until it expires, so that requests on their way are not cut off.
// Refusals: those of Verify.
func (i *Issuer) Refresh(token string) (string, Claims, error) {
	c, err := i.Verify(token)
	if err != nil {
		return "", Claims{}, err
	}
	i.mu.Lock()
	f, ok := i.families[c.Family]
	i.mu.Unlock()
	if !ok {
		return "", Claims{}, refused("revoked")
	}
	return i.sign(c.Family, f)
}

// Verify checks a token and gives what it says. The refusal is Unauthenticated;
// its detail "reason" is missing, malformed, expired or revoked, and holds
// nothing of the token.
func (i *Issuer) Verify(token string) (Claims, error) {
	if token == "" {
		return Claims{}, refused("missing")
	}
	if len(token) > maxBytes || strings.ContainsFunc(token, foreign) {
		return Claims{}, refused("malformed")
	}
	var c claims
	_, err := i.parser.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return i.secret, nil })
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return Claims{}, refused("expired")
	case err != nil:
		return Claims{}, refused("malformed")
	}
	i.mu.Lock()
	f, ok := i.families[c.Family]
	i.mu.Unlock()
	if !ok || f.scope != c.Scope || f.sub != c.Subject || i.now().Sub(f.began) >= MaxFamilyAge {
		return Claims{}, refused("revoked")
	}
	return Claims{ID: c.ID, Family: c.Family, Scope: c.Scope, Subject: c.Subject, Expires: c.ExpiresAt.UTC()}, nil
}

// foreign tells of characters that no token has. Decoding base64 skips line ends.
func foreign(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '-' && r != '_' && r != '.'
}

// Revoke ends a family: none of its tokens opens anything from now on.
func (i *Issuer) Revoke(family string) {
	i.mu.Lock()
	delete(i.families, family)
	i.mu.Unlock()
}

// RevokeSubject ends every family that was given to a client in a scope.
func (i *Issuer) RevokeSubject(scope Scope, subject string) {
	i.mu.Lock()
	for id, f := range i.families {
		if f.scope == scope && f.sub == subject {
			delete(i.families, id)
		}
	}
	i.mu.Unlock()
}

func (i *Issuer) sign(id string, f family) (string, Claims, error) {
	now := i.now()
	c := Claims{ID: core.NewID("tok"), Family: id, Scope: f.scope, Subject: f.sub, Expires: now.Add(Life).Truncate(time.Second).UTC()}
	if last := f.began.Add(MaxFamilyAge); c.Expires.After(last) {
		c.Expires = last.UTC()
	}
	s, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: i.launch, Audience: jwt.ClaimStrings{audience}, Subject: f.sub, ID: c.ID,
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(c.Expires),
		},
		Scope: f.scope, Family: id,
	}).SignedString(i.secret)
	if err != nil {
		return "", Claims{}, core.Wrap(core.Internal, err, "a token could not be signed").In("token.Mint")
	}
	return s, c, nil
}

// forget drops what is too old, and the scope's oldest where there are too many:
// however many agents come, the desktop's token lives. mu is held.
func (i *Issuer) forget(now time.Time, scope Scope) {
	var oldest string
	n := 0
	for id, f := range i.families {
		if now.Sub(f.began) >= MaxFamilyAge {
			delete(i.families, id)
			continue
		}
		if f.scope != scope {
			continue
		}
		if n++; oldest == "" || f.began.Before(i.families[oldest].began) {
			oldest = id
		}
	}
	if n >= maxFamilies {
		delete(i.families, oldest)
	}
}

func refused(reason string) *core.Error {
	return core.Errorf(core.Unauthenticated, "the request has no valid token (%s)", reason).With("reason", reason).
		WithHint("Ask for a new token; one of an earlier start of the gateway is not valid any more.").In("token.Verify")
}
