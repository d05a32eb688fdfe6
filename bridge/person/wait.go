package person

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"
)

// Patience bounds what a test waits for; what is right comes much sooner.
const Patience = 60 * time.Second

// ErrNotYet says that something is not there yet.
var ErrNotYet = errors.New("not yet")

// Eventually waits until f gives nil.
func Eventually(t testing.TB, what string, f func() error) {
	t.Helper()
	deadline := time.Now().Add(Patience)
	for {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v", what, err)
		}
		time.Sleep(30 * time.Millisecond)
	}
}

// Decode reads JSON.
func Decode(t testing.TB, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %.400s", err, text)
	}
}

// Quote writes a string of JavaScript.
func Quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// Unescape reads a string of JSON; anything else stays as it is.
func Unescape(s string) string {
	var out string
	if json.Unmarshal([]byte(s), &out) != nil {
		return s
	}
	return out
}

// Squeeze takes away blanks: those in numbers that people read, above all.
func Squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
