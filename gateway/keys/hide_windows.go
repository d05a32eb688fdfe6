package keys

import (
	"os"

	"golang.org/x/sys/windows"
)

// hide stops a console from showing what is typed; show undoes that.
func hide(terminal *os.File) (show func(), err error) {
	h := windows.Handle(terminal.Fd())
	var was uint32
	if err := windows.GetConsoleMode(h, &was); err != nil {
		return nil, err
	}
	quiet := was&^windows.ENABLE_ECHO_INPUT | windows.ENABLE_LINE_INPUT | windows.ENABLE_PROCESSED_INPUT
	if err := windows.SetConsoleMode(h, quiet); err != nil {
		return nil, err
	}
	return func() { _ = windows.SetConsoleMode(h, was) }, nil
}
