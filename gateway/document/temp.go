package document

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"

	"proofmark/gateway/core"
	"proofmark/internal/faultpoint"
)

// Temporary files carry the process that made them in their name, so that what
// a killed process left behind can be told from what is being written now.
const (
	tempPrefix = ".proofmark-"
	tempSuffix = ".tmp"
)

// sweep removes the temporary files of processes that are gone. It is best
// effort: what cannot be removed does no harm.
func (w target) sweep(self processToken) {
	dir, err := w.root.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	for {
		names, err := dir.Readdirnames(256)
		for _, name := range names {
			rest, ok := strings.CutPrefix(name, tempPrefix)
			token, _, ok2 := strings.Cut(rest, "-")
			if ok && ok2 && strings.HasSuffix(name, tempSuffix) && self.dead(token) {
				_ = w.root.Remove(name)
			}
		}
		if err != nil {
			return
		}
	}
}

// TempName gives a fresh name for a temporary file, by which it is known and
// removed when this process was killed before it could do so itself.
func TempName() string { return tempPrefix + ownToken().String() + core.NewID("-") + tempSuffix }

// SweepTemp removes what killed processes left in a folder under such names.
func SweepTemp(dir string) {
	if root, err := os.OpenRoot(dir); err == nil {
		target{root: root}.sweep(ownToken())
		_ = root.Close()
	}
}

// syncDir brings the directory's entries to disk, so that the rename survives a
// power cut. Where the file system or the platform cannot do that, nothing is
// lost: the file's bytes are on disk already.
func (w target) syncDir() error {
	dir, err := w.root.Open(".")
	if err != nil {
		return w.unconfirmed(err)
	}
	defer dir.Close()
	if err := faultpoint.Do("bring the folder to disk", dir.Sync); err != nil && !cannotSync(err) {
		return w.unconfirmed(err)
	}
	return nil
}

// unconfirmed says that the file was replaced and may not stay so.
func (w target) unconfirmed(err error) error {
	const op = "document.WriteBack"
	return core.Wrap(core.CodeOf(fileError(op, w.path, err)), err, "%s holds the new version, but its disk did not confirm it", w.path).
		WithHint("Every version that was stored is safe. Free some space or check that disk, and open the file again.").In(op)
}

func cannotSync(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) || runtime.GOOS == "windows"
}
