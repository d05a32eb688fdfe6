package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"proofmark/gateway/core"
)

// target is one --at: a CSS selector, a point, or a path of element indexes.
type target struct {
	text     string
	selector string
	point    *[2]float64
	indexes  []int // 1-based, the root's first
}

// note is one --say with the --at before it.
type note struct {
	targets []target
	say     string
}

var (
	pointForm = regexp.MustCompile(`^@(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)$`)
	pathForm  = regexp.MustCompile(`^/(?i:html)(/\d+)*$`)
)

func parseTarget(s string) (target, error) {
	t := target{text: s}
	switch {
	case strings.TrimSpace(s) == "":
		return t, core.Errorf(core.Usage, "--at is empty").WithHint("give a CSS selector, @X,Y or /html/2/1")
	case strings.HasPrefix(s, "@"):
		m := pointForm.FindStringSubmatch(s)
		if m == nil {
			return t, core.Errorf(core.Usage, "%q is not a point", s).WithHint("write @X,Y in CSS pixels, such as @120,48")
		}
		x, _ := strconv.ParseFloat(m[1], 64)
		y, _ := strconv.ParseFloat(m[2], 64)
		t.point = &[2]float64{x, y}
	case strings.HasPrefix(s, "/"):
		if !pathForm.MatchString(s) {
			return t, core.Errorf(core.Usage, "%q is not an element path", s).
				WithHint("write element indexes below the root, such as /html/2/1/3")
		}
		t.indexes = []int{1}
		for _, part := range strings.Split(s, "/")[2:] {
			n, err := strconv.Atoi(part)
			if err != nil || n < 1 {
				return t, core.Errorf(core.Usage, "%q: element indexes count from 1", s)
			}
			t.indexes = append(t.indexes, n)
		}
	default:
		t.selector = s
	}
	return t, nil
}

// notesFlag collects --at and --say in the order they are given.
type notesFlag struct {
	notes   []note
	pending []target
	direct  []directEdit // of --do
	used    bool         // the pending targets have their --do; the next --at begins anew
}

type atFlag struct{ n *notesFlag }

func (f atFlag) String() string { return "" }
func (f atFlag) Set(s string) error {
	t, err := parseTarget(s)
	if err != nil {
		return err
	}
	if f.n.used {
		f.n.pending, f.n.used = nil, false
	}
	f.n.pending = append(f.n.pending, t)
	return nil
}

type sayFlag struct{ n *notesFlag }

func (f sayFlag) String() string { return "" }
func (f sayFlag) Set(s string) error {
	if strings.TrimSpace(s) == "" {
		return core.Errorf(core.Usage, "--say is empty")
	}
	if len(f.n.pending) == 0 || f.n.used {
		return core.Errorf(core.Usage, "--say %q has no --at before it", s).WithHint("write --at TARGET --say TEXT")
	}
	f.n.notes = append(f.n.notes, note{targets: f.n.pending, say: s})
	f.n.pending = nil
	return nil
}

// done checks that every --at got its --say.
func (f *notesFlag) done() error {
	if len(f.pending) > 0 && !f.used {
		return core.Errorf(core.Usage, "--at %q has no --say or --do behind it", f.pending[0].text).WithHint("write --at TARGET --say TEXT")
	}
	if len(f.direct) > 0 {
		return f.directDone()
	}
	if len(f.notes) == 0 {
		return core.Errorf(core.Usage, "nothing to do: there is no --at TARGET --say TEXT")
	}
	if n := len(f.notes); n > core.MaxAnnotationsPerSend {
		return core.Errorf(core.TooMany, "%d notes; at most %d go out together", n, core.MaxAnnotationsPerSend)
	}
	for _, n := range f.notes {
		if len(n.targets) > core.MaxTargetsPerNote {
			return core.Errorf(core.TooMany, "%d targets on one note; at most %d", len(n.targets), core.MaxTargetsPerNote)
		}
	}
	return nil
}

// matchLine is one element of an ambiguous selector, as a person reads it.
type matchLine struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
}

func (m matchLine) String() string {
	s := fmt.Sprintf("--at '%s'   <%s>", m.Path, m.Name)
	if m.Text != "" {
		s += "  " + m.Text
	}
	return s
}
