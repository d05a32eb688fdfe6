package main

import (
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/point"
)

// note is one --say with the --at before it.
type note struct {
	targets []point.Target
	say     string
}

// notesFlag collects --at and --say in the order they are given.
type notesFlag struct {
	notes   []note
	pending []point.Target
	direct  []directEdit // of --do
	used    bool         // the pending targets have their --do; the next --at begins anew
}

type atFlag struct{ n *notesFlag }

func (f atFlag) String() string { return "" }
func (f atFlag) Set(s string) error {
	t, err := point.Parse(s)
	if err != nil {
		return err
	}
	if f.n.used {
		f.n.pending, f.n.used = nil, false
	}
	f.n.pending = append(f.n.pending, t)
	return nil
}

type sayFlag struct{ n *notesFlag }

func (f sayFlag) String() string { return "" }
func (f sayFlag) Set(s string) error {
	if strings.TrimSpace(s) == "" {
		return core.Errorf(core.Usage, "--say is empty")
	}
	if len(f.n.pending) == 0 || f.n.used {
		return core.Errorf(core.Usage, "--say %q has no --at before it", s).WithHint("write --at TARGET --say TEXT")
	}
	f.n.notes = append(f.n.notes, note{targets: f.n.pending, say: s})
	f.n.pending = nil
	return nil
}

// done checks that every --at got its --say.
func (f *notesFlag) done() error {
	if len(f.pending) > 0 && !f.used {
		return core.Errorf(core.Usage, "--at %q has no --say or --do behind it", f.pending[0].Text).WithHint("write --at TARGET --say TEXT")
	}
	if len(f.direct) > 0 {
		return f.directDone()
	}
	if len(f.notes) == 0 {
		return core.Errorf(core.Usage, "nothing to do: there is no --at TARGET --say TEXT")
	}
	if n := len(f.notes); n > core.MaxAnnotationsPerSend {
		return core.Errorf(core.TooMany, "%d notes; at most %d go out together", n, core.MaxAnnotationsPerSend)
	}
	for _, n := range f.notes {
		if len(n.targets) > core.MaxTargetsPerNote {
			return core.Errorf(core.TooMany, "%d targets on one note; at most %d", len(n.targets), core.MaxTargetsPerNote)
		}
	}
	return nil
}
