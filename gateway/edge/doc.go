// Package edge refuses requests before anything is routed.
//
// A request comes through if it is plain HTTP/1.1 from this machine to exactly
// our address, from no web page or from the one page of our own, with exactly
// one credential that is valid, and with a body, where it has one, that is JSON
// of a stated, bounded length. Every other request is refused, whatever its
// method or path, in the same order and with the same words, so that nothing
// can be learned about routes from outside.
//
// No header here ever allows another origin anything (there is no CORS), and no
// flag widens what is let in.
package edge
