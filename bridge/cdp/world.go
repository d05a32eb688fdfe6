package cdp

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"proofmark/bridge/policy"
	"proofmark/gateway/core"
)

// worldName names the isolated world of the bridge's functions. A page cannot
// reach into it.
const worldName = "proofmark"

//go:embed js/*.js
var sources embed.FS

// worldScript runs in every new document, before the document has a node. It
// leaves one function in the world, and nothing anywhere else. frameScript is the
// same for a page in a frame of the workbench, shownScript for a view that a person
// looks at.
var worldScript, frameScript, shownScript = buildWorld(false, false), buildWorld(true, true), buildWorld(false, true)

// callFunction is the one function that is ever called in a page: it passes an
// operation of the world's closed list on.
var callFunction = strings.TrimSpace(mustRead("js/call.js"))

func buildWorld(framed, shown bool) string {
	names, err := fs.Glob(sources, "js/[0-9]*.js")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	var b strings.Builder
	fmt.Fprintf(&b, "(() => {\n'use strict';\nconst BIRTH_LIMIT = %d;\nconst FRAMED = %t;\nconst LOOKED_AT = %t;\n", core.MaxBirths, framed, shown)
	for _, n := range names {
		b.WriteString(mustRead(n))
	}
	b.WriteString("})();\n")
	return b.String()
}

func mustRead(name string) string {
	b, err := sources.ReadFile(name)
	if err != nil {
		panic(err) // the files are part of the program
	}
	return string(b)
}

// Policy is what the bridge's transport to a browser has to allow.
func Policy() policy.Config {
	return policy.Config{World: worldName, Functions: []string{callFunction}, Scripts: []string{worldScript, frameScript}}
}

// RemotePolicy is what its transport to a relay of the desktop's has to allow, and
// the relay too.
func RemotePolicy() policy.Config {
	return policy.Config{World: worldName, Functions: []string{callFunction}, Scripts: []string{worldScript, shownScript}, Remote: true}
}
