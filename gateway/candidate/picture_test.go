package candidate_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	_ "image/jpeg" // pictures come in both formats
	_ "image/png"
	"math/rand"
	"testing"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
)

// painted is a page with a red box of 100 × 50 at (20, 30) and a long tail; its
// box is 200 wide where the view is narrow.
const painted = `<!doctype html>
<html><head><meta charset="utf-8"><title>T</title>
<style>body{margin:0}div{position:absolute;left:20px;top:30px;width:100px;height:50px;background:#f00}
@media(max-width:500px){div{width:200px}}</style></head>
<body><div></div><p style="margin-top:3000px">tail</p></body></html>
`

func picture(t *testing.T, s *candidate.Session, o candidate.PictureOptions) (candidate.Picture, image.Image) {
	t.Helper()
	p, err := s.Picture(context.Background(), o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	if len(p.Data) > core.MaxPictureBytes || max(p.Width, p.Height) > core.MaxPictureSide {
		t.Errorf("%+v has %d × %d, %d bytes", o, p.Width, p.Height, len(p.Data))
	}
	m, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil || m.Bounds().Dx() != p.Width || m.Bounds().Dy() != p.Height {
		t.Fatalf("%+v: %v", o, err)
	}
	return p, m
}

func colorAt(m image.Image, x, y int) color.RGBA {
	return color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)
}

var (
	red   = color.RGBA{R: 255, A: 255}
	blue  = color.RGBA{B: 255, A: 255}
	white = color.RGBA{R: 255, G: 255, B: 255, A: 255}
)

// R-TURN-8: element, viewport and full page, at stated widths, before and after,
// and what differs.
func TestPictures(t *testing.T) {
	r := newRig(t, painted, "div")
	s := r.begin()
	div := []core.Anchor{r.turn.Notes[0].Targets[0].Anchor}
	p, m := picture(t, s, candidate.PictureOptions{})
	if p.Of != candidate.OfDocument || p.Part != candidate.PartViewport || p.Width != 600 || p.Height != 400 || p.Scale != 1 || colorAt(m, 70, 50) != red {
		t.Errorf("before anything is staged: %+v, %v", p.Part, colorAt(m, 70, 50))
	}
	if _, err := s.Picture(t.Context(), candidate.PictureOptions{Of: candidate.OfDifference}); core.CodeOf(err) != core.Unbound {
		t.Errorf("a difference to nothing: %v", err)
	}
	stage(t, s, "#f00", "#00f")
	p, m = picture(t, s, candidate.PictureOptions{Part: candidate.PartTarget, Targets: div})
	if p.Of != candidate.OfDraft || p.Width != 116 || p.Height != 66 || p.Region.X != 12 || p.Region.Y != 22 || colorAt(m, 8, 8) != blue || colorAt(m, 7, 7) != white {
		t.Errorf("target %+v, %v %v", p.Region, colorAt(m, 8, 8), colorAt(m, 7, 7))
	}
	p, m = picture(t, s, candidate.PictureOptions{Of: candidate.OfDocument, Part: candidate.PartTarget, Width: candidate.Narrow, Targets: div})
	if p.Of != candidate.OfDocument || p.View != candidate.Narrow || p.Width != 216 || colorAt(m, 207, 57) != red {
		t.Errorf("the document's target in a narrow view: %+v %d", p.Region, p.View)
	}
	p, m = picture(t, s, candidate.PictureOptions{Part: candidate.PartPage})
	if p.Height != core.MaxPictureSide || p.Scale >= 0.6 || p.Region.Height < 3000 {
		t.Errorf("page %d × %d, scale %v of %+v", p.Width, p.Height, p.Scale, p.Region)
	}
	if c := colorAt(m, int(70*p.Scale), int(55*p.Scale)); c != blue {
		t.Errorf("the page's picture has %v in the box", c)
	}
	if p, _ = picture(t, s, candidate.PictureOptions{Width: candidate.Wide}); p.Width != candidate.Wide {
		t.Errorf("viewport of the wide view: %d", p.Width)
	}
	if p, _ = picture(t, s, candidate.PictureOptions{}); p.Width != 600 {
		t.Errorf("the view is not as wide as before: %d", p.Width)
	}
	// What looks different: the box and nothing else.
	p, m = picture(t, s, candidate.PictureOptions{Of: candidate.OfDifference, Part: candidate.PartPage})
	if p.Region.X > 20 || p.Region.X+p.Region.Width < 120 || p.Region.Height > 120 || p.Changed <= 0 || p.Changed > 0.01 {
		t.Errorf("difference in %+v, %v", p.Region, p.Changed)
	}
	in, out := colorAt(m, 70-int(p.Region.X), 50-int(p.Region.Y)), colorAt(m, 1, 1)
	if in.R < 150 || in.G > 100 || out.R != out.G || out.R < 200 {
		t.Errorf("inside %v, outside %v", in, out)
	}
	if p, _ = picture(t, s, candidate.PictureOptions{Of: candidate.OfDifference, Part: candidate.PartTarget, Width: candidate.Middle, Targets: div}); p.Width != 116 || p.View != candidate.Middle {
		t.Errorf("difference around the target: %+v", p.Region)
	}
	// A look is not spoiled by any of that.
	l := look(t, s)
	if l.Verification.PixelsInside != 1 || l.Verification.PixelsOutside != 0 || len(l.Verification.Widths) != 2 {
		t.Errorf("verification %+v", l.Verification)
	}
}

// What cannot be shown is refused with what can be.
func TestNoPicture(t *testing.T) {
	r := newRig(t, painted, "div")
	s := r.begin()
	div := []core.Anchor{r.turn.Notes[0].Targets[0].Anchor}
	stage(t, s, "<div></div>", "")
	for _, o := range []candidate.PictureOptions{
		{Part: candidate.PartTarget, Targets: div},
		{Part: candidate.PartTarget},
		{Of: candidate.OfDifference, Part: candidate.PartTarget},
	} {
		if _, err := s.Picture(t.Context(), o); core.CodeOf(err) != core.NoMatch || core.AsError(err).Hint == "" {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if p, _ := picture(t, s, candidate.PictureOptions{Of: candidate.OfDocument, Part: candidate.PartTarget, Targets: div}); p.Width != 116 {
		t.Errorf("the removed target in the document: %+v", p.Region)
	}
	stage(t, s, "<body>", `<body><div title="x"></div>`)
	if _, err := s.Picture(t.Context(), candidate.PictureOptions{Of: candidate.OfDifference, Part: candidate.PartPage}); core.CodeOf(err) != core.NoMatch {
		t.Errorf("a difference nobody sees: %v", err)
	}
	if err := s.Discard(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Picture(t.Context(), candidate.PictureOptions{}); core.CodeOf(err) != core.TurnEnded {
		t.Errorf("after the end: %v", err)
	}
}

// A page that is hard to compress still fits.
func TestNoisyPictureIsBounded(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	m := image.NewRGBA(image.Rect(0, 0, 1600, 1200))
	_, _ = rng.Read(m.Pix)
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	r := newRig(t, body(`<img src="noise.png" style="display:block"><h1>Report</h1>`), "h1")
	r.Write("noise.png", encoded(m))
	s := r.begin()
	if p, _ := picture(t, s, candidate.PictureOptions{Part: candidate.PartPage, Width: candidate.Wide}); p.MediaType != "image/jpeg" || p.Scale >= 1 {
		t.Errorf("%s, %d bytes, scale %v", p.MediaType, len(p.Data), p.Scale)
	}
}
