package builtin

import "regexp"

// Kinds of steps the grammar knows; the first seven are the tools' operations.
const (
	replaceText     = "replace_text"
	setAttribute    = "set_attribute"
	removeAttribute = "remove_attribute"
	setStyle        = "set_style"
	addClass        = "add_class"
	removeClass     = "remove_class"
	removeNode      = "remove_node"

	swapText = "swap_text" // From by Value within one text
	show     = "show"      // undo what hides the element

	appendText  = "append_text"  // Value behind the target's text
	prependText = "prepend_text" // Value before it
)

// step is one thing an instruction asks for. Name and Value come out of the
// instruction or are constants of the grammar, never made up.
type step struct {
	Kind  string
	Name  string
	Value string
	From  string // of swapText
	Whole bool   // From stands between other words and numbers, not inside one
	Noun  string // what the instruction calls the target, "" for it or this

	Plural bool // the instruction speaks of several elements by name

	// Either says that Value may be meant as text or as this attribute; the
	// target decides.
	Either string
	// Factor is what a relative size is multiplied with, 0 for one step.
	Factor float64
	// Sized says that a width or height may be an attribute or a style.
	Sized bool
}

// solid are nouns for what is painted as a whole: a green button is green, its
// text is not.
var solid = set(`button buttons card cards box badge panel banner 按钮 卡片`)

var ofText = regexp.MustCompile(`(?i)\b(?:text|font|foreground|letters|label)\b|文字|字|文本`)

// painted gives the step with the background for the colour where the clause
// calls the target something that is painted as a whole.
func (s step) painted(clause string) step {
	if s.Kind == setStyle && s.Name == "color" && solid[s.Noun] && !ofText.MatchString(clause) {
		s.Name = "background-color"
	}
	return s
}

// style makes a set_style step.
func style(property, value string) step { return step{Kind: setStyle, Name: property, Value: value} }
