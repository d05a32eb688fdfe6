package httpapi

import (
	"time"

	"proofmark/gateway/annotate"
	"proofmark/gateway/core"
	"proofmark/gateway/workbench"
)

// maxSession bounds the name of a session, in bytes.
const maxSession = 128

func (s *Server) noteRoutes() []route {
	const on = "/v1/documents/{document}/annotations"
	return []route{
		{method: "GET", pattern: on, scopes: everyone, query: []string{"session", "state"}, handle: s.listNotes, what: "a session's notes on a document in their order"},
		{method: "POST", pattern: on, scopes: everyone, body: smallBody, feature: core.FeatureAnnotations, handle: s.addNote, what: "a note is made of picks and stored as a draft"},
		{method: "PATCH", pattern: on + "/{annotation}", scopes: everyone, body: smallBody, handle: s.editNote, what: "a draft gets another text; refused where it changed since it was seen"},
		{method: "PUT", pattern: on + "/{annotation}/place", scopes: everyone, body: smallBody, handle: s.moveNote, what: "a draft gets another place, counted from 1"},
		{method: "DELETE", pattern: on + "/{annotation}", scopes: everyone, body: smallBody, handle: s.dropNote, what: "a draft is discarded; refused where it changed since it was seen"},
		{method: "POST", pattern: "/v1/documents/{document}/count", scopes: everyone, body: messageBody, handle: s.countNotes, what: "what a message and drafts would come to if they were sent now: places, bytes"},
	}
}

func checkSession(name string) error {
	if name == "" || len(name) > maxSession {
		return core.Errorf(core.BadRequest, "a session has a name of 1 to %d bytes", maxSession)
	}
	return nil
}

func (s *Server) listNotes(c *call) (any, error) {
	state := core.AnnotationState(c.query.Get("state"))
	switch state {
	case "":
		state = core.AnnotationDraft
	case core.AnnotationDraft, core.AnnotationSent, core.AnnotationDiscarded:
	default:
		return nil, core.Errorf(core.BadRequest, "state is draft, sent or discarded")
	}
	if err := checkSession(c.query.Get("session")); err != nil {
		return nil, err
	}
	list, err := s.c.Notes.List(c, c.query.Get("session"), c.path("document"), state)
	if list == nil {
		list = []core.Annotation{}
	}
	return map[string]any{"annotations": list}, err
}

func (s *Server) addNote(c *call) (any, error) {
	var q struct {
		Session     string   `json:"session"`
		Preview     string   `json:"preview"`
		Picks       []string `json:"picks"` // handles
		Instruction string   `json:"instruction"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if err := checkSession(q.Session); err != nil {
		return nil, err
	}
	p, err := s.c.Workbench.Preview(q.Preview)
	if err != nil {
		return nil, err
	}
	if p.State().DocumentID != c.path("document") {
		return nil, core.Errorf(core.LeaseMismatch, "the preview shows another document")
	}
	return p.Note(c, q.Session, q.Instruction, q.Picks)
}

// mine refuses notes of another document than the route's.
func (s *Server) mine(c *call, session string) error {
	if err := checkSession(session); err != nil {
		return err
	}
	_, err := s.c.Notes.Drafts(c, session, c.path("document"), c.path("annotation"))
	if core.CodeOf(err) == core.RequestConflict {
		return nil // it is no draft any more: what is asked for says so better
	}
	return err
}

func (s *Server) editNote(c *call) (any, error) {
	var q struct {
		Session     string    `json:"session"`
		Instruction string    `json:"instruction"`
		Seen        time.Time `json:"seen"` // its updatedAt when it was read
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if q.Seen.IsZero() {
		return nil, core.Errorf(core.BadRequest, "seen is the note's updatedAt as it was read")
	}
	if err := s.mine(c, q.Session); err != nil {
		return nil, err
	}
	return s.c.Notes.Edit(c, q.Session, c.path("annotation"), annotate.Change{Instruction: q.Instruction, Seen: q.Seen})
}

func (s *Server) moveNote(c *call) (any, error) {
	var q struct {
		Session string `json:"session"`
		Place   int    `json:"place"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if q.Place < 1 {
		return nil, core.Errorf(core.BadRequest, "places count from 1")
	}
	if err := s.mine(c, q.Session); err != nil {
		return nil, err
	}
	return nil, s.c.Notes.Move(c, q.Session, c.path("annotation"), q.Place)
}

func (s *Server) dropNote(c *call) (any, error) {
	var q struct {
		Session string    `json:"session"`
		Seen    time.Time `json:"seen"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if q.Seen.IsZero() {
		return nil, core.Errorf(core.BadRequest, "seen is the note's updatedAt as it was read")
	}
	if err := s.mine(c, q.Session); err != nil {
		return nil, err
	}
	return nil, s.c.Notes.Discard(c, q.Session, c.path("annotation"), q.Seen)
}

func (s *Server) countNotes(c *call) (any, error) {
	var q struct {
		Session     string          `json:"session"`
		Message     string          `json:"message"`
		Annotations []string        `json:"annotations"`
		Scene       *workbench.View `json:"scene"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if err := checkSession(q.Session); err != nil {
		return nil, err
	}
	notes, err := s.c.Notes.Drafts(c, q.Session, c.path("document"), q.Annotations...)
	if err != nil {
		return nil, err
	}
	p, seen, err := s.c.Workbench.Count(c, c.path("document"), q.Message, notes, q.Scene)
	if err != nil {
		return nil, err
	}
	a := map[string]any{
		"generation": p.Head.Generation, "notes": p.Notes, "contextBytes": p.ContextBytes,
		"maxNotes": core.MaxAnnotationsPerSend, "maxContextBytes": core.MaxTurnContextBytes, "refusal": "",
	}
	if err := p.Refusal(); err != nil {
		a["refusal"] = core.CodeOf(err)
	}
	if seen != nil {
		a["scene"] = seen
	}
	return a, nil
}
