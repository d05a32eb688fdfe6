package httpapi

import (
	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/gateway/discover"
)

// maxSubject bounds a client's name for itself, in bytes.
const maxSubject = 100

func (s *Server) tokenRoutes() []route {
	return []route{
		{
			method: "POST", pattern: discover.TokensPath, scopes: []token.Scope{token.Handshake, token.Paired, token.Desktop}, body: smallBody, handle: s.mint,
			what: "a token: an agent's for a handshake, the workbench's for a code, the workbench's or a preview's for the desktop",
		},
		{method: "POST", pattern: "/v1/tokens/refresh", scopes: everyone, body: noBody, handle: s.refresh, what: "a new token for one that is about to expire"},
		{method: "DELETE", pattern: discover.TokensPath, scopes: everyone, body: noBody, handle: s.revoke, what: "the caller's token and those refreshed from it end"},
	}
}

type mintRequest struct {
	Scope   token.Scope `json:"scope"`
	Subject string      `json:"subject"`
}

func (s *Server) mint(c *call) (any, error) {
	q := mintRequest{Scope: token.Agent, Subject: "agent"}
	switch c.caller.Scope {
	case token.Handshake, token.Paired:
		if len(c.body) > 0 {
			return nil, core.Errorf(core.BadRequest, "a handshake or a code stands for one kind of token, and has no body")
		}
		if c.caller.Scope == token.Paired {
			q = mintRequest{Scope: token.UI, Subject: "browser"}
		}
	default:
		if err := c.read(&q); err != nil {
			return nil, err
		}
		if q.Scope != token.UI && q.Scope != token.Preview {
			return nil, core.Errorf(core.WrongScope, "tokens of the scopes ui and preview can be asked for")
		}
		if q.Subject == "" || len(q.Subject) > maxSubject {
			return nil, core.Errorf(core.BadRequest, "a token is for a subject, whose name has 1 to %d bytes", maxSubject)
		}
	}
	text, claims, err := s.c.Issuer.Mint(q.Scope, q.Subject)
	if err != nil {
		return nil, err
	}
	a := discover.TokenAnswer{Token: text, Scope: string(claims.Scope), Expires: claims.Expires}
	if c.caller.Nonce != "" {
		a.Proof = s.c.Door.Prove(c.caller.Nonce, text)
	}
	return a, nil
}

// pair takes the code a person has typed into a browser. One that was used, or
// came too late, is followed by another.
func (s *Server) pair(code string) error {
	err := s.c.Pairing.Admit(code)
	if err == nil || core.AsError(err).Detail["reason"] == "expired" {
		s.c.Invite()
	}
	return err
}

func (s *Server) refresh(c *call) (any, error) {
	text, claims, err := s.c.Issuer.Refresh(bearerOf(c.r))
	if err != nil {
		return nil, err
	}
	return discover.TokenAnswer{Token: text, Scope: string(claims.Scope), Expires: claims.Expires}, nil
}

func (s *Server) revoke(c *call) (any, error) {
	s.c.Issuer.Revoke(c.caller.Family)
	return nil, nil
}
