package httpapi

import (
	"proofmark/bridge/contract"
	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/gateway/workbench"
)

func (s *Server) previewRoutes() []route {
	list := []route{
		{method: "GET", pattern: "/v1/previews", scopes: everyone, handle: s.listPreviews, what: "the open previews"},
		{method: "POST", pattern: "/v1/documents/{document}/previews", scopes: everyone, body: smallBody, handle: s.openPreview, what: "a version is shown in a view of its own, under a lease"},
		{
			method: "GET", pattern: "/v1/previews/{preview}", scopes: append([]token.Scope{token.Preview}, everyone...), handle: s.getPreview,
			what: "a preview: what its lease is bound to, what it asked for and did not get",
		},
		{method: "POST", pattern: "/v1/previews/{preview}/reload", scopes: everyone, body: smallBody, handle: s.reloadPreview, what: "another version, or the newest, is shown in the same view"},
		{method: "DELETE", pattern: "/v1/previews/{preview}", scopes: everyone, handle: s.closePreview, what: "a preview and its lease end"},
		{method: "GET", pattern: "/v1/previews/{preview}/picture", scopes: everyone, query: []string{"full"}, handle: s.picture, what: "a picture of the view as PNG"},
		{
			method: "POST", pattern: "/v1/previews/{preview}/picks", scopes: everyone, body: smallBody, handle: s.pick,
			what: "an element is pointed at and proven; the answer is a handle",
		},
		{method: "POST", pattern: "/v1/previews/{preview}/picks/{pick}/step", scopes: everyone, body: smallBody, handle: s.step, what: "from a pick up, down, next or prev"},
		{method: "PUT", pattern: "/v1/previews/{preview}/highlight", scopes: everyone, body: smallBody, handle: s.highlight, what: "a pick is shown in the view, or none"},
		{method: "PUT", pattern: "/v1/previews/{preview}/outlines", scopes: everyone, body: smallBody, handle: s.outlines, what: "picks and notes are outlined in the view while one points, or none"},
	}
	list = append(list, s.pointingRoutes()...)
	for i, r := range list {
		if r.method != "DELETE" {
			list[i].feature = core.FeatureWorkbench
		}
	}
	return list
}

func (s *Server) listPreviews(*call) (any, error) {
	return map[string]any{"previews": s.c.Workbench.Previews()}, nil
}

type openPreview struct {
	Version      string   `json:"version"`
	Width        int      `json:"width"`  // CSS pixels; 0 for 1280
	Height       int      `json:"height"` // CSS pixels; 0 for 800
	AllowOrigins []string `json:"allowOrigins"`
	Place        string   `json:"place"` // "" for a view of its own, "window"
}

func (s *Server) openPreview(c *call) (any, error) {
	var q openPreview
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if len(q.AllowOrigins) > 0 && c.caller.Scope == token.Agent {
		return nil, core.Errorf(core.WrongScope, "a person allows origins, not an agent")
	}
	return s.c.Workbench.OpenPreview(c, workbench.Open{
		DocumentID: c.path("document"), Version: q.Version, Width: q.Width, Height: q.Height, AllowOrigins: q.AllowOrigins, Place: q.Place,
	})
}

// preview gives the route's preview; a token of a preview opens that one alone.
func (s *Server) preview(c *call) (*workbench.Preview, error) {
	if c.caller.Scope == token.Preview && c.caller.Subject != c.path("preview") {
		return nil, core.Errorf(core.WrongScope, "this token is for another preview")
	}
	return s.c.Workbench.Preview(c.path("preview"))
}

func (s *Server) getPreview(c *call) (any, error) {
	p, err := s.preview(c)
	if err != nil {
		return nil, err
	}
	return p.State(), nil
}

func (s *Server) reloadPreview(c *call) (any, error) {
	var q struct {
		Version string `json:"version"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	p, err := s.preview(c)
	if err != nil {
		return nil, err
	}
	return p.Reload(c, q.Version)
}

func (s *Server) closePreview(c *call) (any, error) {
	return nil, s.c.Workbench.ClosePreview(c.path("preview"))
}

func (s *Server) picture(c *call) (any, error) {
	p, err := s.preview(c)
	if err != nil {
		return nil, err
	}
	shot, err := p.Picture(c, c.query.Get("full") == "1")
	if err != nil {
		return nil, err
	}
	return &file{bytes: shot.Data, mediaType: shot.MediaType}, nil
}

func (s *Server) pick(c *call) (any, error) {
	var q struct {
		Target string `json:"target"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	p, err := s.preview(c)
	if err != nil {
		return nil, err
	}
	return p.Point(c, q.Target)
}

func (s *Server) step(c *call) (any, error) {
	var q struct {
		Direction contract.Direction `json:"direction"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	p, err := s.preview(c)
	if err != nil {
		return nil, err
	}
	return p.Step(c, c.path("pick"), q.Direction)
}

func (s *Server) highlight(c *call) (any, error) {
	var q struct {
		Pick   string `json:"pick"`   // "" for none
		Scroll bool   `json:"scroll"` // until it is in the view
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	p, err := s.preview(c)
	if err != nil {
		return nil, err
	}
	return nil, p.Highlight(c, q.Pick, q.Scroll)
}

func (s *Server) outlines(c *call) (any, error) {
	var q struct {
		Outlines []workbench.Outline `json:"outlines"` // none takes them away
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	p, err := s.preview(c)
	if err != nil {
		return nil, err
	}
	return nil, p.Outline(c, q.Outlines)
}
