package policy

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto"
)

const bench = "http://127.0.0.1:4000"

// TestWindowTable: what may be said to the workbench's own page, and nothing that
// runs code in it, reads it or acts in it.
func TestWindowTable(t *testing.T) {
	for _, c := range []struct {
		method, params string
		code           int64
	}{
		{"Page.enable", "{}", 0},
		{"Inspector.enable", "{}", 0},
		{"Runtime.runIfWaitingForDebugger", "{}", 0},
		{"Page.navigate", `{"url":"` + bench + `/#/d/doc_x"}`, 0},
		{"Page.handleJavaScriptDialog", `{"accept":true}`, 0},
		{"Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":[{"type":"iframe"}]}`, 0},
		{"Fetch.enable", `{"patterns":[{"urlPattern":"` + bench + `/host/*","requestStage":"Request"},{"urlPattern":"*","resourceType":"Document","requestStage":"Request"}]}`, 0},
		{"Fetch.continueRequest", `{"requestId":"r"}`, 0},
		{"Fetch.failRequest", `{"requestId":"r","errorReason":"Aborted"}`, 0},
		{"Fetch.fulfillRequest", `{"requestId":"r","responseCode":200,"responseHeaders":[{"name":"Content-Type","value":"application/json"}],"body":"e30="}`, 0},

		{"Page.navigate", `{"url":"http://127.0.0.1:4001/"}`, CodeParameter},
		{"Page.navigate", `{"url":"about:blank"}`, CodeParameter},
		{"Page.navigate", `{"url":"` + bench + `@evil.test/"}`, CodeParameter},
		{"Fetch.enable", `{"patterns":[{"urlPattern":"*","requestStage":"Request"}]}`, CodeParameter},
		{"Fetch.enable", `{"patterns":[{"urlPattern":"` + bench + `/v1/*","requestStage":"Request"}]}`, CodeParameter},
		{"Fetch.enable", `{"patterns":[{"urlPattern":"http://127.0.0.1:4001/host/*","requestStage":"Request"}]}`, CodeParameter},
		{"Fetch.continueRequest", `{"requestId":"r","headers":[{"name":"Authorization","value":"x"}]}`, CodeParameter},
		{"Fetch.continueRequest", `{"requestId":"r","url":"http://evil.test/"}`, CodeParameter},
		{"Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true,"filter":[{"type":"iframe"}]}`, CodeParameter},
		{"Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":[{"type":"page"}]}`, CodeParameter},
		{"Runtime.evaluate", `{"expression":"self"}`, CodeDenied},
		{"Runtime.enable", "{}", CodeDenied},
		{"Runtime.callFunctionOn", `{"functionDeclaration":"` + fn + `"}`, CodeDenied},
		{"Page.addScriptToEvaluateOnNewDocument", `{"source":"` + register + `","worldName":"w"}`, CodeDenied},
		{"DOM.enable", "{}", CodeDenied},
		{"DOM.getDocument", `{"depth":0}`, CodeDenied},
		{"Network.enable", "{}", CodeDenied},
		{"Log.enable", "{}", CodeDenied},
		{"Overlay.enable", "{}", CodeDenied},
		{"Page.captureScreenshot", "{}", CodeDenied},
		{"Page.reload", "{}", CodeDenied},
		{"Input.dispatchMouseEvent", `{"type":"mouseMoved","x":1,"y":1}`, CodeDenied},
		{"Input.dispatchKeyEvent", `{"type":"keyDown"}`, CodeDenied},
		{"Input.insertText", `{"text":"x"}`, CodeDenied},
		{"Emulation.setFocusEmulationEnabled", `{"enabled":true}`, CodeDenied},
		{"Target.attachToTarget", `{"targetId":"x"}`, CodeDenied},
		{"Storage.getCookies", "{}", CodeDenied},
	} {
		tr, f := wrapped(t)
		tr.BindWindow("bench", bench)
		if code := ask(t, tr, f, "bench", c.method, c.params); code != c.code {
			t.Errorf("%s %s: %d, want %d", c.method, c.params, code, c.code)
		}
		if sent := len(f.sent) > 0; sent != (c.code == 0) {
			t.Errorf("%s %s: sent %v", c.method, c.params, sent)
		}
	}
}

// TestWindowEvents: the workbench's page tells what its host needs; its frames are
// pages like any other.
func TestWindowEvents(t *testing.T) {
	tr, f := wrapped(t)
	tr.BindWindow("bench", bench)
	for _, m := range []*cdproto.Message{
		{SessionID: "bench", Method: "Runtime.consoleAPICalled"},
		{SessionID: "bench", Method: "Network.requestWillBeSent"},
		{SessionID: "bench", Method: "DOM.documentUpdated"},
		{SessionID: "bench", Method: "Target.attachedToTarget"},
		{SessionID: "page", Method: "Target.attachedToTarget"},
		{SessionID: "page", Method: "Overlay.nodeHighlightRequested"},
		{SessionID: "bench", Method: "Fetch.requestPaused"},
	} {
		f.in <- m
	}
	for _, want := range []string{"Target.attachedToTarget", "Overlay.nodeHighlightRequested", "Fetch.requestPaused"} {
		var m cdproto.Message
		if err := tr.Read(context.Background(), &m); err != nil || string(m.Method) != want {
			t.Errorf("%s %v, want %s", m.Method, err, want)
		}
	}
}
