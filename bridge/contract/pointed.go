package contract

// Bounds of what is asked around elements.
const (
	MaxUnder = 32  // elements of each list of Under
	MaxSpots = 512 // of one call of Places
)

// PointedKind says what happened.
type PointedKind string

// What happens while a page is pointed at.
const (
	Hovered PointedKind = "hover"  // the pointer is over another element
	Picked  PointedKind = "picked" // an element was pressed
	Moved   PointedKind = "moved"  // the page was scrolled or laid out again
	Left    PointedKind = "left"   // the page has replaced itself; nothing can be done with it until it is loaded again
)

// Pointed is one thing that happened. Of hovers and movements only the latest is
// kept until somebody asks; picks are all kept, as long as a person makes them.
type Pointed struct {
	Kind PointedKind
	// Pick is the element, empty for a movement. That of a hover has no handle:
	// nothing is held for it.
	Pick Pick
}

// Spot names an element whose place is asked for: a picked one by its handle, one
// that the page was born with by its number in the birth register, or any by its
// 1-based element indexes from the root. Name is its local name, "" for any.
type Spot struct {
	Handle string
	Born   int // the number plus one; 0 for none
	Path   []int
	Name   string
}

// Outline is a border around an element.
type Outline struct {
	Spot Spot
	Look OutlineLook
}

// OutlineLook says how a border is drawn.
type OutlineLook string

// Looks of borders.
const (
	OutlineSelected OutlineLook = "selected" // a line
	OutlineCursor   OutlineLook = "cursor"   // dashes
	OutlineRefused  OutlineLook = "refused"  // grey dashes
)
