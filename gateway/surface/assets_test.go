//go:build unix

package surface

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"proofmark/gateway/core"
)

// R-PREV-1: files beside the page come with the right type, whole or in part.
func TestAssetsAreServed(t *testing.T) {
	dir := t.TempDir()
	want := map[string]string{
		"style.css": "text/css; charset=utf-8", "js/app.js": "text/javascript; charset=utf-8", "m.mjs": "text/javascript; charset=utf-8",
		"img/shelf.svg": "image/svg+xml", "a b.png": "image/png", "größe.JPG": "image/jpeg", "f.woff2": "font/woff2", "v.mp4": "video/mp4",
		"t.vtt": "text/vtt; charset=utf-8", "100%.gif": "image/gif", "node_modules/x/dist/x.min.js": "text/javascript; charset=utf-8",
		"secret-garden.webp": "image/webp", "👩‍🎨.png": "image/png",
	}
	for name := range want {
		write(t, dir, name, "content of "+name)
	}
	l := testListener(t, nil)
	le := testLease(t, l, specOf(pageHTML, dir, "page.html"))
	for name, kind := range want {
		path := strings.ReplaceAll(documentPath(name), "%2F", "/")
		resp := get(t, l, le.host, path+"?v=2")
		if got := body(t, resp); resp.StatusCode != 200 || got != "content of "+name {
			t.Errorf("%s: %d %q", name, resp.StatusCode, got)
		}
		if got := resp.Header.Get("Content-Type"); got != kind {
			t.Errorf("%s: %q, want %q", name, got, kind)
		}
		if resp.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(resp.Header.Get("Content-Security-Policy"), "sandbox;") {
			t.Errorf("%s: headers %v", name, resp.Header)
		}
	}
	part := get(t, l, le.host, "/v.mp4", "Range: bytes=0-6")
	if got := body(t, part); part.StatusCode != 206 || got != "content" {
		t.Errorf("range: %d %q", part.StatusCode, got)
	}
	if got := le.missing.keys(); len(got) != 0 {
		t.Errorf("missing %v", got)
	}
}

