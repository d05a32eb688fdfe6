package builtin

import (
	"regexp"
	"strings"
	"sync"
)

var englishMacros = map[string]string{
	// IT is the target: the heading, this row, it. The nouns come first, so that
	// "this row bold" is not "this", which should be "row bold".
	"IT": `(?:(?:(?:the|this|that|these|those|its|their|my|our|all|all the|all of the|both|each|every) )?(?P<noun>{NOUN})(?: here| of (?:it|this))?|it|this|that|them|these|those|all of (?:it|them)|both(?: of them)?|everything here)`,
	// OF names the target behind a property: of it, of the heading.
	"OF": `(?: (?:of|for|on) {IT})?`,
	// TX is the text of the target.
	"TX":  `(?:(?:the|this|that|its|their|all|all the|my|our) )?(?P<noun>{NOUN})(?:(?:'s|’s) (?:text|wording|label|title))?(?: here| (?:of|in|on) (?:it|this|that|this element))?`,
	"THE": `(?:(?:the|its|their|an?|this) )?`,
	"WHO": `(?:(?:the|its|this|that|their) )?(?:(?P<noun>{NOUN})(?:'s|’s)? )?`,
	"VAL": `(?P<val>.+)`, "Q": `(?P<val>[\x{E000}-\x{E0FF}])`, "SET": `(?:set|change|update|edit|modify|alter|switch|make|adjust|put)`,
	"TO": `(?: to(?: be| say| read)?| into| as| =|=|:)`, "NOUN": alternatives(nouns),
}

var englishRules = sync.OnceValue(func() []rule {
	out := make([]rule, 0, len(englishPatterns))
	for _, p := range englishPatterns {
		out = append(out, rule{re: compile(englishMacros, p.pattern), build: p.build})
	}
	return out
})

type pattern struct {
	pattern string
	build   func(clause) ([]step, bool)
}

