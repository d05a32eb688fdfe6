#!/bin/sh
# Makes sure there is a Chromium: skips when one is found, installs Debian's
# package where that is possible, else says how to get one.
set -eu
. "$(dirname "$0")/debian.sh"

for name in "${PROOFMARK_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
	if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
		exit 0
	fi
done
if [ "$(uname)" = Darwin ] && [ -e "/Applications/Google Chrome.app" -o -e "/Applications/Chromium.app" ]; then
	exit 0
fi
echo "no Chromium found"
debian_install chromium && exit 0
echo "Install Chromium or Chrome (Debian: apt-get install chromium)," >&2
echo "or set PROOFMARK_CHROMIUM to its path." >&2
exit 1
