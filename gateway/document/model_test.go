package document

import (
	"bytes"
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
	"proofmark/gateway/textpatch"
)

// The model knows nothing of bytes, spans or edits: a page is a row of cells, a
// change sets some of them, and a change taken back sets them to what they were.
// A change can be taken back while its cells hold what it put there.
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

// modelChange is one step of the line: line[k] leads from states[k] to
// states[k+1], which is generation k+2.
type modelChange struct {
	id       string
	source   core.RevisionSource
	notes    map[int]int // cell to note, for each cell it set; 0 is no note
	computed bool        // its edits are a difference of two texts, not what was done
	takes    int         // index of the change it takes out, -1 for none
}

type model struct {
	states []modelState
	line   []modelChange
	redo   []int          // reverts that redo can put back, the next one last
	names  map[string]int // to generation
}

func (m *model) head() modelState { return m.states[len(m.states)-1] }

// out tells whether a cell that change k set is taken back: by a change that set
// it, too, and has not been taken out itself.
func (m *model) out(k, cell int) bool {
	for j := k + 1; j < len(m.line); j++ {
		if _, set := m.line[j].notes[cell]; set && m.line[j].takes == k && !m.out(j, cell) {
			return true
		}
	}
	return false
}

// left gives the cells of change k that taking it back would set, for one note
// or, with 0, for all; and how many were asked for.
func (m *model) left(k, note int) (set map[int]bool, asked int) {
	set = map[int]bool{}
	for cell, n := range m.line[k].notes {
		if note != 0 && n != note {
			continue
		}
		asked++
		if !m.out(k, cell) {
			set[cell] = true
		}
	}
	return set, asked
}

// takeBack gives the state with the cells as they were before change k, or
// false where one of them no longer holds what the change put there.
func (m *model) takeBack(k int, set map[int]bool) (modelState, bool) {
	next := m.head()
	for c := range set {
		if next[c] != m.states[k+1][c] {
			return modelState{}, false
		}
		next[c] = m.states[k][c]
	}
	return next, true
}

// undoable gives the change undo takes back, -1 for none.
func (m *model) undoable() int {
	for k := len(m.line) - 1; k >= 0; k-- {
		if s := m.line[k].source; s == core.SourceRevert || s == core.SourceOutside {
			continue
		}
		if set, _ := m.left(k, 0); len(set) > 0 {
			return k
		}
	}
	return -1
}

// computedSince tells whether change k, or one after it, is a restore, an outside
// change, or takes one back.
func (m *model) computedSince(k int) bool {
	return slices.ContainsFunc(m.line[k:], func(c modelChange) bool { return c.computed })
}

