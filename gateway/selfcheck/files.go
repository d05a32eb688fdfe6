package selfcheck

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/discover"
)

// secretNames are files in the data directory that nobody else may read.
var secretNames = []string{"proofmark.db", "proofmark.db-wal", "proofmark.db-shm", "gateway.json", "gateway.lock"}

// writableNames are those that others may read but not write.
var writableNames = []string{"config.json", "models.json"}

// files looks at the person's data directory.
func files(dir string) []Check {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []Check{{Name: "files", Status: OK, Detail: "there is no data directory yet"}, {Name: "runtime file", Status: OK, Detail: "no gateway is running"}}
	}
	if err != nil {
		return failed(err, "files", "runtime file")
	}
	return []Check{fileModes(dir, info), runtimeFile(dir)}
}

func fileModes(dir string, info fs.FileInfo) Check {
	if !hasModes {
		return Check{Name: "files", Status: Skipped, Detail: "the folder's rights are the account's own folder's"}
	}
	var wrong []string
	looked := 0
	look := func(path string, others fs.FileMode) {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		looked++
		switch {
		case err != nil:
			wrong = append(wrong, path+" cannot be looked at")
		case info.Mode()&fs.ModeSymlink != 0 && others == 0o077:
			wrong = append(wrong, path+" is a link")
		case info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&others != 0:
			wrong = append(wrong, path+" has the mode "+info.Mode().Perm().String())
		case !ours(info):
			wrong = append(wrong, path+" belongs to another account")
		}
	}
	for _, n := range secretNames {
		look(filepath.Join(dir, n), 0o077)
	}
	for _, n := range writableNames {
		look(filepath.Join(dir, n), 0o022)
	}
	_ = filepath.WalkDir(filepath.Join(dir, "logs"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			look(path, 0o077)
		}
		return nil
	})
	c := result("files", wrong, "Make them yours alone: chmod -R go-rwx "+dir, "%d files and folders in %s are this account's alone", looked, dir)
	switch {
	case c.Status == Fail:
	case info.Mode().Perm()&0o022 != 0:
		c = Check{Name: "files", Status: Fail, Detail: dir + " can be written by others", Hint: "chmod 700 " + dir}
	case info.Mode().Perm()&0o055 != 0:
		c = Check{Name: "files", Status: Warn, Detail: dir + " can be listed by others; what is in it cannot be read", Hint: "chmod 700 " + dir}
	}
	return c
}

// runtimeFile looks whether the file that leads to a running gateway is trusted.
func runtimeFile(dir string) Check {
	_, err := discover.Find(dir)
	switch core.CodeOf(err) {
	case "":
		return Check{Name: "runtime file", Status: OK, Detail: "a gateway said where it is, to this account alone"}
	case core.NoGateway:
		if strings.Contains(core.AsError(err).Message, "no gateway") {
			return Check{Name: "runtime file", Status: OK, Detail: "no gateway is running"}
		}
	}
	e := core.AsError(err)
	return Check{Name: "runtime file", Status: Fail, Detail: e.Message, Hint: e.Hint}
}
