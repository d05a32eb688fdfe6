// Package preferences keeps what a person has chosen in the workbench: language,
// theme, keys. It is one JSON object in a file of the data directory. What stands
// in it is the workbench's business; nothing here grants anything by it, and a
// file that cannot be read counts as none.
package preferences

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"proofmark/gateway/core"
	"proofmark/internal/strictjson"
)

const (
	// FileName is the file's name in the data directory.
	FileName = "preferences.json"
	// MaxBytes bounds the object.
	MaxBytes = 16 << 10

	partial = ".preferences.new"
)

// File is the preferences of a data directory. It is safe for concurrent use;
// one process writes at a time, as there is one gateway a data directory.
type File struct {
	dir string
	mu  sync.Mutex // held while it is written
}

// New names the file of a data directory.
func New(dir string) *File { return &File{dir: dir} }

var none = json.RawMessage("{}")

// Read gives the object, {} where there is none or it is damaged.
func (f *File) Read() (json.RawMessage, error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, diskError(err)
	}
	defer root.Close()
	file, err := root.Open(FileName)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return nil, diskError(err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return nil, diskError(err)
	}
	if check(b) != nil {
		return none, nil
	}
	return b, nil
}

// Write keeps an object in place of the one before, in one step. Refusals:
// BadRequest, TooLarge, StorageFull, ReadOnly.
func (f *File) Write(b json.RawMessage) error {
	if err := check(b); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return diskError(err)
	}
	defer root.Close()
	if err = root.WriteFile(partial, b, 0o600); err == nil {
		err = root.Rename(partial, FileName)
	}
	if err != nil {
		_ = root.Remove(partial) // it may not be there
		return diskError(err)
	}
	return nil
}

func check(b []byte) error {
	if len(b) > MaxBytes {
		return core.Errorf(core.TooLarge, "preferences have at most %d bytes", MaxBytes).In("preferences.Write")
	}
	var object map[string]any
	if err := strictjson.Unmarshal(b, &object); err != nil || object == nil {
		return core.Errorf(core.BadRequest, "preferences are one JSON object").In("preferences.Write")
	}
	return nil
}

func diskError(err error) error {
	code := core.Internal
	if errors.Is(err, fs.ErrPermission) {
		code = core.PermissionDenied
	}
	return core.Wrap(code, err, "the preferences could not be kept in the data directory").In("preferences")
}
