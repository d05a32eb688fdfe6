package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"proofmark/gateway/core"
)

// command is one row of the command table.
type command struct {
	name    string
	args    string // what stands behind the name, for help
	summary string // one line
	long    string // paragraphs and examples
	run     func(ctx context.Context, a *app, args []string) error
}

var commands []*command

func init() { // not a literal: help refers to the table that holds it
	commands = []*command{
		openCommand, editCommand, sourceCommand, mapCommand, annotateCommand, sendCommand, eventsCommand,
		historyCommand, changesCommand, diffCommand, revertCommand, redoCommand, restoreCommand, nameCommand, exportCommand, importCommand, auditCommand, syncCommand, watchCommand,
		modelsCommand, certifyCommand, serveCommand, killCommand, unkillCommand, demoCommand, doctorCommand, gcCommand, backupCommand, restoreBackupCommand, completionCommand, versionCommand,
	}
}

func lookup(name string) *command {
	for _, c := range commands {
		if c.name == name {
			return c
		}
	}
	return nil
}

// suggest gives the nearest command name, for a typing error.
func suggest(name string) string {
	best, at := "", 3
	for _, c := range commands {
		if d := distance(name, c.name); d < at {
			best, at = c.name, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %q? `proofmark help` lists the commands", best)
	}
	return "`proofmark help` lists the commands"
}

// distance is the Levenshtein distance of two short words, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost++
			}
			diag = row[j]
			row[j] = min(row[j]+1, row[j-1]+1, cost)
		}
	}
	return row[len(b)]
}

func (a *app) overview(w io.Writer) {
	fmt.Fprint(w, `Proofmark changes an HTML page where you point, only there, and can take it back.

Usage: proofmark COMMAND [FILE] [flags]

Commands:
`)
	for _, c := range commands {
		fmt.Fprintf(w, "  %-14s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, `
Try:
  proofmark edit page.html --at 'h1' --say 'change the text to "Quarterly report"'
  proofmark diff page.html
  proofmark revert page.html

`+commonHelp+`
`+"`proofmark help COMMAND`"+` says more. Exit codes: 0 done, 1 internal error, 2 usage, 3 refused,
4 conflict, 5 answered without a change, 6 something is missing on this machine, 7 needs approval.
`)
}

const commonHelp = `Flags of every command (the environment mirrors them: PROOFMARK_DATA_DIR, PROOFMARK_JSON=1 …):
  --json           results as JSON on standard output, errors too
  --quiet          no progress on standard error
  --data-dir DIR   where versions are kept (default: this platform's data directory)
  --model NAME     who plans the change (default builtin: no model, plain instructions;
                   ` + "`proofmark models`" + ` lists the others)
  --chromium PATH  the browser to use (default: the first one found)
`

func (a *app) help(args []string) error {
	args = slices.DeleteFunc(args, func(s string) bool { return s == "--json" })
	if len(args) == 0 {
		a.overview(a.stdout)
		return nil
	}
	c := lookup(args[0])
	if c == nil {
		return core.Errorf(core.Usage, "there is no command %q", args[0]).WithHint("%s", suggest(args[0]))
	}
	a.usage(a.stdout, c)
	return nil
}

func (a *app) usage(w io.Writer, c *command) {
	fmt.Fprintf(w, "Usage: proofmark %s\n\n%s\n", strings.TrimSpace(c.name+" "+c.args), strings.TrimSpace(c.long))
	fmt.Fprint(w, "\n"+commonHelp)
}
