package surface

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// Spec says what a preview shows and how.
type Spec struct {
	DocumentID  string
	RevisionID  string // the revision shown, or the candidate's base
	CandidateID string // "" for a revision
	SHA         string // SHA-256 of Bytes, lower-case hexadecimal
	Bytes       []byte // not changed after the call
	AssetDir    string // folder of the file, "" to serve nothing beside it
	FileName    string // of the document, without a folder
	// AllowOrigins are the https origins a person allowed for this document.
	AllowOrigins []string
	Width        int // viewport, CSS pixels
	Height       int
	Hidden       bool
	// Record is what allowed origins answered, shared by base and candidate;
	// nil for a recording that begins anew with every load.
	Record *Recording
}

// Manager opens previews on one host through one listener.
type Manager struct {
	listener *Listener
	host     contract.Host
	fetcher  *fetcher
	ancestor string // origin of the workbench whose frames the previews stand in; "" for pages of their own

	mu   sync.Mutex
	open map[*Preview]bool // false while a preview is being opened; guarded by mu
}

// NewManager makes a manager. The host must have been launched with the
// listener as its proxy.
func NewManager(l *Listener, host contract.Host) *Manager {
	return &Manager{listener: l, host: host, fetcher: newFetcher(), open: map[*Preview]bool{}}
}

// NewFramedManager makes a manager of previews in frames of a page on ancestor.
func NewFramedManager(l *Listener, host contract.Host, ancestor string) *Manager {
	m := NewManager(l, host)
	m.ancestor = ancestor
	return m
}

// Listener gives the listener the previews are served by.
func (m *Manager) Listener() *Listener { return m.listener }

// Host says what shows the previews.
func (m *Manager) Host() contract.HostInfo { return m.host.Info() }

// Open grants a lease and opens a surface that can reach it and nothing else.
// The page is not loaded yet. Refusals: Internal (bytes that are not what SHA
// says), Usage (an origin, name or size that cannot be), TooMany, and the host's.
func (m *Manager) Open(ctx context.Context, s Spec) (*Preview, error) {
	const op = "surface.Open"
	b, err := newBinding(s)
	if err != nil {
		return nil, core.AsError(err).In(op)
	}
	p := &Preview{manager: m, width: s.Width, height: s.Height, closed: make(chan struct{}), watched: make(chan struct{})}
	if !m.reserve(p) {
		closeRoot(b.root)
		return nil, core.Errorf(core.TooMany, "at most %d previews can be open at once", core.MaxPreviewsPerHost).
			WithHint("close a preview and try again").In(op)
	}
	p.record, p.ownRecord = s.Record, s.Record == nil
	if p.ownRecord {
		p.record = NewRecording()
	}
	p.lease, err = m.listener.grant(b, m.ancestor)
	if err != nil {
		m.forget(p)
		return nil, err
	}
	p.surface, err = m.host.Open(ctx, contract.OpenOptions{
		Origin: p.lease.origin, Width: s.Width, Height: s.Height, Hidden: s.Hidden, Fetch: p.fetch,
	})
	if err != nil {
		m.listener.drop(p.lease)
		m.forget(p)
		return nil, err
	}
	m.mu.Lock()
	m.open[p] = true
	m.mu.Unlock()
	go p.watch()
	return p, nil
}

// Close closes every preview that is open. One that is being opened is not: whoever
// opens it gets it, or an error where its host was closed too. The host and the
// listener are their owner's to close.
func (m *Manager) Close() error {
	m.mu.Lock()
	var all []*Preview
	for p, opened := range m.open {
		if opened {
			all = append(all, p)
		}
	}
	m.mu.Unlock()
	var errs []error
	for _, p := range all {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

func (m *Manager) reserve(p *Preview) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.open) >= core.MaxPreviewsPerHost {
		return false
	}
	m.open[p] = false
	return true
}

func (m *Manager) forget(p *Preview) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.open, p)
}

// newBinding checks a spec and opens the folder beside the page.
func newBinding(s Spec) (*binding, error) {
	if got := core.SHA256Hex(s.Bytes); got != s.SHA {
		return nil, core.Errorf(core.Internal, "the bytes to show are not those of the revision").With("want", s.SHA).With("got", got)
	}
	if s.FileName == "" || len(s.FileName) > maxFileNameBytes || strings.ContainsAny(s.FileName, "/\x00") ||
		s.FileName == "." || s.FileName == ".." || !utf8.ValidString(s.FileName) {
		return nil, core.Errorf(core.Usage, "%q is not a file name a page can be shown under", clip(s.FileName, 80))
	}
	if err := CheckSize(s.Width, s.Height); err != nil {
		return nil, err
	}
	allowed, err := parseOrigins(s.AllowOrigins)
	if err != nil {
		return nil, err
	}
	root, err := openRoot(s.AssetDir)
	if err != nil {
		return nil, err
	}
	return &binding{
		documentID: s.DocumentID, revisionID: s.RevisionID, candidateID: s.CandidateID, sha: s.SHA, bytes: s.Bytes,
		fileName: s.FileName, root: root, allowed: allowed,
	}, nil
}

// CheckSize refuses a viewport, in CSS pixels, that no view can have.
func CheckSize(width, height int) error {
	if width < 1 || width > maxViewport || height < 1 || height > maxViewport {
		return core.Errorf(core.Usage, "a viewport of %d×%d pixels is not possible; 1 to %d are", width, height, maxViewport)
	}
	return nil
}

// CheckOrigins refuses a list with an origin that nobody can allow.
func CheckOrigins(list []string) error {
	_, err := parseOrigins(list)
	return err
}

// openRoot opens the folder beside the page; a folder that is gone or cannot be
// read leaves the page without its files, which are then listed as missing.
func openRoot(dir string) (*os.Root, error) {
	if dir == "" {
		return nil, nil
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, core.Wrap(core.Internal, err, "the folder of the page cannot be opened")
	}
	return root, nil
}

func closeRoot(r *os.Root) {
	if r != nil {
		_ = r.Close()
	}
}
