package discover

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/internal/filelock"
	"proofmark/internal/strictjson"
)

// Names in the data directory.
const (
	FileName = "gateway.json"
	lockName = "gateway.lock"

	tempPattern = ".gateway-*.tmp"
)

const (
	format       = 1
	maxFileBytes = 4 << 10
)

// Place says where a gateway is, and holds the key to it. It is never printed.
type Place struct {
	PID     int
	Port    int    // on 127.0.0.1
	Launch  string // of the process; another one behind the same port is not trusted
	Key     token.Key
	Started time.Time
}

// String names the place, without its key.
func (p Place) String() string { return fmt.Sprintf("%s on port %d", p.Launch, p.Port) }

// onDisk is the runtime file.
type onDisk struct {
	Format  int       `json:"format"`
	PID     int       `json:"pid"`
	Port    int       `json:"port"`
	Launch  string    `json:"launch"`
	Key     string    `json:"key"`
	Started time.Time `json:"started"`
}

// Publish says in the data directory where this gateway is, for its owner alone,
// until withdraw is called. There is one gateway a data directory: while another
// lives, Publish refuses with AlreadyExists. What a killed one left is replaced.
func Publish(dir string, p Place) (withdraw func() error, err error) {
	const op = "discover.Publish"
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE|openFlags, 0o600)
	if err != nil {
		return nil, diskError(err).In(op)
	}
	if err := filelock.Try(lock); err != nil {
		_ = lock.Close()
		if errors.Is(err, filelock.ErrLocked) {
			return nil, core.Errorf(core.AlreadyExists, "a gateway is running already on this data directory").
				WithHint("Use that one, end it, or name another directory with --data-dir.").In(op)
		}
		return nil, diskError(err).In(op)
	}
	sweep(dir)
	path := filepath.Join(dir, FileName)
	b, err := json.Marshal(onDisk{Format: format, PID: p.PID, Port: p.Port, Launch: p.Launch, Key: p.Key.Reveal(), Started: p.Started.UTC()})
	if err == nil {
		err = replace(path, b)
	}
	if err != nil {
		_ = lock.Close()
		return nil, diskError(err).In(op)
	}
	return func() error {
		err := os.Remove(path) // while the lock is held: it is ours
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return errors.Join(err, lock.Close())
	}, nil
}

// sweep removes what a gateway left that was killed while it wrote its file.
func sweep(dir string) {
	list, _ := os.ReadDir(dir) // it is tidying, no more
	for _, e := range list {
		if ours, _ := filepath.Match(tempPattern, e.Name()); ours {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// replace writes a file for its owner alone, in one step.
func replace(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), tempPattern) // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Find reads where the gateway of a data directory says it is; whether it is
// there, Dial finds out. Refusals: NoGateway; PermissionDenied where somebody
// else could have written or read the file.
func Find(dir string) (Place, error) {
	const op = "discover.Find"
	path := filepath.Join(dir, FileName)
	before, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Place{}, core.Errorf(core.NoGateway, "no gateway is running").WithHint("Start one: proofmark serve").In(op)
	}
	if err != nil {
		return Place{}, diskError(err).In(op)
	}
	if !before.Mode().IsRegular() {
		return Place{}, notOurs(path, "it is not a plain file").In(op)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return Place{}, diskError(err).In(op)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Place{}, diskError(err).In(op)
	}
	if !os.SameFile(before, info) {
		return Place{}, notOurs(path, "it was replaced meanwhile").In(op)
	}
	if why := exposed(info); why != "" {
		return Place{}, notOurs(path, why).In(op)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return Place{}, diskError(err).In(op)
	}
	return parse(b)
}

func parse(b []byte) (Place, error) {
	var d onDisk
	err := strictjson.Unmarshal(b[:min(len(b), maxFileBytes)], &d)
	key, ok := token.ParseKey(d.Key)
	if err != nil || len(b) > maxFileBytes || d.Format != format || !ok || d.PID < 1 || d.Port < 1 || d.Port > 65_535 || !core.HasPrefix(d.Launch, "run") {
		return Place{}, core.Errorf(core.NoGateway, "what says where the gateway is cannot be read").
			WithHint("End the gateway and start it again: proofmark serve").In("discover.Find")
	}
	return Place{PID: d.PID, Port: d.Port, Launch: d.Launch, Key: key, Started: d.Started}, nil
}

func notOurs(path, why string) *core.Error {
	return core.Errorf(core.PermissionDenied, "%s is not to be trusted: %s", path, why).
		WithHint("Remove it, make its folder yours alone, and start the gateway again.")
}

func diskError(err error) *core.Error {
	code := core.Internal
	switch {
	case errors.Is(err, fs.ErrPermission):
		code = core.PermissionDenied
	case errors.Is(err, syscall.EROFS):
		code = core.ReadOnly
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		code = core.StorageFull
	}
	return core.Wrap(code, err, "the gateway's file in the data directory cannot be used")
}
