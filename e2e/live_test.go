package e2e

import (
	"strings"
	"testing"
)

// TestTwinsThatScriptsMoved: on pages whose scripts sort, drop, insert or
// re-create identical siblings, the edit lands on the bytes of the element
// that is on the page now, or is refused; never on its neighbour (D4, T-61,
// T-62, T-64, H74).
func TestTwinsThatScriptsMoved(t *testing.T) {
	needChromium(t)
	const list = "<!doctype html><title>t</title><body>\n<ul id=l>\n<li>x</li>\n<li>x</li>\n<li>x</li>\n<li>x</li>\n</ul>\n"
	nth := func(n int) string { // the list with the n-th item red
		out := list
		at := 0
		for i := 0; i < n; i++ {
			at += strings.Index(out[at:], "<li>") + 1
		}
		return out[:at-1] + `<li style="color: red">` + out[at+3:]
	}
	for _, c := range []struct {
		name, script string
		at           string
		item         int // the source item that the live element is; 0: must be refused
	}{
		{"untouched", "", "li:nth-child(3)", 3},
		{"reversed", "[...l.children].reverse().forEach(x=>l.append(x))", "li:nth-child(1)", 4},
		{"first removed", "l.children[0].remove()", "li:nth-child(1)", 2},
		{"one inserted before", "l.insertAdjacentHTML('afterbegin','<li>x</li>')", "li:nth-child(2)", 1},
		{"the inserted one", "l.insertAdjacentHTML('afterbegin','<li>x</li>')", "li:nth-child(1)", 0},
		{"all re-created", "l.innerHTML=l.innerHTML", "li:nth-child(2)", 0},
		{"one replaced by its clone", "l.children[1].replaceWith(l.children[1].cloneNode(true))", "li:nth-child(2)", 0},
		{"the one behind the clone", "l.children[1].replaceWith(l.children[1].cloneNode(true))", "li:nth-child(3)", 3},
		{"moved to the end", "l.append(l.children[0])", "li:nth-child(4)", 1},
		{"class and style on ancestors", "document.body.className='dark';l.style.color='blue';document.documentElement.dataset.theme='x'", "li:nth-child(2)", 2},
		{"banner above", "document.body.insertAdjacentHTML('afterbegin','<div><ul><li>x</li></ul></div>')", "#l li:nth-child(4)", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			tail := "<script>" + c.script + "</script>\n"
			d.write("page.html", list+tail)
			if c.item == 0 {
				r := d.want(3, "edit", "page.html", "--json", "--at", c.at, "--say", "make it red")
				if f := decode[struct{ Error failed }](t, r.stdout).Error; f.Code != "script_made" {
					t.Errorf("%+v", f)
				}
				return
			}
			d.edit(0, "page.html", "--at", c.at, "--say", "make it red")
			if got, want := d.read("page.html"), nth(c.item)+tail; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestLargerAmongScripts: what is measured is the element itself, not the one
// that scripts have put in its place, as large as it may be.
func TestLargerAmongScripts(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	page := "<!doctype html><title>t</title><style>h1{font-size:40px}.b{font-size:10px}</style><body><h1>Own</h1>" +
		"<script>document.body.insertAdjacentHTML('afterbegin','<h1 class=b>Banner</h1>')</script>"
	d.write("page.html", page)
	d.edit(0, "page.html", "--at", "h1:nth-child(2)", "--say", "make it larger")
	if got, want := d.read("page.html"), strings.Replace(page, "<h1>", `<h1 style="font-size: 50px">`, 1); got != want {
		t.Errorf("got %q want %q", got, want)
	}
}

// TestDocumentWrite: what document.write made has no source of its own.
func TestDocumentWrite(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	page := "<!doctype html><title>t</title><body><p>a</p><script>document.write('<p>b</p>')</script><p>c</p>"
	d.write("page.html", page)
	r := d.want(3, "edit", "page.html", "--json", "--at", "p:nth-of-type(2)", "--say", "make it red")
	if f := decode[struct{ Error failed }](t, r.stdout).Error; f.Code != "script_made" {
		t.Errorf("%+v", f)
	}
	d.edit(0, "page.html", "--at", "p:nth-of-type(3)", "--say", "make it red")
	if got, want := d.read("page.html"), strings.Replace(page, "<p>c", `<p style="color: red">c`, 1); got != want {
		t.Errorf("got %q want %q", got, want)
	}
}

// TestOldFaultsDoNotBlock: a page with an old console error and a missing
// image still commits; a change that breaks it does not (R-TURN-7).
func TestOldFaultsDoNotBlock(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	page := "<!doctype html><title>t</title><body><h1 id=h>One</h1><img src=missing.png alt=x><script>console.error('old'); nope()</script>"
	d.write("page.html", page)
	o := d.edit(0, "page.html", "--at", "h1", "--say", "make it red")
	if o.Verification == nil || len(o.Verification.NewErrors) != 0 {
		t.Errorf("%+v", o.Verification)
	}

	d2 := newDesk(t)
	needs := "<!doctype html><title>t</title><body><h1 id=h>One</h1><script>document.getElementById('h').textContent.length</script>"
	d2.write("page.html", needs)
	r := d2.run("edit", "page.html", "--json", "--at", "h1", "--say", "remove it")
	o = decode[outcome](t, r.stdout)
	if r.code != 3 || o.Status != "refused" || o.Error == nil || o.Error.Code != "new_fault" || d2.read("page.html") != needs {
		t.Errorf("exit %d %+v %q", r.code, o, d2.read("page.html"))
	}
}

// TestApproval: a change that adds an outside origin needs its kind approved (R-TURN-11).
func TestApproval(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	page := "<!doctype html><title>t</title><body><img src=a.png alt=a><a href=/x>x</a>"
	d.write("page.html", page)
	args := []string{"page.html", "--at", "img", "--say", "set src to https://evil.example/x.png"}
	o := d.edit(7, args...)
	if o.Status != "needs_approval" || len(o.Flags) != 1 || o.Flags[0].Kind != "external_origin" || d.read("page.html") != page {
		t.Errorf("%+v %q", o, d.read("page.html"))
	}
	o = d.edit(0, append(args, "--approve", "external_origin")...)
	if o.Status != "applied" || !strings.Contains(d.read("page.html"), "https://evil.example/x.png") {
		t.Errorf("%+v", o)
	}
}

// TestWrittenScript: behind a script that a script wrote, what was written too
// and what stands in the source cannot be told apart; the refusal says so, and
// what stands before it is still proven.
func TestWrittenScript(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("lib.js", "window.lib = 1")
	page := `<!doctype html><title>t</title><body><h1>One</h1><script>window.lib || document.write('<script src="lib.js"><\/script>')</script><p>a</p>`
	d.write("page.html", page)
	r := d.want(3, "edit", "page.html", "--json", "--at", "p", "--say", "make it red")
	if f := decode[struct{ Error failed }](t, r.stdout).Error; f.Code != "ambiguous" {
		t.Errorf("%+v", f)
	}
	d.edit(0, "page.html", "--at", "h1", "--say", "make it red")
	if got, want := d.read("page.html"), strings.Replace(page, "<h1>", `<h1 style="color: red">`, 1); got != want {
		t.Errorf("got %q want %q", got, want)
	}
}
