package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"

	"proofmark/gateway/core"

	"github.com/klauspost/compress/zstd"
)

// A delta rebuilds a blob from its parent:
//
//	uvarint  prefix, bytes shared at the start
//	uvarint  suffix, bytes shared at the end
//	byte     how the middle is packed
//	…        the middle
//
// A one-word edit keeps nothing but the word. Where edits lie far apart the
// middle is long: it is kept as hunks when the edits are known, and else packed
// by zstd with the parent's middle as dictionary.
const (
	packRaw   = 0
	packZstd  = 1 // dictionary: the parent's middle
	packHunks = 2 // uvarint bytes to copy, to skip and to insert, then those; and so on
)

const (
	// rawMiddleBytes is the length up to which packing a middle is not worth
	// the time.
	rawMiddleBytes = 256
	dictID         = 1
	// maxBlobBytes bounds what a damaged frame can make the decoder allocate.
	maxBlobBytes = 64 << 20
)

var errBadDelta = errors.New("the delta does not fit its parent")

// encodeDelta gives the delta that makes after from parent.
func encodeDelta(parent, after []byte) ([]byte, error) {
	prefix := commonPrefix(parent, after)
	suffix := commonSuffix(parent[prefix:], after[prefix:])
	old, middle := parent[prefix:len(parent)-suffix], after[prefix:len(after)-suffix]

	out := make([]byte, 0, 2*binary.MaxVarintLen64+1+min(len(middle), 64<<10))
	out = binary.AppendUvarint(out, uint64(prefix))
	out = binary.AppendUvarint(out, uint64(suffix))
	if len(middle) > rawMiddleBytes {
		packed, err := zstdAgainst(append(out, packZstd), old, middle)
		if err != nil {
			return nil, err
		}
		if len(packed) < len(out)+len(middle) {
			return packed, nil
		}
	}
	return append(append(out, packRaw), middle...), nil
}

// encodeEdits gives the delta of known edits, sorted and against parent, or nil
// when they do not make after or would take more than a quarter of it.
func encodeEdits(parent, after []byte, edits []core.Edit) []byte {
	out := []byte{0, 0, packHunks} // no prefix, no suffix
	at := 0
	for _, e := range edits {
		if e.Span.Start < at || e.Span.End < e.Span.Start || e.Span.End > len(parent) || len(out)+len(e.Replacement) > len(after)/4 {
			return nil
		}
		out = binary.AppendUvarint(out, uint64(e.Span.Start-at))
		out = binary.AppendUvarint(out, uint64(e.Span.Len()))
		out = binary.AppendUvarint(out, uint64(len(e.Replacement)))
		out = append(out, e.Replacement...)
		at = e.Span.End
	}
	made, err := applyDelta(nil, parent, out, len(after))
	if err != nil || !bytes.Equal(made, after) {
		return nil
	}
	return out
}

// applyHunks appends parent, changed by hunks, to out, which may grow to limit.
func applyHunks(out, parent, hunks []byte, limit int) ([]byte, error) {
	for len(hunks) > 0 {
		var n [3]uint64
		for i := range n {
			v, size := binary.Uvarint(hunks)
			if size <= 0 {
				return nil, errBadDelta
			}
			n[i], hunks = v, hunks[size:]
		}
		copied, skipped, inserted := n[0], n[1], n[2]
		if copied > uint64(len(parent)) || skipped > uint64(len(parent))-copied || inserted > uint64(len(hunks)) {
			return nil, errBadDelta
		}
		if len(out)+int(copied)+int(inserted) > limit {
			return nil, errBadDelta
		}
		out = append(append(out, parent[:copied]...), hunks[:inserted]...)
		parent, hunks = parent[copied+skipped:], hunks[inserted:]
	}
	if len(out)+len(parent) > limit {
		return nil, errBadDelta
	}
	return append(out, parent...), nil
}

// applyDelta rebuilds a blob of the given length from its parent. It writes
// into the room of dst, whose contents are lost; dst must not share memory with
// parent.
func applyDelta(dst, parent, delta []byte, length int) ([]byte, error) {
	prefix, n := binary.Uvarint(delta)
	if n <= 0 {
		return nil, errBadDelta
	}
	delta = delta[n:]
	suffix, n := binary.Uvarint(delta)
	if n <= 0 || len(delta) == n {
		return nil, errBadDelta
	}
	pack, middle := delta[n], delta[n+1:]
	if prefix > uint64(len(parent)) || suffix > uint64(len(parent))-prefix || prefix+suffix > uint64(length) {
		return nil, errBadDelta
	}
	if cap(dst) < length {
		dst = make([]byte, 0, length+length/64)
	}
	out := append(dst[:0], parent[:prefix]...)
	end := len(parent) - int(suffix)
	switch pack {
	case packRaw:
		out = append(out, middle...)
	case packZstd:
		var err error
		if out, err = unzstdAgainst(out, parent[prefix:end], middle); err != nil {
			return nil, err
		}
	case packHunks:
		var err error
		if out, err = applyHunks(out, parent[prefix:end], middle, length); err != nil {
			return nil, err
		}
	default:
		return nil, errBadDelta
	}
	out = append(out, parent[end:]...)
	if len(out) != length {
		return nil, errBadDelta
	}
	return out, nil
}

func zstdAgainst(dst, dict, src []byte) ([]byte, error) {
	opts := []zstd.EOption{
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithEncoderCRC(false), // the SHA-256 of the whole blob is checked on read
		zstd.WithWindowSize(windowFor(len(dict) + len(src))),
	}
	if len(dict) > 0 {
		opts = append(opts, zstd.WithEncoderDictRaw(dictID, dict))
	}
	e, err := zstd.NewWriter(nil, opts...)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return e.EncodeAll(src, dst), nil
}

// unzstdAgainst appends what src unpacks to. It stays within dst's room: a
// damaged frame cannot make it take more.
func unzstdAgainst(dst, dict, src []byte) ([]byte, error) {
	opts := []zstd.DOption{
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlobBytes), zstd.WithDecoderMaxWindow(maxBlobBytes),
		zstd.WithDecodeAllCapLimit(true),
	}
	if len(dict) > 0 {
		opts = append(opts, zstd.WithDecoderDictRaw(dictID, dict))
	}
	d, err := zstd.NewReader(nil, opts...)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(src, dst)
}

// windowFor gives the smallest power of two that reaches back over n bytes,
// within what the format allows us.
func windowFor(n int) int {
	return min(max(1<<bits.Len(uint(n)), zstd.MinWindowSize), maxBlobBytes/2)
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

func commonSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[len(a)-i-8:]) ^ binary.LittleEndian.Uint64(b[len(b)-i-8:]); x != 0 {
			return i + bits.LeadingZeros64(x)/8
		}
	}
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return i
}
