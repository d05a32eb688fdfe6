package provider

import (
	"fmt"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

// Piece is a part of one tool call. Any of its texts may be missing.
type Piece struct {
	Index               int64
	ID, Name, Arguments string
}

// calls puts tool calls together. By the wire format the index says which call a
// piece belongs to. Hosts that call themselves compatible send every call with
// index 0, or give each piece an id of its own, or repeat the name; so an id
// tells two calls apart only where a name comes with it.
type calls struct {
	known map[string]bool // the tools that were offered
	turn  int             // messages so far: makes ids up that no earlier response has
	list  []*call
	at    map[int64]*call // the latest of each index
	bytes int             // of all arguments
}

type call struct {
	index     int64
	id        string
	name      strings.Builder
	arguments strings.Builder
	object    object
}

func newCalls(req llm.Request) calls {
	c := calls{known: map[string]bool{}, turn: len(req.Messages), at: map[int64]*call{}}
	for _, t := range req.Tools {
		c.known[t.Name] = true
	}
	return c
}

// open begins a call, whatever its index held before.
func (c *calls) open(p Piece) error {
	if len(c.list) == maxCalls {
		return core.Errorf(core.ModelBroken, "the model makes more than %d tool calls at once and was stopped", maxCalls).
			WithHint("try again, or another model")
	}
	n := &call{index: p.Index}
	c.list = append(c.list, n)
	c.at[p.Index] = n
	return c.extend(n, p)
}

// add finds the call a piece belongs to, and extends it.
func (c *calls) add(p Piece) error {
	if p.ID == "" && p.Name == "" && p.Arguments == "" {
		return nil
	}
	if n := c.find(p); n != nil {
		return c.extend(n, p)
	}
	return c.open(p)
}

// find gives the call a piece goes on with, or nil where it begins one.
func (c *calls) find(p Piece) *call {
	n := c.at[p.Index]
	switch {
	case p.ID != "" && (n == nil || n.id != "" && n.id != p.ID):
		for _, other := range c.list {
			if other.id == p.ID && (other.index == p.Index || p.Name == "") {
				return other
			}
		}
		if p.Name == "" {
			return n
		}
		return nil
	case n == nil:
		return nil
	case c.follows(n, p):
		return nil
	}
	return n
}

// follows tells a second call from more of n without the help of ids: n has its
// whole name, and the piece brings another, or the same one with arguments
// though those of n are complete.
func (c *calls) follows(n *call, p Piece) bool {
	name := n.name.String()
	if p.Name == "" || !c.known[name] {
		return false
	}
	if p.Name != name {
		return c.known[p.Name]
	}
	return p.Arguments != "" && (p.ID == "" || n.id == "") && n.object.closed
}

func (c *calls) extend(n *call, p Piece) error {
	if n.id == "" {
		n.id = p.ID
	}
	if name := n.name.String(); p.Name != name || !c.known[name] {
		n.name.WriteString(p.Name) // else the host repeats the whole name
	}
	c.bytes += len(p.Arguments)
	switch {
	case c.bytes > core.MaxModelArgumentBytes:
		return core.Errorf(core.ModelBroken, "the arguments of the model's tool calls are longer than %d MiB and were stopped", core.MaxModelArgumentBytes>>20).
			WithHint("try again, or another model")
	case n.name.Len() > maxNameBytes || len(n.id) > maxIDBytes:
		return core.Errorf(core.ModelBroken, "the model names a tool call with more than %d bytes", maxNameBytes).
			WithHint("try again, or another model")
	}
	n.arguments.WriteString(p.Arguments)
	n.object.read(p.Arguments)
	return nil
}

// finish gives the calls in the order they began, each with an id of its own.
func (c *calls) finish() []llm.ToolCall {
	var out []llm.ToolCall
	taken := map[string]bool{}
	for i, n := range c.list {
		id := n.id
		if id == "" || taken[id] {
			id = fmt.Sprintf("call_%d_%d", c.turn, i+1)
		}
		for taken[id] {
			id += "_"
		}
		taken[id] = true
		arguments := n.arguments.String()
		if strings.TrimSpace(arguments) == "" {
			arguments = "{}"
		}
		out = append(out, llm.ToolCall{ID: id, Name: n.name.String(), Arguments: arguments})
	}
	return out
}

// object follows the braces of a JSON object as its text comes in, to tell
// where it ends. It does not check it.
type object struct {
	depth           int
	quoted, escaped bool
	closed          bool
}

func (o *object) read(text string) {
	for i := range len(text) {
		switch c := text[i]; {
		case o.escaped:
			o.escaped = false
		case o.quoted:
			o.escaped = c == '\\'
			o.quoted = c != '"'
		case c == '"':
			o.quoted = true
		case c == '{':
			o.depth++
			o.closed = false
		case c == '}':
			o.depth--
			o.closed = o.depth == 0
		}
	}
}
