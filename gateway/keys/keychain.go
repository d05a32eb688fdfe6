package keys

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"proofmark/gateway/core"
)

// Service is the name all keys stand under in the keychain.
const Service = "proofmark"

// keychainTimeout bounds one question to the keychain. It may ask the person to
// unlock it, so it is long.
const keychainTimeout = 60 * time.Second

// Store puts a key into the keychain under an account, over any that is there.
// Blanks and line ends around it are not part of it.
func Store(ctx context.Context, account, key string) error {
	key = strings.TrimSpace(key)
	if key == "" {
		return core.Errorf(core.Usage, "no key was given, so none was stored").
			WithHint("paste it when asked, or pipe it in: `… | proofmark models set-key NAME`")
	}
	if err := plain(key); err != nil {
		return core.Errorf(core.Usage, "%s; nothing was stored", err.Message).WithHint("give the key alone, on one line")
	}
	_, err := ask(ctx, func() (string, error) { return "", keyring.Set(Service, account, key) })
	return err
}

// Delete takes an account's key out of the keychain. One that is not there is
// NotFound.
func Delete(ctx context.Context, account string) error {
	_, err := ask(ctx, func() (string, error) { return "", keyring.Delete(Service, account) })
	if errors.Is(err, keyring.ErrNotFound) {
		return core.Errorf(core.NotFound, "the keychain holds no key named %q", account)
	}
	return err
}

// Reach tells whether the keychain can be asked for an account, whose key may
// be there or not.
func Reach(ctx context.Context, account string) error {
	if _, err := fetch(ctx, account); err != nil && !IsMissing(err) {
		return err
	}
	return nil
}

// fetch gives an account's key.
func fetch(ctx context.Context, account string) (string, error) {
	key, err := ask(ctx, func() (string, error) { return keyring.Get(Service, account) })
	if errors.Is(err, keyring.ErrNotFound) || err == nil && strings.TrimSpace(key) == "" {
		return "", missing(core.Errorf(core.ModelDenied, "no key: the keychain holds none named %q", account).
			WithHint("store it: `proofmark models set-key NAME`"))
	}
	return strings.TrimSpace(key), err
}

// ask puts one question to the keychain. The keychain's interface knows no
// cancelling: one that never answers, because it waits for a person, is left
// to itself. ErrNotFound comes through as it is; everything else becomes an
// error that names no key.
func ask(ctx context.Context, question func() (string, error)) (string, error) {
	if err := present(); err != nil {
		return "", unavailable(err)
	}
	ctx, cancel := context.WithTimeout(ctx, keychainTimeout)
	defer cancel()
	type answer struct {
		key string
		err error
	}
	done := make(chan answer, 1)
	go func() {
		defer func() { // the library trusts the forms of what a keychain answers
			if p := recover(); p != nil {
				done <- answer{err: errors.New("it answered in an unknown form")}
			}
		}()
		key, err := question()
		done <- answer{key, err}
	}()
	select {
	case a := <-done:
		switch {
		case a.err == nil, errors.Is(a.err, keyring.ErrNotFound):
			return a.key, a.err
		case errors.Is(a.err, keyring.ErrSetDataTooBig):
			return "", core.Errorf(core.Usage, "the key is too long for this keychain; nothing was stored")
		}
		return "", unavailable(a.err)
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", core.Errorf(core.ModelDenied, "the keychain did not answer in %d seconds", int(keychainTimeout.Seconds())).
				WithHint("it may be waiting to be unlocked")
		}
		return "", core.Wrap(core.Cancelled, ctx.Err(), "stopped while the keychain was asked")
	}
}

// unavailable says that there is no keychain to ask. The cause is the
// keychain's own words about its service, never about a key.
func unavailable(err error) error {
	return core.Wrap(core.ModelDenied, err, "this machine's keychain cannot be used").
		WithHint("%s; or name an environment variable in models.json: \"key\": {\"env\": \"NAME\"}", howToGetOne).
		With("keychain", "unavailable")
}
