package httpapi

import (
	"fmt"
	"path/filepath"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
	"proofmark/gateway/workbench"
)

// Bounds of lists, rows a page.
const (
	maxRevisions = 10_000
	maxChanges   = 1_000
	maxAudit     = 1_000
)

func (s *Server) historyRoutes() []route {
	return []route{
		{method: "GET", pattern: "/v1/documents/{document}/revisions", scopes: everyone, query: []string{"before", "limit"}, handle: s.revisions, what: "versions with their names, the newest first"},
		{
			method: "GET", pattern: "/v1/documents/{document}/revisions/{generation}/picture", scopes: people, query: []string{"width"}, feature: core.FeatureWorkbench,
			handle: s.versionPicture, what: "how a version's page looks, as JPEG",
		},
		{method: "GET", pattern: "/v1/documents/{document}/changes", scopes: everyone, query: []string{"before", "limit"}, handle: s.changes, what: "change sets with what became of each note"},
		{method: "GET", pattern: "/v1/documents/{document}/changes/{change}", scopes: everyone, handle: s.change, what: "one change set: its edits, notes, evidence and flags"},
		{method: "GET", pattern: "/v1/documents/{document}/diff", scopes: everyone, query: []string{"from", "to", "change", "context"}, handle: s.diff, what: "the difference of two versions, or of one change"},
		{method: "GET", pattern: "/v1/documents/{document}/audit", scopes: people, query: []string{"after", "limit"}, handle: s.audit, what: "what happened, in hashes and counts"},
		{method: "PUT", pattern: "/v1/documents/{document}/names/{generation}", scopes: everyone, body: smallBody, handle: s.name, what: "a version gets a name"},
		{method: "DELETE", pattern: "/v1/documents/{document}/names/{generation}", scopes: everyone, handle: s.unname, what: "a version's name is taken away"},
	}
}

func (s *Server) revisions(c *call) (any, error) {
	before, limit, err := c.page(maxRevisions)
	if err != nil {
		return nil, err
	}
	d, err := s.c.Documents.Get(c, c.path("document"))
	if err != nil {
		return nil, err
	}
	list, err := s.c.Documents.Versions(c, d.ID, before, limit)
	if list == nil {
		list = []document.Version{}
	}
	return map[string]any{"revisions": list}, err
}

func (s *Server) versionPicture(c *call) (any, error) {
	width, err := c.number("width", workbench.DefaultWidth, workbench.MinPictureWidth, workbench.MaxPictureWidth)
	if err != nil {
		return nil, err
	}
	p, err := s.c.Workbench.PictureOf(c, c.path("document"), c.path("generation"), int(width))
	if err != nil {
		return nil, err
	}
	return &file{bytes: p.Data, mediaType: p.MediaType, etag: p.Tag}, nil
}

func (s *Server) changes(c *call) (any, error) {
	before, limit, err := c.page(maxChanges)
	if err != nil {
		return nil, err
	}
	d, err := s.c.Documents.Get(c, c.path("document"))
	if err != nil {
		return nil, err
	}
	list, err := s.c.Documents.ChangeLog(c, d.ID, before, limit)
	if list == nil {
		list = []document.Change{}
	}
	return map[string]any{"changes": list}, err
}

// changeOf gives a change set of the route's document.
func (s *Server) changeOf(c *call, id string) (core.ChangeSet, error) {
	set, err := s.c.Documents.ChangeSet(c, id)
	if err == nil && set.DocumentID != c.path("document") {
		err = core.Errorf(core.UnknownChange, "the document has no change %.80s", id)
	}
	return set, err
}

func (s *Server) change(c *call) (any, error) {
	set, err := s.changeOf(c, c.path("change"))
	return tagged{set, set.ID}, err
}

type diffAnswer struct {
	From        int64           `json:"from"`
	To          int64           `json:"to"`
	SHABefore   string          `json:"sha256Before"`
	SHAAfter    string          `json:"sha256After"`
	Edits       []core.Edit     `json:"edits"` // spans in the bytes of "from"
	Stats       textpatch.Stats `json:"stats"`
	Recorded    bool            `json:"recorded"` // the edits are those of one change set
	OutsideSame bool            `json:"outsideUnchanged"`
	Unified     string          `json:"unified"`
}

