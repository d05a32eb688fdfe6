package surface

import (
	"context"
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// slowHost takes its time to open a view.
type slowHost struct {
	*fakeHost
	in, out chan struct{}
}

func (h slowHost) Open(ctx context.Context, o contract.OpenOptions) (contract.Surface, error) {
	h.in <- struct{}{}
	<-h.out
	return h.fakeHost.Open(ctx, o)
}

// A manager that is closed while a view is being opened closes the others; that
// one is whoever's who opens it, and a view that is lost at once is not counted on.
func TestCloseWhileOpening(t *testing.T) {
	l, err := Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	h := slowHost{&fakeHost{listener: l}, make(chan struct{}), make(chan struct{})}
	m := NewManager(l, h)
	type opened struct {
		p   *Preview
		err error
	}
	done := make(chan opened)
	open := func() {
		src := []byte("<p>x")
		p, err := m.Open(t.Context(), Spec{DocumentID: "d", RevisionID: "r", SHA: core.SHA256Hex(src), Bytes: src, FileName: "a.html", Width: 10, Height: 10})
		done <- opened{p, err}
	}
	go open()
	<-h.in
	h.out <- struct{}{}
	first := <-done
	go open()
	<-h.in
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	select {
	case <-first.p.closed:
	default:
		t.Error("the open one was not closed")
	}
	h.out <- struct{}{}
	second := <-done
	if second.err != nil {
		t.Fatal(second.err)
	}
	if err := second.p.Close(); err != nil {
		t.Error(err)
	}
	if n := len(m.open); n != 0 {
		t.Errorf("%d previews are counted as open", n)
	}
}
