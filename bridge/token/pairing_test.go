package token

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"proofmark/gateway/core"
)

// R-SEC-2, D-64: a code lets a browser in once, for ten minutes, and nothing
// else does.
func TestPairing(t *testing.T) {
	now := time.Unix(1_796_040_000, 0)
	p := NewPairing(func() time.Time { return now })
	want := func(typed, reason string) {
		t.Helper()
		err := p.Admit(typed)
		if reason == "" {
			if err != nil {
				t.Errorf("%q: %v", typed, err)
			}
			return
		}
		if core.CodeOf(err) != core.Unauthenticated || core.AsError(err).Detail["reason"] != reason {
			t.Errorf("%q: %v, want %s", typed, err, reason)
		}
	}
	want("", "revoked") // nothing is not the code of a gateway that has none
	first := p.Next()
	if !regexp.MustCompile(`^[A-Z2-7]{4}-[A-Z2-7]{4}$`).MatchString(first) {
		t.Fatalf("code %q", first)
	}
	for _, typed := range []string{"", "-", first[:8], first + "A", strings.Repeat("A", 9), strings.Repeat(first, 9)} {
		want(typed, "malformed")
	}
	want(strings.ToLower(strings.Replace(first, "-", " ", 1)), "")
	want(first, "revoked")
	second := p.Next()
	if second == first {
		t.Error("the code came again")
	}
	want(first, "malformed")
	now = now.Add(PairingLife)
	want(second, "expired")
	third, fourth := p.Next(), p.Next()
	want(third, "malformed") // a newer one takes its place
	want(fourth, "")
}
