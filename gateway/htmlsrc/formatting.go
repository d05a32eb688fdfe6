package htmlsrc

import (
	"bytes"
	"hash/maphash"

	"golang.org/x/net/html"
)

// The list of active formatting elements.

// listEntry is one entry: an element, or a marker, whose id is marker. Name and
// attributes stay with the entry when an element is made again from its tag.
type listEntry struct {
	id   ID
	tag  tagID
	attr uint64 // equal for equal attributes; 0 until it is asked for
}

// listIndex gives id's index in the list, or -1.
func (b *builder) listIndex(id ID) int {
	if b.nodes[id].bits&flagListed == 0 {
		return -1
	}
	for i := len(b.formatting) - 1; i >= 0; i-- {
		b.steps++
		if b.formatting[i].id == id {
			return i
		}
	}
	return -1
}

func (b *builder) listRemove(i int) {
	b.unlisted(b.formatting[i].id)
	b.formatting = append(b.formatting[:i], b.formatting[i+1:]...)
}

// listReplace puts id, made from the same tag, in the place of entry i.
func (b *builder) listReplace(i int, id ID) {
	e := &b.formatting[i]
	b.unlisted(e.id)
	e.id = id
	b.nodes[id].bits |= flagListed
}

// listMove moves entry i in front of entry to, as the element id, made from
// the same tag.
func (b *builder) listMove(i, to int, id ID) {
	b.listReplace(i, id)
	e := b.formatting[i]
	if i < to {
		to--
		copy(b.formatting[i:to], b.formatting[i+1:to+1])
	} else {
		copy(b.formatting[to+1:i+1], b.formatting[to:i])
	}
	b.formatting[to] = e
}

func (b *builder) unlisted(id ID) {
	if id != marker {
		b.nodes[id].bits &^= flagListed
	}
}

func (b *builder) listMarker() { b.formatting = append(b.formatting, listEntry{id: marker}) }

// clearToMarker is "clear the list up to the last marker".
func (b *builder) clearToMarker() {
	for len(b.formatting) > 0 {
		last := len(b.formatting) - 1
		id := b.formatting[last].id
		b.unlisted(id)
		b.formatting = b.formatting[:last]
		if id == marker {
			return
		}
	}
}

// needsReconstruction tells whether the last entry of the list is an element
// that is not open.
func (b *builder) needsReconstruction() bool {
	i := len(b.formatting) - 1
	return i >= 0 && b.closedEntry(i)
}

// closedEntry tells whether entry i is an element that is not open.
func (b *builder) closedEntry(i int) bool {
	id := b.formatting[i].id
	return id != marker && b.nodes[id].bits&flagOpen == 0
}

// reconstruct is "reconstruct the active formatting elements": each closed one
// at the end of the list is made again from its tag.
func (b *builder) reconstruct() {
	if !b.needsReconstruction() {
		return
	}
	i := len(b.formatting) - 1
	for i > 0 && b.closedEntry(i-1) {
		i--
	}
	b.steps += len(b.formatting) - i
	for ; i < len(b.formatting) && !b.failed(); i++ {
		c := b.clone(b.formatting[i].id)
		b.insertElement(c)
		b.listReplace(i, c)
	}
}

// listPush adds id to the list; of four equal elements behind the last marker
// the oldest goes ("Noah's Ark").
func (b *builder) listPush(id ID) {
	x := listEntry{id: id, tag: b.nodes[id].tag}
	alike, oldest, i := 0, -1, len(b.formatting)-1
	for ; i >= 0 && b.formatting[i].id != marker; i-- {
		e := &b.formatting[i]
		if e.tag != x.tag {
			continue
		}
		if e.attr == 0 {
			e.attr = b.attrSum(e.id)
		}
		if x.attr == 0 {
			x.attr = b.attrSum(id)
		}
		if e.attr == x.attr {
			alike++
			oldest = i
		}
	}
	b.steps += (len(b.formatting) - i) / 4 // cheaper than the other steps
	if alike >= 3 {
		b.listRemove(oldest)
	}
	b.formatting = append(b.formatting, x)
	b.nodes[id].bits |= flagListed
}

// attrSum gives a number that is equal for tags with equal attributes, in
// whatever order, and not 0.
func (b *builder) attrSum(id ID) uint64 {
	n := &b.nodes[id]
	sum := uint64(1)
	if bare := n.open + 1 + int32(len(b.name(n.tag))) + 1; n.openEnd > bare {
		for _, a := range decodedAttrs(b.src[n.open:n.openEnd]) {
			sum += maphash.String(b.seed, a.Key+"\x00"+a.Val)
		}
	}
	return max(sum, 1)
}

// decodedAttrs gives a tag's attributes, names in lower case, values decoded,
// the first of a name only. Only the few rules that look at attributes ask.
func decodedAttrs(tag []byte) []html.Attribute {
	z := html.NewTokenizer(bytes.NewReader(tag))
	z.Next()
	return z.Token().Attr
}

// tokenAttr gives an attribute of the current start tag.
func (b *builder) tokenAttr(name string) (string, bool) {
	for _, a := range decodedAttrs(b.src[b.tok.start:b.tok.end]) {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}
