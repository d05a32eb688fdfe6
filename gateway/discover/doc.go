// Package discover is how programs of one account find the running gateway and
// trust it, and how the gateway says where it is.
//
// The gateway publishes a file in the data directory that only its owner can
// read. It names the port and holds a key, which is never sent: a client greets
// with a proof that it knows the key, and takes a token only from an answer that
// proves the same. Another process that sits on the port learns nothing it could
// use, and is told from the gateway before any secret is sent (bridge/token).
package discover
