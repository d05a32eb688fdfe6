#!/bin/sh
# Packages the desktop app into desktop/out, as far as that can be done here: the
# installers of this system where the current Electron can be fetched, else the
# unpacked app with the tests' Electron, which is a test build and never shipped.
# "package.sh test" makes the test build whatever can be fetched.
set -eu
cd "$(dirname "$0")/.."
program=bin/proofmark
[ -x "$program" ] || { echo "there is no $program: make build makes it" >&2; exit 1; }
[ -e desktop/dist/main.cjs ] || { echo "there is no desktop/dist: make shell makes it" >&2; exit 1; }
PROOFMARK_VERSION=$("$program" version --json | sed -n 's/.*"version": *"\([^"]*\)".*/\1/p')
export PROOFMARK_VERSION
cd desktop
builder="npx --no-install electron-builder --config packaging/config.ts --publish never"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "${1:-}" != test ]; then
	echo "building the installers (electron-builder)"
	if $builder >"$work/log" 2>&1; then
		grep -i 'building' "$work/log" || true
		echo "the installers are in desktop/out"
		exit 0
	fi
	rm -rf out/*-unpacked
	grep '⨯' "$work/log" >&2 || tail -5 "$work/log" >&2
	echo "the installers could not be built here: the official Electron, or a tool of electron-builder's, cannot be fetched" >&2
fi
if [ ! -x .electron/electron ]; then
	echo "and there is no test Electron (make electron): nothing is packaged" >&2
	exit 1
fi
echo "building the unpacked app with the tests' Electron instead: A TEST BUILD, NOT TO BE PASSED ON"
cp -RL .electron "$work/electron"
rm -rf "$work/electron/resources/app" "$work/electron/.from"
rm -rf out/test-build
$builder --dir -c.electronDist="$work/electron" -c.electronVersion=33.2.1 -c.directories.output=out/test-build >"$work/log" 2>&1 || {
	cat "$work/log" >&2
	exit 1
}
mv out/test-build/*-unpacked out/test-build/app
echo "Built with an Electron that only tests use. Not to be passed on." >out/test-build/app/TEST-BUILD-DO-NOT-SHIP.txt
echo "desktop/out/test-build/app/proofmark"
