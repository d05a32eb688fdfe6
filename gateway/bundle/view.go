package bundle

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"proofmark/gateway/core"
)

// view is what the page shows, in words. Every text of a person, a page or a
// model in it is a plain string, which the template escapes.
type view struct {
	Policy string
	CSS    template.CSS // ours
	Data   template.JS  // JSON without "<"

	Name, Made     string
	Newest, Oldest versionView
	Older          int64 // changes that are not in the bundle
	Drafts         []draftView
	Proved         string // how many places of the notes are
	Changes        []changeView
	Versions       []versionView
	Facts          []fact
}

type fact struct{ Figure, Label string }

type versionView struct {
	Number           int64
	Name, What       string
	Actor, At, Stamp string
	Bytes, SHA       string
}

// Short gives the beginning of the hash.
func (v versionView) Short() string { return v.SHA[:12] }

type draftView struct {
	Number      int
	Instruction string
	At, Stamp   string
	Targets     []targetView
}

type targetView struct {
	Exact       bool
	Tag, Where  string
	Quote, Why  string
	Shared, SHA string
}

type changeView struct {
	Version          versionView
	Touched, Outside string
	Gone             string
	Flags            []fact
	Notes            []noteView
	Hunks            []hunk
	More             string
	Good, Bad        []string
	Saw              bool
	Computed         bool
	ID, Before       string
}

type noteView struct {
	Number                       int
	Instruction, Outcome, Reason string
	Kind, Where, Gone            string
}

// look makes the view of a review.
func (r *Review) look() (*view, error) {
	v := &view{Name: visible(r.Document.Name), Made: stamp(r.Made), Older: r.Source.Generation - 1}
	generations := map[string]int64{}
	for _, c := range r.Changes {
		generations[c.ID] = c.Generation
	}
	for i, x := range r.Versions {
		var c *Change
		if i > 0 {
			c = &r.Changes[i-1]
		}
		v.Versions = append(v.Versions, versionView{
			Number: x.Generation, Name: visible(x.Name), What: made(x, c, generations), Actor: visible(x.Actor),
			At: x.At.Format("2006-01-02T15:04:05Z"), Stamp: stamp(x.At), Bytes: thousands(x.Bytes), SHA: x.SHA256,
		})
	}
	v.Oldest, v.Newest = v.Versions[0], v.Versions[len(v.Versions)-1]
	v.drafts(r)
	if err := v.changes(r); err != nil {
		return nil, err
	}
	v.facts(r)
	slices.Reverse(v.Versions)
	slices.Reverse(v.Changes)
	return v, nil
}

func (v *view) facts(r *Review) {
	label := func(n int, one, many string) fact {
		if n == 1 {
			return fact{"1", one}
		}
		return fact{thousands(n), many}
	}
	v.Facts = []fact{
		label(len(r.Drafts), "open note", "open notes"),
		label(len(r.Changes), "change", "changes"),
		label(len(r.Versions), "version", "versions"),
	}
}

func (v *view) drafts(r *Review) {
	exact, context := 0, 0
	for i, d := range r.Drafts {
		out := draftView{Number: i + 1, Instruction: visible(d.Instruction), At: d.At.Format("2006-01-02T15:04:05Z"), Stamp: stamp(d.At)}
		for j, t := range d.Targets {
			st := r.Standings[i][j]
			x := targetView{Exact: st.Resolution == core.Exact, Quote: visible(t.Quote), Tag: "<" + visible(t.Name) + ">"}
			if st.Proven {
				a := st.Anchor
				x.Tag, x.SHA = visible(st.Tag), a.TagHash
				x.Where = fmt.Sprintf("line %s, column %s · bytes %s–%s", thousands(st.Line), thousands(st.Column), thousands(a.StartTag.Start), thousands(a.StartTag.End))
				if st.Generation != v.Newest.Number {
					x.Where += fmt.Sprintf(" of version %d", st.Generation)
				}
				if a.SharedBy > 1 {
					x.Shared = "One tag in the file makes " + thousands(a.SharedBy) + " elements here."
				}
			}
			if x.Exact {
				exact++
			} else {
				context++
				x.Why = why(st)
			}
			out.Targets = append(out.Targets, x)
		}
		v.Drafts = append(v.Drafts, out)
	}
	v.Proved = proved(exact, context)
}

// changes makes the cards of the changes, which needs each version once more.
func (v *view) changes(r *Review) error {
	gone := goneOf(r)
	budget := maxShown
	return r.walk(func(i int, before, _ []byte) error {
		c := r.Changes[i]
		out := changeView{Version: v.Versions[i+1], ID: c.ID, Before: c.SHABefore, Computed: c.Computed, Saw: c.Evidence != nil, Gone: gone[part{c.ID, 0}]}
		in, cut := 0, 0
		for _, e := range c.Edits {
			in, cut = in+len(e.Replacement), cut+e.Span.Len()
		}
		out.Touched = fmt.Sprintf("+%s −%s bytes in %s", thousands(in), thousands(cut), plural(len(c.Edits), "place", "places"))
		out.Outside = plural(len(before)-cut, "other byte", "other bytes")
		for _, f := range c.Flags {
			out.Flags = append(out.Flags, fact{visible(flagWord(f.Kind)), visible(middle(f.Detail))})
		}
		for _, n := range c.Notes {
			x := noteView{
				Number: n.Order, Instruction: visible(n.Instruction), Outcome: outcomes[n.Outcome], Kind: n.Outcome, Reason: visible(n.Reason),
				Gone: gone[part{c.ID, n.Order}],
			}
			places := 0
			for _, e := range c.Edits {
				if e.For(n.Order) {
					places++
				}
			}
			where := []string{}
			if places > 0 {
				where = append(where, plural(places, "edit", "edits"))
			}
			for _, t := range n.Targets {
				s := "<" + visible(t.Name) + ">"
				if t.Start != nil {
					s += " at bytes " + thousands(t.Start.Start) + "–" + thousands(t.Start.End)
				}
				if t.Resolution == core.Contextual {
					s += " as context"
				}
				where = append(where, s)
			}
			x.Where = strings.Join(where, " · ")
			out.Notes = append(out.Notes, x)
		}
		more := 0
		if out.Hunks, more = hunksOf(before, c.Edits, &budget); more > 0 {
			out.More = plural(more, "more edit is", "more edits are") + " in the data of this file."
		}
		out.Good, out.Bad = seen(c.Evidence)
		v.Changes = append(v.Changes, out)
		return nil
	})
}

// part is a change, or one note of it.
type part struct {
	id   string
	note int
}

// goneOf says which changes, and which notes of them, are taken back at the end.
func goneOf(r *Review) map[part]string {
	out := map[part]string{}
	took := map[string]part{} // what a revert took back
	for i, c := range r.Changes {
		if c.Reverts == "" {
			continue
		}
		p := part{c.Reverts, c.RevertNote}
		if r.Versions[i+1].Source == core.SourceRedo {
			delete(out, p)
			continue
		}
		out[p] = fmt.Sprintf("taken back by version %d", c.Generation)
		took[c.ID] = p
		if back, ok := took[c.Reverts]; ok && c.RevertNote == 0 {
			delete(out, back)
		}
	}
	return out
}
