// Package jscheck tells whether a text is JavaScript, in bounded time and memory,
// whatever the text is.
//
// The parser behind it, github.com/tdewolff/parse/v2/js, reads a text once, but
// recurses without a limit in some places (nested patterns, calls of async) and
// carries every name through every scope around it, so that depth times names
// is what it costs. A hostile script could thereby take all memory or minutes.
// So a first pass over the tokens measures the text, and only what is small
// enough is parsed. The first pass has to read the same tokens as the parser;
// where a slash could be a division as well as the start of a regular
// expression, and only a parser can tell which, it gives up and the text counts
// as one that cannot be checked.
//
// The answer is about syntax as far as the parser knows it. It lets some errors
// pass that browsers report (a statement without its body at the end of the
// text, top-level await in a classic script); those are found where the page is
// loaded.
package jscheck
