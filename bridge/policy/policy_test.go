package policy

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

	"proofmark/gateway/core"
)

const (
	origin   = "http://abc.localhost:4321"
	fn       = "function () { return 1; }"
	register = "(() => {})()"
)

// fake is the browser's side: it keeps what was sent.
type fake struct {
	sent []*cdproto.Message
	in   chan *cdproto.Message
	gone chan struct{}
}

func newFake() *fake { return &fake{in: make(chan *cdproto.Message, 16), gone: make(chan struct{})} }

func (f *fake) Read(_ context.Context, m *cdproto.Message) error {
	select {
	case got := <-f.in:
		*m = *got
		return nil
	case <-f.gone:
		return io.EOF
	}
}

func (f *fake) Write(_ context.Context, m *cdproto.Message) error {
	f.sent = append(f.sent, m)
	return nil
}

func (f *fake) Close() error { close(f.gone); return nil }

func wrapped(t *testing.T) (*Transport, *fake) {
	t.Helper()
	f := newFake()
	tr := Wrap(f, Config{World: "w", Functions: []string{fn}, Scripts: []string{register}})
	tr.Bind("page", origin)
	t.Cleanup(func() { tr.Close() })
	return tr, f
}

// ask sends one command and gives the local refusal's code, 0 where it was
// sent on or answered with a stub.
func ask(t *testing.T, tr *Transport, f *fake, session, method, params string) int64 {
	t.Helper()
	before := len(f.sent)
	m := &cdproto.Message{ID: 7, SessionID: target.SessionID(session), Method: cdproto.MethodType(method), Params: jsonv2.Value(params)}
	if err := tr.Write(context.Background(), m); err != nil {
		t.Fatal(err)
	}
	if len(f.sent) > before {
		return 0
	}
	var answer cdproto.Message
	if err := tr.Read(context.Background(), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.ID != 7 || answer.SessionID != target.SessionID(session) {
		t.Fatalf("the answer is for %d %q", answer.ID, answer.SessionID)
	}
	if answer.Error == nil {
		return 0
	}
	return answer.Error.Code
}

// TestAllowed: what the bridge needs passes (R-SEC-4).
func TestAllowed(t *testing.T) {
	for _, c := range [][3]string{
		{"", "Browser.getVersion", ""},
		{"", "Target.createBrowserContext", `{"disposeOnDetach":true}`},
		{"", "Target.createTarget", `{"url":"about:blank","browserContextId":"c"}`},
		{"", "Browser.setDownloadBehavior", `{"behavior":"deny","browserContextId":"c"}`},
		{"", "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":[{"type":"page","exclude":false}]}`},
		{"page", "Page.enable", "{}"},
		{"page", "Page.navigate", `{"url":"` + origin + `/a.html?x#y"}`},
		{"page", "Page.navigate", `{"url":"about:blank"}`},
		{"page", "DOM.getDocument", `{"depth":0}`},
		{"page", "Overlay.setShowContainerQueryOverlays", `{"containerQueryHighlightConfigs":[]}`},
		{"page", "Overlay.setShowContainerQueryOverlays", `{"containerQueryHighlightConfigs":[{"nodeId":3,"containerQueryContainerHighlightConfig":{"containerBorder":{"color":{"r":1,"g":2,"b":3,"a":1},"pattern":"dashed"}}}]}`},
		{"page", "Overlay.setShowHinge", ``},
		{"page", "Overlay.setShowHinge", `{"hingeConfig":{"rect":{"x":0,"y":2,"width":3,"height":4},"contentColor":{"r":1,"g":2,"b":3,"a":0.5},"outlineColor":{"r":1,"g":2,"b":3,"a":1}}}`},
		{"page", "Overlay.setInspectMode", `{"mode":"searchForNode","highlightConfig":{"contentColor":{"r":1,"g":2,"b":3,"a":0.5}}}`},
		{"page", "Runtime.callFunctionOn", `{"functionDeclaration":"` + fn + `","objectId":"1.2.3","silent":true,"arguments":[{"value":["x"]}]}`},
		{"page", "Page.addScriptToEvaluateOnNewDocument", `{"source":"` + register + `","worldName":"w"}`},
		{"page", "Page.captureScreenshot", `{"format":"png","clip":{"x":0,"y":0,"width":5000,"height":5000,"scale":1}}`},
		{"page", "Input.dispatchMouseEvent", `{"type":"mousePressed","x":1.5,"y":-1,"button":"left","clickCount":1}`},
		{"page", "Input.insertText", `{"text":"more"}`},
		{"page", "Page.handleJavaScriptDialog", `{"accept":false}`},
		{"page", "Runtime.evaluate", `{"expression":"self"}`},
		{"page", "Fetch.continueRequest", `{"requestId":"r"}`},
	} {
		tr, f := wrapped(t)
		if code := ask(t, tr, f, c[0], c[1], c[2]); code != 0 {
			t.Errorf("%s %s: refused with %d", c[1], c[2], code)
		}
	}
}

// TestStub: chromedp's probe is answered and never sent.
func TestStub(t *testing.T) {
	tr, f := wrapped(t)
	m := &cdproto.Message{ID: 1, SessionID: "page", Method: "Runtime.evaluate", Params: jsonv2.Value(`{"expression":"self"}`)}
	if err := tr.Write(context.Background(), m); err != nil {
		t.Fatal(err)
	}
	var answer cdproto.Message
	if err := tr.Read(context.Background(), &answer); err != nil || len(f.sent) != 0 || string(answer.Result) != selfStub {
		t.Errorf("%v %d %s", err, len(f.sent), answer.Result)
	}
}

// TestDeniedMethods: every family that is not in the tables (R-SEC-4, T-97).
func TestDeniedMethods(t *testing.T) {
	for _, c := range [][2]string{
		{"page", "Runtime.compileScript"},
		{"page", "Runtime.runScript"},
		{"page", "Runtime.addBinding"},
		{"page", "Runtime.queryObjects"},
		{"page", "DOM.setAttributeValue"},
		{"page", "DOM.setAttributesAsText"},
		{"page", "DOM.setOuterHTML"},
		{"page", "DOM.setNodeValue"},
		{"page", "DOM.removeNode"},
		{"page", "DOM.removeAttribute"},
		{"page", "DOM.moveTo"},
		{"page", "DOM.copyTo"},
		{"page", "DOM.undo"},
		{"page", "DOM.setFileInputFiles"},
		{"page", "DOM.performSearch"},
		{"page", "DOM.querySelector"},
		{"page", "CSS.setStyleSheetText"},
		{"page", "CSS.setStyleTexts"},
		{"page", "CSS.addRule"},
		{"page", "CSS.createStyleSheet"},
		{"page", "Page.setDocumentContent"},
		{"page", "Page.printToPDF"},
		{"page", "Page.crash"},
		{"page", "Page.close"},
		{"page", "Page.setBypassCSP"},
		{"page", "Page.navigateToHistoryEntry"},
		{"page", "Page.setDownloadBehavior"},
		{"page", "Page.startScreencast"},
		{"page", "Page.bringToFront"},
		{"page", "Emulation.setScriptExecutionDisabled"},
		{"page", "Emulation.setUserAgentOverride"},
		{"page", "Emulation.setGeolocationOverride"},
		{"page", "Storage.getCookies"},
		{"page", "Storage.clearDataForOrigin"},
		{"page", "Network.setCookie"},
		{"page", "Network.getCookies"},
		{"page", "Network.setExtraHTTPHeaders"},
		{"page", "Network.setRequestInterception"},
		{"page", "Fetch.disable"},
		{"page", "Fetch.continueWithAuth"},
		{"page", "Fetch.continueResponse"},
		{"page", "Fetch.getResponseBody"},
		{"page", "Target.createTarget"},
		{"page", "Target.closeTarget"},
		{"page", "Target.attachToTarget"},
		{"page", "Target.sendMessageToTarget"},
		{"page", "Target.exposeDevToolsProtocol"},
		{"page", "Browser.getVersion"},
		{"page", "Browser.close"},
		{"page", "IO.read"},
		{"page", "Tracing.start"},
		{"page", "Debugger.enable"},
		{"page", "Profiler.enable"},
		{"page", "HeapProfiler.takeHeapSnapshot"},
		{"page", "ServiceWorker.enable"},
		{"page", "Security.setIgnoreCertificateErrors"},
		{"page", "SystemInfo.getInfo"},
		{"page", "WebAuthn.enable"},
		{"page", "Input.setInterceptDrags"},
		{"page", ""},
		{"", "Browser.grantPermissions"},
		{"", "Browser.setPermission"},
		{"", "Browser.crash"},
		{"", "Browser.executeBrowserCommand"},
		{"", "Target.exposeDevToolsProtocol"},
		{"", "Target.setRemoteLocations"},
		{"", "Target.attachToBrowserTarget"},
		{"", "Target.attachToTarget"},
		{"", "Target.sendMessageToTarget"},
		{"", "Storage.setCookies"},
		{"", "SystemInfo.getProcessInfo"},
		{"", "Extensions.loadUnpacked"},
		{"", "Page.navigate"},
		{"", "Runtime.evaluate"},
		{"", "Tethering.bind"},
		{"", "Memory.getBrowserSamplingProfile"},
	} {
		tr, f := wrapped(t)
		if code := ask(t, tr, f, c[0], c[1], "{}"); code != CodeDenied {
			t.Errorf("%q %s: %d", c[0], c[1], code)
		}
		if len(f.sent) != 0 {
			t.Errorf("%s was sent", c[1])
		}
	}
}

// TestDeniedParameters: allowed methods, wrong parameters.
func TestDeniedParameters(t *testing.T) {
	for _, c := range [][3]string{
		{"page", "Page.navigate", `{"url":"http://evil.test/"}`},
		{"page", "Page.navigate", `{"url":"` + origin + `@evil.test/"}`},
		{"page", "Page.navigate", `{"url":"` + origin + `.evil.test/"}`},
		{"page", "Page.navigate", `{"url":"http://u:p@abc.localhost:4321/"}`},
		{"page", "Page.navigate", `{"url":"http://abc.localhost:43210/"}`},
		{"page", "Page.navigate", `{"url":"https://abc.localhost:4321/"}`},
		{"page", "Page.navigate", `{"url":"javascript:alert(1)"}`},
		{"page", "Page.navigate", `{"url":"file:///etc/passwd"}`},
		{"page", "Page.navigate", `{"url":"chrome://crash"}`},
		{"page", "Page.navigate", `{"url":7}`},
		{"page", "Page.navigate", `{}`},
		{"page", "Page.navigate", `[]`},
		{"page", "Page.navigate", `{"url":"about:blank","url":"http://evil.test/"}`},
		{"page", "Page.navigate", `{"url":"about:blank","frameId":"x"}`},
		{"page", "Page.reload", `{"scriptToEvaluateOnLoad":"alert(1)"}`},
		{"page", "Runtime.evaluate", `{"expression":"self.x"}`},
		{"page", "Runtime.evaluate", `{"expression":"self","contextId":1}`},
		{"page", "Runtime.callFunctionOn", `{"functionDeclaration":"function () { return 2; }","objectId":"1"}`},
		{"page", "Runtime.callFunctionOn", `{"functionDeclaration":"` + fn + ` ","objectId":"1"}`},
		{"page", "Runtime.callFunctionOn", `{"functionDeclaration":"` + fn + `","userGesture":true}`},
		{"page", "Runtime.callFunctionOn", `{"functionDeclaration":"` + fn + `","silent":false}`},
		{"page", "Runtime.callFunctionOn", `{"objectId":"1"}`},
		{"page", "Page.addScriptToEvaluateOnNewDocument", `{"source":"` + register + `"}`},
		{"page", "Page.addScriptToEvaluateOnNewDocument", `{"source":"` + register + `","worldName":""}`},
		{"page", "Page.addScriptToEvaluateOnNewDocument", `{"source":"alert(1)","worldName":"w"}`},
		{"page", "Page.addScriptToEvaluateOnNewDocument", `{"source":"` + register + `","worldName":"w","runImmediately":true}`},
		{"page", "Page.createIsolatedWorld", `{"frameId":"f","worldName":"w","grantUniveralAccess":true}`},
		{"page", "Page.createIsolatedWorld", `{"frameId":"f","worldName":"other"}`},
		{"page", "DOM.getDocument", `{"depth":-1}`},
		{"page", "DOM.getDocument", `{"depth":1,"pierce":true}`},
		{"page", "DOM.describeNode", `{"backendNodeId":0}`},
		{"page", "DOM.describeNode", `{"backendNodeId":1.5}`},
		{"page", "DOM.pushNodesByBackendIdsToFrontend", `{"backendNodeIds":[` + strings.Repeat("1,", 4096) + `1]}`},
		{"page", "DOM.setNodeStackTracesEnabled", `{"enable":false}`},
		{"page", "Overlay.setInspectMode", `{"mode":"captureAreaScreenshot","highlightConfig":{}}`},
		{"page", "Overlay.setInspectMode", `{"mode":"searchForNode"}`},
		{"page", "Overlay.setShowContainerQueryOverlays", ``},
		{"page", "Overlay.setShowContainerQueryOverlays", `{"containerQueryHighlightConfigs":[{"nodeId":3}]}`},
		{"page", "Overlay.setShowContainerQueryOverlays", `{"containerQueryHighlightConfigs":[{"nodeId":3,"containerQueryContainerHighlightConfig":{"containerBorder":{"color":{"r":1,"g":2,"b":3,"a":1},"pattern":"wavy"}}}]}`},
		{"page", "Overlay.setShowContainerQueryOverlays", `{"containerQueryHighlightConfigs":[{"nodeId":3,"containerQueryContainerHighlightConfig":{"containerBorder":{"color":{"r":1,"g":2,"b":3,"a":1}},"descendantBorder":{"color":{"r":1,"g":2,"b":3,"a":1}}}}]}`},
		{"page", "Overlay.setShowContainerQueryOverlays", `{"containerQueryHighlightConfigs":[` + strings.Repeat(`{"nodeId":3,"containerQueryContainerHighlightConfig":{"containerBorder":{"color":{"r":1,"g":2,"b":3}}}},`, core.MaxOutlines) + `{"nodeId":3,"containerQueryContainerHighlightConfig":{"containerBorder":{"color":{"r":1,"g":2,"b":3}}}}]}`},
		{"page", "Overlay.setShowHinge", `{"hingeConfig":{"rect":{"x":0,"y":2,"width":3,"height":4}}}`},
		{"page", "Overlay.setShowHinge", `{"hingeConfig":{"rect":{"x":-1,"y":2,"width":3,"height":4},"contentColor":{"r":1,"g":2,"b":3},"outlineColor":{"r":1,"g":2,"b":3}}}`},
		{"page", "Overlay.highlightNode", `{"selector":"*","highlightConfig":{}}`},
		{"page", "Page.captureScreenshot", `{"clip":{"x":0,"y":0,"width":9000,"height":9000,"scale":1}}`},
		{"page", "Page.captureScreenshot", `{"clip":{"x":0,"y":0,"width":2000,"height":2000,"scale":4}}`},
		{"page", "Page.captureScreenshot", `{"clip":{"x":-1,"y":0,"width":1,"height":1,"scale":1}}`},
		{"page", "Page.captureScreenshot", `{"format":"webp"}`},
		{"page", "Page.handleJavaScriptDialog", `{"accept":true}`},
		{"page", "Page.handleJavaScriptDialog", `{"accept":false,"promptText":"x"}`},
		{"page", "Input.dispatchMouseEvent", `{"type":"mousePressed","x":1e300,"y":0}`},
		{"page", "Input.dispatchMouseEvent", `{"type":"mousePressed","x":"1","y":0}`},
		{"page", "Input.dispatchMouseEvent", `{"type":"dragEnter","x":1,"y":0}`},
		{"page", "Input.dispatchKeyEvent", `{"type":"keyDown","commands":["selectAll"]}`},
		{"page", "Input.insertText", `{}`},
		{"page", "Input.insertText", `{"text":"` + strings.Repeat("x", 5000) + `"}`},
		{"page", "Fetch.enable", `{}`},
		{"page", "Fetch.enable", `{"patterns":[{"urlPattern":"http://x/*","requestStage":"Request"}]}`},
		{"page", "Fetch.enable", `{"patterns":[{"urlPattern":"*","requestStage":"Request"}],"handleAuthRequests":true}`},
		{"page", "Fetch.continueRequest", `{"requestId":"r","url":"http://evil.test/"}`},
		{"page", "Fetch.continueRequest", `{"requestId":"r","headers":[{"name":"Cookie","value":"x"}]}`},
		{"page", "Fetch.fulfillRequest", `{"requestId":"r","responseCode":101}`},
		{"page", "Network.setBypassServiceWorker", `{"bypass":false}`},
		{"page", "Emulation.setDeviceMetricsOverride", `{"width":800,"height":600,"deviceScaleFactor":1,"mobile":true}`},
		{"page", "Page.enable", `{"x":1}`},
		{"page", "Page.enable", `{` + strings.Repeat(" ", 70<<10) + `}`},
		{"", "Target.createBrowserContext", `{"disposeOnDetach":true,"proxyServer":"http://evil.test"}`},
		{"", "Target.createBrowserContext", `{"disposeOnDetach":false}`},
		{"", "Target.createBrowserContext", `{"disposeOnDetach":true,"originsWithUniversalNetworkAccess":["*"]}`},
		{"", "Target.createTarget", `{"url":"http://evil.test/","browserContextId":"c"}`},
		{"", "Target.createTarget", `{"url":"about:blank"}`},
		{"", "Browser.setDownloadBehavior", `{"behavior":"allow","browserContextId":"c"}`},
		{"", "Browser.setDownloadBehavior", `{"behavior":"deny","browserContextId":"c","downloadPath":"/"}`},
		{"", "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true,"filter":[{"type":"page"}]}`},
	} {
		tr, f := wrapped(t)
		if code := ask(t, tr, f, c[0], c[1], c[2]); code != CodeParameter {
			t.Errorf("%s %.120s: %d", c[1], c[2], code)
		}
		if len(f.sent) != 0 {
			t.Errorf("%s %.120s was sent", c[1], c[2])
		}
	}
}

