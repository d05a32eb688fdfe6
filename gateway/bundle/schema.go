package bundle

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
)

// Bounds of single values, in bytes and entries. Those of whole bundles are in
// core.
const (
	maxName    = 255 // of a file, an element or an actor
	maxQuote   = 4 * core.QuoteRunes
	maxWords   = 64 << 10 // of one sentence of the history
	maxPath    = 2_048    // steps; a page nests at most 512 elements, and templates
	maxNotes   = 1_000    // of one change
	mostNote   = 1 << 20  // the order of one
	maxTargets = 64
	maxRemarks = 10_000 // flags, errors and layout remarks of one change
	mostCount  = 1 << 40
)

// decode reads a whole bundle and checks each value for itself; check does what
// needs several.
func (s *scanner) decode() (b Bundle) {
	edits := core.MaxBundleEdits
	b.Versions, b.Changes, b.Drafts = []Version{}, []Change{}, []Draft{}
	s.object("format version made document source versions changes drafts", func(key string) bool {
		switch key {
		case "format":
			if b.Format = s.text(64); s.err == nil && b.Format != Format {
				s.fail(core.InvalidBundle, "it is %s, not %q", short(b.Format), Format)
			}
		case "version":
			if b.Version = int(s.int(1, 1<<30)); s.err == nil && b.Version != FormatVersion {
				s.fail(core.Unsupported, "it has version %d of the format; this program reads version %d", b.Version, FormatVersion)
			}
		case "made":
			b.Made = s.moment()
		case "document":
			s.object("name", func(key string) bool {
				if key != "name" {
					return false
				}
				b.Document.Name = s.fileName()
				return true
			})
		case "source":
			b.Source = s.source()
		case "versions":
			s.list(core.MaxBundleChanges+1, func() { b.Versions = append(b.Versions, s.version()) })
		case "changes":
			s.list(core.MaxBundleChanges, func() { b.Changes = append(b.Changes, s.change(&edits)) })
		case "drafts":
			s.list(core.MaxBundleDrafts, func() { b.Drafts = append(b.Drafts, s.draft()) })
		default:
			return false
		}
		return true
	})
	if s.blank(); s.err == nil && s.i < len(s.b) {
		s.fail(core.InvalidBundle, "there is more behind its end")
	}
	return b
}

func (s *scanner) source() (v Source) {
	s.object("generation sha256 bytes text", func(key string) bool {
		switch key {
		case "generation":
			v.Generation = s.int(1, mostCount)
		case "sha256":
			v.SHA256 = s.sha()
		case "bytes":
			v.Bytes = int(s.int(0, core.MaxSourceBytes))
		case "text":
			v.Text = s.text(core.MaxSourceBytes)
		default:
			return false
		}
		return true
	})
	return v
}

var sources = []core.RevisionSource{
	core.SourceImport, core.SourceOutside, core.SourceTurn, core.SourceManual, core.SourceRevert, core.SourceRestore, core.SourceRedo,
}

func (s *scanner) version() (v Version) {
	s.object("generation sha256 bytes source actor at", func(key string) bool {
		switch key {
		case "generation":
			v.Generation = s.int(1, mostCount)
		case "sha256":
			v.SHA256 = s.sha()
		case "bytes":
			v.Bytes = int(s.int(0, core.MaxSourceBytes))
		case "source":
			v.Source = oneOf(s, sources)
		case "actor":
			v.Actor = s.text(maxName)
		case "at":
			v.At = s.moment()
		case "name":
			if v.Name = s.text(4 * core.MaxVersionNameRunes); s.err == nil {
				if err := document.CheckVersionName(v.Name); err != nil {
					s.fail(core.InvalidBundle, "%s", core.AsError(err).Message)
				}
			}
		default:
			return false
		}
		return true
	})
	return v
}

func (s *scanner) change(edits *int) (c Change) {
	c.Edits = []core.Edit{}
	s.object("id generation sha256Before sha256After edits", func(key string) bool {
		switch key {
		case "id":
			c.ID = s.changeID()
		case "generation":
			c.Generation = s.int(2, mostCount)
		case "sha256Before":
			c.SHABefore = s.sha()
		case "sha256After":
			c.SHAAfter = s.sha()
		case "edits":
			s.list(*edits, func() { c.Edits = append(c.Edits, s.edit()) })
			*edits -= len(c.Edits)
		case "computed":
			c.Computed = s.bool()
		case "notes":
			s.list(maxNotes, func() { c.Notes = append(c.Notes, s.note()) })
		case "verification":
			c.Evidence = s.verification()
		case "flags":
			s.list(maxRemarks, func() { c.Flags = append(c.Flags, s.flag()) })
		case "reverts":
			c.Reverts = s.changeID()
		case "revertNote":
			c.RevertNote = int(s.int(1, mostNote))
		default:
			return false
		}
		return true
	})
	return c
}

func (s *scanner) edit() (e core.Edit) {
	s.object("span replacement", func(key string) bool {
		switch key {
		case "note":
			e.Note = int(s.int(1, mostNote))
		case "notes":
			last := int64(0)
			s.list(31, func() {
				last = s.int(last+1, 31)
				e.Notes |= 1 << last
			})
		case "span":
			e.Span = s.span()
		case "replacement":
			e.Replacement = s.text(core.MaxSourceBytes)
		default:
			return false
		}
		return true
	})
	return e
}

