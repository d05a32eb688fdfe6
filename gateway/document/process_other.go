//go:build !linux

package document

// machineID is empty where we have no sure way to tell whether another process
// still runs; a lease then waits for its expiry.
func machineID() string { return "" }

func processStart(int) (string, bool) { return "0", true }
