package httpapi

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
)

func (s *Server) takeBackRoutes() []route {
	return []route{
		{
			method: "POST", pattern: "/v1/documents/{document}/changes/{change}/revert", scopes: everyone, body: smallBody, handle: s.revert,
			what: "a change, or one note of it, is taken back by a new version",
		},
		{method: "POST", pattern: "/v1/documents/{document}/redo", scopes: everyone, body: smallBody, handle: s.redo, what: "what the newest revert took back is put back"},
		{method: "POST", pattern: "/v1/documents/{document}/restore", scopes: everyone, body: smallBody, handle: s.restore, what: "an older version's bytes become the newest version"},
	}
}

// afterwards says whether the file is written, too.
type afterwards struct {
	Write bool `json:"write"`
}

// moved is the answer to what made a version.
type moved struct {
	Document   documentJSON   `json:"document"`
	ChangeSet  core.ChangeSet `json:"changeSet"`
	Written    bool           `json:"written"`
	WriteError *errorAnswer   `json:"writeError,omitempty"` // why the file was not written; the version is kept
}

// after writes the file, if that is wanted, and describes what there is now.
func (s *Server) after(c *call, res document.Result, write bool) (moved, error) {
	var wrote bool
	var err error
	if write { // also for a client that has gone: the version is there all the same
		wrote, err = s.c.Documents.WriteBack(context.WithoutCancel(c), res.Document.ID)
	}
	return s.describeMoved(c, res, wrote, err)
}

func (s *Server) describeMoved(c *call, res document.Result, wrote bool, writeErr error) (moved, error) {
	m := moved{ChangeSet: res.ChangeSet, Written: wrote, WriteError: errorOf(writeErr)}
	d, err := s.c.Documents.Get(c, res.Document.ID)
	if err != nil {
		return m, err
	}
	m.Document, err = s.describe(c, d)
	return m, err
}

// fresh takes in what another program wrote, before the head moves.
func (s *Server) fresh(c *call, write bool) error {
	if !write {
		return nil
	}
	d, err := s.c.Documents.Get(c, c.path("document"))
	if err == nil {
		_, err = s.c.Documents.Open(c, d.Path)
	}
	return err
}

func (s *Server) revert(c *call) (any, error) {
	var q struct {
		afterwards
		Note int `json:"note"` // from 1; 0 for the whole change
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if q.Note < 0 {
		return nil, core.Errorf(core.BadRequest, "notes count from 1; 0 is the whole change")
	}
	if _, err := s.changeOf(c, c.path("change")); err != nil {
		return nil, err
	}
	if err := s.fresh(c, q.Write); err != nil {
		return nil, err
	}
	res, err := s.c.Documents.Revert(c, c.path("document"), c.path("change"), q.Note, c.actor())
	if err != nil {
		return nil, err
	}
	return s.after(c, res, q.Write)
}

func (s *Server) redo(c *call) (any, error) {
	var q afterwards
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if err := s.fresh(c, q.Write); err != nil {
		return nil, err
	}
	res, err := s.c.Documents.Redo(c, c.path("document"), c.actor())
	if err != nil {
		return nil, err
	}
	return s.after(c, res, q.Write)
}

func (s *Server) restore(c *call) (any, error) {
	var q struct {
		afterwards
		Version string `json:"version"` // generation, name or id
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if q.Version == "" {
		return nil, core.Errorf(core.BadRequest, "which version? A generation, a name or an id")
	}
	if err := s.fresh(c, q.Write); err != nil {
		return nil, err
	}
	r, err := s.c.Documents.Version(c, c.path("document"), q.Version)
	if err != nil {
		return nil, err
	}
	res, err := s.c.Documents.Restore(c, r.DocumentID, r.Generation, c.actor())
	if err != nil {
		return nil, err
	}
	return s.after(c, res, q.Write)
}
