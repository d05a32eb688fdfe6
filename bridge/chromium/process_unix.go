//go:build unix && !linux

package chromium

import (
	"os"
	"os/exec"
	"syscall"
)

// prepare gives the browser its own process group, so that all its helpers can
// be ended at once, and its pipes as descriptors 3 and 4.
func prepare(cmd *exec.Cmd, childR, childW *os.File) {
	cmd.ExtraFiles = []*os.File{childR, childW}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func killGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // ESRCH when it has gone already
}

func smallShm() bool { return false }
