package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"proofmark/gateway/core"
)

// Format and FormatVersion begin every bundle.
const (
	Format        = "proofmark-review"
	FormatVersion = 1
)

// Bundle is what a review file holds. Spans are bytes of the UTF-8 source they
// are of. The JSON form has these fields and no others.
type Bundle struct {
	Format   string    `json:"format"`
	Version  int       `json:"version"`
	Made     time.Time `json:"made"`
	Document Document  `json:"document"`
	Source   Source    `json:"source"`
	Versions []Version `json:"versions"` // from the source's to the newest, without gaps
	Changes  []Change  `json:"changes"`  // one for each version but the first, in their order
	Drafts   []Draft   `json:"drafts"`
}

// Document says what the page is called, and nothing of where it was.
type Document struct {
	Name string `json:"name"` // a file name, not a path
}

// Source is the text of the oldest version of the bundle. Every later one comes
// from it by the changes.
type Source struct {
	Generation int64  `json:"generation"`
	SHA256     string `json:"sha256"`
	Bytes      int    `json:"bytes"`
	Text       string `json:"text"`
}

// Version is one revision of the document.
type Version struct {
	Generation int64               `json:"generation"`
	SHA256     string              `json:"sha256"`
	Bytes      int                 `json:"bytes"`
	Source     core.RevisionSource `json:"source"`
	Actor      string              `json:"actor"`
	At         time.Time           `json:"at"`
	Name       string              `json:"name,omitempty"`
}

// Change is the change set that led to a version. What is said of its notes and
// of what verification saw is what was recorded then.
type Change struct {
	ID         string             `json:"id"`
	Generation int64              `json:"generation"` // of the version it made
	SHABefore  string             `json:"sha256Before"`
	SHAAfter   string             `json:"sha256After"`
	Edits      []core.Edit        `json:"edits"`
	Computed   bool               `json:"computed,omitempty"`
	Notes      []core.NoteOutcome `json:"notes,omitempty"`
	Evidence   *core.Verification `json:"verification,omitempty"`
	Flags      []core.PolicyFlag  `json:"flags,omitempty"`
	Reverts    string             `json:"reverts,omitempty"` // the id of the change it takes back or puts back
	RevertNote int                `json:"revertNote,omitempty"`
}

// Draft is an open note: an instruction that was not sent.
type Draft struct {
	Instruction string    `json:"instruction"`
	At          time.Time `json:"at"`
	Targets     []Target  `json:"targets"`
}

// Target is an element that a draft is about. Without a proof, or with one that
// does not hold, it is a hint for readers and no more.
type Target struct {
	Name   string `json:"name"`
	Quote  string `json:"quote,omitempty"`  // how its text began
	Reason string `json:"reason,omitempty"` // why it was not found for certain in the newest version
	Proof  *Proof `json:"proof,omitempty"`
}

// Proof ties a target to one start tag of one version in the bundle.
type Proof struct {
	Generation int64           `json:"generation"`
	Path       []core.PathStep `json:"path"`
	NS         string          `json:"ns"`
	StartTag   core.Span       `json:"startTag"`
	TagHash    string          `json:"tagHash"`
	ChainHash  string          `json:"chainHash"`
	SharedBy   int             `json:"sharedBy"`
}

// JSON gives the bundle as JSON that can stand inside HTML: no "<", ">" or "&",
// and no line separator of U+2028 and U+2029, is left as it is, nor any mark that
// would turn the direction of what an editor shows.
func (b *Bundle) JSON() ([]byte, error) {
	var out bytes.Buffer
	if err := json.NewEncoder(&out).Encode(b); err != nil {
		return nil, core.Wrap(core.Internal, err, "the review could not be written as JSON").In("bundle.JSON")
	}
	text := bytes.TrimRight(out.Bytes(), "\n")
	if !bytes.Contains(text, []byte("\xe2\x80")) && !bytes.Contains(text, []byte("\xe2\x81")) {
		return text, nil
	}
	return []byte(turnsEscaped.Replace(string(text))), nil
}

// turnsEscaped writes marks of direction as JSON may have them; beyond ASCII, JSON
// has nothing but texts.
var turnsEscaped = func() *strings.Replacer {
	var pairs []string
	for _, r := range "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" {
		pairs = append(pairs, string(r), fmt.Sprintf(`\u%04x`, r))
	}
	return strings.NewReplacer(pairs...)
}()
