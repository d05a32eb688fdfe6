// Package htmledit edits HTML without rewriting it. Plan turns semantic
// operations on mapped elements into the smallest byte edits that do them;
// Check maps the edited bytes and proves that the tree differs only where the
// edits say; CheckScripts proves that code was and is code wherever it changed;
// Added lists what a candidate brings in that a person must approve.
//
// What Plan keeps: the quotes of an attribute (an unquoted value stays so while
// it can), the case of names, the order of attributes and declarations, white
// space, the file's line ends, the byte order mark, and every byte outside the
// edits. What it writes is escaped for the place where it stands.
//
// What each operation means:
//
//   - replace_text replaces one text run but for the white space at its ends,
//     which stays as the source has it; where the source has white space at an
//     end, the white space of the value at that end is dropped. An element
//     without text gets its first.
//   - set_attribute sets the first, effective attribute of that name, or adds
//     one behind the last. An attribute that has the value already is NoOp.
//   - remove_attribute takes the attribute, with its repeats and the white space
//     before it. One that is not there is NoOp.
//   - set_style sets one property: in place where that has effect, else as the
//     last declaration; an important declaration stays important. An empty value
//     removes the property. The other declarations keep their bytes.
//   - add_class and remove_class take one or several names; NoOp where the
//     element has all, or none, of them.
//   - remove_node removes exactly the element's range.
//
// Doing an operation again is NoOp, so a caller may retry. One operation that
// is refused refuses the whole list. An element whose tag makes several elements
// may be edited, which edits all of them, but not removed.
package htmledit
