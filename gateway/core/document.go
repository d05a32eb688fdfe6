package core

import "time"

// RevisionSource says what made a revision.
type RevisionSource string

// Sources of revisions.
const (
	SourceImport  RevisionSource = "import"  // the file as it was first opened
	SourceOutside RevisionSource = "outside" // another program changed the file
	SourceTurn    RevisionSource = "turn"    // an agent's turn
	SourceManual  RevisionSource = "manual"
	SourceRevert  RevisionSource = "revert"
	SourceRestore RevisionSource = "restore"
	SourceRedo    RevisionSource = "redo"
)

// WriteMode says when a committed revision goes back into the file.
type WriteMode string

// Write modes.
const (
	WriteAuto  WriteMode = "auto"
	WriteAsk   WriteMode = "ask"
	WriteNever WriteMode = "never"
)

// Document is one HTML file with one line of versions. HeadID and StateRev
// move together, by compare-and-swap only.
type Document struct {
	ID         string    `json:"id"`
	Path       string    `json:"path"` // absolute path of the file it was opened from
	HeadID     string    `json:"headId"`
	Generation int64     `json:"generation"` // of the head
	StateRev   int64     `json:"stateRev"`   // counts every change of the row
	SyncedID   string    `json:"syncedId"`   // the revision whose bytes the file had last
	SyncedSHA  string    `json:"syncedSha"`
	CreatedAt  time.Time `json:"createdAt"`
}

// Revision is one immutable version of a document.
type Revision struct {
	ID          string         `json:"id"`
	DocumentID  string         `json:"documentId"`
	Generation  int64          `json:"generation"` // 1 is the import
	ParentID    string         `json:"parentId,omitempty"`
	SHA256      string         `json:"sha256"`
	Bytes       int64          `json:"bytes"`
	Source      RevisionSource `json:"source"`
	Actor       string         `json:"actor"`
	ChangeSetID string         `json:"changeSet,omitempty"`
	At          time.Time      `json:"at"`
}

// ChangeSet is one reversible change: the edits from the base revision's bytes
// to the result's, which note led to which edit, and what verification saw.
type ChangeSet struct {
	ID         string         `json:"id"`
	DocumentID string         `json:"documentId"`
	TurnID     string         `json:"turnId,omitempty"`
	BaseID     string         `json:"baseId"`
	ResultID   string         `json:"resultId"`
	Source     RevisionSource `json:"source"`
	Actor      string         `json:"actor"`
	SHABefore  string         `json:"sha256Before"`
	SHAAfter   string         `json:"sha256After"`
	Edits      []Edit         `json:"edits"` // spans in the before bytes, sorted, not overlapping
	// Computed says that the edits are the difference of two texts and not what
	// somebody did. They make the one text from the other, and do not tell which
	// of several equal pieces moved.
	Computed   bool          `json:"computed,omitempty"`
	Notes      []NoteOutcome `json:"notes,omitempty"`
	Evidence   *Verification `json:"verification,omitempty"`
	Flags      []PolicyFlag  `json:"flags,omitempty"`
	Reverts    string        `json:"reverts,omitempty"` // the change set this one takes back (or, for a redo, puts back)
	RevertNote int           `json:"revertNote,omitempty"`
	At         time.Time     `json:"at"`
}

// NoteOutcome says what became of one note of a turn.
type NoteOutcome struct {
	Order       int             `json:"order"` // from 1
	Instruction string          `json:"instruction,omitempty"`
	Outcome     string          `json:"outcome"` // applied, unchanged, answered, refused
	Reason      string          `json:"reason,omitempty"`
	Targets     []TargetOutcome `json:"targets"`
}

// TargetOutcome says how one target of a note was resolved.
type TargetOutcome struct {
	Resolution Resolution `json:"resolution"`
	Reason     string     `json:"reason,omitempty"`
	Name       string     `json:"name,omitempty"`
	Start      *Span      `json:"start"` // the start tag in the before bytes
	SharedBy   int        `json:"sharedBy,omitempty"`
}

// Verification is what was seen when the candidate was looked at next to its
// base in a hidden view.
type Verification struct {
	CandidateSHA     string   `json:"candidateSha"`
	NewErrors        []string `json:"newErrors"`              // errors the candidate has and the base has not
	MissingResources []string `json:"missingResources"`       // newly missing
	TreeMatches      bool     `json:"treeMatches"`            // Chromium's tree of the candidate equals the map's
	PixelsInside     float64  `json:"pixelsInside"`           // share of the targets' pixels that differ, 0 to 1
	PixelsOutside    float64  `json:"pixelsOutside"`          // share of all other pixels that differ, 0 to 1
	OutOfPicture     int      `json:"outOfPicture,omitempty"` // boxes of targets that lie below the pictures, which are bounded
	Width            int      `json:"width"`                  // CSS pixels
	Height           int      `json:"height"`
	// Layout says what stands worse than before elsewhere than in the targets.
	Layout []string `json:"layout,omitempty"`
	// Compared counts the elements whose places were compared for Layout; 0
	// where they could not be told apart, or were too many.
	Compared int `json:"elementsCompared"`
	// Widths are the same looks at other widths, for a page that adapts to them.
	Widths []WidthLook `json:"widths,omitempty"`
}

// WidthLook is what was seen at a width other than the view's own.
type WidthLook struct {
	Width         int      `json:"width"` // CSS pixels
	NewErrors     []string `json:"newErrors,omitempty"`
	Layout        []string `json:"layout,omitempty"`
	PixelsInside  float64  `json:"pixelsInside"`
	PixelsOutside float64  `json:"pixelsOutside"`
}

// PolicyFlag is something a candidate adds that needs a person's approval.
type PolicyFlag struct {
	Kind   string `json:"kind"` // script, event_handler, url_scheme, external_origin, base, meta_refresh, form_action, service_worker, frame
	Detail string `json:"detail"`
}

// WriterLease lets its holder move one document's head. Fence grows with every
// lease; a commit with an older fence is refused.
type WriterLease struct {
	DocumentID string
	Holder     string
	Fence      int64
	ExpiresAt  time.Time
}

// AttemptState is the state of one commit attempt.
type AttemptState string

// States of a commit attempt. An attempt whose outcome cannot be known stays
// ambiguous and is never retried.
const (
	AttemptPending   AttemptState = "pending"
	AttemptApplied   AttemptState = "applied"
	AttemptFailed    AttemptState = "failed"
	AttemptAmbiguous AttemptState = "ambiguous"
)
