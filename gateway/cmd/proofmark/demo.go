package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"proofmark/examples"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/point"
	"proofmark/gateway/proof"
	"proofmark/gateway/router"
	"proofmark/gateway/turn"
)

var demoCommand = &command{
	name: "demo", args: "[--keep DIR]", summary: "show the whole job on a sample page",
	long: `Copies a sample page into a temporary folder and does the whole job on it in a real
browser: point, prove, say, stage, look, commit, diff, take back. Your own files and
versions are not touched. --keep DIR leaves the page and its versions in DIR.

  proofmark demo`,
	run: runDemo,
}

func runDemo(ctx context.Context, a *app, args []string) error {
	fs := a.flags("demo")
	keep := fs.String("keep", "", "")
	if _, err := a.parse(fs, args, 0, 0); err != nil {
		return err
	}
	if a.json {
		return core.Errorf(core.Usage, "demo is for people; `proofmark edit --json` gives the same facts as JSON")
	}
	l, err := a.lineup(ctx) // of the person's own configuration
	if err != nil {
		return err
	}
	dir, err := a.demoDir(*keep)
	if err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(dir, "pages"), examples.Files()); err != nil {
		return core.Wrap(core.Usage, err, "cannot copy the sample pages to %s", dir).WithHint("name an empty folder with --keep")
	}
	a.dataDir = filepath.Join(dir, "versions")
	d := &demo{app: a, path: filepath.Join(dir, "pages", "landing", "index.html")}
	steps := []func(context.Context) error{d.open, d.point, d.refuse}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := d.change(ctx, turn.SendRequest{Model: l.Name}, l); err != nil {
		return err
	}
	return d.takeBack(ctx)
}

func (a *app) demoDir(keep string) (string, error) {
	if keep != "" {
		if err := os.MkdirAll(keep, 0o755); err != nil {
			return "", core.Wrap(core.Usage, err, "cannot make %s", keep)
		}
		return keep, nil
	}
	dir, err := os.MkdirTemp("", "proofmark-demo-")
	if err != nil {
		return "", core.Wrap(core.StorageFull, err, "cannot make a temporary folder")
	}
	a.onClose(func() error { return os.RemoveAll(dir) })
	return dir, nil
}

// demo is the story the demonstration tells, one method a step.
type demo struct {
	app    *app
	path   string
	page   *livePage
	flags  editFlags
	proven proof.Verified
	made   core.ChangeSet
	n      int
}

func (d *demo) say(format string, args ...any) {
	d.n++
	d.app.printf("\n%d. "+format+"\n", append([]any{d.n}, args...)...)
}

func (d *demo) open(ctx context.Context) error {
	d.flags = editFlags{write: core.WriteAuto, width: 1280, height: 800}
	quiet := d.app.quiet
	d.app.quiet = true
	p, err := d.app.openPage(ctx, d.path, &d.flags)
	d.app.quiet = quiet
	if err != nil {
		return err
	}
	d.page = p
	info := p.browser.host.Info()
	d.say("Open %s", d.path)
	d.app.printf("   document generation %d, %d bytes, sha256 %s…\n", p.opened.Head.Generation, p.opened.Head.Bytes, p.opened.Head.SHA256[:16])
	d.app.printf("   live preview in %s %s, driven over a pipe, no network but its own files\n", info.Kind, info.Version)
	for _, o := range p.preview.Asked() {
		d.app.printf("   the page asks for %s: offline, as long as nobody allows it\n", o)
	}
	return nil
}

// point finds where the heading is and presses there in inspect mode.
func (d *demo) point(ctx context.Context) error {
	h, err := point.Find(ctx, d.page.preview.Surface(), point.Target{Text: "h1", Selector: "h1"})
	if err != nil {
		return err
	}
	x, y := h.Rect.X+h.Rect.Width/2, h.Rect.Y+h.Rect.Height/2
	at := [2]float64{x, y}
	d.say("Point at (%.0f, %.0f) in inspect mode; the page sees no click", x, y)
	d.proven, err = d.page.pick(ctx, point.Target{Text: fmt.Sprintf("@%.0f,%.0f", x, y), At: &at})
	if err != nil {
		return err
	}
	anchor := d.proven.Anchor(d.page.opened.Document.ID, d.page.opened.Head.ID)
	tag := d.page.opened.Bytes[anchor.StartTag.Start:anchor.StartTag.End]
	d.say("Prove it: %d place in the source", anchor.SharedBy)
	d.app.printf("   bytes %s are %s\n   %q\n", anchor.StartTag, tag, anchor.Quote)
	return nil
}

