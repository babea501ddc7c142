#!/bin/sh
# One place decides whether to try again, and when: one_decider.sh LIBRARY...
# tries_ahead() asks as well, to say what would come.
set -u
command -v readelf >/dev/null || {
	echo "skipped: no readelf (binutils)"
	exit 77
}
failed=0

# callers FUNCTION LIBRARY...: the objects that call it but do not define it
callers() {
	function=$1
	shift
	readelf -sW "$@" 2>/dev/null | awk -v name="$function" '
		/^File:/ { sub(/.*\(/, ""); sub(/\.c\.o\)$/, ""); object = $0 }
		$7 == "UND" && $8 == name { print object }' | sort | paste -sd' ' -
}

test_A10_only_the_scheduler_asks_the_protocol() {
	[ "$(callers protocol_decide "$@")" = "scheduler_judge shown_next" ] &&
		[ "$(callers policy_delay "$@")" = "protocol scheduler_judge" ] && return
	echo "protocol_decide is called by: $(callers protocol_decide "$@")" >&2
	echo "policy_delay is called by: $(callers policy_delay "$@")" >&2
	failed=1
}

test_A10_only_the_scheduler_asks_the_protocol "$@"
exit "$failed"
