package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

// close asks the model for its closing words, without tools and told what is
// true, where it worked with the tools and the turn was not stopped. What it
// says takes the place of its summary; where it fails the summary stays.
func (r *run) close(ctx context.Context, out *Outcome) {
	if !r.mayClose(out) || ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, core.FinaliserTimeout)
	defer cancel()
	resp, err := r.complete(ctx, llm.Request{
		System:   closingPrompt,
		Messages: append(slices.Clone(r.messages), llm.Message{Role: llm.User, Text: truth(out)}),
	})
	if text := strings.TrimSpace(resp.Text); err == nil && text != "" {
		out.Text = text
	}
}

// mayClose tells whether a turn gets closing words: after document_finish, and
// where a budget or repetition ended it. An answer has said what there is to say.
func (r *run) mayClose(out *Outcome) bool {
	if r.session == nil {
		return false
	}
	if out.Err != nil && !r.finished {
		return out.Err.Code == core.Budget || out.Err.Code == core.TurnEnded
	}
	return r.finished
}

// truth says how the turn ended, in our words.
func truth(out *Outcome) string {
	var b strings.Builder
	switch {
	case out.Status == Applied:
		fmt.Fprintf(&b, "The turn is over. The change is published as one new version with %s.", count(len(out.Edits), "edit"))
		for _, n := range out.Notes {
			fmt.Fprintf(&b, "\nNote %d: %s.", n.Order, n.Outcome)
		}
	case out.Err != nil && out.Err.Code != core.NewFault: // whose message may quote the page
		fmt.Fprintf(&b, "The turn is over: %s. Nothing was published, and the page is exactly as it was.", out.Err.Message)
	default:
		b.WriteString("The turn is over. The draft was dropped. Nothing was published, and the page is exactly as it was.")
	}
	b.WriteString("\nNow tell the person.")
	return b.String()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
