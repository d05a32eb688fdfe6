package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"proofmark/gateway/annotate"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/grants"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/builtin"
	"proofmark/gateway/point"
	"proofmark/gateway/proof"
	"proofmark/gateway/router"
	"proofmark/gateway/textpatch"
	"proofmark/gateway/turn"
)

// engine is the wired turn engine with the drafts it sends.
type engine struct {
	notes *annotate.Service
	turns *turn.Engine
}

// Turns that an earlier process left unfinished are settled first.
func (a *app) engine(ctx context.Context, b *browser) (*engine, error) {
	notes := annotate.New(a.st, a.docs, nil)
	cands := candidate.New(candidate.Config{Store: a.st, Documents: a.docs, Surfaces: b.previews})
	turns := turn.New(turn.Config{
		Store: a.st, Documents: a.docs, Annotations: notes, Candidates: cands, Grants: grants.New(time.Now),
	})
	if _, err := turns.Reconcile(ctx); err != nil {
		return nil, err
	}
	return &engine{notes: notes, turns: turns}, nil
}

// draft proves a note's targets and stores the note.
func (a *app) draft(ctx context.Context, e *engine, p *livePage, session string, n note) (core.Annotation, error) {
	var proven []proof.Verified
	for _, t := range n.targets {
		v, err := a.prove(ctx, p, t)
		if err != nil {
			return core.Annotation{}, err
		}
		proven = append(proven, v)
	}
	return e.notes.Create(ctx, annotate.Draft{
		SessionID: session, DocumentID: p.opened.Document.ID, Verified: proven, Instruction: n.say,
	})
}

// prove proves a target on the live page, and says where it stands.
func (a *app) prove(ctx context.Context, p *livePage, t point.Target) (proof.Verified, error) {
	v, err := p.pick(ctx, t)
	if err != nil {
		return v, err
	}
	anchor := v.Anchor(p.opened.Document.ID, p.opened.Head.ID)
	place := "1 place in the source"
	if anchor.SharedBy > 1 {
		place = fmt.Sprintf("one tag that makes %d elements", anchor.SharedBy)
	}
	a.progress("%-20s <%s> bytes %s: %s", t.Text, anchor.Name, anchor.StartTag, place)
	return v, nil
}

// runTurn sends the notes, runs the turn, writes the file and shows the outcome.
func (a *app) runTurn(ctx context.Context, e *engine, p *livePage, f *editFlags, req turn.SendRequest, l router.Lineup) error {
	if f.review && !a.terminal() { // before the notes are sent: then they still wait
		return core.Errorf(core.Usage, "--review needs a person to ask").WithHint("run it in a terminal, or leave --review away")
	}
	var choice router.Choice
	req.Admit = func(t core.Turn) (err error) { // before the notes are sent, too
		choice, err = l.Choose(router.Classify(t))
		return err
	}
	t, err := e.turns.Send(ctx, req)
	if err != nil {
		return err
	}
	if choice.Model == nil { // the request was accepted before, and nobody was asked
		if choice, err = l.Choose(router.Classify(t)); err != nil {
			return err
		}
	}
	dir, _ := assets(p.opened.Document.Path)
	opts := runOptions(choice, candidate.BeginOptions{
		AssetDir: dir, AllowOrigins: f.origins, Width: f.width, Height: f.height, Approved: f.approve,
	})
	if !f.keepOpen { // a window somebody watches is never looked through at other widths
		opts.Base = p.preview
	}
	if f.review {
		opts.Review = a.review(p)
	}
	opts.Context = a.scene(ctx, p, f, t)
	var early *delivery
	if f.out != "" || f.write == core.WriteAuto { // nobody has to be asked
		opts.Published = func(res document.Result) {
			early = a.deliver(context.WithoutCancel(ctx), p, f, res.Revision.ID)
		}
	}
	live := &teller{a: a, turn: t.ID, model: choice.Model.Name()}
	out, err := e.turns.Run(ctx, t, choice.Model, opts, live.tell)
	if err != nil {
		return err
	}
	return a.showOutcome(ctx, p, f, out, live, early)
}

