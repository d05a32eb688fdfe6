package scene

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// outside stands for the folders of a path that lies in no root: what is above
// the roots names the person and the machine, and is nobody's business.
const outside = "[outside]"

// paths makes the paths of a machine relative to the workspace's roots. With
// several roots a path says in brackets whose it is: the same relative path may
// stand in each.
type paths struct {
	labels []string // in the order of the source
	roots  []root   // the longest first
}

type root struct {
	label, path string
	folds       bool // the case of letters does not count, as on Windows
	re          *regexp.Regexp
}

var drive = regexp.MustCompile(`^[A-Za-z]:[\\/]|^\\\\`)

func absolute(p string) bool { return strings.HasPrefix(p, "/") || drive.MatchString(p) }

func newPaths(list []Root) paths {
	var p paths
	for _, r := range list {
		full := plain(r.Path)
		if !absolute(full) {
			continue
		}
		full = clean(full)
		if slices.ContainsFunc(p.roots, func(x root) bool { return x.path == full }) {
			continue
		}
		label := fenceless(r.Name)
		if label == "" {
			label = path.Base(full)
		}
		for base, n := label, 2; slices.Contains(p.labels, label); n++ {
			label = fmt.Sprintf("%s (%d)", base, n)
		}
		folds := !strings.HasPrefix(full, "/") || strings.HasPrefix(full, "//")
		p.labels = append(p.labels, label)
		p.roots = append(p.roots, root{label: label, path: full, folds: folds, re: pattern(full, folds)})
	}
	slices.SortStableFunc(p.roots, func(a, b root) int { return len(b.path) - len(a.path) })
	return p
}

// fenceless keeps brackets, which mark labels, out of one.
func fenceless(s string) string { return strings.NewReplacer("[", "(", "]", ")").Replace(short(s, 60)) }

// clean writes an absolute path with slashes and without dots.
func clean(p string) string {
	if drive.MatchString(p) {
		unc := strings.HasPrefix(p, `\\`)
		p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
		if unc {
			p = "/" + p
		}
		return p
	}
	return path.Clean(p)
}

// pattern finds a root's path in a text, as it is or percent-encoded, with
// single or doubled separators of either kind on Windows.
func pattern(full string, folds bool) *regexp.Regexp {
	sep := "/+"
	var b strings.Builder
	if folds {
		sep = `[\\/]+`
		b.WriteString("(?i)")
	}
	trimmed := strings.TrimLeft(full, "/")
	if trimmed == "" {
		return nil // the root of everything says nothing about a text
	}
	if trimmed != full {
		b.WriteString(sep)
	}
	for i, part := range strings.Split(trimmed, "/") {
		if i > 0 {
			b.WriteString(sep)
		}
		raw, escaped := regexp.QuoteMeta(part), regexp.QuoteMeta(url.PathEscape(part))
		if i == 0 && drive.MatchString(part+"/") {
			escaped = part[:1] + "%3A"
		}
		b.WriteString("(?:" + raw + "|" + escaped + ")")
	}
	return regexp.MustCompile(b.String())
}

// rel gives a path as it goes out.
func (p paths) rel(s string) string {
	s = plain(s)
	if u, err := url.Parse(s); err == nil && len(u.Scheme) > 1 && strings.HasPrefix(s[len(u.Scheme):], "://") {
		if u.Scheme != "file" {
			return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
		}
		s = u.Path
		if drive.MatchString(strings.TrimPrefix(s, "/")) { // file:///C:/x
			s = s[1:]
		}
	}
	if !absolute(s) {
		return p.relative(s)
	}
	full := clean(s)
	for _, r := range p.roots {
		if rest, ok := r.below(full); ok {
			return p.labelled(r, rest)
		}
	}
	return outsideOf(full)
}

// relIfPath makes what is a whole absolute path relative, and leaves words alone.
func (p paths) relIfPath(s string) string {
	if s = plain(s); absolute(s) || strings.HasPrefix(s, "file://") {
		return p.rel(s)
	}
	return s
}

// relative cleans a path that is relative already; it may not climb.
func (p paths) relative(s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	s = path.Clean(s)
	if s == ".." || strings.HasPrefix(s, "../") {
		return outside + " " + path.Base(s)
	}
	return s
}

// below gives the rest of a path below the root.
func (r root) below(full string) (string, bool) {
	if len(full) < len(r.path) {
		return "", false
	}
	head, rest := full[:len(r.path)], full[len(r.path):]
	if head != r.path && !(r.folds && strings.EqualFold(head, r.path)) {
		return "", false
	}
	if strings.HasSuffix(r.path, "/") {
		return rest, true
	}
	return strings.TrimPrefix(rest, "/"), rest == "" || rest[0] == '/'
}

