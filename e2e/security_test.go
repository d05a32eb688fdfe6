package e2e

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

type securityReport struct {
	OK     bool
	Checks []struct{ Name, Status, Detail, Hint string }
}

func (r securityReport) status(name string) string {
	for _, c := range r.Checks {
		if c.Name == name {
			return c.Status
		}
	}
	return "not there"
}

// TestDoctorSecurity: every check holds on this machine, and none was left out
// because nothing was looked at (R-SEC-8). It changes nothing in the data
// directory.
func TestDoctorSecurity(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", small)
	d.source(0, strings.Replace(small, "One", "Two", 1))
	before := tree(t, d.data)
	r := decode[securityReport](t, d.want(0, "doctor", "--security", "--json").stdout)
	if !r.OK || len(r.Checks) != 16 {
		t.Errorf("%+v", r)
	}
	for _, c := range r.Checks {
		switch c.Status {
		case "ok":
		case "skipped":
			if runtime.GOOS == "linux" {
				t.Errorf("%+v", c)
			}
		case "warn":
			if os.Geteuid() != 0 || c.Name != "account" && c.Name != "browser" {
				t.Errorf("%+v", c)
			}
		default:
			t.Errorf("%+v", c)
		}
	}
	if after := tree(t, d.data); !slices.Equal(before, after) {
		t.Errorf("the data directory was changed: %v, before %v", after, before)
	}
	out := d.want(0, "doctor", "--security").stdout
	if !strings.Contains(out, "ok       token ") || !strings.Contains(out, " 0 failed") {
		t.Error(out)
	}
}

// tree lists the files of a directory with their sizes.
func tree(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestDoctorSecurityFails: what does not hold is named, and the exit code says
// so. Without a browser the rest is looked at all the same.
func TestDoctorSecurityFails(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("SKIPPED: files have no mode here")
	}
	d := newDesk(t)
	d.env = []string{"PROOFMARK_CHROMIUM=" + filepath.Join(d.dir, "no-browser")}
	d.write("page.html", small)
	d.source(0, strings.Replace(small, "One", "Two", 1))
	d.env = append(d.env, "PROOFMARK_FEATURES="+benchOff) // what is off is looked at, too
	if err := os.Chmod(filepath.Join(d.data, "proofmark.db"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/nowhere", filepath.Join(d.data, "gateway.json")); err != nil {
		t.Fatal(err)
	}
	r := decode[securityReport](t, d.want(1, "doctor", "--security", "--json").stdout)
	if r.OK || r.status("files") != "fail" || r.status("runtime file") != "fail" || r.status("token") != "ok" || r.status("bodies") != "ok" || r.status("browser") != "skipped" {
		t.Errorf("%+v", r)
	}
	d.fails(2, "usage", "doctor", "--security", "--deep")
}
