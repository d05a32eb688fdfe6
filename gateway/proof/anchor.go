package proof

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// FromNode makes the anchor of an element that is known to be the target,
// because Verify has proven it or because it was located in the source itself.
// An element without a start tag has none (NoSource).
func FromNode(t *htmlsrc.Tree, id htmlsrc.ID, documentID, revisionID, sha string) (core.Anchor, error) {
	if !t.IsElement(id) {
		return core.Anchor{}, core.Errorf(core.NoSource, "there is no such element in the source").In("proof.FromNode")
	}
	tag, ok := t.StartTag(id)
	if !ok {
		return core.Anchor{}, refuse(core.NoSource, t.Name(id)).In("proof.FromNode")
	}
	a := core.Anchor{
		ID:         core.NewID("anc"),
		DocumentID: documentID,
		RevisionID: revisionID,
		SourceSHA:  sha,
	}
	fill(&a, t, id, tag)
	return a, nil
}

// fill writes what the map says of the element; the anchor's identity stays.
func fill(a *core.Anchor, t *htmlsrc.Tree, id htmlsrc.ID, tag core.Span) {
	a.Path = t.Path(id)
	a.NS = t.NS(id).String()
	a.Name = t.Name(id)
	a.StartTag = tag
	a.Range = nil
	if r, why := t.Range(id); why == "" {
		a.Range = &r
	}
	a.TagHash = tagHash(t, tag)
	a.ChainHash = chainHash(t, id)
	a.Quote = Quote(t, id)
	a.SharedBy = t.SharedBy(id)
}

// tagHash is the SHA-256 of the start tag's bytes.
func tagHash(t *htmlsrc.Tree, tag core.Span) string {
	return core.SHA256Hex(t.Source()[tag.Start:tag.End])
}

// chainHash is a SHA-256 over the names and source attributes of the element
// and its ancestors, root first. Text, descendants, siblings and the order of a
// tag's attributes have no part in it.
func chainHash(t *htmlsrc.Tree, id htmlsrc.ID) string {
	var chain []htmlsrc.ID
	for e := id; t.IsElement(e); e = t.Parent(e) {
		chain = append(chain, e)
	}
	h := sha256.New()
	for _, e := range slices.Backward(chain) {
		hashElement(h, t, e)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashElement adds one element: each string with its length before it, so that
// no two chains give the same bytes.
func hashElement(h hash.Hash, t *htmlsrc.Tree, id htmlsrc.ID) {
	step := ""
	if t.InContent(id) {
		step = "content"
	} else if t.InShadow(id) {
		step = "shadow"
	}
	hashStrings(h, step, t.NS(id).String(), t.Name(id))
	attrs := t.Attrs(id)
	slices.SortFunc(attrs, func(a, b htmlsrc.Attr) int { return strings.Compare(a.Name, b.Name) })
	hashStrings(h, strconv.Itoa(len(attrs)))
	for _, a := range attrs {
		hashStrings(h, a.Name, a.Value)
	}
}

func hashStrings(h hash.Hash, list ...string) {
	var b []byte
	for _, s := range list {
		b = strconv.AppendInt(b[:0], int64(len(s)), 10)
		h.Write(append(b, ':'))
		h.Write([]byte(s))
	}
}

// Quote gives the start of the element's text as the source has it: white
// space collapsed, at most core.QuoteRunes runes, without scripts, styles and
// template contents.
func Quote(t *htmlsrc.Tree, id htmlsrc.ID) string {
	return textOf(t, id, core.QuoteRunes)
}

// textOf is Quote with another bound, in runes.
func textOf(t *htmlsrc.Tree, id htmlsrc.ID, runes int) string {
	q := quoter{left: runes}
	q.walk(t, id, 0)
	return q.out.String()
}

// quoteOf brings a text into the form of Quote.
func quoteOf(text string) string {
	q := quoter{left: core.QuoteRunes}
	q.add(text)
	return q.out.String()
}

// quoter collapses white space and counts runes.
type quoter struct {
	out   strings.Builder
	left  int
	space bool // white space waits for a word behind it
}

func (q *quoter) walk(t *htmlsrc.Tree, id htmlsrc.ID, depth int) {
	for c := t.FirstChild(id); c != 0 && q.left > 0; c = t.NextSibling(c) {
		if t.IsText(c) {
			q.add(t.Text(c))
			continue
		}
		if depth < maxQuoteDepth && !silent(t, c) {
			q.walk(t, c, depth+1)
		}
	}
}

// maxQuoteDepth bounds the recursion; the parser nests no deeper than 512.
const maxQuoteDepth = 1024

// silent tells whether the element's text is never read by people.
func silent(t *htmlsrc.Tree, id htmlsrc.ID) bool {
	switch t.Name(id) {
	case "script", "style", "template", "noscript":
		return true
	}
	return false
}

func (q *quoter) add(text string) {
	for len(text) > 0 && q.left > 0 {
		r, n := utf8.DecodeRuneInString(text)
		text = text[n:]
		if htmlSpace(r) {
			q.space = q.out.Len() > 0
			continue
		}
		if q.space {
			if q.space = false; q.left == 1 {
				q.left = 0
				return
			}
			q.out.WriteByte(' ')
			q.left--
		}
		q.out.WriteRune(r)
		q.left--
	}
}
