package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"proofmark/bridge/staged"
)

// bridged is a gateway that a desktop app has started: said is its first line.
func (d *desk) bridged(t *testing.T, said string) (s *served, ready map[string]any) {
	t.Helper()
	s = &served{t: t, cmd: exec.Command(binary, "serve", "--owned", "--bridge")}
	s.cmd.Dir = d.dir
	s.cmd.Env = append(append(os.Environ(), "PROOFMARK_DATA_DIR="+d.data, "PROOFMARK_CHROMIUM=/nowhere/chromium"), d.env...)
	s.cmd.Stderr = &s.errs
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stdin = stdin
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.end() })
	if _, err := stdin.Write([]byte(said)); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &ready); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(lines.Bytes(), s); err != nil {
			t.Fatal(err)
		}
	}
	return s, ready
}

func greeting(url, token string) string {
	return fmt.Sprintf(`{"protocol":4,"relay":{"url":%q,"token":%q}}`+"\n", url, token)
}

// must asks and decodes an answer that has to be there.
func must[T any](t *testing.T, s *served, method, path, body string) T {
	t.Helper()
	r := s.ask(method, path, body)
	if r.status/100 != 2 {
		t.Fatalf("%s %s: %+v", method, path, r)
	}
	return decode[T](t, r.body)
}

// R-UI-1, R-SEC-4: the desktop's pages are all that a gateway needs. It shows one in
// the window, picks in it, and a change is looked at in hidden ones before it is
// committed; no Chromium stands beside it. When the app's pages are gone, that is said.
func TestBridge(t *testing.T) {
	r := staged.OverChromium(t)
	d := newDesk(t)
	d.write("page.html", "<!doctype html><style>*{margin:0}</style><h1 style='height:80px'>Hello</h1><p>there")
	s, ready := d.bridged(t, greeting(r.URL, r.Token))
	if ready["protocol"] != 4.0 {
		t.Fatalf("ready: %v\n%s", ready, s.errs.String())
	}
	doc := s.open(filepath.Join(d.dir, "page.html"))
	type preview struct{ ID, Place, FrameURL string }
	p := must[preview](t, s, "POST", "/v1/documents/"+doc+"/previews", `{"place":"window","width":800,"height":600}`)
	if p.Place != "window" || p.FrameURL != "" {
		t.Errorf("%+v", p)
	}
	must[map[string]any](t, s, "POST", "/v1/previews/"+p.ID+"/reload", `{"version":""}`)
	picked := must[map[string]any](t, s, "POST", "/v1/previews/"+p.ID+"/picks", `{"target":"@20,20"}`)
	if !strings.Contains(fmt.Sprint(picked), "h1") {
		t.Errorf("picked %v", picked)
	}
	edit := fmt.Sprintf(`{"tasks":[{"do":"text","name":"","value":"New","picks":[%q]}],"write":true}`, picked["handle"])
	edited := must[struct {
		ChangeSet struct {
			Verification struct {
				TreeMatches  bool
				PixelsInside float64
			}
		}
	}](t, s, "POST", "/v1/previews/"+p.ID+"/edits", edit)
	if page := d.read("page.html"); !strings.Contains(page, ">New</h1>") || !edited.ChangeSet.Verification.TreeMatches || edited.ChangeSet.Verification.PixelsInside == 0 {
		t.Errorf("edited %v: %s", edited, page)
	}
	hidden := must[preview](t, s, "POST", "/v1/documents/"+doc+"/previews", `{"width":800,"height":600}`)
	if got := s.ask("GET", "/v1/previews/"+hidden.ID+"/picture", ""); got.status != 200 || !strings.HasPrefix(got.body, "\x89PNG") {
		t.Errorf("a hidden page has no picture: %d", got.status)
	}
	if got := must[map[string][]any](t, s, "GET", "/v1/turns?running", ""); len(got["turns"]) != 0 {
		t.Errorf("running: %v", got)
	}
	tokenIsNowhere(t, d, s, r.Token)
	r.Kill()
	deadline := time.Now().Add(10 * time.Second)
	for {
		got := s.ask("POST", "/v1/previews/"+p.ID+"/picks", `{"target":"@20,20"}`)
		if got.status == 404 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the preview lives on: %+v", got)
		}
		time.Sleep(50 * time.Millisecond) // it is another process that has to notice
	}
	for _, ask := range []string{`{"place":"window","width":800,"height":600}`, `{"width":800,"height":600}`} {
		if got := s.ask("POST", "/v1/documents/"+doc+"/previews", ask); got.status/100 == 2 || !strings.Contains(got.body, "esktop") {
			t.Errorf("%s without pages: %+v", ask, got)
		}
	}
	if got := s.ask("GET", "/v1/documents/"+doc+"/source", ""); got.status != 200 {
		t.Errorf("the source: %+v", got)
	}
	if code := s.end(); code != 0 {
		t.Errorf("it ended with %d: %s", code, s.errs.String())
	}
}

