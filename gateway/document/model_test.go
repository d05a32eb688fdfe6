package document

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// The model knows nothing of bytes, spans or edits: a page is a row of cells,
// a change sets some of them, and a change taken back sets them to what they
// were.
const cells = 5

type modelState [cells]string

func (m modelState) page() string {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<title>Cells</title>\n")
	for i, v := range m {
		fmt.Fprintf(&b, "<hr id=\"rule%c\">\n<p>%s</p>\n", 'a'+i, v)
	}
	return b.String()
}

// modelChange is one step of the line; steps[g] leads to generation g.
type modelChange struct {
	id     string
	before modelState
	after  modelState
	notes  map[int]int // cell to note, for the cells it sets
	// computed: its edits are a difference of two texts, not what was done.
	computed bool
}

func (c modelChange) touches() map[int]bool {
	out := map[int]bool{}
	for i := range c.before {
		if c.before[i] != c.after[i] {
			out[i] = true
		}
	}
	return out
}

type model struct {
	states []modelState  // by generation, from 1 at index 0
	line   []modelChange // line[i] leads from states[i] to states[i+1]
}

func (m *model) head() modelState { return m.states[len(m.states)-1] }

func (m *model) push(id string, next modelState, notes map[int]int) {
	m.line = append(m.line, modelChange{id: id, before: m.head(), after: next, notes: notes})
	m.states = append(m.states, next)
}

// takeBack gives the state after the cells of change k were set back, or false
// where a later change has set one of them. Stretches that lead back to the
// same state do not count.
func (m *model) takeBack(k int, cellsOf map[int]bool) (modelState, bool) {
	last := func(i int) int {
		for j := len(m.states) - 1; j > i; j-- {
			if m.states[j] == m.states[i] {
				return j
			}
		}
		return i
	}
	for at := last(k + 1); at < len(m.states)-1; at = last(at + 1) {
		for c := range m.line[at].touches() {
			if cellsOf[c] {
				return modelState{}, false
			}
		}
	}
	next := m.head()
	for c := range cellsOf {
		next[c] = m.line[k].before[c]
	}
	return next, true
}

// computedSince tells whether change k, or one after it, is a restore, an outside
// change, or takes one back.
func (m *model) computedSince(k int) bool {
	for _, c := range m.line[k:] {
		if c.computed {
			return true
		}
	}
	return false
}

var modelWords = []string{"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "theta", "kappa"}

// machine drives the service and the model side by side.
type machine struct {
	t  *rapid.T
	b  *bench
	id string
	m  *model
}

func (x *machine) check(res Result, err error, next modelState, notes map[int]int) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
	x.m.push(res.ChangeSet.ID, next, notes)
	x.m.line[len(x.m.line)-1].computed = res.ChangeSet.Computed
	if res.Revision.Generation != int64(len(x.m.states)) {
		x.t.Fatalf("generation %d, want %d", res.Revision.Generation, len(x.m.states))
	}
	if got, want := x.b.head(x.id), next.page(); got != want {
		x.t.Fatalf("the head is\n%s\nwant\n%s", got, want)
	}
}

// newWord draws a word that differs from the one before.
func (x *machine) newWord(old string) string {
	return rapid.SampledFrom(slices.DeleteFunc(slices.Clone(modelWords), func(w string) bool { return w == old })).Draw(x.t, "word")
}