// runOptions says how the chosen models work on a page.
func runOptions(c router.Choice, o candidate.BeginOptions) turn.RunOptions {
	return turn.RunOptions{
		BeginOptions: o, Route: turn.Route(c.Route), Proposers: c.Proposers,
		Advise: func(ctx context.Context, proposers []llm.Model, req llm.Request) []turn.Advice {
			var out []turn.Advice
			for _, a := range router.Advise(ctx, proposers, req) {
				out = append(out, turn.Advice(a))
			}
			return out
		},
	}
}

// review shows the proposed diff and asks.
func (a *app) review(p *livePage) func(context.Context, candidate.Proposal) bool {
	return func(_ context.Context, pr candidate.Proposal) bool {
		name := filepath.Base(p.path)
		fmt.Fprint(a.stderr, textpatch.Unified(name, name+" (proposed)", pr.Before, pr.After, 3))
		for _, fl := range pr.Flags {
			fmt.Fprintf(a.stderr, "adds %s: %s\n", fl.Kind, fl.Detail)
		}
		ok, err := a.ask("Commit this change?")
		return err == nil && ok
	}
}

// outcomeJSON is the result of edit and send; see CLI.md.
type outcomeJSON struct {
	Status       string             `json:"status"`
	File         string             `json:"file"`
	Document     string             `json:"document"`
	ChangeSet    string             `json:"changeSet,omitempty"`
	Generation   int64              `json:"generation"`
	SHABefore    string             `json:"sha256Before"`
	SHAAfter     string             `json:"sha256After"`
	Notes        []core.NoteOutcome `json:"notes"`
	Edits        []core.Edit        `json:"edits"`
	Verification *core.Verification `json:"verification"`
	Flags        []core.PolicyFlag  `json:"flags,omitempty"`
	Text         string             `json:"text,omitempty"`
	Turn         string             `json:"turn"`
	Usage        *turn.Usage        `json:"usage,omitempty"` // of a model; the built-in planner uses nothing
	Written      bool               `json:"written"`
	Out          string             `json:"out,omitempty"`
	Offline      []string           `json:"offline,omitempty"` // origins the page asked for and did not get
	Missing      []string           `json:"missing,omitempty"` // files beside the page that are not there
	Error        any                `json:"error,omitempty"`
}

func (a *app) showOutcome(ctx context.Context, p *livePage, f *editFlags, out turn.Outcome, live *teller, done *delivery) error {
	stopped := ctx
	ctx = context.WithoutCancel(ctx) // what is committed is delivered and shown
	head := p.opened.Head
	r := outcomeJSON{
		Status: string(out.Status), File: p.path, Document: p.opened.Document.ID, Generation: head.Generation,
		SHABefore: head.SHA256, SHAAfter: head.SHA256, Notes: out.Notes, Edits: []core.Edit{},
		Verification: out.Verification, Flags: out.Flags, Text: out.Text, Turn: live.turn,
	}
	if p.preview != nil { // there is none where an earlier outcome is shown
		r.Offline, r.Missing = p.preview.Asked(), p.preview.Missing()
	}
	if r.Notes == nil {
		r.Notes = []core.NoteOutcome{}
	}
	if live.model != builtin.Name {
		r.Usage = &out.Usage
	}
	var after error
	if res := out.Result; res != nil {
		if done == nil {
			done = a.deliver(ctx, p, f, res.Revision.ID)
		}
		r.ChangeSet, r.Generation = res.ChangeSet.ID, res.Revision.Generation
		r.SHABefore, r.SHAAfter, r.Edits = res.ChangeSet.SHABefore, res.ChangeSet.SHAAfter, res.ChangeSet.Edits
		r.Written, r.Out, after = done.written, done.out, done.err
	}
	failed := out.Err
	if failed == nil && after != nil {
		failed = core.AsError(after)
	}
	if failed != nil {
		r.Error = errorJSON(failed)
	}
	if a.json {
		a.printJSON(r)
	} else {
		a.printOutcome(ctx, p, r, !f.review, live)
	}
	if f.keepOpen && failed == nil {
		a.keepOpen(stopped, p, f)
	}
	if after != nil {
		return a.failed(core.AsError(after))
	}
	switch out.Status {
	case turn.Applied:
		return nil
	case turn.Answered:
		return &exitError{code: core.ExitAnswered}
	case turn.Dropped:
		if out.Err == nil || out.Err.Code == core.Denied {
			return &exitError{code: core.ExitAnswered} // the person said no
		}
	case turn.NeedsApproval:
		a.showFailure(out.Err)
		return &exitError{code: core.ExitNeedsApproval}
	case turn.Conflict:
		a.showFailure(out.Err)
		return &exitError{code: core.ExitConflict}
	}
	return a.failed(out.Err)
}

