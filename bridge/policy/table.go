package policy

import "proofmark/gateway/core"

type (
	fields = map[string]check
	table  = map[string]rule
)

// none is a method without parameters.
var none = rule{}

// nodeFields name a node by the ids the browser gave out; never by a selector.
func nodeFields(more fields) fields {
	f := fields{"nodeId": id, "backendNodeId": id, "objectId": token}
	for k, v := range more {
		f[k] = v
	}
	return f
}

var node = rule{params: nodeFields(nil)}

// hostTable is what may be said to the browser itself: its version, browser
// contexts that vanish with us, blank pages in them, and refusals.
var hostTable = table{
	"Browser.getVersion":           none,
	"Browser.close":                none,
	"Browser.setDownloadBehavior":  {params: fields{"behavior": only("deny"), "browserContextId": token, "eventsEnabled": only(false)}, need: []string{"behavior"}},
	"Target.setDiscoverTargets":    {params: fields{"discover": boolean}, need: []string{"discover"}},
	"Target.createBrowserContext":  {params: fields{"disposeOnDetach": only(true)}, need: []string{"disposeOnDetach"}},
	"Target.disposeBrowserContext": {params: fields{"browserContextId": token}, need: []string{"browserContextId"}},
	"Target.createTarget":          {params: fields{"url": only("about:blank"), "browserContextId": token, "width": between(1, 16384), "height": between(1, 16384), "newWindow": boolean, "background": boolean, "focus": boolean}, need: []string{"url", "browserContextId"}},
	"Target.closeTarget":           {params: fields{"targetId": token}, need: []string{"targetId"}},
	"Target.detachFromTarget":      {params: fields{"sessionId": token}, need: []string{"sessionId"}},
	"Target.setAutoAttach":         {params: fields{"autoAttach": only(true), "waitForDebuggerOnStart": only(true), "flatten": only(true), "filter": each(1, object(fields{"type": only("page"), "exclude": only(false)}, "type"))}, need: []string{"autoAttach", "waitForDebuggerOnStart", "flatten", "filter"}},
	"Target.getTargets":            none,
}

// selfStub answers chromedp's probe of a page without evaluating anything.
const selfStub = `{"result":{"type":"object","className":"Window","description":"Window"}}`

