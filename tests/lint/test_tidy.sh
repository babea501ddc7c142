#!/bin/sh
# Checks that tidy.sh finds every offense, with one small bad tree per rule.
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tree=$(mktemp -d "${TMPDIR:-/tmp}/devs-tidy-XXXXXX") || exit 2
trap 'rm -rf "$tree"' EXIT
failed=0 passed=0 files=

fail() {
	echo "FAILED: $1"
	sed 's/^/    /' "$tree/said"
	failed=$((failed + 1))
}

# plant FILE: writes standard input to this file of an otherwise clean tree.
plant() {
	rm -rf "$tree/top"
	mkdir -p "$tree/top/src/core" "$tree/top/include/core" "$tree/top/tests"
	cp "$top/.clang-format" "$tree/top"
	printf '#include "good.h"\n\nint good;\n' >"$tree/top/src/core/good.c"
	printf '#ifndef DEVS_GOOD_H\n#define DEVS_GOOD_H\n\nextern int good;\n\n#endif\n' \
		>"$tree/top/include/core/good.h"
	mkdir -p "$tree/top/$(dirname "$1")"
	cat >"$tree/top/$1"
}

tidy() {
	sh "$here/tidy.sh" "$tree/top" >"$tree/said" 2>&1
}

# refuses MESSAGE FILE TEXT: this text in this file is an offense with this message.
refuses() {
	printf "$3" | plant "$2"
	if tidy; then
		fail "$2: accepted, although: $1"
	elif ! grep -qF "tidy: $1" "$tree/said"; then
		fail "$2: refused, but not because: $1"
	elif [ "$(grep '^tidy: ' "$tree/said" | grep -vc '^tidy: skipped ')" -ne 1 ]; then
		fail "$2: more was refused than: $1"
	else
		passed=$((passed + 1))
	fi
}

# among FILE TEXT: adds a file to the tree that refuses_each checks.
among() {
	[ -n "$files" ] || plant "$1" </dev/null
	mkdir -p "$tree/top/$(dirname "$1")"
	printf "$2" >"$tree/top/$1"
	files="$files $1"
}

# refuses_each MESSAGE: every file added by `among` has an offense with this message. An offense is
# printed as its lines followed by the message.
refuses_each() {
	tidy
	offences=$(awk -v message="tidy: $1" '
		index($0, message) == 1 { printf "%s", lines }
		{ lines = /^tidy: / ? "" : lines $0 "\n" }' "$tree/said")
	for file in $files; do
		case $offences in
		*"$file:"*) passed=$((passed + 1)) ;;
		*) fail "$file: accepted, although: $1" ;;
		esac
	done
	files=
}

# accepts FILE TEXT: this text in this file is not an offense.
accepts() {
	printf "$2" | plant "$1"
	if tidy; then
		passed=$((passed + 1))
	else
		fail "$1: refused: $2"
	fi
}

header() {
	printf '#ifndef DEVS_X_H\\n#define DEVS_X_H\\n\\n%s\\n\\n#endif\\n' "$1"
}

long=$(printf '%098d' 7)
accepts src/core/x.c 'int x;\n'
accepts src/core/x.c "/* $(printf '%094d' 7) */\n"
refuses 'a line is longer than 100 columns' src/core/x.c "// $long\n"
refuses 'a line is longer than 100 columns' include/core/x.h "$(header "// $long")"
refuses 'a leftover note: open an issue instead' src/core/x.c '/* TODO: later */\n'
refuses 'a leftover note: open an issue instead' tests/x.c '/* FIXME */\n'
accepts src/core/x.c 'char name[] = "devs-XXXXXX";\n'

for name in strcpy strcat sprintf vsprintf strncpy strtok gets atoi atol system popen; do
	among "src/core/$name.c" "int x(void)\n{\n    return $name(0);\n}\n"
done
refuses_each 'a banned function'
refuses 'a banned function' tests/x.c 'int x(void)\n{\n    return atoi("1");\n}\n'
accepts src/base/x.c 'int x(void)\n{\n    return fgets(0) + snprintf(0) + operating_system(0);\n}\n'

for name in jansson pcre2 nettle/sha2 sqlite3 uv ncurses curses term; do
	file=$(echo "x_$name" | tr / _)
	among "include/ui/$file.h" "$(header "#include <$name.h>" | sed "s/_X_H/_$(echo "$file" | tr a-z A-Z)_H/")"
done
refuses_each 'a public header shows a library'

refuses 'nothing is parsed while a screen is drawn' src/present/x.c \
	'void x(void)\n{\n    (void)json_get(y, "a");\n}\n'
refuses 'nothing is parsed while a screen is drawn' src/ui/frame/x.c \
	'void x(void)\n{\n    (void)json_scan_i64(y, 0);\n}\n'
refuses '<jansson\.h> is only for' src/base/x.c '#include <jansson.h>\n'
refuses '<jansson\.h> is only for' src/store/json.c '#include <jansson.h>\n'
refuses '<pcre2(posix)?\.h> is only for' src/engine/x.c '#include <pcre2.h>\n'
refuses '<nettle/.*\.h> is only for' src/store/x.c '#include <nettle/sha2.h>\n'
refuses '<sqlite3\.h> is only for' src/cli/x.c '#include <sqlite3.h>\n'
refuses '<uv\.h> is only for' src/ui/x.c '#include <uv.h>\n'
refuses '<(n?curses|ncursesw/.*|term|panel)\.h> is only for' src/cli/x.c '#include <ncurses.h>\n'
refuses '<(n?curses|ncursesw/.*|term|panel)\.h> is only for' src/engine/x.c '#include <term.h>\n'
accepts src/base/json_parse.c '#include <jansson.h>\n'
accepts src/core/x.c '#define PCRE2_CODE_UNIT_WIDTH 8\n#include <pcre2.h>\n'
accepts src/store/x.c '#include <sqlite3.h>\n'
accepts src/engine/x.c '#include <uv.h>\n'
accepts src/ui/x.c '#include <ncurses.h>\n'

