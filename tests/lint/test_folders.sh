#!/bin/sh
# Checks that the lint of folders finds cycles of two and of three folders, and nothing else.
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || {
	echo 'skipped: no python3'
	exit 77
}
tree=$(mktemp -d "${TMPDIR:-/tmp}/devs-folders-XXXXXX") || exit 2
trap 'rm -rf "$tree"' EXIT
failed=0

# file FOLDER/NAME TEXT: makes a file of the layer core
file() {
	mkdir -p "$tree/src/core/$(dirname "$1")"
	printf '%s\n' "$2" >"$tree/src/core/$1"
}

# want NAME WORDS CODE: expects this output and exit code
want() {
	said=$("$here/folders" "$tree" core 2>&1)
	code=$?
	case "$code $said" in
	"$3 "*"$2"*) ;;
	*) echo "FAILED $1: exit $code: $said" && failed=1 ;;
	esac
}

file low/a.c 'int low_get(void)
{
	return 1;
}'
file mid/b.c 'int mid_get(void)
{
	return low_get();
}'
file top/c.c 'static int low_get(void)
{
	return 0;
}
/* top_get() is not called in low: mid_get() */
int top_get(void)
{
	return mid_get() + low_get();
}'
want "no circle" "core: low mid top" 0
file low/d.c 'const char *low_words(void)
{
	return "top_get()"; /* top_get() */
}'
want "names in texts and comments" "core: low mid top" 0
file low/d.c 'static int top_get(void)
{
	return 2;
}
int low_more(void)
{
	return top_get();
}'
want "a static function of the same name" "core: low mid top" 0
file low/d.c 'int low_more(void)
{
	return mid_get();
}'
want "a circle of two" "low/d.c calls mid_get() of mid/" 1
file low/d.c 'int low_more(void)
{
	return top_get();
}'
want "a circle of three: closed by" "low/d.c calls top_get() of top/" 1
want "a circle of three: its other calls" "top/c.c calls mid_get() of mid/" 1
exit $failed