// englishPatterns in the order they are tried.
var englishPatterns = []pattern{
	// One text by another inside the target.
	{`(?:change|replace|swap|switch|turn|update|edit|rename|correct|fix)(?: {THE}(?:word|words|text|phrase|name|price|number|date|year|part|title|label))? (?P<from>\S+) (?:to|with|by|into|for|→|->|=>) (?P<val>\S+)(?: (?:in|inside) {IT}| here)?`, swap},
	{`(?:change|switch|update|edit) {TX} from (?P<from>\S+) to (?P<val>\S+)`, swap},
	{`{TYPO}(?P<from>[\x{E000}-\x{E0FF}]|{MONEY}|\d[\d.,:%/-]*) ?(?:→|->|=>|should be|should read|becomes) ?(?P<val>[\x{E000}-\x{E0FF}]|{MONEY}|\d[\d.,:%/-]*)`, swap},
	{`(?:remove|delete|drop|cut) (?:{THE}(?:word|words|text|phrase|part) )?(?P<from>[\x{E000}-\x{E0FF}])(?: from {IT})?`, dropText},
	{`(?:add|append|put|write) {Q} (?:at|to|on) {THE}end(?: of {IT})?`, addText(appendText)},
	{`(?:add|put|write) {Q} (?:after|behind) (?:the|its) (?:text|last word)`, addText(appendText)},
	{`append {Q}(?: to {IT})?`, addText(appendText)},
	{`(?:add|put|write) (?:an? )?(?P<mark>period|full stop|dot|exclamation (?:mark|point)|question mark|colon|ellipsis)(?: (?:at|to|on) {THE}end(?: of {IT})?)?`, addText(appendText)},
	{`(?:add|put|write) {Q} (?:at|to|in) {THE}(?:start|beginning|front)(?: of {IT})?`, addText(prependText)},
	{`(?:add|put|write) {Q} (?:before|in front of) (?:the|its) (?:text|first word)`, addText(prependText)},
	{`prepend {Q}(?: to {IT})?`, addText(prependText)},

	// Classes.
	{`(?:add|append|apply|give it)(?: {THE}(?:css )?class(?:es)?(?: names?)?)(?: called| named| of)? (?P<val>\S+)(?: to {IT})?`, class(addClass)},
	{`add (?P<val>\S+) to {THE}(?:class(?:es)?|class list|class attribute)`, class(addClass)},
	{`(?:add|apply) {THE}(?P<val>\S+) class(?: to {IT})?`, class(addClass)},
	{`give {IT} {THE}class(?: name)?(?: of)? (?P<val>\S+)`, class(addClass)},
	{`(?:remove|delete|drop|take away|take off|strip) {THE}(?:css )?class(?:es)?(?: names?)?(?: called| named)? (?P<val>\S+)(?: from {IT})?`, class(removeClass)},
	{`(?:remove|delete|drop|take away|take off|strip) (?P<val>\S+) from {THE}(?:class(?:es)?|class list|class attribute)`, class(removeClass)},
	{`(?:remove|delete|drop|take away|take off|strip) {THE}(?P<val>\S+) class(?: from {IT})?`, class(removeClass)},

	// Attributes taken away.
	{`(?:remove|delete|drop|clear|strip|take off|take away|get rid of|unset) {THE}(?P<attr>[\w:.-]+) attribute(?: from {IT}| of {IT})?`, noAttribute(true)},
	{`(?:remove|delete|drop|strip|unset) {THE}attribute (?P<attr>\S+)(?: from {IT}| of {IT})?`, noAttribute(true)},
	{`(?:remove|delete|drop|clear|strip|unset) {THE}(?P<attr>alt|alt text|alternative text|href|tooltip|hover text|placeholder|placeholder text|aria-label|aria label|id|tabindex|srcset)(?: from {IT}| of {IT})?`, noAttribute(false)},
	{`(?:remove|delete|clear|strip) (?:{THE}inline styles?|all (?:inline )?styles)(?: from {IT})?`, constant(step{Kind: removeAttribute, Name: "style"})},
	{`(?:remove|delete|clear|strip) (?:{THE}classes|all (?:the )?(?:css )?classes)(?: from {IT})?`, constant(step{Kind: removeAttribute, Name: "class"})},

	// Styles taken away.
	{`(?:remove|delete|drop|turn off|take off|clear|get rid of) {THE}(?P<adj>bold|bolding|boldness|italics?|underlin(?:e|ing)|strike-?through|line through|background(?: colou?r)?|colou?r)(?: from {IT})?`, undo},
	{`(?P<adj>un-?bold|un-?italici[sz]e|un-?underline) {IT}`, undo},

	// Sizes, colours, alignment by name of the property.
	{`(?:increase|enlarge|raise|bump up|grow) {WHO}(?:font |text )?size{OF}`, constant(style("font-size", "larger"))},
	{`(?:decrease|reduce|lower|shrink) {WHO}(?:font |text )?size{OF}`, constant(style("font-size", "smaller"))},
	{`(?:{SET}|increase|decrease|reduce|raise|lower) {WHO}(?:font|text)[ -]?size(?: of (?:it|this))?(?: to| at|=|:)? ?(?P<val>\d.*)`, fontSize},
	{`{SET} {WHO}(?:text |font |foreground )?colou?r(?: of (?:it|this))?(?: to(?: be)?| into| as| =|=|:)? ?(?P<val>[^ ].*)`, colourOf("color")},
	{`{SET} {WHO}background(?:[ -]?colou?r)?(?: of (?:it|this))?(?: to(?: be)?| into| as| =|=|:)? ?(?P<val>[^ ].*)`, colourOf("background-color")},
	{`(?:give {IT}|add|apply|use|put) (?:an? )?(?P<val>[\w# -]+?) background(?: colou?r)?`, colourOf("background-color")},
	{`give {IT} (?:an? )?background(?: colou?r)?(?: of)? (?P<val>.+)`, colourOf("background-color")},
	{`give {IT} (?:an? )?(?P<val>[\w# -]+?) (?:text |font )?colou?r`, colourOf("color")},
	{`(?:colou?r|paint) {IT} (?P<val>.+)`, colourOf("color")},
	{`highlight {IT}(?: in| with)? (?P<val>.+)`, colourOf("background-color")},
	{`(?P<val>left|right|centre|center)[ -]align {IT}`, align},
	{`align(?: {IT})?(?: to the| to| on the| in the)? (?P<val>left|right|center|centre|middle)`, align},
	{`(?:center|centre) {IT}(?: horizontally)?`, constant(style("text-align", "center"))},
	{`justify {IT}`, constant(style("text-align", "justify"))},
	{`{SET} {WHO}font(?:[ -]family| face)?(?: of (?:it|this))?(?: to| as| =|=|:) ?{VAL}`, fontFamily},
	{`(?:use|apply|switch to|change to|set it in) {THE}{VAL} font(?: family| face)?(?: (?:for|on) {IT})?`, fontFamily},
	{`(?:add|use|put|draw|give {IT}) (?:an? |some )?(?:(?P<width>\d{1,2}) ?px )?(?:(?P<val>[\w# -]+?) )?(?:border|outline|frame)(?: (?:to|on|around) {IT})?`, border},
	{`(?:add|use|give {IT}) (?:some )?round(?:ed)? corners(?: (?:to|on) {IT})?`, constant(style("border-radius", "8px"))},
	{`(?:round {THE}corners|make {THE}corners round(?:ed)?)(?: of {IT})?`, constant(style("border-radius", "8px"))},
	{`(?:add|use|put|give {IT}) (?:an? )?(?:drop |box )?shadow(?: (?:to|on|around|behind) {IT})?`, constant(style("box-shadow", shadow))},
	{`(?:add|put|leave) (?P<val>\d[\d.]*(?: ?(?:px|pixels?|em|rem|pt))?) (?:of )?(?P<prop>margin|padding|space|spacing)(?: (?:at|on|to) {THE})?(?: ?(?P<side>above|below|under|over|before|after|top|bottom|left|right|around|inside))?(?: (?:of )?{IT})?`, spacing},
	{`{SET} {WHO}{CSS}{OFIT}(?: property| style)?(?: to| =|=|:) ?{VAL}`, cssProperty},
	{`(?:{SET} )?(?P<prop>[a-z-]+) ?: ?{VAL}`, cssDeclaration},

	// Attributes.
	{`(?:{SET}|add|replace) {THE}attribute (?P<attr>\S+)(?: to| =|=|:| with)? ?{VAL}`, attributeTo(true)},
	{`(?:{SET}|add|replace) {WHO}(?P<attr>[\w:.-]+) attribute(?: of (?:it|this))?(?: to| =|=|:| with| as)? ?{VAL}`, attributeTo(true)},
	{`(?:{SET}|replace|rewrite) {WHO}(?P<attr>{ATTR})(?: {OFIT})?(?: to(?: be| say| read)?| =|=|:| with| as| into)(?: the| of)? ?{VAL}`, attributeTo(false)},
	{`(?:{SET}|replace) {WHO}(?P<attr>{ATTR}) (?P<val>[\x{E000}-\x{E0FF}])`, attributeTo(false)},
	{`add {THE}(?P<attr>{ATTR})(?: of| with| saying|:)? (?P<val>[\x{E000}-\x{E0FF}])(?: to {IT})?`, attributeTo(false)},
	{`give {IT} {THE}(?P<attr>{ATTR})(?: of|:)? {VAL}`, attributeTo(false)},
	{`(?P<attr>{ATTR}) ?= ?{VAL}`, attributeTo(false)},
	{`(?:{SET}|replace) {THE}(?:link|url|hyperlink)(?: {OFIT})?(?: to| =|=|:| with| as) ?{VAL}`, linkTo},
	{`(?:make )?{IT} ?(?:link|point|go) to {VAL}`, linkTo},
	{`(?:link|point) {IT} (?:to|at) {VAL}`, linkTo},
	{`(?:change|replace|set|swap|update) {THE}(?:image|picture|photo|logo|icon)(?: source| file)?(?: to| with| by| for) ?{VAL}`, imageTo},
	{`(?:link|point) to {VAL}`, linkTo},
	{`(?:open(?: {IT})?|make {IT} open) in (?:a )?new (?:tab|window)`, constant(step{Kind: setAttribute, Name: "target", Value: "_blank"})},
	{`{SET} {THE}(?P<attr>width|height){OF}(?: to| =|=|:)? ?{VAL}`, dimension},

	// Text.
	{`(?:change|set|update|edit|modify|alter|switch|rewrite|replace) {TX}(?: to| into| as| with| by)(?: say| read| be)?(?: ?:)? ?{VAL}`, newText},
	{`(?:change|set|update|edit|modify|rename|rewrite|replace|switch) {TX} ?[:=] ?{VAL}`, newText},
	{`(?:change|set|update|edit|modify|rename|rewrite|replace|switch|turn|shorten|simplify|trim|cut|reword|rephrase|correct|fix|translate) {IT}(?: down)? (?:to|into|as|with|by)(?: say| read| just)?(?: ?:)? ?{Q}`, newText},
	{`(?:change|set|update|make|put|raise|lower|increase|reduce)(?: {IT})?(?: to| at)? (?P<val>{MONEY})`, newText},
	{`{IT} (?:should|must|has to|needs to) be (?P<val>{MONEY})`, newText},
	{`(?:change|set|update|rename|edit)(?: to| it)? {Q}`, newText},
	{`(?:make|set) {TX} {Q}`, newText},
	{`{TX} (?:should|must|has to) be(?: ?:)? ?{Q}`, newText},
	{`(?:make|have|let) {IT} (?:say|read|be)(?: ?:)? ?{VAL}`, newText},
	{`(?:{IT}|{NOTHING}) (?:should|must|needs to|has to|ought to) (?:say|read)(?: ?:)? ?{VAL}`, newText},
	{`(?:rename|retitle|relabel) {IT}(?: to| as)?(?: ?:)? ?{VAL}`, newText},
	{`(?:call|name|title|label) {IT} ?{Q}`, newText},
	{`(?:write|put|say|use) {Q}(?: instead| here)?`, newText},
	{`(?:new text|text) ?: ?{VAL}`, newText},

	// How it looks.
	{`(?:make|turn|set|put|render|colou?r|paint|show|display|have|get) {IT}(?: to be| to| be| in| appear| look as| as)? (?P<adj>.+)`, adjective},
	{`(?:make|turn|set|render) (?P<adj>\S+) {IT}`, adjective},
	{`(?:change|switch|turn) {IT} (?:to|into) (?P<adj>.+)`, adjective},
	{`(?:i want|i'd like|i would like|i’d like|we want|we need|i need) {IT} (?:to be |in |to look )?(?P<adj>.+)`, adjective},
	{`{IT} (?:should|must|needs to|has to|ought to) (?:be|become|appear)(?: in)? (?P<adj>.+)`, adjective},
	{`(?P<adj>embolden|bolden|bold|italici[sz]e|underline|strike ?through|cross out|strike out|enlarge|upsize|shrink|downsize|uppercase|upper-case|lowercase|lower-case|capitali[sz]e) {IT}`, adjective},
	{`(?:use|apply) (?P<adj>.+?)(?: (?:for|on|in) {IT})?`, adjective},
	{`(?P<adj>disable|enable) {IT}`, adjective},
	{`strike {IT} (?:through|out)`, constant(style("text-decoration", "line-through"))},
	{`cross {IT} out`, constant(style("text-decoration", "line-through"))},

	// There or not there.
	{`(?:hide|conceal) {IT}(?: from view| from the page)?`, constant(style("display", "none"))},
	{`(?:show|unhide|un-hide|reveal|display) {IT}(?: again)?`, constant(step{Kind: show})},
	{`(?:remove|delete|erase|drop|get rid of|take out|throw out) {IT}(?: from the page| from here| completely| entirely| altogether)?`, remove},
	{`(?:remove|delete|hide|show)`, bareVerb},

	// Words that stand in the target, by a new text in quotes.
	{`(?:change|replace|swap|correct|fix|update) (?P<from>[^\x{E000}-\x{E0FF}]{2,80}?) (?:to|with|by|into|for|→|->|=>) {Q}`, swapWords},
}

