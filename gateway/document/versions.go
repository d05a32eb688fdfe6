package document

import (
	"context"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// NameRequest asks for a name for one version.
type NameRequest struct {
	DocumentID string
	Generation int64
	Name       string // see CheckVersionName
	Move       bool   // take the name from the version that has it
	Actor      string
}

// Name gives a version a name, in place of the one it may have. A name stands
// for one version of its document at a time. Naming moves no head and needs no
// lease; a version that has the name already keeps it as it is.
//
// Refusals: UnknownDocument, UnknownRevision, InvalidName, NameTaken (Detail
// tells the generation that has it).
func (s *Service) Name(ctx context.Context, q NameRequest) (named store.VersionName, err error) {
	const op = "document.Name"
	if err := CheckVersionName(q.Name); err != nil {
		return named, err
	}
	err = s.st.Write(ctx, func(tx *store.Tx) error {
		switch has, err := tx.VersionNamed(q.DocumentID, q.Name); {
		case core.CodeOf(err) == core.UnknownRevision:
		case err != nil:
			return err
		case has.Generation == q.Generation:
			named = has
			return nil
		case !q.Move:
			return core.Errorf(core.NameTaken, "generation %d is named “%s” already", has.Generation, q.Name).
				WithHint("choose another name, or move this one with --move").With("generation", has.Generation).In(op)
		}
		named, err = putName(tx, q)
		return err
	})
	return named, err
}

// Unname takes a version's name away. Refusals: UnknownDocument,
// UnknownRevision, NoOp when it has none.
func (s *Service) Unname(ctx context.Context, documentID string, generation int64, actor string) (was store.VersionName, err error) {
	err = s.st.Write(ctx, func(tx *store.Tx) error {
		names, err := tx.VersionNames(documentID, generation, generation+1)
		if err != nil {
			return err
		}
		if len(names) == 1 {
			was = names[0]
		}
		if _, err := tx.RevisionAt(documentID, generation); err != nil || was.Name != "" {
			if err == nil {
				_, err = putName(tx, NameRequest{DocumentID: documentID, Generation: generation, Actor: actor})
			}
			return err
		}
		return core.Errorf(core.NoOp, "generation %d has no name", generation).In("document.Unname")
	})
	return was, err
}

// putName stores a name and says so in the audit, without the name itself.
func putName(tx *store.Tx, q NameRequest) (store.VersionName, error) {
	if _, err := tx.Document(q.DocumentID); err != nil {
		return store.VersionName{}, err
	}
	r, err := tx.RevisionAt(q.DocumentID, q.Generation)
	if err != nil {
		return store.VersionName{}, err
	}
	kind := "named"
	if q.Name == "" {
		kind = "unnamed"
	}
	if err := tx.InsertAudit(store.AuditEvent{
		Kind: kind, DocumentID: q.DocumentID, Actor: q.Actor, Generation: r.Generation, SHAAfter: r.SHA256,
	}); err != nil {
		return store.VersionName{}, err
	}
	return tx.InsertVersionName(store.VersionName{DocumentID: q.DocumentID, Generation: q.Generation, Name: q.Name, Actor: q.Actor})
}

// Names lists the names that versions of a document have now, the newest
// version first.
func (s *Service) Names(ctx context.Context, documentID string) (out []store.VersionName, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		if _, err := tx.Document(documentID); err != nil {
			return err
		}
		out, err = tx.VersionNames(documentID, 0, 0)
		return err
	})
	return out, err
}

// Version gives the revision that a person means: by its generation, its name
// or its id; "" means the head. Refusals: UnknownDocument, UnknownRevision.
func (s *Service) Version(ctx context.Context, documentID, ref string) (r core.Revision, err error) {
	const op = "document.Version"
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		d, err := tx.Document(documentID)
		if err != nil {
			return err
		}
		switch {
		case ref == "":
			r, err = tx.RevisionAt(documentID, d.Generation)
			return err
		case core.HasPrefix(ref, "rev"):
			if r, err = tx.Revision(ref); err == nil && r.DocumentID != documentID {
				r, err = core.Revision{}, core.Errorf(core.UnknownRevision, "the revision %s belongs to another document", ref).In(op)
			}
			return err
		case number(ref):
			n, err := strconv.ParseInt(ref, 10, 64)
			if err != nil || n < 1 || n > d.Generation {
				return core.Errorf(core.UnknownRevision, "the document has no generation %s", ref).
					WithHint("it has 1 to %d; `proofmark history FILE` lists them", d.Generation).In(op)
			}
			r, err = tx.RevisionAt(documentID, n)
			return err
		}
		named, err := tx.VersionNamed(documentID, ref)
		if core.CodeOf(err) == core.UnknownRevision {
			return core.AsError(err).WithHint("`proofmark history FILE` lists generations, which count from 1, and names").In(op)
		}
		if err != nil {
			return err
		}
		r, err = tx.RevisionAt(documentID, named.Generation)
		return err
	})
	return r, err
}

// CheckVersionName refuses what cannot be the name of a version with
// InvalidName: the empty text, one of more than core.MaxVersionNameRunes, what
// stands for a version or change in another way, and whatever does not show as
// written: controls, line ends, marks that turn the direction of writing.
func CheckVersionName(name string) error {
	why := ""
	switch {
	case name == "":
		why = "is empty"
	case !utf8.ValidString(name):
		why = "is not UTF-8"
	case utf8.RuneCountInString(name) > core.MaxVersionNameRunes:
		why = "has more than " + strconv.Itoa(core.MaxVersionNameRunes) + " characters"
	case strings.ContainsFunc(name, unseen) || strings.Trim(name, "\u200c\u200d") == "":
		why = "has characters that do not show"
	case strings.TrimSpace(name) != name:
		why = "begins or ends with a blank"
	case strings.TrimFunc(name, unicode.IsDigit) == "":
		why = "is a number, as generations are"
	case core.HasPrefix(name, "rev") || core.HasPrefix(name, "chg"):
		why = "looks like the id of a version or a change"
	case name[0] == '-':
		why = "begins with a dash, as flags do"
	default:
		return nil
	}
	return core.Errorf(core.InvalidName, "the name %s", why).
		WithHint("a name is a line of up to %d characters, such as \"before the launch\"", core.MaxVersionNameRunes).In("document.Name")
}

func number(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// unseen tells whether a rune has no shape of its own. The two joiners have
// none, and shape the letters and pictures around them.
func unseen(r rune) bool { return !unicode.IsPrint(r) && r != '\u200c' && r != '\u200d' }
