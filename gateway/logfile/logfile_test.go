package logfile

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
)

// Attack 16, R-SEC-2: no secret of ours or of a provider stands in the log,
// wherever somebody put it.
func TestSecretsAreTakenOut(t *testing.T) {
	jwt, _, err := token.NewIssuer("run_1", nil).Mint(token.UI, "x")
	if err != nil {
		t.Fatal(err)
	}
	key := token.NewKey()
	greeting := key.Greet("run_1", 4711, time.Now()).Header
	for _, secret := range []string{
		jwt, "Bearer " + jwt, greeting, core.NewSecret("hrg_"), "sk-ant-api03-abcdefghijklmnop", "Authorization: Basic dXNlcjpwYXNzd29yZA==",
		"https://user:hunter2secret@example.com/", `{"apiKey":"abcdef123456"}`, "token=abcdef123456&x=1", `{"port":4711,"key":"` + token.NewKey().Reveal() + `"}`, "api_key: abcdef123456",
	} {
		var out bytes.Buffer
		l := New(&out)
		l.Info("a message with "+secret, "value", secret, "error", errors.New(secret), "group", slog.GroupValue(slog.String("inner", secret)))
		l.Info("x", "struct", struct{ Inner string }{secret}, "list", []string{secret}, "bytes", []byte(secret), "map", map[string]string{"a": secret})
		l.With("kept", secret).WithGroup("g").Warn("x", "y", secret)
		line := out.String()
		if !strings.Contains(line, `"level":"INFO"`) || !strings.Contains(line, `"level":"WARN"`) {
			t.Errorf("the levels are lost: %s", line)
		}
		for _, part := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), jwt[:40], "hunter2secret", "abcdef123456", "dXNlcjpwYXNzd29yZA"} {
			if strings.Contains(line, part) {
				t.Errorf("%q: the log has %s", part, line)
			}
		}
	}
	for _, plain := range []string{"request", "/v1/documents/{document}", "tok_abc", "run_1", "unauthenticated", "basic facts", "GET"} {
		if Redact(plain) != plain {
			t.Errorf("%q became %q", plain, Redact(plain))
		}
	}
}

// The log is JSON lines, is its owner's alone, and does not grow for ever.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, Dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, Dir, FileName), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	l, end, err := open(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x", 64<<10)
	for range 16 * (maxBackups + 3) {
		l.Info("request", "filler", text)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	var total int64
	err = filepath.WalkDir(filepath.Join(dir, Dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		if !d.IsDir() {
			total += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if most := int64(maxBackups+2) << 20; total > most {
		t.Errorf("%d bytes are kept, at most %d should be", total, most)
	}
	b, err := os.ReadFile(filepath.Join(dir, Dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil || v["msg"] != "request" {
			t.Fatalf("a line is %q: %v", line[:min(len(line), 80)], err)
		}
	}
}
