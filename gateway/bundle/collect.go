package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"proofmark/gateway/annotate"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
)

const opCollect = "bundle.Collect"

// Request says what a review is made of.
type Request struct {
	Document  core.Document
	Revision  core.Revision // the newest version that goes in
	SessionID string        // whose drafts
	Made      time.Time
}

// LeftOut counts what did not fit into a review.
type LeftOut struct {
	Changes int64 `json:"changes"` // the oldest
	Drafts  int   `json:"drafts"`  // the last
}

// Collect makes the review of a document up to a version: as many of the newest
// change sets as fit, the oldest version they begin at as its source, and the
// open drafts of a session, their targets as they are found in that version. What
// it gives was read back and checked as an import would.
func Collect(ctx context.Context, docs *document.Service, notes *annotate.Service, q Request) (*Review, LeftOut, error) {
	b := Bundle{Format: Format, Version: FormatVersion, Made: q.Made.UTC().Truncate(time.Second), Document: Document{Name: baseName(q.Document.Path)}}
	c := collector{q: q, docs: docs, redact: redactor(filepath.Dir(q.Document.Path))}
	if err := c.history(ctx, &b); err != nil {
		return nil, LeftOut{}, err
	}
	left := LeftOut{Changes: b.Source.Generation - 1}
	var err error
	if b.Drafts, left.Drafts, err = c.drafts(ctx, notes, &b); err != nil {
		return nil, left, err
	}
	data, err := b.JSON()
	if err != nil {
		return nil, left, err
	}
	r, err := Read(ctx, data)
	if err == nil { // what is written is what was read
		var again []byte
		if again, err = r.JSON(); err == nil && !bytes.Equal(again, data) {
			err = core.Errorf(core.Internal, "it reads back as something else")
		}
	}
	if err != nil {
		return nil, left, core.Wrap(core.Internal, err, "the review does not hold what it should; nothing was written").In(opCollect)
	}
	return r, left, nil
}

type collector struct {
	q      Request
	docs   *document.Service
	redact *strings.Replacer
}

// history fills in the versions and changes, the newest that fit.
func (c *collector) history(ctx context.Context, b *Bundle) error {
	doc, last := c.q.Document.ID, c.q.Revision.Generation
	versions, err := c.docs.Versions(ctx, doc, last+1, core.MaxBundleChanges+1)
	if err != nil {
		return err
	}
	sets, err := c.docs.ChangeLog(ctx, doc, last+1, core.MaxBundleChanges)
	if err != nil {
		return err
	}
	budget, replay, edits := core.MaxBundleHistoryBytes, int64(0), 0
	b.Changes = []Change{}
	for i, v := range versions { // the newest first
		b.Versions = append(b.Versions, Version{
			Generation: v.Generation, SHA256: v.SHA256, Bytes: int(v.Bytes), Source: v.Source,
			Actor: c.clean(v.Actor, maxName), At: v.At.UTC(), Name: nameOf(v),
		})
		replay += v.Bytes
		if i == len(sets) || i+1 == len(versions) {
			break
		}
		change := c.change(sets[i].ChangeSet, v.Generation)
		size, err := json.Marshal(change)
		if err != nil {
			return core.Wrap(core.Internal, err, "a change set could not be written as JSON").In(opCollect)
		}
		budget, edits = budget-len(size), edits+len(change.Edits)
		if budget < 0 || edits > core.MaxBundleEdits || replay+versions[i+1].Bytes > core.MaxBundleReplayBytes {
			break
		}
		b.Changes = append(b.Changes, change)
	}
	slices.Reverse(b.Versions)
	slices.Reverse(b.Changes)
	first := b.Versions[0]
	text, err := c.docs.Bytes(ctx, versions[len(b.Changes)].ID)
	b.Source = Source{Generation: first.Generation, SHA256: first.SHA256, Bytes: first.Bytes, Text: string(text)}
	return err
}

// nameOf gives a version's name, unless an older program took one that an import
// would refuse.
func nameOf(v document.Version) string {
	if document.CheckVersionName(v.Name) != nil {
		return ""
	}
	return v.Name
}

// change gives a change set as the bundle has it.
func (c *collector) change(s core.ChangeSet, generation int64) Change {
	out := Change{
		ID: s.ID, Generation: generation, SHABefore: s.SHABefore, SHAAfter: s.SHAAfter, Edits: slices.Clone(s.Edits),
		Computed: s.Computed, Evidence: c.evidence(s.Evidence), Reverts: s.Reverts, RevertNote: s.RevertNote,
	}
	if out.Edits == nil {
		out.Edits = []core.Edit{}
	}
	for _, n := range s.Notes[:min(len(s.Notes), maxNotes)] {
		n.Instruction, n.Reason = c.clean(n.Instruction, maxWords), c.clean(n.Reason, maxWords)
		n.Targets = slices.Clone(n.Targets[:min(len(n.Targets), maxTargets)])
		if n.Targets == nil {
			n.Targets = []core.TargetOutcome{}
		}
		for i := range n.Targets {
			n.Targets[i].Reason, n.Targets[i].Name = c.clean(n.Targets[i].Reason, maxWords), c.clean(n.Targets[i].Name, maxName)
		}
		out.Notes = append(out.Notes, n)
	}
	for _, f := range s.Flags[:min(len(s.Flags), maxRemarks)] {
		out.Flags = append(out.Flags, core.PolicyFlag{Kind: c.clean(f.Kind, maxName), Detail: c.clean(f.Detail, maxWords)})
	}
	return out
}

func (c *collector) evidence(v *core.Verification) *core.Verification {
	if v == nil {
		return nil
	}
	out := *v
	out.NewErrors, out.MissingResources = c.words(v.NewErrors), c.words(v.MissingResources)
	if out.Layout = nil; len(v.Layout) > 0 {
		out.Layout = c.words(v.Layout)
	}
	out.Widths = nil
	for _, w := range v.Widths {
		if len(w.NewErrors) > 0 {
			w.NewErrors = c.words(w.NewErrors)
		}
		if len(w.Layout) > 0 {
			w.Layout = c.words(w.Layout)
		}
		out.Widths = append(out.Widths, w)
	}
	return &out
}

func (c *collector) words(list []string) []string {
	out := []string{}
	for _, s := range list[:min(len(list), maxRemarks)] {
		out = append(out, c.clean(s, maxWords))
	}
	return out
}

// clean brings what was recorded into a form that can leave the machine: without
// the folder the page was in, and no longer than it may be.
func (c *collector) clean(s string, most int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(c.redact.Replace(s), "\ufffd"), "\x00", "")
	if len(s) > most {
		for most > 0 && !utf8.RuneStart(s[most]) {
			most--
		}
		s = s[:most]
	}
	return s
}

// redactor takes the page's folder out of what a browser or a program said.
func redactor(dir string) *strings.Replacer {
	if len(dir) < 2 {
		return strings.NewReplacer()
	}
	return strings.NewReplacer("file://"+filepath.ToSlash(dir)+"/", "", filepath.ToSlash(dir)+"/", "", dir+string(filepath.Separator), "", dir, "")
}

// baseName gives the name of the file without where it is.
func baseName(path string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\\' || r == utf8.RuneError {
			return '_'
		}
		return r
	}, filepath.Base(path))
	if !plainName(name) || len(name) > maxName {
		return "page.html"
	}
	return name
}
