#!/bin/sh
# The simulator's command line: its options, its output, its exit codes.
#
#   options.sh SIM
set -u
sim=$1
failed=0

# expect NAME EXIT PATTERN ARGUMENTS...: runs it; expects exit code EXIT and PATTERN in the output.
expect() {
	name=$1 want=$2 pattern=$3
	shift 3
	out=$("$sim" "$@" 2>&1)
	got=$?
	if [ "$got" -ne "$want" ] || ! printf '%s\n' "$out" | grep -q -- "$pattern"; then
		echo "not ok: $name: exit $got, should be $want with '$pattern'"
		printf '%s\n' "$out" | tail -n 5
		failed=1
	fi
}

expect 'few runs' 0 '^20 runs, no invariant broken' --seeds 20 --jobs 2
expect 'a table of what occurred' 0 '^crash after *run_recovered' --seeds 20
expect 'no table' 0 '^5 runs' --seeds 5 --quiet
expect 'another first seed' 0 '^5 runs' --seeds 5 --from 1000000 --quiet
expect 'one seed' 0 '^seed 7: no invariant broken' --seed 7
expect 'one seed, told' 0 'run_started' --seed 7 --trace
expect 'too few runs' 3 '^too few runs: 5 of 10000' --seeds 5 --full
expect 'no number' 2 '^usage: sim' --seeds
expect 'not a number' 2 '^usage: sim' --seeds x
expect 'no such option' 2 '^usage: sim' --fast

[ "$("$sim" --seed 3 --trace | cksum)" = "$("$sim" --seed 3 --trace | cksum)" ] || {
	echo 'not ok: a seed gives the same run every time'
	failed=1
}
exit $failed