func init() {
	words := make(map[string]map[string]bool, len(attributeWords))
	for w := range attributeWords {
		words[w] = nil
	}
	englishMacros["ATTR"] = `(?:` + alternatives(words) + `|title|data-[a-z0-9_.-]+|aria-[a-z0-9-]+)`
	props := map[string]map[string]bool{}
	for p := range properties {
		props[strings.ReplaceAll(p, "-", " ")] = nil
	}
	css := strings.ReplaceAll(alternatives(props), `\s+`, `[\s-]+`)
	englishMacros["CSS"] = `(?P<prop>` + css + `|line[\s-]+spacing|corner[\s-]+radius)`
	englishMacros["OFIT"] = `(?: ?of (?:it|this|that))?`
	englishMacros["NOTHING"] = `there`
	englishMacros["TYPO"] = `(?:(?:(?:fix|correct) {THE})?(?:typo|spelling|mistake) ?: ?)?`
	englishMacros["MONEY"] = `[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?[€£¥]`
}

func constant(s step) func(clause) ([]step, bool) {
	return func(c clause) ([]step, bool) { return c.one(s) }
}

func swap(c clause) ([]step, bool) {
	from, ok1 := c.exact("from")
	to, ok2 := c.exact("val")
	if !ok1 || !ok2 || from == "" || from == to {
		return nil, false
	}
	_, quoted := c.quoted("from")
	return []step{{Kind: swapText, From: from, Value: to, Whole: !quoted}}, true
}

