package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"proofmark/gateway/core"
	"proofmark/gateway/scene"
	"proofmark/gateway/scene/gather"
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

// scene gives the context snapshot of a turn, and shows it where that is asked
// for.
func (a *app) scene(ctx context.Context, p *livePage, f *editFlags, t core.Turn) string {
	if f.context != contextAuto && f.context != contextShow {
		return ""
	}
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
	disk := o.Head.Generation
	if o.Ahead {
		disk = 0
		if r, err := a.docs.RevisionByID(ctx, o.Document.SyncedID); err == nil {
			disk = r.Generation
		}
	}
	return gather.Source(ctx, gather.Page{
		Document: o.Document, Head: o.Head, Tree: p.tree, Disk: disk, Root: sceneRoot(filepath.Dir(o.Document.Path)),
		Preview: p.preview, Shown: o.Head.Generation, Width: f.width, Height: f.height, Notes: t.Notes, Exact: t.RevisionID == o.Head.ID,
	})
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
