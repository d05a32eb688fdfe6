#!/bin/sh
# Makes sure that tests can open windows: on Linux a virtual screen (Xvfb). Skips
# when it is there, installs Debian's package where that is possible, else says
# how to get one.
set -eu
. "$(dirname "$0")/debian.sh"

if [ "$(uname)" != Linux ] || command -v Xvfb >/dev/null 2>&1; then
	exit 0
fi
echo "no virtual screen found"
debian_install xvfb && exit 0
echo "Install Xvfb (Debian: apt-get install xvfb)." >&2
exit 1
