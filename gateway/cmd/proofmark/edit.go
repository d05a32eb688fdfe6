package main

import (
	"context"
	"fmt"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/surface"
	"proofmark/gateway/turn"
)

var editCommand = &command{
	name: "edit", args: "FILE --at TARGET --say TEXT|--do EDIT …", summary: "change a page where you point",
	long: `Opens FILE in a hidden browser, proves which bytes each TARGET stands on, carries the
instruction out on a copy, looks at the copy next to the original, and only then commits
one version, writes the file and shows the diff.

TARGET is a CSS selector, @X,Y (CSS pixels in the viewport), or /html/2/1/3 (element
indexes). Each --say belongs to the --at before it; several --at before one --say make one
note on several targets.

  proofmark edit page.html --at 'h1' --say 'change the text to "Quarterly report"'
  proofmark edit page.html --at '.price' --say 'make it bold' --at 'footer a' --say 'set href to /contact'
  proofmark edit page.html --at 'li:first-child' --at 'li:last-child' --say 'make it red' --review

--do EDIT, in place of --say, says exactly what to do; no model and no planner takes part.
Several --do behind an --at are done in order. EDIT is one of

  text=WORDS        the element's text              remove     take it out
  attr:NAME=VALUE   set an attribute                duplicate  put a copy behind it
  attr:-NAME        take an attribute out           up, down   let it change places with the
  style:NAME=VALUE  set a style property (an empty             element before or behind it
                    VALUE takes it out)
  class:+NAME       add a class; class:-NAME takes it out

  proofmark edit page.html --at 'h1' --do 'text=Quarterly report' --do 'style:color=red'
  proofmark edit page.html --at '#plan' --do up --at 'footer a' --do 'attr:href=/contact'

Flags:
  --at TARGET           what to change
  --say TEXT            how, in words
  --do EDIT             how, exactly
  --write MODE          auto (default), ask or never: when the file itself is written
  --out FILE            write the result here; the opened file is left as it is, and the
                        change stays its newest version, which the next write carries
  --review              show the diff and ask before committing
  --keep-open           open a window and keep it open afterwards
  --width N --height N  viewport in CSS pixels (1280 × 800)
  --allow-origin ORIGIN let the page load from this https origin (repeatable)
  --approve KIND[,…]    approve what the change adds, such as external_origin or script, or
                        layout: that it stands worse elsewhere on the page
  --context MODE        what a model is told of the page and the folder beside the notes: auto
                        (default) tells the page's name and size, which lines the notes point
                        at, what the page complains about, and a summary of package.json,
                        README.md and docs/development.md; none tells nothing; show prints
                        what goes out on standard error

The built-in planner needs no model and no network. It understands plain instructions in
English and Chinese: change the text, make it bold / red / larger, hide or remove it, set
alt / href / title / class … What it does not understand it says, and changes nothing.`,
	run: runEdit,
}

func runEdit(ctx context.Context, a *app, args []string) error {
	fs := a.flags("edit")
	var f editFlags
	f.targets(fs)
	f.viewport(fs)
	f.outcome(fs)
	fs.Var(doFlag{&f.notes}, "do", "")
	pos, err := a.parse(fs, args, 1, 1)
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if err := f.notes.done(); err != nil {
		return err
	}
	if len(f.notes.direct) > 0 {
		return a.editDirectly(ctx, pos[0], &f)
	}
	l, err := a.lineup(ctx)
	if err != nil {
		return err
	}
	p, err := a.openPage(ctx, pos[0], &f)
	if err != nil {
		return err
	}
	e, err := a.engine(ctx, p.browser)
	if err != nil {
		return err
	}
	session := core.NewID("ses")
	var ids []string
	for _, n := range f.notes.notes {
		ann, err := a.draft(ctx, e, p, session, n)
		if err != nil {
			return err
		}
		ids = append(ids, ann.ID)
	}
	return a.runTurn(ctx, e, p, &f, turn.SendRequest{
		SessionID: session, RequestID: core.NewID("req"), DocumentID: p.opened.Document.ID,
		AnnotationIDs: ids, Model: l.Name,
	}, l)
}

// livePage is a page with the browser it is open in.
type livePage struct {
	page
	path    string
	browser *browser
}

// openPage opens the file as a document, a browser, and the page in it.
func (a *app) openPage(ctx context.Context, path string, f *editFlags) (*livePage, error) {
	if f.out != "" { // seen before anything is committed
		if _, _, err := outTarget(f.out, path); err != nil {
			return nil, err
		}
	}
	if err := a.allow(ctx, f.feature()); err != nil {
		return nil, err
	}
	opened, tree, err := a.openDocument(ctx, path)
	if err != nil {
		return nil, err
	}
	a.progress("opening %s (%d bytes) in a browser", path, len(opened.Bytes))
	b, err := a.openBrowser(ctx, f.keepOpen, f.width, f.height)
	if err != nil {
		return nil, err
	}
	return a.show(ctx, b, path, opened, tree, f)
}

// openOn opens another page in a browser that runs already.
func (a *app) openOn(ctx context.Context, b *browser, path string, f *editFlags) (*livePage, error) {
	opened, tree, err := a.openDocument(ctx, path)
	if err != nil {
		return nil, err
	}
	return a.show(ctx, b, path, opened, tree, f)
}

// openDocument opens the file as a document and maps it.
func (a *app) openDocument(ctx context.Context, path string) (document.Opened, *htmlsrc.Tree, error) {
	opened, err := a.docs.Open(ctx, path)
	if err != nil {
		return opened, nil, err
	}
	if opened.OutsideImported {
		a.progress("The file had been changed outside; that is now generation %d.", opened.Head.Generation)
	}
	tree, err := a.docs.Map(opened.Head.SHA256, opened.Bytes)
	return opened, tree, err
}

// show loads the document's bytes in a live preview.
func (a *app) show(ctx context.Context, b *browser, path string, opened document.Opened, tree *htmlsrc.Tree, f *editFlags) (*livePage, error) {
	preview, err := b.previews.Open(ctx, a.spec(opened, f))
	if err != nil {
		return nil, err
	}
	a.onClose(preview.Close)
	if _, err := preview.Load(ctx); err != nil {
		return nil, err
	}
	for _, o := range preview.Asked() {
		a.progress("offline: the page asks for %s (--allow-origin %s lets it)", o, o)
	}
	if missing := preview.Missing(); len(missing) > 0 {
		a.progress("not there beside the page: %s", few(missing, 5))
	}
	return &livePage{page: page{opened: opened, tree: tree, preview: preview}, path: path, browser: b}, nil
}

// few joins the first n of a list and says how many more there are.
func few(list []string, n int) string {
	if len(list) <= n {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:n], ", "), len(list)-n)
}

func (a *app) spec(o document.Opened, f *editFlags) surface.Spec {
	dir, name := assets(o.Document.Path)
	return surface.Spec{
		DocumentID: o.Document.ID, RevisionID: o.Head.ID, SHA: o.Head.SHA256, Bytes: o.Bytes,
		AssetDir: dir, FileName: name, AllowOrigins: f.origins, Width: f.width, Height: f.height,
	}
}
