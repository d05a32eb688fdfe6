package surface

import (
	"net"
	"net/url"
	"strings"

	"proofmark/gateway/core"
)

// origins is a set of exact https origins, as "https://host" or
// "https://host:port".
type origins map[string]bool

// parseOrigins reads the origins a person allowed. Only exact https origins of
// named hosts are taken: no path, no user, no wildcard, no address literal.
func parseOrigins(list []string) (origins, error) {
	if len(list) > maxAllowedOrigins {
		return nil, core.Errorf(core.TooMany, "at most %d origins can be allowed for one document, got %d", maxAllowedOrigins, len(list))
	}
	out := origins{}
	for _, s := range list {
		o, ok := parseOrigin(s)
		if !ok {
			return nil, core.Errorf(core.Usage, "%q is not an origin that can be allowed", clip(s, 120)).
				WithHint("name an https origin, such as https://fonts.googleapis.com")
		}
		out[o] = true
	}
	return out, nil
}

func parseOrigin(s string) (string, bool) {
	u, err := url.Parse(strings.TrimSuffix(s, "/"))
	if err != nil || u.Scheme != "https" || u.Opaque != "" || u.User != nil || u.Path != "" ||
		u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(s, "#") {
		return "", false
	}
	return httpsOrigin(u)
}

// httpsOrigin gives the origin of an https URL with a host that may be asked:
// a dotted DNS name. Names without a dot, address literals and the special
// local names never qualify.
func httpsOrigin(u *url.URL) (string, bool) {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if u.Scheme != "https" || !publicName(host) || strings.HasSuffix(u.Host, ":") {
		return "", false
	}
	if port == "" || port == "443" {
		return "https://" + host, true
	}
	return "https://" + net.JoinHostPort(host, port), true
}

// publicName tells whether host is a DNS name that can name a public server.
func publicName(host string) bool {
	if len(host) == 0 || len(host) > 253 || !strings.Contains(host, ".") || net.ParseIP(host) != nil {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, c := range []byte(label) {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch last {
	case "localhost", "local", "internal", "invalid", "test", "example", "onion", "home", "lan", "arpa":
		return false
	}
	// A last label of digits makes the whole name an IPv4 address in a URL.
	return strings.Trim(last, "0123456789") != "" && !strings.HasPrefix(last, "0x")
}

// askedOrigin shortens a URL or host a page asked for to what is listed and
// counted: its origin.
func askedOrigin(raw string) (string, bool) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || len(u.Host) > 260 {
		return "", false
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss":
		return u.Scheme + "://" + strings.ToLower(strings.ToValidUTF8(u.Host, "�")), true
	}
	return "", false
}

func clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "�")
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
