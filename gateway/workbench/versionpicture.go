package workbench

import (
	"context"
	"errors"
	"fmt"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/surface"
)

// Bounds of the pictures of versions.
const (
	MinPictureWidth = 320 // CSS pixels
	MaxPictureWidth = 1920

	waitingPictures = 8        // that are asked for while another one is taken
	keptPictures    = 32 << 20 // bytes of those that are kept in memory
)

// VersionPicture is how a version looks.
type VersionPicture struct {
	contract.Shot
	Tag string // the same for the same version and width
}

// pictureKey tells pictures apart. The document is in it, because the files beside
// the page are: the same bytes in another folder may look different.
type pictureKey struct {
	document, sha string
	width         int
}

// pictures makes pictures of versions, one at a time, and keeps the last ones.
type pictures struct {
	turn    chan struct{} // holds one value while no picture is taken
	waiting chan struct{} // a value for each that waits or takes one
	kept    *shelf[pictureKey, contract.Shot]
}

func newPictures() pictures {
	p := pictures{turn: make(chan struct{}, 1), waiting: make(chan struct{}, waitingPictures+1), kept: newShelf[pictureKey, contract.Shot](keptPictures)}
	p.turn <- struct{}{}
	return p
}

// PictureOf gives the upper part of a version's page, in a view so wide, as a JPEG.
// It is taken offline in a hidden view of its own; the files beside the page are
// those of the moment it is taken, not of the version. Refusals: FeatureOff,
// UnknownDocument, UnknownRevision, BadRequest, TooMany, those of the browser.
func (w *Workbench) PictureOf(ctx context.Context, documentID, version string, width int) (VersionPicture, error) {
	if err := w.c.Check(ctx, core.FeatureWorkbench); err != nil {
		return VersionPicture{}, err
	}
	if width < MinPictureWidth || width > MaxPictureWidth {
		return VersionPicture{}, core.Errorf(core.BadRequest, "a picture is %d to %d wide", MinPictureWidth, MaxPictureWidth)
	}
	rev, err := w.c.Documents.Version(ctx, documentID, version)
	if err != nil {
		return VersionPicture{}, err
	}
	key := pictureKey{document: rev.DocumentID, sha: rev.SHA256, width: width}
	tag := fmt.Sprintf("%s-%d", rev.SHA256, width)
	if shot, ok := w.pictures.kept.get(key); ok {
		return VersionPicture{Shot: shot, Tag: tag}, nil
	}
	select {
	case w.pictures.waiting <- struct{}{}:
		defer func() { <-w.pictures.waiting }()
	default:
		return VersionPicture{}, core.Errorf(core.TooMany, "%d pictures are waited for already", waitingPictures).WithHint("Wait for some of them.")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer context.AfterFunc(w.ctx, cancel)()
	select {
	case <-w.pictures.turn:
		defer func() { w.pictures.turn <- struct{}{} }()
	case <-ctx.Done():
		return VersionPicture{}, core.Wrap(core.Cancelled, ctx.Err(), "nobody waits for the picture any more")
	}
	if shot, ok := w.pictures.kept.get(key); ok { // somebody else asked for it too
		return VersionPicture{Shot: shot, Tag: tag}, nil
	}
	spec, _, _, err := w.spec(ctx, Open{DocumentID: rev.DocumentID, Version: rev.ID, Width: width, Height: DefaultHeight})
	if err != nil {
		return VersionPicture{}, err
	}
	spec.Hidden = true
	shot, err := w.shoot(ctx, spec)
	if err != nil {
		return VersionPicture{}, err
	}
	w.pictures.kept.put(key, shot, len(shot.Data))
	return VersionPicture{Shot: shot, Tag: tag}, nil
}

// shoot takes a picture of what a view of its own shows.
func (w *Workbench) shoot(ctx context.Context, spec surface.Spec) (shot contract.Shot, err error) {
	view, err := w.open(ctx, spec)
	if err != nil {
		return shot, err
	}
	defer func() { err = errors.Join(err, view.Close()) }()
	if _, err = view.Load(ctx); err != nil {
		return shot, err
	}
	return view.Surface().Screenshot(ctx, contract.ShotOptions{JPEG: true})
}