func (x *machine) edit() {
	next, notes := x.m.head(), map[int]int{}
	for i := range rapid.IntRange(1, 3).Draw(x.t, "cells") {
		c := rapid.IntRange(0, cells-1).Draw(x.t, "cell")
		if _, ok := notes[c]; !ok {
			notes[c], next[c] = i/2+1, x.newWord(next[c]) // the first two cells share note 1
		}
	}
	d, r, text, err := x.b.s.Head(context.Background(), x.id)
	if err != nil {
		x.t.Fatal(err)
	}
	q := CommitRequest{DocumentID: x.id, ExpectedHead: r.ID, ExpectedStateRev: d.StateRev, Source: core.SourceManual, Actor: "model", After: []byte(next.page())}
	for _, c := range slices.Sorted(maps.Keys(notes)) {
		mark := fmt.Sprintf("rule%c\">\n<p>", 'a'+c)
		at := strings.Index(string(text), mark) + len(mark)
		q.Edits = append(q.Edits, core.Edit{Note: notes[c], Span: core.Span{Start: at, End: at + len(x.m.head()[c])}, Replacement: next[c]})
	}
	var res Result
	err = x.b.s.WithLease(context.Background(), x.id, func(l core.WriterLease) (err error) {
		q.Lease = l
		res, err = x.b.s.Commit(context.Background(), q)
		return err
	})
	x.check(res, err, next, notes)
}

func (x *machine) revert() {
	if len(x.m.line) == 0 {
		x.t.Skip("nothing to take back")
	}
	k := rapid.IntRange(0, len(x.m.line)-1).Draw(x.t, "change")
	c := x.m.line[k]
	note := rapid.IntRange(0, 2).Draw(x.t, "note")
	taken, err := x.b.s.Taken(context.Background(), x.id)
	if err != nil {
		x.t.Fatal(err)
	}
	set := c.touches()
	if note != 0 {
		maps.DeleteFunc(set, func(cell int, _ bool) bool { return c.notes[cell] != note })
	} else {
		maps.DeleteFunc(set, func(cell int, _ bool) bool { n := c.notes[cell]; return n != 0 && taken[c.id][n] != "" })
	}
	res, err := x.b.s.Revert(context.Background(), x.id, c.id, note, "model")
	next, ok := x.m.takeBack(k, set)
	switch code := core.CodeOf(err); {
	case taken[c.id][0] != "" || note != 0 && taken[c.id][note] != "":
		wantCode(x.t, err, core.NoOp)
	case len(set) == 0 && note != 0:
		wantCode(x.t, err, core.UnknownChange)
	case len(set) == 0:
		wantCode(x.t, err, core.NoOp)
	case code == core.OverlapsLater && x.m.computedSince(k):
		// Over a change that is known by its two texts alone, a conflict may be
		// stated where none would be; the wrong place never.
	case !ok:
		if e := wantCode(x.t, err, core.OverlapsLater); e.Detail["changeSet"] == nil {
			x.t.Fatal("the later change is not named")
		}
	case next == x.m.head():
		wantCode(x.t, err, core.NoOp)
	default:
		if code != "" {
			x.t.Fatalf("revert of change %d, note %d: %v", k, note, err)
		}
		x.check(res, err, next, notesOf(c, set))
	}
}

// notesOf gives the notes of the cells in the set: taking back and putting back
// keeps them.
func notesOf(c modelChange, set map[int]bool) map[int]int {
	out := map[int]int{}
	for cell := range set {
		if n := c.notes[cell]; n != 0 {
			out[cell] = n
		}
	}
	return out
}

func (x *machine) restore() {
	g := rapid.IntRange(1, len(x.m.states)).Draw(x.t, "generation")
	next := x.m.states[g-1]
	res, err := x.b.s.Restore(context.Background(), x.id, int64(g), "model")
	if next == x.m.head() {
		wantCode(x.t, err, core.NoOp)
		return
	}
	x.check(res, err, next, nil)
}

