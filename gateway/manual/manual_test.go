package manual_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/manual"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
)

const page = "<!doctype html>\n<title>Plan</title>\n<h1>Quarterly plan</h1>\n<p>First paragraph.</p>\n<p>Second paragraph.</p>\n"

type bench struct {
	t    *testing.T
	now  time.Time
	data string
	st   *store.Store
	docs *document.Service
	s    *manual.Service
	doc  core.Document
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{t: t, now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), data: filepath.Join(dir, "data")}
	path := filepath.Join(dir, "page.html")
	if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	b.start()
	o, err := b.docs.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	b.doc = o.Document
	return b
}

// start opens the store, as a program does when it is started again.
func (b *bench) start() {
	b.t.Helper()
	if b.st != nil {
		if err := b.st.Close(); err != nil {
			b.t.Fatal(err)
		}
	}
	st, err := store.Open(b.data, store.Options{Now: func() time.Time { return b.now }})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = st.Close() })
	b.st, b.docs = st, document.New(st, document.Options{})
	b.s = manual.New(st, b.docs, 0)
}

func (b *bench) open() manual.Session {
	b.t.Helper()
	s, err := b.s.Open(b.t.Context(), b.doc.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *bench) save(s manual.Session, text string) manual.Session {
	b.t.Helper()
	out, err := b.s.Save(b.t.Context(), s.ID, s.UpdatedAt, []byte(text))
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func (b *bench) commit(s manual.Session) manual.Committed {
	b.t.Helper()
	c, err := b.s.Commit(b.t.Context(), s.ID, "person")
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

func (b *bench) head() string {
	b.t.Helper()
	_, _, src, err := b.docs.Head(b.t.Context(), b.doc.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(src)
}

func changed(old, now string) string { return strings.Replace(page, old, now, 1) }

// D-49, DOC-3: a manual save is one revision whose edits are what changed, and
// it can be taken back like any other.
func TestCommitIsOneRevisionOfWhatChanged(t *testing.T) {
	b := newBench(t)
	s := b.save(b.open(), changed("Quarterly plan", "Yearly plan"))
	c := b.commit(s)
	if c.Merged || c.Revision.Generation != 2 || c.Revision.Source != core.SourceManual {
		t.Fatalf("%+v", c)
	}
	if len(c.ChangeSet.Edits) != 1 || c.ChangeSet.Edits[0].Replacement != "Yearly" {
		t.Errorf("edits %+v", c.ChangeSet.Edits)
	}
	if _, err := b.s.Commit(t.Context(), s.ID, "person"); core.CodeOf(err) != core.TurnEnded {
		t.Errorf("a second commit: %v", err)
	}
	if _, err := b.docs.Revert(t.Context(), b.doc.ID, c.ChangeSet.ID, 0, "person"); err != nil || b.head() != page {
		t.Errorf("revert: %v, %q", err, b.head())
	}
}

// R-DOC-8: what was saved survives a restart and the session's expiry.
func TestAutosaveSurvivesRestart(t *testing.T) {
	b := newBench(t)
	text := changed("First", "1st")
	s := b.save(b.open(), text)
	b.now = b.now.Add(24 * time.Hour)
	b.start()
	if done, err := b.docs.Reconcile(t.Context()); err != nil || done.EditSessions != 1 {
		t.Fatalf("%+v expired, %v", done, err)
	}
	left, err := b.s.Unsaved(t.Context(), b.doc.ID)
	if err != nil || len(left) != 1 || string(left[0].Text) != text || left[0].State != "expired" {
		t.Fatalf("%+v %v", left, err)
	}
	if _, err := b.s.Commit(t.Context(), s.ID, "person"); core.CodeOf(err) != core.TurnEnded {
		t.Errorf("an expired session was committed: %v", err)
	}
	again, err := b.s.Reopen(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	b.commit(again)
	if b.head() != text {
		t.Errorf("the head is %q", b.head())
	}
	if left, err = b.s.Unsaved(t.Context(), b.doc.ID); err != nil || len(left) != 0 {
		t.Errorf("still unsaved: %+v %v", left, err)
	}
}

// What is discarded, or committed, is not kept; an expired session can be
// discarded as well.
func TestDiscardDropsTheText(t *testing.T) {
	b := newBench(t)
	gone := b.save(b.open(), changed("First", "1st"))
	b.now = b.now.Add(time.Hour)
	if _, err := b.docs.Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.s.Discard(t.Context(), gone.ID); err != nil {
		t.Fatal(err)
	}
	kept := b.save(b.open(), changed("First", "2nd"))
	b.commit(kept)
	for _, id := range []string{gone.ID, kept.ID} {
		err := b.st.Read(t.Context(), func(tx *store.Tx) error {
			e, err := tx.EditSession(id)
			if err == nil && (e.State != "closed" || e.Buffer != nil) {
				t.Errorf("%s, with %d bytes", e.State, len(e.Buffer))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Two windows on one session: one wins, the other keeps its text and is told.
func TestSaveIsCompareAndSwap(t *testing.T) {
	b := newBench(t)
	first := b.open()
	second := first
	b.save(first, changed("First", "1"))
	_, err := b.s.Save(t.Context(), second.ID, second.UpdatedAt, []byte(changed("First", "one")))
	if core.CodeOf(err) != core.HeadMoved {
		t.Fatalf("the second save: %v", err)
	}
	now, err := b.s.Get(t.Context(), first.ID)
	if err != nil || string(now.Text) != changed("First", "1") {
		t.Errorf("%q %v", now.Text, err)
	}
}

// R-DOC-8: a head that moved on is merged with where the changes are apart.
func TestCommitMergesWithAMovedHead(t *testing.T) {
	b := newBench(t)
	mine, theirs := b.open(), b.open()
	mine = b.save(mine, changed("Quarterly plan", "Yearly plan"))
	b.commit(b.save(theirs, changed("Second paragraph.", "The end.")))
	c := b.commit(mine)
	want := strings.Replace(changed("Quarterly plan", "Yearly plan"), "Second paragraph.", "The end.", 1)
	if !c.Merged || c.Revision.Generation != 3 || b.head() != want {
		t.Errorf("merged %t, generation %d, head %q", c.Merged, c.Revision.Generation, b.head())
	}
}

// DOC-3: a conflict shows three texts and overwrites nothing.
func TestConflictKeepsBoth(t *testing.T) {
	b := newBench(t)
	mine, theirs := b.open(), b.open()
	mine = b.save(mine, changed("Quarterly", "Yearly"))
	b.commit(b.save(theirs, changed("Quarterly", "Monthly")))
	_, err := b.s.Commit(t.Context(), mine.ID, "person")
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.HeadMoved {
		t.Fatalf("got %v", err)
	}
	conflicts, ok := e.Detail["conflicts"].([]textpatch.Conflict)
	if !ok || len(conflicts) != 1 || conflicts[0].BaseText != "Quarterly" || conflicts[0].HeadText != "Monthly" || conflicts[0].MineText != "Yearly" {
		t.Errorf("conflicts %+v", e.Detail["conflicts"])
	}
	if b.head() != changed("Quarterly", "Monthly") {
		t.Errorf("the head is %q", b.head())
	}
	kept, err := b.s.Get(t.Context(), mine.ID)
	if err != nil || !kept.Unsaved || string(kept.Text) != changed("Quarterly", "Yearly") {
		t.Errorf("the text is %q, unsaved %t, %v", kept.Text, kept.Unsaved, err)
	}
}

// D-48: of many editors that commit together each change is in or refused, and
// none is lost on the way.
func TestEditorsTogether(t *testing.T) {
	b := newBench(t)
	words := []string{"Plan", "Quarterly", "First", "Second"}
	sessions := make([]manual.Session, len(words))
	for i, w := range words {
		sessions[i] = b.save(b.open(), strings.Replace(page, w, "x"+w, 1))
	}
	errs := make([]error, len(words))
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() { _, errs[i] = b.s.Commit(t.Context(), sessions[i].ID, "person") })
	}
	wg.Wait()
	head := b.head()
	for i, w := range words {
		switch {
		case errs[i] == nil && !strings.Contains(head, "x"+w):
			t.Errorf("the change of %q was acknowledged and is gone: %q", w, head)
		case errs[i] != nil && core.CodeOf(errs[i]) != core.HeadMoved && core.CodeOf(errs[i]) != core.LeaseHeld:
			t.Errorf("%q: %v", w, errs[i])
		}
		if errs[i] != nil {
			kept, err := b.s.Get(t.Context(), sessions[i].ID)
			if err != nil || !kept.Unsaved {
				t.Errorf("the text of %q was refused (%v) and not kept", w, errs[i])
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	b := newBench(t)
	s := b.open()
	if _, err := b.s.Commit(t.Context(), s.ID, "person"); core.CodeOf(err) != core.NoOp {
		t.Errorf("a commit of nothing: %v", err)
	}
	if _, err := b.s.Save(t.Context(), s.ID, s.UpdatedAt, []byte("a\xffb")); core.CodeOf(err) != core.NotUTF8 {
		t.Errorf("text that is not UTF-8: %v", err)
	}
	if _, err := b.s.Save(t.Context(), s.ID, s.UpdatedAt, []byte("a\x00b")); core.CodeOf(err) != core.HasNUL {
		t.Errorf("text with NUL: %v", err)
	}
	s = b.save(s, page)
	if s.Unsaved {
		t.Error("the baseline's own text counts as unsaved")
	}
	if err := b.s.Discard(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := b.s.Save(t.Context(), s.ID, s.UpdatedAt, []byte("x")); core.CodeOf(err) != core.HeadMoved {
		t.Errorf("a save after the end: %v", err)
	}
	if _, err := b.s.Open(t.Context(), "doc_none"); core.CodeOf(err) != core.UnknownDocument {
		t.Errorf("a session on no document: %v", err)
	}
	if _, err := b.s.OpenAt(t.Context(), b.doc.ID, 9); core.CodeOf(err) != core.UnknownRevision {
		t.Errorf("a session on no version: %v", err)
	}
	if err := b.s.Discard(t.Context(), "eds_none"); core.CodeOf(err) != core.NotFound {
		t.Errorf("no session discarded: %v", err)
	}
}

// OpenAt: text that was made from an earlier version is merged into the head.
func TestOpenAtAnEarlierVersion(t *testing.T) {
	b := newBench(t)
	b.commit(b.save(b.open(), changed("Quarterly", "Yearly")))
	old, err := b.s.OpenAt(t.Context(), b.doc.ID, 1)
	if err != nil || string(old.Text) != page {
		t.Fatalf("%q %v", old.Text, err)
	}
	c := b.commit(b.save(old, changed("First", "1st")))
	if want := strings.Replace(changed("First", "1st"), "Quarterly", "Yearly", 1); !c.Merged || b.head() != want {
		t.Errorf("merged %t, head %q", c.Merged, b.head())
	}
}

// The policy's flags are recorded, and stop nobody from writing a script.
func TestFlagsAreRecorded(t *testing.T) {
	b := newBench(t)
	c := b.commit(b.save(b.open(), page+"<script>go()</script>\n"))
	if len(c.ChangeSet.Flags) != 1 || c.ChangeSet.Flags[0].Kind != "script" {
		t.Errorf("flags %+v", c.ChangeSet.Flags)
	}
}

// Attack 22, R-SEC-2: who may approve nothing does not approve by typing it, and
// what was typed waits for a person.
func TestCommitOfWhoMayNotApprove(t *testing.T) {
	b := newBench(t)
	e := b.save(b.open(), page+"<script>go()</script>\n")
	_, err := b.s.CommitPlain(t.Context(), e.ID, "agent")
	if flags, _ := core.AsError(err).Detail["flags"].([]core.PolicyFlag); core.CodeOf(err) != core.NeedsApproval || len(flags) != 1 || b.head() != page {
		t.Errorf("%v, head %q", err, b.head())
	}
	if c := b.commit(e); len(c.ChangeSet.Flags) != 1 {
		t.Errorf("a person: %+v", c.ChangeSet)
	}
	e = b.save(b.open(), b.head()+"<p>plain</p>\n")
	if _, err := b.s.CommitPlain(t.Context(), e.ID, "agent"); err != nil {
		t.Errorf("nothing to approve: %v", err)
	}
}
