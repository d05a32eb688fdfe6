#!/bin/sh
# Measures the map beside html.Parse and parse5 with source locations, on the
# same pages in one run. It fails where a bar of SPEC section 13 is missed.
set -eu
cd "$(dirname "$0")"
npm ci --silent --no-audit --no-fund
cd ../..
exec go test -run '^TestSpeed$' -count 1 -v . -args -speed
