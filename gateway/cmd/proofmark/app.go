package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/gates"
	"proofmark/gateway/point"
	"proofmark/gateway/store"
)

// app is one run of the program: its streams, the common flags, and what was
// opened and must be closed again.
type app struct {
	stdin  io.Reader
	stdout *output
	stderr io.Writer

	json, quiet     bool
	dataDir         string
	model, chromium string
	file            string // the page the command is about, as it was named

	st      *store.Store
	docs    *document.Service
	gates   *gates.Gates
	closers []func() error
}

// onClose registers a clean-up; clean-ups run in reverse order.
func (a *app) onClose(f func() error) { a.closers = append(a.closers, f) }

func (a *app) close() {
	for i := len(a.closers) - 1; i >= 0; i-- {
		if err := a.closers[i](); err != nil && !a.quiet {
			fmt.Fprintf(a.stderr, "proofmark: closing: %v\n", err)
		}
	}
	a.closers = nil
}

// finish shows err, if any, and gives the exit code.
func (a *app) finish(err error) int {
	if err == nil {
		return core.ExitOK
	}
	var done *exitError
	if e, ok := err.(*exitError); ok { //nolint:errorlint // never wrapped
		done = e
	}
	if done != nil {
		return done.code
	}
	e := core.AsError(err)
	e.Hint = a.aimed(e.Hint)
	if a.json {
		a.printJSON(map[string]any{"error": errorJSON(e)})
	} else {
		fmt.Fprintf(a.stderr, "proofmark: %s\n", e.Message)
		if e.Code == core.Internal && e.Err != nil {
			fmt.Fprintf(a.stderr, "  cause: %v\n", e.Err)
		}
		for _, line := range detailLines(e) {
			fmt.Fprintf(a.stderr, "  %s\n", line)
		}
		if e.Hint != "" && (e.Detail["nearest"] == nil || !strings.HasPrefix(e.Hint, "the nearest element")) { // that is a line of its own
			fmt.Fprintf(a.stderr, "  → %s\n", e.Hint)
		}
	}
	return e.Code.Exit()
}

var toFile = regexp.MustCompile("`proofmark [a-z-]+ FILE\\b")

// aimed puts the page's name into the commands of a hint, so that they can be
// copied: those who give it do not know how the page was named.
func (a *app) aimed(hint string) string {
	if a.file == "" {
		return hint
	}
	return toFile.ReplaceAllStringFunc(hint, func(s string) string { return strings.TrimSuffix(s, "FILE") + fileArgument(a.file) })
}

// exitError ends a command whose result has been printed already.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

func errorJSON(e *core.Error) map[string]any {
	detail := e.Detail
	if detail == nil {
		detail = map[string]any{}
	}
	message := e.Message
	if e.Code == core.Internal && e.Err != nil {
		message += ": " + e.Err.Error()
	}
	return map[string]any{"code": e.Code, "message": message, "hint": e.Hint, "detail": detail}
}

// detailLines shows the details a person can use: candidates of an ambiguous
// selector, the nearest place that can be edited.
func detailLines(e *core.Error) []string {
	var out []string
	if list, ok := e.Detail["matches"].([]point.Match); ok {
		for _, m := range list {
			out = append(out, m.String())
		}
	}
	if n, ok := e.Detail["nearest"]; ok {
		var near struct {
			Name  string          `json:"name"`
			Path  []core.PathStep `json:"path"`
			Start *core.Span      `json:"start"`
		}
		b, err := json.Marshal(n)
		if err == nil && json.Unmarshal(b, &near) == nil && near.Name != "" {
			line := "nearest place in the source: <" + near.Name + ">"
			if len(near.Path) > 0 {
				line += "  --at '" + point.PathText(near.Path) + "'"
			}
			out = append(out, line)
		}
	}
	return out
}

func (a *app) printJSON(v any) {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // run tells when it could not be written
}

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.stdout, format, args...) }

// progress says what is happening, on standard error, unless quiet or JSON.
func (a *app) progress(format string, args ...any) {
	if !a.quiet && !a.json {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}

// documents opens the store, once.
func (a *app) documents(ctx context.Context) (*document.Service, error) {
	if a.docs != nil {
		return a.docs, nil
	}
	dir, err := a.directory()
	if err != nil {
		return nil, err
	}
	st, err := store.Open(dir, store.Options{})
	if err != nil {
		return nil, err
	}
	a.onClose(st.Close)
	a.st, a.docs = st, document.New(st, document.Options{})
	if err := st.ReadOnly(); err != nil {
		a.progress("%s", core.AsError(err).Message)
	}
	settled, err := a.docs.Reconcile(ctx)
	switch core.CodeOf(err) {
	case "":
	case core.StorageBusy, core.StorageFull, core.ReadOnly, core.PermissionDenied: // settled by a later run; this one may only want to read
	case core.StorageDamaged: // what is whole can still be read
		a.progress("%s", core.AsError(err).Message)
	default:
		return nil, err
	}
	for _, key := range settled.Ambiguous {
		a.progress("a commit of an earlier run (%s) has an outcome that cannot be known; it will not be retried", key)
	}
	return a.docs, nil
}

// directory gives the data directory.
func (a *app) directory() (string, error) {
	if a.dataDir != "" {
		return a.dataDir, nil
	}
	return store.DefaultDir()
}
