package surface

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// assetNameAllowed tells whether a slash-separated path below the page's folder
// may be looked at at all. It looks at names only, before the file system does.
func assetNameAllowed(name string) bool {
	if name == "" || name == "." || len(name) > maxAssetPathBytes || !fs.ValidPath(name) || !utf8.ValidString(name) {
		return false
	}
	parts := strings.Split(name, "/")
	if len(parts) > maxAssetDepth {
		return false
	}
	for _, p := range parts {
		if !partAllowed(p) {
			return false
		}
	}
	base := parts[len(parts)-1]
	if _, ok := mediaType(base); !ok {
		return false
	}
	return !namesSecret(base)
}

// partAllowed refuses dotfiles and names that mean something else to some file
// system: drives and streams (":"), devices, trailing dots and spaces.
func partAllowed(p string) bool {
	if strings.HasPrefix(p, ".") || strings.HasSuffix(p, ".") || strings.HasSuffix(p, " ") || strings.HasSuffix(p, "~") {
		return false
	}
	for _, r := range p {
		// Format characters (zero-width, right-to-left override) hide what a name says.
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c' || strings.ContainsRune(`\:*?"<>|`, r) {
			return false
		}
	}
	stem, _, _ := strings.Cut(strings.ToUpper(p), ".")
	switch strings.TrimRight(stem, " ") {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return false
	}
	return !(len(stem) == 4 && (strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT")) && stem[3] >= '0' && stem[3] <= '9')
}

// secretWords in the name of a script say that it holds what a page from
// somewhere else must not read. Pictures, fonts and stylesheets may have any name.
var secretWords = []string{"secret", "secrets", "credential", "credentials", "apikey", "apikeys", "privatekey", "env"}

func namesSecret(base string) bool {
	lower := strings.ToLower(base)
	if strings.HasPrefix(lower, "id_rsa") || strings.HasPrefix(lower, "id_ed25519") || strings.HasPrefix(lower, "id_ecdsa") {
		return true
	}
	if t, _ := mediaType(base); !strings.HasPrefix(t, "text/javascript") {
		return false
	}
	words := strings.FieldsFunc(strings.TrimSuffix(lower, path.Ext(lower)), func(r rune) bool { return strings.ContainsRune(".-_ ", r) })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(secretWords, w) })
}
