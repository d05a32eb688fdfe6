package document

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"proofmark/gateway/core"
	"proofmark/internal/faultpoint"
)

// WriteBack makes the document's file hold the head's bytes, and tells whether
// it had to write. The file is replaced in one step, from a temporary file
// beside it that was brought to disk before; its mode and access list are kept,
// and its owner and other attributes where this account may set them. Whatever
// happens, the file is whole: old or new.
//
// The file must still hold the bytes of the revision it was synchronised with,
// looked at right before it is replaced; otherwise WriteBack refuses with
// OutsideChange. Other refusals: NotFound, ReadOnly, PermissionDenied,
// StorageFull, StorageBusy while another process writes the same file. The
// committed revision is safe in each case.
func (s *Service) WriteBack(ctx context.Context, documentID string) (bool, error) {
	unlock, err := s.lockFile(ctx, documentID)
	if err != nil {
		return false, err
	}
	defer unlock()
	d, r, b, err := s.Head(ctx, documentID)
	if err != nil {
		return false, err
	}
	w, err := openTarget(d.Path)
	if err != nil {
		return false, err
	}
	defer w.close()
	w.sweep(s.self)
	if err := s.salvage(ctx, w, d.ID, true); err != nil {
		return false, err
	}
	now, err := w.read()
	if err != nil {
		return false, err
	}
	if now.sha != r.SHA256 {
		if d, err = s.noticeWritten(ctx, d.ID, now.sha); err != nil {
			return false, err
		}
		if now.sha != d.SyncedSHA {
			return false, outsideChange(d, "writing would lose that change").In("document.WriteBack")
		}
		if err := s.replace(w, d, b, now); err != nil {
			return false, err
		}
	}
	s.step("file written")
	_, err = s.synced(ctx, d, r, now.sha)
	return now.sha != r.SHA256, err
}

// replace writes a temporary file and puts it in the target's place.
func (s *Service) replace(w target, d core.Document, b []byte, was source) (err error) {
	const op = "document.WriteBack"
	if err := w.writable(was); err != nil {
		return err
	}
	tmp := TempName()
	if err := faultpoint.Write("make the temporary file"); err != nil {
		return fileError(op, w.path, err)
	}
	f, err := w.root.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrPermission) {
		return core.Wrap(core.PermissionDenied, err, "this account cannot write in the folder of %s; the file is as it was", w.path).
			WithHint("The new version is stored. Make the folder writable and write it again, or export the version to another file.").In(op)
	}
	if err != nil {
		return fileError(op, w.path, err)
	}
	swapped := false
	defer func() {
		if err != nil && !swapped { // once it is, it may hold what is nowhere else
			err = errors.Join(err, ignoreMissing(w.root.Remove(tmp)))
		}
	}()
	if err := w.fill(f, b, was); err != nil {
		return fileError(op, w.path, errors.Join(err, f.Close()))
	}
	if err := f.Close(); err != nil {
		return fileError(op, w.path, err)
	}
	s.step("temporary file written")
	again, err := w.read()
	if err != nil {
		return err
	}
	if again.sha != was.sha {
		return outsideChange(d, "writing would lose that change").In(op)
	}
	s.step("file looked at")
	swap := s.swapName(d.ID)
	if err := faultpoint.Do("name the temporary file for the exchange", func() error { return w.root.Rename(tmp, swap) }); err != nil {
		return fileError(op, w.path, err)
	}
	tmp = swap
	s.step("temporary file named")
	if err := faultpoint.Write("replace the file"); err != nil {
		return fileError(op, w.path, err)
	}
	swapped, err = w.exchange(tmp, w.name)
	if err == nil && !swapped {
		err = w.root.Rename(tmp, w.name)
	}
	if err != nil {
		return fileError(op, w.path, err)
	}
	s.step("file renamed")
	if swapped {
		if err := w.confirm(d, tmp, was.sha, core.SHA256Hex(b)); err != nil {
			return err
		}
	}
	return w.syncDir()
}

// confirm ends an exchange: what the file held is removed when it is what was
// expected. Otherwise another program wrote after our last look, and its bytes
// go back to their place, unless it has written there again meanwhile.
func (w target) confirm(d core.Document, tmp, was, now string) error {
	const op = "document.WriteBack"
	out, err := readIn(w.root, tmp, w.path)
	if err == nil && out.sha == was {
		// The file is written. A version that cannot be removed now is by salvage.
		_ = faultpoint.Do("remove what the file held", func() error { return w.root.Remove(tmp) })
		return nil
	}
	refusal := outsideChange(d, "writing would lose that change").In(op)
	ours, err := w.read()
	if core.CodeOf(err) == core.Internal {
		return refusal // the disk fails: what was taken out stays
	}
	if err == nil && ours.sha == now { // else it holds what is newer still than what was taken out
		if back, err := w.exchange(tmp, w.name); err != nil || !back {
			// Our bytes are in the history; theirs are nowhere else.
			if err := w.root.Rename(tmp, w.name); err != nil {
				return fileError(op, w.path, err)
			}
		}
	}
	if err := ignoreMissing(w.root.Remove(tmp)); err != nil {
		return fileError(op, w.path, err)
	}
	return refusal
}

// fill writes the bytes, gives the file the mode, owner, access list and other
// attributes of the one it will replace, and brings it to disk.
func (w target) fill(f *os.File, b []byte, was source) error {
	if err := faultpoint.All("write the temporary file", f, b); err != nil {
		return err
	}
	// The owner comes first: changing it can clear bits of the mode.
	keepOwner(f, was.info)
	if old, err := w.root.OpenFile(w.name, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil { // else the next look tells
		if err := errors.Join(keepAttrs(f, old), old.Close()); err != nil {
			return err
		}
	}
	if err := f.Chmod(was.info.Mode().Perm() | was.info.Mode()&(os.ModeSetuid|os.ModeSetgid|os.ModeSticky)); err != nil {
		return err
	}
	return faultpoint.Do("bring the temporary file to disk", f.Sync)
}

// target is the file to write, by its name in a directory that is held open:
// swapping the directory's path for another cannot lead the write elsewhere.
type target struct {
	root *os.Root
	name string
	path string
}

// openTarget refuses a path that has become a link to elsewhere since links
// were resolved in it.
func openTarget(path string) (target, error) {
	const op = "document.WriteBack"
	dir := filepath.Dir(path)
	if real, err := filepath.EvalSymlinks(dir); err != nil {
		return target{}, fileError(op, path, err)
	} else if real != dir {
		return target{}, core.Errorf(core.StaleSource, "the folder of %s was replaced by a symbolic link; the file was not written", path).
			WithHint("Open the file again by its new path.").In(op)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return target{}, fileError(op, path, err)
	}
	return target{root: root, name: filepath.Base(path), path: path}, nil
}

func (w target) close() { _ = w.root.Close() }

func (w target) read() (source, error) { return readIn(w.root, w.name, w.path) }

// writable refuses a file that is marked read-only. Renaming over it would work,
// but whoever marked it did not want it changed.
func (w target) writable(was source) error {
	const op = "document.WriteBack"
	if was.info.Mode().Perm()&0o222 != 0 {
		f, err := w.root.OpenFile(w.name, os.O_WRONLY, 0)
		if err == nil {
			_ = f.Close() // nothing was written through it
			return nil
		}
		if !errors.Is(err, os.ErrPermission) {
			return fileError(op, w.path, err)
		}
	}
	return core.Errorf(core.ReadOnly, "%s is read-only; it was not written", w.path).
		WithHint("The new version is stored. Make the file writable and write it again, or export the version to another file.").In(op)
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