// swapWords reads words without quotes; the target has to hold them as they are.
func swapWords(c clause) ([]step, bool) {
	from, to := c.get("from"), ""
	to, ok := c.quoted("val")
	if !ok || from == to || from == "" {
		return nil, false
	}
	return []step{{Kind: swapText, From: from, Value: to, Whole: true}}, true
}

var marks = map[string]string{
	"period": ".", "full stop": ".", "dot": ".", "exclamation mark": "!", "exclamation point": "!",
	"question mark": "?", "colon": ":", "ellipsis": "…",
}

func addText(kind string) func(clause) ([]step, bool) {
	return func(c clause) ([]step, bool) {
		v, ok := marks[strings.ToLower(strings.Join(strings.Fields(c.get("mark")), " "))]
		if !ok {
			v, ok = c.quoted("val")
		}
		return c.on([]step{{Kind: kind, Value: v}}, ok && v != "")
	}
}

// shadow is a soft one, a little below.
const shadow = "0 2px 8px rgba(0, 0, 0, 0.2)"

// border draws a thin line where no other width is named.
func border(c clause) ([]step, bool) {
	width, paint := c.get("width"), c.get("val")
	if width == "" {
		width = "1"
	}
	v := width + "px solid"
	for _, w := range []string{"thin ", "solid "} {
		paint = strings.TrimPrefix(strings.ToLower(paint)+" ", w)
		paint = strings.TrimSpace(paint)
	}
	if paint != "" && paint != "thin" && paint != "solid" {
		col, ok := colour(paint)
		if !ok {
			return nil, false
		}
		v += " " + col
	}
	return c.one(style("border", v))
}