// pageTable is what may be said to one leased page.
var pageTable = table{
	// Attaching.
	"Runtime.enable":                  none,
	"Log.enable":                      none,
	"Runtime.runIfWaitingForDebugger": none,
	"Inspector.enable":                none,
	"Page.enable":                     none,
	"DOM.enable":                      none,
	"CSS.enable":                      none,
	"Overlay.enable":                  none,
	"Overlay.disable":                 none,
	"Network.getResponseBody":         {params: fields{"requestId": token}, need: []string{"requestId"}},
	"Network.enable":                  none,
	"Page.setLifecycleEventsEnabled":  {params: fields{"enabled": boolean}, need: []string{"enabled"}},
	"Page.getFrameTree":               none,
	"DOM.getDocument":                 {params: fields{"depth": between(0, 1), "pierce": only(false)}},
	"Runtime.evaluate":                {params: fields{"expression": only("self")}, need: []string{"expression"}, stub: selfStub},
	"Target.setDiscoverTargets":       {params: fields{"discover": boolean, "filter": anything}, stub: "{}"},
	"Target.setAutoAttach":            {params: fields{"autoAttach": boolean, "waitForDebuggerOnStart": boolean, "flatten": boolean, "filter": anything}, stub: "{}"},

	// Picking and highlighting.
	"Overlay.setInspectMode": {params: fields{"mode": only("searchForNode", "none"), "highlightConfig": highlight}, need: []string{"mode", "highlightConfig"}},
	"Overlay.highlightNode":  {params: nodeFields(fields{"highlightConfig": highlight}), need: []string{"highlightConfig"}},
	"Overlay.hideHighlight":  none,
	"Overlay.setShowContainerQueryOverlays": {
		params: fields{"containerQueryHighlightConfigs": each(core.MaxOutlines, object(fields{
			"nodeId": id, "containerQueryContainerHighlightConfig": object(fields{
				"containerBorder": object(fields{"color": color, "pattern": only("dashed")}, "color"),
			}, "containerBorder"),
		}, "nodeId", "containerQueryContainerHighlightConfig"))},
		need: []string{"containerQueryHighlightConfigs"},
	},
	"Overlay.setShowHinge":   {params: fields{"hingeConfig": object(fields{"rect": rect, "contentColor": color, "outlineColor": color}, "rect", "contentColor", "outlineColor")}},
	"DOM.getNodeForLocation": {params: fields{"x": between(0, 1e6), "y": between(0, 1e6), "includeUserAgentShadowDOM": only(false), "ignorePointerEventsNone": boolean}, need: []string{"x", "y"}},

	// Reading.
	"DOM.describeNode":                    {params: nodeFields(fields{"depth": between(0, 1), "pierce": only(false)})},
	"DOM.resolveNode":                     {params: fields{"nodeId": id, "backendNodeId": id, "objectGroup": token, "executionContextId": id}},
	"DOM.requestNode":                     {params: fields{"objectId": token}, need: []string{"objectId"}},
	"DOM.pushNodesByBackendIdsToFrontend": {params: fields{"backendNodeIds": each(4096, id)}, need: []string{"backendNodeIds"}},
	"DOM.getOuterHTML":                    node,
	"DOM.getBoxModel":                     node,
	"DOM.getContentQuads":                 node,
	"DOM.getAttributes":                   {params: fields{"nodeId": id}, need: []string{"nodeId"}},
	"DOM.getFrameOwner":                   {params: fields{"frameId": token}, need: []string{"frameId"}},
	"DOM.scrollIntoViewIfNeeded":          {params: nodeFields(fields{"rect": object(fields{"x": finite, "y": finite, "width": finite, "height": finite})})},
	"DOM.setNodeStackTracesEnabled":       {params: fields{"enable": only(true)}, need: []string{"enable"}},
	"DOM.getNodeStackTraces":              {params: fields{"nodeId": id}, need: []string{"nodeId"}},
	"Page.getLayoutMetrics":               none,
	"CSS.getComputedStyleForNode":         {params: fields{"nodeId": id}, need: []string{"nodeId"}},
	"Accessibility.getPartialAXTree":      {params: nodeFields(fields{"fetchRelatives": boolean})},

	// The bridge's own functions, in its own world.
	"Page.addScriptToEvaluateOnNewDocument": {params: fields{"source": script, "worldName": world}, need: []string{"source", "worldName"}},
	"Page.createIsolatedWorld":              {params: fields{"frameId": token, "worldName": world}, need: []string{"frameId", "worldName"}},
	"Runtime.callFunctionOn": {
		params: fields{
			"functionDeclaration": function, "objectId": token, "executionContextId": id, "returnByValue": boolean,
			"silent": only(true), "awaitPromise": boolean, "objectGroup": token,
			"arguments": each(8, object(fields{"value": anything, "objectId": token})),
		},
		need: []string{"functionDeclaration"},
	},
	"Runtime.getProperties":      {params: fields{"objectId": token, "ownProperties": only(true)}, need: []string{"objectId", "ownProperties"}},
	"Runtime.releaseObject":      {params: fields{"objectId": token}, need: []string{"objectId"}},
	"Runtime.releaseObjectGroup": {params: fields{"objectGroup": token}, need: []string{"objectGroup"}},

	// Pictures.
	"Page.captureScreenshot": {params: fields{"format": only("png", "jpeg"), "quality": between(1, 100), "clip": picture, "captureBeyondViewport": boolean, "optimizeForSpeed": boolean}},

	// Navigation: the gateway's own, to the lease.
	"Page.navigate":               {params: fields{"url": anyOf(only("about:blank"), leaseURL), "transitionType": only("typed", "reload")}, need: []string{"url"}},
	"Page.reload":                 {params: fields{"ignoreCache": boolean}},
	"Page.stopLoading":            none,
	"Page.handleJavaScriptDialog": {params: fields{"accept": only(false)}, need: []string{"accept"}},

	// The lock around the page.
	"Fetch.enable":                       {params: fields{"patterns": each(1, object(fields{"urlPattern": only("*"), "requestStage": only("Request")}))}, need: []string{"patterns"}},
	"Fetch.continueRequest":              {params: fields{"requestId": token}, need: []string{"requestId"}},
	"Fetch.failRequest":                  {params: fields{"requestId": token, "errorReason": only("Aborted", "BlockedByClient", "AccessDenied", "Failed")}, need: []string{"requestId", "errorReason"}},
	"Fetch.fulfillRequest":               {params: fields{"requestId": token, "responseCode": between(200, 599), "responseHeaders": each(32, object(fields{"name": token, "value": text(4096)}, "name")), "body": text(core.MaxAssetBytes * 4 / 3), "responsePhrase": token}, need: []string{"requestId", "responseCode"}},
	"Network.setBypassServiceWorker":     {params: fields{"bypass": only(true)}, need: []string{"bypass"}},
	"Network.setCacheDisabled":           {params: fields{"cacheDisabled": only(true)}, need: []string{"cacheDisabled"}},
	"Page.setInterceptFileChooserDialog": {params: fields{"enabled": only(true), "cancel": only(true)}, need: []string{"enabled"}},

	// The size of the view, and that it counts as focused.
	"Emulation.setDeviceMetricsOverride": {params: fields{"width": between(1, 16384), "height": between(1, 16384), "deviceScaleFactor": only(1.0), "mobile": only(false)}, need: []string{"width", "height", "deviceScaleFactor", "mobile"}},
	"Emulation.setScrollbarsHidden":      {params: fields{"hidden": only(true)}, need: []string{"hidden"}},
	"Emulation.setFocusEmulationEnabled": {params: fields{"enabled": boolean}, need: []string{"enabled"}},

	// Input.
	"Input.dispatchMouseEvent": {
		params: fields{
			"type": only("mousePressed", "mouseReleased", "mouseMoved", "mouseWheel"), "x": finite, "y": finite,
			"modifiers": between(0, 15), "button": only("none", "left"), "buttons": between(0, 1), "clickCount": between(0, 2),
			"deltaX": finite, "deltaY": finite, "pointerType": only("mouse"),
		},
		need: []string{"type", "x", "y"},
	},
	"Input.dispatchKeyEvent": {
		params: fields{
			"type": only("keyDown", "keyUp", "rawKeyDown", "char"), "modifiers": between(0, 15), "text": text(8), "unmodifiedText": text(8),
			"code": text(32), "key": text(32), "windowsVirtualKeyCode": between(0, 255), "nativeVirtualKeyCode": between(0, 255), "autoRepeat": only(false),
		},
		need: []string{"type"},
	},
	"Input.insertText": {params: fields{"text": text(4096)}, need: []string{"text"}},
	"DOM.focus":        node,
}

