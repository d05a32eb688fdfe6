package contract

// MaxLayoutElements bounds the elements whose boxes one Layout gives.
const MaxLayoutElements = 50_000

// Layout says where everything on the loaded page stands, at the view's size.
type Layout struct {
	// Boxes are those of Tree's elements, in the same order; nil where Cut is set.
	Boxes []Box
	Cut   bool // the page has more than MaxLayoutElements elements
	// Area is what can be scrolled to, page CSS pixels. Its X is negative where
	// a page that is written from right to left is wider than the view.
	Area          Rect
	Width, Height float64 // of the view, without scroll bars
	// ClipsX and ClipsY say that the view cuts off what is beyond it: nobody can
	// scroll there.
	ClipsX, ClipsY bool
	// Adapts says that the page asks how wide its view is: it has a viewport
	// declaration, or rules for certain sizes.
	Adapts bool
}

// Box is the place of one element.
type Box struct {
	Rect          // border box in page CSS pixels
	Parent   int  // index of the parent, -1 for the root
	Birth    int  // number in the birth register, -1 where it has none
	Shown    bool // it is rendered, and neither visibility nor opacity hides it
	Text     bool // it has text of its own, besides that of its children
	Replaced bool // it is a picture, a control or the like
	Painted  bool // it has neither text nor children, but a background or border
	Inline   bool // it flows in lines of text
	Absolute bool // taken out of the flow, with its contents
	Fixed    bool // stands or sticks in the view
	// ClipsX and ClipsY say that it cuts off its contents for good, ScrollsX and
	// ScrollsY that a person can scroll them.
	ClipsX, ClipsY, ScrollsX, ScrollsY bool
}
