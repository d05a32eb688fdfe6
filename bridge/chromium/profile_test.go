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

// TestTempEnv: the browser's temporary files lie in its profile, unless the
// path of a socket would be too long there.
func TestTempEnv(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: no sockets there")
	}
	long := "/" + strings.Repeat("x", 100)
	for _, c := range []struct{ temp, profile, want string }{
		{"/tmp", "/tmp/proofmark-browser-4294967295/profile-abcdefghijkl", "TMPDIR=/tmp/proofmark-browser-4294967295/profile-abcdefghijkl"},
		{"/var/short", long, ""},
		{long, long + "/profile", "TMPDIR=/tmp"},
	} {
		t.Setenv("TMPDIR", c.temp)
		if got := strings.Join(tempEnv(c.profile), " "); got != c.want {
			t.Errorf("%s in %s: %q", c.profile, c.temp, got)
		}
	}
	t.Setenv("TMPDIR", "relative")
	if root := profileRoot(); !strings.HasPrefix(root, "/tmp/") {
		t.Errorf("profiles go to %s", root)
	}
}
