// Package annotate keeps annotations: an instruction and the elements it is
// about, as durable drafts until they are sent or discarded.
//
// A draft can only be made from proof.Verified, so every stored anchor was tied
// to one start tag of one revision first. When the document moves on, Resolve
// carries the anchors over to the head: the same revision keeps them, known
// change sets re-project them, anything else re-maps them. What cannot be found
// for certain becomes contextual, with a reason, and never blocks the others.
package annotate
