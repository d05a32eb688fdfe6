#!/bin/sh
# Runs the benchmarks COUNT times, one package after the other, and prints
# benchstat's medians. Figures go into docs/benchmarks.md by hand, with the
# date and the machine.
set -eu
pattern=${1:-.}
count=${2:-5}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
for p in ./gateway/htmlsrc ./gateway/htmledit ./gateway/textpatch ./gateway/proof ./gateway/store ./gateway/document ./gateway/turn ./bridge/cdp ./gateway/surface ./gateway/httpapi ./e2e ./e2e/load ./e2e/window ./e2e/desktop; do
	go test "$p" -run '^$' -bench "$pattern" -benchmem -count "$count" -timeout 60m | tee -a "$out"
done
go tool benchstat "$out"
