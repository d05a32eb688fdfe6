package testbed

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
	"proofmark/gateway/store"
)

// Bed is one document in a store of its own.
type Bed struct {
	T         testing.TB
	Dir       string // folder of the file
	File      string
	Store     *store.Store
	Documents *document.Service
	Doc       core.Document
	Head      core.Revision
	Tree      *htmlsrc.Tree // of the head as it was opened
}

// New opens html as a document.
func New(t testing.TB, html string) *Bed {
	t.Helper()
	st, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	b := &Bed{T: t, Dir: t.TempDir(), Store: st, Documents: document.New(st, document.Options{})}
	b.Open("page.html", html)
	return b
}

// Open writes another file and opens it in place of the one before.
func (b *Bed) Open(name, html string) {
	b.T.Helper()
	b.File = filepath.Join(b.Dir, name)
	b.Write(name, []byte(html))
	got, err := b.Documents.Open(context.Background(), b.File)
	if err != nil {
		b.T.Fatal(err)
	}
	b.Doc, b.Head = got.Document, got.Head
	b.Tree = b.Parse(got.Bytes)
}

// Write writes a file beside the document.
func (b *Bed) Write(name string, data []byte) {
	b.T.Helper()
	if err := os.WriteFile(filepath.Join(b.Dir, name), data, 0o600); err != nil {
		b.T.Fatal(err)
	}
}

// Parse maps bytes.
func (b *Bed) Parse(src []byte) *htmlsrc.Tree {
	b.T.Helper()
	tree, err := htmlsrc.Parse(src, htmlsrc.Options{Scripting: true})
	if err != nil {
		b.T.Fatal(err)
	}
	return tree
}

// Now gives the document as it stands.
func (b *Bed) Now() core.Document {
	b.T.Helper()
	d, err := b.Documents.Get(context.Background(), b.Doc.ID)
	if err != nil {
		b.T.Fatal(err)
	}
	return d
}

// HeadBytes gives the bytes of the head.
func (b *Bed) HeadBytes() string {
	b.T.Helper()
	src, err := b.Documents.Bytes(context.Background(), b.Now().HeadID)
	if err != nil {
		b.T.Fatal(err)
	}
	return string(src)
}

// Commit publishes edits of the head as somebody else would.
func (b *Bed) Commit(source core.RevisionSource, after string, edits []core.Edit) core.Revision {
	b.T.Helper()
	ctx := context.Background()
	doc := b.Now()
	lease, err := b.Documents.Lease(ctx, doc.ID)
	if err != nil {
		b.T.Fatal(err)
	}
	res, err := b.Documents.Commit(ctx, document.CommitRequest{
		DocumentID: doc.ID, ExpectedHead: doc.HeadID, ExpectedStateRev: doc.StateRev, Lease: lease,
		After: []byte(after), Edits: edits, Source: source, Actor: "testbed", Key: core.NewID("key"),
	})
	if err != nil {
		b.T.Fatal(err)
	}
	if err := b.Documents.Release(ctx, lease); err != nil {
		b.T.Fatal(err)
	}
	return res.Revision
}

// Element gives the n-th (from 1) element of a name in the head as it was opened.
func (b *Bed) Element(name string, n int) htmlsrc.ID {
	b.T.Helper()
	return Element(b.T, b.Tree, name, n)
}

// Element gives the n-th (from 1) element of a name in a map.
func Element(t testing.TB, tree *htmlsrc.Tree, name string, n int) htmlsrc.ID {
	t.Helper()
	for id := range tree.Elements() {
		if tree.Name(id) == name {
			if n--; n == 0 {
				return id
			}
		}
	}
	t.Fatalf("there is no such <%s>", name)
	return 0
}

// Verified proves an element of the head as it was opened, with the live chain
// a browser without scripts would show.
func (b *Bed) Verified(id htmlsrc.ID) proof.Verified {
	b.T.Helper()
	v, err := proof.Verify(Claim(b.Tree, id, b.Doc.ID, b.Head.ID, b.Head.SHA256), b.Tree, b.Head.SHA256)
	if err != nil {
		b.T.Fatal(err)
	}
	return v
}

// Claim makes the claim of an element on an undisturbed page.
func Claim(t *htmlsrc.Tree, id htmlsrc.ID, documentID, revisionID, sha string) proof.Claim {
	births := contract.Births{Complete: true}
	number := map[htmlsrc.ID]int{}
	for i, b := range t.Births() {
		number[b] = i
		birth := contract.Birth{NS: t.NS(b).String(), Name: t.Name(b)}
		for _, a := range t.Attrs(b) {
			switch a.Name {
			case "id":
				birth.ID = a.Value
			case "class":
				birth.Class = a.Value
			}
		}
		births.List = append(births.List, birth)
	}
	pick := contract.Pick{Handle: "test"}
	path := t.Path(id)
	for i := len(path) - 1; i >= 0; i-- {
		link := contract.Link{NS: t.NS(id).String(), Name: t.Name(id), Index: path[i].Index, Birth: -1}
		if n, ok := number[id]; ok {
			link.Birth = n
		}
		for _, a := range t.Attrs(id) {
			link.Attrs = append(link.Attrs, contract.Attr{Name: a.Name, Value: a.Value})
		}
		pick.Chain = append(pick.Chain, link)
		id = t.Parent(id)
	}
	return proof.Claim{Pick: pick, Births: births, DocumentID: documentID, RevisionID: revisionID, SourceSHA: sha}
}
