package turn

import (
	"time"

	"proofmark/gateway/annotate"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/grants"
	"proofmark/gateway/store"
	"proofmark/internal/faultpoint"
)

// Config is what an Engine needs.
type Config struct {
	Store       *store.Store
	Documents   *document.Service
	Annotations *annotate.Service
	Candidates  *candidate.Service
	Grants      *grants.Registry
	Now         func() time.Time // the clock; time.Now by default
	Timeout     time.Duration    // of a running turn; core.TurnTimeout by default
}

// Engine accepts and runs turns.
type Engine struct {
	Config
	followers followers
}

// New makes an Engine.
func New(c Config) *Engine {
	if c.Now == nil {
		c.Now = faultpoint.Now
	}
	if c.Timeout == 0 {
		c.Timeout = core.TurnTimeout
	}
	return &Engine{Config: c}
}

// Status is how a turn ended, as the command line reports it.
type Status string

// Statuses.
const (
	Applied       Status = "applied"
	Answered      Status = "answered"
	Refused       Status = "refused"
	Dropped       Status = "discarded"
	Conflict      Status = "conflict"
	NeedsApproval Status = "needs_approval"
)
