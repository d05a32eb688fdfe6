package main

import (
	"context"
	"strings"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/store"
)

var nameCommand = &command{
	name: "name", args: "FILE [VERSION] [NAME] [--move|--remove]", summary: "give a version a name, or list the names",
	long: `Gives a version of FILE a name, which then stands for it wherever a generation does: in
restore, diff, export, history. VERSION is a generation or the name it has; without it the
newest version is named. A version has one name at a time, and a name one version: --move
takes a name from the version that has it, --remove takes a version's name away. Without
NAME the names are listed. No version is changed by this, and none is lost.

  proofmark name page.html "before the launch"
  proofmark name page.html 3 draft
  proofmark name page.html draft "second draft"
  proofmark name page.html draft --remove
  proofmark name page.html`,
	run: runName,
}

func runName(ctx context.Context, a *app, args []string) error {
	fs := a.flags("name")
	move := fs.Bool("move", false, "")
	remove := fs.Bool("remove", false, "")
	pos, err := a.parse(fs, args, 1, 3)
	if err != nil {
		return err
	}
	switch {
	case *remove && (*move || len(pos) != 2):
		return core.Errorf(core.Usage, "--remove takes a file and a version").WithHint("`proofmark name FILE` lists the names")
	case *move && len(pos) == 1:
		return core.Errorf(core.Usage, "--move takes the name to move")
	}
	doc, err := a.known(ctx, pos[0])
	if err != nil {
		return err
	}
	if len(pos) == 1 {
		return a.listNames(ctx, pos[0], doc)
	}
	ref := "" // the newest version
	if len(pos) == 3 || *remove {
		ref = pos[1]
	}
	r, err := a.docs.Version(ctx, doc.ID, ref)
	if err != nil {
		return err
	}
	out := map[string]any{"file": pos[0], "document": doc.ID, "revision": r.ID, "generation": r.Generation, "sha256": r.SHA256}
	if *remove {
		was, err := a.docs.Unname(ctx, doc.ID, r.Generation, actor)
		if err != nil {
			return err
		}
		out["name"], out["was"] = "", was.Name
		if a.json {
			a.printJSON(out)
			return nil
		}
		a.printf("Generation %d is no longer named “%s”.\n", r.Generation, was.Name)
		return nil
	}
	named, err := a.docs.Name(ctx, document.NameRequest{
		DocumentID: doc.ID, Generation: r.Generation, Name: pos[len(pos)-1], Move: *move, Actor: actor,
	})
	if core.CodeOf(err) == core.InvalidName && len(pos) == 2 && strings.Trim(pos[1], "0123456789") == "" {
		return core.AsError(err).WithHint("to name a version other than the newest: `proofmark name FILE VERSION NAME`; the names alone: `proofmark name FILE`")
	}
	if err != nil {
		return err
	}
	out["name"] = named.Name
	if a.json {
		a.printJSON(out)
		return nil
	}
	a.printf("Generation %d is “%s”.\n", named.Generation, named.Name)
	return nil
}

func (a *app) listNames(ctx context.Context, path string, doc core.Document) error {
	names, err := a.docs.Names(ctx, doc.ID)
	if err != nil {
		return err
	}
	if a.json {
		list := []map[string]any{}
		for _, n := range names {
			list = append(list, nameJSON(n))
		}
		a.printJSON(map[string]any{"file": path, "document": doc.ID, "names": list})
		return nil
	}
	if len(names) == 0 {
		a.printf("No version has a name yet.\n")
		return nil
	}
	a.printf("%-5s %-19s %s\n", "GEN", "NAMED", "NAME")
	for _, n := range names {
		a.printf("%-5d %-19s %s\n", n.Generation, n.At.Local().Format(time.DateTime), n.Name)
	}
	return nil
}

func nameJSON(n store.VersionName) map[string]any {
	return map[string]any{"generation": n.Generation, "name": n.Name, "actor": n.Actor, "at": n.At}
}
