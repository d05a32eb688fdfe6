package tools

import (
	"context"
	"time"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/grants"
	"proofmark/gateway/llm"
)

// Config is what a Set is made of.
type Config struct {
	Session       *candidate.Session
	Turn          core.Turn
	Grants        *grants.Registry
	SessionEpoch  int64
	Vision        bool   // the model takes images
	DocumentName  string // the file's base name, for the model to read; may be ""
	Width, Height int    // of the views, CSS pixels; 0 for the usual size
	// Deadline is when the turn is stopped; zero where nothing says so.
	Deadline time.Time
	// Now is the clock that Deadline is read by; time.Now where nil.
	Now func() time.Time
	// TokensLeft tells what is left of the turn's model tokens; nil where
	// nobody counts them.
	TokensLeft func() int
	// Outcomes may give a reason for each note's outcome at the commit.
	Outcomes func() []core.NoteOutcome
}

// Set is the ten tools of one turn. It is used by one goroutine at a time.
type Set struct {
	cfg   Config
	draft Draft

	calls    int
	locates  int
	failures int            // in a row
	same     map[string]int // calls by tool, arguments and draft
	rejected map[string]int // refused proposals by what they proposed
	proposed map[string]bool
	began    string      // SHA-256 of the document the turn began with
	ended    *core.Error // set once nothing more can be done

	look *candidate.Look // the newest look at the draft as it is

	room int // bytes of page text that the result being made may still repeat
}

// New makes the tools of a turn.
func New(c Config) *Set { return newSet(c, sessionDraft{c.Session}) }

func newSet(c Config, d Draft) *Set {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Set{
		cfg: c, draft: d, same: map[string]int{}, rejected: map[string]int{},
		proposed: map[string]bool{}, began: d.SHA(),
	}
}

// Result is the answer to one call.
type Result struct {
	Tool    string
	Text    string // JSON
	IsError bool
	Code    core.Code  // why it was refused
	Image   *llm.Image // for a model that sees, to follow the result
	// Finished is set when document_finish ended the turn.
	Finished *Finish
	// Over tells that the turn cannot go on: a budget is spent, or the model
	// repeats itself. The draft is to be discarded.
	Over bool
	// Staged and Look are what the call staged or saw, for events.
	Staged *candidate.Staged
	Look   *candidate.Look
}

// Finish says how document_finish ended a turn.
type Finish struct {
	Action    string     // commit or discard
	Published *Published // of a commit
	Summary   string     // the model's own words, unverified
}

// Actions of document_finish.
const (
	Commit  = "commit"
	Discard = "discard"
)

// Ended gives why the turn cannot go on, nil while it can.
func (s *Set) Ended() error {
	if s.ended == nil {
		return nil
	}
	return s.ended
}

// Close forgets the turn's grants. It is called when the turn ends, however it
// ends.
func (s *Set) Close() { s.cfg.Grants.Clear(s.cfg.Turn.ID) }

// Respond admits the calls of one model response and answers each: with its
// result, or all with the same refusal where they must not be made together.
func (s *Set) Respond(ctx context.Context, calls []llm.ToolCall) []Result {
	out := make([]Result, 0, len(calls))
	if err := s.Admit(calls); err != nil {
		for _, c := range calls {
			out = append(out, s.Refuse(c, err))
		}
		return out
	}
	for _, c := range calls {
		out = append(out, s.Call(ctx, c))
	}
	return out
}

// Call makes one call and answers it. It never fails: what goes wrong is in
// the result.
func (s *Set) Call(ctx context.Context, call llm.ToolCall) Result {
	if err := s.spend(call); err != nil {
		return s.Refuse(call, err)
	}
	res, err := s.dispatch(ctx, call)
	if err != nil {
		s.failed()
		return s.Refuse(call, err)
	}
	s.failures = 0
	res.Tool = call.Name
	return res
}

func (s *Set) dispatch(ctx context.Context, call llm.ToolCall) (Result, error) {
	d := lookUp(call.Name)
	if d == nil {
		return Result{}, unknownTool(call.Name)
	}
	switch call.Name {
	case Inspect:
		return run(ctx, d, call, s.inspect)
	case Read:
		return run(ctx, d, call, s.read)
	case Locate:
		return run(ctx, d, call, s.locate)
	case Apply:
		return run(ctx, d, call, s.apply)
	case Patch:
		return run(ctx, d, call, s.patch)
	case BrowserSee:
		return run(ctx, d, call, s.browserInspect)
	case BrowserAct:
		return run(ctx, d, call, s.browserAct)
	case Screenshot:
		return run(ctx, d, call, s.browserScreenshot)
	case Reload:
		return run(ctx, d, call, s.browserReload)
	case FinishName:
		return run(ctx, d, call, s.finish)
	}
	return Result{}, unknownTool(call.Name)
}

// run reads the arguments and makes the call.
func run[T any](ctx context.Context, d *definition, call llm.ToolCall, f func(context.Context, T) (Result, error)) (Result, error) {
	var args T
	if err := decode(d, call.Arguments, &args); err != nil {
		return Result{}, err
	}
	return f(ctx, args)
}

func lookUp(name string) *definition {
	defs := definitions()
	for i := range defs {
		if defs[i].Name == name {
			return &defs[i]
		}
	}
	return nil
}

func unknownTool(name string) *core.Error {
	return core.Errorf(core.ToolUnknown, "there is no tool %q in this turn", printable(name)).
		WithHint("nothing was done; use one of the ten document tools")
}
