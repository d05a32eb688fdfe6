package certify

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/annotate"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/grants"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
	"proofmark/gateway/store"
	"proofmark/gateway/surface"
	"proofmark/gateway/turn"
)

// Viewport of every page, CSS pixels.
const (
	viewWidth  = 1000
	viewHeight = 700
)

// workshop is the product as it is wired for a person, in a folder of its own.
type workshop struct {
	dir      string
	store    *store.Store
	docs     *document.Service
	notes    *annotate.Service
	engine   *turn.Engine
	surfaces *surface.Manager
}

func newWorkshop(surfaces *surface.Manager) (*workshop, error) {
	dir, err := os.MkdirTemp("", "proofmark-certify-")
	if err != nil {
		return nil, core.Wrap(core.Internal, err, "there is no temporary folder to certify in")
	}
	w := &workshop{dir: dir, surfaces: surfaces}
	if err := w.open(); err != nil {
		_ = w.remove()
		return nil, err
	}
	return w, nil
}

func (w *workshop) open() error {
	if err := os.Mkdir(filepath.Join(w.dir, "pages"), 0o700); err != nil {
		return core.Wrap(core.Internal, err, "the folder for the pages cannot be made")
	}
	st, err := store.Open(filepath.Join(w.dir, "data"), store.Options{})
	if err != nil {
		return err
	}
	w.store, w.docs = st, document.New(st, document.Options{})
	w.notes = annotate.New(st, w.docs, nil)
	w.engine = turn.New(turn.Config{
		Store: st, Documents: w.docs, Annotations: w.notes, Grants: grants.New(time.Now),
		Candidates: candidate.New(candidate.Config{Store: st, Documents: w.docs, Surfaces: w.surfaces}),
	})
	return nil
}

// close closes the database; the folder stays.
func (w *workshop) close() error {
	if w.store == nil {
		return nil
	}
	err := w.store.Close()
	w.store = nil
	return err
}

// remove takes the folder away.
func (w *workshop) remove() error {
	_ = w.close()
	return os.RemoveAll(w.dir)
}

// trial is one case on a page of its own.
type trial struct {
	*workshop
	ctx     context.Context
	name    string
	session string
	models  *watch
	chosen  chooser
	out     *Case

	path   string
	opened document.Opened
	tree   *htmlsrc.Tree
}

// check notes what was found; one that is false fails the case.
func (t *trial) check(name string, ok bool) { t.out.Checks[name] = ok }

// page writes the case's page and opens it as a document.
func (t *trial) page(html string) error {
	t.path = filepath.Join(t.dir, "pages", t.name+".html")
	if err := t.write(html); err != nil {
		return err
	}
	if err := t.reopen(); err != nil {
		return err
	}
	t.out.SHABefore = t.opened.Head.SHA256
	return nil
}

func (t *trial) write(html string) error {
	if err := os.WriteFile(t.path, []byte(html), 0o600); err != nil {
		return core.Wrap(core.Internal, err, "the page of the case cannot be written")
	}
	return nil
}

// reopen opens the file again, as a person does who comes back to it.
func (t *trial) reopen() error {
	var err error
	if t.opened, err = t.docs.Open(t.ctx, t.path); err != nil {
		return err
	}
	t.tree, err = t.docs.Map(t.opened.Head.SHA256, t.opened.Bytes)
	return err
}

// shown loads the page in a browser for as long as use takes.
func (t *trial) shown(use func(*surface.Preview) error) error {
	p, err := t.surfaces.Open(t.ctx, surface.Spec{
		DocumentID: t.opened.Document.ID, RevisionID: t.opened.Head.ID, SHA: t.opened.Head.SHA256, Bytes: t.opened.Bytes,
		FileName: filepath.Base(t.path), Width: viewWidth, Height: viewHeight, Hidden: true,
	})
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	if _, err := p.Load(t.ctx); err != nil {
		return err
	}
	return use(p)
}

// pick gives the live element of a selector, which matches one.
func (t *trial) pick(p *surface.Preview, selector string) (contract.Pick, error) {
	picks, total, err := p.Surface().Query(t.ctx, selector, 2)
	if err == nil && total != 1 {
		err = core.Errorf(core.Internal, "the page of the case has %d elements where it has to have one", total).In("certify.Run")
	}
	if err != nil {
		return contract.Pick{}, err
	}
	return picks[0], nil
}

// prove ties a live element to the source.
func (t *trial) prove(p *surface.Preview, pick contract.Pick) (proof.Verified, error) {
	claim, err := p.Claim(t.ctx, pick)
	if err != nil {
		return proof.Verified{}, err
	}
	return proof.Verify(claim, t.tree, t.opened.Head.SHA256)
}

// draft points at elements and stores what is said about them.
func (t *trial) draft(notes ...note) (ids []string, err error) {
	err = t.shown(func(p *surface.Preview) error {
		for _, n := range notes {
			var proven []proof.Verified
			for _, selector := range n.at {
				pick, err := t.pick(p, selector)
				if err != nil {
					return err
				}
				v, err := t.prove(p, pick)
				if err != nil {
					return err
				}
				proven = append(proven, v)
			}
			a, err := t.notes.Create(t.ctx, annotate.Draft{
				SessionID: t.session, DocumentID: t.opened.Document.ID, Verified: proven, Instruction: n.say,
			})
			if err != nil {
				return err
			}
			ids = append(ids, a.ID)
		}
		return nil
	})
	return ids, err
}

// send sends drafts in the name of a session.
func (t *trial) send(session string, drafts []string) (core.Turn, error) {
	return t.engine.Send(t.ctx, turn.SendRequest{
		SessionID: session, RequestID: core.NewID("req"), DocumentID: t.opened.Document.ID,
		AnnotationIDs: drafts, Model: "certify",
	})
}
