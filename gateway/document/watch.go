package document

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"proofmark/gateway/core"
)

// WatchOptions say how patient a Watcher is. The zero value is for production.
type WatchOptions struct {
	Quiet   time.Duration // nothing happens for so long before a look; 80 ms by default
	Gone    time.Duration // a file is missing or empty for so long before that is told; 700 ms
	Longest time.Duration // a file that never comes to rest is looked at after; 2 s
	Poll    time.Duration // between looks for what no event told, as on network drives; 2 s
	Retry   time.Duration // before what could not be taken in is told again; 1 s

	// NoEvents has a Watcher look only, as where the system gives no events.
	NoEvents bool
}

func (o WatchOptions) withDefaults() WatchOptions {
	for _, d := range []struct {
		field *time.Duration
		or    time.Duration
	}{
		{&o.Quiet, 80 * time.Millisecond},
		{&o.Gone, 700 * time.Millisecond},
		{&o.Longest, 2 * time.Second},
		{&o.Poll, 2 * time.Second},
		{&o.Retry, time.Second},
	} {
		if *d.field == 0 {
			*d.field = d.or
		}
	}
	return o
}

// Sight is what a watched name holds, once it has come to rest.
type Sight struct {
	Path    string // absolute, as it was added
	Leads   string // with links resolved; "" when there is no file
	SHA     string // of the bytes; "" when they cannot be read as an HTML file
	Err     error  // why not: NotFound when the file is gone
	Relinks bool   // it leads to another file than what was told last
	NewName string // of a file that is gone, where the same folder has it under another name
}

// Watcher tells when files come to hold other bytes than it told last. It
// watches folders, so that a file an editor replaces, removes and makes anew, or
// a link that is turned, is seen like one that is written. What does not change
// the bytes is not told, whatever happens to the file.
//
// A Watcher is used by one goroutine.
type Watcher struct {
	o       WatchOptions
	names   []*watched
	events  *fsnotify.Watcher      // nil where the system gives none
	folders map[string]fs.FileInfo // that give events
}

// watched is one name.
type watched struct {
	path  string // absolute
	spots []string
	stamp stamp // as it was looked at last
	file  stamp // as it was told last
	settle
}

// NewWatcher makes a Watcher of files, which need not be there yet. Each is told
// of once at first, as it is. Where the system gives no events, it looks often
// instead.
func NewWatcher(paths []string, o WatchOptions) (*Watcher, error) {
	w := &Watcher{o: o.withDefaults(), folders: map[string]fs.FileInfo{}}
	for _, p := range paths {
		asked, err := filepath.Abs(p)
		if err != nil || p == "" {
			return nil, core.Wrap(core.NotFound, err, "%q cannot be the name of a file", p).In("document.Watch")
		}
		if !slices.ContainsFunc(w.names, func(n *watched) bool { return n.path == asked }) {
			w.names = append(w.names, &watched{path: asked})
		}
	}
	if !w.o.NoEvents {
		if events, err := fsnotify.NewWatcher(); err == nil {
			w.events = events // without: too many watchers run, and looking does it, too
		}
	}
	return w, nil
}

// Events tells whether the system tells of changes, so that they are seen at
// once.
func (w *Watcher) Events() bool { return w.events != nil }

// Close frees what the Watcher holds. Run must have returned.
func (w *Watcher) Close() error {
	if w.events == nil {
		return nil
	}
	return w.events.Close()
}

// Run tells what it sees until ctx is done or tell fails. When tell fails with
// what passes (LeaseHeld, StorageBusy, HeadMoved, StaleSource), it is told again
// after a while.
func (w *Watcher) Run(ctx context.Context, tell func(Sight) error) error {
	now := time.Now()
	for _, n := range w.names {
		n.due = now
	}
	w.place()
	poll := time.NewTicker(w.o.Poll)
	defer poll.Stop()
	var events chan fsnotify.Event
	var errs chan error
	if w.events != nil {
		events, errs = w.events.Events, w.events.Errors
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			w.happened(e.Name)
		case _, ok := <-errs: // events were lost
			if !ok {
				errs = nil
				continue
			}
			w.happened("")
		case <-poll.C:
			w.poll()
		case <-timer.C:
			if err := w.look(ctx, tell); err != nil {
				return err
			}
		}
		timer.Reset(w.wait())
	}
}

