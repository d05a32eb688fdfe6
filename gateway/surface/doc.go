// Package surface shows untrusted pages: it owns the preview listener, the
// leases a page is served under, and the surfaces that look at them.
//
// The listener is bound to 127.0.0.1 and is two things at once: the origin
// server of every leased page, "http://<128-bit label>.localhost:<port>", and
// the only proxy the browser has. It answers GET and HEAD for a leased host and
// nothing else, so a page can reach its own lease and no further, whatever the
// content security policy in front of it lets through.
//
// A lease is bound to a document, a revision or candidate and the SHA-256 of
// its bytes. Files beside the page are served read-only through os.Root
// (assets.go); https origins a person allowed are fetched by the gateway itself
// (fetch.go), recorded, and replayed to the candidate so that it is compared
// with its base in the same world (recording.go).
package surface