// sides are the words for where a space is.
var sides = map[string]string{
	"above": "top", "over": "top", "before": "top", "top": "top", "below": "bottom", "under": "bottom", "after": "bottom",
	"bottom": "bottom", "left": "left", "right": "right",
}

func spacing(c clause) ([]step, bool) {
	prop, side := strings.ToLower(c.get("prop")), strings.ToLower(c.get("side"))
	switch {
	case prop == "padding" || prop != "margin" && side == "inside":
		prop = "padding"
	case prop != "margin" && side == "":
		return nil, false // space where?
	default:
		prop = "margin"
	}
	if s := sides[side]; s != "" {
		prop += "-" + s
	}
	l, ok := length(c.get("val"))
	return c.on([]step{style(prop, l)}, ok)
}

func dropText(c clause) ([]step, bool) {
	from, ok := c.quoted("from")
	if !ok || strings.TrimSpace(from) == "" {
		return nil, false
	}
	return []step{{Kind: swapText, From: from}}, true
}

func class(kind string) func(clause) ([]step, bool) {
	return func(c clause) ([]step, bool) {
		v, quoted, ok := c.phrase.value(c.groups["val"])
		if !ok || !quoted && (!classList.MatchString(strings.TrimPrefix(v, ".")) || reserved[strings.ToLower(v)]) {
			return nil, false
		}
		var out []step
		for _, name := range strings.Fields(v) {
			if name = strings.TrimPrefix(name, "."); name == "" {
				return nil, false
			}
			out = append(out, step{Kind: kind, Name: name})
		}
		return c.on(out, len(out) > 0)
	}
}

func noAttribute(explicit bool) func(clause) ([]step, bool) {
	return func(c clause) ([]step, bool) {
		word, quoted, ok := c.phrase.value(c.groups["attr"])
		if !ok || reserved[strings.ToLower(word)] && !strings.EqualFold(word, "class") && !strings.EqualFold(word, "name") && !strings.EqualFold(word, "value") {
			return nil, false
		}
		name, ok := attributeCalled(word, explicit || quoted)
		if !ok {
			return nil, false
		}
		return c.one(step{Kind: removeAttribute, Name: name})
	}
}

func attributeTo(explicit bool) func(clause) ([]step, bool) {
	return func(c clause) ([]step, bool) {
		word, _, ok := c.phrase.value(c.groups["attr"])
		if !ok {
			return nil, false
		}
		name, ok := attributeCalled(word, explicit)
		if !ok {
			return nil, false
		}
		v, quoted, ok := c.phrase.value(c.groups["val"])
		if !ok {
			return nil, false
		}
		if v, ok = attributeValue(name, v, quoted, c.chinese); !ok {
			return nil, false
		}
		s := step{Kind: setAttribute, Name: name, Value: v}
		if !explicit && wholeText[name] && !plainSet.MatchString(c.whole) {
			s.Either = name
		}
		return c.one(s)
	}
}

