package main

import (
	"context"
	"runtime"
	"runtime/debug"
)

// version is set by the release build with -ldflags.
var version = "0.1.0-dev"

var versionCommand = &command{
	name: "version", summary: "say which version this is",
	long: "Says the version, the Go release it was built with, and the platform.",
	run: func(_ context.Context, a *app, args []string) error {
		if _, err := a.parse(a.flags("version"), args, 0, 0); err != nil {
			return err
		}
		commit := ""
		if info, ok := debug.ReadBuildInfo(); ok {
			for _, s := range info.Settings {
				if s.Key == "vcs.revision" {
					commit = s.Value
				}
			}
		}
		if a.json {
			a.printJSON(map[string]any{
				"version": version, "commit": commit, "go": runtime.Version(),
				"os": runtime.GOOS, "arch": runtime.GOARCH, "bridgeProtocol": protocolVersion,
			})
			return nil
		}
		a.printf("proofmark %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return nil
	},
}
