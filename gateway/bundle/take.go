package bundle

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"unicode/utf8"

	"proofmark/gateway/annotate"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
	"proofmark/gateway/store"
)

const opTake = "bundle.Take"

// Taker takes drafts of reviews into documents.
type Taker struct {
	Store     *store.Store
	Documents *document.Service
	Notes     *annotate.Service
}

// Taken is a draft of a review in a document.
type Taken struct {
	core.Annotation
	Targets []core.SentTarget `json:"targets"` // as they are found in the document's newest version
	// There says that the session has a draft already that says the same about
	// the same elements; it is given, and nothing was stored.
	There bool `json:"there"`
}

// Take stores the review's drafts as fresh drafts of a session on a document,
// all of them or none, behind those it has. An element whose proof holds in bytes
// that are a version of the document is carried on from there as any draft's is;
// of other bytes, the two texts are compared, as for a change another program
// made. What is not found for certain, or was never proved, becomes contextual.
func (k Taker) Take(ctx context.Context, r *Review, documentID, sessionID string) ([]Taken, error) {
	if sessionID == "" {
		return nil, core.Errorf(core.WrongSession, "a note belongs to a session").In(opTake)
	}
	for range 8 {
		out, err := k.take(ctx, r, documentID, sessionID)
		if !errors.Is(err, errOvertaken) {
			return out, err
		}
	}
	return nil, core.Errorf(core.RequestConflict, "the document or its notes were changed elsewhere all the time; nothing was stored").
		WithHint("Try it again.").In(opTake)
}

// Takeable tells whether a page with the review's newest version can take its
// notes: before such a page is made.
func (r *Review) Takeable() error {
	if len(r.Drafts) == 0 {
		return nil
	}
	text := r.Text(r.Newest().Generation)
	if len(text) == 0 {
		return errEmptyPage()
	}
	_, err := htmlsrc.Parse(text, htmlsrc.Options{Scripting: true})
	return err
}

func errEmptyPage() error {
	return core.Errorf(core.NoSource, "the page is empty; there is nothing in it that a note could be about").In(opTake)
}

// errOvertaken says that what was read is not so any more when it is written.
var errOvertaken = errors.New("overtaken")

func (k Taker) take(ctx context.Context, r *Review, documentID, sessionID string) ([]Taken, error) {
	_, head, text, err := k.Documents.Head(ctx, documentID)
	if err != nil {
		return nil, err
	}
	tree, err := k.Documents.Map(head.SHA256, text)
	if err != nil {
		return nil, err
	}
	if len(text) == 0 && len(r.Drafts) > 0 {
		return nil, errEmptyPage()
	}
	notes, err := k.carry(ctx, r, head, tree)
	if err != nil {
		return nil, err
	}
	waiting, err := k.Notes.Drafts(ctx, sessionID, documentID)
	if err != nil {
		return nil, err
	}
	there, err := k.Notes.Resolve(ctx, waiting, head, tree)
	if err != nil {
		return nil, err
	}
	there = compared(there, head, text)
	var made []core.Annotation
	if err := k.Store.Write(ctx, func(tx *store.Tx) error {
		now, err := tx.Document(documentID)
		if err != nil {
			return err
		}
		drafts, err := tx.Annotations(documentID, sessionID, core.AnnotationDraft)
		if err != nil {
			return err
		}
		if now.HeadID != head.ID || !slices.EqualFunc(drafts, waiting, sameDraft) {
			return errOvertaken
		}
		made, err = k.Notes.Redraft(tx, sessionID, head, notes, there)
		return err
	}); err != nil {
		return nil, err
	}
	out := make([]Taken, len(made))
	for i, a := range made {
		out[i] = Taken{Annotation: a, Targets: notes[i].Targets}
		out[i].There = slices.ContainsFunc(waiting, func(w core.Annotation) bool { return w.ID == a.ID })
	}
	return out, nil
}

func sameDraft(a, b core.Annotation) bool { return a.ID == b.ID && a.UpdatedAt.Equal(b.UpdatedAt) }

