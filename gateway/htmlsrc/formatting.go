package htmlsrc

import (
	"bytes"
	"hash/maphash"

	"golang.org/x/net/html"
)

// The list of active formatting elements.

// listIndex gives id's index in the list, or -1.
func (b *builder) listIndex(id ID) int {
	if b.nodes[id].bits&flagListed == 0 {
		return -1
	}
	for i := len(b.formatting) - 1; i >= 0; i-- {
		b.steps++
		if b.formatting[i] == id {
			return i
		}
	}
	return -1
}

func (b *builder) listRemove(i int) {
	b.unlisted(b.formatting[i])
	b.formatting = append(b.formatting[:i], b.formatting[i+1:]...)
}

// listReplace puts id in the place of entry i.
func (b *builder) listReplace(i int, id ID) {
	b.unlisted(b.formatting[i])
	b.formatting[i] = id
	b.nodes[id].bits |= flagListed
}

// listInsert puts id in front of entry i.
func (b *builder) listInsert(i int, id ID) {
	b.formatting = append(b.formatting, 0)
	copy(b.formatting[i+1:], b.formatting[i:])
	b.formatting[i] = id
	b.nodes[id].bits |= flagListed
}

func (b *builder) unlisted(id ID) {
	if id != marker {
		b.nodes[id].bits &^= flagListed
	}
}

func (b *builder) listMarker() { b.formatting = append(b.formatting, marker) }

// clearToMarker is "clear the list up to the last marker".
func (b *builder) clearToMarker() {
	for len(b.formatting) > 0 {
		last := len(b.formatting) - 1
		id := b.formatting[last]
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
	id := b.formatting[i]
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
		c := b.clone(b.formatting[i])
		b.insertElement(c)
		b.listReplace(i, c)
	}
}

// listPush adds id to the list; of four equal elements behind the last marker
// the oldest goes ("Noah's Ark").
func (b *builder) listPush(id ID) {
	n := &b.nodes[id]
	alike, oldest := 0, -1
	for i := len(b.formatting) - 1; i >= 0 && b.formatting[i] != marker; i-- {
		b.steps++
		if b.nodes[b.formatting[i]].tag == n.tag && b.attrSum(b.formatting[i]) == b.attrSum(id) {
			alike++
			oldest = i
		}
	}
	if alike >= 3 {
		b.listRemove(oldest)
	}
	b.formatting = append(b.formatting, id)
	b.nodes[id].bits |= flagListed
}

// attrSum gives a number that is equal for tags with equal attributes, in
// whatever order. It is reckoned once for an element, and only where two of a
// name meet in the list.
func (b *builder) attrSum(id ID) uint64 {
	if s, ok := b.attrSums[id]; ok {
		return s
	}
	if b.attrSums == nil {
		b.attrSums = map[ID]uint64{}
		b.seed = maphash.MakeSeed()
	}
	sum := uint64(1)
	n := &b.nodes[id]
	if bare := n.open + 1 + int32(len(b.name(n.tag))) + 1; n.openEnd > bare {
		for _, a := range decodedAttrs(b.src[n.open:n.openEnd]) {
			sum += maphash.String(b.seed, a.Key+"\x00"+a.Val) | 1
		}
	}
	b.attrSums[id] = sum
	return sum
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
