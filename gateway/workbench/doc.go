// Package workbench keeps what a running gateway has open: previews, what was
// picked in them, and the turns that work.
//
// A browser is started when the first preview is opened. Picks are handles: what
// one stands for is kept here, and is proven against the source when a note is
// made of it, never taken from whoever holds the handle. Turns run in goroutines
// of the workbench, which ends them and waits for them when it closes.
package workbench
