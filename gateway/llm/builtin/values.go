package builtin

import (
	"regexp"
	"strings"
	"unicode"
)

// colours are the names CSS knows.
var colours = set(`aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue
blueviolet brown burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan
darkblue darkcyan darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen
darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey
darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite
forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew hotpink
indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral
lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen
lightskyblue lightslategray lightslategrey lightsteelblue lightyellow lime limegreen linen magenta
maroon mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue
mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite
navy oldlace olive olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise
palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple red rosybrown
royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue slategray
slategrey snow springgreen steelblue tan teal thistle tomato turquoise violet wheat white whitesmoke
yellow yellowgreen transparent`)

// chineseColours are the common names, without 色.
var chineseColours = map[string]string{
	"红": "red", "大红": "red", "深红": "darkred", "暗红": "darkred", "粉红": "pink", "粉": "pink",
	"橙": "orange", "橘": "orange", "桔": "orange", "橙红": "orangered", "黄": "yellow", "金": "gold",
	"绿": "green", "深绿": "darkgreen", "浅绿": "lightgreen", "青": "cyan", "蓝": "blue", "深蓝": "darkblue",
	"浅蓝": "lightblue", "天蓝": "skyblue", "海军蓝": "navy", "藏青": "navy", "紫": "purple", "紫红": "mediumvioletred",
	"黑": "black", "白": "white", "灰": "gray", "浅灰": "lightgray", "深灰": "dimgray", "银": "silver",
	"浅黄": "lightyellow", "淡黄": "lightyellow", "淡蓝": "lightblue", "淡绿": "lightgreen", "淡灰": "lightgray",
	"浅粉": "lightpink", "米": "beige", "米黄": "beige", "深紫": "indigo", "深棕": "saddlebrown", "棕": "brown", "褐": "brown", "透明": "transparent",
}

var (
	hexColour  = regexp.MustCompile(`^#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$`)
	funcColour = regexp.MustCompile(`^(?i:rgba?|hsla?|oklch|oklab|hwb)\([0-9.,%/\s+-]{1,60}(?:deg)?[0-9.,%/\s+-]{0,60}\)$`)
	size       = regexp.MustCompile(`^(\d{1,4}(?:\.\d{1,3})?)\s*(px|pixels?|pt|points?|em|rem|%|percent|vw|vh|像素|磅|号)?$`)
)

// colour reads a colour: a CSS name, also in two words, a hexadecimal one or a
// function, or a Chinese name.
func colour(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if hexColour.MatchString(s) || funcColour.MatchString(s) {
		return s, true
	}
	if c, ok := chineseColours[strings.TrimSuffix(s, "色")]; ok {
		return c, true
	}
	name := strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(s))
	name = strings.TrimSuffix(strings.TrimSuffix(name, "colored"), "coloured")
	switch name {
	case "darkgray", "darkgrey":
		return "dimgray", true // CSS's darkgray is lighter than its gray
	case "navyblue":
		return "navy", true
	}
	return name, colours[name]
}

// length reads a size with its unit; a bare number means CSS pixels.
func length(s string) (string, bool) {
	m := size.FindStringSubmatch(strings.ToLower(strings.TrimSpace(s)))
	if m == nil {
		return "", false
	}
	switch m[2] {
	case "", "px", "pixel", "pixels", "像素", "号":
		return m[1] + "px", true
	case "pt", "point", "points", "磅":
		return m[1] + "pt", true
	case "percent":
		return m[1] + "%", true
	}
	return m[1] + m[2], true
}

// properties are the CSS properties that can be named, with what their values
// may be made of.
var properties = set(`color background-color font-size font-weight font-style font-family line-height
letter-spacing word-spacing text-align text-transform text-decoration text-indent text-shadow padding padding-top
padding-right padding-bottom padding-left margin margin-top margin-right margin-bottom margin-left border
border-top border-right border-bottom border-left border-color border-width border-style border-radius
outline width height max-width min-width max-height min-height opacity display visibility gap box-shadow
white-space vertical-align z-index overflow float position top right bottom left object-fit cursor
align-items justify-content flex-direction flex-wrap list-style-type`)

var cssValue = regexp.MustCompile(`^[#%.,()/ a-zA-Z0-9+-]{1,120}$`)

// property reads the name of a CSS property, in words or hyphenated.
func property(s string) (string, bool) {
	p := strings.Join(strings.Fields(strings.ToLower(strings.ReplaceAll(s, "-", " "))), "-")
	switch p {
	case "background", "background-colour":
		p = "background-color"
	case "colour", "text-color", "text-colour", "font-color", "font-colour":
		p = "color"
	case "corner-radius":
		p = "border-radius"
	case "text-size":
		p = "font-size"
	case "line-spacing":
		p = "line-height"
	case "border-colour":
		p = "border-color"
	}
	return p, properties[p]
}

// propertyValue checks a value for a property. Words of everyday language are
// no values: every word has to be one CSS has, a number or a colour.
func propertyValue(prop, v string, quoted bool) (string, bool) {
	v = strings.TrimSpace(v)
	switch prop {
	case "color", "background-color", "border-color":
		return colour(v)
	case "font-size":
		return length(v)
	case "font-family":
		return font(v, quoted)
	}
	if !cssValue.MatchString(v) || strings.Contains(strings.ToLower(v), "url") {
		return "", false
	}
	if l, ok := length(v); ok && !unitless[prop] {
		if v == "0" {
			return v, true
		}
		return l, true
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return strings.ContainsRune(" ,/()", r) }) {
		if !cssWord(w) {
			return "", false
		}
	}
	return v, true
}

var unitless = set(`line-height font-weight opacity z-index`)

var cssNumber = regexp.MustCompile(`^[+-]?\d+(?:\.\d+)?(?:px|pt|em|rem|%|vw|vh|ch|fr|s|ms|deg)?$`)

var cssWords = set(`none auto inherit initial unset revert normal bold bolder lighter italic oblique underline
line-through overline uppercase lowercase capitalize left right center justify start end solid dashed dotted
double block inline inline-block flex grid inline-flex hidden visible scroll nowrap pre pre-wrap wrap top bottom
middle baseline relative absolute fixed sticky static cover contain fill pointer default row column
space-between space-around space-evenly stretch flex-start flex-end inset rgb rgba hsl hsla disc circle square
decimal thin medium thick small large smaller larger x-large xx-large x-small fit-content max-content min-content`)

func cssWord(w string) bool {
	if cssWords[w] || cssNumber.MatchString(w) || hexColour.MatchString(w) {
		return true
	}
	return colours[w]
}

var fonts = set(`serif sans-serif monospace cursive system-ui arial helvetica verdana tahoma georgia times
courier garamond palatino roboto inter lato montserrat futura cambria calibri consolas menlo monaco optima
didot baskerville`)

// font reads a font family: a name in quotes or one that is known.
func font(v string, quoted bool) (string, bool) {
	v = strings.TrimSpace(v)
	if v == "" || len(v) > 60 || strings.ContainsFunc(v, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ' ' && r != '-' && r != ','
	}) {
		return "", false
	}
	switch low := strings.ToLower(v); {
	case quoted, fonts[low]:
		return v, true
	case low == "times new roman" || low == "courier new" || low == "comic sans" || low == "comic sans ms" || low == "open sans":
		return v, true
	}
	return "", false
}

// set makes a set of the words.
func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}
