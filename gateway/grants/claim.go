package grants

import (
	"crypto/sha256"
	"strings"

	"proofmark/gateway/core"
)

// Claim consumes the grants of one writer call. It checks all of them first,
// under one lock; when one is refused none is consumed, and the error names it
// by its place in the call (Detail "index", from 1), never by its token.
func (r *Registry) Claim(turnID string, wants []Want, cur Current) ([]Claimed, error) {
	if len(wants) == 0 {
		return nil, refuse(core.ToolArguments, 0, "the call names no grant",
			"nothing changed; send at least one mutation with a grant from document_inspect or document_locate")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	turn := r.turns[turnID]
	entries, keys := make([]*entry, len(wants)), make([]key, len(wants))
	seen := make(map[key]int, len(wants))
	for i, w := range wants {
		k := key(sha256.Sum256([]byte(w.Token)))
		if first, dup := seen[k]; dup {
			return nil, refuse(core.GrantReused, i+1, "mutation %d uses the same grant as mutation %d",
				"nothing changed and no grant was used up; use each grant once, and put further names and values of the same operation into that one mutation's also list", i+1, first)
		}
		seen[k] = i + 1
		e, err := r.check(turn, k, w, i+1, cur)
		if err != nil {
			return nil, err
		}
		entries[i], keys[i] = e, k
	}
	out := make([]Claimed, len(entries))
	for i, e := range entries {
		e.state = used
		out[i] = Claimed{binding: e.binding, key: keys[i]}
	}
	return out, nil
}

// check decides about one grant without changing it. A token of another turn
// is not in this turn's table and so is as unknown as an invented one: the
// answer must not tell the two apart.
func (r *Registry) check(turn map[key]*entry, k key, w Want, index int, cur Current) (*entry, error) {
	e := turn[k]
	if e == nil {
		msg := "mutation %d's grant is not one of this turn"
		if !wellFormed(w.Token) {
			msg = "mutation %d's grant is not a grant: it must be copied whole from a result"
		}
		return nil, refuse(core.GrantUnknown, index, msg,
			"nothing changed and no grant was used up; call document_inspect for the grants of the notes, or document_locate for another element", index)
	}
	switch e.state {
	case used:
		return nil, refuse(core.GrantReused, index, "mutation %d's grant was used already; a grant is good for one call",
			"nothing changed by this call; call document_inspect for fresh grants on the draft as it is now", index)
	case replaced:
		return nil, refuse(core.GrantExpired, index, "mutation %d's grant was replaced by those of a later document_inspect",
			"nothing changed and no grant was used up; use the grants of the latest document_inspect", index)
	case overtaken:
		return nil, refuse(core.GrantExpired, index, "mutation %d's grant is void: the staged draft changed what it stood for",
			"the draft is unchanged by this call; call document_inspect for fresh grants on it", index)
	}
	if !r.now().Before(e.expires) {
		return nil, refuse(core.GrantExpired, index, "mutation %d's grant is older than %d minutes",
			"nothing changed and no grant was used up; call document_inspect for fresh grants", index, int(core.GrantTTL.Minutes()))
	}
	if w.Operation != "" && w.Operation != e.binding.Operation {
		return nil, refuse(core.GrantMismatch, index, "mutation %d asks for %q, its grant is for %q",
			"nothing changed and no grant was used up; use the grant listed under the operation you want", index, printable(w.Operation), e.binding.Operation)
	}
	if why := differs(e.binding, cur); why != "" {
		return nil, refuse(core.GrantMismatch, index, "mutation %d's grant does not fit: "+why,
			"nothing changed and no grant was used up; call document_inspect for grants that fit the state as it is now", index)
	}
	return e, nil
}

// differs names the first thing in which the world is no longer what the grant
// was bound to, or "".
func differs(b Binding, cur Current) string {
	switch {
	case b.SessionID != cur.SessionID:
		return "it belongs to another session"
	case b.SessionEpoch != cur.SessionEpoch:
		return "the session was restarted since"
	case b.DocumentID != cur.DocumentID:
		return "it belongs to another document"
	case b.RevisionID != cur.RevisionID:
		return "it belongs to another version of the document"
	case b.CandidateEpoch != cur.CandidateEpoch:
		return "the draft was replaced since"
	case b.SourceSHA != cur.SourceSHA:
		return "the source is not the one it was verified in"
	}
	s := b.Range
	if s.Start < 0 || s.End < s.Start || s.End > len(cur.Source) || core.SHA256Hex(cur.Source[s.Start:s.End]) != b.RangeSHA {
		return "the bytes it was verified for have changed"
	}
	return ""
}

// wellFormed tells whether the token has the shape of one, so that a cut or
// invented one can be told apart in the message.
func wellFormed(token string) bool {
	body, ok := strings.CutPrefix(token, Prefix)
	if !ok || len(body) != 43 {
		return false
	}
	for _, c := range []byte(body) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// printable bounds a word of the model's before it is repeated.
func printable(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}

// refuse makes the error of a refused claim; the last arguments are those of
// the message.
func refuse(code core.Code, index int, format, hint string, args ...any) *core.Error {
	e := core.Errorf(code, format, args...).In("grants.Claim")
	e.Hint = hint
	if index > 0 {
		e = e.With("index", index)
	}
	return e
}

// Release gives back the grants of a call that was refused after all, so that a
// refused call uses nothing up.
func (r *Registry) Release(turnID string, claimed []Claimed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range claimed {
		if e := r.turns[turnID][c.key]; e != nil && e.state == used {
			e.state = live
		}
	}
}
