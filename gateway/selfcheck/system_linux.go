package selfcheck

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// otherLoopback is an address that is loopback too, and not ours.
const otherLoopback = "127.0.0.2"

// listening lists the TCP sockets on which a process listens, and tells whether
// that can be found out here.
func listening(pids ...int) ([]netip.AddrPort, bool) {
	inodes := map[string]bool{}
	for _, pid := range pids {
		fds, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		if err != nil || len(fds) == 0 {
			return nil, false
		}
		for _, fd := range fds {
			to, _ := os.Readlink(fd) // it may be closed by now
			if inode, ok := strings.CutPrefix(to, "socket:["); ok {
				inodes[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	var out []netip.AddrPort
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		b, err := os.ReadFile(table)
		if err != nil {
			continue // no such protocol here
		}
		for line := range bytes.Lines(b) {
			f := strings.Fields(string(line))
			if len(f) < 10 || f[3] != "0A" || !inodes[f[9]] {
				continue
			}
			a, ok := socketAddress(f[1])
			if !ok {
				return nil, false
			}
			out = append(out, a)
		}
	}
	return out, true
}

// socketAddress reads an address as the kernel writes it: words in the
// machine's order, in hexadecimal.
func socketAddress(s string) (netip.AddrPort, bool) {
	addr, port, ok := strings.Cut(s, ":")
	b, err := hex.DecodeString(addr)
	n, perr := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil || perr != nil || len(b)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(b); i += 4 {
		binary.BigEndian.PutUint32(b[i:], binary.NativeEndian.Uint32(b[i:]))
	}
	a, ok := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(a.Unmap(), uint16(n)), ok
}

// processText gives what others can see of a process, by where it stands.
func processText(pid int) map[string][]byte {
	out := map[string][]byte{}
	for _, name := range []string{"cmdline", "environ"} {
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name)); err == nil {
			out[map[string]string{"cmdline": "its arguments", "environ": "its environment"}[name]] = b
		}
	}
	return out
}

// commands gives the command lines of the processes below one, by process, and
// tells whether they can be found out here.
func commands(root int) (map[int][]string, bool) {
	parent := map[int]int{}
	list, err := os.ReadDir("/proc")
	if err != nil {
		return nil, false
	}
	for _, e := range list {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended
		}
		// The name in parentheses may hold anything.
		if f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])); len(f) > 1 {
			parent[pid], _ = strconv.Atoi(f[1])
		}
	}
	out := map[int][]string{}
	for pid := range parent {
		for up := parent[pid]; up > 1; up = parent[up] {
			if up == root {
				if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && len(b) > 0 {
					out[pid] = strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
				}
				break
			}
		}
	}
	return out, true
}
