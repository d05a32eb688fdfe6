package workbench

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/grants"
	"proofmark/gateway/llm"
	"proofmark/gateway/router"
	"proofmark/gateway/surface"
	"proofmark/gateway/turn"
)

// keptTurns is how many ended turns are kept with all they came to; what is
// stored of the others stays.
const keptTurns = 64

// maxRunning is how many turns run at a time.
const maxRunning = 4

// Ask asks for a turn.
type Ask struct {
	turn.SendRequest
	Width, Height int // CSS pixels of the hidden views; 0 for the default
	AllowOrigins  []string
	Approved      []string // kinds of policy flags the person approves
	Review        bool     // a person decides on the proposal before the commit
	Write         bool     // the file is written after the commit
	View          *View    // what the person has in view; nil: the model is told nothing of it
}

// Running is a turn that runs, or has ended.
type Running struct {
	Turn core.Turn // as it was accepted

	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended

	mu       sync.Mutex
	waiting  *waiting          // for a person; guarded by mu
	seen     *[2]contract.Shot // of the last look, before and after, while it runs; guarded by mu
	out      *turn.Outcome     // guarded by mu
	err      error             // why it could not begin; guarded by mu
	expired  bool              // nobody decided in time; guarded by mu
	written  bool              // guarded by mu
	writeErr error             // guarded by mu
}

// newEngine wires the turns of a workbench. Everybody who follows a turn follows
// this engine, so there is one, whichever browser it looks in.
func newEngine(w *Workbench) *turn.Engine {
	return turn.New(turn.Config{
		Store: w.c.Store, Documents: w.c.Documents, Annotations: w.c.Notes, Grants: grants.New(time.Now), Candidates: w.candidates,
	})
}

// surfaces opens the hidden views of turns in the browser that runs.
type surfaces struct{ w *Workbench }

// Open opens a view.
func (s surfaces) Open(ctx context.Context, spec surface.Spec) (*surface.Preview, error) {
	return s.w.open(ctx, spec)
}

// Host says what shows the views: the browser that ran last, which is started
// again where it has died. Where none has run, as when all there was to see stood
// in the workbench's window, it is started now; nothing where that fails, which
// whoever opens a view is told.
func (s surfaces) Host() contract.HostInfo {
	s.w.mu.Lock()
	h := s.w.host
	s.w.mu.Unlock()
	if h != (contract.HostInfo{}) {
		return h
	}
	if m, err := s.w.manager(s.w.ctx); err == nil {
		return m.Host()
	}
	return h
}

// Start sends a message with its notes and begins the turn. The turn goes on
// when nobody waits for it. The same request sent again gives the same turn and
// begins nothing. Refusals: those of turn.Send, NoModel, NoBrowser, TooMany.
func (w *Workbench) Start(ctx context.Context, a Ask) (*Running, error) {
	if a.Width == 0 && a.Height == 0 {
		a.Width, a.Height = DefaultWidth, DefaultHeight
	}
	// Before the notes are sent: what no view can be opened with ends no turn.
	if err := errors.Join(surface.CheckSize(a.Width, a.Height), surface.CheckOrigins(a.AllowOrigins)); err != nil {
		return nil, err
	}
	d, err := w.c.Documents.Get(ctx, a.DocumentID)
	if err != nil {
		return nil, err
	}
	l, err := w.c.Lineup(ctx, a.Model)
	if err != nil {
		return nil, err
	}
	a.Model = l.Name
	if again, err := w.repeated(ctx, a); again != nil || err != nil {
		return again, err
	}
	if len(a.AnnotationIDs) > 0 { // without notes there is nothing to look at
		if err := w.c.Check(ctx, core.FeatureAnnotations); err != nil {
			return nil, err
		}
		if _, err := w.manager(ctx); err != nil { // before the notes are sent
			return nil, err
		}
	}
	var choice router.Choice
	a.Admit = func(t core.Turn) (err error) { // before the notes are sent
		choice, err = l.Choose(router.Classify(t))
		return err
	}
	told := w.told(ctx, a, d)
	w.sending.Lock() // until it is known here: the same request finds it running
	defer w.sending.Unlock()
	if again, err := w.repeated(ctx, a); again != nil || err != nil { // and takes no place
		return again, err
	}
	r := &Running{done: make(chan struct{})}
	if err := w.reserve(r); err != nil {
		return nil, err
	}
	t, err := w.engine.Send(ctx, a.SendRequest)
	if err != nil {
		w.release(r)
		return nil, err
	}
	r.Turn = t
	if choice.Model == nil || t.State != core.TurnAccepted { // it was accepted before
		w.release(r)
		return w.Turn(ctx, t.ID)
	}
	run, cancel := context.WithCancel(w.ctx)
	r.cancel = cancel
	if !w.begin(r) {
		cancel()
		ending := core.Errorf(core.ShuttingDown, "the gateway is ending")
		// Accepted and never run: it is ended, so that its notes can be sent again at once.
		return nil, errors.Join(ending, w.engine.Stop(context.WithoutCancel(ctx), t.ID))
	}
	go func() {
		defer w.work.Done()
		defer cancel()
		out, err := w.engine.Run(run, t, choice.Model, w.options(a, d, choice, told, r), nil)
		r.end(out, err)
		w.retire(r)
	}()
	return r, nil
}

