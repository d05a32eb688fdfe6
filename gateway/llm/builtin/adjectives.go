package builtin

import (
	"regexp"
	"strconv"
	"strings"
)

// looks are the words for how something looks, each with the style it is.
var looks = map[string]step{}

func init() {
	add := func(s step, words ...string) {
		for _, w := range words {
			looks[w] = s
		}
	}
	add(style("font-weight", "bold"), "bold", "bolder", "boldface", "bold-faced", "bolded", "strong", "in bold", "embolden", "bolden")
	add(style("font-weight", "normal"), "not bold", "non-bold", "unbold", "un-bold", "regular", "regular weight", "normal weight", "unbolded")
	add(style("font-style", "italic"), "italic", "italics", "italicized", "italicised", "italicize", "italicise", "in italics", "slanted")
	add(style("font-style", "normal"), "not italic", "non-italic", "upright", "unitalicize", "un-italicize", "unitalicise", "un-italicise")
	add(style("text-decoration", "underline"), "underlined", "underline")
	add(style("text-decoration", "none"), "not underlined", "un-underline", "ununderline", "without underline")
	add(style("text-decoration", "line-through"), "strikethrough", "strike-through", "strike through", "struck through",
		"struck out", "crossed out", "cross out", "strike out", "line-through")
	add(style("border-radius", "50%"), "a circle", "circular")
	add(style("border-radius", "8px"), "rounded", "with rounded corners")
	add(style("font-size", "larger"), "larger", "bigger", "enlarge", "upsize", "enlarged")
	add(style("font-size", "smaller"), "smaller", "shrink", "downsize")
	add(style("text-align", "center"), "centered", "centred", "center", "centre", "center aligned", "center-aligned", "centre-aligned", "in the center", "in the centre")
	add(style("text-align", "left"), "left-aligned", "left aligned", "aligned left", "aligned to the left", "flush left")
	add(style("text-align", "right"), "right-aligned", "right aligned", "aligned right", "aligned to the right", "flush right")
	add(style("text-align", "justify"), "justified")
	add(style("text-transform", "uppercase"), "uppercase", "upper case", "upper-case", "all caps", "all-caps", "in all caps", "in uppercase",
		"in capitals", "capitals", "all uppercase", "caps", "in caps")
	add(style("text-transform", "lowercase"), "lowercase", "lower case", "lower-case", "all lowercase", "in lowercase")
	add(style("text-transform", "capitalize"), "capitalized", "capitalised", "capitalize", "capitalise", "title case", "in title case")
	add(style("display", "none"), "hidden", "invisible", "disappear")
	add(step{Kind: show}, "visible", "visible again", "shown")
	add(step{Kind: setAttribute, Name: "disabled"}, "disabled", "disable")
	add(step{Kind: setAttribute, Name: "required"}, "required", "mandatory")
	add(step{Kind: setAttribute, Name: "readonly"}, "read-only", "readonly", "read only")
	add(step{Kind: removeAttribute, Name: "disabled"}, "enabled", "enable", "not disabled")
	add(step{Kind: removeAttribute, Name: "required"}, "optional", "not required")
}

var (
	mildly      = regexp.MustCompile(`^(?:a (?:little )?bit|a little|slightly|somewhat|a touch|one size|a size|all|more) `)
	coloured    = regexp.MustCompile(`^(?:an? |in |the colou?r )?(.+?)(?: in colou?r| colou?r| text)?$`)
	sizedWord   = regexp.MustCompile(`^(\d[\d.]* ?(?:px|pixels?|pt|points?|em|rem|%|percent))(?: (?:font|text|font size|text size|in size|big|large|wide|tall|high))?$`)
	percentWord = regexp.MustCompile(`^(?:by )?(\d{1,2}) ?(?:%|percent) (larger|bigger|smaller)$`)
	backWord    = regexp.MustCompile(`^(?:on |with )?(?:an? )?(.+) background$`)
)

// look gives the step a description of looks means.
func look(s string) (step, bool) {
	w := strings.Join(strings.Fields(strings.ToLower(s)), " ")
	for _, candidate := range []string{w, mildly.ReplaceAllString(w, ""), strings.TrimPrefix(w, "more "), strings.TrimSuffix(w, " text")} {
		if st, ok := looks[candidate]; ok {
			return st, true
		}
	}
	if m := sizedWord.FindStringSubmatch(w); m != nil {
		l, ok := length(m[1])
		if strings.HasSuffix(w, "wide") {
			return step{Kind: setStyle, Name: "width", Value: l, Sized: true}, ok
		}
		if strings.HasSuffix(w, "tall") || strings.HasSuffix(w, "high") {
			return step{Kind: setStyle, Name: "height", Value: l, Sized: true}, ok
		}
		return style("font-size", l), ok
	}
	if m := percentWord.FindStringSubmatch(w); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 || n > 90 {
			return step{}, false
		}
		s := style("font-size", "larger")
		s.Factor = 1 + float64(n)/100
		if m[2] == "smaller" {
			s.Value, s.Factor = "smaller", 1-float64(n)/100
		}
		return s, true
	}
	if m := backWord.FindStringSubmatch(w); m != nil {
		if c, ok := colour(m[1]); ok {
			return style("background-color", c), true
		}
	}
	// Colours that are not names keep their letters as they were written.
	raw := strings.TrimSpace(s)
	if c, ok := colour(raw); ok {
		return style("color", c), true
	}
	if m := coloured.FindStringSubmatch(w); m != nil {
		if c, ok := colour(m[1]); ok {
			return style("color", c), true
		}
	}
	return step{}, false
}

func adjective(c clause) ([]step, bool) {
	v, quoted, ok := c.phrase.value(c.groups["adj"])
	if !ok || quoted {
		return nil, false
	}
	s, ok := look(v)
	if c.noun() == "background" {
		return nil, false
	}
	return c.on([]step{s}, ok)
}

// undo takes a look away again.
func undo(c clause) ([]step, bool) {
	w := strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(c.get("adj")))
	switch {
	case strings.Contains(w, "bold"):
		return c.one(style("font-weight", "normal"))
	case strings.Contains(w, "ital"):
		return c.one(style("font-style", "normal"))
	case strings.Contains(w, "line"), strings.Contains(w, "strike"):
		return c.one(style("text-decoration", "none"))
	case strings.HasPrefix(w, "background"):
		return c.one(style("background-color", "transparent"))
	case strings.HasPrefix(w, "colo"):
		return c.one(style("color", "inherit"))
	}
	return nil, false
}
