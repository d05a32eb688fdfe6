package main

import (
	"context"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/router"
	"proofmark/gateway/turn"
)

var sendCommand = &command{
	name: "send", args: "FILE [--message TEXT]", summary: "carry out the stored notes of a page",
	long: `Sends the drafts that annotate stored, in their order, as one turn. Where the file changed
since a note was written, the note's place is found again, or the note goes out as context.

  proofmark send page.html
  proofmark send page.html --review
  proofmark send page.html --only ann_…,ann_…
  proofmark send page.html --dry-run
  proofmark send page.html --again

Flags:
  --message TEXT     what to say beside the notes
  --only ID[,ID…]    send these drafts, in this order (16 go out together at most)
  --dry-run          show what would go out and how large it is, and send nothing
  --again [TURN]     send the notes of an earlier turn that did not apply them: it was refused,
                     discarded, failed, or its process was killed. Without TURN the newest turn
                     is meant. Naming a turn that has not ended ends it first
  --request-id ID    a name of your own for this sending: sent again under the same name, after
                     a lost connection say, it is not carried out twice, and the answer is what
                     became of it the first time
  --session NAME     whose drafts (default cli), as in annotate

--write, --out, --review, --keep-open, --width, --height, --allow-origin, --approve and
--context are those of edit.`,
	run: runSend,
}

// sendFlags say what is sent.
type sendFlags struct {
	editFlags
	message   string
	only      listFlag
	dryRun    bool
	again     bool
	requestID string
	session   string
}

func runSend(ctx context.Context, a *app, args []string) error {
	fs := a.flags("send")
	var f sendFlags
	f.viewport(fs)
	f.outcome(fs)
	fs.StringVar(&f.message, "message", "", "")
	fs.Var(&f.only, "only", "")
	fs.BoolVar(&f.dryRun, "dry-run", false, "")
	fs.BoolVar(&f.again, "again", false, "")
	fs.StringVar(&f.requestID, "request-id", "", "")
	fs.StringVar(&f.session, "session", draftSession, "")
	pos, err := a.parse(fs, args, 1, 2)
	if err != nil {
		return err
	}
	if err := f.check(pos[1:]); err != nil {
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
	earlier, replayed, err := a.earlier(ctx, doc, &f, l)
	if err != nil {
		return err
	}
	if replayed && earlier.State != core.TurnAccepted {
		return a.recall(ctx, pos[0], &f, earlier)
	}
	if !f.dryRun {
		if err := a.allow(ctx, core.FeatureAnnotations); err != nil { // before drafts are made
			return err
		}
	}
	var list []core.Annotation
	if !replayed {
		if list, err = a.batch(ctx, pos[0], doc, &f, pos[1:]); err != nil {
			return err
		}
	}
	if f.dryRun {
		return a.dryRun(ctx, pos[0], doc, &f, list)
	}
	p, err := a.openPage(ctx, pos[0], &f.editFlags)
	if err != nil {
		return err
	}
	e, err := a.engine(ctx, p.browser)
	if err != nil {
		return err
	}
	err = a.runTurn(ctx, e, p, &f.editFlags, f.request(doc, l, list, earlier), l)
	if core.CodeOf(err) == core.TurnEnded && f.requestID != "" { // another process has the same request
		t, found, findErr := a.earlier(ctx, doc, &f, l)
		if findErr != nil {
			return findErr
		}
		if found {
			return a.recall(ctx, pos[0], &f, t)
		}
	}
	return err
}

// check refuses flags that do not go together; rest is what stands behind the file.
func (f *sendFlags) check(rest []string) error {
	switch {
	case len(rest) > 0 && !f.again:
		return core.Errorf(core.Usage, "send takes one file, got %s as well", given(rest)).
			WithHint("a turn goes with --again; put a text with blanks in quotes")
	case f.again && len(f.only) > 0:
		return core.Errorf(core.Usage, "--again and --only do not go together").
			WithHint("`proofmark annotate FILE --again` makes the drafts; then send some --only")
	case f.again && f.dryRun:
		return core.Errorf(core.Usage, "--again and --dry-run do not go together").
			WithHint("`proofmark annotate FILE --again` makes the drafts and sends nothing")
	case f.requestID != "" && f.dryRun:
		return core.Errorf(core.Usage, "--request-id and --dry-run do not go together")
	case f.session == "":
		return core.Errorf(core.Usage, "--session is empty")
	}
	return f.editFlags.check()
}

// earlier gives the turn that a sending under the same request id made. It
// refuses another message under that id.
func (a *app) earlier(ctx context.Context, doc core.Document, f *sendFlags, l router.Lineup) (core.Turn, bool, error) {
	if f.requestID == "" {
		return core.Turn{}, false, nil
	}
	t, found, err := a.sender().ByRequest(ctx, f.session, f.requestID)
	if found && (t.DocumentID != doc.ID || t.Message != f.message || t.Model != l.Name || !f.sends(t)) {
		return t, found, core.Errorf(core.RequestConflict, "the request id %q was already used for another message", f.requestID).
			WithHint("send it under a new request id").With("turn", t.ID)
	}
	return t, found, err
}

// batch gives the drafts that are to go out, in order.
func (a *app) batch(ctx context.Context, path string, doc core.Document, f *sendFlags, rest []string) ([]core.Annotation, error) {
	if f.again {
		return a.again(ctx, path, doc, f.session, rest)
	}
	list, err := a.drafts().Drafts(ctx, f.session, doc.ID, f.only...)
	if err != nil {
		return nil, withText(err)
	}
	if len(list) == 0 {
		return nil, core.Errorf(core.Usage, "there are no drafts on %s", path).
			WithHint("`proofmark annotate FILE --at … --say …` stores one; --again sends those of an earlier turn once more")
	}
	if len(list) > core.MaxAnnotationsPerSend {
		return nil, core.Errorf(core.TooMany, "%d notes can go out together, not %d", core.MaxAnnotationsPerSend, len(list)).
			WithHint("send some of them: --only ID,ID")
	}
	return list, nil
}

// again makes drafts of an earlier turn's notes; rest may name the turn. What
// was changed outside meanwhile is a version first, so that the notes' places are
// looked for in what the file holds.
func (a *app) again(ctx context.Context, path string, doc core.Document, session string, rest []string) ([]core.Annotation, error) {
	if _, err := a.docs.Open(ctx, path); err != nil {
		return nil, err
	}
	r := turn.AgainRequest{SessionID: session, DocumentID: doc.ID, AnySession: session == draftSession}
	if len(rest) > 0 {
		r.TurnID = rest[0]
	}
	got, err := a.sender().Again(ctx, r)
	if err != nil {
		if e := core.AsError(err); e.Code == core.RequestConflict {
			return nil, e.WithHint("see what it does: proofmark events %s --turn %v --follow; or name it, which ends it: --again %[2]v",
				fileArgument(path), e.Detail["turn"])
		}
		return nil, err
	}
	if got.Ended {
		a.progress("%s had not ended; it is ended now and can publish nothing more.", got.Turn.ID)
	}
	a.progress("%d note%s of %s made into draft%[2]s again.", len(got.Drafts), plural(len(got.Drafts)), got.Turn.ID)
	return got.Drafts, nil
}

// request is what goes out. Of a request that was accepted and not begun it is
// the same once more.
func (f *sendFlags) request(doc core.Document, l router.Lineup, list []core.Annotation, earlier core.Turn) turn.SendRequest {
	r := turn.SendRequest{SessionID: f.session, RequestID: f.requestID, DocumentID: doc.ID, Message: f.message, Model: l.Name}
	if r.RequestID == "" {
		r.RequestID = core.NewID("req")
	}
	for _, n := range list {
		r.AnnotationIDs, r.Seen = append(r.AnnotationIDs, n.ID), append(r.Seen, n.UpdatedAt)
	}
	for _, n := range earlier.Notes {
		r.AnnotationIDs = append(r.AnnotationIDs, n.AnnotationID)
	}
	return r
}

// dryRun shows what would go out.
func (a *app) dryRun(ctx context.Context, path string, doc core.Document, f *sendFlags, list []core.Annotation) error {
	p, err := a.sender().Preview(ctx, doc.ID, f.message, list)
	if err != nil {
		return err
	}
	if err := p.Refusal(); err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{
			"file": path, "document": doc.ID, "generation": p.Head.Generation, "message": f.message, "notes": p.Notes,
			"context": contextJSON{Notes: len(list), MaxNotes: core.MaxAnnotationsPerSend, Bytes: p.ContextBytes, MaxBytes: core.MaxTurnContextBytes},
		})
		return nil
	}
	for _, n := range p.Notes {
		a.printf("%d. %s\n", n.Order, indented(n.Instruction, "   "))
		for _, t := range n.Targets {
			a.printf("   %s\n", standsAt(t))
		}
	}
	a.progress("%s of %s bytes would go out; nothing was sent.", thousands(p.ContextBytes), thousands(core.MaxTurnContextBytes))
	return nil
}