// repeated gives the turn that the same request made before, nil for none. What
// was done is told whatever could be begun now.
func (w *Workbench) repeated(ctx context.Context, a Ask) (*Running, error) {
	_, found, err := w.engine.ByRequest(ctx, a.SessionID, a.RequestID)
	if !found || err != nil {
		return nil, err
	}
	t, err := w.engine.Send(ctx, a.SendRequest) // compares the two
	if err != nil {
		return nil, err
	}
	return w.Turn(ctx, t.ID)
}

// options says how the turn's models work, and what they are told of the person's
// view.
func (w *Workbench) options(a Ask, d core.Document, c router.Choice, told string, r *Running) turn.RunOptions {
	o := turn.RunOptions{
		BeginOptions: candidate.BeginOptions{
			AssetDir: filepath.Dir(d.Path), AllowOrigins: a.AllowOrigins, Width: a.Width, Height: a.Height, Approved: a.Approved, Looked: r.looked,
		},
		Context: told, Route: turn.Route(c.Route), Proposers: c.Proposers,
		Advise: func(ctx context.Context, proposers []llm.Model, req llm.Request) []turn.Advice {
			var out []turn.Advice
			for _, a := range router.Advise(ctx, proposers, req) {
				out = append(out, turn.Advice(a))
			}
			return out
		},
	}
	if a.Review {
		o.Review, o.ReviewApproves = r.review, true // agents decide on nothing
	}
	if a.Write {
		o.Published = func(res document.Result) { // in the history it is already
			wrote, err := w.c.Documents.WriteBack(context.WithoutCancel(w.ctx), res.Document.ID)
			r.mu.Lock()
			r.written, r.writeErr = wrote, err
			r.mu.Unlock()
		}
	}
	return o
}

// Cancel ends a turn; a commit that has begun is finished. One that runs here
// ends a little later, one of another process, which may be dead, at once.
func (w *Workbench) Cancel(ctx context.Context, turnID string) error {
	r, err := w.Turn(ctx, turnID)
	if err != nil {
		return err
	}
	if r.Here() {
		r.cancel()
		return nil
	}
	return w.engine.Stop(ctx, turnID)
}

// Here tells whether this workbench runs the turn, and not another process.
func (r *Running) Here() bool { return r.cancel != nil }

// Done is closed when the turn has ended.
func (r *Running) Done() <-chan struct{} { return r.done }

// Result is what a turn came to: nil and false while it runs.
type Result struct {
	Outcome  turn.Outcome
	Err      error // why it could not begin
	Written  bool
	WriteErr error
}

// Result gives what the turn came to.
func (r *Running) Result() (Result, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out == nil {
		return Result{}, false
	}
	return Result{*r.out, r.err, r.written, r.writeErr}, true
}

func (r *Running) end(out turn.Outcome, err error) {
	r.mu.Lock()
	r.out, r.err, r.seen = &out, err, nil
	r.mu.Unlock()
	close(r.done)
}

// Turn gives a turn of this workbench, or what is stored of another. A turn
// that another process runs has no result here.
func (w *Workbench) Turn(ctx context.Context, id string) (*Running, error) {
	w.mu.Lock()
	r := w.turns[id]
	w.mu.Unlock()
	if r != nil {
		return r, nil
	}
	return w.recall(ctx, id)
}
