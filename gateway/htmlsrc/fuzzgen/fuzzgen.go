// Package fuzzgen makes random documents in which the tree rules meet: test
// support for the map and for edits.
package fuzzgen

import (
	"math/rand/v2"
	"strings"
)

// Kind is a kind of random document.
type Kind int

// Kinds.
const (
	Tags   Kind = iota // tags of all names, odd attributes, text, comments
	Shadow             // the same with many declarative shadow roots
	Soup               // fragments of markup
	Kinds              // the number of kinds
)

// String names the kind.
func (k Kind) String() string { return [...]string{"tags", "shadow", "soup"}[k] }

var names = strings.Fields(`a b i em font nobr code u p div span ul li dl dd dt table tbody thead tfoot tr td th caption
	col colgroup form input select option optgroup button textarea title style script template svg math mi mo mtext
	annotation-xml desc foreignObject path g html head body frameset frame noframes noscript iframe object applet marquee
	br hr img image pre listing plaintext xmp noembed h1 h2 address article center ruby rb rt rp rtc main section details
	summary dialog menu menuitem fieldset legend label base link meta param source track keygen isindex area embed wbr
	video x-y search hgroup nav datalist s small big tt strong strike sub sup var`)

var odd = []string{
	"x", " ", "\n", "&#32;", "&nbsp;", "\x00", "&amp;", "<!--c-->", "<![CDATA[x]]>", "<![CDATA[ ]]>", "<!>", "</>",
	"<?pi>", "<", "</p>", "</br>", "<!doctype html>", "\r\n", "]]>", "<!-->", "é",
}

var attributes = []string{
	"", "", "", "", "", " a=1", " class=x", " type=hidden", " type=text", " color=red", " size=1", " encoding=text/html",
	" id='q>'", " a a=2", "/", " /", " x=/", " encoding='application/xhtml+xml'", " definitionurl=1", " xlink:href=#a",
	" A=\"<b>\"", " shadowrootmode=open",
}

var fragments = []string{
	"<", ">", "/", "=", "\"", "'", " ", "!", "--", "-", "a", "b", "<b", "<p>", "</p", "<script", "<script>", "</script",
	"</script>", "<title>", "</title", "</title>", "<!--", "-->", "--!>", "<!doctype", "html", "]]>", "<![CDATA[", "\x00",
	"\r", "&", "&#32;", "&#x20", "&Tab;", "&#9", "?", "<textarea>", "</textarea>", "<style>", "</style>", "<xmp>", "</xmp",
	"<plaintext", "<svg>", "</svg>", "<math>", "<i>", "</i>", "<div>", "</div>", "\n", "\f", "\t", "public", "SYSTEM",
	"<table>", "<td>", "<br/>", "<noscript>", "</noscript>", "<iframe>", "</iframe>", "SCRIPT", "<SCRIPT>", "</SCRIPT>",
	"é", "x",
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// Tokens makes a document as the list of the tokens it is joined from, so that
// one with a finding can be made smaller.
func Tokens(r *rand.Rand, kind Kind) []string {
	if kind == Soup {
		out := make([]string, 3+r.IntN(20))
		for i := range out {
			out[i] = pick(r, fragments)
		}
		return out
	}
	vocabulary := names
	if r.IntN(4) > 0 { // few names, so that rules meet
		vocabulary = nil
		for range 11 {
			vocabulary = append(vocabulary, pick(r, names))
		}
	}
	if kind == Shadow {
		vocabulary = append([]string{
			"template shadowrootmode=open", "template shadowrootmode=open", "template", "div", "x-y", "svg", "annotation-xml",
		}, vocabulary...)
	}
	return tags(r, vocabulary)
}

func tags(r *rand.Rand, vocabulary []string) []string {
	var out, open []string
	if r.IntN(3) > 0 {
		out = append(out, "<!doctype html>")
	}
	for range 2 + r.IntN(14) {
		switch k := r.IntN(20); {
		case k < 11:
			t := pick(r, vocabulary)
			out = append(out, "<"+t+pick(r, attributes)+">")
			open = append(open, t)
		case k < 15 && len(open) > 0:
			out = append(out, "</"+pick(r, open)+">")
		case k < 16:
			out = append(out, "</"+pick(r, vocabulary)+">")
		case k < 18:
			out = append(out, "x")
		default:
			out = append(out, pick(r, odd))
		}
	}
	return out
}

// Document makes a document.
func Document(r *rand.Rand, kind Kind) []byte { return []byte(strings.Join(Tokens(r, kind), "")) }