// windowTable is what may be said to the workbench's own page in a window: where
// it may go, what it asks its host, and which frames stand in it. Nothing in it
// runs code in the page, reads it or acts in it.
var windowTable = table{
	"Page.enable":                     none,
	"Inspector.enable":                none,
	"Runtime.runIfWaitingForDebugger": none,
	"Page.navigate":                   {params: fields{"url": leaseURL}, need: []string{"url"}},
	"Page.handleJavaScriptDialog":     {params: fields{"accept": boolean}, need: []string{"accept"}},
	"Target.setAutoAttach":            {params: fields{"autoAttach": only(true), "waitForDebuggerOnStart": only(true), "flatten": only(true), "filter": each(1, object(fields{"type": only("iframe"), "exclude": only(false)}, "type"))}, need: []string{"autoAttach", "waitForDebuggerOnStart", "flatten", "filter"}},
	"Fetch.enable": {params: fields{"patterns": each(2, anyOf(
		object(fields{"urlPattern": hostURL, "requestStage": only("Request")}, "urlPattern"),
		object(fields{"urlPattern": only("*"), "resourceType": only("Document"), "requestStage": only("Request")}, "urlPattern", "resourceType"),
	))}, need: []string{"patterns"}},
	"Fetch.continueRequest": {params: fields{"requestId": token}, need: []string{"requestId"}},
	"Fetch.failRequest":     {params: fields{"requestId": token, "errorReason": only("Aborted", "BlockedByClient")}, need: []string{"requestId", "errorReason"}},
	"Fetch.fulfillRequest":  {params: fields{"requestId": token, "responseCode": between(200, 599), "responseHeaders": each(8, object(fields{"name": token, "value": text(256)}, "name")), "body": text(16 << 10)}, need: []string{"requestId", "responseCode"}},
}

// color and highlight are what a highlight may look like.
var (
	color     = object(fields{"r": between(0, 255), "g": between(0, 255), "b": between(0, 255), "a": finite}, "r", "g", "b")
	rect      = object(fields{"x": between(0, maxNumber), "y": between(0, maxNumber), "width": between(1, maxNumber), "height": between(1, maxNumber)}, "x", "y", "width", "height")
	highlight = object(fields{
		"showInfo": boolean, "showStyles": only(false), "showRulers": only(false), "showAccessibilityInfo": boolean, "showExtensionLines": only(false),
		"contentColor": color, "paddingColor": color, "borderColor": color, "marginColor": color,
	})
)

// hostEvents and pageEvents are the events that are let through; every other
// one is dropped unread.
var (
	hostEvents = set(
		"Target.targetCreated", "Target.targetDestroyed", "Target.targetCrashed", "Target.targetInfoChanged",
		"Target.attachedToTarget", "Target.detachedFromTarget",
	)
	pageEvents = set(
		"Overlay.inspectNodeRequested", "Overlay.nodeHighlightRequested", "DOM.documentUpdated",
		"Page.frameNavigated", "Page.frameStartedLoading", "Page.frameStoppedLoading", "Page.loadEventFired",
		"Page.domContentEventFired", "Page.lifecycleEvent", "Page.frameAttached", "Page.frameDetached",
		"Page.navigatedWithinDocument", "Page.javascriptDialogOpening", "Page.javascriptDialogClosed",
		"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Runtime.executionContextCreated",
		"Runtime.executionContextDestroyed", "Runtime.executionContextsCleared",
		"Log.entryAdded", "Inspector.targetCrashed", "Inspector.detached", "Inspector.targetReloadedAfterCrash",
		"Fetch.requestPaused", "Network.requestWillBeSent", "Network.responseReceived", "Network.loadingFailed", "Network.loadingFinished", EventDropped,
	)
)

// windowEvents are those of the workbench's own page.
var windowEvents = set(
	"Page.frameRequestedNavigation", "Page.frameStartedNavigating", "Page.frameNavigated", "Page.frameDetached", "Page.javascriptDialogOpening", "Page.loadEventFired",
	"Fetch.requestPaused", "Target.attachedToTarget", "Target.detachedFromTarget", "Inspector.targetCrashed", "Inspector.detached",
)

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
