package httpapi

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"proofmark/gateway/bundle"
	"proofmark/gateway/core"
)

// leftOutHeader counts what did not fit into a review.
const leftOutHeader = "Proofmark-Left-Out"

func (s *Server) reviewRoutes() []route {
	const on = "/v1/documents/{document}/review"
	return []route{
		{
			method: "GET", pattern: on, scopes: everyone, query: []string{"version", "session", "form"}, handle: s.review,
			what: "a review to send on, up to a version: its history and a session's drafts, as a page or as data",
		},
		{
			method: "POST", pattern: on, scopes: everyone, body: sourceBody, feature: core.FeatureAnnotations, handle: s.takeReview,
			what: "the drafts of somebody's review become drafts of a session",
		},
	}
}

func (s *Server) review(c *call) (any, error) {
	form := c.query.Get("form")
	if form != "" && form != "html" && form != "json" {
		return nil, core.Errorf(core.BadRequest, "form is html or json")
	}
	session := c.query.Get("session")
	if err := checkSession(session); err != nil {
		return nil, err
	}
	d, err := s.c.Documents.Get(c, c.path("document"))
	if err != nil {
		return nil, err
	}
	rev, err := s.c.Documents.Version(c, d.ID, c.query.Get("version"))
	if err != nil {
		return nil, err
	}
	r, left, err := bundle.Collect(c, s.c.Documents, s.c.Notes, bundle.Request{Document: d, Revision: rev, SessionID: session, Made: time.Now()})
	if err != nil {
		return nil, err
	}
	write, ext := r.HTML, ".review.html"
	if form == "json" {
		write, ext = r.JSON, ".review.json"
	}
	b, err := write()
	if err != nil {
		return nil, err
	}
	name := filepath.Base(d.Path)
	c.w.Header().Set(leftOutHeader, fmt.Sprintf("changes=%d, drafts=%d", left.Changes, left.Drafts))
	// As bytes, whatever they are: this address shows no page.
	return &file{bytes: b, mediaType: "application/octet-stream", name: strings.TrimSuffix(name, filepath.Ext(name)) + ext}, nil
}

func (s *Server) takeReview(c *call) (any, error) {
	var q struct {
		Session string `json:"session"`
		Review  string `json:"review"` // the text of the file, HTML or JSON
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if err := checkSession(q.Session); err != nil {
		return nil, err
	}
	d, err := s.c.Documents.Get(c, c.path("document"))
	if err != nil {
		return nil, err
	}
	r, err := bundle.Read(c, []byte(q.Review))
	if err != nil {
		return nil, err
	}
	taken, err := s.c.Reviews.Take(c, r, d.ID, q.Session)
	return map[string]any{"annotations": orEmpty(taken)}, err
}
