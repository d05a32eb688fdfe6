// Package selfcheck looks, on a person's own machine, whether what keeps others
// out does so there: who listens where, what the gateway's edge refuses, who can
// read the files, how the browser was started, and whether a hostile page in a
// preview reaches anything.
//
// It tries what an attacker would try, on a gateway of its own with an empty
// data directory, on its own listeners and on loopback alone. The person's data
// directory is only looked at. Nothing that is found out here leaves the machine.
package selfcheck
