package point

import (
	"regexp"
	"strconv"
	"strings"

	"proofmark/gateway/core"
)

// Target names an element in one of three ways.
type Target struct {
	Text     string // as it was given
	Selector string
	At       *[2]float64 // CSS pixels of the view
	Indexes  []int       // 1-based element indexes, the root's first
}

var (
	pointForm = regexp.MustCompile(`^@(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)$`)
	pathForm  = regexp.MustCompile(`^/(?i:html)(/\d+)*$`)
)

// Parse reads a target as --at takes it. The error is Usage.
func Parse(s string) (Target, error) {
	t := Target{Text: s}
	switch {
	case strings.TrimSpace(s) == "":
		return t, core.Errorf(core.Usage, "the target is empty").WithHint("give a CSS selector, @X,Y or /html/2/1")
	case strings.HasPrefix(s, "@"):
		m := pointForm.FindStringSubmatch(s)
		if m == nil {
			return t, core.Errorf(core.Usage, "%q is not a point", s).WithHint("write @X,Y in CSS pixels, such as @120,48")
		}
		x, _ := strconv.ParseFloat(m[1], 64)
		y, _ := strconv.ParseFloat(m[2], 64)
		t.At = &[2]float64{x, y}
	case strings.HasPrefix(s, "/"):
		if !pathForm.MatchString(s) {
			return t, core.Errorf(core.Usage, "%q is not an element path", s).
				WithHint("write element indexes below the root, such as /html/2/1/3")
		}
		t.Indexes = []int{1}
		for _, part := range strings.Split(s, "/")[2:] {
			n, err := strconv.Atoi(part)
			if err != nil || n < 1 {
				return t, core.Errorf(core.Usage, "%q: element indexes count from 1", s)
			}
			t.Indexes = append(t.Indexes, n)
		}
	default:
		t.Selector = s
	}
	return t, nil
}
