package cdp

import (
	"context"
	"errors"
	"strings"

	"github.com/chromedp/cdproto"
	protocol "github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"proofmark/gateway/core"
)

// where says what an operation is called on: a node by its object id, or the
// world itself.
type where struct {
	object runtime.RemoteObjectID
	world  runtime.ExecutionContextID
	await  bool // the operation gives a promise
}

func (w where) params(operation string, byValue bool, args []any) (runtime.CallFunctionOnParams, error) {
	p := runtime.CallFunctionOnParams{
		FunctionDeclaration: callFunction, ObjectID: w.object, ExecutionContextID: w.world,
		Silent: ptr(true), ReturnByValue: ptr(byValue), AwaitPromise: ptr(w.await),
	}
	// One argument holds them all: an empty value of its own would be left out.
	raw, err := jsonv2.Marshal(append([]any{operation}, args...), chromedp.DefaultMarshalOptions)
	if err != nil {
		return p, err
	}
	p.Arguments = []*runtime.CallArgument{{Value: raw}}
	return p, nil
}

// beginCall sends one operation of the bridge's world.
func (s *Surface) beginCall(ctx context.Context, w where, byValue bool, operation string, args ...any) *sent {
	p, err := w.params(operation, byValue, args)
	if err != nil {
		return &sent{s: s.session, err: err}
	}
	return s.session.send(ctx, runtime.CommandCallFunctionOn, p)
}

// answer awaits an operation's result.
func (s *Surface) answer(ctx context.Context, c *sent) (*runtime.RemoteObject, error) {
	var res runtime.CallFunctionOnResult
	if err := c.wait(ctx, &res); err != nil {
		return nil, s.explain(err)
	}
	if res.ExceptionDetails != nil || res.Result == nil {
		text := "no result"
		if d := res.ExceptionDetails; d != nil && d.Exception != nil {
			text = d.Exception.Description
		}
		return nil, core.Wrap(core.SurfaceChanged, errors.New(text), "the page could not be read").WithHint("Load it again.")
	}
	return res.Result, nil
}

// value calls an operation and decodes what it gives; out may be nil.
func (s *Surface) value(ctx context.Context, w where, operation string, out any, args ...any) error {
	r, err := s.answer(ctx, s.beginCall(ctx, w, true, operation, args...))
	if err != nil || out == nil {
		return err
	}
	if err := jsonv2.Unmarshal(r.Value, out, chromedp.DefaultUnmarshalOptions); err != nil {
		return core.Wrap(core.Internal, err, "the bridge's answer to %q could not be read", operation)
	}
	return nil
}

// object calls an operation and gives a reference to what it gives, "" for null.
func (s *Surface) object(ctx context.Context, w where, operation string, args ...any) (runtime.RemoteObjectID, error) {
	r, err := s.answer(ctx, s.beginCall(ctx, w, false, operation, args...))
	if err != nil {
		return "", err
	}
	return r.ObjectID, nil
}

// explain turns the browser's words for a vanished document into ours.
func (s *Surface) explain(err error) error {
	var e *cdproto.Error
	if !errors.As(err, &e) {
		return err
	}
	for _, gone := range []string{"Cannot find context", "Could not find object", "Execution context was destroyed", "No node", "Could not find node"} {
		if strings.Contains(e.Message, gone) {
			return core.Wrap(core.SurfaceChanged, err, "the page has changed under the selection").WithHint("Pick again.")
		}
	}
	for _, not := range []string{"does not have a layout object", "is not focusable"} {
		if strings.Contains(e.Message, not) {
			return core.Wrap(core.Unsupported, err, "the element is not displayed, or cannot be used like this").WithHint("Look at the page again and use something else.")
		}
	}
	return core.Wrap(core.BrowserFailed, err, "the browser refused to read the page")
}

func typed[P, R any](ctx context.Context, s *Surface, c protocol.Command[P, R], p P) (R, error) {
	r, err := protocol.Call(ctx, s.session, c, p)
	if err != nil {
		return r, s.explain(err)
	}
	return r, nil
}