// TestSessions: a session that nobody bound can send nothing, and one lease's
// origin is not another's.
func TestSessions(t *testing.T) {
	tr, f := wrapped(t)
	if code := ask(t, tr, f, "other", "Page.enable", "{}"); code != CodeDenied {
		t.Errorf("an unknown session: %d", code)
	}
	tr.Bind("other", "http://def.localhost:4321")
	if code := ask(t, tr, f, "other", "Page.navigate", `{"url":"`+origin+`/"}`); code != CodeParameter {
		t.Errorf("a foreign lease: %d", code)
	}
	if code := ask(t, tr, f, "other", "Page.navigate", `{"url":"http://def.localhost:4321/"}`); code != 0 {
		t.Errorf("the own lease: %d", code)
	}
	tr.Unbind("other")
	if code := ask(t, tr, f, "other", "Page.enable", "{}"); code != CodeDenied {
		t.Errorf("after the end: %d", code)
	}
	tr.Bind("turned-away", "")
	if code := ask(t, tr, f, "turned-away", "Page.navigate", `{"url":"/"}`); code != CodeParameter {
		t.Errorf("a session without an origin: %d", code)
	}
}

// TestEvents: events that are not in the tables are dropped.
func TestEvents(t *testing.T) {
	tr, f := wrapped(t)
	for _, m := range []*cdproto.Message{
		{Method: "Page.loadEventFired"},
		{SessionID: "page", Method: "DOM.setChildNodes"},
		{SessionID: "page", Method: "Runtime.bindingCalled"},
		{SessionID: "page", Method: "Target.targetCreated"},
		{SessionID: "page", Method: "Page.loadEventFired"},
		{ID: 3, SessionID: "page"},
		{Method: "Target.receivedMessageFromTarget"},
		{Method: "Target.targetCreated"},
	} {
		f.in <- m
	}
	var got []string
	for range 3 {
		var m cdproto.Message
		if err := tr.Read(context.Background(), &m); err != nil {
			t.Fatal(err)
		}
		got = append(got, string(m.Method))
	}
	if strings.Join(got, ",") != "Page.loadEventFired,,Target.targetCreated" {
		t.Errorf("passed: %q", got)
	}
	tr.Close()
	var m cdproto.Message
	if err := tr.Read(context.Background(), &m); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}
