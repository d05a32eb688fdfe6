package httpapi

import (
	"path/filepath"
	"time"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/gateway/manual"
	"proofmark/gateway/models"
	"proofmark/gateway/preferences"
)

func (s *Server) sourceRoutes() []route {
	const on = "/v1/documents/{document}/edits"
	list := []route{
		{method: "GET", pattern: on, scopes: everyone, handle: s.unsaved, what: "edit sessions that hold text no version has"},
		{method: "POST", pattern: on, scopes: everyone, body: smallBody, handle: s.openEdit, what: "an edit session begins on the newest version, or on an older one"},
		{method: "GET", pattern: on + "/{edit}", scopes: everyone, handle: s.getEdit, what: "an edit session with its text"},
		{method: "PUT", pattern: on + "/{edit}", scopes: everyone, body: sourceBody, handle: s.saveEdit, what: "autosave: what was typed is kept; refused where somebody else saved since"},
		{method: "POST", pattern: on + "/{edit}/commit", scopes: everyone, body: smallBody, handle: s.commitEdit, what: "the text becomes the newest version, merged with newer ones; a conflict changes nothing"},
		{method: "POST", pattern: on + "/{edit}/reopen", scopes: everyone, handle: s.reopenEdit, what: "an expired edit session goes on"},
		{method: "DELETE", pattern: on + "/{edit}", scopes: everyone, handle: s.discardEdit, what: "an edit session ends and its text is dropped"},
	}
	for i, r := range list {
		if r.method == "PUT" || r.method == "POST" { // what was typed can always be read, and dropped
			list[i].feature = core.FeatureWorkbench
		}
	}
	return append(list,
		route{method: "GET", pattern: "/v1/models", scopes: everyone, handle: s.models, what: "who can plan changes, and whether their keys are set; no key"},
		route{method: "GET", pattern: "/v1/settings", scopes: people, handle: s.settings, what: "what the operator has set, and the bounds of this gateway"},
		route{method: "GET", pattern: "/v1/preferences", scopes: people, handle: s.preferences, what: "what a person has chosen in the workbench"},
		route{method: "PUT", pattern: "/v1/preferences", scopes: people, body: preferences.MaxBytes, handle: s.choose, what: "what a person has chosen takes the place of what was chosen before"},
	)
}

type editJSON struct {
	ID         string    `json:"id"`
	DocumentID string    `json:"documentId"`
	BaselineID string    `json:"baselineId"` // the version the text began with
	State      string    `json:"state"`
	Unsaved    bool      `json:"unsaved"` // the text is in no version
	UpdatedAt  time.Time `json:"updatedAt"`
	ExpiresAt  time.Time `json:"expiresAt"`
	Text       *string   `json:"text,omitempty"`
}

func editOf(e manual.Session, withText bool) editJSON {
	j := editJSON{ID: e.ID, DocumentID: e.DocumentID, BaselineID: e.BaselineID, State: e.State, Unsaved: e.Unsaved, UpdatedAt: e.UpdatedAt, ExpiresAt: e.ExpiresAt}
	if withText {
		text := string(e.Text)
		j.Text = &text
	}
	return j
}

// edit gives the route's edit session, which is of the route's document.
func (s *Server) edit(c *call) (manual.Session, error) {
	e, err := s.c.Edits.Get(c, c.path("edit"))
	if err == nil && e.DocumentID != c.path("document") {
		err = core.Errorf(core.NotFound, "the document has no edit session %.80s", c.path("edit"))
	}
	return e, err
}

func (s *Server) unsaved(c *call) (any, error) {
	d, err := s.c.Documents.Get(c, c.path("document"))
	if err != nil {
		return nil, err
	}
	list, err := s.c.Edits.Unsaved(c, d.ID)
	if err != nil {
		return nil, err
	}
	out := []editJSON{}
	for _, e := range list {
		out = append(out, editOf(e, false))
	}
	return map[string]any{"edits": out}, nil
}

func (s *Server) openEdit(c *call) (any, error) {
	var q struct {
		Version string `json:"version"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	r, err := s.c.Documents.Version(c, c.path("document"), q.Version)
	if err != nil {
		return nil, err
	}
	e, err := s.c.Edits.OpenAt(c, r.DocumentID, r.Generation)
	return editOf(e, true), err
}

func (s *Server) getEdit(c *call) (any, error) {
	e, err := s.edit(c)
	return editOf(e, true), err
}

func (s *Server) saveEdit(c *call) (any, error) {
	var q struct {
		Text string    `json:"text"`
		Seen time.Time `json:"seen"` // its updatedAt when it was read or saved last
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if _, err := s.edit(c); err != nil {
		return nil, err
	}
	e, err := s.c.Edits.Save(c, c.path("edit"), q.Seen, []byte(q.Text))
	return editOf(e, false), err
}

func (s *Server) commitEdit(c *call) (any, error) {
	var q afterwards
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if _, err := s.edit(c); err != nil {
		return nil, err
	}
	commit := s.c.Edits.Commit
	if c.caller.Scope == token.Agent {
		commit = s.c.Edits.CommitPlain // an agent approves nothing, however it writes it
	}
	done, err := commit(c, c.path("edit"), c.actor())
	if err != nil {
		return nil, err
	}
	m, err := s.after(c, done.Result, q.Write)
	return map[string]any{"merged": done.Merged, "made": m}, err
}

func (s *Server) reopenEdit(c *call) (any, error) {
	if _, err := s.edit(c); err != nil {
		return nil, err
	}
	e, err := s.c.Edits.Reopen(c, c.path("edit"))
	return editOf(e, true), err
}

func (s *Server) discardEdit(c *call) (any, error) {
	if _, err := s.edit(c); err != nil {
		return nil, err
	}
	return nil, s.c.Edits.Discard(c, c.path("edit"))
}

// modelJSON is a line-up as it goes out. No key is part of it.
type modelJSON struct {
	Name     string          `json:"name"`
	Mode     string          `json:"mode"`
	Provider string          `json:"provider,omitempty"`
	Model    string          `json:"model,omitempty"`
	Host     string          `json:"host,omitempty"`
	Vision   bool            `json:"vision"`
	Key      models.KeyState `json:"key"`
	Members  []string        `json:"members,omitempty"`
}

func (s *Server) models(c *call) (any, error) {
	out := []modelJSON{}
	for _, e := range s.c.Models.List() {
		out = append(out, modelJSON{
			Name: e.Name, Mode: e.Mode, Provider: e.Provider, Model: e.Model, Host: e.Host(), Vision: e.Vision,
			Key: s.c.Models.KeyState(c, e), Members: e.Members(),
		})
	}
	return map[string]any{"models": out}, nil
}

func (s *Server) preferences(*call) (any, error) { return s.chosen.Read() }

func (s *Server) choose(c *call) (any, error) { return nil, s.chosen.Write(c.body) }

func (s *Server) settings(c *call) (any, error) {
	states, err := s.c.Gates.States(c)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"features": states, "dataDirectory": filepath.Base(s.c.DataDir),
		"limits": map[string]any{
			"sourceBytes": core.MaxSourceBytes, "instructionBytes": core.MaxInstructionBytes, "annotationsPerSend": core.MaxAnnotationsPerSend,
			"targetsPerNote": core.MaxTargetsPerNote, "turnContextBytes": core.MaxTurnContextBytes, "previews": core.MaxPreviewsPerHost,
		},
	}, nil
}
