// Package archtest holds the project's import table, and the rules about
// package documents and decision files, as tests.
package archtest
