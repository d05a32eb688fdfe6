// Package testbrowser starts the real Chromium that tests look at pages with,
// behind a preview listener. It is imported by tests only.
package testbrowser
