package httpapi

import (
	"context"
	"encoding/json"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/gateway/workbench"
)

// pointingRoutes are what a workbench needs of the page that it shows.
func (s *Server) pointingRoutes() []route {
	return []route{
		{method: "PUT", pattern: "/v1/previews/{preview}/inspect", scopes: everyone, body: smallBody, handle: s.inspect, what: "inspect mode is switched: what the pointer is over is shown, a press picks it"},
		{method: "GET", pattern: "/v1/previews/{preview}/events", scopes: everyone, stream: s.previewEvents, what: "what happens on the page: hover, picked, moved, health, loaded, gone"},
		{method: "GET", pattern: "/v1/previews/{preview}/health", scopes: everyone, handle: s.previewHealth, what: "what the page complains about"},
		{method: "POST", pattern: "/v1/previews/{preview}/under", scopes: everyone, body: smallBody, handle: s.under, what: "the ancestors of a pick, and what lies under its middle"},
		{method: "POST", pattern: "/v1/previews/{preview}/places", scopes: everyone, body: messageBody, handle: s.places, what: "where picks or notes are in the view"},
		{
			method: "POST", pattern: "/v1/previews/{preview}/origins", scopes: []token.Scope{token.Desktop, token.UI}, body: smallBody, handle: s.allowOrigins,
			what: "a person allows origins; the page is loaded again",
		},
	}
}

func (s *Server) inspect(c *call) (any, error) {
	var q struct {
		On bool `json:"on"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	p, err := s.preview(c)
	if err != nil {
		return nil, err
	}
	return nil, p.Inspect(c, q.On)
}

// previewEvents streams what happens on the page. Nothing of it is stored.
func (s *Server) previewEvents(c *call) error {
	p, err := s.preview(c)
	if err != nil {
		return err
	}
	return s.stream(c, func(ctx context.Context, send func(id int64, event string, data []byte) error) error {
		return p.Follow(ctx, func(e workbench.PreviewEvent) error {
			b, err := json.Marshal(e.Data)
			if err != nil {
				return core.Wrap(core.Internal, err, "an event cannot be written")
			}
			return send(0, e.Kind, b)
		})
	})
}

func (s *Server) previewHealth(c *call) (any, error) {
	p, err := s.preview(c)
	if err != nil {
		return nil, err
	}
	return p.Health(c)
}

func (s *Server) under(c *call) (any, error) {
	var q struct {
		Pick string `json:"pick"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	p, err := s.preview(c)
	if err != nil {
		return nil, err
	}
	return p.Under(c, q.Pick)
}

func (s *Server) places(c *call) (any, error) {
	var q struct {
		Picks       []string `json:"picks"`
		Annotations []string `json:"annotations"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	p, err := s.preview(c)
	if err != nil {
		return nil, err
	}
	list, err := p.Places(c, q.Picks, q.Annotations)
	return map[string]any{"places": list}, err
}

func (s *Server) allowOrigins(c *call) (any, error) {
	var q struct {
		Allow []string `json:"allow"`
	}
	if err := c.read(&q); err != nil {
		return nil, err
	}
	p, err := s.preview(c)
	if err != nil {
		return nil, err
	}
	return p.Allow(c, q.Allow)
}
