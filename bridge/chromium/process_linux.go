package chromium

import (
	"os"
	"os/exec"
	"syscall"
)

// prepare gives the browser its own process group, so that all its helpers can
// be ended at once, its pipes as descriptors 3 and 4, and a death warrant for
// the case that this process is killed.
func prepare(cmd *exec.Cmd, childR, childW *os.File) {
	cmd.ExtraFiles = []*os.File{childR, childW}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // ESRCH when it has gone already
}

// smallShm tells whether /dev/shm is too small for Chromium's shared memory,
// as it is in most containers.
func smallShm() bool {
	var st syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &st); err != nil {
		return true
	}
	return uint64(st.Bsize)*st.Bavail < 512<<20
}
