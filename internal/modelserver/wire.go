package modelserver

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// wire is one of the two formats.
type wire interface {
	// read takes a body apart; a refusal tells what the provider would say.
	read(body []byte) (Request, *refusal)
	// admit checks the headers, and the key where one is required.
	admit(h http.Header, key string) *refusal
	// stream gives the events of a reply, and whole the object without streaming.
	stream(q Request, r Reply, u usage) []event
	whole(q Request, r Reply, u usage) any
	// endless is the event that repeats in an endless text.
	endless() event
	errorBody(status int, message string) any
	errorEvent(kind, message string) event
	models(names []string) string
}

// refusal is a request that the provider itself turns away.
type refusal struct {
	status  int
	message string
}

type usage struct{ prompt, completion int }

// event is one server-sent event. A name is only sent by Anthropic.
type event struct {
	name string
	data string
	end  bool // it belongs to the stream's end: finish_reason and usage
	done bool // it is the last: [DONE] or message_stop
}

// encode writes an event with the line ends and extras asked for.
func (e event) encode(odd Odd) []byte {
	nl, sp := "\n", " "
	if odd.CRLF {
		nl = "\r\n"
	}
	if odd.NoSpace {
		sp = ""
	}
	var b bytes.Buffer
	if odd.Comments {
		b.WriteString(": keep-alive" + nl + nl)
	}
	if e.name != "" {
		b.WriteString("event:" + sp + e.name + nl)
	}
	b.WriteString("data:" + sp + e.data + nl + nl)
	return b.Bytes()
}

// marshal writes JSON as the providers do: markup is not escaped.
func marshal(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // values made here, or by a test
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

// fields is a JSON object on its way out: names and values in turn, in the order
// the provider writes them.
type fields []any

// MarshalJSON writes the object.
func (f fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := 0; i < len(f); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(marshal(f[i]) + ":" + marshal(f[i+1]))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (f fields) has(name string) bool {
	for i := 0; i < len(f); i += 2 {
		if f[i] == name {
			return true
		}
	}
	return false
}

// pieces cuts a text into parts of at most n runes.
func pieces(text string, n int) []string {
	var out []string
	start, runes := 0, 0
	for i := range text {
		if runes == n {
			out = append(out, text[start:i])
			start, runes = i, 0
		}
		runes++
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

// Runes in one event of text, and of arguments.
const (
	textPiece     = 12
	argumentPiece = 16
)

// piece is a part of one call's arguments.
type piece struct {
	call int
	text string
	last bool // of its call
}

// argumentPieces cuts the arguments of all calls and puts the parts in the
// order they are sent in: call by call, or in turns.
func argumentPieces(calls []Call, f Fault, whole bool) []piece {
	size := argumentPiece
	if f.Interleave {
		size = 1
	}
	if whole {
		size = 1 << 30
	}
	var per [][]string
	longest := 0
	for _, c := range calls {
		parts := pieces(c.Arguments, size)
		per = append(per, parts)
		longest = max(longest, len(parts))
	}
	var out []piece
	add := func(call, part int) {
		if part < len(per[call]) {
			out = append(out, piece{call, per[call][part], part == len(per[call])-1})
		}
	}
	if f.Interleave {
		for part := range longest {
			for call := range calls {
				add(call, part)
			}
		}
		return out
	}
	for call := range calls {
		for part := range per[call] {
			add(call, part)
		}
	}
	return out
}

// fromJSON reads a body that is an object.
func fromJSON(body []byte, into any) *refusal {
	if err := json.Unmarshal(body, into); err != nil {
		return &refusal{http.StatusBadRequest, "We could not parse the JSON body of your request."}
	}
	return nil
}
