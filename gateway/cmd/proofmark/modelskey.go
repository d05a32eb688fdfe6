package main

import (
	"context"
	"fmt"
	"os"

	"proofmark/gateway/core"
	"proofmark/gateway/keys"
	"proofmark/gateway/models"
)

// manageKey stores a key in the keychain or takes it out. What stands behind
// the name is never repeated: it may be a key.
func (a *app) manageKey(ctx context.Context, pos []string, check bool) error {
	if len(pos) > 2 {
		return core.Errorf(core.Usage, "%s takes a name and nothing else: the key is no argument, for others could see it", pos[0]).
			WithHint("`proofmark models %s NAME` asks for it, or reads it from standard input. A key that stood in a command is in the shell's history: get another", pos[0])
	}
	if len(pos) < 2 || check {
		return core.Errorf(core.Usage, "%s takes the name of a model in models.json", pos[0]).
			WithHint("`proofmark models` lists them")
	}
	c, err := a.catalog()
	if err != nil {
		return err
	}
	account, err := c.Account(pos[1])
	if pos[0] == "forget-key" && core.CodeOf(err) == core.NoModel {
		account, err = pos[1], nil // its entry is gone from the file, its key may not be
	}
	if err != nil {
		return err
	}
	done := map[string]any{"name": pos[1], "keychain": account}
	if pos[0] == "forget-key" {
		if err := keys.Delete(ctx, account); err != nil {
			return err
		}
		done["key"] = models.KeyMissing
		a.say(done, "The keychain holds no key for %s any more.", pos[1])
		return nil
	}
	if err := keys.Reach(ctx, account); err != nil { // before anything is typed
		return err
	}
	key, err := a.readKey(ctx, c, pos[1])
	if err != nil {
		return err
	}
	if err := keys.Store(ctx, account, key); err != nil {
		return err
	}
	done["key"] = models.KeySet
	a.say(done, "The key of %s is in the keychain, as %q of %s. `proofmark models --check %s` tries it.", pos[1], account, keys.Service, pos[1])
	return nil
}

// readKey asks for a key in a terminal, or reads what is piped in.
func (a *app) readKey(ctx context.Context, c models.Catalog, name string) (string, error) {
	f, ok := a.stdin.(*os.File)
	if !ok || !a.terminal() {
		return keys.Read(a.stdin)
	}
	e, err := c.Find(name)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(a.stderr, "Key of %s for %s (it is not shown): ", name, e.Host())
	key, err := keys.ReadHidden(ctx, f)
	fmt.Fprintln(a.stderr)
	return key, err
}

// say gives a result that is one sentence to people.
func (a *app) say(result map[string]any, format string, args ...any) {
	if a.json {
		a.printJSON(result)
		return
	}
	a.printf(format+"\n", args...)
}
