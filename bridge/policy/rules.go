package policy

import (
	"crypto/sha256"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strings"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"

	"proofmark/gateway/core"
)

// check says what one parameter may be. It is data, so that the desktop's relay
// keeps to the same rules: what is not here cannot be said there either.
type check struct {
	Is     kind             `json:"is"`
	Min    int64            `json:"min,omitempty"`    // whole
	Max    int64            `json:"max,omitempty"`    // whole; bytes of text; entries of list
	Values []any            `json:"values,omitempty"` // only: texts, numbers, booleans
	Of     []check          `json:"of,omitempty"`     // list: of each entry; any: one of these
	Fields map[string]check `json:"fields,omitempty"` // object
	Need   []string         `json:"need,omitempty"`   // object
}

// kind names a way of looking at a value.
type kind string

const (
	isNumber     kind = "number" // finite, at most maxNumber either way
	isWhole      kind = "whole"
	isText       kind = "text" // by its bytes in UTF-8
	isBoolean    kind = "boolean"
	isOnly       kind = "only"
	isList       kind = "list"
	isObject     kind = "object" // with the named fields and no others
	isAnyOf      kind = "anyOf"
	isLeaseURL   kind = "leaseUrl" // a URL of the lease's origin
	isHostURL    kind = "hostUrl"  // the pattern of what a workbench asks its host
	isOrigin     kind = "origin"   // of a lease
	isFunction   kind = "function" // a declaration of the fixed set, by its SHA-256
	isScript     kind = "script"   // the script for new documents, by its SHA-256
	isWorld      kind = "world"    // the name of the bridge's world
	isClip       kind = "clip"     // of a picture
	isAnything   kind = "anything" // the size of a message is bounded as a whole
	maxNumber         = 1e7
	maxURLBytes       = 4096
	maxClipScale      = 4
)

// rule says which parameters a method takes. A parameter that is not named is
// refused, and so is a call without one that is needed.
type rule struct {
	params fields
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
		if err := c.check(v, l); err != nil {
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

// check tells what is wrong with a value; the text goes back to the caller.
func (c check) check(v jsonv2.Value, l *lease) error {
	switch c.Is {
	case isNumber:
		return number(v)
	case isWhole:
		n, err := decode[int64](v)
		if err == nil && (n < c.Min || n > c.Max) {
			err = fmt.Errorf("out of range")
		}
		return err
	case isBoolean:
		_, err := decode[bool](v)
		return err
	case isOnly:
		return c.value(v)
	case isList:
		return c.list(v, l)
	case isObject:
		return rule{params: c.Fields, need: c.Need}.check(v, l)
	case isAnyOf:
		return c.anyOf(v, l)
	case isClip:
		return clipRect(v)
	case isAnything:
		return nil
	}
	s, err := decode[string](v)
	if err != nil {
		return err
	}
	return c.text(s, l)
}

// text looks at a text.
func (c check) text(s string, l *lease) error {
	ok, refusal := false, "is of no known kind"
	switch c.Is {
	case isText:
		ok, refusal = int64(len(s)) <= c.Max, "too long"
	case isLeaseURL:
		ok, refusal = within(s, l.origin), "url not in preview origin"
	case isHostURL:
		ok, refusal = l.origin != "" && s == l.origin+"/host/*", "not the host's own address"
	case isOrigin:
		ok, refusal = origins.MatchString(s), "not the origin of a preview"
	case isFunction:
		ok, refusal = l.functions[sha256.Sum256([]byte(s))], "not one of the bridge's functions"
	case isScript:
		ok, refusal = l.scripts[sha256.Sum256([]byte(s))], "not the bridge's script"
	case isWorld:
		ok, refusal = s != "" && s == l.world, "not the bridge's world"
	}
	if !ok {
		return fmt.Errorf("%s", refusal)
	}
	return nil
}

func number(v jsonv2.Value) error {
	f, err := decode[float64](v)
	if err == nil && (math.IsNaN(f) || math.Abs(f) > maxNumber) {
		err = fmt.Errorf("out of range")
	}
	return err
}

func (c check) value(v jsonv2.Value) error {
	got, err := decode[any](v)
	if err != nil {
		return err
	}
	for _, a := range c.Values {
		if got == a {
			return nil
		}
	}
	return fmt.Errorf("value not allowed")
}

func (c check) list(v jsonv2.Value, l *lease) error {
	list, err := decode[[]jsonv2.Value](v)
	if err != nil {
		return err
	}
	if int64(len(list)) > c.Max {
		return fmt.Errorf("too many")
	}
	for _, e := range list {
		if err := c.Of[0].check(e, l); err != nil {
			return err
		}
	}
	return nil
}

func (c check) anyOf(v jsonv2.Value, l *lease) error {
	var err error
	for _, one := range c.Of {
		if err = one.check(v, l); err == nil {
			return nil
		}
	}
	return err
}

// within compares the origin after parsing: a prefix would also match
// "http://a.localhost:1234@evil".
func within(s, origin string) bool {
	u, err := url.Parse(s)
	return err == nil && len(s) <= maxURLBytes && u.User == nil && u.Opaque == "" && origin != "" &&
		u.Scheme+"://"+u.Host == origin && strings.HasPrefix(s, origin+"/")
}

// origins is what a lease's origin looks like.
var origins = regexp.MustCompile(originPattern)

const originPattern = `^http://[a-z0-9]{1,63}\.localhost:[1-9][0-9]{0,4}$`

// clipRect bounds a screenshot by its pixels.
func clipRect(v jsonv2.Value) error {
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
		if math.IsNaN(f) || f < 0 || f > maxNumber {
			return fmt.Errorf("out of range")
		}
	}
	if c.Scale <= 0 || c.Scale > maxClipScale || c.Width*c.Height*c.Scale*c.Scale > core.MaxClipPixels {
		return fmt.Errorf("clip too large")
	}
	return nil
}

var (
	finite    = check{Is: isNumber}
	boolean   = check{Is: isBoolean}
	leaseURL  = check{Is: isLeaseURL}
	hostURL   = check{Is: isHostURL}
	leaseBase = check{Is: isOrigin}
	function  = check{Is: isFunction}
	script    = check{Is: isScript}
	world     = check{Is: isWorld}
	picture   = check{Is: isClip}
	anything  = check{Is: isAnything}
)

// between allows a whole number from lo to hi.
func between(lo, hi int64) check { return check{Is: isWhole, Min: lo, Max: hi} }

// id allows a positive 31-bit number, as node and context ids are.
var id = between(1, math.MaxInt32)

// text allows a string of at most n bytes.
func text(n int64) check { return check{Is: isText, Max: n} }

// token allows the short strings the browser itself hands out as ids.
var token = text(256)

// only allows one of the given texts, numbers (as float64) or booleans.
func only(allowed ...any) check { return check{Is: isOnly, Values: allowed} }

// each allows a list of at most n, every entry checked.
func each(n int64, c check) check { return check{Is: isList, Max: n, Of: []check{c}} }

// object allows an object with the given fields, of which need must be there.
func object(f fields, need ...string) check { return check{Is: isObject, Fields: f, Need: need} }

// anyOf allows what one of the checks allows.
func anyOf(checks ...check) check { return check{Is: isAnyOf, Of: checks} }