// carry finds the drafts' targets in the document's newest version.
func (k Taker) carry(ctx context.Context, r *Review, head core.Revision, tree *htmlsrc.Tree) ([]core.SentNote, error) {
	out := make([]core.SentNote, len(r.Drafts))
	for i, d := range r.Drafts {
		out[i] = core.SentNote{Order: i + 1, Instruction: d.Instruction, Targets: make([]core.SentTarget, len(d.Targets))}
		for j := range d.Targets {
			out[i].Targets[j] = nowhere(r, i, j, head, tree.Source())
		}
	}
	known, err := k.revisions(ctx, head.DocumentID)
	if err != nil {
		return nil, err
	}
	for _, generation := range r.proofsOf {
		own, mine := known[r.Versions[generation-r.Source.Generation].SHA256]
		var remapper *proof.Remapper // one at a time: it holds a map
		for i, d := range r.Drafts {
			for j, t := range d.Targets {
				st := r.Standings[i][j]
				if !st.Proven || t.Proof.Generation != generation {
					continue
				}
				to := &out[i].Targets[j]
				a := st.Anchor
				a.DocumentID, a.RevisionID = head.DocumentID, own.ID
				if mine {
					if *to, err = k.own(ctx, a, head, tree); err != nil {
						return nil, err
					}
					continue
				}
				if remapper == nil {
					if remapper, err = proof.NewRemapper(r.Text(generation), tree, head.SHA256); err != nil {
						return nil, err
					}
				}
				if b, how, why := remapper.Remap(a, head.ID); how == core.Exact {
					*to = core.SentTarget{Anchor: b, Resolution: core.Exact}
				} else {
					to.Reason = why
				}
				if ctx.Err() != nil {
					return nil, core.Wrap(core.Cancelled, ctx.Err(), "the import was stopped; nothing was stored").In(opTake)
				}
			}
		}
	}
	return out, nil
}

// own carries an anchor on one of the document's own versions to its newest.
func (k Taker) own(ctx context.Context, a core.Anchor, head core.Revision, tree *htmlsrc.Tree) (core.SentTarget, error) {
	sent, err := k.Notes.Resolve(ctx, []core.Annotation{{Anchors: []core.Anchor{a}}}, head, tree)
	if err != nil {
		return core.SentTarget{}, err
	}
	return sent[0].Targets[0], nil
}

// revisions gives the document's newest revision for each text it had.
func (k Taker) revisions(ctx context.Context, documentID string) (map[string]core.Revision, error) {
	list, err := k.Documents.History(ctx, documentID, 0, 0)
	if err != nil {
		return nil, err
	}
	out := make(map[string]core.Revision, len(list))
	for _, v := range list { // the newest first
		if _, ok := out[v.SHA256]; !ok {
			out[v.SHA256] = v
		}
	}
	return out, nil
}

// nsNowhere is the namespace of an anchor that is tied to no element: no element
// has it, so that whatever looks for one in this version or a later one finds none.
const nsNowhere = ""

// anyElement is what a target is called whose name is better not repeated.
const anyElement = "element"

// usualName is a name that cannot be a sentence: one that was never proved is
// told to models all the same.
var usualName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,31}$`)

// nowhere is a target that is found in no version, now or later. What is stored
// of it lies on the first character of the page, as every anchor lies on bytes of
// its version; what the bundle calls it stays, for readers.
func nowhere(r *Review, i, j int, head core.Revision, text []byte) core.SentTarget {
	t, st := r.Drafts[i].Targets[j], r.Standings[i][j]
	_, n := utf8.DecodeRune(text)
	a := core.Anchor{
		DocumentID: head.DocumentID, RevisionID: head.ID, SourceSHA: head.SHA256, Path: []core.PathStep{},
		NS: nsNowhere, Name: anyElement, Quote: t.Quote, SharedBy: 1,
		StartTag: core.Span{Start: 0, End: n}, TagHash: core.SHA256Hex(text[:n]),
	}
	if usualName.MatchString(t.Name) {
		a.Name = t.Name
	}
	return core.SentTarget{Anchor: a, Resolution: core.Contextual, Reason: st.Reason}
}

// compared gives waiting drafts as they are compared with new ones: a target that
// is nowhere is so in every version.
func compared(there []core.SentNote, head core.Revision, text []byte) []core.SentNote {
	_, n := utf8.DecodeRune(text)
	for i := range there {
		for j := range there[i].Targets {
			if a := &there[i].Targets[j].Anchor; a.NS == nsNowhere {
				a.SourceSHA, a.StartTag, a.Path = head.SHA256, core.Span{Start: 0, End: n}, nil
			}
		}
	}
	return there
}
