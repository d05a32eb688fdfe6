#!/bin/sh
# The long runs behind docs/benchmarks.md: a million random documents and the
# tags of 24,000 of them against Chromium, a hundred thousand allowed edits, and
# live pages that scripts change, and 1,000 random histories. About an hour on
# two cores.
set -eu
seed=${1:-2026}
go test ./gateway/htmlsrc -run Chromium -count=1 -timeout 90m -v -args -trees=1100000 -tags=24000 -seed="$seed"
go test ./gateway/htmledit -run Chromium -count=1 -timeout 90m -v -args -edits=100000 -editseed="$seed"
PROOFMARK_FUZZ_PAGES=1000 go test ./gateway/proof -run Live -count=1 -timeout 60m -v
go test ./gateway/document -run Model -count=1 -rapid.checks=1000 -timeout 60m -v
