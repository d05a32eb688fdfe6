//go:build unix && !darwin

package keys

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/zalando/go-keyring"

	"proofmark/gateway/core"
)

// TestNoSession: where there is no message bus none is started; the error says
// what is missing.
func TestNoSession(t *testing.T) {
	keyring.MockInit() // would answer, were it asked
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	run := filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join(run, name)); err == nil {
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", "x")
		}
	}
	err := Store(t.Context(), "a", "key")
	if session := os.Getenv("DBUS_SESSION_BUS_ADDRESS") != ""; session != (err == nil) {
		t.Errorf("a session: %v; %v", session, err)
	}
	if e := core.AsError(err); err != nil && (e.Code != core.ModelDenied || e.Hint == "") {
		t.Errorf("%v", e)
	}
}
