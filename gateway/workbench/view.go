package workbench

import (
	"context"
	"path/filepath"

	"proofmark/gateway/core"
	"proofmark/gateway/scene"
	"proofmark/gateway/scene/gather"
)

// View is what a person has in view, as their workbench says. Nothing is granted
// by it: it is told to the model as data.
type View struct {
	Name     string            `json:"view"`     // Preview, Source, Versions or Changes
	Preview  string            `json:"preview"`  // its id; "" for none
	Editor   *scene.Editor     `json:"editor"`   // null where no source is open
	LeaveOut []scene.SectionID `json:"leaveOut"` // sections the person does not want to send
}

// scene collects what the model will be told of the person's view, with notes as
// they are found in the head. It is best effort: what cannot be had is left away,
// and no turn waits long for it.
func (w *Workbench) scene(ctx context.Context, d core.Document, v View, head core.Revision, notes []core.SentNote) scene.Snapshot {
	nothing := scene.Collect(scene.Source{}, scene.Options{})
	b, err := w.c.Documents.Bytes(ctx, head.ID)
	if err != nil {
		return nothing
	}
	tree, err := w.c.Documents.Map(head.SHA256, b)
	if err != nil {
		return nothing
	}
	p := gather.Page{Document: d, Head: head, Tree: tree, Root: filepath.Dir(d.Path), Notes: notes, Exact: true}
	if r, err := w.c.Documents.RevisionByID(ctx, d.SyncedID); err == nil {
		p.Disk = r.Generation
	}
	if open, err := w.Preview(v.Preview); err == nil {
		if s := open.State(); s.DocumentID == d.ID {
			p.Preview, p.Shown, p.Width, p.Height = open.view, s.Generation, s.Width, s.Height
		}
	}
	src := gather.Source(ctx, p)
	src.View, src.Editor = v.Name, v.Editor
	if v.Editor != nil && v.Editor.Dirty {
		text := string(b)
		src.Document.Text = &text
	}
	return scene.Collect(src, scene.Options{LeaveOut: v.LeaveOut})
}

// told renders the scene of a turn that is about to be sent, "" where there is
// nothing to tell.
func (w *Workbench) told(ctx context.Context, a Ask, d core.Document) string {
	if a.View == nil {
		return ""
	}
	drafts, err := w.c.Notes.Drafts(ctx, a.SessionID, a.DocumentID, a.AnnotationIDs...)
	if err != nil {
		drafts = nil // sending says what is wrong with them
	}
	p, err := w.engine.Preview(ctx, a.DocumentID, a.Message, drafts)
	if err != nil {
		return ""
	}
	return scene.Render(w.scene(ctx, d, *a.View, p.Head, p.Notes))
}
