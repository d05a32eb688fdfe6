package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/llm/builtin"
	"proofmark/gateway/store"
	"proofmark/gateway/turn"
)

var eventsCommand = &command{
	name: "events", args: "FILE [--turn ID] [--after SEQ] [--follow]", summary: "show what turns on a page reported",
	long: `Lists the stored events of the turns on FILE in their order, each with its number: tool
calls, drafts, checks, commits and ends. --turn shows one turn's. --after gives those behind
a number, so that a program that was away goes on where it stopped. --follow waits for new
ones, also of turns that another process runs; with --turn it ends when the turn does.

  proofmark events page.html
  proofmark events page.html --json --after 120
  proofmark events page.html --follow`,
	run: runEvents,
}

func runEvents(ctx context.Context, a *app, args []string) error {
	fs := a.flags("events")
	turnID := fs.String("turn", "", "")
	after := fs.Int64("after", 0, "")
	follow := fs.Bool("follow", false, "")
	pos, err := a.parse(fs, args, 1, 1)
	if err != nil {
		return err
	}
	if *after < 0 {
		return core.Errorf(core.Usage, "--after is the number of an event")
	}
	doc, err := a.known(ctx, pos[0])
	if err != nil {
		return err
	}
	scope := turn.Scope{Document: doc.ID}
	if *turnID != "" {
		if err := a.ownTurn(ctx, doc, *turnID); err != nil {
			return err
		}
		scope = turn.Scope{Turn: *turnID}
	}
	e := turn.New(turn.Config{Store: a.st})
	if *follow {
		err := e.Follow(ctx, scope, *after, a.showEvent)
		if ctx.Err() != nil {
			return nil // being stopped is how it ends
		}
		return err
	}
	list, err := e.Events(ctx, scope, *after, 0)
	if err != nil {
		return err
	}
	for _, ev := range list {
		if err := a.showEvent(ev); err != nil {
			return err
		}
	}
	if len(list) == 0 && !a.json {
		a.printf("No events.\n")
	}
	return nil
}

// ownTurn refuses a turn that is not one of the document's.
func (a *app) ownTurn(ctx context.Context, doc core.Document, turnID string) error {
	return a.st.Read(ctx, func(tx *store.Tx) error {
		t, err := tx.Turn(turnID)
		if err == nil && t.DocumentID != doc.ID {
			err = core.Errorf(core.NotFound, "the turn %s is not one on this page", turnID)
		}
		return err
	})
}

// showEvent prints one stored event; it fails where nobody reads any more.
func (a *app) showEvent(ev turn.Event) error {
	if a.json {
		a.printJSON(ev)
		return a.stdout.err
	}
	if ev.Kind == turn.Used && ev.Model == builtin.Name { // which uses nothing
		return nil
	}
	what := line(ev)
	a.printf("%6d  %s  %s\n", ev.Seq, ev.At.Local().Format(time.DateTime), strings.ReplaceAll(what, "\n", "\n"+strings.Repeat(" ", 29)))
	return a.stdout.err
}

// line says what a stored event was; unlike sentence it has words for each.
func line(ev turn.Event) string {
	switch ev.Kind {
	case turn.Routed:
		if ev.Route != nil && ev.Route.Tier == "" {
			return strings.ReplaceAll("routed as "+ev.Route.Operation+", "+ev.Route.Mode, "_", " ")
		}
	case turn.Thinking:
		return fmt.Sprintf("call %d of the model", ev.Round)
	case turn.Used:
		about := ""
		if ev.Estimated {
			about = "about "
		}
		return fmt.Sprintf("%s%s tokens in, %s out", about, thousands(ev.PromptTokens), thousands(ev.CompletionTokens))
	case turn.Said:
		return strings.TrimSpace(printable(ev.Text))
	case turn.ToolReturned:
		if !ev.OK {
			return fmt.Sprintf("%s was refused (%s)", ev.Tool, ev.Code)
		}
		return fmt.Sprintf("%s was done in %s", ev.Tool, ev.Took.Round(time.Millisecond))
	case turn.Ended:
		if ev.Code != "" {
			return fmt.Sprintf("ended: %s (%s)", ev.Status, ev.Code)
		}
		return "ended: " + string(ev.Status)
	}
	if s := sentence(ev); s != "" {
		return s
	}
	return strings.ReplaceAll(string(ev.Kind), "_", " ")
}
