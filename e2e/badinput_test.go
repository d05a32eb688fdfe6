package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const small = "<!doctype html><title>t</title><body><h1>One</h1><p>a</p><p>b</p>"

// TestBadInput: each bad input is a clear error with a stable exit code, and
// nothing is changed. These need no browser.
func TestBadInput(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", small)
	d.write("page.txt", small)
	d.write("latin1.html", "<p>caf\xe9</p>")
	d.write("utf16.html", "\xff\xfe<\x00p\x00>\x00")
	d.write("nul.html", "<p>a\x00b</p>")
	d.write("big.html", "<p>"+strings.Repeat("x", 8<<20)+"</p>")
	d.write("secret.html", small)
	if err := os.Mkdir(d.path("dir.html"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(d.path("pipe.html"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", d.path("device.html")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere.html", d.path("broken.html")); err != nil {
		t.Fatal(err)
	}
	say := []string{"--at", "h1", "--say", "make it red"}
	for _, c := range []struct {
		name string
		args []string
		code int
		want string // error code
		text string // in the message or the detail
	}{
		{"no such file", append([]string{"edit", "none.html"}, say...), 3, "not_found", "none.html"},
		{"broken link", append([]string{"edit", "broken.html"}, say...), 3, "not_found", "broken.html"},
		{"directory", append([]string{"edit", "dir.html"}, say...), 3, "is_directory", "dir.html"},
		{"pipe", append([]string{"edit", "pipe.html"}, say...), 3, "not_regular", "pipe.html"},
		{"device", append([]string{"edit", "device.html"}, say...), 3, "not_regular", "device.html"},
		{"not HTML", append([]string{"edit", "page.txt"}, say...), 3, "not_html", "page.txt"},
		{"not UTF-8", append([]string{"edit", "latin1.html"}, say...), 3, "not_utf8", "6"},
		{"UTF-16", append([]string{"edit", "utf16.html"}, say...), 3, "not_utf8", "UTF-16"},
		{"NUL", append([]string{"edit", "nul.html"}, say...), 3, "nul", "4"},
		{"too large", append([]string{"edit", "big.html"}, say...), 3, "too_large", "8"},
		{"map refuses the same", []string{"map", "latin1.html"}, 3, "not_utf8", "6"},
		{"map of nothing", []string{"map", "none.html"}, 3, "not_found", "none.html"},
		{"no history", []string{"history", "page.html"}, 3, "unknown_document", "page.html"},
		{"no such change", []string{"revert", "page.html", "chg_x"}, 3, "unknown_document", "page.html"},
		{"no browser", append([]string{"edit", "page.html", "--chromium", d.path("no-such-browser")}, say...), 6, "no_browser", "no-such-browser"},
		{"no model", append([]string{"edit", "page.html", "--model", "gpt-9"}, say...), 6, "no_model", "gpt-9"},
		{"no command", []string{"eddit", "page.html"}, 2, "usage", "eddit"},
		{"no say", []string{"edit", "page.html", "--at", "h1"}, 2, "usage", "h1"},
		{"no at", []string{"edit", "page.html", "--say", "make it red"}, 2, "usage", "--at"},
		{"empty say", []string{"edit", "page.html", "--at", "h1", "--say", " "}, 2, "usage", "--say"},
		{"nothing to do", []string{"edit", "page.html"}, 2, "usage", "--at"},
		{"bad point", []string{"edit", "page.html", "--at", "@12", "--say", "x"}, 2, "usage", "@12"},
		{"bad path", []string{"edit", "page.html", "--at", "/html/0", "--say", "x"}, 2, "usage", "/html/0"},
		{"unknown flag", []string{"edit", "page.html", "--att", "h1"}, 2, "usage", "att"},
		{"two files", []string{"history", "page.html", "page.html"}, 2, "usage", "one argument"},
		{"bad width", append([]string{"edit", "page.html", "--width", "5"}, say...), 2, "usage", "--width"},
		{"http origin", append([]string{"edit", "page.html", "--allow-origin", "http://x.test"}, say...), 2, "usage", "https"},
		{"bad write mode", append([]string{"edit", "page.html", "--write", "maybe"}, say...), 2, "usage", "maybe"},
		{"no version named", []string{"restore", "page.html"}, 2, "usage", "two arguments"},
		{"bad limit", []string{"history", "page.html", "--limit", "0"}, 2, "usage", "--limit"},
		{"bad limit of audit", []string{"audit", "page.html", "--limit", "0"}, 2, "usage", "--limit"},
		{"export to nowhere", []string{"export", "page.html"}, 2, "usage", "--out"},
		{"bad shell", []string{"completion", "csh"}, 2, "usage", "csh"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := d.run(append(append([]string{}, c.args...), "--json")...)
			if r.code != c.code {
				t.Fatalf("exit %d, want %d\n%s%s", r.code, c.code, r.stdout, r.stderr)
			}
			f := decode[struct{ Error failed }](t, r.stdout).Error
			all := f.Message + " " + f.Hint + " " + jsonText(f.Detail)
			if f.Code != c.want || !strings.Contains(all, c.text) {
				t.Errorf("got %+v, want code %s with %q", f, c.want, c.text)
			}
			human := d.run(c.args...)
			if human.code != c.code || human.stdout != "" || !strings.HasPrefix(human.stderr, "proofmark: ") && !strings.Contains(human.stderr, "\nproofmark: ") {
				t.Errorf("for people: exit %d, %q, %q", human.code, human.stdout, human.stderr)
			}
		})
	}
	if d.read("page.html") != small {
		t.Error("a refused command changed the page")
	}
}

// TestRefusedTargets: selections that cannot be proven (R-PICK-3, R-PICK-5; H72, H73).
func TestRefusedTargets(t *testing.T) {
	needChromium(t)
	page := `<!doctype html><title>t</title><style>#p::before{content:"pseudo";display:block;height:40px}</style>
<body style="margin:0"><p id=p style="margin:0">text</p><ul id=list><li>a</li></ul>
<iframe srcdoc="<button id=in style='position:fixed;inset:0'>in</button>" style="position:absolute;left:0;top:200px;width:200px;height:100px;border:0"></iframe>
<div id=host style="position:absolute;left:0;top:320px;width:200px;height:50px"></div>
<script>
list.insertAdjacentHTML('beforeend','<li class=made>b</li>');
host.attachShadow({mode:'open'}).innerHTML='<button style="width:200px;height:50px">s</button>';
</script>`
	d := newDesk(t)
	d.write("page.html", page)
	for _, c := range []struct {
		name, at, want string
		nearest        string
	}{
		{"nothing", "#none", "selector_no_match", ""},
		{"several", "li", "selector_ambiguous", ""},
		{"invalid selector", "li[", "selector_invalid", ""},
		{"script-made", "li.made", "script_made", "ul"},
		{"implied", "head", "no_source", ""},
		{"iframe", "@100,250", "iframe", "iframe"},
		{"shadow root", "@100,345", "shadow", "div"},
		{"pseudo-element", "@100,20", "pseudo", "p"},
		{"outside the viewport", "@9000,20", "selector_no_match", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := d.want(3, "edit", "page.html", "--json", "--at", c.at, "--say", "make it red")
			f := decode[struct{ Error failed }](t, r.stdout).Error
			if f.Code != c.want || f.Message == "" {
				t.Fatalf("%+v", f)
			}
			if c.name == "several" {
				if list, _ := f.Detail["matches"].([]any); len(list) != 2 {
					t.Errorf("the matches are not listed: %+v", f.Detail)
				}
			}
			if c.nearest != "" {
				near, _ := f.Detail["nearest"].(map[string]any)
				if near["name"] != c.nearest {
					t.Errorf("nearest is %+v, want <%s>", f.Detail, c.nearest)
				}
			}
		})
	}
	if d.read("page.html") != page {
		t.Error("a refused target changed the page")
	}
	if h := d.want(0, "history", "page.html", "--json").stdout; strings.Contains(h, `"generation":2`) {
		t.Errorf("a refused target made a version: %s", h)
	}
}

// TestReadOnlyPlaces: a file that cannot be written keeps its bytes, the
// version is kept, the message says so. Root may write everything, so the
// test makes the folder's file system refuse.
func TestFullDisk(t *testing.T) {
	needChromium(t)
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("CANNOT MOUNT a small file system here (%v): the full disk is not tested", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	d := newDesk(t)
	d.dir = dir
	d.write("page.html", small)
	d.write("fill", strings.Repeat("x", 52<<10))
	for f, err := os.OpenFile(d.path("fill"), os.O_APPEND|os.O_WRONLY, 0); err == nil; {
		if _, err = f.WriteString(strings.Repeat("x", 256)); err != nil {
			f.Close()
			break
		}
	}
	r := d.run("edit", "page.html", "--json", "--at", "h1", "--say", "make it red")
	o := decode[outcome](t, r.stdout)
	if r.code == 0 || o.Error == nil || o.Error.Code != "storage_full" || o.Written {
		t.Errorf("exit %d %+v", r.code, o)
	}
	if d.read("page.html") != small {
		t.Error("the page is not what it was")
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if h := d.want(0, "history", "page.html", "--json").stdout; !strings.Contains(h, `"generation":2`) {
		t.Errorf("the committed version is lost: %s", h)
	}
}

// A hint that names a command names the page as it was named, and can be copied.
func TestHintsNameThePage(t *testing.T) {
	d := newDesk(t)
	d.write("my page.html", small)
	if f := d.fails(3, "unknown_document", "history", "my page.html"); !strings.Contains(f.Hint, "`proofmark sync 'my page.html' --moved-from OLD`") {
		t.Errorf("%+v", f)
	}
}
