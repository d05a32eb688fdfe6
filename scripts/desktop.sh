#!/bin/sh
# Builds the desktop shell into desktop/dist. Skips what is there already: packages
# by the lock file, the build by its sources. "desktop.sh packages" stops behind the
# packages.
set -eu
cd "$(dirname "$0")/../desktop"

if ! command -v npm >/dev/null 2>&1; then
	echo "the desktop is built with Node.js 20.19 or later and npm; neither is here" >&2
	exit 1
fi
stamp=node_modules/.installed
if [ ! -e "$stamp" ] || [ package-lock.json -nt "$stamp" ]; then
	echo "installing the desktop's packages (npm ci)"
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	: >"$stamp"
fi
[ "${1:-}" = packages ] && exit 0

built=dist/main.cjs
if [ -e "$built" ] && [ -z "$(find src scripts package-lock.json tsconfig.json -newer "$built" -print -quit)" ]; then
	exit 0
fi
echo "building the desktop (rolldown)"
npm run --silent build
