package httpapi

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/gateway/textpatch"
	"proofmark/gateway/turn"
	"proofmark/gateway/workbench"
)

func (s *Server) turnRoutes() []route {
	return []route{
		{
			method: "POST", pattern: "/v1/documents/{document}/turns", scopes: everyone, body: messageBody, handle: s.startTurn,
			what: "a message and drafts are sent as one turn, which begins; the same requestId again gives the same turn",
		},
		{method: "POST", pattern: "/v1/documents/{document}/turns/again", scopes: everyone, body: smallBody, handle: s.againTurn, what: "what an earlier turn did not apply becomes drafts once more"},
		{method: "GET", pattern: "/v1/turns", scopes: people, query: []string{"running"}, handle: s.runningTurns, what: "the turns that this gateway runs now, the oldest first"},
		{method: "GET", pattern: "/v1/turns/{turn}", scopes: everyone, handle: s.getTurn, what: "a turn and, when it has ended, what it came to"},
		{method: "GET", pattern: "/v1/turns/{turn}/events", scopes: everyone, stream: s.turnEvents, what: "the turn's events as server-sent events, to its end; resumes behind Last-Event-ID"},
		{method: "GET", pattern: "/v1/documents/{document}/events", scopes: everyone, stream: s.documentEvents, what: "the events of all turns of a document, stored ones first; resumes behind Last-Event-ID"},
		{method: "POST", pattern: "/v1/turns/{turn}/cancel", scopes: everyone, handle: s.cancelTurn, what: "a running turn ends; what is committed stays"},
		{method: "GET", pattern: "/v1/turns/{turn}/proposal", scopes: people, handle: s.proposal, what: "what waits for a person's decision: edits, diff, flags, evidence"},
		{method: "GET", pattern: "/v1/turns/{turn}/proposal/{side}", scopes: people, handle: s.proposalPicture, what: "its picture, side before or after"},
		{method: "GET", pattern: "/v1/turns/{turn}/look/{side}", scopes: people, handle: s.lookPicture, what: "the picture of a running turn's last look, side before or after"},
		{method: "POST", pattern: "/v1/turns/{turn}/decision", scopes: people, body: smallBody, handle: s.decide, what: "a person commits or drops what waits, by the SHA-256 they saw"},
		{method: "POST", pattern: "/v1/turns/{turn}/reading", scopes: people, body: smallBody, handle: s.reading, what: "a person is reading what waits: its time stands still for 10 seconds"},
	}
}

type turnRequest struct {
	Session      string      `json:"session"`
	RequestID    string      `json:"requestId"`
	Message      string      `json:"message"`
	Annotations  []string    `json:"annotations"` // ids of drafts, in order
	Seen         []time.Time `json:"seen"`        // their updatedAt, in the same order, or none
	Model        string      `json:"model"`       // "" for the built-in planner
	Width        int         `json:"width"`
	Height       int         `json:"height"`
	AllowOrigins []string    `json:"allowOrigins"`
	Approve      []string    `json:"approve"` // kinds of flags
	Review       bool        `json:"review"`  // hold the commit until a person decides
	Write        bool        `json:"write"`   // write the file after the commit
	// Scene is what the person has in view; null: the model is told nothing of it.
	Scene *workbench.View `json:"scene"`
}

func (s *Server) startTurn(c *call) (any, error) {
	var q turnRequest
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if err := checkSession(q.Session); err != nil {
		return nil, err
	}
	if c.caller.Scope == token.Agent && (len(q.Approve) > 0 || len(q.AllowOrigins) > 0) {
		return nil, core.Errorf(core.WrongScope, "a person approves and allows origins, not an agent")
	}
	r, err := s.c.Workbench.Start(c, workbench.Ask{
		SendRequest: turn.SendRequest{
			SessionID: q.Session, RequestID: q.RequestID, DocumentID: c.path("document"), Message: q.Message,
			AnnotationIDs: q.Annotations, Seen: q.Seen, Model: q.Model,
		},
		Width: q.Width, Height: q.Height, AllowOrigins: q.AllowOrigins, Approved: q.Approve, Review: q.Review, Write: q.Write, View: q.Scene,
	})
	if err != nil {
		return nil, err
	}
	a, err := s.turnJSON(c, r)
	return accepted{a}, err
}

