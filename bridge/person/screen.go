package person

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
)

// StartScreen starts a virtual screen, so that windows are real and nobody's own
// screen is in the way. It gives its name for DISPLAY, "" where there is none.
func StartScreen() (display string, end func()) {
	end = func() {}
	xvfb, err := exec.LookPath("Xvfb")
	if err != nil {
		return "", end
	}
	r, w, err := os.Pipe()
	if err != nil {
		return "", end
	}
	defer r.Close()
	cmd := exec.Command(xvfb, "-displayfd", "3", "-screen", "0", "1680x1050x24", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{w}
	err = cmd.Start()
	_ = w.Close()
	if err != nil {
		return "", end
	}
	line, err := bufio.NewReader(r).ReadString('\n')
	if err == nil {
		display = ":" + strings.TrimSpace(line)
	}
	return display, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
