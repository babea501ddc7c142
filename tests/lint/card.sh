#!/bin/sh
# Checks the original requirements: the layout of the tree, and the libraries.
#
# usage: card.sh SOURCE_DIR PROGRAM
program=$2
cd "$1" || exit 1
command -v readelf >/dev/null || {
	echo 'skipped: no readelf (binutils)'
	exit 77
}
failed=0

# must WHAT COMMAND...
must() {
	what=$1
	shift
	"$@" >/dev/null 2>&1 && return
	echo "FAILED $what" >&2
	failed=1
}

needs() { readelf -dW "$program" | grep -q "NEEDED.*\[lib$1\.so"; }
is_linked_by_tests() { grep -q 'pkg_check_modules(CHECK REQUIRED' CMakeLists.txt; }
is_c_alone() { [ -z "$(find src include tests \( -name '*.cc' -o -name '*.cpp' -o -name '*.rs' \))" ]; }

test_P1_it_is_c_with_the_libraries_asked_for() {
	for library in ncursesw sqlite3 jansson; do
		must "the program needs $library" needs "$library"
	done
	must 'tests are made with Check' is_linked_by_tests
	must 'all of it is C' is_c_alone
}

test_P2_the_tree_has_the_parts_asked_for() {
	must 'CMakeLists.txt at the top' test -f CMakeLists.txt
	for part in src/ui src/engine src/store include tests assets docs; do
		must "$part is there" test -d "$part"
	done
}

test_P1_it_is_c_with_the_libraries_asked_for
test_P2_the_tree_has_the_parts_asked_for
exit "$failed"
