package httpapi_test

import (
	"os"
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// R-DOC-7, D-56: whoever watches a document is told of each version, whoever made
// it, and of what other programs do to its file: taken in where nothing is lost,
// told where it would be.
func TestWatch(t *testing.T) {
	r := newRig(t, setup{})
	s := r.follow(r.at("/watch"), 0)
	defer s.close()
	next := func(name string, until func(object) bool) object {
		t.Helper()
		for {
			e, err := s.next()
			if err != nil {
				t.Fatalf("while %s was awaited: %v", name, err)
			}
			if e.id != 0 {
				t.Errorf("%s has the id %d", e.name, e.id)
			}
			if d := e.said(t); e.name == name && until(d) {
				return d
			}
		}
	}
	state := func(want string) func(object) bool { return func(d object) bool { return d["state"] == want } }
	generation := func(n float64) func(object) bool { return func(d object) bool { return d["generation"] == n } }
	next("document", generation(1))
	next("file", state("in_step"))
	// Another program writes.
	if err := os.WriteFile(r.Doc.Path, []byte(strings.Replace(page, "First", "From outside", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	next("file", state("imported"))
	if d := next("document", generation(2)); d["head"].(object)["source"] != "outside" {
		t.Errorf("the newest version: %v", d)
	}
	// A person restores the first one, and does not write it.
	r.do("POST", r.at("/restore"), object{"version": "1"}).ok()
	if d := next("document", generation(3)); d["ahead"] != true {
		t.Errorf("a version that is not in the file: %v", d)
	}
	// Another program writes once more: both sides have changed.
	if err := os.WriteFile(r.Doc.Path, []byte(strings.Replace(page, "Second", "Again from outside", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	next("file", state("conflict"))
	if d := r.do("GET", r.at(""), nil).ok(); d["generation"] != float64(3) {
		t.Errorf("a conflict made a version: %v", d)
	}
	if err := os.Remove(r.Doc.Path); err != nil {
		t.Fatal(err)
	}
	if d := next("file", func(d object) bool { return d["error"] != nil }); d["error"].(object)["code"] != string(core.NotFound) {
		t.Errorf("without a file: %v", d)
	}
	r.do("GET", "/v1/documents/doc_gone/watch", nil).refused(404, core.UnknownDocument)
}
