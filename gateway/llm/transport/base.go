package transport

import (
	"net"
	"net/url"
	"strings"

	"proofmark/gateway/core"
)

// CheckBase tells whether a provider's base address can be used: https, or http
// on this machine, without user name, query and fragment. What it says never
// repeats a part that may hold a secret.
func CheckBase(address string) error {
	if _, err := base(address); err != nil {
		return err
	}
	return nil
}

func base(address string) (*url.URL, *core.Error) {
	refuse := func(format string, args ...any) (*url.URL, *core.Error) {
		return nil, core.Errorf(core.Usage, format, args...).In("transport.CheckBase").
			WithHint("write it as https://host/path, or http://127.0.0.1:port/path for a model on this machine")
	}
	u, err := url.Parse(address)
	switch {
	case address == "":
		return refuse("the model's base address is missing")
	case err != nil:
		return refuse("the model's base address is not an address")
	case u.User != nil:
		return refuse("the model's base address must not hold a user name or password")
	case u.RawQuery != "" || u.ForceQuery:
		return refuse("the model's base address must not hold a query (?): a key does not belong in an address")
	case u.Fragment != "" || strings.Contains(address, "#"):
		return refuse("the model's base address must not hold a fragment (#)")
	case u.Scheme != "https" && u.Scheme != "http":
		return refuse("the model's base address begins with neither https:// nor http://")
	case u.Hostname() == "":
		return refuse("the model's base address names no host")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return refuse("without https the model's base address must be on this machine (localhost, 127.0.0.1 or [::1]); %s is not", u.Hostname())
	}
	return u, nil
}

// isLoopback tells whether a host name or address is this machine.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if strings.EqualFold(u.Scheme, "https") {
		return "443"
	}
	return "80"
}

// origin names scheme, host and port alone.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }
