package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf16"
	"unicode/utf8"

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

// JSON gives the bundle as JSON that can stand inside HTML: no "<", ">" or "&" is
// left as it is, nor anything that does not show (see PlainJSON).
func (b *Bundle) JSON() ([]byte, error) { return jsonOf(b, true) }

// PlainJSON gives a value as JSON in which whatever does not show, would turn the
// direction of the text around it or would steer a terminal is an escape.
func PlainJSON(v any) ([]byte, error) { return jsonOf(v, false) }

func jsonOf(v any, forHTML bool) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(forHTML)
	if err := enc.Encode(v); err != nil {
		return nil, core.Wrap(core.Internal, err, "the review could not be written as JSON").In("bundle.JSON")
	}
	text := bytes.TrimRight(out.Bytes(), "\n")
	// What is beyond ASCII stands in texts only, and so does DEL.
	beyond := func(r rune) bool { return r >= 0x7f && hidden(r) }
	if bytes.IndexFunc(text, beyond) < 0 {
		return text, nil
	}
	plain := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		switch {
		case !beyond(r):
			plain = utf8.AppendRune(plain, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			plain = fmt.Appendf(plain, `\u%04x\u%04x`, high, low)
		default:
			plain = fmt.Appendf(plain, `\u%04x`, r)
		}
	}
	return plain, nil
}
