package gates

import (
	"context"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// Kill switches a feature off for every process that works with the database,
// also those that run now; also, which may be nil, is done in the same
// transaction. When Kill returns, nothing of the feature is published any more
// that was not before. It needs neither the configuration nor a gateway, and
// waits for no browser and no model; where other processes write all the time it
// tries until ctx is done. was tells whether the switch was thrown
// before; then the new reason counts.
func Kill(ctx context.Context, st *store.Store, f core.Feature, actor, reason string, also func(*store.Tx) error) (was bool, err error) {
	const op = "gates.Kill"
	if err := known(f); err != nil {
		return false, err.In(op)
	}
	if !utf8.ValidString(reason) || utf8.RuneCountInString(reason) > store.MaxSwitchReason {
		return false, core.Errorf(core.Usage, "a reason has at most %d characters", store.MaxSwitchReason).In(op)
	}
	err = insist(ctx, st, func(tx *store.Tx) (err error) {
		if was, err = thrown(tx, f); err != nil {
			return err
		}
		if err := tx.InsertSwitch(store.Switch{Feature: f, Off: true, Actor: actor, Reason: reason}); err != nil {
			return err
		}
		if also == nil {
			return nil
		}
		return also(tx)
	})
	return was, err
}

// Unkill takes the kill switch of a feature back. What configuration or
// environment say goes on to count. was tells whether it was thrown; nothing is
// stored where it was not.
func Unkill(ctx context.Context, st *store.Store, f core.Feature, actor string) (was bool, err error) {
	if err := known(f); err != nil {
		return false, err.In("gates.Unkill")
	}
	err = insist(ctx, st, func(tx *store.Tx) (err error) {
		if was, err = thrown(tx, f); err != nil || !was {
			return err
		}
		return tx.InsertSwitch(store.Switch{Feature: f, Actor: actor})
	})
	return was, err
}

// insist writes, and tries again while another process holds the database: who
// waits politely for busy writers may wait for long.
func insist(ctx context.Context, st *store.Store, fn func(*store.Tx) error) error {
	for {
		err := st.Write(ctx, fn)
		if core.CodeOf(err) != core.StorageBusy || ctx.Err() != nil {
			return err
		}
	}
}

func thrown(tx *store.Tx, f core.Feature) (bool, error) {
	list, err := tx.Switches()
	for _, s := range list {
		if s.Feature == f {
			return s.Off, err
		}
	}
	return false, err
}
