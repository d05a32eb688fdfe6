package htmlsrc

import (
	"slices"
	"strings"
)

const doctypeSpace = " \t\n\f\r"

// doctype is the rest of a doctype token that is being read.
type doctype struct{ rest string }

// quoted reads one quoted identifier, if one comes next.
func (d *doctype) quoted() (value string, found, closed bool) {
	d.rest = strings.TrimLeft(d.rest, doctypeSpace)
	if d.rest == "" || d.rest[0] != '"' && d.rest[0] != '\'' {
		return "", false, false
	}
	value, rest, closed := strings.Cut(d.rest[1:], d.rest[:1])
	d.rest = rest
	return strings.ToLower(value), true, closed
}

// keyword reads PUBLIC or SYSTEM, if it comes next.
func (d *doctype) keyword(word string) bool {
	if len(d.rest) < len(word) || !strings.EqualFold(d.rest[:len(word)], word) {
		return false
	}
	d.rest = d.rest[len(word):]
	return true
}

// quirksDoctype tells whether a doctype token puts the document in quirks mode.
func quirksDoctype(token []byte) bool {
	if len(token) < 10 || token[len(token)-1] != '>' {
		return true // cut short by the end of the file
	}
	s := strings.TrimLeft(string(token[9:len(token)-1]), doctypeSpace)
	name, rest := s, ""
	if i := strings.IndexAny(s, doctypeSpace); i >= 0 {
		name, rest = s[:i], strings.TrimLeft(s[i:], doctypeSpace)
	}
	if !strings.EqualFold(name, "html") {
		return true
	}
	d := &doctype{rest}
	switch {
	case d.keyword("public"):
		public, found, closed := d.quoted()
		if !found || !closed {
			return true
		}
		system, hasSystem, closed := d.quoted()
		if hasSystem && !closed || !hasSystem && d.rest != "" {
			return true
		}
		return quirksPublic(public, hasSystem) || system == quirksSystem
	case d.keyword("system"):
		system, found, closed := d.quoted()
		return !found || !closed || system == quirksSystem
	}
	return rest != ""
}

const quirksSystem = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"

// quirksPublic judges a public identifier, in lower case.
func quirksPublic(public string, hasSystem bool) bool {
	switch public {
	case "-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html":
		return true
	}
	prefixed := func(p string) bool { return strings.HasPrefix(public, p) }
	if slices.ContainsFunc(quirksPrefixes, prefixed) {
		return true
	}
	return !hasSystem && slices.ContainsFunc([]string{
		"-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//",
	}, prefixed)
}

// quirksPrefixes are the beginnings of public identifiers, in lower case, that
// put a document in quirks mode.
var quirksPrefixes = strings.Split(strings.ToLower(strings.TrimSpace(`
+//Silmaril//dtd html Pro v0r11 19970101//
-//AS//DTD HTML 3.0 asWedit + extensions//
-//AdvaSoft Ltd//DTD HTML 3.0 asWedit + extensions//
-//IETF//DTD HTML 2.0 Level 1//
-//IETF//DTD HTML 2.0 Level 2//
-//IETF//DTD HTML 2.0 Strict Level 1//
-//IETF//DTD HTML 2.0 Strict Level 2//
-//IETF//DTD HTML 2.0 Strict//
-//IETF//DTD HTML 2.0//
-//IETF//DTD HTML 2.1E//
-//IETF//DTD HTML 3.0//
-//IETF//DTD HTML 3.2 Final//
-//IETF//DTD HTML 3.2//
-//IETF//DTD HTML 3//
-//IETF//DTD HTML Level 0//
-//IETF//DTD HTML Level 1//
-//IETF//DTD HTML Level 2//
-//IETF//DTD HTML Level 3//
-//IETF//DTD HTML Strict Level 0//
-//IETF//DTD HTML Strict Level 1//
-//IETF//DTD HTML Strict Level 2//
-//IETF//DTD HTML Strict Level 3//
-//IETF//DTD HTML Strict//
-//IETF//DTD HTML//
-//Metrius//DTD Metrius Presentational//
-//Microsoft//DTD Internet Explorer 2.0 HTML Strict//
-//Microsoft//DTD Internet Explorer 2.0 HTML//
-//Microsoft//DTD Internet Explorer 2.0 Tables//
-//Microsoft//DTD Internet Explorer 3.0 HTML Strict//
-//Microsoft//DTD Internet Explorer 3.0 HTML//
-//Microsoft//DTD Internet Explorer 3.0 Tables//
-//Netscape Comm. Corp.//DTD HTML//
-//Netscape Comm. Corp.//DTD Strict HTML//
-//O'Reilly and Associates//DTD HTML 2.0//
-//O'Reilly and Associates//DTD HTML Extended 1.0//
-//O'Reilly and Associates//DTD HTML Extended Relaxed 1.0//
-//SQ//DTD HTML 2.0 HoTMetaL + extensions//
-//SoftQuad Software//DTD HoTMetaL PRO 6.0::19990601::extensions to HTML 4.0//
-//SoftQuad//DTD HoTMetaL PRO 4.0::19971010::extensions to HTML 4.0//
-//Spyglass//DTD HTML 2.0 Extended//
-//Sun Microsystems Corp.//DTD HotJava HTML//
-//Sun Microsystems Corp.//DTD HotJava Strict HTML//
-//W3C//DTD HTML 3 1995-03-24//
-//W3C//DTD HTML 3.2 Draft//
-//W3C//DTD HTML 3.2 Final//
-//W3C//DTD HTML 3.2//
-//W3C//DTD HTML 3.2S Draft//
-//W3C//DTD HTML 4.0 Frameset//
-//W3C//DTD HTML 4.0 Transitional//
-//W3C//DTD HTML Experimental 19960712//
-//W3C//DTD HTML Experimental 970421//
-//W3C//DTD W3 HTML//
-//W3O//DTD W3 HTML 3.0//
-//WebTechs//DTD Mozilla HTML 2.0//
-//WebTechs//DTD Mozilla HTML//
`)), "\n")