var modelWords = []string{"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "theta", "kappa"}

// machine drives the service and the model side by side.
type machine struct {
	t  *rapid.T
	b  *bench
	id string
	m  *model
}

// check compares what a step made with the model's next state, and takes it into
// the model: the cells that differ carry the notes given for them.
func (x *machine) check(res Result, err error, next modelState, c modelChange) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
	set := map[int]int{}
	for cell := range next {
		if next[cell] != x.m.head()[cell] {
			set[cell] = c.notes[cell]
		}
	}
	c.id, c.computed, c.notes = res.ChangeSet.ID, res.ChangeSet.Computed, set
	if res.ChangeSet.Source != c.source {
		x.t.Fatalf("made by %s, want %s", res.ChangeSet.Source, c.source)
	}
	x.m.line, x.m.states = append(x.m.line, c), append(x.m.states, next)
	switch c.source {
	case core.SourceRevert:
		x.m.redo = append(x.m.redo, len(x.m.line)-1)
	case core.SourceRedo:
		x.m.redo = x.m.redo[:len(x.m.redo)-1]
	default:
		x.m.redo = nil
	}
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
	noted := rapid.Bool().Draw(x.t, "noted")
	for i := range rapid.IntRange(1, 3).Draw(x.t, "cells") {
		c := rapid.IntRange(0, cells-1).Draw(x.t, "cell")
		if _, ok := notes[c]; ok {
			continue
		}
		if next[c] = x.newWord(next[c]); noted {
			notes[c] = i/2 + 1 // the first two cells share note 1
		} else {
			notes[c] = 0
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
	x.check(res, err, next, modelChange{source: core.SourceManual, notes: notes, takes: -1})
}

// revert takes back any change, or a note of it: also reverts and redos.
func (x *machine) revert() {
	if len(x.m.line) == 0 {
		x.t.Skip("nothing to take back")
	}
	k := rapid.IntRange(0, len(x.m.line)-1).Draw(x.t, "change")
	note := rapid.IntRange(0, 2).Draw(x.t, "note")
	res, err := x.b.s.Revert(context.Background(), x.id, x.m.line[k].id, note, "model")
	x.tookBack(k, note, res, err)
}

// undo is a revert of the change that the model would choose.
func (x *machine) undo() {
	k := x.m.undoable()
	res, err := x.b.s.Undo(context.Background(), x.id, "model")
	if k < 0 {
		wantCode(x.t, err, core.UnknownChange)
		return
	}
	x.tookBack(k, 0, res, err)
}

// tookBack holds what a revert gave against the model.
func (x *machine) tookBack(k, note int, res Result, err error) {
	x.t.Helper()
	set, asked := x.m.left(k, note)
	next, ok := x.m.takeBack(k, set)
	switch code := core.CodeOf(err); {
	case asked == 0:
		wantCode(x.t, err, core.UnknownChange)
	case len(set) == 0:
		wantCode(x.t, err, core.NoOp)
	case ok && code == core.OverlapsLater && x.m.computedSince(k):
		// Over a change that is known by its two texts alone, a conflict may be
		// stated where none would be; the wrong place never.
	case !ok:
		by := x.named(wantCode(x.t, err, core.OverlapsLater))
		if by <= k {
			x.t.Fatalf("change %d cannot be in the way of change %d", by, k)
		}
	default:
		if code != "" {
			x.t.Fatalf("revert of change %d, note %d: %v", k, note, err)
		}
		notes := map[int]int{}
		for cell := range set {
			notes[cell] = x.m.line[k].notes[cell] // taking back keeps the notes
		}
		x.check(res, err, next, modelChange{source: core.SourceRevert, notes: notes, takes: k})
	}
}

// named gives the later change that a conflict names.
func (x *machine) named(e *core.Error) int {
	x.t.Helper()
	id, _ := e.Detail["changeSet"].(string)
	by := slices.IndexFunc(x.m.line, func(c modelChange) bool { return c.id == id })
	if by < 0 || e.Detail["generation"] != int64(by+2) || !strings.Contains(e.Hint, id) {
		x.t.Fatalf("the later change is not named: %+v", e)
	}
	return by
}

// redo puts back what was taken back last, as an editor does.
func (x *machine) redo() {
	res, err := x.b.s.Redo(context.Background(), x.id, "model")
	if len(x.m.redo) == 0 {
		wantCode(x.t, err, core.NothingToRedo)
		return
	}
	k := x.m.redo[len(x.m.redo)-1]
	x.check(res, err, x.m.states[k], modelChange{source: core.SourceRedo, notes: x.m.line[k].notes, takes: k})
}

// restore goes back to any version, by its generation or its name.
func (x *machine) restore() {
	g := rapid.IntRange(1, len(x.m.states)).Draw(x.t, "generation")
	if len(x.m.names) > 0 && rapid.Bool().Draw(x.t, "by name") {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(x.m.names))).Draw(x.t, "name")
		r, err := x.b.s.Version(context.Background(), x.id, name)
		if err != nil || r.Generation != int64(x.m.names[name]) {
			x.t.Fatalf("%q names generation %d, want %d (%v)", name, r.Generation, x.m.names[name], err)
		}
		g = int(r.Generation)
	}
	next := x.m.states[g-1]
	res, err := x.b.s.Restore(context.Background(), x.id, int64(g), "model")
	if next == x.m.head() {
		wantCode(x.t, err, core.NoOp)
		return
	}
	x.check(res, err, next, modelChange{source: core.SourceRestore, takes: -1})
}

// name gives a name, moves one, or takes one away.
func (x *machine) name() {
	ctx := context.Background()
	g := rapid.IntRange(1, len(x.m.states)).Draw(x.t, "generation")
	had := ""
	for name, at := range x.m.names {
		if at == g {
			had = name
		}
	}
	name := rapid.SampledFrom([]string{"", "first", "before the launch", "草稿"}).Draw(x.t, "name")
	if name == "" {
		was, err := x.b.s.Unname(ctx, x.id, int64(g), "model")
		if had == "" {
			wantCode(x.t, err, core.NoOp)
		} else if err != nil || was.Name != had {
			x.t.Fatalf("%+v %v", was, err)
		}
		delete(x.m.names, had)
		return
	}
	move := rapid.Bool().Draw(x.t, "move")
	_, err := x.b.s.Name(ctx, NameRequest{DocumentID: x.id, Generation: int64(g), Name: name, Move: move, Actor: "model"})
	if at, ok := x.m.names[name]; ok && at != g && !move {
		if e := wantCode(x.t, err, core.NameTaken); e.Detail["generation"] != int64(at) {
			x.t.Fatalf("%+v", e)
		}
		return
	}
	if err != nil {
		x.t.Fatal(err)
	}
	delete(x.m.names, had)
	x.m.names[name] = g
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
	x.check(Result{Document: o.Document, Revision: o.Head, ChangeSet: cs}, err, next, modelChange{source: core.SourceOutside, takes: -1})
}

