package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

const block = 4096

// mount puts a small disk in a folder's place until the test ends. It needs root;
// TestFailedWrites makes every write fail for everybody.
func (p *place) mount(dir string) {
	p.t.Helper()
	if os.Geteuid() != 0 {
		p.t.Skip("SKIPPED LOUDLY: only root can mount the small disk this test fills")
	}
	p.must(os.MkdirAll(dir, 0o755))
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", dir).CombinedOutput(); err != nil {
		p.t.Skipf("SKIPPED LOUDLY: no small disk can be mounted here: %v %s", err, out)
	}
	p.t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			p.t.Errorf("umount: %v %s", err, out)
		}
	})
}

func (p *place) remount(dir, how string) {
	p.t.Helper()
	if out, err := exec.Command("mount", "-o", "remount,"+how, dir).CombinedOutput(); err != nil {
		p.t.Fatalf("remount: %v %s", err, out)
	}
}

// refill empties the place, whose folders may be disks, and makes it what it was.
func (p *place) refill(s snapshot) {
	p.t.Helper()
	for _, dir := range []string{p.folder(), p.data()} {
		entries, err := os.ReadDir(dir)
		p.must(err)
		for _, e := range entries {
			p.must(os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	for rel, b := range s {
		path := filepath.Join(p.dir, rel)
		p.must(os.MkdirAll(filepath.Dir(path), 0o700))
		p.must(os.WriteFile(path, b, 0o600))
	}
}

// leave fills a disk but for so many blocks, with a file that is removed by the
// function it gives.
func (p *place) leave(dir string, blocks int) (free func()) {
	p.t.Helper()
	ballast := filepath.Join(dir, "ballast")
	var st syscall.Statfs_t
	p.must(syscall.Statfs(dir, &st))
	n := int(st.Bavail)*int(st.Bsize)/block - blocks
	if n > 0 {
		p.must(os.WriteFile(ballast, make([]byte, n*block), 0o600))
	}
	return func() { _ = os.Remove(ballast) } // where there was room for none, there is none
}

// onDisk gives a scenario's start on small disks, which are there until the test ends.
func (p *place) onDisk(s scenario, dir string) (snapshot, []string, facts) {
	p.t.Helper()
	at, args := s.start(p)
	p.put(nil)
	p.must(os.MkdirAll(p.data(), 0o700))
	p.mount(dir)
	p.refill(at)
	return at, args, p.look("before")
}

// Attack 34: the disk of the versions, or that of the page, has room for so many
// blocks more, from none to enough. What does not fit is refused in words; the
// file and the head are old or new; the history can be read on the full disk.
func TestFullDisk(t *testing.T) {
	for _, name := range []string{"restore", "import of an outside change"} {
		s := find(name)
		for _, where := range []string{"data", "pages"} {
			t.Run(name+"/"+where, func(t *testing.T) {
				inPlace(t, func(p *place) {
					dir := filepath.Join(p.dir, where)
					at, args, before := p.onDisk(s, dir)
					for blocks := 0; ; blocks += either(1, 9) {
						label := fmt.Sprintf("%d blocks left", blocks)
						p.refill(at)
						free := p.leave(dir, blocks)
						r := p.run("", args...)
						fails.Add(1)
						p.speaks(label, r, s)
						if r := p.run("", "history", "page.html", "--json"); r.code != 0 {
							p.t.Errorf("%s: the history cannot be read: %s", label, r)
						}
						free()
						now := p.held(label, before, s.more)
						p.truth(label, r, before, now)
						s.complete(p, label, before, args)
						if r.code == 0 {
							return
						}
						if blocks > 500 {
							p.t.Fatalf("%s, and it still does not fit: %s", label, r)
						}
					}
				})
			})
		}
	}
}

// Attack 34: the disk of the versions, or that of the page, is read-only.
func TestReadOnlyDisk(t *testing.T) {
	s := find("restore")
	for _, where := range []string{"data", "pages"} {
		t.Run(where, func(t *testing.T) {
			inPlace(t, func(p *place) {
				dir := filepath.Join(p.dir, where)
				_, args, before := p.onDisk(s, dir)
				p.remount(dir, "ro")
				r := p.run("", args...)
				fails.Add(1)
				if r.code == 0 {
					p.t.Errorf("it wrote on a read-only disk: %s", r)
				}
				p.speaks("read-only "+where, r, s)
				history := p.run("", "history", "page.html", "--json")
				old := p.run("", "export", "page.html", "--generation", "1", "--out", "-")
				p.remount(dir, "rw")
				if history.code != 0 || old.code != 0 || old.out != first {
					p.t.Errorf("what is there cannot be read: %s%s", history, old)
				}
				p.truth("read-only "+where, r, before, p.held("read-only "+where, before, s.more))
				s.complete(p, "read-only "+where, before, args)
			})
		})
	}
}

// Attack 34: folders that this account may not write in. Root may write
// everywhere, so another account runs the binary.
func TestForbiddenFolders(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED LOUDLY: only root can hand the folders to another account")
	}
	const nobody = 65534
	s := find("restore")
	for _, where := range []string{"data", "pages"} {
		t.Run(where, func(t *testing.T) {
			inPlace(t, func(p *place) {
				_, args := s.start(p)
				before := p.look("before")
				other := func(args ...string) result {
					ctx, cancel := context.WithTimeout(context.Background(), patience)
					defer cancel()
					cmd := p.command(ctx, "", args...)
					cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
					return p.finish(ctx, cmd, "another account")
				}
				p.must(os.Chmod(filepath.Dir(p.dir), 0o755))
				p.must(exec.Command("chown", "-R", "65534:65534", p.dir).Run())
				p.must(os.Chmod(filepath.Join(p.dir, where), 0o555))
				r := other(args...)
				fails.Add(1)
				p.speaks("forbidden "+where, r, s)
				var o outcome
				if err := json.Unmarshal([]byte(r.out), &o); err != nil || o.Written {
					p.t.Errorf("it wrote: %v %s", err, r)
				}
				p.must(os.Chmod(filepath.Join(p.dir, where), 0o755))
				p.truth("forbidden "+where, r, before, p.held("forbidden "+where, before, s.more))
				s.complete(p, "forbidden "+where, before, args)
			})
		})
	}
}
