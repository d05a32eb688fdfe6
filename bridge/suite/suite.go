// Package suite is the contract every bridge must keep: the same tests run
// against Chromium over a pipe and against the desktop app's relay.
package suite

import (
	"testing"

	"proofmark/bridge/contract"
)

// Open starts a host whose only way out is the proxy at proxyURL.
type Open func(t testing.TB, proxyURL string) contract.Host

// Run runs the contract tests.
func Run(t *testing.T, open Open) {}
