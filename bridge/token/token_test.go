package token

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"proofmark/gateway/core"
)

// clock is a time that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)} }

func mint(t testing.TB, i *Issuer, s Scope) (string, Claims) {
	t.Helper()
	tok, c, err := i.Mint(s, "client")
	if err != nil {
		t.Fatal(err)
	}
	return tok, c
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	e := core.AsError(err)
	return fmt.Sprintf("%s %v", e.Code, e.Detail["reason"])
}

// R-SEC-2: what is minted is what is verified, for as long as it lives.
func TestLife(t *testing.T) {
	c := newClock()
	i := NewIssuer("run_1", c.now)
	for _, s := range []Scope{Desktop, UI, Agent, Preview} {
		tok, made := mint(t, i, s)
		got, err := i.Verify(tok)
		if err != nil || got != made || got.Scope != s || got.Subject != "client" {
			t.Errorf("%s: %+v, %v; minted %+v", s, got, err, made)
		}
	}
	tok, _ := mint(t, i, UI)
	c.at = c.at.Add(Life - time.Second)
	if _, err := i.Verify(tok); err != nil {
		t.Errorf("right before its end: %v", err)
	}
	c.at = c.at.Add(time.Second)
	if _, err := i.Verify(tok); reason(err) != "unauthenticated expired" {
		t.Errorf("at its end: %v", err)
	}
	if _, _, err := i.Refresh(tok); reason(err) != "unauthenticated expired" {
		t.Errorf("refreshing it then: %v", err)
	}
	if _, _, err := i.Mint("admin", ""); core.CodeOf(err) != core.Usage {
		t.Errorf("a scope that is none: %v", err)
	}
}

// A client that refreshes in time keeps its access for MaxFamilyAge, no longer.
func TestRefresh(t *testing.T) {
	c := newClock()
	i := NewIssuer("run_1", c.now)
	tok, first := mint(t, i, UI)
	began := c.at
	for {
		c.at = c.at.Add(10 * time.Minute)
		next, made, err := i.Refresh(tok)
		if err != nil {
			if age := c.at.Sub(began); age < MaxFamilyAge || reason(err) == "" {
				t.Fatalf("refused at the age of %v: %v", age, err)
			}
			break
		}
		if made.Family != first.Family || made.ID == first.ID || made.Expires.After(began.Add(MaxFamilyAge)) {
			t.Fatalf("refreshed: %+v", made)
		}
		if _, err := i.Verify(tok); err != nil {
			t.Fatalf("the old one, before it expires: %v", err)
		}
		tok = next
	}
}

func TestRevoke(t *testing.T) {
	i := NewIssuer("run_1", nil)
	one, c1 := mint(t, i, UI)
	two, _, _ := i.Refresh(one)
	other, _ := mint(t, i, UI)
	agent, _ := mint(t, i, Agent)
	i.Revoke(c1.Family)
	for _, tok := range []string{one, two} {
		if _, err := i.Verify(tok); reason(err) != "unauthenticated revoked" {
			t.Errorf("of a revoked family: %v", err)
		}
	}
	if _, err := i.Verify(other); err != nil {
		t.Errorf("another family: %v", err)
	}
	i.RevokeSubject(UI, "client")
	if _, err := i.Verify(other); reason(err) != "unauthenticated revoked" {
		t.Errorf("of a revoked client: %v", err)
	}
	if _, err := i.Verify(agent); err != nil {
		t.Errorf("of the same name in another scope: %v", err)
	}
}