// refuse shows, on the page that scripts change, what an element that a script
// made gets, and that a moved one is still found.
func (d *demo) refuse(ctx context.Context) error {
	path := filepath.Join(filepath.Dir(filepath.Dir(d.path)), "live.html")
	p, err := d.app.openOn(ctx, d.page.browser, path, &d.flags)
	if err != nil {
		return err
	}
	d.say("Point at something a script made, on live.html: an honest refusal")
	_, err = p.pick(ctx, point.Target{Text: examples.LiveBanner, Selector: examples.LiveBanner})
	if err == nil {
		return core.Errorf(core.Internal, "the demonstration's script-made element was not refused")
	}
	e := core.AsError(err)
	d.app.printf("   %s (%s)\n", e.Message, e.Code)
	for _, l := range detailLines(e) {
		d.app.printf("   %s\n", l)
	}
	const first = "#stalls li:first-child"
	v, err := p.pick(ctx, point.Target{Text: first, Selector: first})
	if err != nil {
		return err
	}
	anchor := v.Anchor(p.opened.Document.ID, p.opened.Head.ID)
	d.app.printf("   the list below it was sorted by a script; the item that is first now is %s in the source,\n   bytes %s: %q\n",
		point.PathText(anchor.Path), anchor.StartTag, anchor.Quote)
	return p.preview.Close()
}

func (d *demo) change(ctx context.Context, req turn.SendRequest, l router.Lineup) error {
	a := d.app
	const say = `change the text to "Quarterly report, without the wait" and make it larger`
	d.say("Say: %s", say)
	e, err := a.engine(ctx, d.page.browser)
	if err != nil {
		return err
	}
	session := core.NewID("ses")
	ann, err := e.notes.Create(ctx, noteDraft(session, d.page.opened.Document.ID, d.proven, say))
	if err != nil {
		return err
	}
	req.SessionID, req.RequestID, req.DocumentID, req.AnnotationIDs = session, core.NewID("req"), d.page.opened.Document.ID, []string{ann.ID}
	t, err := e.turns.Send(ctx, req)
	if err != nil {
		return err
	}
	choice, err := l.Choose(router.Classify(t))
	if err != nil {
		return err
	}
	dir, _ := assets(d.page.opened.Document.Path)
	out, err := e.turns.Run(ctx, t, choice.Model,
		runOptions(choice, candidate.BeginOptions{AssetDir: dir, Width: d.flags.width, Height: d.flags.height, Base: d.page.preview}),
		func(ev turn.Event) {
			if s := sentence(ev); s != "" {
				a.printf("   %s\n", s)
			}
		})
	if err != nil {
		return err
	}
	if out.Err != nil {
		return out.Err
	}
	if out.Result == nil {
		return core.Errorf(core.Internal, "the demonstration ended as %q: %s", out.Status, out.Text)
	}
	d.made = out.Result.ChangeSet
	if v := out.Verification; v != nil {
		d.say("Looked at in a hidden view next to the original, %d × %d", v.Width, v.Height)
		a.printf("   Chromium's tree is the expected one: %v; %s\n   pixels that differ: %.2f %% of the target, %.2f %% of the rest\n",
			v.TreeMatches, newErrors(v), 100*v.PixelsInside, 100*v.PixelsOutside)
	}
	written, err := a.docs.WriteBack(ctx, d.page.opened.Document.ID)
	if err != nil {
		return err
	}
	d.say("Commit: generation %d, one change set, %s, file written: %v", out.Result.Revision.Generation, places(d.made.Edits), written)
	_, before, after, err := a.docs.ChangeBytes(ctx, d.made.ID)
	if err != nil {
		return err
	}
	a.printf("%s", indent(unified(d.path, before, after)))
	return nil
}

func (d *demo) takeBack(ctx context.Context) error {
	res, err := d.app.docs.Revert(ctx, d.page.opened.Document.ID, d.made.ID, 0, actor)
	if err != nil {
		return err
	}
	if _, err := d.app.docs.WriteBack(ctx, d.page.opened.Document.ID); err != nil {
		return err
	}
	onDisk, err := os.ReadFile(d.path)
	if err != nil {
		return core.Wrap(core.Internal, err, "cannot read the page again")
	}
	d.say("Take it back: generation %d", res.Revision.Generation)
	if core.SHA256Hex(onDisk) != d.page.opened.Head.SHA256 {
		return core.Errorf(core.Internal, "the file is not what it was")
	}
	d.app.printf("   the file is byte for byte what it was: sha256 %s…\n\nYour turn:\n  proofmark edit page.html --at 'h1' --say 'make it bold'\n",
		d.page.opened.Head.SHA256[:16])
	return nil
}

func indent(s string) string {
	return "   " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n   ") + "\n"
}
