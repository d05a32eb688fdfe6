package chromium

import (
	"regexp"
	"strings"
	"unicode"
)

// troubles are the usual reasons for a browser not to start, by its own words.
var troubles = []struct {
	said      *regexp.Regexp
	why, hint string
}{
	{
		regexp.MustCompile(`No usable sandbox|Failed to move to new namespace|SUID sandbox helper`),
		"its sandbox cannot work on this machine",
		"Debian: sudo apt install chromium-sandbox. Ubuntu 23.10 and later: allow this browser user namespaces by an AppArmor profile. Elsewhere: sudo sysctl user.max_user_namespaces=15000. Proofmark does not turn the sandbox off.",
	},
	{
		regexp.MustCompile(`error while loading shared libraries`),
		"a library is missing",
		"Install the browser again by the system's package manager, which brings its libraries.",
	},
	{
		regexp.MustCompile(`Missing X server|cannot open display|Unable to open X display|Failed to connect to Wayland`),
		"there is no display to open a window on",
		"Leave --keep-open away, or set DISPLAY.",
	},
	{
		regexp.MustCompile(`Socket path too long`),
		"the path of the temporary directory is too long",
		"Set TMPDIR to a directory with a short path.",
	},
	{
		regexp.MustCompile(`No space left on device`),
		"the disk of the temporary directory is full",
		"Free some space there, or set TMPDIR to a directory on another disk.",
	},
}

// Diagnose says why a browser with these last words did not start, and what to do.
func Diagnose(output string) (why, hint string) {
	for _, t := range troubles {
		if t.said.MatchString(output) {
			return t.why, t.hint
		}
	}
	hint = "See that it starts by itself, or name another one: " + EnvPath + "=/path/to/chrome."
	if last := lastLine(output); last != "" {
		return "it said " + `"` + last + `"`, hint
	}
	return "it did not answer, and said nothing", hint
}

// lastLine gives the last line with something to read in it.
func lastLine(s string) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(strings.Map(func(r rune) rune {
			if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
				return -1
			}
			return r
		}, lines[i]))
		if line != "" {
			return firstLine(line)
		}
	}
	return ""
}
