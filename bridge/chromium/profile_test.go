package chromium

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestProfile(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	p, err := newProfile(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{root, p.dir} {
		info, err := os.Stat(dir)
		if err != nil || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o700) {
			t.Errorf("%s: %v %v", dir, info.Mode(), err)
		}
	}
	// A second start leaves a profile in use alone.
	q, err := newProfile(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(p.dir); err != nil || p.dir == q.dir {
		t.Errorf("%v", err)
	}
	// One whose owner is gone is swept away.
	if err := os.WriteFile(filepath.Join(p.dir, "Cookies"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.lock.Close()
	r, err := newProfile(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(p.dir); !os.IsNotExist(err) {
		t.Errorf("a left profile is still there: %v", err)
	}
	// And so is a rest without a lock.
	rest := filepath.Join(root, profilePrefix+"rest")
	if err := os.MkdirAll(filepath.Join(rest, "Default"), 0o700); err != nil {
		t.Fatal(err)
	}
	sweep(root)
	q.remove()
	r.remove()
	left, err := os.ReadDir(root)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestProfileRoot: the temporary directory belongs to everybody, so a link or
// a file in our place is refused, and open permissions are closed.
func TestProfileRoot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the temporary directory is the user's own there")
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if _, err := newProfile(link); err == nil {
		t.Error("a link was followed")
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newProfile(file); err == nil {
		t.Error("a file was taken")
	}
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o777); err != nil {
		t.Fatal(err)
	}
	p, err := newProfile(open)
	if err != nil {
		t.Fatal(err)
	}
	defer p.remove()
	if info, _ := os.Stat(open); info.Mode().Perm() != 0o700 {
		t.Errorf("still %v", info.Mode())
	}
}

// TestTemporaryFiles: the browser's temporary files lie in its profile, or in a
// directory of their own where the path of a socket would be too long there;
// neither outlives it, even where its owner was killed.
func TestTemporaryFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: no sockets there")
	}
	short, err := os.MkdirTemp("/tmp", "pmt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 100))
	for _, c := range []struct{ temp, root, in string }{
		{"/anything", filepath.Join(short, "r"), "profile"},
		{short, filepath.Join(long, "a"), short},
		{long, filepath.Join(long, "b"), "/tmp"},
	} {
		t.Setenv("TMPDIR", c.temp)
		for _, killed := range []bool{false, true} {
			p, err := newProfile(c.root)
			if err != nil {
				t.Fatal(err)
			}
			if want := c.in; want == "profile" && p.temp != p.dir || want != "profile" && filepath.Dir(p.temp) != want {
				t.Errorf("temporary files of %s in %s", p.dir, p.temp)
			}
			if info, err := os.Stat(p.temp); err != nil || info.Mode().Perm() != 0o700 || len(p.temp) > maxTempDir {
				t.Errorf("%s: %v", p.temp, err)
			}
			if err := os.WriteFile(filepath.Join(p.temp, "rest"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if killed {
				p.lock.Close()
				sweep(c.root)
			} else {
				p.remove()
			}
			if _, err := os.Stat(p.temp); !os.IsNotExist(err) {
				t.Errorf("killed %t: %s is still there", killed, p.temp)
			}
		}
	}
	t.Setenv("TMPDIR", "relative")
	if root := profileRoot(); !strings.HasPrefix(root, "/tmp/") {
		t.Errorf("profiles go to %s", root)
	}
}

// TestForeignTemporaryFiles: a lock file cannot be made to name somebody else's
// directory.
func TestForeignTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept")
	link := filepath.Join(dir, tempPrefix+"link")
	if err := os.Mkdir(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, link); err != nil {
		t.Skip("SKIPPED: no links here")
	}
	for i, name := range []string{kept, link, "", "/"} {
		f, err := os.Create(filepath.Join(dir, profilePrefix+string(rune('a'+i))+lockSuffix))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(name); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	sweep(dir)
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}