func (s *Server) diff(c *call) (any, error) {
	around, err := c.number("context", 3, 0, 1_000)
	if err != nil {
		return nil, err
	}
	from, to, err := s.ends(c)
	if err != nil {
		return nil, err
	}
	x, err := s.c.Documents.Compare(c, from, to)
	if err != nil {
		return nil, err
	}
	d, err := s.c.Documents.Get(c, x.From.DocumentID)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(d.Path)
	a := diffAnswer{
		From: x.From.Generation, To: x.To.Generation, SHABefore: x.From.SHA256, SHAAfter: x.To.SHA256, Edits: orEmpty(x.Edits), Stats: x.Stats, Recorded: x.Recorded,
		OutsideSame: true, // Compare made the edits and compared what came out, or gave an error
		Unified: textpatch.Unified(fmt.Sprintf("%s (generation %d)", name, x.From.Generation), fmt.Sprintf("%s (generation %d)", name, x.To.Generation),
			x.Before, x.After, int(around)),
	}
	return tagged{a, fmt.Sprintf("%s-%s-%d", x.From.ID, x.To.ID, around)}, nil
}

// ends gives the revisions to compare: those of a change, or two versions, of
// which the newest and the one before stand in where they are not named.
func (s *Server) ends(c *call) (from, to string, err error) {
	if id := c.query.Get("change"); id != "" {
		if c.query.Has("from") || c.query.Has("to") {
			return "", "", core.Errorf(core.BadRequest, "a change stands alone: its own two versions are compared")
		}
		set, err := s.changeOf(c, id)
		return set.BaseID, set.ResultID, err
	}
	b, err := s.c.Documents.Version(c, c.path("document"), c.query.Get("to"))
	if err != nil {
		return "", "", err
	}
	ref := c.query.Get("from")
	if ref == "" {
		a, err := s.c.Documents.Revision(c, b.DocumentID, max(b.Generation-1, 1))
		return a.ID, b.ID, err
	}
	a, err := s.c.Documents.Version(c, b.DocumentID, ref)
	return a.ID, b.ID, err
}

func (s *Server) audit(c *call) (any, error) {
	after, err := c.number("after", 0, 0, 1<<62)
	if err != nil {
		return nil, err
	}
	limit, err := c.number("limit", maxAudit, 1, maxAudit)
	if err != nil {
		return nil, err
	}
	d, err := s.c.Documents.Get(c, c.path("document"))
	if err != nil {
		return nil, err
	}
	list, err := s.c.Documents.Audit(c, d.ID, after, int(limit))
	if err != nil {
		return nil, err
	}
	out := make([]auditEvent, 0, len(list))
	for _, e := range list {
		out = append(out, auditJSON(e))
	}
	return map[string]any{"events": out}, nil
}

// auditEvent is a row of the audit as it goes out.
type auditEvent struct {
	Seq           int64  `json:"seq"`
	AtMS          int64  `json:"atMs"`
	Kind          string `json:"kind"`
	Actor         string `json:"actor"`
	Generation    int64  `json:"generation"`
	ChangeSetID   string `json:"changeSet,omitempty"`
	SHABefore     string `json:"sha256Before,omitempty"`
	SHAAfter      string `json:"sha256After,omitempty"`
	Edits         int    `json:"edits"`
	BytesRemoved  int    `json:"bytesRemoved"`
	BytesInserted int    `json:"bytesInserted"`
	Notes         int    `json:"notes"`
	Flags         int    `json:"flags"`
}

func auditJSON(e store.AuditEvent) auditEvent {
	return auditEvent{
		Seq: e.Seq, AtMS: e.At.UnixMilli(), Kind: e.Kind, Actor: e.Actor, Generation: e.Generation, ChangeSetID: e.ChangeSetID, SHABefore: e.SHABefore, SHAAfter: e.SHAAfter,
		Edits: e.Edits, BytesRemoved: e.BytesRemoved, BytesInserted: e.BytesInserted, Notes: e.Notes, Flags: e.Flags,
	}
}

type nameRequest struct {
	Name string `json:"name"`
	Move bool   `json:"move"` // take it from the version that has it
}

func (s *Server) name(c *call) (any, error) {
	var q nameRequest
	if err := c.read(&q); err != nil {
		return nil, err
	}
	r, err := s.c.Documents.Version(c, c.path("document"), c.path("generation"))
	if err != nil {
		return nil, err
	}
	n, err := s.c.Documents.Name(c, document.NameRequest{DocumentID: r.DocumentID, Generation: r.Generation, Name: q.Name, Move: q.Move, Actor: c.actor()})
	return map[string]any{"generation": n.Generation, "name": n.Name}, err
}

func (s *Server) unname(c *call) (any, error) {
	r, err := s.c.Documents.Version(c, c.path("document"), c.path("generation"))
	if err != nil {
		return nil, err
	}
	_, err = s.c.Documents.Unname(c, r.DocumentID, r.Generation, c.actor())
	return nil, err
}
