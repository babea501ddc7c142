#!/bin/sh
# Checks that the program is built as docs/security.md says: hardened.sh PROGRAM CONFIG
set -u
program=$1
config=$2
command -v readelf >/dev/null || {
	echo "skipped: no readelf (binutils)"
	exit 77
}
failed=0

# want WHAT COMMAND...: the command must print something
want() {
	what=$1
	shift
	[ -n "$("$@")" ] && return
	echo "hardened: $program: no $what" >&2
	failed=1
}

is_pie() { readelf -hW "$program" | grep -E 'Type: +DYN'; }
is_bound_at_start() { readelf -dW "$program" | grep -E 'FLAGS.*(BIND_)?NOW'; }
has_relro() { readelf -lW "$program" | grep -F GNU_RELRO; }
has_plain_stack() { readelf -lW "$program" | grep -E 'GNU_STACK.* RW +0(x[0-9a-f]+)?$'; }
has_guarded_stack() { readelf -sW "$program" | grep -F __stack_chk_fail; }
checks_sizes() { readelf -sW "$program" | grep -E '__(snprintf|memcpy|vsnprintf|read)_chk'; }

want "position-independent code" is_pie
want "binding at the start" is_bound_at_start
want "read-only relocations" has_relro
want "stack that is not executable" has_plain_stack
case $config in
Rel*)
	want "stack protector" has_guarded_stack
	want "checked C library calls" checks_sizes
	;;
esac
exit "$failed"
