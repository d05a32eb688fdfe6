package gates_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"proofmark/gateway/gates"
)

// D-113: whoever watches is told what is, and of each change, once.
func TestWatch(t *testing.T) {
	p := newPlace(t)
	g := must(p.load())
	ctx, stop := context.WithCancel(context.Background())
	told := make(chan string)
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.Watch(ctx, time.Millisecond, func(s gates.State) { told <- fmt.Sprintf("%s %v %s", s.Feature, s.On, s.By) })
	}()
	expect := func(want ...string) {
		t.Helper()
		for _, w := range want {
			if got := <-told; got != w {
				t.Fatalf("told %q, want %q", got, w)
			}
		}
	}
	expect("documentWorkbenchResources true default", "artifactPromptAnnotations true default")
	p.kill(notes, true)
	expect("artifactPromptAnnotations false kill")
	p.kill(notes, true) // for another reason: nothing new
	p.kill(bench, true)
	expect("documentWorkbenchResources false kill")
	p.kill(bench, false)
	expect("documentWorkbenchResources true default")
	p.kill(notes, false)
	expect("artifactPromptAnnotations true default")
	stop()
	<-done
}
