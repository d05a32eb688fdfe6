package webapp_test

import (
	"io/fs"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"proofmark/gateway/webapp"
)

func get(t *testing.T, a *webapp.App, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	a.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

// R-UI-2, D-64: a build is served as it is, with a policy that lets in nothing
// else; what is not part of a build is not there.
func TestServes(t *testing.T) {
	port := 0
	a, err := webapp.New(fstest.MapFS{
		"index.html":          {Data: []byte("<!doctype html>")},
		"assets/app-1.js":     {Data: []byte("x()")},
		"assets/app-1.css":    {Data: []byte("a{}")},
		"assets/app-1.js.map": {Data: []byte("{}")},
		"README.md":           {Data: []byte("no")},
	}, func() int { return port })
	if err != nil || !a.Built() {
		t.Fatalf("%v, built %v", err, a.Built())
	}
	for path, kind := range map[string]string{"/": "text/html; charset=utf-8", "/assets/app-1.js": "text/javascript; charset=utf-8", "/assets/app-1.css": "text/css; charset=utf-8"} {
		w := get(t, a, "GET", path)
		if !a.Owns(path) || w.Code != 200 || w.Header().Get("Content-Type") != kind || w.Body.Len() == 0 {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		if head := get(t, a, "HEAD", path); head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Length") != w.Header().Get("Content-Length") {
			t.Errorf("HEAD %s: %d %v", path, head.Code, head.Header())
		}
		policy := w.Header().Get("Content-Security-Policy")
		if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: policy %s", path, policy)
		}
	}
	port = 4711
	if policy := get(t, a, "GET", "/").Header().Get("Content-Security-Policy"); !strings.Contains(policy, "frame-src http://*.localhost:4711 https: http://*:80;") {
		t.Errorf("policy %s", policy)
	}
	if w := get(t, a, "POST", "/"); w.Code != 405 || w.Header().Get("Allow") == "" {
		t.Errorf("POST: %d", w.Code)
	}
	for _, path := range []string{"/index.html", "/README.md", "/assets", "/assets/", "/assets/app-1.js.map", "/../etc/passwd", "/v1/health"} {
		if a.Owns(path) {
			t.Errorf("%s is served", path)
		}
	}
	if w := get(t, a, "GET", "/host/hello"); !a.Owns("/host/hello") || w.Code != 404 || !strings.Contains(w.Body.String(), "no_route") {
		t.Errorf("a host: %d %s", w.Code, w.Body)
	}
}

// A program that was built without the workbench says so.
func TestUnbuilt(t *testing.T) {
	build, err := fs.Sub(fstest.MapFS{"static/README.md": {Data: []byte("no")}}, "static/app")
	if err != nil {
		t.Fatal(err)
	}
	a, err := webapp.New(build, func() int { return 0 })
	if err != nil || a.Built() {
		t.Fatalf("%v, built %v", err, a.Built())
	}
	if w := get(t, a, "GET", "/"); w.Code != 200 || !strings.Contains(w.Body.String(), "make build") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
