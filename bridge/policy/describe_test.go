package policy_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"proofmark/bridge/cdp"
	"proofmark/bridge/policy"
)

var update = flag.Bool("update", false, "write the relay's list anew")

// R-SEC-4: the desktop's relay keeps to the rules that hold here. After a change:
// go test ./bridge/policy -run RelaysList -args -update
func TestRelaysList(t *testing.T) {
	path := filepath.Join("..", "..", "desktop", "src", "relay", "protocol4.json")
	want, err := policy.Describe(cdp.RemotePolicy())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the tables say; write it with -args -update", path)
	}
}