// tokenIsNowhere: the relay's token stands in no file, argument or environment.
func tokenIsNowhere(t *testing.T, d *desk, s *served, secret string) {
	t.Helper()
	for _, name := range []string{"cmdline", "environ"} {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.cmd.Process.Pid, name))
		if err == nil && bytes.Contains(b, []byte(secret)) {
			t.Errorf("the token is in %s", name)
		}
	}
	err := filepath.WalkDir(d.data, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(secret)) {
			t.Errorf("the token is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if strings.Contains(s.errs.String(), secret) {
		t.Error("the token is in standard error")
	}
}

// A shell without pages, and one whose relay cannot be reached: what needs no page
// works, and what does says why.
func TestBridgeSourceOnly(t *testing.T) {
	for name, c := range map[string]struct {
		said     string
		protocol float64
	}{
		"Protocol3": {`{"protocol":3}` + "\n", 3},
		"NoRelay":   {greeting("ws://127.0.0.1:1/bridge/x", strings.Repeat("0", 64)), 0},
		"Elsewhere": {greeting("ws://192.0.2.1:80/bridge/x", strings.Repeat("0", 64)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.write("page.html", "<!doctype html><p>Hello")
			s, ready := d.bridged(t, c.said)
			if ready["protocol"] != c.protocol {
				t.Fatalf("ready: %v\n%s", ready, s.errs.String())
			}
			doc := s.open(filepath.Join(d.dir, "page.html"))
			var features []struct {
				Feature, By string
				On          bool
			}
			health := must[map[string]json.RawMessage](t, s, "GET", "/v1/health", "")
			if err := json.Unmarshal(health["features"], &features); err != nil {
				t.Fatal(err)
			}
			for _, f := range features {
				if off := f.Feature == "artifactPromptAnnotations"; f.On == off || off && f.By != "host" {
					t.Errorf("%+v", f)
				}
			}
			if got := s.ask("POST", "/v1/documents/"+doc+"/previews", `{"place":"window","width":800,"height":600}`); got.status/100 == 2 || !strings.Contains(got.body, "Desktop required") {
				t.Errorf("a page in the window: %+v", got)
			}
			if got := s.ask("POST", "/v1/documents/"+doc+"/annotations", `{"session":"s","instruction":"x","picks":["p"],"preview":"prv_x"}`); !strings.Contains(got.body, "feature_off") {
				t.Errorf("a note: %+v", got)
			}
			if got := s.ask("GET", "/v1/documents/"+doc+"/source", ""); got.status != 200 {
				t.Errorf("the source: %+v", got)
			}
			if code := s.end(); code != 0 {
				t.Errorf("it ended with %d: %s", code, s.errs.String())
			}
		})
	}
}

// What is no greeting ends the gateway with a clear word, and is not repeated.
func TestBridgeGreeting(t *testing.T) {
	secret := strings.Repeat("ab", 32)
	for name, said := range map[string]string{
		"NoJSON":   "hello " + secret + "\n",
		"Unknown":  `{"protocol":4,"relay":{"url":"ws://127.0.0.1:1/x","token":"` + secret + `"},"more":1}` + "\n",
		"Twice":    `{"protocol":3,"protocol":4}` + "\n",
		"Protocol": `{"protocol":5}` + "\n",
		"NoRelay":  `{"protocol":4}` + "\n",
		"NoToken":  `{"protocol":4,"relay":{"url":"ws://127.0.0.1:1/x","token":"` + secret[1:] + `"}}` + "\n",
		"Both":     `{"protocol":3,"relay":{"url":"ws://127.0.0.1:1/x","token":"` + secret + `"}}` + "\n",
		"TooLong":  `{"protocol":3` + strings.Repeat(" ", 5000) + "}\n",
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			s, ready := d.bridged(t, said)
			if ready != nil {
				t.Fatalf("it started: %v", ready)
			}
			if code := s.end(); code == 0 || !strings.Contains(s.errs.String(), "first line") {
				t.Errorf("exit %d: %s", code, s.errs.String())
			}
			if strings.Contains(s.errs.String(), secret) {
				t.Errorf("the token is repeated: %s", s.errs.String())
			}
		})
	}
}
