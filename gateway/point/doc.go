// Package point finds the live element that a person or a program means, and
// proves it down to its bytes.
//
// A target is a CSS selector, a point of the view or a path of element indexes.
// A selector that several elements match is refused with a list of them, never
// answered with the first.
package point
