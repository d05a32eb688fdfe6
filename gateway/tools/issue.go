package tools

import (
	"proofmark/gateway/core"
	"proofmark/gateway/grants"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
)

// allOperations are the semantic operations in the order they are listed.
var allOperations = []htmledit.Kind{
	htmledit.ReplaceText, htmledit.SetAttribute, htmledit.RemoveAttribute, htmledit.SetStyle,
	htmledit.AddClass, htmledit.RemoveClass, htmledit.RemoveNode,
}

func operations() []any {
	out := make([]any, len(allOperations))
	for i, k := range allOperations {
		out[i] = string(k)
	}
	return out
}

// granted is what may be done to one element.
type granted struct {
	Texts  []runGrant        `json:"texts,omitempty"`  // replace_text, one grant for each text run
	Grants map[string]string `json:"grants,omitempty"` // the other operations
	Cannot map[string]string `json:"cannot,omitempty"` // operations that are not possible, and why
}

type runGrant struct {
	Grant  string `json:"grant"`
	Text   string `json:"text"`             // the run's text, decoded
	Cut    bool   `json:"cut,omitempty"`    // there is more of it
	Within string `json:"within,omitempty"` // the element inside the target that holds it
}

// grantAll issues grants for the operations on one element, as far as they are
// possible and the turn's grants reach.
func (s *Set) grantAll(id htmlsrc.ID, order int, batch string, ops ...htmledit.Kind) granted {
	out := granted{Grants: map[string]string{}, Cannot: map[string]string{}}
	tree := s.draft.Current()
	for _, op := range ops {
		if why := impossible(tree, id, op); why != "" {
			out.Cannot[string(op)] = why
			continue
		}
		if op == htmledit.ReplaceText {
			s.grantRuns(&out, id, order, batch)
			continue
		}
		token, err := s.grant(htmledit.Op{Kind: op, Target: id}, order, batch)
		if err != nil {
			out.Cannot[string(op)] = core.AsError(err).Message
			continue
		}
		out.Grants[string(op)] = token
	}
	return out
}

// grantRuns issues one grant for each text run of the element.
func (s *Set) grantRuns(out *granted, id htmlsrc.ID, order int, batch string) {
	tree := s.draft.Current()
	runs := htmledit.Runs(tree, id)
	room := min(s.room, maxTargetRunBytes)
	for i, run := range runs {
		if i == maxRunsPerTarget || i > 0 && room <= 0 {
			out.Cannot[string(htmledit.ReplaceText)] = "it has more texts than are listed; locate the one meant inside it"
			break
		}
		token, err := s.grant(htmledit.Op{Kind: htmledit.ReplaceText, Target: id, Run: run}, order, batch)
		if err != nil {
			out.Cannot[string(htmledit.ReplaceText)] = core.AsError(err).Message
			break
		}
		text := tree.Text(run)
		most := max(shortRunBytes, min(room, maxRunBytes))
		g := runGrant{Grant: token, Text: clip(text, most), Cut: len(text) > most}
		if p := tree.Parent(run); p != id {
			g.Within = label(tree, p)
		}
		room -= len(g.Text)
		s.room -= len(g.Text)
		out.Texts = append(out.Texts, g)
	}
	if len(runs) > 0 {
		return
	}
	// An element that is empty can get its first text.
	token, err := s.grant(htmledit.Op{Kind: htmledit.ReplaceText, Target: id}, order, batch)
	if err != nil {
		out.Cannot[string(htmledit.ReplaceText)] = "it holds no text"
		return
	}
	out.Texts = append(out.Texts, runGrant{Grant: token})
}

// grant issues one grant, bound to the bytes the operation touches.
func (s *Set) grant(op htmledit.Op, order int, batch string) (string, error) {
	b, ok := s.binding(op)
	if !ok {
		return "", core.Errorf(core.NoSource, "it has no bytes of its own in the source")
	}
	b.Order, b.Batch = order, batch
	return s.cfg.Grants.Issue(b)
}

// binding ties an operation to the draft as it is now.
func (s *Set) binding(op htmledit.Op) (grants.Binding, bool) {
	tree := s.draft.Current()
	span := htmledit.Touches(tree, op)
	src := tree.Source()
	if span == (core.Span{}) || span.Start < 0 || span.End < span.Start || span.End > len(src) {
		return grants.Binding{}, false
	}
	turn := s.cfg.Turn
	return grants.Binding{
		TurnID: turn.ID, SessionID: turn.SessionID, SessionEpoch: s.cfg.SessionEpoch,
		DocumentID: turn.DocumentID, RevisionID: turn.RevisionID,
		SourceSHA: s.draft.SHA(), CandidateEpoch: s.draft.Epoch(),
		Range: span, RangeSHA: core.SHA256Hex(src[span.Start:span.End]),
		Operation: string(op.Kind), Target: int32(op.Target), Run: int32(op.Run),
	}, true
}

// current is the world a grant is claimed in.
func (s *Set) current() grants.Current {
	turn := s.cfg.Turn
	return grants.Current{
		SessionID: turn.SessionID, SessionEpoch: s.cfg.SessionEpoch, DocumentID: turn.DocumentID,
		RevisionID: turn.RevisionID, SourceSHA: s.draft.SHA(), CandidateEpoch: s.draft.Epoch(),
		Source: s.draft.Current().Source(),
	}
}

// impossible says why an operation cannot be done to an element, "" where it
// may be possible.
func impossible(t *htmlsrc.Tree, id htmlsrc.ID, op htmledit.Kind) string {
	_, tagged := t.StartTag(id)
	switch op {
	case htmledit.ReplaceText:
		if t.Name(id) == "script" {
			return "code is changed with document_patch, and only if the person approves it"
		}
		if t.Void(id) {
			return "it holds no text"
		}
	case htmledit.RemoveNode:
		if _, why := t.Range(id); why != "" {
			return "its extent in the source is not certain"
		}
	default:
		if !tagged {
			return "it has no tag in the source"
		}
		if t.Name(id) == "script" {
			return "a script is changed with document_patch, and only if the person approves it"
		}
	}
	return ""
}
