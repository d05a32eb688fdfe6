package cdp

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// maxTraced bounds the elements whose creation is asked for, one by one.
const maxTraced = 30_000

// traceChunk is how many nodes are asked for at a time: the commands of one
// chunk are all on their way before the first answer is awaited.
const traceChunk = 1000

// Births gives the birth register of the loaded page.
func (s *Surface) Births(ctx context.Context) (contract.Births, error) {
	ctx, done, err := s.reading(ctx, "Births")
	if err != nil {
		return contract.Births{}, err
	}
	defer done()
	b, err := s.register(ctx)
	if err != nil {
		return contract.Births{}, refuse(err, "the page could not be read").In("cdp.Births")
	}
	return *b, nil
}

// facts is what the world's register knows of itself.
type facts struct {
	State   string `json:"state"`
	Reason  string `json:"reason"`
	Scripts int    `json:"scripts"` // number of the first birth that can run a script, -1 for none
	Walked  []int  `json:"walked"`
	// Blocking are scripts the parser waits for. One that a script made was
	// written into the page; what was written behind it is parsed after the wait
	// and leaves no trace.
	Blocking []int  `json:"blocking"`
	Names    []born `json:"names"`
}

// born is how an element was born: name space, name, id, class, the number of
// its attributes, and whether the page may have a class of its own for it.
type born struct {
	ns, name, id, class string
	attrs               int
	custom              bool
}

// UnmarshalJSON reads the world's list of them.
func (b *born) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&b.ns, &b.name, &b.id, &b.class, &b.attrs, &b.custom})
}

// register reads the birth register once a load, when parsing has ended.
func (s *Surface) register(ctx context.Context) (*contract.Births, error) {
	if s.births != nil {
		return s.births, nil
	}
	in, err := s.top()
	if err != nil {
		return nil, err
	}
	var f facts
	if err := s.value(ctx, where{world: in}, "births", &f); err != nil {
		return nil, err
	}
	b := &contract.Births{}
	switch f.State {
	case "done":
		if err := s.trace(ctx, in, &f, b); err != nil {
			return nil, err
		}
	case "failed":
		b.Reason = f.Reason
	default:
		// Not remembered: a slow page may still get there.
		return &contract.Births{Reason: "the page is still being parsed, or was opened again by a script"}, nil
	}
	s.births = b
	return b, s.value(ctx, where{world: in}, "releaseBirths", nil)
}

// trace fills the list, and asks the browser of each birth whether a script
// made it. What was born before anything could run a script, the parser made.
func (s *Surface) trace(ctx context.Context, in runtime.ExecutionContextID, f *facts, b *contract.Births) error {
	b.List = make([]contract.Birth, len(f.Names))
	for i, n := range f.Names {
		b.List[i] = contract.Birth{NS: n.ns, Name: n.name, ID: n.id, Class: n.class, Attrs: n.attrs, Custom: n.custom}
	}
	b.Complete = true
	from := f.Scripts + 1
	switch clear := s.noHiddenTrees(ctx); {
	case !clear:
		from = 0
	case f.Scripts < 0:
		return nil
	}
	if len(b.List)-from > maxTraced {
		*b = contract.Births{Reason: "more than " + strconv.Itoa(maxTraced) + " elements on a page with scripts"}
		return nil
	}
	until, cancel := context.WithTimeout(ctx, core.BridgeCommandTimeout)
	defer cancel()
	for ; from < len(b.List); from += traceChunk {
		to := min(from+traceChunk, len(b.List))
		made, err := s.madeBetween(until, in, from, to)
		if core.CodeOf(err) == core.Timeout {
			*b = contract.Births{Reason: "the browser took too long to say who made the elements"}
			return nil
		}
		if err != nil {
			return err
		}
		for i, m := range made {
			b.List[from+i].ScriptMade = m
		}
	}
	// The parser put this one somewhere outside the document, and a script
	// brought it in later: its number does not tell when it was made.
	for _, n := range f.Walked {
		if n < len(b.List) && !b.List[n].ScriptMade {
			*b = contract.Births{Reason: "a script moved the page's tree while it was being parsed"}
			return nil
		}
	}
	first := f.firstUntrusted(b.List)
	for n := range b.List {
		if b.List[n].Custom {
			// The parser runs the page's constructor, which leaves a trace too.
			b.List[n].ScriptMade = false
		}
		b.List[n].Unsure = n >= first && !b.List[n].ScriptMade
	}
	return nil
}

