package chromium

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
)

// prepare hands the browser's ends of the pipes over as handles; there are no
// descriptors 3 and 4 on Windows. The handles keep their values in the child.
func prepare(cmd *exec.Cmd, childR, childW *os.File) {
	in, out := syscall.Handle(childR.Fd()), syscall.Handle(childW.Fd())
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{in, out}}
	cmd.Args = slices.Insert(cmd.Args, 1, fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", in, out))
}

// killGroup ends the browser process; its helpers end with its pipes to them.
func killGroup(p *os.Process) { _ = p.Kill() }

func smallShm() bool { return false }
