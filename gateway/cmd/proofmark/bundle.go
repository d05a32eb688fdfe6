package main

import (
	"context"
	"path/filepath"
	"time"

	"proofmark/gateway/bundle"
	"proofmark/gateway/core"
)

// exportBundle writes a review of the document up to a version: the page to out,
// and the data alone to data where that is named.
func (a *app) exportBundle(ctx context.Context, path string, doc core.Document, rev core.Revision, f *exportFlags) error {
	if f.data != "" {
		if err := twoFiles(f.out, f.data); err != nil {
			return err
		}
	}
	r, left, err := bundle.Collect(ctx, a.docs, a.drafts(), bundle.Request{Document: doc, Revision: rev, SessionID: f.session, Made: time.Now()})
	if err != nil {
		return err
	}
	page, err := r.HTML()
	if err != nil {
		return err
	}
	if f.data != "" {
		data, err := r.JSON()
		if err != nil {
			return err
		}
		if f.out != "-" { // not the one without the other, as far as can be told before
			if _, _, err := outTarget(f.out, doc.Path); err != nil {
				return err
			}
		}
		if err := exportTo(f.data, doc.Path, data); err != nil {
			return err
		}
	}
	if f.out == "-" {
		if _, err := a.stdout.Write(page); err != nil {
			return core.Wrap(core.Internal, err, "writing to standard output failed")
		}
	} else if err := exportTo(f.out, doc.Path, page); err != nil {
		return err
	}
	if a.json {
		out := map[string]any{
			"file": path, "out": f.out, "generation": rev.Generation, "sha256": rev.SHA256, "bytes": rev.Bytes,
			"reviewBytes": len(page), "versions": len(r.Versions), "changes": len(r.Changes), "drafts": len(r.Drafts), "leftOut": left,
		}
		if f.data != "" {
			out["bundleJson"] = f.data
		}
		a.printJSON(out)
		return nil
	}
	if f.out != "-" {
		a.printf("Review of generation %d: %d open note%s, %d change%s, %s bytes, to %s.\n", rev.Generation,
			len(r.Drafts), plural(len(r.Drafts)), len(r.Changes), plural(len(r.Changes)), thousands(len(page)), f.out)
	}
	if left.Changes > 0 {
		a.progress("The %d oldest change%s did not fit; the review begins at generation %d.", left.Changes, plural(int(left.Changes)), r.Source.Generation)
	}
	if left.Drafts > 0 {
		a.progress("The last %d note%s did not fit; a review holds %d.", left.Drafts, plural(left.Drafts), core.MaxBundleDrafts)
	}
	return nil
}

// twoFiles refuses two outputs in one file.
func twoFiles(out, data string) error {
	x, errX := filepath.Abs(out)
	y, errY := filepath.Abs(data)
	if out != "-" && (errX == nil && errY == nil && x == y || same(out, data)) {
		return core.Errorf(core.Usage, "--out and --bundle-json name the same file")
	}
	if data == "-" {
		return core.Errorf(core.Usage, "--bundle-json names a file").WithHint("only --out can be - for standard output")
	}
	return nil
}
