package htmlsrc

import (
	"bytes"
	"hash/maphash"
)

// mode is an insertion mode of the standard. "text" and "in table text" are
// missing: raw text is read at once (raw), table text is kept in
// builder.tableText.
type mode uint8

const (
	modeInitial mode = iota
	modeBeforeHTML
	modeBeforeHead
	modeInHead
	modeInHeadNoscript
	modeAfterHead
	modeInBody
	modeInTable
	modeInCaption
	modeInColumnGroup
	modeInTableBody
	modeInRow
	modeInCell
	modeInTemplate
	modeAfterBody
	modeInFrameset
	modeAfterFrameset
	modeAfterAfterBody
	modeAfterAfterFrameset
)

// marker is the marker in the list of active formatting elements.
const marker ID = -1

// builder holds the state of one parse. The names are the standard's.
type builder struct {
	src  []byte
	opts Options
	pos  int   // where the tokenizer reads next
	tok  token // the current token

	nodes    []node
	elements int
	unknown  []string         // tag names beyond the known ones, by id
	nameIDs  map[string]tagID // the same, by name

	stack         []ID        // of open elements
	open          []int32     // HTML elements of each name on the stack
	templates     int         // template elements on the stack
	formatting    []listEntry // list of active formatting elements
	templateModes []mode      // stack of template insertion modes
	mode          mode
	head, form    ID // head and form element pointers

	framesetOK      bool
	fosterParenting bool
	skipNewline     bool   // the next text loses a newline at its start
	tableText       []text // pending table character tokens
	tableTextOther  bool   // one of them is not white space
	quirks          bool
	stopped         bool

	late                 []int32
	htmlClose, bodyClose int32
	reversed             []idRun

	steps int // of walks that could grow with the square of the source
	seed  maphash.Seed
}

func newBuilder(src []byte, o Options) *builder {
	b := &builder{src: src, opts: o, framesetOK: true, htmlClose: -1, bodyClose: -1, seed: maphash.MakeSeed()}
	b.nodes = append(make([]node, 0, nodesExpected(src)), node{parent: detached, open: -1, end: int32(len(src))})
	b.stack = make([]ID, 0, 64)
	b.open = make([]int32, firstUnknown, firstUnknown+16)
	if HasBOM(src) {
		b.pos = len(bom)
	}
	return b
}

// nodesExpected gives the room to make for nodes at the start: growing the
// slice, and the collector's share of what is allocated, cost more than the
// rest of a parse. It counts every '<', and takes from samples how many nodes
// there are for one.
func nodesExpected(src []byte) int {
	const windows, size = 8, 4096
	marks, nodes := 0, 0
	for w := range windows {
		from := len(src) / windows * w
		sample := src[from:min(len(src), from+size)]
		last := byte(0)
		for i, c := range sample {
			if c == '<' {
				marks++
				if last != '>' {
					nodes++ // a text run ends here
				}
				if i+1 < len(sample) && isLetter(sample[i+1]) {
					nodes++
				}
			}
			last = c
		}
	}
	all := bytes.Count(src, []byte{'<'})
	// Scripts full of '<' must not cost memory out of proportion.
	return 32 + min(all*(nodes+1)/(marks+1)*17/16, len(src)/12)
}

// failed tells whether the document is too complex to go on with.
func (b *builder) failed() bool {
	return b.steps > maxSteps || len(b.nodes) > maxNodes || len(b.unknown) > maxNames
}

// run reads the whole source.
func (b *builder) run() {
	for !b.stopped && !b.failed() {
		b.next()
		switch b.tok.kind {
		case tokenText:
			b.textToken(b.tok.text())
			continue
		case tokenComment:
			// Comments make no element and change no mode.
			b.flushTableText()
			b.skipNewline = false
			continue
		}
		b.flushTableText()
		b.skipNewline = false
		b.dispatch()
	}
}

// dispatch handles a tag, doctype or end-of-file token; a mode that answers
// false has changed the mode and wants the token handled again.
func (b *builder) dispatch() {
	for !b.failed() {
		if b.inForeignContent() {
			if b.foreignContent() {
				return
			}
		} else if b.inMode() {
			return
		}
	}
}

// inMode handles the current token by the rules of the current mode.
func (b *builder) inMode() bool {
	switch b.mode {
	case modeInitial:
		return b.initial()
	case modeBeforeHTML:
		return b.beforeHTML()
	case modeBeforeHead:
		return b.beforeHead()
	case modeInHead:
		return b.inHead()
	case modeInHeadNoscript:
		return b.inHeadNoscript()
	case modeAfterHead:
		return b.afterHead()
	case modeInTable:
		return b.inTable()
	case modeInCaption:
		return b.inCaption()
	case modeInColumnGroup:
		return b.inColumnGroup()
	case modeInTableBody:
		return b.inTableBody()
	case modeInRow:
		return b.inRow()
	case modeInCell:
		return b.inCell()
	case modeInTemplate:
		return b.inTemplate()
	case modeAfterBody:
		return b.afterBody()
	case modeInFrameset:
		return b.inFrameset()
	case modeAfterFrameset:
		return b.afterFrameset()
	case modeAfterAfterBody:
		return b.afterAfterBody()
	case modeAfterAfterFrameset:
		return b.afterAfterFrameset()
	}
	return b.inBody()
}

// stop is "stop parsing".
func (b *builder) stop() bool {
	b.stopped = true
	b.popTo(0)
	return true
}
