package document

import (
	"context"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/store"
)

// swapSuffix ends the name of a file that is exchanged with a document's file.
// Unlike other temporary files it may come to hold what another program wrote.
const swapSuffix = ".swap"

func (s *Service) swapName(documentID string) string {
	return tempPrefix + s.self.String() + "-" + documentID + core.NewID("-") + swapSuffix
}

// salvage deals with what a process left that was killed while it exchanged a
// document's file. Such a file is whole: it holds the version that was being
// written, or what the file held. What the history has is removed. Anything else
// another program wrote in the last moment before the exchange: under the file's
// lock it is put back into its place, as WriteBack would have, if the file holds
// a version; otherwise it stays. It is best effort: what cannot be read or moved
// stays and does no harm.
func (s *Service) salvage(ctx context.Context, w target, documentID string, locked bool) error {
	for _, name := range w.swapped(s.self, documentID) {
		left, err := readIn(w.root, name, w.path)
		if err != nil {
			continue
		}
		known, err := s.isVersion(ctx, documentID, left.sha)
		if err != nil {
			return err
		}
		if known {
			_ = w.root.Remove(name)
			continue
		}
		now, err := w.read()
		if !locked || err != nil || htmlsrc.Check(left.bytes) != nil {
			continue
		}
		if known, err = s.isVersion(ctx, documentID, now.sha); err != nil {
			return err
		}
		if known {
			s.step("what another program wrote is put back")
			_ = w.root.Rename(name, w.name)
		}
	}
	return nil
}

// salvageBeside is sweep and salvage for the file at a canonical path.
func (s *Service) salvageBeside(ctx context.Context, path, documentID string, locked bool) error {
	w, err := openTarget(path)
	if err != nil {
		return nil // told by whoever uses the file
	}
	defer w.close()
	w.sweep(s.self)
	return s.salvage(ctx, w, documentID, locked)
}

// swapped lists the files that dead processes exchanged with a document's.
func (w target) swapped(self processToken, documentID string) []string {
	dir, err := w.root.Open(".")
	if err != nil {
		return nil
	}
	defer dir.Close()
	var out []string
	for {
		names, err := dir.Readdirnames(256)
		for _, name := range names {
			rest, ok := strings.CutPrefix(name, tempPrefix)
			token, rest, ok2 := strings.Cut(rest, "-")
			if ok && ok2 && strings.HasSuffix(name, swapSuffix) && strings.HasPrefix(rest, documentID+"-") && self.dead(token) {
				out = append(out, name)
			}
		}
		if err != nil {
			return out
		}
	}
}

func (s *Service) isVersion(ctx context.Context, documentID, sha string) (known bool, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		known, err = tx.HasRevisionSHA(documentID, sha)
		return err
	})
	return known, err
}
