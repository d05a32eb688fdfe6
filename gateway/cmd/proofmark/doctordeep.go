package main

import (
	"context"
	"fmt"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/store"
)

// healthLine is what can still be read of a document.
type healthLine struct {
	File           string  `json:"file"`
	Document       string  `json:"document"`
	Generation     int64   `json:"generation"`
	NewestReadable int64   `json:"newestReadable"` // 0: none
	Unreadable     []int64 `json:"unreadable"`
	Repairable     []int64 `json:"repairable"` // of the unreadable ones
}

type usageLine struct {
	Documents   int64 `json:"documents"`
	Revisions   int64 `json:"revisions"`
	ChangeSets  int64 `json:"changeSets"`
	Blobs       int64 `json:"blobs"`
	BlobBytes   int64 `json:"blobBytes"`   // as stored
	SourceBytes int64 `json:"sourceBytes"` // unpacked
	FileBytes   int64 `json:"fileBytes"`
}

func usageOf(u store.Usage) usageLine { return usageLine(u) }

// doctorDeep reads everything that is stored. It settles nothing an earlier run
// left over: what is damaged is looked at as it is.
func (a *app) doctorDeep(ctx context.Context, repair bool) error {
	dir, err := a.directory()
	if err != nil {
		return err
	}
	st, err := store.Open(dir, store.Options{})
	if err != nil {
		return err
	}
	a.onClose(st.Close)
	docs := document.New(st, document.Options{})
	var r document.Report
	repaired := 0
	if repair {
		r, repaired, err = docs.Repair(ctx)
	} else {
		r, err = docs.Integrity(ctx)
	}
	if err != nil {
		return err
	}
	if a.json {
		a.deepJSON(dir, r, repaired)
	} else {
		a.deepText(r, repaired)
	}
	if len(r.Problems) > 0 {
		return &exitError{code: core.StorageDamaged.Exit()}
	}
	return nil
}

func (a *app) deepJSON(dir string, r document.Report, repaired int) {
	lines := make([]healthLine, 0, len(r.Documents))
	for _, h := range r.Documents {
		lines = append(lines, healthLine{
			File: h.Path, Document: h.DocumentID, Generation: h.Generation, NewestReadable: h.NewestReadable(),
			Unreadable: append([]int64{}, h.Unreadable...), Repairable: append([]int64{}, h.Remade...),
		})
	}
	out := map[string]any{
		"ok": len(r.Problems) == 0, "dataDir": dir, "problems": append([]string{}, r.Problems...),
		"documents": lines, "usage": usageOf(r.Usage), "repaired": repaired,
	}
	if err := r.Err(""); err != nil {
		out["error"] = errorJSON(core.AsError(err))
	}
	a.printJSON(out)
}

// maxShown bounds how many problems are printed; JSON has them all.
const maxShown = 20

func (a *app) deepText(r document.Report, repaired int) {
	u := r.Usage
	a.printf("Read %s, %s and %s: %s of bytes kept in %s on disk.\n", counted(u.Documents, "document"), counted(u.Revisions, "version"),
		counted(u.ChangeSets, "change"), byteSize(u.SourceBytes), byteSize(u.FileBytes))
	if repaired > 0 {
		a.printf("Stored anew, as their changes make them: %s.\n", counted(int64(repaired), "damaged version"))
	}
	if len(r.Problems) == 0 {
		a.printf("Everything is as it was stored.\n")
		return
	}
	a.printf("\n%s:\n", counted(int64(len(r.Problems)), "problem"))
	for i, p := range r.Problems {
		if i == maxShown {
			a.printf("  … and %d more (--json lists them)\n", len(r.Problems)-i)
			break
		}
		a.printf("  %s\n", p)
	}
	a.printf("\nWhat can still be read:\n")
	repairable := 0
	for _, h := range r.Documents {
		a.printf("  %s: %s\n", h.Path, readable(h))
		repairable += len(h.Remade)
	}
	if len(r.Documents) == 0 {
		a.printf("  nothing: restore the last backup (`proofmark help restore-backup`)\n")
	}
	a.printf("\nBefore anything else copy the whole data directory somewhere safe.\n")
	if repairable > 0 {
		a.printf("`proofmark doctor --deep --repair` can make %s anew from the changes.\n", counted(int64(repairable), "version"))
	}
	a.printf("`proofmark export FILE --generation N --out COPY` writes a version elsewhere; the last backup has the rest.\n")
}

// readable says in words which versions can be read.
func readable(h document.Health) string {
	switch n := h.NewestReadable(); {
	case len(h.Unreadable) == 0:
		return fmt.Sprintf("all %d generations", h.Generation)
	case n == 0:
		return "no generation"
	default:
		return fmt.Sprintf("the newest readable generation is %d of %d; not readable: %s", n, h.Generation, ranges(h.Unreadable))
	}
}

// ranges writes ascending numbers shortly: 2, 5-7.
func ranges(n []int64) string {
	var out []string
	for i := 0; i < len(n); {
		j := i
		for j+1 < len(n) && n[j+1] == n[j]+1 {
			j++
		}
		if i == j {
			out = append(out, fmt.Sprint(n[i]))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", n[i], n[j]))
		}
		i = j + 1
	}
	return strings.Join(out, ", ")
}
