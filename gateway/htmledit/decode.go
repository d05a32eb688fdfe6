package htmledit

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

var reference = regexp.MustCompile(`^&(#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});`)

// decodeMapped decodes an attribute value as written and tells for each byte of
// the result, and its end, where it comes from. It is false where the value
// holds references the browser may read in another way.
func decodeMapped(raw string) (text string, at []int, ok bool) {
	var b strings.Builder
	put := func(s string, from int) {
		for range len(s) {
			at = append(at, from)
		}
		b.WriteString(s)
	}
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '&':
			ref := reference.FindString(raw[i:])
			if ref == "" {
				put("&", i)
				i++
				continue
			}
			put(html.UnescapeString(ref), i)
			i += len(ref)
		case '\r':
			put("\n", i)
			i++
			if i < len(raw) && raw[i] == '\n' {
				i++
			}
		default:
			at = append(at, i)
			b.WriteByte(raw[i])
			i++
		}
	}
	at = append(at, len(raw))
	text = b.String()
	return text, at, text == decodeValue(raw)
}
