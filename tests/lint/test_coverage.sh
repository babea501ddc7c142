#!/bin/sh
# Checks that scripts/branch-coverage, which decides whether enough branches were taken, fails if
# they were not, or if a file was left out.
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || {
	echo "skipped: python3 is not installed"
	exit 77
}
tree=$(mktemp -d "${TMPDIR:-/tmp}/devs-coverage-XXXXXX") || exit 2
trap 'rm -rf "$tree"' EXIT
failed=0

mkdir -p "$tree/src/core"
touch "$tree/src/core/protocol.c" "$tree/src/core/policy.c" "$tree/src/core/classify_facts.c"

# measured TAKEN...: branches taken, out of 100 each, in protocol.c, policy.c and classify_facts.c.
measured() {
	printf '{"files": ['
	comma=
	for file in protocol policy classify_facts; do
		[ $# -gt 0 ] || break
		printf '%s{"filename": "src/core/%s.c", "branch_total": 100, "branch_covered": %s}' \
			"$comma" "$file" "$1"
		comma=,
		shift
	done
	printf ']}\n'
}

# says WORDS EXIT TAKEN...: with these numbers, it prints these words and exits with this code.
says() {
	words=$1 want=$2
	shift 2
	measured "$@" >"$tree/summary.json"
	"$here/../../scripts/branch-coverage" --root "$tree" "$tree/summary.json" >"$tree/said" 2>&1
	got=$?
	[ "$got" -eq "$want" ] && grep -qF "$words" "$tree/said" && return
	echo "FAILED: $*: exit $got, wanted $want and: $words"
	sed 's/^/    /' "$tree/said"
	failed=$((failed + 1))
}

test_A12_less_than_90_percent_of_branches_fails() {
	says 'retry and policy                   180 of   200   90.0 %' 0 80 100 90
	says 'retry and policy: less than 90 %' 1 80 99 90
	says 'classification: less than 90 %' 1 100 100 89
	says 'src/core/classify_facts.c was not measured' 1 100 100
	says 'src/core/policy.c was not measured' 1 100
}

test_A12_less_than_90_percent_of_branches_fails
exit "$failed"
