package surface

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// serve answers a request for the lease's host: the document, a file beside it,
// or the browser's report of something the policy blocked.
func (l *lease) serve(w http.ResponseWriter, r *http.Request) {
	b := l.current()
	if b == nil {
		plain(w, http.StatusForbidden)
		return
	}
	if r.Method == http.MethodPost && r.URL.Path == reportPath {
		l.report(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		plain(w, http.StatusMethodNotAllowed)
		return
	}
	if r.ContentLength != 0 || len(r.TransferEncoding) > 0 {
		plain(w, http.StatusBadRequest)
		return
	}
	if r.URL.Path == BlankPath && l.ancestor != "" {
		l.serveBlank(w, r)
		return
	}
	if r.URL.Path == "/"+b.fileName {
		l.serveDocument(w, r, b)
		return
	}
	l.serveAsset(w, r, b)
}

// serveDocument gives the page's bytes, to a navigation only. Browsers say what
// a request is for in Sec-Fetch-Dest; a request without it is not from a page of
// a current browser.
func (l *lease) serveDocument(w http.ResponseWriter, r *http.Request, b *binding) {
	if dest := r.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != l.destination() {
		plain(w, http.StatusForbidden)
		return
	}
	setHeaders(w.Header(), b.policy, "same-origin")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Accept-Ranges", "none")
	r.Header.Del("Range")
	if r.Method == http.MethodGet {
		l.noteServed(b)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b.bytes))
}

// destination is what a browser says that it wants the document for.
func (l *lease) destination() string {
	if l.ancestor != "" {
		return "iframe"
	}
	return "document"
}

// serveBlank gives a frame its first page: nothing, on the lease's origin, so that
// the frame has its process and its locks before the document comes.
func (l *lease) serveBlank(w http.ResponseWriter, r *http.Request) {
	if dest := r.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "iframe" {
		plain(w, http.StatusForbidden)
		return
	}
	setHeaders(w.Header(), blankPolicy(l.ancestor), "same-origin")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, "<!doctype html>\n") // the client may have gone
}

// assetDestinations are what a file beside the page may be asked for as. "" is
// a client that does not say.
var assetDestinations = map[string]bool{
	"": true, "style": true, "script": true, "image": true, "font": true, "audio": true, "video": true, "track": true,
}

// corsDestinations are always (fonts, modules) or sometimes (scripts and
// stylesheets with an integrity) asked for with CORS. The page's origin is
// opaque, so its own files answer to "null", which is no more than what the
// label already gives. Pictures are left out: a page must not read their pixels
// into a request to an origin the person allowed.
var corsDestinations = map[string]bool{"font": true, "script": true, "style": true}

func (l *lease) serveAsset(w http.ResponseWriter, r *http.Request, b *binding) {
	name, ok := assetName(r)
	dest := r.Header.Get("Sec-Fetch-Dest")
	if !ok || b.root == nil || !assetDestinations[dest] {
		l.miss(w, r)
		return
	}
	f, info, err := openAsset(b.root, name)
	if err != nil {
		l.miss(w, r)
		return
	}
	defer func() { _ = f.Close() }()
	// The initiator's origin is opaque, so the strictest value it can load is cross-origin.
	setHeaders(w.Header(), assetPolicy, "cross-origin")
	if r.Header.Get("Origin") == "null" && corsDestinations[dest] {
		w.Header().Set("Access-Control-Allow-Origin", "null")
	}
	w.Header().Set("Vary", "Origin, Sec-Fetch-Dest")
	kind, _ := mediaType(name)
	w.Header().Set("Content-Type", kind)
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(f, 0, info.Size()))
}

// assetName gives the path a request names below the page's folder. A path that
// was escaped to hide a separator is refused.
func assetName(r *http.Request) (string, bool) {
	raw := strings.ToLower(r.URL.EscapedPath())
	if strings.Contains(raw, "%2f") || strings.Contains(raw, "%5c") || strings.Contains(raw, "%00") {
		return "", false
	}
	name, ok := strings.CutPrefix(r.URL.Path, "/")
	return name, ok && assetNameAllowed(name)
}

// miss answers for a file the page does not get, and lists it. The browser's own
// wish for an icon is not the page's.
func (l *lease) miss(w http.ResponseWriter, r *http.Request) {
	if name := strings.TrimPrefix(r.URL.Path, "/"); name != "" && name != "favicon.ico" {
		l.missing.add(clip(name, 200))
	}
	plain(w, http.StatusNotFound)
}

// report reads one policy report of the browser and lists the origin it blocked.
// It is the one thing that may be posted, it is bounded, and it changes a list
// that is shown to a person and nothing else.
func (l *lease) report(w http.ResponseWriter, r *http.Request) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/csp-report" || !l.mayReport() {
		plain(w, http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxReportBytes))
	if err != nil {
		plain(w, http.StatusRequestEntityTooLarge)
		return
	}
	var said struct {
		Report struct {
			BlockedURI string `json:"blocked-uri"`
		} `json:"csp-report"`
	}
	if json.Unmarshal(body, &said) == nil {
		if origin, ok := askedOrigin(said.Report.BlockedURI); ok && origin != l.origin {
			l.asked.add(origin)
		}
	}
	// The reporting page's origin is opaque; anything stricter makes the report a
	// request that failed, and so a fault of the page.
	setHeaders(w.Header(), refusalPolicy, "cross-origin")
	w.WriteHeader(http.StatusNoContent)
}
