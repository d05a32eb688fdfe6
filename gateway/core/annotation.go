package core

import "time"

// Resolution says how certainly a target was found.
type Resolution string

// Resolutions.
const (
	Exact      Resolution = "exact"
	Contextual Resolution = "contextual" // the note goes out as page context only
)

// Anchor ties a note's target to one start tag in the bytes of one revision.
type Anchor struct {
	ID         string     `json:"id"`
	DocumentID string     `json:"documentId"`
	RevisionID string     `json:"revisionId"`
	SourceSHA  string     `json:"sourceSha"`
	Path       []PathStep `json:"path"`
	NS         string     `json:"ns"` // html, svg, math
	Name       string     `json:"name"`
	StartTag   Span       `json:"startTag"`
	Range      *Span      `json:"range"` // nil where the element's range is not determinable
	TagHash    string     `json:"tagHash"`
	ChainHash  string     `json:"chainHash"` // names and source attributes of the element and its ancestors
	Quote      string     `json:"quote"`     // start of the element's text, at most QuoteRunes runes
	SharedBy   int        `json:"sharedBy"`  // elements the tag makes; 1 for a unique one
}

// AnnotationState is the state of an annotation.
type AnnotationState string

// States of an annotation.
const (
	AnnotationDraft     AnnotationState = "draft"
	AnnotationSent      AnnotationState = "sent"
	AnnotationDiscarded AnnotationState = "discarded"
)

// Annotation is one instruction on one or several targets.
type Annotation struct {
	ID          string          `json:"id"`
	SessionID   string          `json:"sessionId"`
	DocumentID  string          `json:"documentId"`
	RevisionID  string          `json:"revisionId"`
	Order       int             `json:"order"` // from 1
	Instruction string          `json:"instruction"`
	Anchors     []Anchor        `json:"anchors"`
	State       AnnotationState `json:"state"`
	TurnID      string          `json:"turnId,omitempty"`
	CreatedAt   time.Time       `json:"createdAt"`
	UpdatedAt   time.Time       `json:"updatedAt"`
}

// CanBecome tells whether the transition is allowed.
func (s AnnotationState) CanBecome(to AnnotationState) bool {
	return s == AnnotationDraft && (to == AnnotationSent || to == AnnotationDiscarded)
}

// TurnState is the state of a turn.
type TurnState string

// States of a turn.
const (
	TurnAccepted  TurnState = "accepted"
	TurnRunning   TurnState = "running"
	TurnApplied   TurnState = "applied"
	TurnAnswered  TurnState = "answered"
	TurnDiscarded TurnState = "discarded"
	TurnFailed    TurnState = "failed"
)

// CanBecome tells whether the transition is allowed.
func (s TurnState) CanBecome(to TurnState) bool {
	switch s {
	case TurnAccepted:
		return to == TurnRunning || to == TurnFailed || to == TurnDiscarded
	case TurnRunning:
		return to == TurnApplied || to == TurnAnswered || to == TurnDiscarded || to == TurnFailed
	}
	return false
}

// Turn is an accepted message with its ordered, immutable annotation snapshot.
type Turn struct {
	ID          string     `json:"id"`
	SessionID   string     `json:"sessionId"`
	RequestID   string     `json:"requestId"` // the client's, makes sending idempotent
	Fingerprint string     `json:"fingerprint"`
	DocumentID  string     `json:"documentId"`
	RevisionID  string     `json:"revisionId"` // the head at acceptance
	Message     string     `json:"message"`
	Notes       []SentNote `json:"notes"`
	State       TurnState  `json:"state"`
	Model       string     `json:"model"`
	At          time.Time  `json:"at"`
}

// SentNote is one annotation as it was sent: resolved against the head.
type SentNote struct {
	AnnotationID string       `json:"annotationId"`
	Order        int          `json:"order"`
	Instruction  string       `json:"instruction"`
	Targets      []SentTarget `json:"targets"`
}

// SentTarget is one target at the moment of sending.
type SentTarget struct {
	Anchor     Anchor     `json:"anchor"`
	Resolution Resolution `json:"resolution"`
	Reason     string     `json:"reason,omitempty"`
}
