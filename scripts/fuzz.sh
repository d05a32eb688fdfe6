#!/bin/sh
# Runs every native fuzz target for the given time each.
set -eu
time=${1:-20s}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
for f in $(git ls-files '*_test.go'); do
	for t in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$f"); do
		echo "== $(dirname "$f") $t"
		code=0
		go test "./$(dirname "$f")" -run '^$' -fuzz "^$t\$" -fuzztime "$time" >"$out" 2>&1 || code=$?
		cat "$out"
		# At the end of the time go test may fail with nothing but this line, and
		# without an input that fails: the clock, not the code.
		if [ "$code" != 0 ] && { ! grep -q '^ *context deadline exceeded$' "$out" || grep -q 'Failing input' "$out"; }; then
			exit "$code"
		fi
	done
done
