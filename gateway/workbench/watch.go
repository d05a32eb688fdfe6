package workbench

import (
	"context"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
)

// headPoll is how often a watched document is looked at for what other processes
// did to its history.
const headPoll = 300 * time.Millisecond

// Noticed is what a watch tells of. One of its fields is set.
type Noticed struct {
	Document *core.Document // its history moved
	File     *FileState     // its file came to rest with other bytes
}

// FileState says how a file stands to its history.
type FileState struct {
	State document.SyncState // "" where it could not be brought in step
	Err   error              // why not
}

// Watch tells how a document stands now, and then of each change, until ctx is
// done or tell fails: of its history, whoever moved it, and of its file. What
// another program writes becomes the newest version, as far as that loses
// nothing; a conflict is told and nothing is done. tell is called from this
// goroutine.
func (w *Workbench) Watch(ctx context.Context, documentID string, actor string, tell func(Noticed) error) error {
	d, err := w.c.Documents.Get(ctx, documentID)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	files, err := document.NewWatcher([]string{d.Path}, document.WatchOptions{})
	if err != nil {
		return err
	}
	sights := make(chan FileState)
	ended := make(chan error, 1)
	go func() {
		ended <- files.Run(ctx, func(s document.Sight) error { return w.saw(ctx, d.Path, actor, s, sights) })
		_ = files.Close() // nobody looks any more
	}()
	defer func() { stop(); <-ended }()
	poll := time.NewTicker(headPoll)
	defer poll.Stop()
	told := int64(-1)
	for {
		now, err := w.c.Documents.Get(ctx, documentID)
		if err != nil {
			return err
		}
		if now.StateRev != told {
			told = now.StateRev
			if err := tell(Noticed{Document: &now}); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			ended <- err
			return err
		case s := <-sights:
			if err := tell(Noticed{File: &s}); err != nil {
				return err
			}
		case <-poll.C:
		}
	}
}

// saw takes in what the file holds now. What will be over soon is given back, to
// be tried again.
func (w *Workbench) saw(ctx context.Context, path, actor string, s document.Sight, sights chan<- FileState) error {
	f := FileState{Err: s.Err}
	if s.Err == nil {
		out, err := w.c.Documents.Sync(ctx, path, document.SyncRequest{Actor: actor})
		switch core.CodeOf(err) {
		case core.LeaseHeld, core.StorageBusy, core.HeadMoved, core.StaleSource:
			return err
		}
		f = FileState{State: out.State, Err: err}
	}
	select {
	case sights <- f:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
