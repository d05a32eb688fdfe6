// Package e2e drives the real binary as a user does: real files, a real store,
// a real Chromium. It imports no package of the gateway.
package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "proofmark-e2e-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "proofmark")
	if out, err := exec.Command("go", "build", "-o", binary, "proofmark/gateway/cmd/proofmark").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the binary: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// needChromium skips loudly where there is no browser, unless the environment
// says that there must be one.
func needChromium(t testing.TB) {
	t.Helper()
	for _, name := range []string{os.Getenv("PROOFMARK_CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if name == "" {
			continue
		}
		if _, err := exec.LookPath(name); err == nil {
			return
		}
	}
	if os.Getenv("PROOFMARK_REQUIRE_CHROMIUM") != "" {
		t.Fatal("no Chromium on this machine, and PROOFMARK_REQUIRE_CHROMIUM is set")
	}
	t.Skip("NO CHROMIUM: the main job is not tested on this machine")
}

// desk is a user's place: a folder with pages and a data directory.
type desk struct {
	t    testing.TB
	dir  string // pages
	data string
	env  []string
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	return &desk{t: t, dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
}

func (d *desk) path(name string) string { return filepath.Join(d.dir, name) }

// write makes a page.
func (d *desk) write(name, text string) string {
	d.t.Helper()
	p := d.path(name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
	return p
}

func (d *desk) read(name string) string {
	d.t.Helper()
	b, err := os.ReadFile(d.path(name))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

// result is what one run of the binary gave.
type result struct {
	code           int
	stdout, stderr string
}

// run calls the binary in the desk's folder.
func (d *desk) run(args ...string) result {
	d.t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), "PROOFMARK_DATA_DIR="+d.data)
	cmd.Env = append(cmd.Env, d.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		d.t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// ok calls the binary and fails the test unless it exits with want.
func (d *desk) want(code int, args ...string) result {
	d.t.Helper()
	r := d.run(args...)
	if r.code != code {
		d.t.Fatalf("proofmark %s: exit %d, want %d\nstdout: %s\nstderr: %s", strings.Join(args, " "), r.code, code, r.stdout, r.stderr)
	}
	return r
}

type span [2]int

type edit struct {
	Note        int    `json:"note"`
	Span        span   `json:"span"`
	Replacement string `json:"replacement"`
}

// outcome is CLI.md's result of edit; unknown fields are allowed there.
type outcome struct {
	Status       string `json:"status"`
	Document     string `json:"document"`
	ChangeSet    string `json:"changeSet"`
	Generation   int    `json:"generation"`
	SHA256Before string `json:"sha256Before"`
	SHA256After  string `json:"sha256After"`
	Notes        []struct {
		Order   int    `json:"order"`
		Outcome string `json:"outcome"`
		Targets []struct {
			Resolution string `json:"resolution"`
			Start      *span  `json:"start"`
		} `json:"targets"`
	} `json:"notes"`
	Edits        []edit `json:"edits"`
	Verification *struct {
		NewErrors     []string `json:"newErrors"`
		PixelsInside  *float64 `json:"pixelsInside"`
		PixelsOutside *float64 `json:"pixelsOutside"`
		TreeMatches   bool     `json:"treeMatches"`
	} `json:"verification"`
	Flags []struct {
		Kind   string `json:"kind"`
		Detail string `json:"detail"`
	} `json:"flags"`
	Text    string  `json:"text"`
	Written bool    `json:"written"`
	Error   *failed `json:"error"`
}

type failed struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint"`
	Detail  map[string]any `json:"detail"`
}

func decode[T any](t testing.TB, text string) T {
	t.Helper()
	var v T
	dec := json.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}
	if dec.More() {
		t.Fatalf("more than one JSON value:\n%s", text)
	}
	return v
}

// edit runs edit --json and decodes the outcome.
func (d *desk) edit(code int, args ...string) outcome {
	d.t.Helper()
	r := d.want(code, append([]string{"edit", "--json"}, args...)...)
	return decode[outcome](d.t, r.stdout)
}

// apply does to before what the edits say, by CLI.md's rule.
func apply(t testing.TB, before string, edits []edit) string {
	t.Helper()
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.Span[0] < at || e.Span[1] < e.Span[0] || e.Span[1] > len(before) {
			t.Fatalf("edits are not sorted and apart: %+v", edits)
		}
		b.WriteString(before[at:e.Span[0]])
		b.WriteString(e.Replacement)
		at = e.Span[1]
	}
	b.WriteString(before[at:])
	return b.String()
}
