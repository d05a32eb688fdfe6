// Package webapp serves the workbench's own files: the same for everybody, with
// nothing of a document, a person or a token in them.
//
// The files are part of the program. A page of the workbench runs no script but
// these, talks to nobody but the gateway, and frames nothing but leased previews.
package webapp

import (
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/edge"
)

// HostPrefix begins the paths that the window around a workbench answers itself.
// Whoever asks the gateway for one has no such window.
const HostPrefix = "/host/"

// App is the built workbench.
type App struct {
	files map[string]file // by path
	// previews gives the port of the listener that leased pages come from, 0 while
	// there is none.
	previews func() int
}

type file struct {
	kind string // media type
	body []byte
}

// kinds are the media types of what a build is made of; nothing else is served.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2",
}

// New reads a build: index.html, and assets/ beside it. One that was not made
// gives a page that says so.
func New(build fs.FS, previews func() int) (*App, error) {
	a := &App{files: map[string]file{}, previews: previews}
	err := fs.WalkDir(build, ".", func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == "." { // it was not built
			return nil
		}
		kind := kinds[path.Ext(name)]
		if err != nil || d.IsDir() || kind == "" {
			return err
		}
		b, err := fs.ReadFile(build, name)
		a.files["/"+name] = file{kind, b}
		return err
	})
	if err != nil {
		return nil, core.Wrap(core.Internal, err, "the workbench's files cannot be read")
	}
	index, built := a.files["/index.html"]
	if !built {
		index = file{kinds[".html"], []byte(unbuilt)}
	}
	delete(a.files, "/index.html")
	a.files["/"] = index
	return a, nil
}

const unbuilt = `<!doctype html><html lang="en"><title>Proofmark</title><p>This program was built without its workbench. <code>make build</code> builds both.`

// Built tells whether the program holds a workbench.
func (a *App) Built() bool { return len(a.files) > 1 }

// Owns tells of a path that is served here.
func (a *App) Owns(p string) bool {
	_, ok := a.files[p]
	return ok || strings.HasPrefix(p, HostPrefix)
}

// ServeHTTP serves a file of the workbench.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := a.files[r.URL.Path]
	switch {
	case !ok:
		edge.Refuse(w, core.Errorf(core.NoRoute, "no window is around this workbench").WithHint("Pointing needs the desktop app, or proofmark open."))
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		edge.Refuse(w, core.Errorf(core.BadRequest, "this takes GET, HEAD").With("reason", "method"))
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Content-Length", strconv.Itoa(len(f.body)))
	h.Set("Content-Security-Policy", a.policy())
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=(), bluetooth=(), midi=(), payment=()")
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(f.body) // whoever asked may have gone
}

// policy is the content security policy of the workbench. No page frames it.
func (a *App) policy() string {
	frames := "'none'"
	if port := a.previews(); port > 0 {
		// A link in a page that leads elsewhere has to come as far as the frame's own
		// lock, which lets the page stay; refused here, an error page would take its
		// place. It reaches nobody: the window's way out is the preview listener, which
		// passes nothing on, and the gateway's port stays out.
		frames = "http://*.localhost:" + strconv.Itoa(port) + " https: http://*:80"
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; " +
		"frame-src " + frames + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
