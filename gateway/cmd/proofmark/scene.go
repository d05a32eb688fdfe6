package main

import (
	"context"
	"encoding/json"
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
)

// contextMode says what a model is told of the person's scene. The zero value
// tells nothing.
type contextMode string

const (
	contextAuto contextMode = "auto"
	contextNone contextMode = "none"
	contextShow contextMode = "show" // as auto, and shown to the person
)

func parseContextMode(s string) (contextMode, error) {
	switch m := contextMode(s); m {
	case contextAuto, contextNone, contextShow:
		return m, nil
	}
	return "", core.Errorf(core.Usage, "--context %q: there is no such mode", s).WithHint("auto, none or show")
}

// sceneTimeout bounds what is asked of the page for the snapshot. Whatever is
// not there by then is stated as not available; the turn goes on.
const sceneTimeout = 2 * time.Second

// scene gives the context snapshot of a turn, and shows it where that is asked
// for.
func (a *app) scene(ctx context.Context, p *livePage, f *editFlags, t core.Turn) string {
	if f.context != contextAuto && f.context != contextShow {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, sceneTimeout)
	defer cancel()
	block := scene.Render(scene.Collect(a.sceneSource(ctx, p, f, t), scene.Options{}))
	switch {
	case f.context != contextShow:
	case a.json: // a line of its own, as the events are
		enc := json.NewEncoder(a.stderr)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(map[string]string{"kind": "context", "text": block})
	default:
		fmt.Fprint(a.stderr, block)
	}
	return block
}

// sceneSource collects what the command line has in view.
func (a *app) sceneSource(ctx context.Context, p *livePage, f *editFlags, t core.Turn) scene.Source {
	o := p.opened
	root := sceneRoot(filepath.Dir(o.Document.Path))
	lines := htmlsrc.NewLines(o.Bytes)
	s := scene.Source{
		Version: scene.Version,
		Roots:   []scene.Root{{Path: root}},
		Document: &scene.Document{
			Path: o.Document.Path, Language: "HTML", Revision: o.Head.Generation, Bytes: int64(len(o.Bytes)), Lines: countLines(o.Bytes, lines),
		},
		Preview: &scene.Preview{
			Revision: o.Head.Generation, Width: f.width, Height: f.height, Missing: besidePage(p.preview.Missing()), Offline: p.preview.Asked(),
		},
		Picks:       picked(t, o.Head.ID, lines),
		Diagnostics: structure(o.Document.Path, p.tree, o.Head.Generation, lines),
		Files:       projectFiles(root, filepath.Dir(o.Document.Path)),
	}
	disk := o.Head.Generation
	if o.Ahead {
		disk = 0
		if r, err := a.docs.RevisionByID(ctx, o.Document.SyncedID); err == nil {
			disk = r.Generation
		}
	}
	s.Document.OnDisk = &scene.OnDisk{Revision: disk}
	livePart(ctx, p, &s)
	return s
}

// livePart adds what only the page itself can tell.
func livePart(ctx context.Context, p *livePage, s *scene.Source) {
	view := p.preview.Surface()
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
	s.Preview.Changed = !sameElements(p.tree, live)
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

// sceneRoot is the folder that paths are relative to: the working directory
// where the page is in it, else the page's folder. A working directory that
// holds everybody's or all of a person's files says nothing about a project.
func sceneRoot(dir string) string {
	wd, err := os.Getwd()
	if err == nil {
		wd, err = filepath.EvalSymlinks(wd)
	}
	if err != nil || !within(wd, dir) {
		return dir
	}
	if home, err := os.UserHomeDir(); err != nil || within(wd, home) || wd == filepath.Dir(wd) {
		return dir
	}
	return wd
}

// within tells whether a path lies in a folder, or is it.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
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

// picked lists what the notes point at; lines only of what was found exactly in
// the bytes at hand.
func picked(t core.Turn, headID string, lines *htmlsrc.Lines) []scene.Pick {
	var out []scene.Pick
	for _, n := range t.Notes {
		for _, target := range n.Targets {
			pick := scene.Pick{Note: n.Order, Name: target.Anchor.Name}
			if target.Resolution == core.Exact && t.RevisionID == headID {
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
