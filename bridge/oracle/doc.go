// Package oracle asks a real Chromium what document it makes of bytes. It is
// test support: tests of the source map and of edits hold their answers
// against it, and nothing else imports it.
//
// Two ways lead to a document. Navigate is the authority: a real load over
// HTTP with JavaScript off. The others parse batches with
// Document.parseHTMLUnsafe, which makes the same trees some thousand times
// faster, but drops comments.
package oracle
