// Package grants hands out and takes back the opaque rights a model edits
// with. A grant is a random 256-bit token that is good for one semantic
// operation on one verified range, once, within one turn. The model holds the
// token; what it stands for stays here, and so does the decision whether it
// still holds. Only hashes of tokens are kept.
//
// A writer call is admitted as a whole or not at all: Claim checks every token
// of the call before it consumes the first.
package grants

import (
	"crypto/sha256"
	"sync"
	"time"

	"proofmark/gateway/core"
)

// Prefix begins every token; 43 base64url characters follow.
const Prefix = "hrg_"

// Binding is everything one grant is tied to. All of it is compared when the
// grant is used.
type Binding struct {
	TurnID         string
	SessionID      string
	SessionEpoch   int64
	DocumentID     string
	RevisionID     string
	SourceSHA      string    // of the bytes the range was verified in
	CandidateEpoch int64     // of the draft those bytes belong to
	Range          core.Span // verified range in those bytes
	RangeSHA       string    // SHA-256 of the range's bytes
	Operation      string
	Order          int // of the note, from 1; 0 where a locate query led here

	// Target and Run name an element and a text run in the tree of those
	// bytes. They are the caller's numbers and mean nothing here.
	Target, Run int32
	// Batch names the call that issued the grant, so that a newer answer of
	// the same kind can take its place.
	Batch string
}

// Current is the state of the world a grant is claimed in.
type Current struct {
	SessionID      string
	SessionEpoch   int64
	DocumentID     string
	RevisionID     string
	SourceSHA      string
	CandidateEpoch int64
	Source         []byte // the bytes of SourceSHA
}

// Want is one use of a grant: the token and the operation the caller believes
// it is for, "" where it does not say.
type Want struct {
	Token     string
	Operation string
}

// Claimed is a consumed grant. Only Claim makes one.
type Claimed struct {
	binding Binding
	key     key
}

// Binding gives what the consumed grant was tied to.
func (c Claimed) Binding() Binding { return c.binding }

// state is where a grant is in its life.
type state uint8

const (
	live      state = iota
	used            // consumed by an admitted call
	replaced        // a newer answer issued grants in its place
	overtaken       // a staged change rewrote its range
)

type entry struct {
	binding Binding
	expires time.Time
	state   state
}

type key [sha256.Size]byte

// Registry holds the grants of all running turns. It is safe for concurrent use.
type Registry struct {
	now func() time.Time

	mu    sync.Mutex
	turns map[string]map[key]*entry
}

// New makes an empty registry that reads the time from now, the machine's
// clock where it is nil.
func New(now func() time.Time) *Registry {
	if now == nil {
		now = time.Now
	}
	return &Registry{now: now, turns: map[string]map[key]*entry{}}
}

// Issue makes one grant for the binding and gives its token. It refuses with
// core.Budget when the turn holds core.MaxGrantsPerTurn usable grants already.
func (r *Registry) Issue(b Binding) (string, error) {
	if b.TurnID == "" || b.Operation == "" || b.SourceSHA == "" || b.RangeSHA == "" {
		return "", core.Errorf(core.Internal, "a grant needs a turn, an operation and verified bytes").In("grants.Issue")
	}
	token := core.NewSecret(Prefix)
	r.mu.Lock()
	defer r.mu.Unlock()
	turn := r.turns[b.TurnID]
	if turn == nil {
		turn = map[key]*entry{}
		r.turns[b.TurnID] = turn
	}
	if r.countLive(turn) >= core.MaxGrantsPerTurn {
		return "", core.Errorf(core.Budget, "this turn already holds %d unused grants, the most a turn may hold", core.MaxGrantsPerTurn).
			WithHint("use the grants you have, or ask for one target at a time").In("grants.Issue")
	}
	turn[sha256.Sum256([]byte(token))] = &entry{binding: b, expires: r.now().Add(core.GrantTTL)}
	return token, nil
}

// Live tells how many grants of the turn can still be used.
func (r *Registry) Live(turnID string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.countLive(r.turns[turnID])
}

func (r *Registry) countLive(turn map[key]*entry) int {
	n, now := 0, r.now()
	for _, e := range turn {
		if e.state == live && now.Before(e.expires) {
			n++
		}
	}
	return n
}

// Replace voids the turn's unused grants of one batch; a newer answer is about
// to issue others in their place.
func (r *Registry) Replace(turnID, batch string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.turns[turnID] {
		if e.state == live && e.binding.Batch == batch {
			e.state = replaced
		}
	}
}

// Rebind moves the turn's unused grants onto a newly staged draft. move gives
// the binding in the new bytes, or false where the staged edit rewrote the
// range so that nothing verified is left; such a grant is void. move runs
// under the registry's lock and must not call back into it.
func (r *Registry) Rebind(turnID string, move func(Binding) (Binding, bool)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.turns[turnID] {
		if e.state != live {
			continue
		}
		b, ok := move(e.binding)
		if !ok {
			e.state = overtaken
			continue
		}
		// What the grant allows never grows: only where it stands may change.
		b.TurnID, b.SessionID, b.SessionEpoch = e.binding.TurnID, e.binding.SessionID, e.binding.SessionEpoch
		b.DocumentID, b.RevisionID = e.binding.DocumentID, e.binding.RevisionID
		b.Operation, b.Order, b.Batch = e.binding.Operation, e.binding.Order, e.binding.Batch
		e.binding = b
	}
}

// Clear forgets every grant of the turn. Tokens of a cleared turn are unknown.
func (r *Registry) Clear(turnID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.turns, turnID)
}
