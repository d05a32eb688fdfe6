package candidate

import (
	"context"
	"path/filepath"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
	"proofmark/gateway/store"
	"proofmark/gateway/surface"
)

// parseOptions are those of every page the product shows: its scripts run.
var parseOptions = htmlsrc.Options{Scripting: true}

// Surfaces opens hidden views; a *surface.Manager does.
type Surfaces interface {
	Open(ctx context.Context, s surface.Spec) (*surface.Preview, error)
	Host() contract.HostInfo
}

// Config is what a Service needs.
type Config struct {
	Store     *store.Store
	Documents *document.Service
	// Surfaces opens the hidden views; nil where there is no browser, and then
	// nothing can be verified and so nothing committed.
	Surfaces Surfaces
	Now      func() time.Time
}

// Service begins sessions.
type Service struct{ Config }

// New makes a Service.
func New(c Config) *Service {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Service{Config: c}
}

// BeginOptions say how a session's pages are shown and who is asked.
type BeginOptions struct {
	AssetDir     string   // folder of the files beside the page; empty for none
	AllowOrigins []string // https origins the person allowed, "https://host"
	Width        int      // viewport, CSS pixels
	Height       int
	// Approved names the kinds of policy flags the person approved.
	Approved []string
	// Review is asked before a commit; nil commits without asking.
	Review func(context.Context, Proposal) bool
	// ReviewApproves says that whoever reviews is a person who is shown the
	// proposal's flags: their yes approves them. Without it, what the draft adds is
	// approved beforehand or refused.
	ReviewApproves bool
	// Looked, if any, is given each look at a draft, for whoever watches the turn.
	Looked func(Look)
	// Base is a loaded preview of the head at the same size, which nobody has
	// pointed at, clicked or typed in and which shows no highlight, for the
	// session to use as its own view of the base. Nobody may be looking at it:
	// the session resizes it for a moment and may load it again; it does not
	// close it. Where origins are allowed it is not used.
	Base *surface.Preview
	// SessionEpoch is what grants are bound to beside the turn.
	SessionEpoch int64
}

// Proposal is what a person sees before a commit.
type Proposal struct {
	Before, After []byte
	Edits         []core.Edit
	Flags         []core.PolicyFlag
	Verification  core.Verification
	Summary       string
	Pictures      [2]contract.Shot // before and after
}

// Session is the work of one turn, or of one change a person makes directly, on
// one document. It is used by one goroutine
// at a time.
type Session struct {
	svc  *Service
	turn core.Turn
	doc  core.Document // as it stood at Begin
	opt  BeginOptions

	direct *Direct // of a person's own change; turn then holds its notes alone

	base *htmlsrc.Tree
	sha  string // of the base

	life   context.Context // of the views
	cancel context.CancelFunc
	record *surface.Recording
	before *view // the base; nil until it is needed
	after  *view // the draft, once there is one

	draft     *draft
	epoch     int64
	receipt   *receipt
	looks     int
	result    *document.Result
	commitErr error
	over      bool // committed, discarded or closed: nothing more can be staged
	closed    bool
}

// draft is the one staged candidate of a session.
type draft struct {
	tree  *htmlsrc.Tree
	sha   string
	edits []core.Edit // from the base
	flags []core.PolicyFlag
}

// Begin opens a session for an accepted turn. It refuses with HeadMoved where
// the document's head is no longer the revision the turn was accepted for.
func (s *Service) Begin(ctx context.Context, turn core.Turn, o BeginOptions) (*Session, error) {
	doc, err := s.Documents.Get(ctx, turn.DocumentID)
	if err != nil {
		return nil, err
	}
	if doc.HeadID != turn.RevisionID {
		return nil, headMoved("candidate.Begin")
	}
	src, err := s.Documents.Bytes(ctx, turn.RevisionID)
	if err != nil {
		return nil, err
	}
	sha := core.SHA256Hex(src)
	tree, err := s.Documents.Map(sha, src)
	if err != nil {
		return nil, err
	}
	se := &Session{
		svc: s, turn: turn, doc: doc, opt: o, base: tree, sha: sha,
		record: surface.NewRecording(),
	}
	se.life, se.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return se, nil
}

