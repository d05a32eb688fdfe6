#!/bin/sh
# Makes sure that tests can open windows and use them: on Linux a virtual screen
# (Xvfb) and a hand at it (xdotool). Skips what is there, installs Debian's package
# where that is possible, else says how to get it.
set -eu
. "$(dirname "$0")/debian.sh"

[ "$(uname)" = Linux ] || exit 0

want() { # PROGRAM PACKAGE WHAT
	command -v "$1" >/dev/null 2>&1 && return
	echo "no $3 found"
	debian_install "$2" && return
	echo "Install $1 (Debian: apt-get install $2)." >&2
	exit 1
}
want Xvfb xvfb "virtual screen"
want xdotool xdotool "hand at a screen"
