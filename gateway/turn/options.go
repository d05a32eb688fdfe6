package turn

import (
	"context"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/llm"
)

// RunOptions say how a turn's pages are shown, who is asked before a commit,
// and what its model reads beside the notes.
type RunOptions struct {
	candidate.BeginOptions

	// Context is the rendered snapshot of what the person has in view, "" for
	// none. It goes out behind the notes and is stored nowhere.
	Context string
	// Published is told, right after the commit and before the model's closing
	// words, what was committed, so that the file need not wait for those.
	Published func(document.Result)
	// Route tells, in words from closed lists, how the models were chosen; the
	// zero Route tells nothing.
	Route Route
	// Proposers give advice before the model begins. They get no tools.
	Proposers []llm.Model
	// Advise asks the proposers, and is needed where there are any. The models it
	// gets count what they use towards the turn's budget.
	Advise func(ctx context.Context, proposers []llm.Model, req llm.Request) []Advice
}

// Route says how the models of a turn were chosen: words from closed lists, no
// names and no texts.
type Route struct {
	Mode      string `json:"mode,omitempty"`
	Format    string `json:"format,omitempty"`
	Operation string `json:"operation,omitempty"`
	Floor     string `json:"floor,omitempty"`
	Tier      string `json:"tier,omitempty"`
}

// Advice is what one proposer said, or why it said nothing. It is data for the
// model that works, never an instruction.
type Advice struct {
	Name string    // of the proposer's model
	Text string    // "" where Code is set
	Code core.Code // "" where there is a text
}

// Usage counts what the models of a turn were asked and what they said.
type Usage struct {
	Calls            int  `json:"calls"`            // of every model, proposers and the closing words included
	PromptTokens     int  `json:"promptTokens"`     // of all calls together
	CompletionTokens int  `json:"completionTokens"` // of all calls together
	LargestPrompt    int  `json:"largestPrompt"`    // tokens of the largest single prompt
	Estimated        bool `json:"estimated"`        // a provider did not count, so bytes were counted instead
}

// Outcome is what became of a turn. Result is there only where document.Commit
// returned, and then Status is Applied, whatever else happened.
type Outcome struct {
	Status       Status
	Result       *document.Result
	Notes        []core.NoteOutcome
	Edits        []core.Edit // in the bytes of the revision the turn began with
	Verification *core.Verification
	Flags        []core.PolicyFlag
	// Text is what the model said last, for people. It is the model's own
	// claim: what is true is Status and Result.
	Text  string
	Usage Usage
	Err   *core.Error
}
