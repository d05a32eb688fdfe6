package bundle

import (
	"bytes"
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

const opRead = "bundle.Read"

// Page says how a review file's page stands to its data.
type Page string

// What the page of a review file is.
const (
	PageNone   Page = "none"   // the file is the data alone
	PageSame   Page = "same"   // this program would write the very same page
	PageOther  Page = "other"  // another version wrote the page, or somebody changed it
	pageUnread Page = "unread" // not compared yet
)

// Review is a bundle that was checked: all versions come out of the source by
// the edits, with the lengths and hashes they are said to have, and what each
// draft's targets are was seen in the bytes.
type Review struct {
	Bundle
	// Standings are those of the drafts' targets, in their order.
	Standings [][]Standing

	page     Page
	file     []byte  // until the page was compared
	proofsOf []int64 // the versions that drafts' proofs name
}

// Read reads a review file, HTML or JSON, as the work of a stranger. The only
// part of a page that is read is the data in it. Refusals: TooLarge, TooMany,
// NotUTF8, HasNUL, Unsupported for another version of the format, InvalidBundle
// for whatever else is not what it should be; Detail says where ("where", and of
// syntax "byte").
func Read(ctx context.Context, file []byte) (*Review, error) {
	if len(file) > core.MaxBundleBytes {
		return nil, core.Errorf(core.TooLarge, "the review file has %d bytes; at most %d are read", len(file), core.MaxBundleBytes).
			With("bytes", len(file)).With("limit", core.MaxBundleBytes).In(opRead)
	}
	data, at, err := dataOf(file)
	if err != nil {
		return nil, err
	}
	s := &scanner{b: data}
	b := s.decode()
	if s.err != nil {
		if n, ok := s.err.Detail["byte"].(int); ok {
			s.err.With("byte", n+at)
		}
		return nil, s.err
	}
	r := &Review{Bundle: b, page: PageNone}
	if err := r.check(ctx); err != nil {
		return nil, err
	}
	if at > 0 {
		r.page, r.file = pageUnread, file
	}
	return r, nil
}

// The element of a page that holds the data. The data has no "<" in it.
const (
	dataBegins = `<script type="application/json" id="proofmark-review">`
	dataEnds   = `</script>`
)

// dataOf finds the JSON in a review file and the byte it begins at; 0 where the
// file is nothing else.
func dataOf(file []byte) (data []byte, at int, err error) {
	switch text := bytes.TrimLeft(file, " \t\r\n"); {
	case len(text) == 0:
		return nil, 0, refused(core.InvalidBundle, "the whole", "it is empty")
	case text[0] == '{':
		return file, 0, nil
	}
	at = bytes.Index(file, []byte(dataBegins))
	if at < 0 {
		return nil, 0, refused(core.InvalidBundle, "the whole", "it is neither a review page of Proofmark nor the JSON of one")
	}
	at += len(dataBegins)
	n := bytes.Index(file[at:], []byte(dataEnds))
	if n < 0 {
		return nil, 0, refused(core.InvalidBundle, "the whole", "the page ends within its data")
	}
	if bytes.Contains(file[at+n:], []byte(dataBegins)) {
		return nil, 0, refused(core.InvalidBundle, "the whole", "the page holds data twice")
	}
	return file[at : at+n], at, nil
}

// Page compares the page that was read with the one this program would write for
// its data. Where they are the same, what a person reads there is what was checked.
func (r *Review) Page() (Page, error) {
	if r.page == pageUnread {
		html, err := r.HTML()
		if err != nil {
			return PageOther, err
		}
		r.page = PageOther
		if bytes.Equal(html, r.file) {
			r.page = PageSame
		}
		r.file = nil
	}
	return r.page, nil
}

// Newest gives the newest version of the bundle.
func (r *Review) Newest() Version { return r.Versions[len(r.Versions)-1] }

// Text gives the bytes of a version, made again from the source; nil where the
// bundle does not hold it.
func (r *Review) Text(generation int64) []byte {
	if generation < r.Source.Generation || generation > r.Newest().Generation {
		return nil
	}
	text := []byte(r.Source.Text)
	for _, c := range r.Changes[:generation-r.Source.Generation] {
		text, _ = textpatch.Apply(text, c.Edits) // it was made when it was checked
	}
	return text
}

// walk makes each version from the one before and gives it with the bytes it came
// from.
func (b *Bundle) walk(each func(i int, before, after []byte) error) error {
	before := []byte(b.Source.Text)
	for i, c := range b.Changes {
		after, err := textpatch.Apply(before, c.Edits)
		if err != nil {
			return changeRefused(i, ".edits", "%s", core.AsError(err).Message)
		}
		if err := each(i, before, after); err != nil {
			return err
		}
		before = after
	}
	return nil
}

// sound tells whether bytes can be a document's.
func sound(where string, text []byte) error {
	if err := htmlsrc.Check(text); err != nil {
		e := core.AsError(err)
		return refused(e.Code, where, "%s", e.Message)
	}
	return nil
}