// R-DOC-3, D-47: random sequences of edits, reverts of any change or note, undo,
// redo, restores, names, outside changes and restarts give what the plain model
// gives. `-rapid.checks=1000` makes it the long run.
func TestRandomSequencesAgainstTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var start modelState
		for i := range start {
			start[i] = modelWords[i]
		}
		b := newBenchIn(t, fastDir(t), start.page())
		x := &machine{t: rt, b: b, id: b.open().Document.ID, m: &model{states: []modelState{start}, names: map[string]int{}}}
		rt.Repeat(map[string]func(*rapid.T){
			"edit":     func(t *rapid.T) { x.t = t; x.edit() },
			"edit too": func(t *rapid.T) { x.t = t; x.edit() },
			"revert":   func(t *rapid.T) { x.t = t; x.revert() },
			"again":    func(t *rapid.T) { x.t = t; x.revert() },
			"restore":  func(t *rapid.T) { x.t = t; x.restore() },
			"undo":     func(t *rapid.T) { x.t = t; x.undo() },
			"redo":     func(t *rapid.T) { x.t = t; x.redo() },
			"name":     func(t *rapid.T) { x.t = t; x.name() },
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

// finally checks every version there ever was, their names, and what the list of
// changes says of each.
func (x *machine) finally() {
	ctx := context.Background()
	versions, err := x.b.s.Versions(ctx, x.id, 0, 0)
	if err != nil || len(versions) != len(x.m.states) {
		x.t.Fatalf("%d versions, want %d: %v", len(versions), len(x.m.states), err)
	}
	named := map[string]int{}
	for i, v := range versions {
		g := len(x.m.states) - i
		if v.Name != "" {
			named[v.Name] = g
		}
		got, err := x.b.s.Bytes(ctx, v.ID)
		if err != nil || v.Generation != int64(g) || string(got) != x.m.states[g-1].page() {
			x.t.Fatalf("generation %d has changed: %v", g, err)
		}
	}
	if !maps.Equal(named, x.m.names) {
		x.t.Fatalf("the names are %v, want %v", named, x.m.names)
	}
	log, err := x.b.s.ChangeLog(ctx, x.id, 0, 0)
	if err != nil || len(log) != len(x.m.line) {
		x.t.Fatalf("%d changes, want %d: %v", len(log), len(x.m.line), err)
	}
	for i, c := range log {
		k := len(x.m.line) - 1 - i
		set, _ := x.m.left(k, 0)
		if c.ID != x.m.line[k].id || c.Generation != int64(k+2) || c.InForce != (len(set) > 0) || c.InForce && c.TakenBackBy != "" {
			x.t.Fatalf("change %d is told as %+v; %d cells are in force", k, c, len(set))
		}
	}
	x.compare(versions)
	if r, err := x.b.s.Integrity(ctx); err != nil || len(r.Problems) > 0 {
		x.t.Fatalf("integrity: %+v %v", r, err)
	}
	if err := x.b.st.Close(); err != nil {
		x.t.Fatal(err)
	}
}

// compare takes the difference of two versions, in either order.
func (x *machine) compare(versions []Version) {
	pick := rapid.IntRange(0, len(versions)-1)
	from, to := versions[pick.Draw(x.t, "from")], versions[pick.Draw(x.t, "to")]
	d, err := x.b.s.Compare(context.Background(), from.ID, to.ID)
	if err != nil {
		x.t.Fatal(err)
	}
	made, err := textpatch.Apply(d.Before, d.Edits)
	if err != nil || !bytes.Equal(made, d.After) || string(made) != x.m.states[to.Generation-1].page() || d.Stats.Unchanged+d.Stats.Removed != len(d.Before) {
		x.t.Fatalf("from generation %d to %d: %+v %v", from.Generation, to.Generation, d, err)
	}
}
