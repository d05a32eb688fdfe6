package scene

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// What a person can see is not always fit to be sent (R-CTX-4). Two lists say
// what never is: secret names, which count for every path, and noise, which
// counts for everything but the document the person works on.

var (
	secretFolders = []string{".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".git", "secrets", "credentials"}
	noiseFolders  = []string{"node_modules", "bower_components", "dist", "vendor", ".hg", ".svn", ".cache"}

	secretNames = []string{
		".env", ".npmrc", ".netrc", "_netrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials",
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "authorized_keys", "known_hosts",
	}
	secretExtensions = []string{
		".env", ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".gpg", ".asc", ".ppk", ".der", ".ovpn",
	}
	secretWords = []string{"secret", "secrets", "credential", "credentials", "password", "passwords", "passwd", "apikey", "apikeys"}
	// These words are as common in the names of program files, where they name
	// what the code is about: token.ts, keys.go.
	looseWords     = []string{"token", "tokens", "key", "keys"}
	codeExtensions = []string{
		".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs", ".css", ".scss", ".less", ".vue", ".svelte", ".go", ".py", ".rb",
		".rs", ".java", ".kt", ".swift", ".c", ".h", ".cc", ".cpp", ".cs", ".php", ".md", ".svg",
	}
	pageExtensions = []string{".html", ".htm", ".xhtml"}

	logName = regexp.MustCompile(`(?i)\.log(\.\d+|\.gz)?$`)
)

// secret tells whether a path names something that holds secrets, or a log.
func secret(p string) bool {
	parts := segments(p)
	if len(parts) == 0 {
		return false
	}
	name := parts[len(parts)-1]
	for _, folder := range parts[:len(parts)-1] {
		if slices.Contains(secretFolders, strings.ToLower(folder)) {
			return true
		}
	}
	lower := strings.ToLower(name)
	ext := path.Ext(lower)
	switch {
	case slices.Contains(secretNames, lower), strings.HasPrefix(lower, ".env"), slices.Contains(secretExtensions, ext), logName.MatchString(lower):
		return true
	case slices.Contains(pageExtensions, ext): // forgot-password.html is a page like any other
		return false
	}
	list := words(name)
	code := slices.Contains(codeExtensions, ext)
	for i, w := range list {
		pair := i > 0 && list[i-1] == "api" && strings.HasPrefix(w, "key")
		if pair || slices.Contains(secretWords, w) || !code && slices.Contains(looseWords, w) {
			return true
		}
	}
	return false
}

// noise tells whether a path lies where tools put what nobody wrote.
func noise(p string) bool {
	return slices.ContainsFunc(segments(p), func(s string) bool { return slices.Contains(noiseFolders, strings.ToLower(s)) })
}

func segments(p string) []string {
	return strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' })
}

// words splits a name at everything that is no letter or digit, and where small
// letters turn to capitals; in small letters.
func words(name string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	var last rune
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsUpper(r) && unicode.IsLower(last) {
			flush()
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
		last = r
	}
	flush()
	return out
}
