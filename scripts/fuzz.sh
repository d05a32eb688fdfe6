#!/bin/sh
# Runs every native fuzz target for the given time each.
set -eu
time=${1:-20s}
for f in $(git ls-files '*_test.go'); do
	for t in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$f"); do
		echo "== $(dirname "$f") $t"
		go test "./$(dirname "$f")" -run '^$' -fuzz "^$t\$" -fuzztime "$time"
	done
done
