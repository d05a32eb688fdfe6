package main

import (
	"context"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/manual"
)

// keptJSON is one text that is in no version.
type keptJSON struct {
	ID        string    `json:"session"`
	Base      int64     `json:"base"` // the generation it was begun with
	State     string    `json:"state"`
	Bytes     int       `json:"bytes"`
	SHA256    string    `json:"sha256"`
	UpdatedAt time.Time `json:"at"`
}

// keptText lists, prints, commits or drops texts of edit sessions.
func (a *app) keptText(ctx context.Context, path string, f *sourceFlags) error {
	doc, err := a.known(ctx, path)
	if err != nil {
		return err
	}
	svc := manual.New(a.st, a.docs, 0)
	if f.list {
		return a.listKept(ctx, svc, path, doc)
	}
	s, err := svc.Get(ctx, f.show+f.commit+f.discard)
	if err != nil {
		return err
	}
	switch {
	case s.DocumentID != doc.ID:
		return core.Errorf(core.NotFound, "%s is a text of another file", s.ID).WithHint("`proofmark source FILE --list` lists a file's own")
	case s.State == "closed":
		return core.Errorf(core.NotFound, "the text %s was committed or dropped; there is nothing left of it here", s.ID).
			WithHint("`proofmark history FILE` lists the versions")
	}
	switch {
	case f.show != "":
		return a.showKept(ctx, s)
	case f.discard != "":
		if err := svc.Discard(ctx, s.ID); err != nil {
			return err
		}
		return a.listKept(ctx, svc, path, doc)
	}
	if err := a.allow(ctx, core.FeatureWorkbench); err != nil {
		return err
	}
	if s.State == "expired" {
		if s, err = svc.Reopen(ctx, s.ID); err != nil {
			return err
		}
	}
	if _, err := a.bringIn(ctx, path, f.write); err != nil {
		return err
	}
	return a.commitText(ctx, svc, path, s.ID, f.write)
}

// showKept prints a text byte for byte, or in JSON.
func (a *app) showKept(ctx context.Context, s manual.Session) error {
	if a.json {
		one, err := a.kept(ctx, s)
		if err != nil {
			return err
		}
		a.printJSON(struct {
			keptJSON
			Text string `json:"text"`
		}{one, string(s.Text)})
		return nil
	}
	_, err := a.stdout.Write(s.Text)
	return err
}

func (a *app) kept(ctx context.Context, s manual.Session) (keptJSON, error) {
	r, err := a.docs.RevisionByID(ctx, s.BaselineID)
	return keptJSON{
		ID: s.ID, Base: r.Generation, State: s.State, Bytes: len(s.Text), SHA256: core.SHA256Hex(s.Text), UpdatedAt: s.UpdatedAt,
	}, err
}

func (a *app) listKept(ctx context.Context, svc *manual.Service, path string, doc core.Document) error {
	all, err := svc.Unsaved(ctx, doc.ID)
	if err != nil {
		return err
	}
	list := make([]keptJSON, len(all))
	for i, s := range all {
		if list[i], err = a.kept(ctx, s); err != nil {
			return err
		}
	}
	if a.json {
		a.printJSON(map[string]any{"file": path, "document": doc.ID, "texts": list})
		return nil
	}
	if len(list) == 0 {
		a.printf("No text waits.\n")
	}
	for _, k := range list {
		a.printf("%s  %s  from generation %d, %d bytes, %s\n", k.ID, k.UpdatedAt.Local().Format(time.DateTime), k.Base, k.Bytes, k.State)
	}
	return nil
}
