package transport

import (
	"net/url"
	"strings"
	"testing"

	"proofmark/gateway/core"
)

func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestCheckBase(t *testing.T) {
	for _, good := range []string{
		"https://api.openai.com/v1", "https://api.deepseek.com", "https://open.bigmodel.cn/api/paas/v4/", "https://host:8443/x",
		"http://127.0.0.1:11434/v1", "http://localhost:8080", "http://LOCALHOST:1", "http://[::1]:8080/v1", "http://127.8.9.1",
	} {
		if err := CheckBase(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, why := range map[string]string{
		"":                                   "missing",
		"api.openai.com/v1":                  "neither https:// nor http://",
		"ftp://host/":                        "neither https:// nor http://",
		"https://":                           "no host",
		"http:///v1":                         "no host",
		"http://api.openai.com/v1":           "must be on this machine",
		"http://192.168.1.5:11434/v1":        "must be on this machine",
		"http://0.0.0.0:11434":               "must be on this machine",
		"http://localhost.evil.example":      "must be on this machine",
		"http://127.0.0.1.evil.example":      "must be on this machine",
		"https://u:" + secret + "@host/v1":   "user name",
		"https://" + secret + "@host/v1":     "user name",
		"https://host/v1?key=" + secret:      "query",
		"https://host/v1?":                   "query",
		"https://host/v1#" + secret:          "fragment",
		"https://host/v1#":                   "fragment",
		"https://ho st/" + secret:            "not an address",
		"https://host:port/" + secret:        "not an address",
		"https://host/%zz" + secret + "\x7f": "not an address",
	} {
		want(t, CheckBase(bad), core.Usage, why, "https://host/path")
	}
}

func TestSameOrigin(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"https://host", "https://HOST:443/x", true},
		{"http://127.0.0.1", "http://127.0.0.1:80", true},
		{"https://host", "http://host", false},
		{"https://host", "https://host:8443", false},
		{"https://host", "https://host.evil", false},
		{"http://localhost:1", "http://127.0.0.1:1", false},
	} {
		if sameOrigin(mustURL(t, c.a), mustURL(t, c.b)) != c.same {
			t.Errorf("%s and %s", c.a, c.b)
		}
	}
	if o := origin(mustURL(t, "https://u:p@host:1/path?q")); strings.Contains(o, "u:p") || o != "https://host:1" {
		t.Error(o)
	}
}
