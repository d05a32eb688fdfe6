package policy

import (
	"crypto/sha256"
	"fmt"
	"math"
	"net/url"
	"strings"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"

	"proofmark/gateway/core"
)

// check looks at one parameter; an error's text goes back to the caller.
type check func(v jsonv2.Value, l *lease) error

// rule says which parameters a method takes. A parameter that is not named is
// refused, and so is a call without one that is needed.
type rule struct {
	params map[string]check
	need   []string
	stub   string // answered here with this result; nothing is sent
}

// lease is what the checks of one page session know.
type lease struct {
	origin    string
	functions map[[32]byte]bool
	scripts   map[[32]byte]bool
	world     string
	window    bool // the workbench's own page: windowTable and windowEvents hold
}

func (r rule) check(params jsonv2.Value, l *lease) error {
	given := map[string]jsonv2.Value{}
	if len(params) > 0 {
		if err := jsonv2.Unmarshal(params, &given); err != nil {
			return fmt.Errorf("parameters are not an object")
		}
	}
	for name, v := range given {
		c, ok := r.params[name]
		if !ok {
			return fmt.Errorf("parameter %q is not allowed", clip(name))
		}
		if err := c(v, l); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range r.need {
		if _, ok := given[name]; !ok {
			return fmt.Errorf("parameter %q is needed", name)
		}
	}
	return nil
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40]
	}
	return s
}

func decode[T any](v jsonv2.Value) (T, error) {
	var out T
	if err := jsonv2.Unmarshal(v, &out); err != nil {
		return out, fmt.Errorf("wrong type")
	}
	return out, nil
}

// number allows a finite number of at most 1e7 either way.
func number(v jsonv2.Value, _ *lease) error {
	f, err := decode[float64](v)
	if err != nil {
		return err
	}
	if math.IsNaN(f) || math.Abs(f) > 1e7 {
		return fmt.Errorf("out of range")
	}
	return nil
}

// between allows a whole number from lo to hi.
func between(lo, hi int64) check {
	return func(v jsonv2.Value, _ *lease) error {
		n, err := decode[int64](v)
		if err != nil {
			return err
		}
		if n < lo || n > hi {
			return fmt.Errorf("out of range")
		}
		return nil
	}
}

// id allows a positive 31-bit number, as node and context ids are.
var id = between(1, math.MaxInt32)

// text allows a string of at most n bytes.
func text(n int) check {
	return func(v jsonv2.Value, _ *lease) error {
		s, err := decode[string](v)
		if err != nil {
			return err
		}
		if len(s) > n {
			return fmt.Errorf("too long")
		}
		return nil
	}
}

// token allows the short strings the browser itself hands out as ids.
var token = text(256)

func boolean(v jsonv2.Value, _ *lease) error {
	_, err := decode[bool](v)
	return err
}

// only allows one of the given values.
func only[T comparable](allowed ...T) check {
	return func(v jsonv2.Value, _ *lease) error {
		got, err := decode[T](v)
		if err != nil {
			return err
		}
		for _, a := range allowed {
			if got == a {
				return nil
			}
		}
		return fmt.Errorf("value not allowed")
	}
}

// each allows a list of at most n, every entry checked.
func each(n int, c check) check {
	return func(v jsonv2.Value, l *lease) error {
		list, err := decode[[]jsonv2.Value](v)
		if err != nil {
			return err
		}
		if len(list) > n {
			return fmt.Errorf("too many")
		}
		for _, e := range list {
			if err := c(e, l); err != nil {
				return err
			}
		}
		return nil
	}
}

// object allows an object with the given fields, of which need must be there.
func object(fields map[string]check, need ...string) check {
	r := rule{params: fields, need: need}
	return func(v jsonv2.Value, l *lease) error { return r.check(v, l) }
}

// anyOf allows what one of the checks allows.
func anyOf(checks ...check) check {
	return func(v jsonv2.Value, l *lease) error {
		var err error
		for _, c := range checks {
			if err = c(v, l); err == nil {
				return nil
			}
		}
		return err
	}
}

// leaseURL allows URLs of the lease's origin. The origin is compared after
// parsing: a prefix would also match "http://a.localhost:1234@evil".
func leaseURL(v jsonv2.Value, l *lease) error {
	s, err := decode[string](v)
	if err != nil {
		return err
	}
	u, err := url.Parse(s)
	if err != nil || len(s) > 4096 || u.User != nil || u.Opaque != "" ||
		l.origin == "" || u.Scheme+"://"+u.Host != l.origin || !strings.HasPrefix(s, l.origin+"/") {
		return fmt.Errorf("url not in preview origin")
	}
	return nil
}

// hostURL allows the one pattern of what a workbench asks its host.
func hostURL(v jsonv2.Value, l *lease) error {
	s, err := decode[string](v)
	if err != nil {
		return err
	}
	if l.origin == "" || s != l.origin+"/host/*" {
		return fmt.Errorf("not the host's own address")
	}
	return nil
}

// function allows a declaration of the fixed set, by its SHA-256.
func function(v jsonv2.Value, l *lease) error {
	s, err := decode[string](v)
	if err != nil {
		return err
	}
	if !l.functions[sha256.Sum256([]byte(s))] {
		return fmt.Errorf("not one of the bridge's functions")
	}
	return nil
}

// script allows the one script for new documents, by its SHA-256.
func script(v jsonv2.Value, l *lease) error {
	s, err := decode[string](v)
	if err != nil {
		return err
	}
	if !l.scripts[sha256.Sum256([]byte(s))] {
		return fmt.Errorf("not the bridge's script")
	}
	return nil
}

func world(v jsonv2.Value, l *lease) error {
	s, err := decode[string](v)
	if err != nil {
		return err
	}
	if s == "" || s != l.world {
		return fmt.Errorf("not the bridge's world")
	}
	return nil
}

// clipRect bounds a screenshot by its pixels.
func clipRect(v jsonv2.Value, _ *lease) error {
	type rect struct {
		X      float64 `json:"x"`
		Y      float64 `json:"y"`
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
		Scale  float64 `json:"scale"`
	}
	c, err := decode[rect](v)
	if err != nil {
		return err
	}
	for _, f := range []float64{c.X, c.Y, c.Width, c.Height} {
		if math.IsNaN(f) || f < 0 || f > 1e7 {
			return fmt.Errorf("out of range")
		}
	}
	if c.Scale <= 0 || c.Scale > 4 || c.Width*c.Height*c.Scale*c.Scale > core.MaxClipPixels {
		return fmt.Errorf("clip too large")
	}
	return nil
}

// anything allows every value: the size of a message is bounded as a whole.
func anything(jsonv2.Value, *lease) error { return nil }
