#!/bin/sh
# One concept a file: a source file over 600 lines needs a reason in its first
# ten lines ("Long because …").
set -eu
bad=0
for f in $(git ls-files '*.go' '*.ts' '*.tsx' | grep -v '_test\.go$'); do
	[ -f "$f" ] || continue
	n=$(wc -l <"$f")
	if [ "$n" -gt 600 ] && ! head -10 "$f" | grep -q 'Long because'; then
		echo "$f: $n lines, over 600 without a reason"
		bad=1
	fi
done
exit $bad
