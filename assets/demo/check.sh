#!/bin/sh
# usage: sh check.sh NAME [VARIABLE=VALUE]
#
# Runs NAME.awk on every line of NAME.cases (input|wanted answer|what it is about)
# and reports in TAP. The pause between checks is there to be watched.
name=$1
option=${2:-none=0}
number=0
bad=0

while IFS='|' read -r input want about; do
    number=$((number + 1))
    sleep "${PAUSE:-0.9}"
    got=$(printf '%s\n' "$input" | awk -v "$option" -f "$name.awk")
    if [ "$got" = "$want" ]; then
        echo "ok $number - $about"
    else
        bad=$((bad + 1))
        echo "not ok $number - $about"
        echo "#   expected '$want', got '$got'"
    fi
done <"$name.cases"

echo "1..$number"
if [ "$bad" -gt 0 ]; then
    echo "FAILED $name: $bad of $number checks"
    exit 1
fi
