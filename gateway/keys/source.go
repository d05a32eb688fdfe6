package keys

import (
	"context"
	"strings"

	"proofmark/gateway/core"
)

// Source says where a key is. At most one field is set; the zero Source is a
// server that wants no key.
type Source struct {
	Env      string // the name of an environment variable
	Keychain string // an account in the operating system's keychain, of service Service
}

// None tells that no key is wanted.
func (s Source) None() bool { return s == Source{} }

// String says where the key is, for people: "environment OPENAI_API_KEY",
// "keychain deepseek" or "none".
func (s Source) String() string {
	switch {
	case s.Env != "":
		return "environment " + s.Env
	case s.Keychain != "":
		return "keychain " + s.Keychain
	}
	return "none"
}

// Lookup gives the key, or "" where none is wanted. A key that is missing, or
// that cannot be one, is ModelDenied with a hint how to set it.
func (s Source) Lookup(ctx context.Context, getenv func(string) string) (string, error) {
	switch {
	case s.Env != "":
		key := strings.TrimSpace(getenv(s.Env))
		if key == "" {
			return "", missing(core.Errorf(core.ModelDenied, "no key: the environment variable %s is not set", s.Env).
				WithHint("set it for this program: export %s=… (or keep the key in the keychain, see docs/models.md)", s.Env))
		}
		if err := plain(key); err != nil {
			return "", err.WithHint("look at the value of %s: it has to be the key alone", s.Env)
		}
		return key, nil
	case s.Keychain != "":
		key, err := fetch(ctx, s.Keychain)
		if err != nil {
			return "", err
		}
		if err := plain(key); err != nil {
			return "", err.WithHint("store it again: `proofmark models set-key NAME`")
		}
		return key, nil
	}
	return "", nil
}

// missing marks the error of a key that is not there, which is another matter
// than a keychain that cannot be asked.
func missing(e *core.Error) *core.Error { return e.With("key", "missing") }

// IsMissing tells whether Lookup failed because there is no key.
func IsMissing(err error) bool {
	if err == nil {
		return false
	}
	return core.AsError(err).Detail["key"] == "missing"
}

// maxKeyBytes bounds a key; the longest in use are tokens of some kilobytes,
// and the smallest keychain takes 2,560 bytes.
const maxKeyBytes = 2_500

// plain refuses what cannot be sent as a header: anything but visible ASCII.
// The error says nothing of the key itself.
func plain(key string) *core.Error {
	if len(key) > maxKeyBytes {
		return core.Errorf(core.ModelDenied, "this cannot be a key: it is longer than %d bytes", maxKeyBytes)
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return core.Errorf(core.ModelDenied, "this cannot be a key: it holds a blank, a line end or a sign outside ASCII")
		}
	}
	return nil
}
