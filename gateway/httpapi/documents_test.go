package httpapi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
)

// R-MODEL-3, D-58: a document is opened once, and is the same one from then on.
func TestDocuments(t *testing.T) {
	r := newRig(t, setup{})
	list := r.do("GET", "/v1/documents", nil).ok()["documents"].([]any)
	if len(list) != 1 || list[0].(object)["id"] != r.Doc.ID || list[0].(object)["name"] != "page.html" || list[0].(object)["ahead"] != false {
		t.Errorf("documents: %v", list)
	}
	r.Write("other.html", []byte("<!doctype html><p>x"))
	other := filepath.Join(r.Dir, "other.html")
	first := r.as(token.Agent, "POST", "/v1/documents", object{"path": other}).ok()
	if first["imported"] != true || first["generation"] != 1.0 || first["head"].(object)["source"] != "import" {
		t.Errorf("opened: %v", first)
	}
	r.Write("other.html", []byte("<!doctype html><p>y"))
	again := r.do("POST", "/v1/documents", object{"path": other}).ok()
	if again["id"] != first["id"] || again["imported"] != false || again["outsideImported"] != true || again["generation"] != 2.0 {
		t.Errorf("opened again: %v", again)
	}
	if got := string(r.do("GET", "/v1/documents/"+first["id"].(string)+"/source", nil).body); got != "<!doctype html><p>y" {
		t.Errorf("source: %q", got)
	}
	a := r.do("GET", r.at("/source"), nil)
	if string(a.body) != page || a.header.Get("Content-Type") != "application/octet-stream" || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("source: %v", a.header)
	}
	for path, code := range map[string]core.Code{
		filepath.Join(r.Dir, "none.html"): core.NotFound, r.Dir: core.IsDirectory, "page.html": core.BadRequest, "": core.BadRequest, "\x00": core.BadRequest,
	} {
		if a := r.do("POST", "/v1/documents", object{"path": path}); a.code() != code {
			t.Errorf("opening %q: %d %s", path, a.status, a.body)
		}
	}
	r.Write("picture.html", []byte{0xff, 0xd8})
	r.do("POST", "/v1/documents", object{"path": filepath.Join(r.Dir, "picture.html")}).refused(422, core.NotUTF8)
	for _, p := range []string{"/v1/documents/nothing", "/v1/documents/nothing/source", "/v1/documents/nothing/revisions", "/v1/documents/nothing/diff", "/v1/documents/nothing/audit", "/v1/documents/nothing/events", "/v1/documents/nothing/edits"} {
		r.do("GET", p, nil).refused(404, core.UnknownDocument)
	}
	r.do("GET", r.at("/source?version=9"), nil).refused(404, core.UnknownRevision)
	r.do("GET", r.at("/source?version=no+such+name"), nil).refused(404, core.UnknownRevision)
}

// D-89: the list of documents is bounded, and read page by page each stands in
// it once, also where many were opened at one moment.
func TestDocumentsPageByPage(t *testing.T) {
	r := newRig(t, setup{})
	for i := range 7 {
		r.Open(fmt.Sprintf("%d.html", i), page)
	}
	var got []string
	for before := ""; ; {
		list := r.do("GET", "/v1/documents?limit=3&before="+before, nil).ok()["documents"].([]any)
		if len(list) == 0 {
			break
		}
		if len(list) > 3 {
			t.Fatalf("%d documents where 3 were asked for", len(list))
		}
		for _, d := range list {
			before = d.(object)["id"].(string)
			got = append(got, before)
		}
	}
	var want []string
	for _, d := range r.do("GET", "/v1/documents", nil).ok()["documents"].([]any) {
		want = append(want, d.(object)["id"].(string))
	}
	if len(want) != 8 || !slices.Equal(got, want) {
		t.Errorf("page by page %v, at once %v", got, want)
	}
	r.do("GET", "/v1/documents?before=nothing", nil).refused(404, core.UnknownDocument)
	for _, limit := range []string{"0", "-1", "1001", "x"} {
		r.do("GET", "/v1/documents?limit="+limit, nil).refused(400, core.BadRequest)
	}
}