// turnAnswer is a turn as it goes out.
type turnAnswer struct {
	core.Turn
	Running bool         `json:"running"` // here, and not ended
	Waits   bool         `json:"waits"`   // for a person's decision
	Expired bool         `json:"expired"` // nobody decided in time
	Result  *turnOutcome `json:"result,omitempty"`
}

type turnOutcome struct {
	Status       turn.Status        `json:"status"`
	Text         string             `json:"text"` // what the model says; its own claim
	Generation   int64              `json:"generation,omitempty"`
	ChangeSet    string             `json:"changeSet,omitempty"`
	Notes        []core.NoteOutcome `json:"notes"`
	Edits        []core.Edit        `json:"edits"`
	Verification *core.Verification `json:"verification"`
	Flags        []core.PolicyFlag  `json:"flags,omitempty"`
	Usage        turn.Usage         `json:"usage"`
	Written      bool               `json:"written"`
	Error        *errorAnswer       `json:"error,omitempty"`
	WriteError   *errorAnswer       `json:"writeError,omitempty"`
}

type errorAnswer struct {
	Code    core.Code      `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint,omitempty"`
	Detail  map[string]any `json:"detail,omitempty"`
}

func errorOf(err error) *errorAnswer {
	if err == nil {
		return nil
	}
	e := core.AsError(err)
	return &errorAnswer{Code: e.Code, Message: e.Message, Hint: e.Hint, Detail: e.Detail}
}

func (s *Server) turnJSON(c *call, r *workbench.Running) (turnAnswer, error) {
	p, _ := r.Proposal()
	a := turnAnswer{Waits: p != nil, Expired: r.Expired()}
	res, ended := r.Result() // before the row, which it is never behind
	t, err := s.c.Workbench.Stored(c, r.Turn.ID)
	if err != nil {
		return a, err
	}
	a.Turn = t
	if !ended {
		a.Running = r.Here()
		return a, nil
	}
	o := res.Outcome
	out := &turnOutcome{
		Status: o.Status, Text: o.Text, Notes: orEmpty(o.Notes), Edits: orEmpty(o.Edits), Verification: o.Verification, Flags: o.Flags, Usage: o.Usage,
		Written: res.Written, WriteError: errorOf(res.WriteErr),
	}
	if o.Err != nil {
		out.Error = errorOf(o.Err)
	} else if res.Err != nil {
		out.Error = errorOf(res.Err)
	}
	if o.Result != nil {
		out.Generation, out.ChangeSet = o.Result.Revision.Generation, o.Result.ChangeSet.ID
	}
	a.Result = out
	return a, nil
}

func (s *Server) runningTurns(c *call) (any, error) {
	if !c.query.Has("running") {
		return nil, core.Errorf(core.BadRequest, "only the turns that run are listed: /v1/turns?running")
	}
	out := []turnAnswer{}
	for _, r := range s.c.Workbench.Running() {
		a, err := s.turnJSON(c, r)
		if err != nil {
			return nil, err
		}
		if a.Running { // it may have ended since
			out = append(out, a)
		}
	}
	return map[string]any{"turns": out}, nil
}

func (s *Server) getTurn(c *call) (any, error) {
	r, err := s.c.Workbench.Turn(c, c.path("turn"))
	if err != nil {
		return nil, err
	}
	return s.turnJSON(c, r)
}

