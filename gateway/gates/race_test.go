package gates_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/gates"
	"proofmark/gateway/store"
	"proofmark/gateway/turn"
)

const (
	childEnv    = "PROOFMARK_TEST_COMMITS_IN"
	mostCommits = 10_000
)

func TestMain(m *testing.M) {
	if place := os.Getenv(childEnv); place != "" {
		if err := commitTurns(place, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// commitTurns publishes one turn after the other on its own page, until it is
// refused as switched off, or its input ends, or mostCommits are done. It says
// "on" after the first, and at last why it ended.
func commitTurns(data string, stdin io.Reader, stdout io.Writer) error {
	ctx := context.Background()
	st, err := store.Open(data, store.Options{BusyTimeout: time.Minute})
	if err != nil {
		return err
	}
	defer st.Close()
	docs := document.New(st, document.Options{})
	path := filepath.Join(data, strconv.Itoa(os.Getpid())+".html")
	if err := os.WriteFile(path, []byte("<p>0"), 0o600); err != nil {
		return err
	}
	opened, err := docs.Open(ctx, path)
	if err != nil {
		return err
	}
	end := make(chan struct{})
	go func() { defer close(end); _, _ = io.Copy(io.Discard, stdin) }()
	text, doc := "<p>0", opened.Document
	for n := 1; n <= mostCommits; n++ {
		select {
		case <-end:
			return nil
		default:
		}
		t := core.Turn{
			ID: core.NewID("turn"), SessionID: "s", RequestID: core.NewID("req"), Fingerprint: "f", DocumentID: doc.ID, RevisionID: doc.HeadID,
			State: core.TurnRunning, Model: "m", At: time.Now(), Notes: []core.SentNote{{Order: 1}},
		}
		if err := st.Write(ctx, func(tx *store.Tx) error { return tx.InsertTurn(t) }); err != nil {
			return err
		}
		lease, err := docs.Lease(ctx, doc.ID)
		if err != nil {
			return err
		}
		after := "<p>" + strconv.Itoa(n)
		res, err := docs.Commit(ctx, document.CommitRequest{
			DocumentID: doc.ID, ExpectedHead: doc.HeadID, ExpectedStateRev: doc.StateRev, Lease: lease, After: []byte(after),
			Edits:  []core.Edit{{Span: core.Span{Start: 3, End: len(text)}, Replacement: after[3:]}},
			Source: core.SourceTurn, Actor: "test", Key: core.NewID("key"), TurnID: t.ID,
			Also: func(tx *store.Tx, _ document.Result) error {
				return tx.SetTurnState(t.ID, core.TurnRunning, core.TurnApplied)
			},
		})
		if code := core.CodeOf(err); code == core.FeatureOff || code == core.TurnEnded {
			fmt.Fprintln(stdout, code)
			return nil
		}
		if err != nil {
			return err
		}
		if err := docs.Release(ctx, lease); err != nil {
			return err
		}
		text, doc = after, res.Document
		if n == 1 {
			fmt.Fprintln(stdout, "on")
		}
	}
	fmt.Fprintln(stdout, "nobody said no")
	return nil
}

// R-SEC-6, D-113: other processes publish turns as fast as they can. When Kill
// has returned, no revision of a turn appears any more, in any of them; when it
// is taken back at once, those that were at work then still publish nothing.
func TestKillRacesCommits(t *testing.T) {
	const children, rounds = 3, 4
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	if p.st, err = store.Open(p.st.Dir(), store.Options{BusyTimeout: 50 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	defer p.st.Close()
	for round := range rounds {
		var said []*bufio.Scanner
		var cmds []*exec.Cmd
		for range children {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), childEnv+"="+p.st.Dir())
			cmd.Stderr = os.Stderr
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			said, cmds = append(said, bufio.NewScanner(out)), append(cmds, cmd)
		}
		for _, s := range said {
			if !s.Scan() || s.Text() != "on" {
				t.Fatalf("a process did not get to work: %q", s.Text())
			}
		}
		var ended []core.Turn
		if _, err := gates.Kill(context.Background(), p.st, notes, "test", "", func(tx *store.Tx) (err error) {
			ended, err = turn.Fence(tx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		before := p.turnRevisions()
		for i, s := range said { // each tries at least once more, or was ended while it worked
			if !s.Scan() || s.Text() != string(core.FeatureOff) && s.Text() != string(core.TurnEnded) {
				t.Errorf("after kill a process was told %q", s.Text())
			}
			if err := cmds[i].Wait(); err != nil {
				t.Error(err)
			}
		}
		if after := p.turnRevisions(); after != before || before == 0 {
			t.Fatalf("round %d: %d revisions of turns when kill returned, %d later", round, before, after)
		}
		p.kill(notes, false)
		for _, e := range ended {
			if err := p.st.Write(context.Background(), func(tx *store.Tx) error {
				return tx.SetTurnState(e.ID, core.TurnRunning, core.TurnApplied)
			}); core.CodeOf(err) != core.TurnEnded {
				t.Errorf("a turn that kill ended can still publish: %v", err)
			}
		}
		t.Logf("%d revisions, %d turns were ended at work", before, len(ended))
	}
}

// turnRevisions counts what turns published, in all documents.
func (p *place) turnRevisions() int {
	p.t.Helper()
	n := 0
	if err := p.st.Read(context.Background(), func(tx *store.Tx) error {
		docs, err := tx.Documents()
		if err != nil {
			return err
		}
		for _, d := range docs {
			revs, err := tx.Revisions(d.ID, 0, 0)
			if err != nil {
				return err
			}
			for _, r := range revs {
				if r.Source == core.SourceTurn {
					n++
				}
			}
		}
		return nil
	}); err != nil {
		p.t.Fatal(err)
	}
	return n
}
