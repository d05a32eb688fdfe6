#!/bin/sh
# Makes sure there is a Chromium: skips when one is found, installs Debian's
# package where that is possible, else says how to get one.
set -eu

for name in "${PROOFMARK_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
	if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
		exit 0
	fi
done
if [ "$(uname)" = Darwin ] && [ -e "/Applications/Google Chrome.app" -o -e "/Applications/Chromium.app" ]; then
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
	echo "no Chromium found: installing Debian's package chromium"
	$sudo apt-get update -qq
	DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq chromium >/dev/null
	exit 0
fi
echo "no Chromium found. Install Chromium or Chrome (Debian: apt-get install chromium)," >&2
echo "or set PROOFMARK_CHROMIUM to its path." >&2
exit 1
