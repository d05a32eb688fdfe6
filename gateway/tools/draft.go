package tools

import (
	"context"

	"proofmark/bridge/contract"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// Draft is what the tools use of a turn's candidate session; *candidate.Session
// has it all. Methods are documented there.
type Draft interface {
	Current() *htmlsrc.Tree
	SHA() string
	Epoch() int64
	Staged() bool
	Stage(ctx context.Context, edits []core.Edit) (candidate.Staged, error)
	Look(ctx context.Context) (candidate.Look, error)
	Surface(ctx context.Context) (contract.Surface, error)
	Picture(ctx context.Context, o candidate.PictureOptions) (candidate.Picture, error)
	// Live gives the live element of an element of Current.
	Live(ctx context.Context, id htmlsrc.ID) (contract.Pick, error)
	Reproject(a core.Anchor) (core.Anchor, core.Resolution, string)
	Discard(ctx context.Context) error
	// Publish commits; see candidate.Session.Commit.
	Publish(ctx context.Context, o candidate.CommitOptions) (Published, error)
	// Reload loads the page of the current bytes anew.
	Reload(ctx context.Context) error
}

// Published is what a commit made, as far as a model is told.
type Published struct {
	Generation int64
	SHA        string
}

// sessionDraft is the real Draft.
type sessionDraft struct{ *candidate.Session }

func (s sessionDraft) Publish(ctx context.Context, o candidate.CommitOptions) (Published, error) {
	res, err := s.Session.Commit(ctx, o)
	if err != nil {
		return Published{}, err
	}
	return Published{Generation: res.Revision.Generation, SHA: res.Revision.SHA256}, nil
}

func (s sessionDraft) Reload(ctx context.Context) error {
	if r, ok := any(s.Session).(interface {
		Reload(ctx context.Context) error
	}); ok {
		return r.Reload(ctx)
	}
	return core.Errorf(core.Unsupported, "before a draft is staged the page stays as it was loaded").
		WithHint("nothing was done; look at it as it is, or stage a draft")
}
