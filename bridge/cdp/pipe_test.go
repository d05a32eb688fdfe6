package cdp

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/chromedp/cdproto"
)

type nothing struct{ io.Writer }

func (nothing) Close() error { return nil }

// TestPipeBounds: a message larger than any we want is skipped, not held, and
// what follows it is read.
func TestPipeBounds(t *testing.T) {
	in := io.MultiReader(
		strings.NewReader(`{"id":1,"result":{}}`+"\x00"+"  \x00"),
		strings.NewReader(`{"method":"Runtime.consoleAPICalled","params":"`), strings.NewReader(strings.Repeat("x", maxMessage)), strings.NewReader(`"}`+"\x00"),
		strings.NewReader(`{"id":2,"result":{"data":"`+strings.Repeat("y", 200<<10)+`"}}`+"\x00"+`{"id":3`),
	)
	p := newPipe(io.NopCloser(in), nothing{io.Discard})
	for _, want := range []int64{1, 2} {
		var m cdproto.Message
		if err := p.Read(context.Background(), &m); err != nil || m.ID != want {
			t.Fatalf("message %d: %+v %v", want, m.ID, err)
		}
	}
	var m cdproto.Message
	if err := p.Read(context.Background(), &m); !errors.Is(err, io.EOF) {
		t.Errorf("a message that was cut off: %v", err)
	}
}

func TestPipeWrites(t *testing.T) {
	var out strings.Builder
	p := newPipe(io.NopCloser(strings.NewReader("")), nothing{&out})
	if err := p.Write(context.Background(), &cdproto.Message{ID: 4, SessionID: "s", Method: "Page.enable"}); err != nil {
		t.Fatal(err)
	}
	if out.String() != `{"id":4,"sessionId":"s","method":"Page.enable"}`+"\x00" {
		t.Errorf("%q", out.String())
	}
}
