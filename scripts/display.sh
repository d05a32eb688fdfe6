#!/bin/sh
# Makes sure that tests can open windows: on Linux a virtual screen (Xvfb). Skips
# when it is there, installs Debian's package where that is possible, else says
# how to get one.
set -eu

if [ "$(uname)" != Linux ] || command -v Xvfb >/dev/null 2>&1; then
	exit 0
fi
sudo=""
if [ "$(id -u)" != 0 ]; then
	if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		sudo="sudo -n"
	else
		sudo=none
	fi
fi
if command -v apt-get >/dev/null 2>&1 && [ "$sudo" != none ]; then
	echo "no virtual screen found: installing Debian's package xvfb"
	$sudo apt-get update -qq
	DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq xvfb >/dev/null
	exit 0
fi
echo "no virtual screen found. Install Xvfb (Debian: apt-get install xvfb)." >&2
exit 1