// recall answers a request that was sent before with what became of it. It is
// not carried out again; only what was published and did not reach the file does.
func (a *app) recall(ctx context.Context, path string, f *sendFlags, t core.Turn) error {
	out, err := a.sender().Recall(ctx, t.ID)
	if err != nil {
		if e := core.AsError(err); e.Code == core.RequestConflict {
			return e.WithHint("follow it: proofmark events %s --turn %s --follow. If its process was killed: proofmark send %[1]s --again %[2]s",
				fileArgument(path), t.ID)
		}
		return err
	}
	a.progress("This request was sent at %s and is not carried out again; this is what became of it.", t.At.Local().Format(time.DateTime))
	doc, head, _, err := a.docs.Head(ctx, t.DocumentID)
	if err != nil {
		return err
	}
	f.keepOpen = false // there is no window
	p := &livePage{page: page{opened: document.Opened{Document: doc, Head: head}}, path: path}
	var done *delivery
	if out.Result != nil {
		done = a.deliver(ctx, p, &f.editFlags, out.Result.Revision.ID)
		if done.out == "" && done.err == nil && !done.written { // now; the file may have it since then
			if doc, head, _, err = a.docs.Head(ctx, t.DocumentID); err != nil {
				return err
			}
			done.written = doc.SyncedSHA == head.SHA256
		}
	}
	return a.showOutcome(ctx, p, &f.editFlags, out, &teller{a: a, turn: t.ID, model: t.Model}, done)
}

// sends tells whether the drafts that are named are those a turn was sent. Where
// none are named, the turn's own are meant: they are no drafts any more.
func (f *sendFlags) sends(t core.Turn) bool {
	if len(f.only) == 0 {
		return true
	}
	if len(f.only) != len(t.Notes) {
		return false
	}
	for i, n := range t.Notes {
		if f.only[i] != n.AnnotationID {
			return false
		}
	}
	return true
}
