package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/workbench"
)

// maxDocuments bounds one answer's documents.
const maxDocuments = 1_000

func (s *Server) documentRoutes() []route {
	return []route{
		{method: "GET", pattern: "/v1/documents", scopes: everyone, query: []string{"before", "limit"}, handle: s.listDocuments, what: "the documents, the newest first"},
		{
			method: "POST", pattern: "/v1/documents", scopes: everyone, body: smallBody, feature: core.FeatureWorkbench, handle: s.openDocument,
			what: "a file is opened as a document; what another program changed becomes a version",
		},
		{method: "GET", pattern: "/v1/documents/{document}", scopes: everyone, handle: s.getDocument, what: "a document and its newest version"},
		{method: "GET", pattern: "/v1/documents/{document}/source", scopes: everyone, query: []string{"version"}, handle: s.source, what: "the bytes of a version"},
		{method: "GET", pattern: "/v1/documents/{document}/watch", scopes: everyone, stream: s.watch, what: "how history and file stand, and each change of theirs, as server-sent events; what another program writes becomes a version"},
		{
			method: "POST", pattern: "/v1/documents/{document}/sync", scopes: everyone, body: smallBody, handle: s.sync,
			what: "file and history are brought in step",
		},
		{method: "POST", pattern: "/v1/documents/{document}/write", scopes: everyone, handle: s.write, what: "the newest version is written into the file"},
	}
}

// documentJSON is a document with its newest version.
type documentJSON struct {
	core.Document
	Name  string           `json:"name"` // of the file
	Head  document.Version `json:"head"`
	Ahead bool             `json:"ahead"` // the newest version is not in the file
}

func (s *Server) describe(c *call, d core.Document) (documentJSON, error) {
	list, err := s.c.Documents.Versions(c, d.ID, 0, 1)
	if err != nil {
		return documentJSON{}, err
	}
	return documentJSON{Document: d, Name: filepath.Base(d.Path), Head: list[0], Ahead: d.SyncedID != d.HeadID}, nil
}

func (s *Server) listDocuments(c *call) (any, error) {
	limit, err := c.number("limit", 100, 1, maxDocuments)
	if err != nil {
		return nil, err
	}
	list, err := s.c.Documents.Page(c, c.query.Get("before"), int(limit))
	if err != nil {
		return nil, err
	}
	out := make([]documentJSON, 0, len(list))
	for _, d := range list {
		j, err := s.describe(c, d)
		if err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	return map[string]any{"documents": out}, nil
}

type openRequest struct {
	Path string `json:"path"` // absolute
}

func (s *Server) openDocument(c *call) (any, error) {
	var q openRequest
	if err := c.read(&q); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(q.Path) {
		return nil, core.Errorf(core.BadRequest, "the path of a file is absolute")
	}
	o, err := s.c.Documents.Open(c, q.Path)
	if err != nil {
		return nil, err
	}
	j, err := s.describe(c, o.Document)
	if err != nil {
		return nil, err
	}
	return struct {
		documentJSON
		Imported        bool `json:"imported"`        // the file was seen for the first time
		OutsideImported bool `json:"outsideImported"` // another program's change is the newest version now
	}{j, o.Imported, o.OutsideImported}, nil
}

func (s *Server) getDocument(c *call) (any, error) {
	d, err := s.c.Documents.Get(c, c.path("document"))
	if err != nil {
		return nil, err
	}
	j, err := s.describe(c, d)
	return tagged{j, fmt.Sprintf("%s.%d.%s", d.ID, d.StateRev, core.SHA256Hex([]byte(j.Head.Name))[:12])}, err
}

func (s *Server) source(c *call) (any, error) {
	r, err := s.c.Documents.Version(c, c.path("document"), c.query.Get("version"))
	if err != nil {
		return nil, err
	}
	b, err := s.c.Documents.Bytes(c, r.ID)
	if err != nil {
		return nil, err
	}
	d, err := s.c.Documents.Get(c, r.DocumentID)
	// As bytes: whoever opens this address must not be shown the page.
	return &file{bytes: b, mediaType: "application/octet-stream", name: filepath.Base(d.Path), etag: r.SHA256}, err
}

type syncRequest struct {
	Choice document.SyncChoice `json:"choice"`
}

func (s *Server) sync(c *call) (any, error) {
	var q syncRequest
	if err := c.read(&q); err != nil {
		return nil, err
	}
	switch q.Choice {
	case document.SyncSafe, document.SyncMerge, document.SyncOurs, document.SyncTheirs:
	default:
		return nil, core.Errorf(core.BadRequest, "choice is empty, merge, ours or theirs")
	}
	d, err := s.c.Documents.Get(c, c.path("document"))
	if err != nil {
		return nil, err
	}
	out, err := s.c.Documents.Sync(c, d.Path, document.SyncRequest{Choice: q.Choice, Actor: c.actor()})
	if err != nil {
		return nil, err
	}
	j, err := s.describe(c, out.Document)
	if err != nil {
		return nil, err
	}
	a := map[string]any{"state": out.State, "document": j, "sha256File": core.SHA256Hex(out.File), "base": out.Base.Generation, "otherNames": out.OtherNames}
	if out.Merge != nil {
		a["merge"] = map[string]any{"edits": orEmpty(out.Merge.Edits), "conflicts": orEmpty(out.Merge.Conflicts)}
	}
	return a, nil
}

// orEmpty gives a list that is [] in JSON where it is empty.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// watch streams what becomes of a document and its file.
func (s *Server) watch(c *call) error {
	if _, err := s.c.Documents.Get(c, c.path("document")); err != nil {
		return err
	}
	return s.stream(c, func(ctx context.Context, send func(id int64, event string, data []byte) error) error {
		return s.c.Workbench.Watch(ctx, c.path("document"), c.actor(), func(n workbench.Noticed) error {
			event, what := "document", any(nil)
			if n.Document != nil {
				d, err := s.describe(c, *n.Document)
				if err != nil {
					return err
				}
				what = d
			} else {
				event, what = "file", map[string]any{"state": n.File.State, "error": errorOf(n.File.Err)}
			}
			b, err := json.Marshal(what)
			if err != nil {
				return core.Wrap(core.Internal, err, "an event cannot be written")
			}
			return send(0, event, b)
		})
	})
}

func (s *Server) write(c *call) (any, error) {
	wrote, err := s.c.Documents.WriteBack(c, c.path("document"))
	if err != nil {
		return nil, err
	}
	return map[string]any{"written": wrote}, nil
}

// page reads ?before= and ?limit= of a list.
func (c *call) page(most int64) (before int64, limit int, err error) {
	if before, err = c.number("before", 0, 0, 1<<62); err != nil {
		return 0, 0, err
	}
	n, err := c.number("limit", min(100, most), 1, most)
	return before, int(n), err
}
