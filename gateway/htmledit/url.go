package htmledit

import "strings"

// urlAttributes hold one address; those in urlLists several.
var (
	urlAttributes = set("href xlink:href src action formaction poster data cite background longdesc manifest codebase " +
		"classid profile icon dynsrc lowsrc usemap itemtype itemid")
	urlLists = set("srcset imagesrcset ping archive attributionsrc")
)

// animated are the attributes by which an SVG animation sets another one, such
// as href.
var (
	animations = set("set animate animatetransform animatemotion animatecolor")
	animated   = set("to from by values")
)

// urlsOf gives the addresses in an attribute's decoded value. name is in lower
// case.
func urlsOf(name, element, value string) []string {
	switch {
	case urlAttributes[name]:
		return []string{value}
	case name == "srcset" || name == "imagesrcset":
		return srcsetURLs(value)
	case urlLists[name]:
		return strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(spaces+",", r) })
	case animated[name] && animations[lower(element)]:
		return strings.Split(value, ";")
	}
	return nil
}

// srcsetURLs gives the addresses of a srcset: candidates are parted by commas,
// and an address may hold commas but neither begin nor end with one.
func srcsetURLs(value string) []string {
	var out []string
	for {
		value = strings.TrimLeft(value, spaces+",")
		if value == "" {
			return out
		}
		end := strings.IndexAny(value, spaces)
		if end < 0 {
			end = len(value)
		}
		u := value[:end]
		value = value[end:]
		if trimmed := strings.TrimRight(u, ","); trimmed != u {
			out = append(out, trimmed)
			continue
		}
		out = append(out, u)
		// Descriptors run to the next comma outside parentheses.
		depth, i := 0, 0
		for ; i < len(value); i++ {
			if value[i] == '(' {
				depth++
			} else if value[i] == ')' && depth > 0 {
				depth--
			} else if value[i] == ',' && depth == 0 {
				break
			}
		}
		value = value[i:]
	}
}

// cleanURL does what browsers do to an address before they read it: it strips
// control characters and blanks at both ends, and tabs and newlines everywhere.
func cleanURL(u string) string {
	u = strings.TrimFunc(u, func(r rune) bool { return r <= ' ' })
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, u)
}

// schemeOf gives the lower-case scheme of a clean address and what follows the
// colon, or "" where the address is relative.
func schemeOf(u string) (scheme, rest string) {
	for i := range len(u) {
		c := u[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return lower(u[:i]), u[i+1:]
		default:
			return "", u
		}
	}
	return "", u
}

// imageElements only ever show an SVG image, and never run its scripts.
var imageElements = set("img image source picture input link video feimage")

// styleSheet stands for an element in activeScheme where an address is that of a
// style sheet. Pages in quirks mode take one of any type.
const styleSheet = "style sheet"

// activeScheme gives the scheme by which an address would run a script or hold a
// page or a style sheet of its own ("javascript:", "vbscript:", "data:text/html",
// …), or "".
func activeScheme(u, element string) string {
	scheme, rest := schemeOf(cleanURL(u))
	switch scheme {
	case "javascript", "vbscript", "livescript":
		return scheme + ":"
	case "view-source", "feed", "jar": // wrap another address
		if s := activeScheme(rest, element); s != "" {
			return s
		}
	case "data":
		mime, _, _ := strings.Cut(rest, ",")
		mime, _, _ = strings.Cut(mime, ";")
		mime = lower(strings.TrimFunc(mime, func(r rune) bool { return r <= ' ' }))
		switch {
		case element == styleSheet:
			return "data:" + mime
		case mime == "image/svg+xml" && imageElements[lower(element)]:
		case strings.Contains(mime, "html"), strings.Contains(mime, "xml"), strings.Contains(mime, "script"),
			strings.Contains(mime, "css"), strings.Contains(mime, "xsl"), strings.Contains(mime, "%"):
			return "data:" + mime
		}
	}
	return ""
}

// localSchemes lead to no other host.
var localSchemes = set("data blob about mailto tel sms cid javascript vbscript")

// externalOrigin gives the origin of another host that an address names, or ""
// for relative ones and those that name no host.
func externalOrigin(u string) string {
	u = cleanURL(u)
	scheme, rest := schemeOf(u)
	slashed := strings.ReplaceAll(rest, `\`, "/")
	switch {
	case scheme == "":
		if !strings.HasPrefix(slashed, "//") {
			return ""
		}
		return "//" + hostOf(slashed)
	case localSchemes[scheme]:
		return ""
	}
	return scheme + "://" + hostOf(slashed)
}

// hostOf gives the host and port of what stands behind a scheme.
func hostOf(rest string) string {
	rest = strings.TrimLeft(rest, "/")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	return lower(rest)
}
