package workbench

import (
	"context"
	"path/filepath"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/manual"
)

// Task is one direct edit of what was picked in a preview; see manual.Task.
type Task struct {
	Do    manual.Do
	Name  string // of the attribute or style property
	Value string
	Say   string   // the task in words, kept with the change
	Picks []string // handles
}

// Direct asks for direct edits of the version a preview shows.
type Direct struct {
	Tasks    []Task
	Approved []string // kinds of policy flags the person approves
	Actor    string
	Write    bool // the file is written after the commit
}

// Directed is what direct edits came to.
type Directed struct {
	manual.Directed
	Written  bool
	WriteErr error
}

// Direct carries out direct edits on elements that were picked in the preview.
// They look at the page at the preview's size and with its origins. Refusals:
// FeatureOff, those of Verified, NoBrowser and manual.Direct.
func (p *Preview) Direct(ctx context.Context, r Direct) (Directed, error) {
	w := p.w
	if err := w.c.Check(ctx, core.FeatureWorkbench); err != nil {
		return Directed{}, err
	}
	if n := len(r.Tasks); n == 0 || n > core.MaxAnnotationsPerSend {
		return Directed{}, core.Errorf(core.TooMany, "1 to %d direct edits go together", core.MaxAnnotationsPerSend)
	}
	tasks := make([]manual.Task, len(r.Tasks))
	for i, t := range r.Tasks {
		proven, err := p.Verified(t.Picks)
		if err != nil {
			return Directed{}, core.AsError(err).With("task", i+1)
		}
		tasks[i] = manual.Task{Say: t.Say, Do: t.Do, Name: t.Name, Value: t.Value, Targets: proven}
	}
	shown := p.State()
	d, err := w.c.Documents.Get(ctx, shown.DocumentID)
	if err != nil {
		return Directed{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	done, err := manual.Direct(ctx, w.candidates, manual.DirectRequest{
		DocumentID: shown.DocumentID, RevisionID: shown.RevisionID, Tasks: tasks, Actor: r.Actor,
	}, candidate.BeginOptions{
		AssetDir: filepath.Dir(d.Path), AllowOrigins: p.ask.AllowOrigins, Width: shown.Width, Height: shown.Height, Approved: r.Approved,
	})
	out := Directed{Directed: done}
	if err == nil && r.Write {
		out.Written, out.WriteErr = w.c.Documents.WriteBack(context.WithoutCancel(ctx), shown.DocumentID)
	}
	return out, err
}
