package htmlsrc

import "proofmark/gateway/core"

// Options change how a source is read.
type Options struct {
	// Scripting is how a browser with JavaScript on reads: noscript holds text.
	Scripting bool
}

// Bounds beyond which a document is refused as too complex. A browser, too,
// takes time or memory out of proportion for such: clones by the million, lists
// walked without end.
const (
	maxNodes    = 1_500_000
	maxSteps    = 100_000_000 // of walks over the stack and the formatting list
	maxNames    = 60_000      // different tag names
	maxOpen     = 512         // Chromium: deeper elements become siblings
	bytesAtMost = 1 << 30     // offsets are 32 bits wide
)

// Parse checks src and maps it. A refusal is a *core.Error with one of the
// codes of Check, or TooLarge (more than core.MaxElements elements), or
// TooComplex.
func Parse(src []byte, o Options) (*Tree, error) {
	if err := Check(src); err != nil {
		return nil, err
	}
	return ParseUnchecked(src, o)
}

// ParseUnchecked maps src without Check: as Chromium would, NUL and bytes that
// are not UTF-8 included. It is for test corpora.
func ParseUnchecked(src []byte, o Options) (*Tree, error) {
	if len(src) > bytesAtMost {
		return nil, core.Errorf(core.TooLarge, "the file has %d bytes", len(src)).In("htmlsrc.Parse")
	}
	b := newBuilder(src, o)
	b.run()
	if b.failed() {
		return nil, core.Errorf(core.TooComplex, "the page is too complex to map").
			WithHint("formatting tags that are never closed are the usual cause").In("htmlsrc.Parse")
	}
	if b.elements > core.MaxElements {
		return nil, core.Errorf(core.TooLarge, "the page has %d elements; at most %d are possible", b.elements, core.MaxElements).
			With("elements", b.elements).With("limit", core.MaxElements).In("htmlsrc.Parse")
	}
	return &Tree{
		src: src, nodes: b.nodes, names: b.unknown, quirks: b.quirks, opts: o,
		late: b.late, htmlClose: b.htmlClose, bodyClose: b.bodyClose, reversed: b.reversed,
	}, nil
}
