package modelserver

import (
	"fmt"
	"net/http"
)

// Step answers one request. Steps run one at a time: a step must not wait for
// another request (Fault.Delay holds an answer back). One that panics answers
// with status 400 and the panic's text.
type Step func(Request) Reply

// Forever makes a step that answers its request and every one after it.
func Forever(step Step) Step {
	var self Step
	self = func(r Request) Reply {
		out := step(r)
		out.again = self
		return out
	}
	return self
}

// ByModel makes a step that answers every request from the list of the model it
// asks for. A model without a list, or beyond its end, gets status 500.
func ByModel(lists map[string][]Step) Step {
	queues := map[string]*queue{}
	for name, steps := range lists {
		queues[name] = &queue{steps: steps}
	}
	return Forever(func(r Request) Reply {
		q := queues[r.Model]
		if q == nil {
			q = &queue{}
		}
		return q.answer(r)
	})
}

// Give makes a step that answers with reply.
func Give(reply Reply) Step { return func(Request) Reply { return reply } }

// Say makes a step that answers with text.
func Say(text string) Step { return Give(Reply{Text: text}) }

// Fail makes a step that answers with an HTTP status and the provider's error body.
func Fail(status int, message string) Step { return Give(Reply{Status: status, Text: message}) }

// Use makes a step that calls one tool with args as JSON.
func Use(tool string, args any) Step { return UseAll(NewCall(tool, args)) }

// UseAll makes a step that makes several calls in one response.
func UseAll(calls ...Call) Step { return Give(Reply{Calls: calls}) }

// From makes a step whose one call is made from the JSON of the latest tool
// result, as a model copies a grant out of it. It gets an empty map where the
// conversation has no result.
func From(call func(last map[string]any) Call) Step {
	return func(r Request) Reply {
		last := r.Last()
		if last == nil {
			last = map[string]any{}
		}
		return Reply{Calls: []Call{call(last)}}
	}
}

// NewCall makes a call with args as JSON. It panics where they cannot be written.
func NewCall(tool string, args any) Call {
	return Call{Name: tool, Arguments: marshal(args)}
}

// queue goes through steps in order.
type queue struct {
	steps []Step
	taken int
}

func (q *queue) answer(r Request) (out Reply) {
	if len(q.steps) == 0 {
		return Reply{Status: http.StatusInternalServerError, Text: fmt.Sprintf("modelserver: the script for %q has %d steps and was asked for one more", r.Model, q.taken)}
	}
	step := q.steps[0]
	q.steps = q.steps[1:]
	q.taken++
	defer func() {
		if p := recover(); p != nil {
			out = Reply{Status: http.StatusBadRequest, Text: fmt.Sprintf("modelserver: step %d: %v", q.taken, p)}
		}
	}()
	out = step(r)
	if out.again != nil {
		q.steps = append([]Step{out.again}, q.steps...)
		out.again = nil
	}
	return out
}
