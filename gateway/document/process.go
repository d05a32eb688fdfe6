package document

import (
	"os"
	"strconv"
	"strings"

	"proofmark/gateway/core"
)

// processToken names a process of one machine so that others can tell whether
// it still runs. machine is empty where that cannot be told.
type processToken struct {
	machine string // the boot and the process name space
	pid     int
	start   string // when the process started: numbers of processes come again
}

func ownToken() processToken {
	pid := os.Getpid()
	start, ok := processStart(pid)
	t := processToken{machine: machineID(), pid: pid, start: start}
	if !ok {
		t.machine = ""
	}
	return t
}

// String gives "machine.pid.start".
func (t processToken) String() string {
	return t.machine + "." + strconv.Itoa(t.pid) + "." + t.start
}

// holder gives a name for one lease.
func (t processToken) holder() string { return core.NewID("hld") + "@" + t.String() }

// gone tells whether the process behind a holder's name surely runs no more.
func (t processToken) gone(holder string) bool {
	_, token, ok := strings.Cut(holder, "@")
	return ok && t.dead(token)
}

// dead tells whether the process of a token surely runs no more. When in doubt
// it does not.
func (t processToken) dead(token string) bool {
	part := strings.Split(token, ".")
	if len(part) != 3 || t.machine == "" || part[0] != t.machine {
		return false
	}
	pid, err := strconv.Atoi(part[1])
	if err != nil || pid <= 0 {
		return false
	}
	start, runs := processStart(pid)
	return !runs || start != part[2]
}
