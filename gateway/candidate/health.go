package candidate

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"proofmark/bridge/contract"
)

// maxFaults bounds how many faults of one kind a verification names, and
// maxFaultBytes each one's length.
const (
	maxFaults     = 20
	maxFaultBytes = 300
)

// faults is what one loaded page complained about, in a form in which two loads
// of the same page compare equal: without the origin, which is random for each
// preview, and without line numbers, which any edit above them moves.
type faults struct {
	errors  []string
	missing []string
}

// ownPath is where the listener takes a page's policy reports, which are no
// resources of the page.
const ownPath = ".proofmark/"

var position = regexp.MustCompile(`(:\d+){1,2}\b`)

// faultsOf reads a page's health. Resources of other origins than the page's
// own and the allowed ones never load in a preview: that is the network policy,
// which the candidate's policy flags cover, and not a fault of the page.
func faultsOf(h contract.Health, missingFiles []string, origin string, allowed []string) faults {
	var f faults
	for _, e := range slices.Concat(h.Errors, h.ConsoleErr) {
		if blockedByPolicy(e, origin, allowed) {
			continue
		}
		f.errors = appendNew(f.errors, settled(e, origin))
	}
	for _, m := range slices.Concat(h.Missing, missingFiles) {
		if foreign(m, origin, allowed) {
			continue
		}
		if m = strings.TrimPrefix(settled(m, origin), "/"); !strings.HasPrefix(m, ownPath) {
			f.missing = appendNew(f.missing, m)
		}
	}
	return f
}

// since gives the faults of f that base did not have.
func (f faults) since(base faults) faults {
	return faults{errors: without(f.errors, base.errors), missing: without(f.missing, base.missing)}
}

// and gives the faults either of the two loads showed.
func (f faults) and(o faults) faults {
	out := faults{errors: slices.Clone(f.errors), missing: slices.Clone(f.missing)}
	for _, e := range o.errors {
		out.errors = appendNew(out.errors, e)
	}
	for _, m := range o.missing {
		out.missing = appendNew(out.missing, m)
	}
	return out
}

// both gives the faults both loads showed.
func (f faults) both(o faults) faults {
	return faults{errors: without(f.errors, without(f.errors, o.errors)), missing: without(f.missing, without(f.missing, o.missing))}
}

func (f faults) none() bool { return len(f.errors) == 0 && len(f.missing) == 0 }

// settled gives a complaint without what differs from load to load.
func settled(s, origin string) string {
	for _, o := range []string{origin, contract.PageOrigin} {
		if o != "" {
			s = strings.ReplaceAll(s, o, "")
			s = strings.ReplaceAll(s, strings.TrimPrefix(o, "http://"), "")
		}
	}
	s = position.ReplaceAllString(s, "")
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxFaultBytes {
		s = strings.ToValidUTF8(s[:maxFaultBytes], "") + "…"
	}
	return s
}

// foreign tells whether a resource belongs to an origin the preview cannot
// reach by policy.
func foreign(resource, origin string, allowed []string) bool {
	u, err := url.Parse(resource)
	if err != nil || u.Host == "" {
		return false
	}
	if u.Scheme == "" {
		u.Scheme = "http" // "//host/…": the page's own scheme
	}
	o := u.Scheme + "://" + u.Host
	return o != origin && o != contract.PageOrigin && !slices.Contains(allowed, o)
}

var quotedURL = regexp.MustCompile(`https?://[^\s'"<>)]+`)

// closed are the directives by which the preview lets a page have no frames,
// plug-ins, requests and the like at all; a browser without it shows them.
var closed = regexp.MustCompile(`content security policy directive: "(frame-src 'none'|object-src 'none'|form-action 'none'|connect-src 'none'|default-src 'none'|worker-src blob:|base-uri [^"]*)"`)

// blockedByPolicy tells whether a console message is only the browser's report
// that the preview's own policy kept something out.
func blockedByPolicy(message, origin string, allowed []string) bool {
	low := strings.ToLower(message)
	if closed.MatchString(low) {
		return true
	}
	if !strings.Contains(low, "content security policy") && !strings.Contains(low, "net::err_") &&
		!strings.Contains(low, "failed to load resource") {
		return false
	}
	u := quotedURL.FindString(message)
	return u != "" && foreign(u, origin, allowed)
}

func appendNew(list []string, s string) []string {
	if len(list) >= maxFaults || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func without(list, known []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(known, s) {
			out = append(out, s)
		}
	}
	return out
}
