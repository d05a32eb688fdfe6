package document

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"proofmark/gateway/core"
)

// machineID gives the same text for two processes that see each other's
// process numbers, until the machine starts anew.
func machineID() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return core.SHA256Hex([]byte(string(boot) + space))[:16]
}

// processStart gives when a process started, in the kernel's ticks, and whether
// it runs. A zombie does not run. What cannot be read counts as running.
func processStart(pid int) (string, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", !errors.Is(err, fs.ErrNotExist)
	}
	// The name in parentheses may hold anything; fields are counted behind it.
	_, rest, ok := strings.Cut(string(stat[max(0, strings.LastIndexByte(string(stat), ')')):]), ") ")
	field := strings.Fields(rest)
	if !ok || len(field) < 20 {
		return "", true
	}
	return field[19], field[0] != "Z" && field[0] != "X"
}