// R-MODEL-3, D-113: what another program wrote is never lost: sync tells what
// stands where, and a choice is needed where both sides changed.
func TestSync(t *testing.T) {
	r := newRig(t, setup{})
	if got := r.do("POST", r.at("/sync"), object{}).ok(); got["state"] != "in_step" {
		t.Errorf("state %v", got["state"])
	}
	ours := strings.Replace(page, "First", "Ours", 1)
	r.Commit(core.SourceManual, ours, []core.Edit{{Span: spanOf(page, "First"), Replacement: "Ours"}})
	if got := r.do("POST", r.at("/sync"), object{}).ok(); got["state"] != "ahead" {
		t.Errorf("state %v", got["state"])
	}
	r.Write("page.html", []byte(strings.Replace(page, "First", "Theirs", 1)))
	r.do("POST", r.at("/write"), nil).refused(409, core.OutsideChange)
	conflicts, _ := r.do("POST", r.at("/sync"), object{"choice": "merge"}).refused(409, core.OutsideChange)["conflicts"].([]any)
	if len(conflicts) != 1 {
		t.Fatalf("conflicts: %v", conflicts)
	}
	if c := conflicts[0].(object); c["headText"] != "Ours" || c["mineText"] != "Theirs" || c["baseText"] != "First" || len(c["base"].([]any)) != 2 {
		t.Errorf("conflict: %v", c)
	}
	if got := r.do("POST", r.at("/sync"), object{}).ok(); got["state"] != "conflict" || len(got["merge"].(object)["conflicts"].([]any)) != 1 {
		t.Errorf("sync: %v", got)
	}
	r.do("POST", r.at("/sync"), object{"choice": "mine"}).refused(400, core.BadRequest)
	if got := r.do("POST", r.at("/sync"), object{"choice": "ours"}).ok(); got["state"] != "kept_ours" {
		t.Errorf("state %v", got["state"])
	}
	r.do("POST", r.at("/write"), nil).ok()
	if b, err := os.ReadFile(r.File); err != nil || string(b) != ours {
		t.Errorf("the file holds %q (%v)", b, err)
	}
	if got := r.do("POST", r.at("/write"), nil).ok(); got["written"] != false {
		t.Errorf("written again: %v", got)
	}
	r.do("POST", "/v1/documents/nothing/sync", object{}).refused(404, core.UnknownDocument)
	r.do("POST", "/v1/documents/nothing/write", nil).refused(404, core.UnknownDocument)
}

// D-88: the history is read through its own document alone.
func TestHistory(t *testing.T) {
	r := newRig(t, setup{})
	first := r.Doc
	r.Commit(core.SourceManual, strings.Replace(page, "First", "Once", 1), []core.Edit{{Span: spanOf(page, "First"), Replacement: "Once"}})
	revs := r.do("GET", r.at("/revisions?limit=1"), nil).ok()["revisions"].([]any)
	if len(revs) != 1 || revs[0].(object)["generation"] != 2.0 {
		t.Errorf("revisions: %v", revs)
	}
	if revs := r.do("GET", r.at("/revisions?before=2"), nil).ok()["revisions"].([]any); len(revs) != 1 || revs[0].(object)["generation"] != 1.0 {
		t.Errorf("revisions before: %v", revs)
	}
	set := r.do("GET", r.at("/changes"), nil).ok()["changes"].([]any)[0].(object)
	id := set["id"].(string)
	if set["inForce"] != true || set["generation"] != 2.0 {
		t.Errorf("change: %v", set)
	}
	if one := r.do("GET", r.at("/changes/"+id), nil).ok(); one["sha256After"] != set["sha256After"] || len(one["edits"].([]any)) != 1 {
		t.Errorf("change: %v", one)
	}
	diff := r.do("GET", r.at("/diff?change="+id), nil).ok()
	if diff["from"] != 1.0 || diff["to"] != 2.0 || diff["recorded"] != true || !strings.Contains(diff["unified"].(string), "+<p id=\"a\" class=\"lead\">Once</p>") {
		t.Errorf("diff: %v", diff)
	}
	if same := r.do("GET", r.at("/diff"), nil).ok(); same["sha256After"] != diff["sha256After"] {
		t.Errorf("the newest diff: %v", same)
	}
	r.do("GET", r.at("/diff?change="+id+"&from=1"), nil).refused(400, core.BadRequest)
	r.do("GET", r.at("/diff?from=1&to=7"), nil).refused(404, core.UnknownRevision)
	r.do("GET", r.at("/changes/nothing"), nil).refused(404, core.UnknownChange)
	events := r.do("GET", r.at("/audit"), nil).ok()["events"].([]any)
	if last := events[len(events)-1].(object); last["kind"] != "commit" || last["edits"] != 1.0 || last["bytesRemoved"] != 5.0 || last["bytesInserted"] != 4.0 {
		t.Errorf("audit: %v", last)
	}
	if rest := r.do("GET", r.at("/audit?limit=1&after=1"), nil).ok()["events"].([]any); len(rest) != 1 {
		t.Errorf("audit page: %v", rest)
	}

	// Another document's change is none of this one's.
	r.Open("other.html", page)
	r.do("GET", r.at("/changes/"+id), nil).refused(404, core.UnknownChange)
	r.do("GET", r.at("/diff?change="+id), nil).refused(404, core.UnknownChange)
	r.do("POST", r.at("/changes/"+id+"/revert"), object{}).refused(404, core.UnknownChange)
	r.do("GET", r.at("/source?version="+first.HeadID), nil).refused(404, core.UnknownRevision)
	r.do("POST", r.at("/restore"), object{"version": first.HeadID}).refused(404, core.UnknownRevision)
	if d := r.Now(); d.HeadID != r.Doc.HeadID {
		t.Error("the other document moved")
	}
}

