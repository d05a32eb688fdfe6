package httpapi

import (
	"net/http"
	"strings"
	"time"

	"proofmark/bridge/token"
	"proofmark/gateway/gates"
)

func (s *Server) healthRoutes() []route {
	return []route{
		{method: "GET", pattern: "/v1/health", scopes: everyone, handle: s.health, what: "that the gateway works, its version, and which features are on"},
		{method: "POST", pattern: "/v1/shutdown", scopes: []token.Scope{token.Desktop}, handle: s.shutdown, what: "the gateway ends, for the shell that owns it"},
	}
}

type healthAnswer struct {
	Version  string        `json:"version"`
	Launch   string        `json:"launch"`
	UptimeMS int64         `json:"uptimeMs"`
	ReadOnly *errorAnswer  `json:"readOnly,omitempty"` // why nothing can be stored
	Features []gates.State `json:"features"`
}

func (s *Server) health(c *call) (any, error) {
	states, err := s.c.Gates.States(c)
	if err != nil {
		return nil, err
	}
	return healthAnswer{
		Version: s.c.Version, Launch: s.c.Launch, UptimeMS: time.Since(s.began).Milliseconds(), ReadOnly: errorOf(s.c.Workbench.ReadOnly()), Features: states,
	}, nil
}

func (s *Server) shutdown(*call) (any, error) {
	s.c.Stop()
	return nil, nil
}

// bearerOf gives the token the edge has let in.
func bearerOf(r *http.Request) string {
	_, t, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return t
}
