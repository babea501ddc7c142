#!/bin/sh
# Checks that check_book finds the faults in a small book.
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d "${TMPDIR:-/tmp}/devs-book-XXXXXX") || exit 2
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/docs" "$tree/src/core"
cd "$tree" || exit 2
failed=0

# Makes a book of two chapters and the pages about the code, without any faults.
write_book() {
	echo '# devs' | tee README.md >CHANGELOG.md
	touch src/core/heap.c src/core/heap.cmake
	echo 'int heap_take(void);' >src/core/heap.h
	order='tour architecture contributing dependencies performance security testing'
	{
		for page in $order; do
			echo "[$page]($page.md)"
		done
		echo 'Next: [tour](tour.md)'
	} >docs/README.md
	for page in $order; do
		following=${order#*"$page "}
		{
			printf '# The page\n\n## A `heap` of waits\n\nSee [it](#a-heap-of-waits).\n'
			[ "$following" = "$order" ] || printf '\nNext: [more](%s.md)\n' "${following%% *}"
		} >"docs/$page.md"
	done
}

# finds WORDS: check_book prints them and fails; "" for a book without faults
finds() {
	said=$("$here/check_book" "$tree" 2>&1)
	got=$?
	if [ -z "$1" ]; then
		[ "$got" -eq 0 ] && return
	else
		case $said in *"$1"*) [ "$got" -eq 1 ] && return ;; esac
	fi
	echo "FAILED: exit $got, wanted: $1"
	echo "$said" | sed 's/^/    /'
	failed=$((failed + 1))
}

# after FILE TEXT WORDS: check_book finds this once TEXT is inserted at the beginning of FILE
after() {
	write_book
	{
		printf '%s\n' "$2"
		cat "$1"
	} >new && mv new "$1"
	finds "$3"
}

write_book
finds ''
after README.md '[a](docs/gone.md)' 'README.md: no such file: docs/gone.md'
after docs/tour.md '[a](testing.md#nowhere)' 'docs/tour.md: no such heading: testing.md#nowhere'
after docs/tour.md '`[a](gone.md)` is no link' ''
after docs/README.md '[again](tour.md)' 'docs/README.md: names tour.md 2 times'
after docs/architecture.md 'In `core/heap.c` is `heap_take()`.' ''
after docs/architecture.md 'So says `core/heap.cmake`.' ''
after docs/architecture.md 'In `core/heep.c`' 'docs/architecture.md: no such file: core/heep.c'
after docs/architecture.md 'It is `heap_peek()`.' 'no such function: heap_peek()'
write_book
echo 'The end.' >>docs/tour.md
finds "docs/tour.md: its last line is not 'Next: [...](architecture.md)'"
write_book
echo '# More' >docs/extra.md
finds 'docs/README.md: names extra.md 0 times'
exit "$failed"
