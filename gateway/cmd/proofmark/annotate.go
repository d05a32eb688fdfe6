package main

import (
	"context"
	"flag"
	"strconv"
	"time"

	"proofmark/gateway/annotate"
	"proofmark/gateway/core"
)

// draftSession is the session that drafts of the command line belong to unless
// --session names another: they wait there from annotate to send.
const draftSession = "cli"

var annotateCommand = &command{
	name: "annotate", args: "FILE --at TARGET --say TEXT …", summary: "store a note on a page, to be sent later",
	long: `Proves TARGET as edit does and stores the note as a draft; send carries all drafts of the
file out in one turn. Drafts stay until they are sent or discarded. Without flags: lists them,
each with its id and where its elements are now.

  proofmark annotate page.html --at 'h1' --say 'make it larger'
  proofmark annotate page.html
  proofmark annotate page.html --edit ann_… --say 'make it much larger'
  proofmark annotate page.html --move ann_… 1
  proofmark annotate page.html --discard ann_…
  proofmark send page.html

Flags:
  --edit ID --say TEXT  give a draft another text
  --move ID PLACE       put a draft at a place, counted from 1
  --discard ID          drop a draft
  --seen TIME           with --edit and --discard: only if the draft is as it was then; TIME is
                        its updatedAt in the --json list. Where somebody changed it meanwhile,
                        nothing is stored, and the refusal holds both texts
  --again [TURN]        make drafts of the notes that a turn was sent but did not apply
                        (default: the newest turn); send --again makes and sends them
  --state STATE         list draft (default), sent, discarded or all
  --session NAME        whose drafts (default cli): each name has drafts of its own
  --width N --height N  viewport in CSS pixels (1280 × 800)
  --allow-origin ORIGIN let the page load from this https origin (repeatable)`,
	run: runAnnotate,
}

// draftFlags are what annotate does to drafts that are there.
type draftFlags struct {
	edit, move, discard string
	say                 editSayFlag
	seen                timeFlag
	state               string
	again               bool
	session             string
}

func (f *draftFlags) add(fs *flag.FlagSet, notes *notesFlag) {
	f.say.notes = notes
	fs.Var(atFlag{notes}, "at", "")
	fs.Var(&f.say, "say", "")
	fs.StringVar(&f.edit, "edit", "", "")
	fs.StringVar(&f.move, "move", "", "")
	fs.StringVar(&f.discard, "discard", "", "")
	fs.Var(&f.seen, "seen", "")
	fs.StringVar(&f.state, "state", "", "")
	fs.BoolVar(&f.again, "again", false, "")
	fs.StringVar(&f.session, "session", draftSession, "")
}

// editSayFlag is --say, which may also be the text of --edit.
type editSayFlag struct {
	notes *notesFlag
	text  string // without an --at before it
	err   error  // what is wrong with that, unless there is --edit
}

func (f *editSayFlag) String() string { return "" }
func (f *editSayFlag) Set(s string) error {
	err := sayFlag{f.notes}.Set(s)
	if err == nil || len(f.notes.pending) > 0 || f.text != "" {
		return err
	}
	f.text, f.err = s, err
	return nil
}

// timeFlag is a moment as --json writes it.
type timeFlag struct{ time.Time }

func (f *timeFlag) String() string { return "" }
func (f *timeFlag) Set(s string) (err error) {
	if f.Time, err = time.Parse(time.RFC3339Nano, s); err != nil {
		return core.Errorf(core.Usage, "%q is not a time such as 2026-01-02T15:04:05.678Z", s)
	}
	return nil
}

// check refuses flags that do not go together; notes says whether there are
// new notes.
func (f *draftFlags) check(notes bool, rest []string) error {
	chosen := 0
	for _, is := range []bool{notes, f.edit != "", f.move != "", f.discard != "", f.again, f.state != ""} {
		if is {
			chosen++
		}
	}
	switch {
	case chosen > 1:
		return core.Errorf(core.Usage, "--at, --edit, --move, --discard, --again and --state each stand alone")
	case f.edit == "" && f.say.err != nil:
		return f.say.err
	case f.edit != "" && f.say.text == "":
		return core.Errorf(core.Usage, "--edit needs the new text").WithHint("write --edit ID --say TEXT")
	case !f.seen.IsZero() && f.edit == "" && f.discard == "":
		return core.Errorf(core.Usage, "--seen goes with --edit or --discard")
	case f.session == "":
		return core.Errorf(core.Usage, "--session is empty")
	case f.move != "" && len(rest) != 1:
		return core.Errorf(core.Usage, "--move needs a place").WithHint("write `proofmark annotate FILE --move ID PLACE`")
	case f.move == "" && !f.again && len(rest) > 0:
		return core.Errorf(core.Usage, "annotate takes one file, got %s as well", given(rest)).
			WithHint("put a text with blanks in quotes; `proofmark help annotate` shows how to call it")
	}
	return nil
}

func runAnnotate(ctx context.Context, a *app, args []string) error {
	fs := a.flags("annotate")
	var f editFlags
	var d draftFlags
	d.add(fs, &f.notes)
	f.viewport(fs)
	pos, err := a.parse(fs, args, 1, 2)
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	path, rest := pos[0], pos[1:]
	notes := len(f.notes.notes)+len(f.notes.pending) > 0
	if err := d.check(notes, rest); err != nil {
		return err
	}
	if notes {
		return a.annotate(ctx, path, &f, d.session)
	}
	doc, err := a.known(ctx, path)
	if err != nil {
		return err
	}
	switch {
	case d.edit != "":
		_, err = a.drafts().Edit(ctx, d.session, d.edit, annotate.Change{Instruction: d.say.text, Seen: d.seen.Time})
		err = withText(err)
	case d.discard != "":
		err = withText(a.drafts().Discard(ctx, d.session, d.discard, d.seen.Time))
	case d.move != "":
		var place int
		if place, err = strconv.Atoi(rest[0]); err != nil {
			return core.Errorf(core.Usage, "the place %q is not a number", rest[0])
		}
		err = a.drafts().Move(ctx, d.session, d.move, place)
	case d.again:
		if err = a.allow(ctx, core.FeatureAnnotations); err != nil {
			return err
		}
		_, err = a.again(ctx, path, doc, d.session, rest)
	}
	if err != nil {
		return err
	}
	return a.listDrafts(ctx, path, doc, d.session, d.state)
}

// withText puts into a conflict's hint what the note says now, so that a person
// sees it and still has the own text on the screen.
func withText(err error) error {
	if err == nil {
		return nil
	}
	e := core.AsError(err)
	if now, ok := e.Detail["now"].(core.Annotation); ok {
		e.Hint += " It says: " + quoted(printable(now.Instruction))
	}
	return e
}

// annotate stores new notes.
func (a *app) annotate(ctx context.Context, path string, f *editFlags, session string) error {
	if err := f.notes.done(); err != nil {
		return err
	}
	p, err := a.openPage(ctx, path, f)
	if err != nil {
		return err
	}
	e, err := a.engine(ctx, p.browser)
	if err != nil {
		return err
	}
	var made []core.Annotation
	for _, n := range f.notes.notes {
		ann, err := a.draft(ctx, e, p, session, n)
		if err != nil {
			return err
		}
		made = append(made, ann)
	}
	shown, err := a.placed(ctx, p.opened.Document, made)
	if err != nil {
		return err
	}
	all, err := e.notes.Drafts(ctx, session, p.opened.Document.ID)
	if err != nil {
		return err
	}
	return a.showDrafts(ctx, path, session, p.opened.Document, shown, all)
}