// D-87, D-113: names, taking back, putting back, restoring; written where asked.
func TestTakingBack(t *testing.T) {
	r := newRig(t, setup{})
	after := strings.Replace(page, "First", "Once", 1)
	r.Commit(core.SourceManual, after, []core.Edit{{Span: spanOf(page, "First"), Replacement: "Once"}})
	id := r.do("GET", r.at("/changes"), nil).ok()["changes"].([]any)[0].(object)["id"].(string)

	if n := r.do("PUT", r.at("/names/2"), object{"name": "sale"}).ok(); n["name"] != "sale" || n["generation"] != 2.0 {
		t.Errorf("named: %v", n)
	}
	r.do("PUT", r.at("/names/1"), object{"name": "sale"}).refused(409, core.NameTaken)
	r.do("PUT", r.at("/names/1"), object{"name": "sale", "move": true}).ok()
	r.do("PUT", r.at("/names/1"), object{"name": ""}).refused(400, core.InvalidName)
	r.do("PUT", r.at("/names/9"), object{"name": "x"}).refused(404, core.UnknownRevision)
	if got := r.do("GET", r.at("/source?version=sale"), nil); string(got.body) != page {
		t.Errorf("by its name: %q", got.body)
	}
	if a := r.do("DELETE", r.at("/names/1"), nil); a.status != 204 {
		t.Errorf("unnamed: %d %s", a.status, a.body)
	}

	r.do("POST", r.at("/redo"), object{}).refused(409, core.NothingToRedo)
	r.do("POST", r.at("/changes/"+id+"/revert"), object{"note": -1}).refused(400, core.BadRequest)
	back := r.as(token.Agent, "POST", r.at("/changes/"+id+"/revert"), object{"write": true}).ok()
	if back["document"].(object)["generation"] != 3.0 || back["changeSet"].(object)["reverts"] != id || r.HeadBytes() != page {
		t.Errorf("reverted: %v", back)
	}
	if actor := back["changeSet"].(object)["actor"]; actor != "agent" {
		t.Errorf("by %v", actor)
	}
	put := r.do("POST", r.at("/redo"), object{"write": true}).ok()
	if put["written"] != true || r.HeadBytes() != after {
		t.Errorf("put back: %v", put)
	}
	if b, err := os.ReadFile(r.File); err != nil || string(b) != after {
		t.Errorf("the file holds %q (%v)", b, err)
	}
	if got := r.do("POST", r.at("/restore"), object{"version": "1"}).ok(); got["written"] != false || got["document"].(object)["ahead"] != true {
		t.Errorf("restored: %v", got)
	}
	r.do("POST", r.at("/restore"), object{}).refused(400, core.BadRequest)
	r.do("POST", r.at("/restore"), object{"version": "99"}).refused(404, core.UnknownRevision)
	r.do("POST", "/v1/documents/nothing/redo", object{}).refused(404, core.UnknownDocument)

	// Another program's change stands in the way of the file, not of the version.
	r.Write("page.html", []byte("<!doctype html><p>theirs"))
	moved := r.do("POST", r.at("/restore"), object{"version": "2", "write": false}).ok()
	if moved["written"] != false || r.HeadBytes() != after {
		t.Errorf("moved: %v", moved)
	}
}
