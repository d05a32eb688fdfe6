package main

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/turn"
)

// draftSession is the session that drafts of the command line belong to: they
// wait there from annotate to send.
const draftSession = "cli"

var annotateCommand = &command{
	name: "annotate", args: "FILE --at TARGET --say TEXT …", summary: "store a note on a page, to be sent later",
	long: `Proves TARGET as edit does and stores the note as a draft; send carries all drafts of the
file out in one turn. Without --at and --say: lists the drafts. --discard ID drops one.

  proofmark annotate page.html --at 'h1' --say 'make it larger'
  proofmark annotate page.html
  proofmark send page.html`,
	run: runAnnotate,
}

var sendCommand = &command{
	name: "send", args: "FILE [--message TEXT]", summary: "carry out the stored notes of a page",
	long: `Sends the drafts that annotate stored, in their order, as one turn. Where the file changed
since a note was written, the note's place is found again, or the note goes out as context.
The flags --write, --out, --review, --keep-open, --width, --height, --allow-origin,
--approve and --context are those of edit.

  proofmark send page.html
  proofmark send page.html --review`,
	run: runSend,
}

func runAnnotate(ctx context.Context, a *app, args []string) error {
	fs := a.flags("annotate")
	var f editFlags
	f.targets(fs)
	f.viewport(fs)
	discard := fs.String("discard", "", "")
	pos, err := a.parse(fs, args, 1, 1)
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if len(f.notes.notes)+len(f.notes.pending) == 0 {
		return a.listDrafts(ctx, pos[0], *discard)
	}
	if *discard != "" {
		return core.Errorf(core.Usage, "--discard stands alone")
	}
	if err := f.notes.done(); err != nil {
		return err
	}
	p, err := a.openPage(ctx, pos[0], &f)
	if err != nil {
		return err
	}
	e, err := a.engine(ctx, p.browser)
	if err != nil {
		return err
	}
	var made []core.Annotation
	for _, n := range f.notes.notes {
		ann, err := a.draft(ctx, e, p, draftSession, n)
		if err != nil {
			return err
		}
		made = append(made, ann)
	}
	return a.showDrafts(pos[0], p.opened.Document.ID, made)
}

func (a *app) listDrafts(ctx context.Context, path, discard string) error {
	doc, err := a.known(ctx, path)
	if err != nil {
		return err
	}
	notes := a.drafts()
	if discard != "" {
		if err := notes.Discard(ctx, draftSession, discard); err != nil {
			return err
		}
	}
	list, err := notes.List(ctx, draftSession, doc.ID, core.AnnotationDraft)
	if err != nil {
		return err
	}
	return a.showDrafts(path, doc.ID, list)
}

func (a *app) showDrafts(path, docID string, list []core.Annotation) error {
	if a.json {
		if list == nil {
			list = []core.Annotation{}
		}
		a.printJSON(map[string]any{"file": path, "document": docID, "drafts": list})
		return nil
	}
	if len(list) == 0 {
		a.printf("No drafts.\n")
	}
	for i, n := range list {
		a.printf("%d. %s  %s\n", i+1, n.ID, n.Instruction)
		for _, t := range n.Anchors {
			a.printf("   <%s> bytes %s  %s\n", t.Name, t.StartTag, t.Quote)
		}
	}
	return nil
}

func runSend(ctx context.Context, a *app, args []string) error {
	fs := a.flags("send")
	var f editFlags
	f.viewport(fs)
	f.outcome(fs)
	message := fs.String("message", "", "")
	pos, err := a.parse(fs, args, 1, 1)
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	l, err := a.lineup(ctx)
	if err != nil {
		return err
	}
	doc, err := a.known(ctx, pos[0])
	if err != nil {
		return err
	}
	list, err := a.drafts().List(ctx, draftSession, doc.ID, core.AnnotationDraft)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return core.Errorf(core.Usage, "there are no drafts on %s", pos[0]).WithHint("`proofmark annotate FILE --at … --say …` stores one")
	}
	var ids []string
	for _, n := range list {
		ids = append(ids, n.ID)
	}
	p, err := a.openPage(ctx, pos[0], &f)
	if err != nil {
		return err
	}
	e, err := a.engine(ctx, p.browser)
	if err != nil {
		return err
	}
	return a.runTurn(ctx, e, p, &f, turn.SendRequest{
		SessionID: draftSession, RequestID: core.NewID("req"), DocumentID: doc.ID, Message: *message,
		AnnotationIDs: ids, Model: l.Name,
	}, l)
}
