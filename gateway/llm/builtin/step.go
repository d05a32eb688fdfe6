package builtin

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
)

// step is one thing an instruction asks for. Name and Value come out of the
// instruction or are constants of the grammar, never made up.
type step struct {
	Kind  string
	Name  string
	Value string
	From  string // of swapText
	Noun  string // what the instruction calls the target, "" for it or this

	Plural bool // the instruction speaks of several elements by name

	// Either says that Value may be meant as text or as this attribute; the
	// target decides.
	Either string
	// Sized says that a width or height may be an attribute or a style.
	Sized bool
}

// style makes a set_style step.
func style(property, value string) step { return step{Kind: setStyle, Name: property, Value: value} }
