package keys

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/zalando/go-keyring"
	"pgregory.net/rapid"

	"proofmark/gateway/core"
)

// mock puts a keychain in memory in the place of the machine's.
func mock(t *testing.T) {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	keyring.MockInit()
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// everything gives all words of an error: what a log, a JSON result and a
// person could see of it.
func everything(err error) string {
	e := core.AsError(err)
	return fmt.Sprintf("%v %+v %s %v %v", err, err, e.Hint, e.Detail, e.Err)
}

// TestLookupInTheEnvironment proves R-MODEL-4: a key comes from the environment.
func TestLookupInTheEnvironment(t *testing.T) {
	s := Source{Env: "SOME_KEY"}
	key, err := s.Lookup(t.Context(), env("SOME_KEY", "  abc-123\n"))
	if err != nil || key != "abc-123" {
		t.Errorf("%q, %v: blanks around a key are no part of it", key, err)
	}
	for _, value := range []string{"", " \n"} {
		_, err := s.Lookup(t.Context(), env("SOME_KEY", value))
		e := core.AsError(err)
		if core.CodeOf(err) != core.ModelDenied || !IsMissing(err) || !strings.Contains(e.Message, "SOME_KEY") || !strings.Contains(e.Hint, "SOME_KEY") {
			t.Errorf("%q: %v, hint %q", value, err, e.Hint)
		}
	}
	for _, value := range []string{"abc def", "abc\r\nX-Other: 1", "schlüssel", "abc\x00", strings.Repeat("k", maxKeyBytes+1)} {
		_, err := s.Lookup(t.Context(), env("SOME_KEY", value))
		if core.CodeOf(err) != core.ModelDenied || IsMissing(err) {
			t.Errorf("%.20q…: %v", value, err)
		}
		if strings.Contains(everything(err), value) {
			t.Errorf("the error repeats the value: %v", err)
		}
	}
	if key, err := (Source{}).Lookup(t.Context(), nil); key != "" || err != nil {
		t.Errorf("no source: %q, %v", key, err)
	}
}

// TestKeychain proves R-MODEL-4: a key comes from the keychain, where it can be
// put, replaced and taken away.
func TestKeychain(t *testing.T) {
	mock(t)
	ctx, s := t.Context(), Source{Keychain: "deepseek"}
	if _, err := s.Lookup(ctx, nil); core.CodeOf(err) != core.ModelDenied || !IsMissing(err) {
		t.Errorf("before: %v", err)
	}
	if err := Delete(ctx, "deepseek"); core.CodeOf(err) != core.NotFound {
		t.Errorf("taking away what is not there: %v", err)
	}
	if err := Reach(ctx, "deepseek"); err != nil {
		t.Errorf("a keychain without the key: %v", err)
	}
	for _, key := range []string{"first-key", " second-key \n"} {
		if err := Store(ctx, "deepseek", key); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Lookup(ctx, nil); got != strings.TrimSpace(key) || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	for _, key := range []string{"", " \n", "two words", strings.Repeat("k", maxKeyBytes+1)} {
		if err := Store(ctx, "deepseek", key); core.CodeOf(err) != core.Usage {
			t.Errorf("%.10q: %v", key, err)
		}
	}
	if got, _ := s.Lookup(ctx, nil); got != "second-key" {
		t.Errorf("a refused key took the place of another: %q", got)
	}
	if _, err := (Source{Keychain: "other"}).Lookup(ctx, nil); !IsMissing(err) {
		t.Errorf("another account: %v", err)
	}
	if err := Delete(ctx, "deepseek"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lookup(ctx, nil); !IsMissing(err) {
		t.Errorf("after: %v", err)
	}
}

// TestKeychainThatIsNotThere: another error than a key that is missing.
func TestKeychainThatIsNotThere(t *testing.T) {
	mock(t)
	keyring.MockInitWithError(errors.New("no such service"))
	t.Cleanup(keyring.MockInit)
	_, err := Source{Keychain: "x"}.Lookup(t.Context(), nil)
	for _, err := range []error{err, Store(t.Context(), "x", "some-key"), Delete(t.Context(), "x"), Reach(t.Context(), "x")} {
		e := core.AsError(err)
		if e.Code != core.ModelDenied || IsMissing(err) || e.Detail["keychain"] != "unavailable" || !strings.Contains(e.Hint, "env") {
			t.Errorf("%v, hint %q", err, e.Hint)
		}
		if strings.Contains(everything(err), "some-key") {
			t.Errorf("the error holds the key: %v", err)
		}
	}
}

// TestKeychainThatWaits: a keychain that waits for a person stops nothing but
// the question, and not for ever.
func TestKeychainThatWaits(t *testing.T) {
	mock(t)
	synctest.Test(t, func(t *testing.T) {
		unlocked := make(chan struct{})
		waits := func() (string, error) { <-unlocked; return "late", nil }
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := ask(ctx, waits); core.CodeOf(err) != core.Cancelled {
			t.Errorf("cancelled: %v", err)
		}
		if key, err := ask(t.Context(), waits); core.CodeOf(err) != core.ModelDenied || key != "" {
			t.Errorf("never unlocked: %q, %v", key, err)
		}
		close(unlocked)
		odd := func() (string, error) { panic("secret-in-a-panic") }
		if _, err := ask(t.Context(), odd); core.CodeOf(err) != core.ModelDenied || strings.Contains(everything(err), "secret-in-a-panic") {
			t.Errorf("an answer of another form: %v", err)
		}
	})
}

// TestNoErrorHoldsAKey is R-MODEL-4 for any key at all, good or bad.
func TestNoErrorHoldsAKey(t *testing.T) {
	mock(t)
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[ -~\x00-\x1fé]{6,40}`).Draw(t, "key")
		if strings.Contains("this cannot be a key: it holds a blank, a line end or a sign outside ASCII", strings.TrimSpace(key)) {
			t.Skip("a word of the message")
		}
		ctx := context.Background()
		got, err := Source{Env: "K"}.Lookup(ctx, env("K", key))
		stored := Store(ctx, "a", key)
		for _, err := range []error{err, stored} {
			if err != nil && strings.Contains(everything(err), key) {
				t.Fatalf("%q is in %q", key, everything(err))
			}
		}
		if (err == nil) != (stored == nil) {
			t.Fatalf("%q: lookup %v, store %v", key, err, stored)
		}
		if back, err := (Source{Keychain: "a"}).Lookup(ctx, nil); stored == nil && (err != nil || back != got) {
			t.Fatalf("%q came back as %q, %v", got, back, err)
		}
	})
}

func TestSourceSaysWhereNotWhat(t *testing.T) {
	for s, want := range map[Source]string{
		{}: "none", {Env: "A_KEY"}: "environment A_KEY", {Keychain: "me"}: "keychain me",
	} {
		if s.String() != want || s.None() != (want == "none") {
			t.Errorf("%+v: %q, %v", s, s, s.None())
		}
	}
}
