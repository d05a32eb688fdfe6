// Package keys finds the secret a model provider wants: in the environment or
// in the keychain of the operating system, nowhere else.
//
// A key is never part of an error, a name or a description here, and whoever
// gets one from Lookup keeps it out of logs, arguments, addresses and files.
package keys