for name in time pthread unistd sys/stat sys/types; do
	among "src/core/$(echo "$name" | tr / _).c" "#include <$name.h>\n"
done
refuses_each 'core and present must stay pure: no clock'
refuses 'core and present must stay pure: no clock' src/core/x.c '#include "clock.h"\n'
refuses 'core and present must stay pure: no clock' include/core/x.h "$(header '#include "log.h"')"
for name in clock_gettime time rand getenv; do
	among "src/core/$name.c" "int x(void)\n{\n    return $name(0);\n}\n"
done
refuses_each 'core and present must stay pure: pass'
accepts src/engine/x.c '#include <time.h>\n#include <unistd.h>\n'
accepts src/core/x.c 'int run_time(int brand);\n'

unsaid='starts a process and does not say on which side'
for call in 'tool_run(0)' 'tool_ask(0)' 'launch_process(0)' 'child_start(0)' 'posix_spawn(0)' \
	'posix_spawnp(0)' 'fork()' 'vfork()' 'clone(0)' 'execve(0)' 'execlp(0)' 'fexecve(0)' \
	'syscall(SYS_execve, 0)' 'syscall(SYS_clone3)' 'each(0, tool_run)' 'outside_start_on_terminal(0)'; do
	number=$((${number:-0} + 1))
	among "src/engine/x_$number.c" "int x(void)\n{\n    return $call;\n}\n"
	among "src/ui/x_$number.h" "$(header "static inline int x(void)\n{\n    return $call;\n}" |
		sed "s|static inline|/* Says it. */\\nstatic inline|; s/_X_H/_X_${number}_H/")"
done
refuses_each "$unsaid"
accepts src/engine/x.c 'int x(void)\n{\n    return 0; /* not by tool_run(), nor "fork()" */\n}\n'
accepts src/engine/x.c '/*\n   fork() is\n   tool_run()\n*/\nchar *x(void)\n{\n    return "fork()";\n}\n'
accepts src/engine/x.c 'int tool_run(int more);\nint x(struct x *x)\n{\n    return x->fork(0);\n}\n'
accepts src/cli/run/foreground.c 'int x(void)\n{\n    return fork();\n}\n'
refuses "$unsaid" src/cli/run/foreground.c 'int x(void)\n{\n    return fork() + fork();\n}\n'
refuses "$unsaid" src/cli/run/foreground.c 'int x(void)\n{\n    return fork() + vfork();\n}\n'
refuses 'the list of process starts in tests/lint/tidy.sh has one that is gone' \
	src/engine/tree/git.c 'int x;\n'

refuses 'two files are called good.h' src/ui/good.h \
	'#ifndef DEVS_GOOD_H\n#define DEVS_GOOD_H\n#endif\n'
refuses 'two files are called good.c' src/ui/good.c 'int x;\n'
refuses 'src/ui/y.h: the guard is not DEVS_Y_H' src/ui/y.h '#ifndef Y_H\n#define Y_H\n#endif\n'

accepts include/core/x.h "$(header '/* Why. */\nint x_first(int of, /* bytes */\n            int more);')"
accepts include/core/x.h "$(header 'struct x {\n    void (*tell)(void *ctx);\n};')"
for text in 'int x_first(void);' '/* Of the first. */\nint x_first(void);\nint x_second(void);' \
	'/* Of nothing. */\n\nint x_first(void);' 'typedef void x_fn(void *ctx);'; do
	refuses 'a function of a header has no comment of its own' include/core/x.h \
		"$(header "$text")"
done

refuses 'a function of a header has no comment of its own' src/core/x.h \
	"$(header 'void x_look(struct x *x);')"
accepts src/core/x.h "$(header 'struct x;\nvoid x_init(struct x *x);\nvoid x_done(struct x *x);')"
refuses 'a function of a header has no comment of its own' include/core/x.h \
	"$(header 'struct x;\nvoid x_done(struct x *x);')"
refuses 'a function of a header has no comment of its own' src/core/x.h \
	"$(header 'void x_init(struct x *x, int of);')"

# These also violate the format, if clang-format is installed.
for text in 'int x; \n' '\tint x;\n'; do
	printf "$text" | plant src/core/x.c
	if tidy || ! grep -qE 'tidy: (trailing blanks|a tab)' "$tree/said"; then
		fail 'blanks at the end, or a tab'
	else
		passed=$((passed + 1))
	fi
done
if command -v clang-format >/dev/null; then
	refuses 'not as clang-format writes it' src/core/x.c 'int  x  ;\n'
fi

# Prints every offense, not only the first.
printf 'int x(void)\n{\n    return atoi("1") + system("2");\n}\n/* TODO */\n' | plant src/ui/x.c
printf '#include <uv.h>\n' >"$tree/top/src/ui/y.c"
tidy && fail 'three offences were accepted'
for want in 'src/ui/x.c:3:' 'src/ui/x.c:5:' 'src/ui/y.c:1:'; do
	grep -qF "$want" "$tree/said" || fail "an offence was not printed: $want"
done

echo "$passed rules kept, $failed failed"
[ "$failed" -eq 0 ]
