// Package document owns the life of a document: it reads the HTML file,
// keeps every version of it, moves the head by compare-and-swap under a writer
// lease, takes changes back and puts them back again, and writes the newest
// version back into the file.
//
// # Versions
//
// A document has one line of revisions, numbered by generation from 1, the
// import. Every later revision comes with one change set: the edits from the
// bytes before to the bytes after. Nothing is ever removed from the line;
// taking back, restoring and putting back append.
//
// # Undo and redo
//
// Revert takes back any change set, or one note of it: its inverse edits are
// carried through every later change set and made at the head. That works while
// its places hold what it put there: what became different and then the same
// again is stepped over, and so is a stretch of history after which all bytes
// are as they were before it. Otherwise it is a conflict, and the later change,
// and the note of it where there is one, is named. Changes that are known by
// their two texts alone (outside changes, restores) may be a conflict where none
// would be; they never lead to the wrong place.
//
// The edits of a note are in force unless a revert took them back that is itself
// in force and was not put back by a redo. Undo takes back the newest change set
// made here that is no revert and has something in force. Redo puts back the
// newest revert in force, as long as nothing but reverts and redos came after
// it; any new edit, restore or outside change empties the redo stack, as in an
// editor.
//
// A version can have a name, which stands for it wherever a generation does.
// Names are rows of their own; the newest one counts.
//
// # The file
//
// A document knows which revision's bytes its file held last (SyncedID). Open
// imports a change another program made as a revision of its own when the head
// has the bytes of that revision, and refuses with OutsideChange when the head is
// ahead of the file. Sync then shows what a three-way merge would come to, and
// joins the two, keeps the one or takes the other, as it is told. What the file
// held, what was the newest (restored on top of it) and what they were joined to
// are revisions of their own, stored in one transaction.
//
// WriteBack replaces the file atomically, and only while it still holds the
// bytes it had last. A symbolic link is followed: the file it points to is the
// document and is written, the link stays. Replacing gives the name a new file:
// other hard links to the old one keep the old bytes. What another program writes
// in the last moment is put back, also when the process was killed before it
// could do so.
//
// A Watcher tells when files have come to rest with other bytes.
package document