func (p paths) labelled(r root, rest string) string {
	switch {
	case rest == "":
		return "[" + r.label + "]"
	case len(p.roots) == 1:
		return rest
	}
	return "[" + r.label + "] " + rest
}

func outsideOf(full string) string {
	parts := strings.FieldsFunc(full, func(r rune) bool { return r == '/' || r == '\\' })
	if len(parts) > 0 && drive.MatchString(parts[0]+"/") {
		parts = parts[1:]
	}
	if len(parts) <= 2 { // /home/name
		return outside
	}
	return outside + " " + parts[len(parts)-1]
}

// machine finds absolute paths that name a place of a machine. An absolute path
// of a URL, such as /img/a.png, is none.
var machine = regexp.MustCompile("/+(?:home|Users|root|tmp|var|private|opt|etc|usr|mnt|media|srv|nix|Volumes|Library|Applications|System)(?:/+[^\\s\"'`<>|()\\[\\]{},;:*?]+)+" +
	"|[A-Za-z](?::|%3[Aa])[\\\\/]+[^\\s\"'`<>|()\\[\\]{},;:*?]+|\\\\\\\\[\\w.$-]+\\\\[^\\s\"'`<>|()\\[\\]{},;:*?]+")

// text rewrites the absolute paths within a message.
func (p paths) text(s string) string {
	for _, r := range p.roots {
		if r.re != nil {
			s = replacePaths(s, r.re, func(_ string, more bool) string {
				if more && len(p.roots) == 1 {
					return ""
				}
				if more {
					return "[" + r.label + "] "
				}
				return "[" + r.label + "]"
			}, r.folds)
		}
	}
	return replacePaths(s, machine, func(found string, _ bool) string { return outsideOf(found) }, false)
}

// replacePaths replaces what re finds where it is a whole path or the whole
// start of one. With more the replacement is told that the path goes on; its
// separator is taken away then.
func replacePaths(s string, re *regexp.Regexp, with func(found string, more bool) string, windows bool) string {
	var b strings.Builder
	done := 0 // s is written up to here
	for at := 0; at < len(s); {
		loc := re.FindStringIndex(s[at:])
		if loc == nil {
			break
		}
		from, to := at+loc[0], at+loc[1]
		host := false
		if strings.HasSuffix(s[:from], ":") && strings.HasPrefix(s[from:], "//") {
			from += 2 // behind a URL's scheme
			host = s[from] != '/'
		}
		start, begins := beginsAt(s, from)
		rest := strings.TrimLeft(s[to:], `/\`)
		more := len(rest) < len(s)-to && rest != "" && inPath(rest)
		if host || start < done || !begins || !more && !endsAt(s[to:]) {
			at = from + 1
			continue
		}
		b.WriteString(s[done:start])
		b.WriteString(with(s[from:to], more))
		at = len(s) - len(rest)
		if windows {
			end := at + strings.IndexFunc(s[at:]+" ", func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'<>|:*?", r) })
			b.WriteString(slashes.ReplaceAllString(s[at:end], "/"))
			at = end
		}
		done = at
	}
	b.WriteString(s[done:])
	return b.String()
}

var slashes = regexp.MustCompile(`[\\/]+`)

// beginsAt tells whether a path can begin at byte i of s, and where what stands
// for it begins: a file URL's scheme goes with it.
func beginsAt(s string, i int) (int, bool) {
	for _, scheme := range []string{"file://localhost", "file://", "file:"} {
		if n := i - len(scheme); n >= 0 && strings.EqualFold(s[n:i], scheme) {
			return n, true
		}
		if n := i - len(scheme) - 1; n >= 0 && strings.EqualFold(s[n:i], scheme+"/") { // file:///C:/x
			return n, true
		}
	}
	if strings.HasSuffix(s[:i], "://") { // webpack:///home/…
		return i, true
	}
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return i, i == 0 || r > unicode.MaxASCII || !pathRune(r) && r != '/' && r != '\\'
}

// endsAt tells whether a path can end before s.
func endsAt(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	if r == '.' { // the end of a sentence, not of a name
		next, _ := utf8.DecodeRuneInString(s[size:])
		return len(s) == size || !pathRune(next)
	}
	return s == "" || !pathRune(r)
}

func inPath(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return pathRune(r) || unicode.IsLetter(r) || strings.ContainsRune("[(@+#", r)
}

// pathRune tells whether a name goes on with r. Scripts that are written without
// spaces go on with a sentence as often as with a name, and then count as that.
func pathRune(r rune) bool {
	if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.%~$", r)
}