// HARD_CASES attacks 28, 31 and 32: what lies outside the folder, is hidden, is
// a secret, is a page, or is no plain file is not served, whatever its name.
func TestAssetsThatAreRefused(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "site")
	write(t, outer, "outside.css", "outside")
	write(t, outer, "elsewhere/x.css", "outside")
	for _, n := range []string{
		"ok.css", ".env", ".hidden.css", ".git/config", ".git/a.js", "sub/.x/a.css", "server.key", "cert.pem", "app.env", "id_rsa", "id_rsa.png",
		"config.secret.js", "credentials.js", "env.js", "api-keys.json", "other.html", "other.htm", "data.json", "app.wasm", "page.php", "notes.txt",
		"db.sqlite", "a.css~", "noext", "doc.pdf", "x.xml", "a.map", "sub/ok.css",
	} {
		write(t, dir, n, "inside")
	}
	big := filepath.Join(dir, "big.png")
	write(t, dir, "big.png", "")
	if err := os.Truncate(big, core.MaxAssetBytes+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.css"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.css"), 0o644); err != nil {
		t.Fatal(err)
	}
	sock, err := net.Listen("unix", filepath.Join(dir, "sock.css"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sock.Close() }()
	links := map[string]string{
		"out.css": "../outside.css", "abs.css": filepath.Join(outer, "outside.css"), "outdir": "../elsewhere", "toenv.js": ".env", "tokey.css": "server.key",
		"tohtml.css": "other.html", "dev.css": "/dev/zero", "loop.css": "loop.css", "loop1.css": "loop2.css", "loop2.css": "loop1.css",
		"dangling.css": "nowhere.css", "proc.css": "/proc/self/environ", "dots.css": "sub/../../outside.css", "tofifo.css": "pipe.css",
		"deep": ".git",
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"in.css": "sub/ok.css", "indir": "sub", "chain.css": "in.css", "back.css": "sub/../ok.css"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	l := testListener(t, nil)
	le := testLease(t, l, specOf(pageHTML, dir, "page.html"))
	for _, p := range []string{
		"/../outside.css", "/..%2foutside.css", "/%2e%2e/outside.css", "/%2e%2e%2foutside.css", "/sub/../../outside.css", "/sub/..%2f..%2foutside.css",
		"/..%5coutside.css", "/sub%5cok.css", "/sub%2fok.css", "//outside.css", "//etc/passwd", "/./ok.css", "/sub//ok.css", "/ok.css/", "/ok.css%00", "/ok.css%00.png", "/",
		"/%2fetc/passwd", "/ok.css.", "/ok.css%20", "/ok.css::$DATA", "/ok.css:x.css", "/C:ok.css", "/con.css", "/NUL.png", "/lpt1.css", "/%ff.css", "/ok%0a.css",
		"/%E2%80%AEssc.css", "/%E2%80%8Bok.css", "/folder.css", "/folder.css/", "/pipe.css", "/sock.css", "/big.png", "/sub", "/sub/",
		"/.env", "/.hidden.css", "/.git/config", "/.git/a.js", "/sub/.x/a.css", "/server.key", "/cert.pem", "/app.env", "/id_rsa", "/id_rsa.png",
		"/config.secret.js", "/credentials.js", "/env.js", "/api-keys.json", "/other.html", "/other.htm", "/data.json", "/app.wasm", "/page.php", "/notes.txt",
		"/db.sqlite", "/a.css~", "/noext", "/doc.pdf", "/x.xml", "/a.map", "/PAGE.html", "/page.html/", "/page.html/x.css",
		"/" + strings.Repeat("a/", 40) + "a.css", "/" + strings.Repeat("a", 2000) + ".css",
		"/out.css", "/abs.css", "/outdir/x.css", "/toenv.js", "/tokey.css", "/tohtml.css", "/dev.css", "/loop.css", "/loop1.css", "/dangling.css", "/proc.css", "/dots.css",
		"/tofifo.css", "/deep/a.js", "/ok.css/x.css",
	} {
		if resp := get(t, l, le.host, p); resp.StatusCode != 404 {
			t.Errorf("%s: %d %q", p, resp.StatusCode, body(t, resp))
		}
	}
	for _, p := range []string{"/ok.css", "/sub/ok.css", "/in.css", "/indir/ok.css", "/chain.css", "/back.css"} {
		if resp := get(t, l, le.host, p); resp.StatusCode != 200 || body(t, resp) != "inside" {
			t.Errorf("%s: %d", p, resp.StatusCode)
		}
	}
	if n := len(le.missing.keys()); n != maxMissing {
		t.Errorf("%d missing files are listed, want %d at most", n, maxMissing)
	}
}

// R-PREV-1: missing ones are listed, the browser's own wishes are not.
func TestMissingIsListed(t *testing.T) {
	dir := t.TempDir()
	l := testListener(t, nil)
	le := testLease(t, l, specOf(pageHTML, dir, "page.html"))
	for _, p := range []string{"/img/gone%20away.png", "/b.css", "/b.css", "/favicon.ico", "/", "/.env"} {
		get(t, l, le.host, p)
	}
	if got := le.missing.keys(); !slices.Equal(got, []string{".env", "b.css", "img/gone away.png"}) {
		t.Fatalf("%q", got)
	}
}

func TestWithoutFolderNothingIsServedBeside(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.css", "x")
	l := testListener(t, nil)
	for _, d := range []string{"", filepath.Join(dir, "gone")} {
		le := testLease(t, l, specOf(pageHTML, d, "page.html"))
		if got := get(t, l, le.host, "/a.css").StatusCode; got != 404 {
			t.Errorf("folder %q: %d", d, got)
		}
		if !slices.Equal(le.missing.keys(), []string{"a.css"}) {
			t.Errorf("missing %v", le.missing.keys())
		}
	}
}

// A pipe that takes a file's place between the look and the opening must not
// hang the listener, and must not be read (attack 32).
func TestSwappedFileIsNotRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.css", "x")
	write(t, dir, "b.css", "y")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer closeRoot(root)
	_, seen, err := resolveAsset(root, "a.css")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "b.css"), filepath.Join(dir, "a.css")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openSeen(root, "a.css", seen); !errors.Is(err, errAsset) {
		t.Fatalf("another file was opened: %v", err)
	}
	_ = os.Remove(filepath.Join(dir, "a.css"))
	if err := syscall.Mkfifo(filepath.Join(dir, "a.css"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openSeen(root, "a.css", seen); !errors.Is(err, errAsset) {
		t.Fatalf("a pipe was opened: %v", err)
	}
}

// File names of all kinds lead to the document and to nothing else.
func TestDocumentNames(t *testing.T) {
	l := testListener(t, nil)
	for _, name := range []string{"page.html", "a b.html", "100%.html", "q?x=1.html", "h#1.html", "größe.html", "日本.htm", ".hidden.html", "a;b,c&d=e+f.html", `a\b.html`, "%2e%2e.html", "..html", "x:y.html", "line\nfeed.html"} {
		le := testLease(t, l, specOf(pageHTML, "", name))
		if resp := get(t, l, le.host, le.snapshot().Path); resp.StatusCode != 200 || body(t, resp) != pageHTML {
			t.Errorf("%q at %s: %d", name, le.snapshot().Path, resp.StatusCode)
		}
	}
	for _, name := range []string{"", ".", "..", "a/b.html", "a\x00.html", "\xff.html", strings.Repeat("a", 256)} {
		if _, err := newBinding(specOf(pageHTML, "", name)); core.CodeOf(err) != core.Usage {
			t.Errorf("%q: %v", name, err)
		}
	}
	s := specOf(pageHTML, "", "page.html")
	s.SHA = core.SHA256Hex(nil)
	if _, err := newBinding(s); core.CodeOf(err) != core.Internal {
		t.Errorf("foreign bytes: %v", err)
	}
	s = specOf(pageHTML, "", "page.html")
	for _, w := range []int{0, -1, maxViewport + 1} {
		s.Width = w
		if _, err := newBinding(s); core.CodeOf(err) != core.Usage {
			t.Errorf("width %d: %v", w, err)
		}
	}
}

// Whatever the name, what is allowed is a clean path to a known kind of file.
func FuzzAssetName(f *testing.F) {
	for _, s := range []string{"a.css", "../a.css", "a/../b.js", ".env", "a//b.png", "con.css", "a.css\x00", "x/y/z.woff2", `a\b.css`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if !assetNameAllowed(name) {
			return
		}
		if !filepath.IsLocal(name) || filepath.ToSlash(filepath.Clean(name)) != name || !utf8.ValidString(name) {
			t.Fatalf("%q is allowed and not a clean local path", name)
		}
		for p := range strings.SplitSeq(name, "/") {
			if strings.HasPrefix(p, ".") || strings.ContainsAny(p, "\\:\x00\r\n") {
				t.Fatalf("%q is allowed", name)
			}
		}
		if _, ok := mediaType(name); !ok {
			t.Fatalf("%q has no known type", name)
		}
	})
}