// firstUntrusted gives the first birth whose number says nothing, the number of
// births where there is none.
func (f *facts) firstUntrusted(list []contract.Birth) int {
	first := len(list)
	for _, n := range f.Blocking {
		if list[n].ScriptMade {
			first = min(first, n+1)
		}
	}
	return first
}

func (s *Surface) madeBetween(ctx context.Context, in runtime.ExecutionContextID, from, to int) ([]bool, error) {
	slice, err := s.object(ctx, where{world: in}, "birthSlice", from, to)
	if err != nil {
		return nil, err
	}
	return s.madeByScript(ctx, slice, to-from)
}

// noHiddenTrees tells that the source cannot have made a shadow root, whose
// scripts the register would not see: nobody sees into a closed one. It looks
// for the attribute's name, which cannot be written in any other way.
func (s *Surface) noHiddenTrees(ctx context.Context) bool {
	s.mu.Lock()
	id := s.document
	s.mu.Unlock()
	r, err := protocol.Call(ctx, s.session, network.GetResponseBody, network.GetResponseBodyParams{RequestID: network.RequestID(id)})
	if err != nil {
		return false
	}
	return !bytes.Contains(bytes.ToLower([]byte(r.Body)), []byte("shadowrootmode"))
}

// madeAlong asks for the creation of an element and its ancestors.
func (s *Surface) madeAlong(ctx context.Context, object runtime.RemoteObjectID, n int) ([]bool, error) {
	list, err := s.object(ctx, where{object: object}, "along")
	if err != nil {
		return nil, err
	}
	return s.madeByScript(ctx, list, n)
}

// madeByScript asks of each element of a list of n in the page whether it has
// a creation stack trace: only scripts leave one.
func (s *Surface) madeByScript(ctx context.Context, list runtime.RemoteObjectID, n int) ([]bool, error) {
	if err := s.root(ctx); err != nil {
		return nil, err
	}
	props, err := typed(ctx, s, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: list, OwnProperties: ptr(true)})
	if err != nil {
		return nil, err
	}
	nodes := make([]*sent, n)
	for _, p := range props.Result {
		i, err := strconv.Atoi(p.Name)
		if err == nil && i >= 0 && i < n && p.Value != nil {
			nodes[i] = s.session.send(ctx, dom.CommandRequestNode, dom.RequestNodeParams{ObjectID: p.Value.ObjectID})
		}
	}
	traces := make([]*sent, n)
	for i, c := range nodes {
		if c == nil {
			return nil, core.Errorf(core.SurfaceChanged, "the page changed while it was being read")
		}
		var r dom.RequestNodeResult
		if err := c.wait(ctx, &r); err != nil {
			return nil, s.explain(err)
		}
		traces[i] = s.session.send(ctx, dom.CommandGetNodeStackTraces, dom.GetNodeStackTracesParams(r))
	}
	made := make([]bool, n)
	for i, c := range traces {
		var r dom.GetNodeStackTracesResult
		if err := c.wait(ctx, &r); err != nil {
			return nil, s.explain(err)
		}
		made[i] = r.Creation != nil
	}
	return made, nil
}

// root makes the browser number the document's nodes for us, once a load.
func (s *Surface) root(ctx context.Context) error {
	if s.rooted {
		return nil
	}
	if _, err := typed(ctx, s, dom.GetDocument, dom.GetDocumentParams{Depth: ptr(int64(0))}); err != nil {
		return err
	}
	s.rooted = true
	return nil
}