// wait gives the time until the next look.
func (w *Watcher) wait() time.Duration {
	next := time.Hour
	for _, n := range w.names {
		if !n.due.IsZero() {
			next = min(next, time.Until(n.due))
		}
	}
	return max(next, 0)
}

// happened notes an event in one of the folders; "" is anywhere.
func (w *Watcher) happened(at string) {
	now := time.Now()
	_, folder := w.folders[at]
	if folder {
		delete(w.folders, at) // it may have been moved or removed; if not, it is added again
	}
	for _, n := range w.names {
		if at == "" || folder || slices.Contains(n.spots, at) {
			n.touched(now, &w.o)
		}
	}
}

// poll notes what may have changed without an event.
func (w *Watcher) poll() {
	now := time.Now()
	w.place()
	for _, n := range w.names {
		if n.due.IsZero() && !n.stamp.same(stampOf(n.path)) {
			n.touched(now, &w.o)
		}
	}
}

// place finds where something may happen to the names now, and has the system
// tell of it: a folder may have been replaced, a link turned.
func (w *Watcher) place() {
	wanted := map[string]bool{}
	for _, n := range w.names {
		n.spots = spots(n.path)
		for _, s := range n.spots {
			wanted[filepath.Dir(s)] = true
		}
	}
	if w.events == nil {
		return
	}
	for dir, was := range w.folders {
		now, err := os.Stat(dir)
		if !wanted[dir] || err != nil || !os.SameFile(was, now) {
			_ = w.events.Remove(dir) // it may be gone with the folder
			delete(w.folders, dir)
		}
	}
	for dir := range wanted {
		if w.folders[dir] != nil {
			continue
		}
		info, err := os.Stat(dir)
		if err == nil && w.events.Add(dir) == nil { // else it is looked at now and then
			w.folders[dir] = info
		}
	}
}

// look looks at the names whose time has come.
func (w *Watcher) look(ctx context.Context, tell func(Sight) error) error {
	if !slices.ContainsFunc(w.names, (*watched).isDue) {
		return nil
	}
	w.place() // before anything is read: what happens from now on is told
	for _, n := range w.names {
		if !n.isDue() {
			continue
		}
		n.stamp = stampOf(n.path)
		sight := see(n.path)
		if core.CodeOf(sight.Err) == core.StaleSource { // it was replaced right now
			n.touched(time.Now(), &w.o)
			continue
		}
		gone := core.CodeOf(sight.Err) == core.NotFound
		if !n.looked(time.Now(), sight.content(), gone || sight.SHA == emptySHA, &w.o) {
			continue
		}
		if gone {
			sight.NewName = n.file.newName()
		}
		sight.Relinks = n.file.leads != "" && sight.Leads != "" && sight.Leads != n.file.leads
		err := tell(sight)
		switch core.CodeOf(err) {
		case "":
			n.done()
			if !gone {
				n.file = n.stamp
			}
		case core.LeaseHeld, core.StorageBusy, core.HeadMoved, core.StaleSource:
			n.later(time.Now(), &w.o)
		default:
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (n *watched) isDue() bool { return !n.due.IsZero() && time.Until(n.due) <= 0 }

// see reads what a path leads to.
func see(path string) Sight {
	s := Sight{Path: path}
	_, leads, err := resolve(path)
	if err != nil {
		s.Err = err
		return s
	}
	s.Leads = leads
	src, err := readFile(path, leads)
	if err != nil {
		s.Err = err
		if core.CodeOf(err) == core.NotFound {
			s.Leads = ""
		}
		return s
	}
	s.SHA = src.sha
	return s
}

// emptySHA is the hash of a file that an editor has emptied and not filled yet.
var emptySHA = core.SHA256Hex(nil)

// content tells sights apart.
func (s Sight) content() string {
	if s.Err != nil {
		return string(core.CodeOf(s.Err)) + " " + s.Leads
	}
	return s.SHA + " " + s.Leads
}