// undoRedo: what was undone and then redone is as it was, step by step.
func (x *machine) undoRedo() {
	before := x.m.head()
	var mid []modelState
	for range rapid.IntRange(1, 3).Draw(x.t, "steps") {
		from := x.m.head()
		res, err := x.b.s.Undo(context.Background(), x.id, "model")
		if code := core.CodeOf(err); code == core.NoOp || code == core.OverlapsLater {
			break // nothing left, or a restore or partial revert lies over it
		}
		c := slices.IndexFunc(x.m.line, func(c modelChange) bool { return c.id == res.ChangeSet.Reverts })
		if err != nil || c < 0 {
			x.t.Fatalf("undo: %+v %v", res, err)
		}
		next, set := from, x.m.line[c].touches()
		for cell := range set {
			if x.m.line[c].after[cell] == from[cell] {
				next[cell] = x.m.line[c].before[cell]
			} else {
				delete(set, cell) // its note was taken back before
			}
		}
		x.check(res, err, next, notesOf(x.m.line[c], set))
		mid = append(mid, from)
	}
	for i := len(mid) - 1; i >= 0; i-- {
		undone := x.m.line[len(x.m.line)-1-2*(len(mid)-1-i)]
		res, err := x.b.s.Redo(context.Background(), x.id, "model")
		x.check(res, err, mid[i], undone.notes)
	}
	if x.m.head() != before {
		x.t.Fatal("undo and redo do not cancel out")
	}
}

func (x *machine) outside() {
	if x.b.open().Ahead {
		if _, err := x.b.s.WriteBack(context.Background(), x.id); err != nil {
			x.t.Fatal(err)
		}
	}
	next := x.m.head()
	c := rapid.IntRange(0, cells-1).Draw(x.t, "cell")
	next[c] = x.newWord(next[c])
	x.b.write(next.page())
	o := x.b.open()
	if !o.OutsideImported {
		x.t.Fatalf("%+v", o)
	}
	cs, err := x.b.s.ChangeSet(context.Background(), o.Head.ChangeSetID)
	x.check(Result{Document: o.Document, Revision: o.Head, ChangeSet: cs}, err, next, nil)
}

// R-DOC-3: random sequences of edits, reverts of any change or note, restores,
// undo, redo, outside changes and restarts give what the plain model gives.
func TestRandomSequencesAgainstTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var start modelState
		for i := range start {
			start[i] = modelWords[i]
		}
		b := newBenchIn(t, fastDir(t), start.page())
		x := &machine{t: rt, b: b, id: b.open().Document.ID, m: &model{states: []modelState{start}}}
		rt.Repeat(map[string]func(*rapid.T){
			"edit":     func(t *rapid.T) { x.t = t; x.edit() },
			"edit too": func(t *rapid.T) { x.t = t; x.edit() },
			"revert":   func(t *rapid.T) { x.t = t; x.revert() },
			"restore":  func(t *rapid.T) { x.t = t; x.restore() },
			"undo":     func(t *rapid.T) { x.t = t; x.undoRedo() },
			"outside":  func(t *rapid.T) { x.t = t; x.outside() },
			"restart":  func(t *rapid.T) { x.restart(t) },
		})
		x.t = rt
		x.finally()
	})
}

// fastDir gives a directory in memory where there is one: this test is about
// what is stored, and commits some thousand times.
func fastDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "proofmark-test")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func (x *machine) restart(t *rapid.T) {
	if err := x.b.st.Close(); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(x.b.data, store.Options{Now: x.b.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	x.b.st, x.b.s = st, New(st, Options{LeaseWait: -1})
}

// finally checks every version there ever was.
func (x *machine) finally() {
	ctx := context.Background()
	for i, want := range x.m.states {
		r, err := x.b.s.Revision(ctx, x.id, int64(i+1))
		if err != nil {
			x.t.Fatal(err)
		}
		got, err := x.b.s.Bytes(ctx, r.ID)
		if err != nil || string(got) != want.page() {
			x.t.Fatalf("generation %d has changed: %v", i+1, err)
		}
	}
	if r, err := x.b.s.Integrity(ctx); err != nil || len(r.Problems) > 0 {
		x.t.Fatalf("integrity: %+v %v", r, err)
	}
	if err := x.b.st.Close(); err != nil {
		x.t.Fatal(err)
	}
}
