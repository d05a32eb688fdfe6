package scene

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// T-39, T-41, R-CTX-4: paths are relative to the longest root, say whose they
// are where there are several, and tell nothing of what lies outside.
func TestPaths(t *testing.T) {
	one := newPaths([]Root{{Path: "/home/anna/my site"}})
	two := newPaths([]Root{{Path: "/w/api"}, {Name: "front", Path: "/w/api/web/"}, {Path: "/w/api"}, {Path: "relative"}})
	windows := newPaths([]Root{{Path: `C:\Users\Anna\Site`}})
	unc := newPaths([]Root{{Path: `\\server\share\site`}})
	for _, c := range []struct {
		p        paths
		in, want string
	}{
		{one, "/home/anna/my site/a/b.html", "a/b.html"},
		{one, "/home/anna/my site/a/../b.html", "b.html"},
		{one, "/home/anna/my site", "[my site]"},
		{one, "/home/anna/my site2/b.html", "[outside] b.html"},
		{one, "file:///home/anna/my%20site/b.html", "b.html"},
		{one, "/home/anna/.bashrc", "[outside] .bashrc"},
		{one, "/home/anna", "[outside]"},
		{one, "a/./b.html", "a/b.html"},
		{one, "../../home/x.html", "[outside] x.html"},
		{one, "https://me:pw@example.com/a?token=1#x", "https://example.com/a"},
		{one, "", ""},
		{two, "/w/api/web/index.ts", "[front] index.ts"},
		{two, "/w/api/index.ts", "[api] index.ts"},
		{two, "/w/apiary/index.ts", "[outside] index.ts"},
		{windows, `c:\users\anna\site\src\a.ts`, "src/a.ts"},
		{windows, `file:///c%3A/Users/Anna/Site/a.ts`, "a.ts"},
		{windows, `D:\secret\plan\a.ts`, "[outside] a.ts"},
		{unc, `\\server\share\site\a.ts`, "a.ts"},
		{unc, `\\server\other\deep\a.ts`, "[outside] a.ts"},
	} {
		if got := c.p.rel(c.in); got != c.want {
			t.Errorf("rel(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	for _, c := range []struct {
		p        paths
		in, want string
	}{
		{one, "see /home/anna/my site/a.html:3", "see a.html:3"},
		{one, "(/home/anna/my%20site/a.html)", "(a.html)"},
		{one, "file:///home/anna/my site/a.html", "a.html"},
		{one, "in /home/anna/my site.", "in [my site]."},
		{one, "in /home/anna/my site/, again", "in [my site], again"},
		{one, "no /home/anna/my site2/a.html", "no [outside] my site2/a.html"},
		{one, "找不到/home/anna/my site/图.png文件", "找不到图.png文件"},
		{one, "webpack:///home/anna/my site/a.js", "webpack://a.js"},
		{one, "/tmp/x/y.html, /home/anna, /home/bob/z.css", "[outside] y.html, [outside], [outside] z.css"},
		{one, "GET https://example.com/home/anna/x.png", "GET https://example.com/home/anna/x.png"},
		{one, "GET http://home/anna/my site/x.png", "GET http://home/anna/my site/x.png"},
		{one, "//home/anna/my site/x.png", "x.png"},
		{one, "a/home/anna/b and /img/home/x.png", "a/home/anna/b and /img/home/x.png"},
		{two, "/w/api/web/a.ts imports /w/api/b.ts", "[front] a.ts imports [api] b.ts"},
		{two, "/w/api, /w/api/web", "[api], [front]"},
		{two, "/w/api2/b.ts", "/w/api2/b.ts"}, // names neither a person nor a root
		{windows, `"C:\\Users\\Anna\\Site\\src\\a.ts" is c:/users/anna/site/src/a.ts:1`, `"src/a.ts" is src/a.ts:1`},
		{windows, `file:///C:/Users/Anna/Site/a.ts and C:\Users\Bob\x\y.ts`, `a.ts and [outside] y.ts`},
		{windows, `\\server\share\x\y.ts`, `[outside] y.ts`},
		{newPaths([]Root{{Path: "/"}}), "a / b /c/d", "a / b /c/d"},
	} {
		if got := c.p.text(c.in); got != c.want {
			t.Errorf("text(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// T-41: wherever a message names the root, or another place of the person's, it
// does not say where that is, and any text is rewritten without a fault.
func TestMessagesNameNoHome(t *testing.T) {
	one := newPaths([]Root{{Path: "/home/anna/my site"}})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 6).Draw(t, "words") {
			b.WriteString(rapid.SampledFrom([]string{"", "(", "'", "file://", "at:", "=", "读", "[", "\t", "webpack:///"}).Draw(t, "before"))
			b.WriteString(rapid.SampledFrom([]string{"/home/anna/my site", "/home/anna/my%20site", "/home/anna/other", "/home/anna"}).Draw(t, "path"))
			b.WriteString(rapid.SampledFrom([]string{"", "/", "/a.html:1:2", "/b/c d.html", ")", "'", ".", ",", ": no"}).Draw(t, "after"))
			b.WriteByte(' ')
		}
		if got := one.text(b.String()); strings.Contains(got, "anna") {
			t.Fatalf("%q became %q", b.String(), got)
		}
		one.text(someText(t, "any", 40) + "/home/anna" + someText(t, "more", 40))
	})
}

// T-40, R-CTX-4: what may never be collected, and what looks like it and may.
func TestExclusions(t *testing.T) {
	for _, p := range []string{
		".env", "a/.env.local", "prod.env", `C:\x\.ENV`, "id_rsa", "server.pem", "TLS.key", "a/.ssh/config", ".git/config", ".npmrc",
		"secrets.yaml", "secretStuff.ts", "api-key.txt", "apiKey.json", "ApiKeys.md", "token", "token.json", "github_token.txt",
		"credentials", "aws-credentials.json", "passwords.csv", "server.log", "server.log.1", "secrets/a.html", "KEY",
	} {
		if !secret(p) {
			t.Errorf("%s would be sent", p)
		}
	}
	for _, p := range []string{
		"index.html", "forgot-password.html", "token.html", "src/auth/token.ts", "keys.go", "keyboard.json", "monkey.txt", "tokenizer.json",
		"environment.md", "blog.html", "catalog", "dist/index.html", "",
	} {
		if secret(p) {
			t.Errorf("%s would not be sent", p)
		}
	}
	if !noise("node_modules/x/index.js") || !noise("dist/a.js") || noise("distance/a.js") {
		t.Error("noise is not told from what people write")
	}
}
