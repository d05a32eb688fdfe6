//go:build linux

package e2e

import (
	"bufio"
	"fmt"
	"maps"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"

	"proofmark/internal/modelserver"
)

// secretService is a keychain for tests: the part of the freedesktop.org Secret
// Service that keeping one secret needs, on a message bus of its own.
type secretService struct {
	mu    sync.Mutex
	items map[dbus.ObjectPath]secretItem
	made  int
	conn  *dbus.Conn
}

type secretItem struct {
	attributes map[string]string
	secret     dbusSecret
}

type dbusSecret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

const (
	secretsRoot       = dbus.ObjectPath("/org/freedesktop/secrets")
	secretsCollection = secretsRoot + "/aliases/default"
	noPrompt          = dbus.ObjectPath("/")
)

// startKeychain runs a message bus with a keychain on it, and gives the address.
func startKeychain(t *testing.T) (address string, s *secretService) {
	t.Helper()
	daemon, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("SKIPPED: there is no dbus-daemon to run a keychain on")
	}
	cmd := exec.Command(daemon, "--session", "--nofork", "--print-address=1", "--address=unix:dir="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(line)
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	s = &secretService{items: map[dbus.ObjectPath]secretItem{}, conn: conn}
	for face, methods := range map[string]map[string]any{
		"Service":    {"OpenSession": s.openSession, "Unlock": s.unlock},
		"Collection": {"SearchItems": s.search, "CreateItem": s.create},
		"Session":    {"Close": func() *dbus.Error { return nil }},
	} {
		path := map[string]dbus.ObjectPath{"Service": secretsRoot, "Collection": secretsCollection, "Session": secretsRoot + "/session"}[face]
		if err := conn.ExportMethodTable(methods, path, "org.freedesktop.Secret."+face); err != nil {
			t.Fatal(err)
		}
	}
	if reply, err := conn.RequestName("org.freedesktop.secrets", dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(reply, err)
	}
	return address, s
}

func (s *secretService) openSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	return dbus.MakeVariant(""), secretsRoot + "/session", nil
}

func (s *secretService) unlock(what []dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	return what, noPrompt, nil
}

func (s *secretService) search(attributes map[string]string) ([]dbus.ObjectPath, *dbus.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []dbus.ObjectPath{}
	for path, it := range s.items {
		if maps.Equal(it.attributes, attributes) {
			out = append(out, path)
		}
	}
	return out, nil
}

func (s *secretService) create(properties map[string]dbus.Variant, secret dbusSecret, _ bool) (dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	attributes, _ := properties["org.freedesktop.Secret.Item.Attributes"].Value().(map[string]string)
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, it := range s.items {
		if maps.Equal(it.attributes, attributes) {
			delete(s.items, path) // replaced
		}
	}
	s.made++
	path := dbus.ObjectPath(fmt.Sprintf("%s/item%d", secretsRoot, s.made))
	s.items[path] = secretItem{attributes, secret}
	err := s.conn.ExportMethodTable(map[string]any{
		"GetSecret": func(session dbus.ObjectPath) (dbusSecret, *dbus.Error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.items[path].secret, nil
		},
		"Delete": func() (dbus.ObjectPath, *dbus.Error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.items, path)
			return noPrompt, nil
		},
	}, path, "org.freedesktop.Secret.Item")
	if err != nil {
		return "", "", dbus.MakeFailedError(err)
	}
	return path, noPrompt, nil
}

// kept gives the secrets by the account they stand under.
func (s *secretService) kept() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for _, it := range s.items {
		out[it.attributes["service"]+"/"+it.attributes["username"]] = string(it.secret.Value)
	}
	return out
}

// TestKeyInTheKeychain proves R-MODEL-4 from the outside: a key goes into the
// keychain over standard input, reaches its host, and can be taken away.
func TestKeyInTheKeychain(t *testing.T) {
	address, chain := startKeychain(t)
	s := modelserver.StartT(t)
	s.RequireKey(modelKey)
	s.SetModels("gpt-x")
	d := newDesk(t)
	d.env = []string{"DBUS_SESSION_BUS_ADDRESS=" + address}
	d.configure(fmt.Sprintf(`{"models": [{"name": "mine", "provider": "openai", "model": "gpt-x", "baseUrl": "%s/v1", "key": {"keychain": "my-host"}}]}`, s.URL()))

	runs := []result{d.want(6, "models", "--check", "mine")}
	if !strings.Contains(runs[0].stdout, "set-key mine") {
		t.Errorf("no word of how to set it:\n%s%s", runs[0].stdout, runs[0].stderr)
	}
	if r := d.runWith("", "models", "set-key", "mine"); r.code != 2 || len(chain.kept()) != 0 {
		t.Errorf("no key on standard input: exit %d, %s, %v", r.code, r.stderr, chain.kept())
	}
	for _, key := range []string{"an-older-key", modelKey} {
		r := d.runWith(key+"\n", "models", "set-key", "mine", "--json")
		if got := chain.kept(); r.code != 0 || len(got) != 1 || got["proofmark/my-host"] != key {
			t.Fatalf("exit %d, %s, kept %v", r.code, r.stderr, got)
		}
		runs = append(runs, r)
	}
	runs = append(runs, d.want(0, "models", "--check", "mine"), d.want(0, "models"))
	if list := runs[len(runs)-1].stdout; !strings.Contains(list, "keychain my-host: set") {
		t.Errorf("%s", list)
	}
	runs = append(runs, d.want(0, "models", "forget-key", "mine"), d.want(3, "models", "forget-key", "mine"), d.want(6, "models", "--check", "mine"))
	if got := chain.kept(); len(got) != 0 {
		t.Errorf("still kept: %v", got)
	}
	d.nowhere(modelKey, runs...)
}
