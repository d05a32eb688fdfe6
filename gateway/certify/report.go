package certify

import (
	"bytes"
	"encoding/json"
	"slices"

	"proofmark/gateway/core"
)

// Certifications.
const (
	Complete   = "complete"   // all nine cases ran and passed
	Incomplete = "incomplete" // nothing failed, but not every case ran
	Failed     = "failed"     // a case that ran did not pass
)

// Report is what a certification leaves behind: names of cases, modes, tiers,
// models and tools, counts, hashes and booleans, and nothing else.
type Report struct {
	Certification string      `json:"certification"`
	LiveMatrix    bool        `json:"liveMatrix"` // false: a dry run, no model was asked
	Reserved      Reservation `json:"reserved"`
	Calls         int         `json:"calls"`   // physical model calls let out
	Stopped       bool        `json:"stopped"` // by force, before call number reserved.stop
	Cases         []Case      `json:"cases"`
	Scan          Scan        `json:"scan"`
}

// Reservation counts physical model calls.
type Reservation struct {
	Baseline int `json:"baseline"`
	Worst    int `json:"worst"`
	Stop     int `json:"stop"`
}

// Case is one case's result.
type Case struct {
	Name     string   `json:"name"`
	Mode     string   `json:"mode,omitempty"`   // of an editing case
	Tier     string   `json:"tier,omitempty"`   // of the model that worked, in mode router
	Models   []string `json:"models,omitempty"` // as configured: who worked, then the proposers
	Ready    bool     `json:"ready"`            // what it needs is configured
	Ran      bool     `json:"ran"`
	Passed   bool     `json:"passed"`
	Baseline int      `json:"baseline"`
	Worst    int      `json:"worst"`
	Calls    int      `json:"calls"`

	WithinBaseline bool            `json:"withinBaseline"` // told, not required
	Tools          []ToolCount     `json:"tools,omitempty"`
	Checks         map[string]bool `json:"checks,omitempty"`

	SHABefore   string `json:"sha256Before,omitempty"`
	SHAAfter    string `json:"sha256After,omitempty"`
	SHAReverted string `json:"sha256Reverted,omitempty"`
}

// Failed lists the checks the case did not pass, sorted.
func (c Case) Failed() []string {
	var out []string
	for name, ok := range c.Checks {
		if !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// ToolCount says how often a tool was called.
type ToolCount struct {
	Name  string `json:"name"`
	Calls int    `json:"calls"`
}

// Scan says what was found in the temporary folder before it was removed.
type Scan struct {
	Done        bool `json:"done"`
	Files       int  `json:"files"`
	Credentials bool `json:"credentials"` // one was found, anywhere
	Strays      bool `json:"strays"`      // something else than the database and the pages was left
	Removed     bool `json:"removed"`
}

// clean tells whether nothing is there that must not be.
func (s Scan) clean() bool { return s.Done && !s.Credentials && !s.Strays && s.Removed }

// verdict sums the cases up.
func (r *Report) verdict() string {
	all := len(r.Cases) == len(edits)+len(refusals)
	for _, c := range r.Cases {
		if c.Ran && !c.Passed {
			return Failed
		}
		all = all && c.Ran
	}
	switch {
	case r.LiveMatrix && (r.Stopped || !r.Scan.clean()):
		return Failed
	case r.LiveMatrix && all:
		return Complete
	}
	return Incomplete
}

// Ready tells whether every case has what it needs.
func (r Report) Ready() bool {
	for _, c := range r.Cases {
		if !c.Ready {
			return false
		}
	}
	return len(r.Cases) > 0
}

// JSON gives the report as it is written to a file. It refuses with Internal
// where it holds a piece of an instruction or a page, or a credential.
func (r Report) JSON(secrets []string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return nil, core.Wrap(core.Internal, err, "the report cannot be written")
	}
	if holdsCredential(b.Bytes(), secrets) || holdsWords(b.Bytes(), words()) {
		return nil, core.Errorf(core.Internal, "the report would hold something it must not, so it was not written").
			WithHint("give the models names without keys or words of pages in them").In("certify.JSON")
	}
	return b.Bytes(), nil
}
