package bundle

import (
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// R-DOC-9: a fault is what stands worse than before. That pixels differ, in the
// targets or where text flowed on, is none, at whatever width.
func TestSeen(t *testing.T) {
	fine := core.Verification{
		TreeMatches: true, PixelsInside: 0.2, PixelsOutside: 0.4, Width: 1280, Height: 800, Compared: 75, OutOfPicture: 1,
		Widths: []core.WidthLook{{Width: 390, PixelsInside: 0.3, PixelsOutside: 0.4}},
	}
	good, bad := seen(&fine)
	if all := strings.Join(good, "\n"); len(bad) > 0 || !strings.Contains(all, "40.0 % of the others") || !strings.Contains(all, "390: 30.0 %") {
		t.Errorf("good %q, bad %q", good, bad)
	}
	for name, c := range map[string]struct {
		spoil func(*core.Verification)
		says  string
	}{
		"tree":     {func(v *core.Verification) { v.TreeMatches = false }, "another way"},
		"errors":   {func(v *core.Verification) { v.NewErrors = []string{"x is not defined"} }, "1 new error:|x is not defined"},
		"missing":  {func(v *core.Verification) { v.MissingResources = []string{"a.png", "b.png"} }, "2 resources are newly missing:|a.png|b.png"},
		"layout":   {func(v *core.Verification) { v.Layout = []string{"<p> is cut off"} }, "1 thing stands worse elsewhere:|<p> is cut off"},
		"narrower": {func(v *core.Verification) { v.Widths[0].Layout = []string{"the page is wider"} }, "1 new fault at a width of 390:|the page is wider"},
	} {
		v := fine
		v.Widths = append([]core.WidthLook{}, fine.Widths...)
		c.spoil(&v)
		if good, bad := seen(&v); !strings.Contains(strings.Join(bad, "|"), c.says) || strings.Contains(strings.Join(good, "|"), "No new errors") == (name == "errors" || name == "missing") {
			t.Errorf("%s: good %q, bad %q", name, good, bad)
		}
	}
}

func TestProved(t *testing.T) {
	for in, want := range map[[2]int]string{
		{1, 0}: "Its place is proved in this version.",
		{0, 1}: "Its place can only go out as context.",
		{3, 0}: "All 3 places are proved in this version.",
		{0, 2}: "Their 2 places can only go out as context.",
		{1, 1}: "1 of 2 places is proved in this version; the other can only go out as context.",
		{2, 3}: "2 of 5 places are proved in this version; the other 3 can only go out as context.",
	} {
		if got := proved(in[0], in[1]); got != want {
			t.Errorf("%v: %q", in, got)
		}
	}
}
