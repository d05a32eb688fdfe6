package bundle

import (
	"context"
	"slices"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
)

// Standing is what is true of a draft's target, whatever the bundle says of it.
type Standing struct {
	Resolution core.Resolution // in the newest version of the bundle
	// Reason says why it is contextual: no_match, ambiguous, or unproven where a
	// proof is missing or does not hold.
	Reason string
	Why    string // for unproven: the sentence of what does not hold

	Proven bool        // the proof holds in the version it names
	Anchor core.Anchor // where Proven: made anew from that version's bytes

	// Where Proven, what stands there.
	Generation   int64  // the version
	Tag          string // the start tag as it is written, or the beginning of a long one
	Line, Column int    // from 1; columns count characters
}

const unproven = "unproven"

// checkDrafts looks at which versions the drafts' proofs name; those are proved
// as the versions are made.
func (r *Review) checkDrafts() error {
	var versions []int64
	r.Standings = make([][]Standing, len(r.Drafts))
	for i, d := range r.Drafts {
		r.Standings[i] = make([]Standing, len(d.Targets))
		for j, t := range d.Targets {
			r.Standings[i][j] = Standing{Resolution: core.Contextual, Reason: unproven, Why: "it has no proof"}
			p := t.Proof
			if p == nil {
				if t.Reason != "" {
					r.Standings[i][j].Reason = t.Reason
				}
				continue
			}
			if p.Generation < r.Source.Generation || p.Generation > r.Newest().Generation {
				return refused(core.InvalidBundle, indexed("drafts", i)+"."+indexed("targets", j)+".proof.generation", "there is no version %d in it", p.Generation)
			}
			if !slices.Contains(versions, p.Generation) {
				versions = append(versions, p.Generation)
			}
		}
	}
	if len(versions) > core.MaxBundleDraftVersions {
		return refused(core.TooMany, "drafts", "their proofs name %d versions; at most %d are looked at", len(versions), core.MaxBundleDraftVersions)
	}
	r.proofsOf = versions
	return nil
}

// prove looks at all targets whose proof names the version. A proof that does not
// hold takes nothing from the others: its target is contextual.
func (r *Review) prove(ctx context.Context, generation int64, text []byte) error {
	if !slices.Contains(r.proofsOf, generation) {
		return nil
	}
	tree, err := htmlsrc.Parse(text, htmlsrc.Options{Scripting: true})
	sha := r.Versions[generation-r.Source.Generation].SHA256
	lines := htmlsrc.NewLines(text)
	for i, d := range r.Drafts {
		for j, t := range d.Targets {
			if t.Proof == nil || t.Proof.Generation != generation {
				continue
			}
			if ctx.Err() != nil {
				return core.Wrap(core.Cancelled, ctx.Err(), "reading the review file was stopped")
			}
			st := &r.Standings[i][j]
			if err != nil {
				st.Why = "the version it names cannot be mapped: " + core.AsError(err).Message
				continue
			}
			if st.Anchor, st.Why = holds(t, tree, sha); st.Why != "" {
				continue
			}
			st.Proven, st.Reason, st.Generation = true, t.Reason, generation
			span := st.Anchor.StartTag
			st.Tag = cut(string(text[span.Start:span.End]), maxTagShown)
			st.Line, st.Column = lines.Position(span.Start)
			switch {
			case generation == r.Newest().Generation:
				st.Resolution, st.Reason = core.Exact, ""
			case st.Reason == "" || st.Reason == unproven:
				st.Reason = proof.ReasonNoMatch
			}
		}
	}
	return nil
}

// maxTagShown is how much of a tag is shown, in bytes.
const maxTagShown = 400

// cut gives the beginning of a text, at most most bytes of it and a sign that it
// goes on.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// holds makes the anchor of a target anew and says what differs from the proof,
// "" where nothing does.
func holds(t Target, tree *htmlsrc.Tree, sha string) (core.Anchor, string) {
	p := t.Proof
	id, ok := tree.Find(p.Path)
	if !ok {
		return core.Anchor{}, "there is no element at its path"
	}
	a, err := proof.FromNode(tree, id, "", "", sha)
	if err != nil {
		return core.Anchor{}, "the element at its path has no tag in the source"
	}
	switch {
	case a.Name != t.Name || a.NS != p.NS:
		return core.Anchor{}, "another element is at its path"
	case a.StartTag != p.StartTag:
		return core.Anchor{}, "the tag is not at the bytes it names"
	case a.TagHash != p.TagHash:
		return core.Anchor{}, "the tag is not the one it names"
	case a.ChainHash != p.ChainHash:
		return core.Anchor{}, "the elements around it are not those it names"
	case a.Quote != t.Quote:
		return core.Anchor{}, "its text is not the one it names"
	case a.SharedBy != p.SharedBy:
		return core.Anchor{}, "the tag is not shared as it says"
	}
	a.ID = "" // it gets one where it is stored
	return a, ""
}
