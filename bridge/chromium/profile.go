package chromium

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"proofmark/gateway/core"
)

const (
	profilePrefix = "profile-"
	lockSuffix    = ".lock"
	tempPrefix    = "pm-" // of a temporary directory outside of the profile
)

// profile is a directory of one browser run. Its lock file is held for as long
// as this process lives, whatever ends it, so the next start can tell a
// profile in use from one that a killed process left behind.
//
// The browser's temporary files lie in its profile too, for a browser that is
// killed removes nothing. Where the path of its socket would be too long there,
// they lie in a directory of their own, which the lock file names.
type profile struct {
	dir  string
	temp string // dir, or the directory of its own
	lock *os.File
}

// profileRoot is where profiles of this user lie. A temporary directory that is
// named relative to wherever we are is no such place.
func profileRoot() string {
	temp := os.TempDir()
	if !filepath.IsAbs(temp) && runtime.GOOS != "windows" {
		temp = "/tmp"
	}
	return filepath.Join(temp, fmt.Sprintf("proofmark-browser-%d", max(os.Getuid(), 0)))
}

// newProfile makes a fresh profile below root and sweeps away those whose
// owner is gone.
func newProfile(root string) (*profile, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	if err := checkPrivate(root); err != nil {
		return nil, err
	}
	sweep(root)
	// Short: the path of a socket below it has little room.
	name := profilePrefix + strings.TrimPrefix(core.NewID("p"), "p_")[:12]
	lock, err := os.OpenFile(filepath.Join(root, name+lockSuffix), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if !tryLock(lock) {
		lock.Close()
		return nil, fmt.Errorf("a fresh lock file is held by another process: %s", lock.Name())
	}
	p := &profile{dir: filepath.Join(root, name), lock: lock}
	if err := os.Mkdir(p.dir, 0o700); err != nil {
		p.remove()
		return nil, err
	}
	if err := p.makeTemp(name); err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

// makeTemp makes the directory of the browser's temporary files. Its name is in
// the lock file before it is there.
func (p *profile) makeTemp(name string) error {
	p.temp = p.dir
	if runtime.GOOS == "windows" || len(p.dir) <= maxTempDir { // there is no such socket on Windows
		return nil
	}
	temp := filepath.Join(os.TempDir(), tempPrefix+strings.TrimPrefix(name, profilePrefix))
	if len(temp) > maxTempDir || !filepath.IsAbs(temp) {
		temp = filepath.Join("/tmp", filepath.Base(temp))
	}
	if _, err := p.lock.WriteString(temp); err != nil {
		return err
	}
	p.temp = temp
	return os.Mkdir(temp, 0o700)
}

// removeTemp removes the temporary directory that a lock file names, if it is
// one of ours.
func removeTemp(lock *os.File) {
	b := make([]byte, 2*maxTempDir)
	n, _ := lock.ReadAt(b, 0)
	dir := string(b[:n])
	info, err := os.Lstat(dir)
	if err == nil && filepath.IsAbs(dir) && strings.HasPrefix(filepath.Base(dir), tempPrefix) && info.IsDir() && ownedByUs(info) {
		removeTree(dir)
	}
}

// checkPrivate refuses a root that is a link or that other users can write:
// the temporary directory belongs to everybody.
func checkPrivate(root string) error {
	info, err := os.Lstat(root)
	if err != nil {
		return err
	}
	if !info.IsDir() || !ownedByUs(info) {
		return fmt.Errorf("%s is not a directory of this user", root)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(root, 0o700)
	}
	return nil
}

// sweep removes every profile below root whose lock nobody holds. What cannot
// be removed is left for the next start.
func sweep(root string) {
	locks, err := filepath.Glob(filepath.Join(root, profilePrefix+"*"+lockSuffix))
	if err != nil {
		return
	}
	for _, path := range locks {
		lock, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if tryLock(lock) {
			removeTree(strings.TrimSuffix(path, lockSuffix))
			removeTemp(lock)
			removeLocked(lock)
			continue
		}
		lock.Close()
	}
	// The lock is made first and goes last, so what has none is a rest.
	dirs, err := filepath.Glob(filepath.Join(root, profilePrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		if strings.HasSuffix(dir, lockSuffix) {
			continue
		}
		if _, err := os.Lstat(dir + lockSuffix); os.IsNotExist(err) {
			os.RemoveAll(dir)
		}
	}
}

// remove deletes the profile; the lock goes last.
func (p *profile) remove() {
	removeTree(p.dir)
	removeTemp(p.lock)
	removeLocked(p.lock)
}

// removeTree removes dir. A helper process that is just dying may still write
// there, so it tries for half a second.
func removeTree(dir string) {
	for range 100 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
