#!/bin/sh
# Checks that check_includes finds every offense, and nothing else.
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || {
	echo 'skipped: no python3'
	exit 77
}
tree=$(mktemp -d "${TMPDIR:-/tmp}/devs-includes-XXXXXX") || exit 2
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/include/core" "$tree/src/core" "$tree/tests"
count=0
cat >"$tree/include/core/tap.h" <<-'END'
	#include <stdint.h>
	#define TAP_MAX 8
	enum tap_kind { TAP_OK, TAP_NOT_OK };
	struct tap {
	    int64_t number;
	    void (*told)(const char *words);
	};
	typedef int tap_fn(int given);
	extern const char tap_name[];
	int tap_read(int from);
END

# uses HEADER TEXT, leaves HEADER TEXT: a file with this include and this text does, or does not,
# use the header.
uses() {
	count=$((count + 1))
	printf '#include %s\n%s\n' "$1" "$2" >"$tree/src/core/case$count.c"
}

leaves() {
	uses "$1" "$2"
	name=$(echo "$1" | tr -d '<>"')
	echo "includes: src/core/case$count.c: $name is included and not used" >>"$tree/wanted"
}

for text in 'int x = TAP_MAX;' 'int x = TAP_NOT_OK;' 'struct tap;' 'tap_fn *x;' \
	'const char *x = tap_name;' 'int x(void) { return tap_read(1); }' \
	'int x(struct y *y) { return y->number; }' 'void x(struct y *y) { y->told(0); }'; do
	uses '"tap.h"' "$text"
done
for text in 'int x;' '/* tap_read() */' '// tap_read()' 'char *x = "tap_read(1)";' \
	'int number, given;'; do
	leaves '"tap.h"' "$text"
done
uses '<string.h>' 'int x(char *y) { return strlen(y); }'
uses '<assert.h>' 'static_assert(1, "");'
uses '<stddef.h>' 'void *x = NULL;'
uses '<no/such.h>' 'int x;'
leaves '<string.h>' 'unsigned long x(const char *strings);'
leaves '<stdbool.h>' 'int x;'

# A file's own header is included to show that it is self-contained. Header names are unique.
uses "\"case$((count + 1)).h\"" 'int x;'
printf 'int y(void);\n' >"$tree/src/core/case$count.h"
cp "$tree/include/core/tap.h" "$tree/tests"
echo 'includes: tests/tap.h: include/core/tap.h has this name' >>"$tree/wanted"

"$here/check_includes" "$tree" >"$tree/said"
code=$?
sort "$tree/said" >"$tree/sorted"
sort "$tree/wanted" | diff - "$tree/sorted" && [ $code -eq 1 ] || exit 1

rm -r "$tree/src" "$tree/tests"
"$here/check_includes" "$tree"
