#!/bin/sh
# Shows the main job on a sample page, in the best way this machine has, and says
# which and why: the desktop app, else the workbench in a window of Chromium, else
# the whole job in the terminal. The program is built already.
set -eu
cd "$(dirname "$0")/.."

if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && [ "$(uname)" != Darwin ]; then
	echo "there is no display: showing the whole job in the terminal"
	echo "(with one, this opens the desktop app, or the workbench in a window)"
	exec bin/proofmark demo
fi
if electron=$(sh scripts/electron.sh find); then
	sh scripts/desktop.sh
	echo "there are a display and an Electron ($electron): starting the desktop app on a sample page"
	unsafe=""
	if [ "$(id -u)" = 0 ]; then
		echo "(as root, so without Chromium's sandbox; do not open strangers' pages like this)"
		unsafe=--no-sandbox
	fi
	sample=bin/sample/landing/index.html # a copy, to be changed
	if [ ! -e "$sample" ]; then
		mkdir -p bin/sample
		cp -R examples/landing bin/sample/
	fi
	PROOFMARK_GATEWAY=$PWD/bin/proofmark exec "$electron" $unsafe desktop "$PWD/$sample"
fi
echo "there is a display and no Electron: opening the workbench in a window of Chromium on a sample page"
echo "(for the desktop app: make shell, then node node_modules/electron/install.js in desktop/; or PROOFMARK_ELECTRON=/path/to/electron;"
echo "on Linux x64 also make electron, the one that the tests run)"
exec bin/proofmark open
