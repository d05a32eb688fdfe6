package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"proofmark/gateway/bundle"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/internal/faultpoint"
)

var importCommand = &command{
	name: "import", args: "REVIEW --as FILE | REVIEW --check", summary: "check a review from somebody else, and take its open notes in",
	long: `Reads a review that ` + "`proofmark export --bundle`" + ` wrote, the HTML page or its JSON, and trusts
nothing in it: every version is made again from the edits, every hash computed, every note's
place proved anew. Anything that does not hold is refused, or said.

  proofmark import review.html --check
  proofmark import review.html --as page.html

With --as the open notes become drafts on FILE, to be looked at and sent by you. Nothing is sent,
nothing counts as approved, and what the review says was done is only history. Where FILE
does not exist, it is made with the review's newest version. Where it exists it is not
touched; if it is another version than the review's, the places are looked for in it, and what is
not found for certain goes out as context. Importing once more adds nothing twice.

Flags:
  --as FILE       the page whose drafts the notes become; names in the review are never used
  --check         verify and show what the review holds; store nothing
  --session NAME  whose drafts they become (default cli)`,
	run: runImport,
}

func runImport(ctx context.Context, a *app, args []string) error {
	fs := a.flags("import")
	as := fs.String("as", "", "")
	check := fs.Bool("check", false, "")
	session := fs.String("session", draftSession, "")
	pos, err := a.parse(fs, args, 1, 2)
	if err != nil {
		return err
	}
	switch {
	case len(pos) == 2:
		return core.Errorf(core.Usage, "import takes one review; the page is named with --as").
			WithHint("proofmark import %s --as %s", fileArgument(pos[0]), fileArgument(pos[1]))
	case *check && *as != "":
		return core.Errorf(core.Usage, "--check stores nothing, so it does not go with --as")
	case *session == "":
		return core.Errorf(core.Usage, "--session is empty")
	case pos[0] == "-":
		return core.Errorf(core.Usage, "import reads a review from a file, not from standard input")
	case same(pos[0], *as):
		return core.Errorf(core.Usage, "%s is the review itself, not a page of yours", *as).WithHint("name the page with --as; it is made where it is not there")
	}
	r, err := a.readReview(ctx, pos[0])
	if err != nil {
		return err
	}
	if *check {
		return a.showReview(pos[0], r)
	}
	if *as == "" {
		return core.Errorf(core.Usage, "import needs --as FILE, or --check to look only").
			WithHint("the review calls its page %s; for example: proofmark import %s --as %s", bundle.Visible(r.Document.Name),
				fileArgument(pos[0]), fileArgument(bundle.Visible(r.Document.Name)))
	}
	return a.takeReview(ctx, pos[0], *as, *session, r)
}

// largeReview is from how many bytes on checking a review may take seconds.
const largeReview = 4 << 20

// readReview reads and checks a review file. Nothing but a regular file is read,
// and no more of it than a review may have.
func (a *app) readReview(ctx context.Context, path string) (*bundle.Review, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, readError(path, err)
	case info.IsDir():
		return nil, core.Errorf(core.IsDirectory, "%s is a directory", path).WithHint("name the review file in it")
	case !info.Mode().IsRegular():
		return nil, core.Errorf(core.NotRegular, "%s is not a regular file", path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // should a pipe take its place, opening does not wait
	if err != nil {
		return nil, readError(path, err)
	}
	defer f.Close()
	if info.Size() >= largeReview {
		a.progress("checking %s (%s bytes): each version is made again", path, thousands(int(info.Size())))
	}
	b, err := io.ReadAll(io.LimitReader(f, core.MaxBundleBytes+1))
	if err != nil {
		return nil, readError(path, err)
	}
	return bundle.Read(ctx, b)
}

// takeReview makes the review's open notes drafts on a file.
func (a *app) takeReview(ctx context.Context, path, as, session string, r *bundle.Review) error {
	if err := a.allow(ctx, core.FeatureAnnotations); err != nil { // before a page is made
		return err
	}
	created, err := a.makePage(ctx, as, r)
	if err != nil {
		return err
	}
	opened, err := a.docs.Open(ctx, as)
	if err != nil {
		return err
	}
	if opened.OutsideImported {
		a.progress("%s had been changed outside; that is now generation %d.", as, opened.Head.Generation)
	}
	taken, err := bundle.Taker{Store: a.st, Documents: a.docs, Notes: a.drafts()}.Take(ctx, r, opened.Document.ID, session)
	if err != nil {
		return err
	}
	return a.showTaken(path, as, session, r, opened, created, taken)
}

// makePage writes the review's newest version to a file that is not there.
func (a *app) makePage(ctx context.Context, path string, r *bundle.Review) (created bool, err error) {
	document.SweepTemp(filepath.Dir(path)) // of an import that was killed, also when it had made the page
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return false, nil // opening it says what is wrong, if anything is
	}
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".html" && ext != ".htm" {
		return false, core.Errorf(core.NotHTML, "%s is not an HTML file by its name", path).WithHint("name a .html file with --as")
	}
	if doc, err := a.docs.Lookup(ctx, path); err == nil {
		return false, core.Errorf(core.AlreadyExists, "%s is gone, but its versions are kept here", path).
			WithHint("bring it back first: proofmark export %s --out %[1]s; or choose another name with --as", fileArgument(path)).With("document", doc.ID)
	}
	if err := r.Takeable(); err != nil { // before anything is made
		return false, err
	}
	if err := createNew(path, r.Text(r.Newest().Generation)); err != nil {
		return false, err
	}
	return true, nil
}

// createNew writes a file that must not be there: whole, or not at all.
func createNew(path string, b []byte) error {
	dir := filepath.Dir(path)
	temp := filepath.Join(dir, document.TempName())
	if err := faultpoint.Write("import: make the temporary file"); err != nil {
		return asError(path, err)
	}
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666) // less the umask
	if err != nil {
		return asError(path, err)
	}
	defer os.Remove(temp)
	err = faultpoint.All("import: write the temporary file", f, b)
	if err == nil {
		err = faultpoint.Do("import: bring it to disk", f.Sync)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = faultpoint.Do("import: give the file its name", func() error {
			return os.Link(temp, path) // takes no name that is there, and follows no link
		})
		faultpoint.Reach("import: the page is there, its notes are not")
	}
	if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrPermission) {
		if _, serr := os.Lstat(temp); serr == nil {
			return asError(path, placeWithoutLinks(path, b, err))
		}
	}
	return asError(path, err)
}

// placeWithoutLinks is for file systems that have no hard links.
func placeWithoutLinks(path string, b []byte, cause error) error {
	var link *os.LinkError
	if !errors.As(cause, &link) {
		return cause
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(path) // this call made it
	}
	return err
}

func asError(path string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return core.Wrap(core.AlreadyExists, err, "%s was made by another program just now; it is as that left it", path).
			WithHint("do it again: the notes are then matched to what is there")
	}
	if err = outError(path, err); err == nil {
		return nil
	}
	return core.AsError(err).WithHint("choose another place with --as")
}
