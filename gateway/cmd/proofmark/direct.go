package main

import (
	"context"
	"strings"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/llm/builtin"
	"proofmark/gateway/manual"
	"proofmark/gateway/point"
	"proofmark/gateway/proof"
	"proofmark/gateway/turn"
)

// directEdit is one --do with the --at before it.
type directEdit struct {
	task    manual.Task // without its targets
	targets []point.Target
}

type doFlag struct{ n *notesFlag }

func (f doFlag) String() string { return "" }
func (f doFlag) Set(s string) error {
	t, err := parseDo(s)
	if err != nil {
		return err
	}
	if len(f.n.pending) == 0 {
		return core.Errorf(core.Usage, "--do %q has no --at before it", s).WithHint("write --at TARGET --do EDIT")
	}
	f.n.direct = append(f.n.direct, directEdit{task: t, targets: f.n.pending})
	f.n.used = true
	return nil
}

// directDone checks what directEdits alone must keep to.
func (f *notesFlag) directDone() error {
	if len(f.notes) > 0 {
		return core.Errorf(core.Usage, "--say and --do do not go together").WithHint("make it two commands")
	}
	if n := len(f.direct); n > core.MaxAnnotationsPerSend {
		return core.Errorf(core.TooMany, "%d --do; at most %d go together", n, core.MaxAnnotationsPerSend)
	}
	for _, d := range f.direct {
		if len(d.targets) > core.MaxTargetsPerNote {
			return core.Errorf(core.TooMany, "%d targets of one --do; at most %d", len(d.targets), core.MaxTargetsPerNote)
		}
	}
	return nil
}

var plainDo = map[string]manual.Do{
	"remove": manual.Remove, "duplicate": manual.Duplicate, "up": manual.MoveUp, "down": manual.MoveDown,
}

// parseDo reads the EDIT of --do.
func parseDo(s string) (manual.Task, error) {
	t := manual.Task{Say: s}
	if do, ok := plainDo[s]; ok {
		t.Do = do
		return t, nil
	}
	if text, ok := strings.CutPrefix(s, "text="); ok {
		t.Do, t.Value = manual.SetText, text
		return t, nil
	}
	what, rest, _ := strings.Cut(s, ":")
	name, value, hasValue := strings.Cut(rest, "=")
	switch {
	case what == "attr" && !hasValue && len(rest) > 1 && rest[0] == '-':
		t.Do, t.Name = manual.RemoveAttribute, rest[1:]
	case what == "attr" && name != "" && name[0] != '-':
		t.Do, t.Name, t.Value = manual.SetAttribute, name, value
	case what == "style" && name != "" && hasValue:
		t.Do, t.Name, t.Value = manual.SetStyle, name, value
	case what == "class" && len(rest) > 1 && rest[0] == '+':
		t.Do, t.Value = manual.AddClass, rest[1:]
	case what == "class" && len(rest) > 1 && rest[0] == '-':
		t.Do, t.Value = manual.RemoveClass, rest[1:]
	default:
		return t, core.Errorf(core.Usage, "--do %q is none of text=WORDS, attr:NAME=VALUE, attr:-NAME, style:NAME=VALUE, class:+NAME, class:-NAME, remove, duplicate, up, down", s)
	}
	return t, nil
}

// editDirectly carries out the --do of a command line.
func (a *app) editDirectly(ctx context.Context, path string, f *editFlags) error {
	if f.review && !a.terminal() {
		return core.Errorf(core.Usage, "--review needs a person to ask").WithHint("run it in a terminal, or leave --review away")
	}
	p, err := a.openPage(ctx, path, f)
	if err != nil {
		return err
	}
	tasks, err := a.proveTasks(ctx, p, f.notes.direct)
	if err != nil {
		return err
	}
	dir, _ := assets(p.opened.Document.Path)
	o := candidate.BeginOptions{
		AssetDir: dir, AllowOrigins: f.origins, Width: f.width, Height: f.height, Approved: f.approve, Base: p.preview,
	}
	if f.review {
		o.Review = a.review(p)
	}
	svc := candidate.New(candidate.Config{Store: a.st, Documents: a.docs, Surfaces: p.browser.previews})
	a.progress("trying the change on a copy and looking at it in a hidden view")
	done, err := manual.Direct(ctx, svc, manual.DirectRequest{
		DocumentID: p.opened.Document.ID, RevisionID: p.opened.Head.ID, Tasks: tasks, Actor: actor,
	}, o)
	if err != nil && done.Notes == nil {
		return err
	}
	for _, why := range done.Remarks {
		if why != "" && done.Result != nil {
			a.progress("Note: %s.", why)
		}
	}
	return a.showOutcome(ctx, p, f, directOutcome(done, err), &teller{a: a, model: builtin.Name}, nil)
}

// proveTasks proves the targets of direct edits down to their bytes, each once.
func (a *app) proveTasks(ctx context.Context, p *livePage, edits []directEdit) ([]manual.Task, error) {
	known := map[string]proof.Verified{}
	tasks := make([]manual.Task, len(edits))
	for i, e := range edits {
		tasks[i] = e.task
		for _, t := range e.targets {
			v, ok := known[t.Text]
			if !ok {
				var err error
				if v, err = a.prove(ctx, p, t); err != nil {
					return nil, err
				}
				known[t.Text] = v
			}
			tasks[i].Targets = append(tasks[i].Targets, v)
		}
	}
	return tasks, nil
}

// directOutcome gives direct edits the form in which a turn's outcome is shown.
func directOutcome(d manual.Directed, err error) turn.Outcome {
	out := turn.Outcome{Status: turn.Applied, Result: d.Result, Notes: d.Notes, Flags: d.Flags, Verification: d.Verification}
	if err == nil {
		out.Edits = d.Result.ChangeSet.Edits
		return out
	}
	out.Err = core.AsError(err)
	switch {
	case out.Err.Code == core.NeedsApproval:
		out.Status = turn.NeedsApproval
	case out.Err.Code == core.Denied:
		out.Status = turn.Dropped
	case out.Err.Code.Exit() == core.ExitConflict:
		out.Status = turn.Conflict
	default:
		out.Status = turn.Refused
	}
	return out
}