// failed shows an error that the JSON result already holds, and ends with its code.
func (a *app) failed(e *core.Error) error {
	a.showFailure(e)
	code := core.ExitRefused
	if e != nil {
		code = e.Code.Exit()
	}
	return &exitError{code: code}
}

func (a *app) showFailure(e *core.Error) {
	if e != nil && !a.json {
		a.finish(e)
	}
}

// delivery is what became of a committed revision outside the history.
type delivery struct {
	written bool   // into the file
	out     string // the other file it went to
	err     error
}

// deliver brings a committed revision to the file or to --out.
func (a *app) deliver(ctx context.Context, p *livePage, f *editFlags, revID string) *delivery {
	if f.out == "" {
		written, err := a.writeBack(ctx, p.opened.Document.ID, f.write)
		return &delivery{written: written, err: err}
	}
	b, err := a.docs.Bytes(ctx, revID)
	if err == nil {
		err = exportTo(f.out, p.opened.Document.Path, b)
	}
	if err != nil {
		return &delivery{err: err}
	}
	return &delivery{out: f.out}
}

// printOutcome shows the outcome to a person; withDiff is false where the person
// has just approved that diff. What a model says is its own claim, so that what
// is true stands behind it.
func (a *app) printOutcome(ctx context.Context, p *livePage, r outcomeJSON, withDiff bool, live *teller) {
	said := strings.TrimSpace(printable(r.Text))
	switch r.Status {
	case "applied":
		if withDiff {
			a.printChange(ctx, p.path, r.ChangeSet)
		}
		a.progress("Changed %s as %s (generation %d); everything else is byte for byte the same.", places(r.Edits), r.ChangeSet, r.Generation)
		a.sayLost(r.Notes)
		if v := r.Verification; v != nil {
			a.progress("Looked at it at %d × %d: %.2f %% of the targets' pixels differ, %.2f %% of the others; %s.",
				v.Width, v.Height, 100*v.PixelsInside, 100*v.PixelsOutside, newErrors(v))
			for _, w := range v.Widths {
				a.progress("And at a width of %d: %s.", w.Width, faultsAt(w))
			}
			switch {
			case v.OutOfPicture > 0:
				a.progress("The page is longer than the pictures that were compared: %s below them.", stand(v.OutOfPicture))
			case v.PixelsInside > 0 || v.PixelsOutside > 0:
			case !restyled(r.Edits):
				a.progress("The page looks the same as before.")
			default:
				a.progress("Nothing looks different: it may have looked so already, or a style sheet says otherwise.")
			}
		}
		if r.Out != "" {
			a.progress("Written to %s.", r.Out)
		} else if r.Error == nil { // an error says so itself
			a.sayWritten(r.Written, p.path)
		}
		a.progress("Take it back: proofmark revert %s %s", fileArgument(p.path), r.ChangeSet)
	case "answered":
		if said != "" && !live.saw(said) {
			a.printf("%s\n", said)
		}
		if live.model != builtin.Name { // which says so itself
			a.progress("Nothing was changed.")
		}
	case "discarded":
		if said != "" && !live.saw(said) {
			a.printf("%s\n", said)
		}
		a.progress("Discarded; nothing was changed.")
	default:
		a.progress("Nothing was changed.")
	}
	if r.Usage != nil {
		a.progress("%s", spent(*r.Usage))
	}
}

