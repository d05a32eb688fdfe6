package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
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
			return nil, badFlag(fs.Name(), args[0], err)
		}
		args = fs.Args()
	}
	pos = append(pos, rest...)
	if c := lookup(fs.Name()); c != nil && strings.HasPrefix(c.args, "FILE") && len(pos) > 0 {
		a.file = pos[0]
	}
	if len(pos) < least || most >= 0 && len(pos) > most {
		hint := "`proofmark help " + fs.Name() + "` shows how to call it"
		if len(pos) > least {
			hint = "put a name or text with blanks in quotes; " + hint
		}
		return nil, core.Errorf(core.Usage, "%s takes %s, got %s", fs.Name(), count(least, most), given(pos)).WithHint("%s", hint)
	}
	return pos, nil
}

var (
	unknownFlag = regexp.MustCompile(`^flag provided but not defined: -+(.*)$`)
	noValue     = regexp.MustCompile(`^flag needs an argument: -+(.*)$`)
	badValue    = regexp.MustCompile(`(?s)^invalid (?:boolean )?value (".*") for (?:flag )?-([a-z-]+): (.*)$`)
)

// badFlag says what the flag package found in this program's words.
func badFlag(command, arg string, err error) error {
	hint := "`proofmark help " + command + "` lists its flags"
	if m := unknownFlag.FindStringSubmatch(err.Error()); m != nil {
		if _, statErr := os.Lstat(arg); statErr == nil {
			hint = "a file whose name begins with a dash is written ./" + arg
		}
		return core.Errorf(core.Usage, "%s has no flag --%s", command, m[1]).WithHint("%s", hint)
	}
	if m := noValue.FindStringSubmatch(err.Error()); m != nil {
		return core.Errorf(core.Usage, "--%s needs a value", m[1]).WithHint("%s", hint)
	}
	m := badValue.FindStringSubmatch(err.Error())
	switch {
	case m == nil:
		return core.Errorf(core.Usage, "%s", err.Error()).WithHint("%s", hint)
	case strings.HasPrefix(m[3], "--"):
		return core.Errorf(core.Usage, "%s", m[3]).WithHint("%s", hint)
	case m[3] == "parse error":
		return core.Errorf(core.Usage, "--%s %s is not a number", m[2], m[1]).WithHint("%s", hint)
	}
	return core.Errorf(core.Usage, "--%s: %s", m[2], m[3]).WithHint("%s", hint)
}

// given shows the arguments there are, so that a missing quote is seen.
func given(pos []string) string {
	if len(pos) == 0 {
		return "none"
	}
	var list []string
	for i, p := range pos {
		if i == 4 {
			list = append(list, "…")
			break
		}
		list = append(list, strconv.Quote(p))
	}
	return fmt.Sprintf("%d: %s", len(pos), strings.Join(list, ", "))
}

func count(least, most int) string {
	words := []string{"no argument", "one argument", "two arguments", "three arguments"}
	switch most {
	case least:
		return words[least]
	case -1:
		return "at least " + words[least]
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
