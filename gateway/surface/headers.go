package surface

import (
	"net/http"
	"slices"
	"strings"
)

// deniedFeatures are switched off for every page by Permissions-Policy. The
// content security policy's sandbox already takes most of them; clipboard
// writing and full screen work there after a click, and only this header stops
// them.
var deniedFeatures = []string{
	"accelerometer", "autoplay", "bluetooth", "browsing-topics", "camera",
	"captured-surface-control", "clipboard-read", "clipboard-write", "compute-pressure", "cross-origin-isolated",
	"display-capture", "encrypted-media", "fullscreen", "gamepad", "geolocation", "gyroscope", "hid",
	"identity-credentials-get", "idle-detection", "interest-cohort", "keyboard-map",
	"local-fonts", "magnetometer", "microphone", "midi", "otp-credentials", "payment", "picture-in-picture",
	"private-state-token-issuance", "private-state-token-redemption", "publickey-credentials-create",
	"publickey-credentials-get", "screen-wake-lock", "serial", "storage-access",
	"sync-xhr", "unload", "usb", "web-share", "window-management", "xr-spatial-tracking",
}

var permissionsPolicy = strings.Join(deniedFeatures, "=(), ") + "=()"

// documentPolicy is the content security policy of a leased page. 'self' means
// nothing certain in a sandboxed document, whose origin is opaque, so the lease's
// origin is named. Allowed origins are added to what a page may load, never to
// what it may frame, embed or send a form to. ancestor is the one origin whose
// page may have it in a frame, "" where none may.
func documentPolicy(origin string, allowed origins, ancestor string) string {
	more := ""
	connect := "'none'"
	if len(allowed) > 0 {
		list := make([]string, 0, len(allowed))
		for o := range allowed {
			list = append(list, o)
		}
		slices.Sort(list)
		connect = strings.Join(list, " ")
		more = " " + connect
	}
	return strings.Join([]string{
		"sandbox allow-scripts",
		"default-src 'none'",
		"script-src " + origin + " 'unsafe-inline' 'unsafe-eval' blob: data:" + more,
		"style-src " + origin + " 'unsafe-inline'" + more,
		"img-src " + origin + " data: blob:" + more,
		"font-src " + origin + " data:" + more,
		"media-src " + origin + " data: blob:" + more,
		"worker-src blob:",
		"connect-src " + connect,
		"frame-src 'none'",
		"object-src 'none'",
		"form-action 'none'",
		"base-uri " + origin,
		"frame-ancestors " + ancestors(ancestor),
		"report-uri " + origin + reportPath,
	}, "; ")
}

func ancestors(origin string) string {
	if origin == "" {
		return "'none'"
	}
	return origin
}

// blankPolicy is that of the page a frame begins with.
func blankPolicy(ancestor string) string {
	return "sandbox; default-src 'none'; frame-ancestors " + ancestors(ancestor)
}

// assetPolicy keeps a file that is navigated to, an SVG above all, from running
// anything.
const assetPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"

// refusalPolicy goes with every answer that has no page in it.
const refusalPolicy = "sandbox; default-src 'none'"

// setHeaders sets what every answer of the listener carries.
func setHeaders(h http.Header, policy, resourcePolicy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Permissions-Policy", permissionsPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("X-DNS-Prefetch-Control", "off")
	h.Set("Cross-Origin-Resource-Policy", resourcePolicy)
}