// span reads [start,end] of a page.
func (s *scanner) span() (p core.Span) {
	n := 0
	s.list(2, func() {
		if n++; n == 1 {
			p.Start = int(s.int(0, core.MaxSourceBytes))
		} else {
			p.End = int(s.int(0, core.MaxSourceBytes))
		}
	})
	if s.err == nil && (n != 2 || p.End < p.Start) {
		s.fail(core.InvalidBundle, "it is not a span [start, end] of bytes")
	}
	return p
}

func (s *scanner) draft() (d Draft) {
	s.object("instruction at targets", func(key string) bool {
		switch key {
		case "instruction":
			if d.Instruction = s.text(core.MaxInstructionBytes); s.err == nil && strings.TrimSpace(d.Instruction) == "" {
				s.fail(core.InvalidBundle, "the instruction is empty")
			}
		case "at":
			d.At = s.moment()
		case "targets":
			s.list(core.MaxTargetsPerNote, func() { d.Targets = append(d.Targets, s.target()) })
			if s.err == nil && len(d.Targets) == 0 {
				s.fail(core.InvalidBundle, "a note is about at least one element")
			}
		default:
			return false
		}
		return true
	})
	return d
}

// reasons are those for which the sender may say that a target was not found.
var reasons = []string{"", "no_match", "ambiguous", "unproven"}

func (s *scanner) target() (t Target) {
	s.object("name", func(key string) bool {
		switch key {
		case "name":
			t.Name = s.elementName()
		case "quote":
			t.Quote = s.text(maxQuote)
		case "reason":
			t.Reason = oneOf(s, reasons)
		case "proof":
			t.Proof = s.proof()
		default:
			return false
		}
		return true
	})
	return t
}

func (s *scanner) proof() *Proof {
	p := &Proof{Path: []core.PathStep{}}
	s.object("generation path ns startTag tagHash chainHash sharedBy", func(key string) bool {
		switch key {
		case "generation":
			p.Generation = s.int(1, mostCount)
		case "path":
			s.list(maxPath, func() { p.Path = append(p.Path, s.pathStep()) })
		case "ns":
			p.NS = oneOf(s, []string{"html", "svg", "math"})
		case "startTag":
			p.StartTag = s.span()
		case "tagHash":
			p.TagHash = s.sha()
		case "chainHash":
			p.ChainHash = s.sha()
		case "sharedBy":
			p.SharedBy = int(s.int(0, core.MaxElements))
		default:
			return false
		}
		return true
	})
	return p
}

func (s *scanner) pathStep() (p core.PathStep) {
	n := 0
	s.list(2, func() {
		if n++; n == 1 {
			p.Name = s.elementName()
		} else {
			p.Index = int(s.int(1, core.MaxElements))
		}
	})
	if s.err == nil && n != 2 {
		s.fail(core.InvalidBundle, "it is not a step [name, index]")
	}
	return p
}

var (
	shaForm    = regexp.MustCompile(`^[0-9a-f]{64}$`)
	changeForm = regexp.MustCompile(`^chg_[0-9a-z]{1,64}$`)
)

func (s *scanner) sha() string {
	v := s.text(64)
	if s.err == nil && !shaForm.MatchString(v) {
		s.fail(core.InvalidBundle, "%s is not a SHA-256 in lower-case hexadecimal", short(v))
	}
	return v
}

func (s *scanner) changeID() string {
	v := s.text(68)
	if s.err == nil && !changeForm.MatchString(v) {
		s.fail(core.InvalidBundle, "%s is not the id of a change", short(v))
	}
	return v
}

// fileName reads a name that could stand in any folder; a path is refused, so
// that nobody can take it for one.
func (s *scanner) fileName() string {
	v := s.text(maxName)
	if s.err == nil && !plainName(v) {
		s.fail(core.InvalidBundle, "%s is not the plain name of a file", short(v))
	}
	return v
}

func plainName(v string) bool {
	return v != "" && v != "." && v != ".." && !strings.ContainsAny(v, `/\`) && !strings.ContainsFunc(v, unicode.IsControl)
}

// elementName reads a name that an HTML parser could give an element. A sentence
// is none: names are told to models outside quotation.
func (s *scanner) elementName() string {
	v := s.text(maxName)
	if s.err == nil && !elementLike(v) {
		s.fail(core.InvalidBundle, "%s is not the name of an element", short(v))
	}
	return v
}

func elementLike(v string) bool {
	return v != "" && len(v) <= maxName && !strings.ContainsFunc(v, func(r rune) bool {
		return r == '/' || r == '>' || unicode.IsSpace(r) || hidden(r)
	})
}

func oneOf[T ~string](s *scanner, list []T) T {
	v := T(s.text(64))
	if s.err == nil && !slices.Contains(list, v) {
		s.fail(core.InvalidBundle, "%s is not one of the values it may have", short(string(v)))
	}
	return v
}
