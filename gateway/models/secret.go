package models

import (
	"regexp"
	"strings"
)

// keyField are names people give to a key in a configuration file.
var keyField = regexp.MustCompile(`(?i)key|token$|secret|password|passwd|credential|authorization|bearer|^auth$`)

// keyText are beginnings that keys have and names do not: those the common
// providers give theirs, and a header's.
var keyText = regexp.MustCompile(`^(?i:bearer +\S)|^(?:sk-|sk_|xai-|gsk_|hf_|nvapi-|pplx-|AIza|ya29\.|eyJ[A-Za-z0-9_-]+\.)[A-Za-z0-9_.-]{8,}$`)

// opaque is a long run of letters and digits with no word's end in it.
var opaque = regexp.MustCompile(`^[A-Za-z0-9]{24,}$|^[0-9a-f]{16,}\.[A-Za-z0-9]{8,}$`)

// looksLikeKey tells whether a text is more likely a key than a name.
func looksLikeKey(s string) bool {
	return keyText.MatchString(s) || opaque.MatchString(s) && strings.ContainsAny(s, "0123456789")
}

// secrets refuses a value that is a key by its form, wherever it stands, before
// any other error could repeat it.
func (p *parser) secrets(n node) {
	if n.kind == text && looksLikeKey(n.text) {
		p.fail(n.at, `the key itself never stands in this file; say where it is: "key": {"env": "NAME"} or "key": {"keychain": "NAME"}`, "this looks like a key")
	}
	for _, f := range n.fields {
		p.secrets(f.value)
	}
	for _, item := range n.items {
		p.secrets(item)
	}
}
