package document

import (
	"io/fs"
	"os"
	"path/filepath"
)

// maxLinks bounds a chain of symbolic links, as the system does.
const maxLinks = 40

// spots lists the places where something may happen that changes what a path
// leads to: the name itself, each link behind it and the file at the end, each
// in its real folder. What is not there any more ends the list.
func spots(path string) []string {
	var out []string
	for range maxLinks {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			break
		}
		spot := filepath.Join(dir, filepath.Base(path))
		out = append(out, spot)
		to, err := os.Readlink(spot)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return out
}

// stamp tells cheaply whether a file may have changed.
type stamp struct {
	leads string // where the path leads, "" when nowhere
	info  fs.FileInfo
}

func stampOf(path string) stamp {
	leads, err := filepath.EvalSymlinks(path)
	if err != nil {
		return stamp{}
	}
	info, err := os.Lstat(leads)
	if err != nil {
		return stamp{}
	}
	return stamp{leads, info}
}

func (a stamp) same(b stamp) bool {
	if a.leads != b.leads || (a.info == nil) != (b.info == nil) {
		return false
	}
	return a.info == nil || os.SameFile(a.info, b.info) && a.info.Size() == b.info.Size() &&
		a.info.ModTime().Equal(b.info.ModTime()) && a.info.Mode() == b.info.Mode()
}

// newName finds a file that is gone from its place under another name in the
// same folder; "" when it is not there. A new file may have got the number of one
// that was removed: its size and time are others.
func (a stamp) newName() string {
	if a.info == nil {
		return ""
	}
	dir := filepath.Dir(a.leads)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && (stamp{a.leads, info}).same(a) {
			return filepath.Join(dir, e.Name())
		}
	}
	return ""
}
