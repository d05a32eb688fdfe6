package policy

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto"
)

// TestRemoteTable: a relay is asked for surfaces, and never for what a browser of
// our own is.
func TestRemoteTable(t *testing.T) {
	for _, c := range []struct {
		method, params string
		code           int64
	}{
		{"Bridge.hello", `{"protocol":4}`, 0},
		{"Bridge.open", `{"place":"preview","origin":"` + origin + `","width":800,"height":600}`, 0},
		{"Bridge.open", `{"place":"candidate","origin":"` + origin + `","width":800,"height":600}`, 0},
		{"Bridge.close", `{"sessionId":"s"}`, 0},

		{"Bridge.hello", `{"protocol":3}`, CodeParameter},
		{"Bridge.hello", `{}`, CodeParameter},
		{"Bridge.open", `{"place":"overlay","origin":"` + origin + `","width":800,"height":600}`, CodeParameter},
		{"Bridge.open", `{"place":"preview","origin":"` + origin + `/","width":800,"height":600}`, CodeParameter},
		{"Bridge.open", `{"place":"preview","origin":"http://127.0.0.1:80","width":800,"height":600}`, CodeParameter},
		{"Bridge.open", `{"place":"preview","origin":"http://evil.test:80","width":800,"height":600}`, CodeParameter},
		{"Bridge.open", `{"place":"preview","origin":"` + origin + `","width":0,"height":600}`, CodeParameter},
		{"Bridge.open", `{"place":"preview","origin":"` + origin + `"}`, CodeParameter},
		{"Bridge.open", `{"place":"preview","origin":"` + origin + `","width":800,"height":600,"proxy":"x"}`, CodeParameter},
		{"Bridge.close", `{}`, CodeParameter},
		{"Browser.getVersion", `{}`, CodeDenied},
		{"Browser.close", `{}`, CodeDenied},
		{"Target.createTarget", `{"url":"about:blank","browserContextId":"c"}`, CodeDenied},
		{"Target.getTargets", `{}`, CodeDenied},
	} {
		f := newFake()
		tr := Wrap(f, Config{World: "w", Remote: true})
		if code := ask(t, tr, f, "", c.method, c.params); code != c.code {
			t.Errorf("%s %s: %d, want %d", c.method, c.params, code, c.code)
		}
		tr.Close()
	}
	tr, f := wrapped(t)
	if code := ask(t, tr, f, "", "Bridge.hello", `{"protocol":4}`); code != CodeDenied {
		t.Errorf("a browser was asked for a relay's hello: %d", code)
	}
}

// TestRemoteEvents: of a relay itself only the end of a surface is heard.
func TestRemoteEvents(t *testing.T) {
	f := newFake()
	tr := Wrap(f, Config{Remote: true})
	defer tr.Close()
	for _, method := range []string{"Target.attachedToTarget", "Bridge.other", "Bridge.closed"} {
		f.in <- &cdproto.Message{Method: cdproto.MethodType(method)}
	}
	var m cdproto.Message
	if err := tr.Read(context.Background(), &m); err != nil || m.Method != "Bridge.closed" {
		t.Errorf("%s %v", m.Method, err)
	}
}