// Attack 15: whatever was not signed here, for this, is refused.
func TestForged(t *testing.T) {
	c := newClock()
	i := NewIssuer("run_1", c.now)
	good, made := mint(t, i, UI)
	body := func(change func(*claims)) claims {
		b := claims{RegisteredClaims: jwt.RegisteredClaims{
			Issuer: "run_1", Audience: jwt.ClaimStrings{audience}, Subject: "client", ID: made.ID,
			IssuedAt: jwt.NewNumericDate(c.at), ExpiresAt: jwt.NewNumericDate(made.Expires),
		}, Scope: UI, Family: made.Family}
		change(&b)
		return b
	}
	sign := func(m jwt.SigningMethod, key any, change func(*claims)) string {
		s, err := jwt.NewWithClaims(m, body(change)).SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	same := func(*claims) {}
	hs := jwt.SigningMethodHS256
	if _, err := i.Verify(sign(hs, i.secret, same)); err != nil {
		t.Fatalf("what the others are made from: %v", err)
	}
	parts := strings.Split(good, ".")
	head := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	for name, tok := range map[string]string{
		"nothing":                "",
		"another launch":         func() string { s, _ := mint(t, NewIssuer("run_1", c.now), UI); return s }(),
		"another key":            sign(hs, []byte("0123456789abcdef0123456789abcdef"), same),
		"no algorithm":           sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, same),
		"another algorithm":      sign(jwt.SigningMethodHS512, i.secret, same),
		"none in the header":     head(`{"alg":"none"}`) + "." + parts[1] + ".",
		"no signature":           parts[0] + "." + parts[1] + ".",
		"a signature cut short":  good[:len(good)-1],
		"one character more":     good + "A",
		"another last character": good[:len(good)-1] + map[bool]string{true: "B", false: "A"}[good[len(good)-1] == 'A'],
		"padding":                good + "=",
		"white space":            " " + good,
		"a line end":             good + "\n",
		"four parts":             good + ".x",
		"another audience":       sign(hs, i.secret, func(b *claims) { b.Audience = jwt.ClaimStrings{"other"} }),
		"no audience":            sign(hs, i.secret, func(b *claims) { b.Audience = nil }),
		"another issuer":         sign(hs, i.secret, func(b *claims) { b.Issuer = "run_2" }),
		"no expiry":              sign(hs, i.secret, func(b *claims) { b.ExpiresAt = nil }),
		"issued in the future":   sign(hs, i.secret, func(b *claims) { b.IssuedAt = jwt.NewNumericDate(c.at.Add(time.Hour)) }),
		"not yet valid":          sign(hs, i.secret, func(b *claims) { b.NotBefore = jwt.NewNumericDate(c.at.Add(time.Hour)) }),
		"another scope":          sign(hs, i.secret, func(b *claims) { b.Scope = Desktop }),
		"another client":         sign(hs, i.secret, func(b *claims) { b.Subject = "other" }),
		"no family":              sign(hs, i.secret, func(b *claims) { b.Family = "" }),
		"a very long one":        sign(hs, i.secret, func(b *claims) { b.ID = strings.Repeat("x", 1<<20) }),
	} {
		_, err := i.Verify(tok)
		if core.CodeOf(err) != core.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && len(tok) > 20 && strings.Contains(fmt.Sprintf("%+v %s", core.AsError(err), err), tok[:20]) {
			t.Errorf("%s: the refusal holds the token", name)
		}
	}
}

// However many clients come, what is remembered of them is bounded.
func TestFamiliesAreBounded(t *testing.T) {
	c := newClock()
	i := NewIssuer("run_1", c.now)
	shell, _ := mint(t, i, Desktop)
	first, _ := mint(t, i, Agent)
	for range maxFamilies {
		c.at = c.at.Add(time.Millisecond)
		mint(t, i, Agent)
	}
	if n := len(i.families); n > maxFamilies+1 {
		t.Errorf("%d families are remembered", n)
	}
	if _, err := i.Verify(shell); err != nil {
		t.Errorf("many agents ended the desktop's token: %v", err)
	}
	if _, err := i.Verify(first); reason(err) != "unauthenticated revoked" {
		t.Errorf("the oldest: %v", err)
	}
	c.at = c.at.Add(MaxFamilyAge)
	mint(t, i, Agent)
	if n := len(i.families); n != 1 {
		t.Errorf("%d families are remembered when all but one are too old", n)
	}
}

func FuzzVerify(f *testing.F) {
	i := NewIssuer("run_1", nil)
	good, _, err := i.Mint(UI, "client")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add("")
	f.Add("a.b.c")
	f.Fuzz(func(t *testing.T, tok string) {
		if _, err := i.Verify(tok); err == nil && tok != good {
			t.Errorf("%q is valid", tok)
		}
	})
}
