package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"slices"
	"strings"

	"proofmark/gateway/core"
)

var errHelp = errors.New("help asked for")

// flags makes the flag set of a command, with the common flags in it.
func (a *app) flags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.BoolVar(&a.json, "json", os.Getenv("PROOFMARK_JSON") == "1", "")
	fs.BoolVar(&a.quiet, "quiet", os.Getenv("PROOFMARK_QUIET") == "1", "")
	fs.StringVar(&a.dataDir, "data-dir", os.Getenv("PROOFMARK_DATA_DIR"), "")
	model := os.Getenv("PROOFMARK_MODEL")
	if model == "" {
		model = "builtin"
	}
	fs.StringVar(&a.model, "model", model, "")
	fs.StringVar(&a.chromium, "chromium", os.Getenv("PROOFMARK_CHROMIUM"), "")
	return fs
}

// parse reads flags and positional arguments in any order; "--" ends the flags.
// It checks the number of positional arguments.
func (a *app) parse(fs *flag.FlagSet, args []string, least, most int) ([]string, error) {
	a.json = a.json || wantsJSON(args)
	var pos, rest []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, rest = args[:i], args[i+1:]
	}
	for len(args) > 0 {
		if !strings.HasPrefix(args[0], "-") || args[0] == "-" {
			pos, args = append(pos, args[0]), args[1:]
			continue
		}
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, errHelp
			}
			return nil, core.Errorf(core.Usage, "%s", err.Error()).WithHint("`proofmark help %s` lists its flags", fs.Name())
		}
		args = fs.Args()
	}
	pos = append(pos, rest...)
	if len(pos) < least || most >= 0 && len(pos) > most {
		return nil, core.Errorf(core.Usage, "%s takes %s, got %d", fs.Name(), count(least, most), len(pos)).
			WithHint("`proofmark help %s` shows how to call it", fs.Name())
	}
	return pos, nil
}

func count(least, most int) string {
	words := []string{"no argument", "one argument", "two arguments", "three arguments"}
	if least == most {
		return words[least]
	}
	return "between " + words[least][:strings.IndexByte(words[least], ' ')] + " and " + words[most]
}

// wantsJSON looks for --json before the flags are parsed, so that an error in
// the flags themselves is JSON too.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "-json") || slices.Contains(args, "--json=true")
}
