package oracle

import (
	"errors"
	"os"
	"testing"
)

// Open starts a browser for a test and ends it with the test. Where no
// Chromium is installed the test is skipped, or fails if EnvRequire is set.
func Open(t testing.TB) *Browser {
	t.Helper()
	b, err := Start()
	switch {
	case errors.Is(err, ErrNoBrowser) && os.Getenv(EnvRequire) == "":
		t.Skipf("SKIPPED, NOT PASSED: %v (set %s=1 to make this a failure)", err, EnvRequire)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}
