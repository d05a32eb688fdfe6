package modelserver

import (
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// codec is loaded at its first use: the vocabulary is large.
var codec = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

// counter counts tokens and remembers texts it has counted: a conversation
// repeats almost all of itself in every request.
type counter struct {
	mu    sync.Mutex
	known map[string]int
}

func (c *counter) count(text string) int {
	if text == "" {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.known[text]; ok {
		return n
	}
	n := Tokens(text)
	if c.known == nil {
		c.known = map[string]int{}
	}
	c.known[text] = n
	return n
}

// Tokens counts the tokens of a text with o200k_base.
func Tokens(text string) int {
	enc, err := codec()
	if err != nil {
		panic(err) // the encoding is compiled in
	}
	n, err := enc.Count(text)
	if err != nil {
		return (len(text) + 2) / 3 // not UTF-8
	}
	return n
}

func (c *counter) request(r *Request) int {
	n := c.count(r.System)
	for _, m := range r.Messages {
		n += c.count(m.Text)
		for _, call := range m.Calls {
			n += c.count(call.Name) + c.count(call.Arguments)
		}
	}
	for _, t := range r.Tools {
		n += c.count(t.Name) + c.count(t.Description) + c.count(string(t.Schema))
	}
	return n
}

func (c *counter) reply(r Reply) int {
	n := c.count(r.Text)
	for _, call := range r.Calls {
		n += c.count(call.Name) + c.count(call.Arguments)
	}
	return n
}
