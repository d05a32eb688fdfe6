//go:build unix && !darwin

package keys

import (
	"errors"
	"fmt"
	"os"
)

const howToGetOne = "it needs a running Secret Service (GNOME Keyring, KWallet, KeePassXC) on the session's D-Bus"

// present looks for the session's message bus before it is asked: where there
// is none, the library would start one, which nobody asked for and which
// would hold no keys.
func present() error {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return nil
	}
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(fmt.Sprintf("/run/user/%d/%s", os.Getuid(), name)); err == nil {
			return nil
		}
	}
	return errors.New("there is no D-Bus session")
}