// sayLost names the notes that changed nothing because their place is gone.
func (a *app) sayLost(notes []core.NoteOutcome) {
	for _, n := range notes {
		i := slices.IndexFunc(n.Targets, func(t core.TargetOutcome) bool { return t.Resolution != core.Exact })
		if n.Outcome == "unchanged" && i >= 0 {
			t := n.Targets[i]
			a.progress("Note %d changed nothing: its <%s> is not found for certain any more (%s). Point at it again: %s",
				n.Order, t.Name, t.Reason, quoted(printable(n.Instruction)))
		}
	}
}

func stand(targets int) string {
	if targets == 1 {
		return "a target stands"
	}
	return fmt.Sprintf("%d targets stand", targets)
}

// restyled tells whether an edit is about how something looks.
func restyled(edits []core.Edit) bool {
	for _, e := range edits {
		if strings.Contains(e.Replacement, "style=") || strings.Contains(e.Replacement, ": ") {
			return true
		}
	}
	return false
}

func newErrors(v *core.Verification) string {
	if n := len(v.NewErrors) + len(v.MissingResources); n > 0 {
		return fmt.Sprintf("%d new faults", n)
	}
	return "no new errors"
}

// faultsAt says what a look at another width found.
func faultsAt(w core.WidthLook) string {
	if n := len(w.NewErrors) + len(w.Layout); n > 0 {
		return fmt.Sprintf("%d new fault%s", n, plural(n))
	}
	return "nothing stands worse"
}

// assets gives the folder whose files the page may show, and the page's name in it.
func assets(path string) (dir, name string) { return filepath.Dir(path), filepath.Base(path) }

// fileArgument writes a file name as a shell takes it: quoted, and never as a flag.
func fileArgument(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return shellQuote(path)
}

func shellQuote(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:@%", r)
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// keepOpen shows the result in the window until it is closed or interrupted.
func (a *app) keepOpen(ctx context.Context, p *livePage, f *editFlags) {
	opened, err := a.docs.Open(ctx, p.path)
	if err == nil {
		if err = p.preview.Rebind(ctx, a.spec(opened, f)); err == nil {
			_, err = p.preview.Load(ctx)
		}
	}
	if err != nil {
		fmt.Fprintf(a.stderr, "proofmark: showing the result: %v\n", err)
		return
	}
	fmt.Fprintln(a.stderr, "The window stays open; close it or press Ctrl-C to end.")
	select {
	case <-ctx.Done():
	case <-p.preview.Surface().Lost():
	}
}

// drafts gives the note service without a browser.
func (a *app) drafts() *annotate.Service { return annotate.New(a.st, a.docs, nil) }

func noteDraft(session, docID string, v proof.Verified, say string) annotate.Draft {
	return annotate.Draft{SessionID: session, DocumentID: docID, Verified: []proof.Verified{v}, Instruction: say}
}

// unified is the diff of one file with itself, for people.
func unified(path string, before, after []byte) string {
	name := filepath.Base(path)
	return textpatch.Unified(name, name, before, after, 3)
}

// printChange prints the diff of a change set; making it checks that every
// byte outside the edits is the same.
func (a *app) printChange(ctx context.Context, path, changeSet string) {
	_, before, after, err := a.docs.ChangeBytes(ctx, changeSet)
	if err != nil {
		fmt.Fprintf(a.stderr, "proofmark: the diff cannot be shown: %v\n", err)
		return
	}
	a.printf("%s", unified(path, before, after))
}