// wholeText are attribute names that are also what people call a text: the
// target decides which one is meant.
var wholeText = set(`title label name value content`)

// plainSet is how an attribute is named and nothing else: without an article.
var plainSet = regexp.MustCompile(`(?i)^(?:set|add|设置)\s+(?:title|label|name|value|content)\b|=`)

func linkTo(c clause) ([]step, bool) {
	v, quoted, ok := c.phrase.value(c.groups["val"])
	if !ok || !urlLike.MatchString(v) && !(quoted && token.MatchString(v) && strings.ContainsAny(v, "./#?:")) {
		return nil, false
	}
	return c.one(step{Kind: setAttribute, Name: "href", Value: v})
}

func imageTo(c clause) ([]step, bool) {
	v, _, ok := c.phrase.value(c.groups["val"])
	if !ok || !urlLike.MatchString(v) || !strings.ContainsAny(v, "./:") {
		return nil, false
	}
	return c.one(step{Kind: setAttribute, Name: "src", Value: v})
}

func dimension(c clause) ([]step, bool) {
	v, _, ok := c.phrase.value(c.groups["val"])
	if !ok {
		return nil, false
	}
	l, ok := length(v)
	if !ok {
		return nil, false
	}
	return c.one(step{Kind: setStyle, Name: strings.ToLower(c.get("attr")), Value: l, Sized: true})
}

func newText(c clause) ([]step, bool) {
	v, ok := c.text("val")
	if _, quoted := c.quoted("val"); links[c.noun()] && !quoted {
		return nil, false // it may name a place to link to
	}
	if !ok || strings.TrimSpace(v) == "" {
		return nil, false
	}
	if pictures[c.noun()] && urlLike.MatchString(v) {
		return c.one(step{Kind: setAttribute, Name: "src", Value: v})
	}
	s := step{Kind: replaceText, Value: v}
	if n := c.noun(); n == "title" || n == "label" || n == "name" || n == "value" || n == "content" {
		s.Either = n
	}
	return c.one(s)
}

var links = set(`link links hyperlink anchor 链接 超链接`)

var pictures = set(`image picture photo icon logo 图片 图像 照片 图标`)

func fontSize(c clause) ([]step, bool) {
	l, ok := length(c.get("val"))
	return c.on([]step{style("font-size", l)}, ok)
}

func fontFamily(c clause) ([]step, bool) {
	v, quoted, ok := c.phrase.value(c.groups["val"])
	if !ok {
		return nil, false
	}
	f, ok := font(v, quoted)
	return c.on([]step{style("font-family", f)}, ok)
}

func colourOf(property string) func(clause) ([]step, bool) {
	return func(c clause) ([]step, bool) {
		v, _, ok := c.phrase.value(c.groups["val"])
		if !ok {
			return nil, false
		}
		col, ok := colour(strings.TrimPrefix(v, "color "))
		return c.on([]step{style(property, col)}, ok)
	}
}

func align(c clause) ([]step, bool) {
	v := strings.ToLower(c.get("val"))
	if v == "" {
		return nil, false
	}
	if v == "centre" || v == "middle" {
		v = "center"
	}
	return c.one(style("text-align", v))
}

func cssProperty(c clause) ([]step, bool) {
	prop, ok := property(c.get("prop"))
	if !ok {
		return nil, false
	}
	v, quoted, ok := c.phrase.value(c.groups["val"])
	if !ok {
		return nil, false
	}
	v, ok = propertyValue(prop, v, quoted)
	s := style(prop, v)
	s.Sized = prop == "width" || prop == "height"
	return c.on([]step{s}, ok)
}

func cssDeclaration(c clause) ([]step, bool) {
	if _, ok := property(c.get("prop")); !ok {
		return nil, false
	}
	return cssProperty(c)
}

func remove(c clause) ([]step, bool) {
	n := c.noun()
	// The text of an element, or a link around it, is not the element.
	if textNouns[n] || chineseTextNouns[n] || n == "link" || n == "hyperlink" || n == "links" || n == "title" || strings.HasSuffix(n, " text") {
		return nil, false
	}
	return c.one(step{Kind: removeNode})
}

func bareVerb(c clause) ([]step, bool) {
	switch strings.ToLower(c.whole) {
	case "hide":
		return c.one(style("display", "none"))
	case "show":
		return c.one(step{Kind: show})
	}
	return c.one(step{Kind: removeNode})
}
