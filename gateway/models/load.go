package models

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"proofmark/gateway/core"
)

// FileName is the configuration file's name in the data directory.
const FileName = "models.json"

// EnvFile names the environment variable that names another file.
const EnvFile = "PROOFMARK_MODELS"

// maxFileBytes bounds the configuration file.
const maxFileBytes = 256 << 10

// Load reads the configuration file of a data directory, or the one the
// environment names. No file is an empty configuration, unless it was named.
//
// The file says which host a key is sent to. So nobody but its owner may be
// able to write it, and an error in it is an error of the whole: it is never
// read in part.
func Load(dir string, getenv func(string) string) (Catalog, error) {
	named := getenv(EnvFile)
	c := Catalog{getenv: getenv, path: or(named, filepath.Join(dir, FileName)), patience: checkTimeout}
	b, err := read(c.path)
	if errors.Is(err, fs.ErrNotExist) && named == "" {
		return c, nil
	}
	if err != nil {
		return Catalog{}, cannotRead(c.path, err)
	}
	c.found = true
	c.entries, err = parseFile(c.path, b, getenv)
	if err != nil {
		return Catalog{}, err
	}
	return c, nil
}

// read gives the file's bytes, once it is seen that its owner alone writes it.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat() // of the open file: no other can come in between
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, core.Errorf(core.NotRegular, "%s is not a file", path)
	}
	if err := ownersAlone(path, info); err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxFileBytes {
		return nil, core.Errorf(core.TooLarge, "%s is larger than %d KiB", path, maxFileBytes>>10)
	}
	return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), nil // as editors on Windows write it
}

func cannotRead(path string, err error) error {
	var known *core.Error
	switch {
	case errors.As(err, &known):
		return known.In("models.Load")
	case errors.Is(err, fs.ErrNotExist):
		return core.Errorf(core.NotFound, "there is no file %s", path).
			WithHint("%s names it; unset it to use %s in the data directory", EnvFile, FileName).In("models.Load")
	case errors.Is(err, fs.ErrPermission):
		return core.Errorf(core.PermissionDenied, "%s cannot be read", path).
			WithHint("make it readable for yourself: chmod 600 %s", path).In("models.Load")
	}
	return core.Wrap(core.PermissionDenied, err, "%s cannot be read", path).In("models.Load")
}
