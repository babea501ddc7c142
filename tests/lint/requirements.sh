#!/bin/sh
# Checks docs/requirements-coverage.md against the tests: each row of the table names existing
# tests, and each test that carries a requirement's id is in its row.
#
# usage: requirements.sh SOURCE_DIR
cd "$1" || exit 1
table=docs/requirements-coverage.md
status=0

complain() {
	echo "requirements: $1" >&2
	status=1
}

rows=$(sed -n 's/^| \([A-EP][0-9]*\) | \(.*\) |$/\1 \2/p' "$table")
[ -n "$rows" ] || complain "$table has no rows"

check_rows() {
	echo "$rows" | while read -r id tests; do
		[ -n "$tests" ] || echo "$id names no test"
		for test in $(echo "$tests" | tr -d '`,'); do
			case $test in
			test_"$id"_*)
				grep -rqw "$test" tests --include='*.c' --include='*.sh' || echo "$id names $test, which is not there"
				;;
			*) echo "$id names $test, which does not carry its id" ;;
			esac
		done
	done
}
offences=$(check_rows)
[ -z "$offences" ] || complain "$offences"

for test in $(grep -rhoE '\btest_[A-EP][0-9]+_[a-zA-Z0-9_]+' tests --include='*.c' \
	--include='*.sh' | sort -u); do
	id=$(echo "$test" | sed 's/^test_\([A-EP][0-9]*\)_.*/\1/')
	grep -q "^| $id | .*\`$test\`" "$table" || complain "$test is not in the row of $id in $table"
done

groups=$(sed -n 's/^| `\([A-Za-z0-9_-]*\)` |.*/\1/p' "$table" | paste -sd, -)
for group in 3_MCP-TAS-090 UNKNOWN-802 1_PRD-REQ-MAP-006 TRNS-05 TRNS-06; do
	case ",$groups," in
	*",$group,"*) ;;
	*) complain "$table has no row of $group" ;;
	esac
done
scripts/verify-req-coverage --ids "$groups" >/dev/null || status=1
exit $status
