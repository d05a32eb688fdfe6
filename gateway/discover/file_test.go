package discover

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
)

func somewhere(port int) Place {
	return Place{PID: 1, Port: port, Launch: core.NewID("run"), Key: token.NewKey(), Started: time.Now().UTC().Truncate(time.Second)}
}

// What is published is found, by nobody else, until it is withdrawn.
func TestPublish(t *testing.T) {
	dir := t.TempDir()
	if _, err := Find(dir); core.CodeOf(err) != core.NoGateway {
		t.Fatalf("before: %v", err)
	}
	left := filepath.Join(dir, ".gateway-123.tmp") // by one that was killed
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := somewhere(4711)
	withdraw, err := Publish(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Find(dir)
	if err != nil || got != p {
		t.Fatalf("%+v %v", got, err)
	}
	if _, err := Publish(dir, somewhere(4712)); core.CodeOf(err) != core.AlreadyExists {
		t.Errorf("a second one: %v", err)
	}
	if got, _ := Find(dir); got != p {
		t.Errorf("the second one changed the file: %+v", got)
	}
	if _, err := os.Lstat(left); !os.IsNotExist(err) {
		t.Errorf("what a killed one left is there: %v", err)
	}
	if err := withdraw(); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(dir); core.CodeOf(err) != core.NoGateway {
		t.Errorf("after: %v", err)
	}
	if withdraw, err = Publish(dir, p); err != nil {
		t.Fatalf("once more: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, FileName)); err != nil { // somebody tidied up
		t.Fatal(err)
	}
	if err := withdraw(); err != nil {
		t.Error(err)
	}
}

// Of many that start at once one gateway is there, and the file is its own.
func TestManyStartAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var won []Place
	for i := range 16 {
		wg.Go(func() {
			p := somewhere(5000 + i)
			_, err := Publish(dir, p)
			switch core.CodeOf(err) {
			case "":
				mu.Lock()
				won = append(won, p)
				mu.Unlock()
			case core.AlreadyExists:
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := Find(dir); len(won) != 1 || err != nil || got != won[0] {
		t.Errorf("%d gateways run, the file says %+v: %v", len(won), got, err)
	}
}

// What cannot be read is no gateway, and the refusal holds nothing of it.
func TestParseRefuses(t *testing.T) {
	key := token.NewKey().Reveal()
	good := `{"format":1,"pid":7,"port":4711,"launch":"` + core.NewID("run") + `","key":"` + key + `","started":"2026-01-02T03:04:05Z"}`
	if _, err := parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"nothing":         "",
		"null":            "null",
		"an array":        "[]",
		"cut":             good[:len(good)-1],
		"more behind":     good + "{}",
		"a name twice":    strings.Replace(good, `"pid":7`, `"pid":7,"pid":8`, 1),
		"another name":    strings.Replace(good, `"pid":7`, `"pid":7,"host":"0.0.0.0"`, 1),
		"another format":  strings.Replace(good, `"format":1`, `"format":2`, 1),
		"no process":      strings.Replace(good, `"pid":7`, `"pid":0`, 1),
		"port 0":          strings.Replace(good, "4711", "0", 1),
		"port 65536":      strings.Replace(good, "4711", "65536", 1),
		"port -1":         strings.Replace(good, "4711", "-1", 1),
		"port as text":    strings.Replace(good, "4711", `"4711"`, 1),
		"port 1e3":        strings.Replace(good, "4711", "1e3", 1),
		"another launch":  strings.Replace(good, `"run`, `"doc`, 1),
		"a short key":     strings.Replace(good, key, key[1:], 1),
		"a long key":      strings.Replace(good, key, key+"A", 1),
		"a key with ends": strings.Replace(good, key, `\n`+key, 1),
		"blanks for ever": good + strings.Repeat(" ", maxFileBytes),
		"no UTF-8":        strings.Replace(good, "run", "run\xff", 1),
	} {
		_, err := parse([]byte(text))
		if core.CodeOf(err) != core.NoGateway || strings.Contains(core.AsError(err).Error(), key) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"format":1,"pid":7,"port":4711,"launch":"run_x","key":"` + token.NewKey().Reveal() + `","started":"2026-01-02T03:04:05Z"}`))
	f.Add([]byte(`{}`))
	f.Add([]byte("\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := parse(b)
		if err != nil {
			if core.CodeOf(err) != core.NoGateway || p != (Place{}) {
				t.Errorf("%+v %v", p, err)
			}
			return
		}
		if p.Port < 1 || p.Port > 65_535 || p.PID < 1 || !core.HasPrefix(p.Launch, "run") {
			t.Errorf("%q gives %+v", b, p)
		}
	})
}
