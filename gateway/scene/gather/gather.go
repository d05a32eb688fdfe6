// Package gather collects what a scene is made of from a page, the view that
// shows it and the folder it lies in. It is best effort: what cannot be collected
// is stated as not available, and nothing here grants anything.
package gather

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/scene"
	"proofmark/gateway/surface"
)

// Timeout bounds what is asked of a page for a scene.
const Timeout = 2 * time.Second

// Page is an opened page, and what shows it.
type Page struct {
	Document core.Document
	Head     core.Revision
	Tree     *htmlsrc.Tree    // of the head
	Disk     int64            // generation the file holds; 0 for none
	Root     string           // the folder paths are relative to, absolute
	Preview  *surface.Preview // nil where nothing shows the page
	Shown    int64            // generation the preview shows
	Width    int              // of the preview, CSS pixels
	Height   int
	Notes    []core.SentNote
	Exact    bool // the notes were found in the head
}

// Source collects a scene's source.
func Source(ctx context.Context, p Page) scene.Source {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	src := p.Tree.Source()
	lines := htmlsrc.NewLines(src)
	dir := filepath.Dir(p.Document.Path)
	s := scene.Source{
		Version: scene.Version,
		Roots:   []scene.Root{{Path: p.Root}},
		Document: &scene.Document{
			Path: p.Document.Path, Language: "HTML", Revision: p.Head.Generation, Bytes: int64(len(src)), Lines: countLines(src, lines),
			OnDisk: &scene.OnDisk{Revision: p.Disk},
		},
		Picks:       picked(p.Notes, p.Exact, lines),
		Diagnostics: structure(p.Document.Path, p.Tree, p.Head.Generation, lines),
		Files:       projectFiles(p.Root, dir),
	}
	if p.Preview != nil {
		s.Preview = &scene.Preview{
			Revision: p.Shown, Width: p.Width, Height: p.Height, Missing: besidePage(p.Preview.Missing()), Offline: p.Preview.Asked(),
		}
		livePart(ctx, p, &s)
	}
	return s
}

// livePart adds what only the page itself can tell.
func livePart(ctx context.Context, p Page, s *scene.Source) {
	view := p.Preview.Surface()
	h, err := view.Health(ctx)
	if err != nil {
		s.Unavailable = append(s.Unavailable, scene.Unavailable{What: "diagnostics of the page", Why: core.AsError(err).Message})
	}
	for _, l := range []struct {
		list   []string
		source string
	}{{h.Errors, "uncaught"}, {h.ConsoleErr, "console"}} {
		for _, m := range l.list {
			if blocked(m, s.Preview.Offline) {
				continue
			}
			s.Diagnostics = append(s.Diagnostics, scene.Diagnostic{
				Level: "error", World: scene.Page, Revision: s.Preview.Revision, Source: l.source,
				Message: strings.ReplaceAll(m, contract.PageOrigin+"/", ""),
			})
		}
	}
	live, err := view.Tree(ctx)
	if err != nil {
		s.Unavailable = append(s.Unavailable, scene.Unavailable{What: "whether scripts changed the page", Why: core.AsError(err).Message})
		return
	}
	if p.Shown == p.Head.Generation {
		s.Preview.Changed = !sameElements(p.Tree, live)
	}
}

// blocked tells whether a message only says that the page may not load from an
// origin, which stands in the snapshot already.
func blocked(message string, offline []string) bool {
	return strings.Contains(message, "Content Security Policy") &&
		slices.ContainsFunc(offline, func(o string) bool { return strings.Contains(message, o) })
}

// sameElements tells whether the page has the elements of the source, in the
// same order.
func sameElements(t *htmlsrc.Tree, live []contract.TreeElement) bool {
	n := 0
	for id := range t.Elements() {
		if n == len(live) || live[n].Name != t.Name(id) {
			return false
		}
		n++
	}
	return n == len(live)
}

// countLines counts as people do: the end of the last line begins no further one.
func countLines(src []byte, l *htmlsrc.Lines) int {
	if n := len(src); n > 0 && (src[n-1] == '\n' || src[n-1] == '\r') {
		return l.Len() - 1
	}
	return l.Len()
}

// besidePage makes the paths the page asked for relative to it.
func besidePage(paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, p := range paths {
		out = append(out, strings.TrimLeft(p, "/"))
	}
	return out
}

// picked lists what the notes point at; lines only of what was found exactly, in
// the bytes at hand.
func picked(notes []core.SentNote, exact bool, lines *htmlsrc.Lines) []scene.Pick {
	var out []scene.Pick
	for _, n := range notes {
		for _, target := range n.Targets {
			pick := scene.Pick{Note: n.Order, Name: target.Anchor.Name}
			if target.Resolution == core.Exact && exact {
				pick.Line, _ = lines.Position(target.Anchor.StartTag.Start)
			}
			out = append(out, pick)
		}
	}
	return out
}

// structure gives what the map found odd in the source.
func structure(path string, t *htmlsrc.Tree, generation int64, lines *htmlsrc.Lines) []scene.Diagnostic {
	moved, first := 0, 0
	for id := range t.Elements() {
		if t.Provenance(id) != htmlsrc.FromMove {
			continue
		}
		if tag, ok := t.StartTag(id); ok && moved == 0 {
			first, _ = lines.Position(tag.Start)
		}
		moved++
	}
	if moved == 0 {
		return nil
	}
	return []scene.Diagnostic{{
		Level: "warning", World: scene.Head, Revision: generation, Path: path, Line: first, Source: "source map",
		Message: fmt.Sprintf("elements written in a table that may not stand there, and stand before it in the page: %d", moved),
	}}
}

// projectNames are the files that say what a project is.
var projectNames = []string{"package.json", "README.md", "docs/development.md"}

// projectFiles reads the project's files nearest to the page, from its folder up
// to the root and never outside of it.
func projectFiles(root, dir string) []scene.File {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil
	}
	defer r.Close()
	rel, err := filepath.Rel(root, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	var out []scene.File
	for _, name := range projectNames {
		for at := rel; ; at = filepath.Dir(at) {
			if f, ok := projectFile(r, filepath.Join(at, filepath.FromSlash(name))); ok {
				out = append(out, f)
				break
			}
			if at == "." {
				break
			}
		}
	}
	return out
}

func projectFile(r *os.Root, name string) (scene.File, bool) {
	f := scene.File{Path: filepath.ToSlash(name)}
	info, err := r.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular():
		return f, false
	case err != nil:
		return failed(f, err), true
	}
	if f.Bytes = info.Size(); f.Bytes > core.MaxProjectFileBytes {
		return f, true
	}
	file, err := r.Open(name)
	if err != nil {
		return failed(f, err), true
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, core.MaxProjectFileBytes))
	if err != nil {
		return failed(f, err), true
	}
	f.Text = string(text)
	return f, true
}

// failed says why a file could not be read, without the path, which is there.
func failed(f scene.File, err error) scene.File {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	f.Error = err.Error()
	return f
}