// openViews opens both views and begins to load the base's, once. A turn that
// only reads and answers never comes here.
func (s *Session) openViews() {
	if s.before != nil || s.visible("") != nil {
		return
	}
	spec := s.spec(s.turn.RevisionID, "", s.sha, s.base.Source())
	// A lent preview has heard the allowed origins for itself; base and draft
	// have to hear the same.
	if s.opt.Base != nil && len(s.opt.AllowOrigins) == 0 {
		s.before = lentView(s.life, s.opt.Base, s.opt.Width)
	} else {
		s.before = openView(s.life, s.svc.Surfaces, spec)
	}
	s.before.show(spec, s.base)
	s.after = openView(s.life, s.svc.Surfaces, spec)
}

func headMoved(op string) *core.Error {
	return core.Errorf(core.HeadMoved, "the document has a newer version than the one this turn began with").
		WithHint("Send the notes again: they will be resolved against the newest version.").In(op)
}

func (s *Session) spec(revisionID, candidateID, sha string, src []byte) surface.Spec {
	return surface.Spec{
		DocumentID: s.turn.DocumentID, RevisionID: revisionID, CandidateID: candidateID, SHA: sha, Bytes: src,
		AssetDir: s.opt.AssetDir, FileName: filepath.Base(s.doc.Path), AllowOrigins: s.opt.AllowOrigins,
		Width: s.opt.Width, Height: s.opt.Height, Hidden: true, Record: s.record,
	}
}

// Open tells whether the session can still stage and commit: it neither
// committed nor was discarded.
func (s *Session) Open() bool { return !s.over }

// Turn gives the turn the session works for.
func (s *Session) Turn() core.Turn { return s.turn }

// Base gives the map of the head the turn began with.
func (s *Session) Base() *htmlsrc.Tree { return s.base }

// Current gives the map of the draft, or of the base where nothing is staged.
func (s *Session) Current() *htmlsrc.Tree {
	if s.draft != nil {
		return s.draft.tree
	}
	return s.base
}

// SHA gives the SHA-256 of Current's bytes.
func (s *Session) SHA() string {
	if s.draft != nil {
		return s.draft.sha
	}
	return s.sha
}

// Epoch grows with every staged draft; grants of an older epoch are re-issued
// for the current one.
func (s *Session) Epoch() int64 { return s.epoch }

// Staged tells whether there is a draft.
func (s *Session) Staged() bool { return s.draft != nil }

// Edits gives the draft's edits, their spans in the base's bytes.
func (s *Session) Edits() []core.Edit {
	if s.draft == nil {
		return nil
	}
	return append([]core.Edit(nil), s.draft.edits...)
}

// Flags gives what the draft adds that needs a person's approval.
func (s *Session) Flags() []core.PolicyFlag {
	if s.draft == nil {
		return nil
	}
	return append([]core.PolicyFlag(nil), s.draft.flags...)
}

// Reproject carries an anchor of the base over to the current bytes.
func (s *Session) Reproject(a core.Anchor) (core.Anchor, core.Resolution, string) {
	if s.draft == nil {
		return a, core.Exact, ""
	}
	return proof.Reproject(a, s.draft.edits, s.draft.tree, s.draft.sha, a.RevisionID)
}

// Result gives what Commit published, nil before it has.
func (s *Session) Result() *document.Result { return s.result }

// CommitError gives what the last Commit was refused with; nil where there was
// none or it went through.
func (s *Session) CommitError() error { return s.commitErr }

// Verification gives what the last Look at the current draft saw; nil where
// there was none.
func (s *Session) Verification() *core.Verification {
	if s.receipt == nil {
		return nil
	}
	v := s.receipt.look.Verification
	return &v
}

// Looks counts the looks so far.
func (s *Session) Looks() int { return s.looks }
