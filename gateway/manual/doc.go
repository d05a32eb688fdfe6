// Package manual is the person's own editing of a document's source: edit
// sessions that keep every keystroke that was saved, and the merge with what
// others committed meanwhile.
//
// A session holds a baseline revision and a buffer, and no right to write. A
// commit takes the writer lease for a moment. Where the head has moved on, the
// buffer is merged with it; where both changed one place, nothing is committed
// and the buffer stays.
package manual
