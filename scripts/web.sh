#!/bin/sh
# Builds the workbench into webui/static/app, from where the program embeds it.
# Skips what is there already: packages by the lock file, the build by its sources.
# "web.sh packages" stops behind the packages.
set -eu
cd "$(dirname "$0")/../webui"

if ! command -v npm >/dev/null 2>&1; then
	echo "the workbench is built with Node.js 20.19 or later and npm; neither is here" >&2
	echo "(Debian: apt-get install nodejs npm, or https://nodejs.org)" >&2
	exit 1
fi
stamp=node_modules/.installed
if [ ! -e "$stamp" ] || [ package-lock.json -nt "$stamp" ]; then
	echo "installing the workbench's packages (npm ci)"
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	: >"$stamp"
fi
[ "${1:-}" = packages ] && exit 0

built=static/app/index.html
if [ -e "$built" ] && [ -z "$(find src scripts index.html vite.config.ts package-lock.json tsconfig.json -newer "$built" -print -quit)" ]; then
	exit 0
fi
echo "building the workbench (vite)"
npm run --silent build