func (s *Server) againTurn(c *call) (any, error) {
	var q struct {
		Session string `json:"session"`
		Turn    string `json:"turn"` // "" for the newest
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if err := checkSession(q.Session); err != nil {
		return nil, err
	}
	a, err := s.c.Workbench.Again(c, turn.AgainRequest{SessionID: q.Session, DocumentID: c.path("document"), TurnID: q.Turn})
	if err != nil {
		return nil, err
	}
	return map[string]any{"turn": a.Turn.ID, "ended": a.Ended, "annotations": a.Drafts}, nil
}

func (s *Server) cancelTurn(c *call) (any, error) {
	if err := s.c.Workbench.Cancel(c, c.path("turn")); err != nil {
		return nil, err
	}
	return s.getTurn(c)
}

func (s *Server) proposal(c *call) (any, error) {
	r, err := s.c.Workbench.Turn(c, c.path("turn"))
	if err != nil {
		return nil, err
	}
	p, until := r.Proposal()
	if p == nil {
		return nil, core.Errorf(core.TurnEnded, "nothing of this turn waits for a decision")
	}
	d, err := s.c.Documents.Get(c, r.Turn.DocumentID)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(d.Path)
	return map[string]any{
		"sha256": core.SHA256Hex(p.After), "edits": p.Edits, "flags": p.Flags, "verification": p.Verification, "summary": p.Summary, "expiresMs": until.UnixMilli(),
		"unified": textpatch.Unified(name, name+" (proposed)", p.Before, p.After, 3),
	}, nil
}

// sides are those of a pair of pictures.
var sides = map[string]int{"before": 0, "after": 1}

func (s *Server) proposalPicture(c *call) (any, error) {
	r, err := s.c.Workbench.Turn(c, c.path("turn"))
	if err != nil {
		return nil, err
	}
	side, ok := sides[c.path("side")]
	p, _ := r.Proposal()
	if !ok || p == nil || len(p.Pictures[side].Data) == 0 {
		return nil, core.Errorf(core.NotFound, "there is no such picture")
	}
	return &file{bytes: p.Pictures[side].Data, mediaType: p.Pictures[side].MediaType}, nil
}

func (s *Server) lookPicture(c *call) (any, error) {
	r, err := s.c.Workbench.Turn(c, c.path("turn"))
	if err != nil {
		return nil, err
	}
	side, ok := sides[c.path("side")]
	seen := r.Seen()
	if !ok || seen == nil || len(seen[side].Data) == 0 {
		return nil, core.Errorf(core.NotFound, "there is no such picture")
	}
	return &file{bytes: seen[side].Data, mediaType: seen[side].MediaType}, nil
}

func (s *Server) decide(c *call) (any, error) {
	var q struct {
		SHA256 string `json:"sha256"`
		Commit bool   `json:"commit"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	r, err := s.c.Workbench.Turn(c, c.path("turn"))
	if err != nil {
		return nil, err
	}
	return nil, r.Decide(q.SHA256, q.Commit)
}

func (s *Server) reading(c *call) (any, error) {
	var q struct {
		SHA256 string `json:"sha256"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	r, err := s.c.Workbench.Turn(c, c.path("turn"))
	if err != nil {
		return nil, err
	}
	until, err := r.Reading(q.SHA256)
	if err != nil {
		return nil, err
	}
	return map[string]any{"expiresMs": until.UnixMilli()}, nil
}

func (s *Server) turnEvents(c *call) error {
	r, err := s.c.Workbench.Turn(c, c.path("turn"))
	if err != nil {
		return err
	}
	return s.events(c, turn.Scope{Turn: c.path("turn")}, func(ctx context.Context) {
		if r.Here() { // whoever has read the end finds the result
			select {
			case <-r.Done():
			case <-ctx.Done():
			}
		}
	})
}

func (s *Server) documentEvents(c *call) error {
	if _, err := s.c.Documents.Get(c, c.path("document")); err != nil {
		return err
	}
	return s.events(c, turn.Scope{Document: c.path("document")}, nil)
}

// events streams a scope's events; settle, if any, is called behind the last one.
func (s *Server) events(c *call, scope turn.Scope, settle func(context.Context)) error {
	after, err := c.lastEvent()
	if err != nil {
		return err
	}
	return s.stream(c, func(ctx context.Context, send func(id int64, event string, data []byte) error) error {
		err := s.c.Workbench.Follow(ctx, scope, after, func(e turn.Event) error {
			b, err := json.Marshal(e)
			if err != nil {
				return core.Wrap(core.Internal, err, "an event cannot be written")
			}
			id := e.Seq
			if e.Kind == turn.TextDelta {
				id = 0 // it is not stored: nothing resumes behind it
			}
			return send(id, string(e.Kind), b)
		})
		if err == nil && settle != nil {
			settle(ctx)
		}
		return err
	})
}
