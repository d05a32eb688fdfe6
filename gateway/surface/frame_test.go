package surface

import (
	"strings"
	"testing"
)

// A lease for a frame of the workbench: framed by that page alone, asked for by a
// frame alone, and with a blank page to begin with. A lease for a page of its own
// has none of it.
func TestFramedLease(t *testing.T) {
	const workbench = "http://127.0.0.1:4711"
	l := testListener(t, nil)
	b, err := newBinding(specOf(pageHTML, "", "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	framed, err := l.grant(b, workbench)
	if err != nil {
		t.Fatal(err)
	}
	own := testLease(t, l, specOf(pageHTML, "", "page.html"))
	for _, c := range []struct {
		lease        *lease
		path, dest   string
		status       int
		ancestors    string
		blank, paged bool
	}{
		{framed, BlankPath, "iframe", 200, workbench, true, false},
		{framed, BlankPath, "document", 403, "", false, false},
		{framed, BlankPath, "script", 403, "", false, false},
		{framed, "/page.html", "iframe", 200, workbench, false, true},
		{framed, "/page.html", "document", 403, "", false, false},
		{framed, "/page.html", "object", 403, "", false, false},
		{own, "/page.html", "document", 200, "'none'", false, true},
		{own, "/page.html", "iframe", 403, "", false, false},
		{own, BlankPath, "iframe", 404, "", false, false},
	} {
		r := get(t, l, c.lease.host, c.path, "Sec-Fetch-Dest: "+c.dest+"\r\n")
		policy, text := r.Header.Get("Content-Security-Policy"), body(t, r)
		if r.StatusCode != c.status {
			t.Errorf("%s for %s: %d, want %d", c.path, c.dest, r.StatusCode, c.status)
			continue
		}
		if c.ancestors != "" && !strings.Contains(policy, "frame-ancestors "+c.ancestors) {
			t.Errorf("%s for %s: %s", c.path, c.dest, policy)
		}
		if c.blank && (text != "<!doctype html>\n" || !strings.HasPrefix(policy, "sandbox; default-src 'none';")) {
			t.Errorf("the blank page: %q %s", text, policy)
		}
		if c.paged && text != pageHTML {
			t.Errorf("%s for %s: %q", c.path, c.dest, text)
		}
	}
	if n, _ := framed.deliveries(); n != 1 {
		t.Errorf("the document went out %d times: the blank page counts", n)
	}
	if post := send(t, l, "POST "+BlankPath+" HTTP/1.1\r\nHost: "+framed.host+"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"); status(post) != 405 {
		t.Errorf("POST: %d", status(post))
	}
}
