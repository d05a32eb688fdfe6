package models

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/keys"
)

// KeyState tells how it stands with a model's key.
type KeyState string

// States of a key.
const (
	KeySet         KeyState = "set"
	KeyMissing     KeyState = "missing"
	KeyNone        KeyState = "none"        // none is wanted
	KeyUnusable    KeyState = "unusable"    // something is there that cannot be a key
	KeyUnavailable KeyState = "unavailable" // the keychain cannot be asked
)

// KeyState looks whether an entry's key is there.
func (c Catalog) KeyState(ctx context.Context, e Entry) KeyState {
	if e.Key.None() {
		return KeyNone
	}
	_, err := c.key(ctx, e)
	switch {
	case err == nil:
		return KeySet
	case keys.IsMissing(err):
		return KeyMissing
	case core.AsError(err).Detail["keychain"] == "unavailable" || core.CodeOf(err) == core.Cancelled:
		return KeyUnavailable
	}
	return KeyUnusable
}

// key looks an entry's key up. What it says where there is none names the entry.
func (c Catalog) key(ctx context.Context, e Entry) (string, error) {
	key, err := e.Key.Lookup(ctx, c.getenv)
	if err == nil {
		return key, nil
	}
	told := *core.AsError(err)
	told.Message = e.Name + ": " + told.Message
	if e.Key.Keychain != "" && keys.IsMissing(err) {
		told.Hint = "store it: `proofmark models set-key " + e.Name + "`"
	}
	return "", &told
}
