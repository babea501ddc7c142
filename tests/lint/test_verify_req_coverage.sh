#!/bin/sh
# Checks what scripts/verify-req-coverage reports as covered and as not covered.
#
# usage: test_verify_req_coverage.sh SOURCE_DIR
source=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/scripts" "$dir/docs" "$dir/tests/core"
cp "$source/scripts/verify-req-coverage" "$dir/scripts/"
cat >"$dir/docs/requirements-coverage.md" <<'TABLE'
| id | about | requirements |
| `GROUP-1` | both | Z1 Z2 |
| `GROUP-2` | one is missing | Z1 Z9 |
| `GROUP-3` | not done | Z3 |
| Z1 | `test_Z1_one` |
| Z2 | `test_Z2_two` `test_Z2_three` |
| Z3 | |
| Z4 | `test_Z4_gone` |
TABLE
echo 'START_TEST(test_Z1_one) test_Z2_two test_Z2_three' >"$dir/tests/core/test_x.c"
failed=0

# want EXIT TEXT ARGUMENT...: expects this exit code and output
want() {
	wanted=$1
	text=$2
	shift 2
	said=$("$dir/scripts/verify-req-coverage" "$@" 2>&1)
	code=$?
	case $said in
	*"$text"*) [ $code -eq "$wanted" ] && return ;;
	esac
	echo "FAILED $*: exit $code, said '$said', wanted $wanted and '$text'" >&2
	failed=1
}

want 0 'GROUP-1: covered: 2 requirements, 3 tests' --ids GROUP-1
want 0 'Z2: covered: 1 requirements, 2 tests' --ids=Z1,Z2
want 1 'Z9: not in docs/requirements-coverage.md' --ids GROUP-2
want 1 'Z3: not covered: its row names no test' --ids GROUP-3
want 1 'Z4: not covered: no test test_Z4_gone in tests/' --ids Z1,Z4
want 1 'Z1: covered' --ids Z1,NOTHING
want 1 'NOTHING: not in docs/requirements-coverage.md' --ids Z1,NOTHING
want 1 "'Z.': not an id" --ids Z.
want 2 'usage: verify-req-coverage --ids ID[,ID...]'
want 2 'usage: ' --ids
want 2 'usage: ' --ids Z1 Z2
want 2 'usage: ' Z1
want 0 'usage: ' --help
exit $failed
