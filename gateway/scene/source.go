package scene

import "log/slog"

// Version is the version of the forms of Source and Snapshot.
const Version = 1

// World says to which of the several texts of one document a value belongs.
type World string

// The worlds.
const (
	Page      World = "page"      // what the preview shows now
	Head      World = "head"      // the newest saved revision
	Disk      World = "disk"      // the file
	Buffer    World = "buffer"    // the editor's text
	Candidate World = "candidate" // staged, not committed
)

// Source is what a host knows about what the person has in view. Everything in
// it is optional, and everything in it is data from outside. Paths are absolute
// paths, file URLs, or relative to a root already. Lines count from 1; columns
// count Unicode code points from 1.
type Source struct {
	Version     int           `json:"version"`
	Roots       []Root        `json:"roots,omitempty"` // the workspace's folders
	View        string        `json:"view,omitempty"`  // Preview, Source, Versions or Changes
	Panes       []string      `json:"panes,omitempty"` // what else is visible
	Document    *Document     `json:"document,omitempty"`
	Editor      *Editor       `json:"editor,omitempty"`
	Preview     *Preview      `json:"preview,omitempty"`
	Staged      *Staged       `json:"candidate,omitempty"`
	Picks       []Pick        `json:"picks,omitempty"`
	Diagnostics []Diagnostic  `json:"diagnostics,omitempty"`
	Tabs        []Tab         `json:"tabs,omitempty"`
	Files       []File        `json:"files,omitempty"`       // candidates for a project summary
	Unavailable []Unavailable `json:"unavailable,omitempty"` // what could not be collected
}

// Root is one folder of the workspace.
type Root struct {
	Name string `json:"name,omitempty"` // default: the last part of Path
	Path string `json:"path"`           // absolute
}

// Document is the active document as it is saved.
type Document struct {
	Path     string  `json:"path"`
	Language string  `json:"language,omitempty"` // default: by the name's extension
	Revision int64   `json:"revision,omitempty"` // generation of the head; 0 where there are no revisions
	Bytes    int64   `json:"bytes,omitempty"`
	Lines    int     `json:"lines,omitempty"`
	Text     *string `json:"text,omitempty"` // the head's, to compare an unsaved buffer with
	OnDisk   *OnDisk `json:"disk,omitempty"` // nil where the file was not looked at
}

// OnDisk says which text the document's file holds.
type OnDisk struct {
	Missing  bool  `json:"missing,omitempty"`  // there is no file
	Revision int64 `json:"revision,omitempty"` // whose bytes the file holds; 0: of no saved revision
}

// Editor is the source editor on the active document.
type Editor struct {
	Text      string    `json:"text,omitempty"`      // the buffer, or a part of it
	FirstLine int       `json:"firstLine,omitempty"` // of Text, where it is a part; 0 where it is the whole buffer
	Base      int64     `json:"base,omitempty"`      // the revision the buffer began with
	Dirty     bool      `json:"dirty,omitempty"`     // the buffer has unsaved changes
	Cursor    *Position `json:"cursor,omitempty"`
	Selection *Range    `json:"selection,omitempty"` // empty ranges are cursors
}

// Position is a place in a text.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column,omitempty"` // 0 where it is not known
}

// Range is a stretch of a text; End is behind its last character.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Preview is the page as the browser shows it.
type Preview struct {
	Revision  int64    `json:"revision,omitempty"`  // what it was loaded from
	Candidate bool     `json:"candidate,omitempty"` // it was loaded from the candidate
	Changed   bool     `json:"changed,omitempty"`   // scripts have changed its DOM since
	Width     int      `json:"width,omitempty"`     // of the viewport, CSS pixels
	Height    int      `json:"height,omitempty"`
	Missing   []string `json:"missing,omitempty"` // files it asked for that are not there
	Offline   []string `json:"offline,omitempty"` // origins it asked for and was not allowed
}

// Staged is a candidate: a change that is staged and not committed.
type Staged struct {
	Base int64 `json:"base,omitempty"` // the revision it changes
}

// Pick is one element the person pointed at.
type Pick struct {
	Note int    `json:"note"`           // the annotation's order, from 1
	Name string `json:"name"`           // of the element
	Line int    `json:"line,omitempty"` // of its start tag in the head
}

// Diagnostic is one complaint about a file or a page. Only errors and warnings
// are kept.
type Diagnostic struct {
	Level    string `json:"level"` // error or warning
	World    World  `json:"world,omitempty"`
	Revision int64  `json:"revision,omitempty"` // which of the world's texts it is about
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Source   string `json:"source,omitempty"` // who complains
	Message  string `json:"message"`          // in its own words
}

// Tab is an open file.
type Tab struct {
	Path    string `json:"path"`
	Active  bool   `json:"active,omitempty"`
	Visible bool   `json:"visible,omitempty"`
	Dirty   bool   `json:"dirty,omitempty"`
}

// File is a file of the project, read for a summary.
type File struct {
	Path  string `json:"path"`
	Text  string `json:"text,omitempty"`
	Bytes int64  `json:"bytes,omitempty"` // of the whole file, where Text is not all of it
	Error string `json:"error,omitempty"` // why it could not be read
}

// Unavailable is something that could not be collected.
type Unavailable struct {
	What string `json:"what"`
	Why  string `json:"why,omitempty"`
}

// LogValue tells a log how much there is, and nothing of what it says.
func (s Source) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int("picks", len(s.Picks)), slog.Int("diagnostics", len(s.Diagnostics)),
		slog.Int("tabs", len(s.Tabs)), slog.Int("files", len(s.Files)), slog.Int("unavailable", len(s.Unavailable)),
	)
}
