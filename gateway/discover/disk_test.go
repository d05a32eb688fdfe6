package discover

import (
	"fmt"
	"syscall"
	"testing"

	"proofmark/gateway/core"
)

// D-89: a full or read-only disk under the runtime file is told as one, and is no
// fault inside Proofmark.
func TestDiskErrors(t *testing.T) {
	for err, want := range map[error]core.Code{
		syscall.ENOSPC: core.StorageFull, syscall.EDQUOT: core.StorageFull, syscall.EROFS: core.ReadOnly, syscall.EACCES: core.PermissionDenied, syscall.EIO: core.Internal,
	} {
		if got := diskError(fmt.Errorf("write: %w", err)); got.Code != want {
			t.Errorf("%v: %s, want %s", err, got.Code, want)
		}
	}
}
