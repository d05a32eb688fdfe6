package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
)

// ask puts a yes-or-no question on the terminal; anything but yes is no. It
// fails where standard input is not a terminal.
func (a *app) ask(question string) (bool, error) {
	if !a.terminal() {
		return false, errNotATerminal
	}
	fmt.Fprintf(a.stderr, "%s [y/N] ", question)
	line, err := bufio.NewReader(a.stdin).ReadString('\n')
	if err != nil && line == "" {
		return false, nil // the end of the input is no
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}

// terminal tells whether there is a person at standard input.
func (a *app) terminal() bool {
	f, ok := a.stdin.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
