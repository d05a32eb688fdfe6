package htmlsrc

import (
	"bytes"
	"unicode/utf8"

	"proofmark/gateway/core"
)

// bom is the UTF-8 byte order mark.
const bom = "\ufeff"

// HasBOM tells whether src begins with a UTF-8 byte order mark. Spans count it.
func HasBOM(src []byte) bool { return bytes.HasPrefix(src, []byte(bom)) }

// Check refuses what cannot be an HTML document here: more than
// core.MaxSourceBytes, UTF-16, bytes that are not UTF-8, NUL and binary files.
// The refusal's Detail holds the byte "offset" of the first offence.
func Check(src []byte) error {
	if len(src) > core.MaxSourceBytes {
		return core.Errorf(core.TooLarge, "the file has %d bytes; at most %d are possible", len(src), core.MaxSourceBytes).
			With("bytes", len(src)).With("limit", core.MaxSourceBytes).In("htmlsrc.Check")
	}
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		return core.Errorf(core.NotUTF8, "the file is UTF-16, by the byte order mark at byte 0").
			WithHint("save it as UTF-8 and open it again").With("offset", 0).With("encoding", "utf-16").In("htmlsrc.Check")
	}
	if at := bytes.IndexByte(src, 0); at >= 0 {
		return refuseNUL(src, at)
	}
	if at := invalidUTF8(src); at >= 0 {
		return core.Errorf(core.NotUTF8, "the file is not UTF-8: byte %d (0x%02x) is not valid there", at, src[at]).
			WithHint("save it as UTF-8 and open it again").With("offset", at).In("htmlsrc.Check")
	}
	return nil
}

// refuseNUL tells a binary file from a text with a stray NUL.
func refuseNUL(src []byte, at int) error {
	head := src[:min(len(src), 4096)]
	bad := invalidUTF8(head)
	if bytes.Count(head, []byte{0}) > max(8, len(head)/32) || bad >= 0 && bad < len(head)-utf8.UTFMax {
		return core.Errorf(core.NotHTML, "the file is binary: NUL at byte %d", at).With("offset", at).In("htmlsrc.Check")
	}
	return core.Errorf(core.HasNUL, "the file holds a NUL at byte %d", at).
		WithHint("remove the NUL and open the file again").With("offset", at).In("htmlsrc.Check")
}

// invalidUTF8 gives the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(src []byte) int {
	if utf8.Valid(src) {
		return -1
	}
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
