#!/bin/sh
# Checks the house rules that a compiler cannot check, as one test: tidy.sh [TOP]
#
# Prints every offense and exits 1 if there was one.
cd "${1:-.}" || exit 2
export LC_ALL=C # several times faster than a UTF-8 locale, which only the line length needs
status=0

offence() {
	echo "tidy: $1" >&2
	status=1
}

# deny MESSAGE PATTERN FILE...: no line of these files may match.
deny() {
	message=$1 pattern=$2
	shift 2
	[ $# -gt 0 ] || return 0
	if grep -HnE "$pattern" "$@"; then
		offence "$message"
	fi
}

# sources FIND-ARGUMENTS...: prints the .c and .h files; none for a missing folder.
sources() {
	find "$@" -type f -name '*.[ch]' 2>/dev/null | sort
}

# outside REGEX: filters file names on standard input, removing those that match.
outside() {
	grep -vE "$1"
}

libraries='jansson|pcre2|pcre2posix|nettle/[a-z0-9-]+|sqlite3|uv|ncurses|curses|ncursesw/[a-z]+'
libraries="$libraries|term|panel|check|xxhash"
banned='strcpy|strcat|strncpy|strncat|sprintf|vsprintf|strtok|gets|atoi|atol|atoll|system|popen'
impure_headers='clock|log|watch|time|pthread|threads|unistd|fcntl|signal|spawn|dirent|poll|sys/.*'
impure_calls='clock_gettime|clock_now|clock_mono_us|time|rand|random|srand|getrandom|getenv'
impure_calls="$impure_calls|fopen|getpid|fork|sleep|usleep|nanosleep"

code=$(sources src include tests)
ours=$(sources src include)
public=$(sources include)
core=$(sources src/core include/core src/present include/present)

long=$(grep -lE '^.{101,}$' $code /dev/null) # in bytes: never shorter than in columns
LC_ALL=C.UTF-8 deny 'a line is longer than 100 columns' '^.{101,}$' $long
deny 'trailing blanks' '[[:blank:]]+$' $code
deny 'a tab' "$(printf '\t')" $code
deny 'a banned function' "\\b($banned)[[:blank:]]*\\(" $code
deny 'a leftover note: open an issue instead' '\b(TODO|FIXME|XXX)\b' $code
deny 'a public header shows a library' "^[[:blank:]]*#[[:blank:]]*include <($libraries)\\.h>" \
	$public
deny 'core and present must stay pure: no clock, thread, file or process' \
	"^[[:blank:]]*#[[:blank:]]*include [<\"]($impure_headers)\\.h[>\"]" $core
deny 'core and present must stay pure: pass the value in' "\\b($impure_calls)[[:blank:]]*\\(" $core

drawn=$(sources src/present src/ui/frame src/ui/view)
deny 'nothing is parsed while a screen is drawn: read it into typed fields before' \
	'\bjson_(parse|get|at|text|next|scan|members|items)[a-z0-9_]*[[:blank:]]*\(' $drawn

# Each library may be used in one place only.
while read -r header place; do
	deny "<$header> is only for $place" "^[[:blank:]]*#[[:blank:]]*include <$header>" \
		$(echo "$ours" | outside "^$place")
done <<-EOF
	jansson\\.h src/base/json_parse\\.c$
	pcre2(posix)?\\.h src/core/
	nettle/.*\\.h src/core/
	xxhash\\.h src/core/
	sqlite3\\.h src/store/
	uv\\.h src/engine/
	(n?curses|ncursesw/.*|term|panel)\\.h src/ui/
	check\\.h tests/
EOF

# Headers are included by their bare name, so names must be unique.
twice=$(echo "$ours" | sed 's|.*/||' | sort | uniq -d)
for name in $twice; do
	echo "$ours" | grep "/$name\$"
	offence "two files are called $name"
done

# Every place that starts a process must say on which side of the sandbox it does, because whatever
# an attempt wrote must never be run outside, or configure what runs outside. A line has a file, the
# function that it calls, how often, and the side:
#
#   attempt  in the sandbox of the attempt
#   machine  outside, without files that an attempt wrote
#   git      outside, on an attempt's files, with a configuration that is entirely ours
#   trusted  outside, on a person's word: a key, $PAGER, a project trusted with `devs trust`
#   caller   starts what its callers name; they are in this list, too
#   far      what devs sends to another machine, which has no sandbox of ours
sides='attempt|machine|git|trusted|caller|far'
starters='tool_run|tool_ask|launch_process|child_start|spawn_process|CLONE'
starters="$starters|outside_start_on_terminal|posix_spawnp?|uv_spawn"
starters="$starters|(SYS|__NR)_(clone3?|v?fork|execve|execveat)" # called, or passed on
calls_only='v?fork|clone3?|exec(l|le|lp|v|ve|veat|vp|vpe)|fexecve|forkpty|daemon|wordexp'
starts=$(cat <<-'EOF'
	src/cli/far/far_place.c execlp 1 trusted
	src/cli/run/foreground.c fork 1 machine
	src/engine/attempt/attempt.c child_start 1 attempt
	src/engine/child/child_start.c launch_process 1 caller
	src/engine/child/launch.c spawn_process 2 caller
	src/engine/child/spawn.c CLONE 1 caller
	src/engine/child/spawn.c SYS_execve 1 caller
	src/engine/child/tool_run.c launch_process 1 caller
	src/engine/child/tool_run.c tool_run 1 caller
	src/engine/loop/loop_after.c tool_run 1 trusted
	src/engine/loop/notifier.c tool_run 1 trusted
	src/engine/remote/remote_tool.c child_start 1 trusted
	src/engine/remote/remote_tool.c tool_run 1 trusted
	src/engine/remote/ssh_channel.c launch_process 1 trusted
	src/engine/sandbox/bwrap.c tool_ask 2 machine
	src/engine/sandbox/container.c tool_ask 4 machine
	src/engine/sandbox/container.c tool_run 1 machine
	src/engine/sandbox/doctor.c tool_ask 4 machine
	src/engine/sandbox/sandbox.c tool_run 1 attempt
	src/engine/tree/git.c tool_run 1 git
	src/engine/workspace/workspace_make.c tool_run 1 trusted
	src/hand/keeper.c execve 2 far
	src/hand/keeper.c fork 4 far
	src/ui/app/app_terminal.c outside_start_on_terminal 1 trusted
	src/ui/app/outside.c posix_spawn 1 caller
EOF
)
# Finds the existing calls as "FILE FUNCTION COUNT". A definition starts in the first column, a call
# does not.
called=$(awk -v starters="$starters" -v calls_only="$calls_only" '
	BEGIN {
		start = "(^|[^A-Za-z0-9_>.])((" starters ")[[:blank:]]*[(),;]|(" \
			calls_only ")[[:blank:]]*[(])"
	}
	FNR == 1 { inside = 0 }
	{
		line = $0
		gsub(/"([^"\\]|\\.)*"/, "", line)
		if (inside) {
			if (!sub(/^.*\*\//, "", line))
				next
			inside = 0
		}
		gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", line)
		sub(/\/\/.*/, "", line)
		if (sub(/\/\*.*/, "", line))
			inside = 1
		if (line !~ /^[[:blank:]]/)
			next
		while (match(line, start)) {
			name = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			gsub(/[^A-Za-z0-9_]/, "", name)
			count[FILENAME " " name]++
		}
	}
	END { for (call in count) print call, count[call] }
' /dev/null $ours | sort)
unsaid=$(echo "$called" | while read -r file name count; do
	[ -z "$file" ] || echo "$starts" | grep -qE "^$file $name $count ($sides)\$" ||
		echo "$file: calls $name $count times"
done)
if [ -n "$unsaid" ]; then
	echo "$unsaid"
	offence 'starts a process and does not say on which side: see the list in tests/lint/tidy.sh'
fi
gone=$(echo "$starts" | while read -r file name count side; do
	[ ! -e "$file" ] || echo "$called" | grep -q "^$file $name " || echo "$file: no call of $name"
done)
if [ -n "$gone" ]; then
	echo "$gone"
	offence 'the list of process starts in tests/lint/tidy.sh has one that is gone'
fi

# Every header must have an include guard with its name.
unguarded=$(awk '
	function report() { if (guard && !found) print file ": the guard is not " guard }
	FNR == 1 {
		report()
		file = guard = FILENAME
		gsub(/.*\/|\.h$/, "", guard)
		gsub(/-/, "_", guard)
		guard = "DEVS_" toupper(guard) "_H"
		found = 0
	}
	$0 == "#ifndef " guard { found = 1 }
	END { report() }
' /dev/null $(echo "$ours" | grep '\.h$'))
while read -r line; do
	[ -z "$line" ] || offence "$line"
done <<-EOF
	$unguarded
EOF

# Headers are the documentation, so whatever they declare must have a comment right above it.
# Functions that only begin or end an object, and take nothing else, mean the same everywhere, so
# they need no comment in a private header.
lifecycle='^void [a-z0-9_]+_(init|done|close|free|stop)[(]struct [a-z0-9_]+ [*][a-z0-9_]+[)];'
undocumented=$(awk -v lifecycle="$lifecycle" '
	FNR == 1 { inside = said = depth = 0 }
	inside { if (/\*\//) { inside = 0; said = 1 } next }
	/^[[:blank:]]*\/\*/ { if (/\*\//) said = 1; else inside = 1; next }
	/^ATTR_[A-Z_]+(\([^()]*\))?$/ { next }
	FILENAME ~ /^src/ && $0 ~ lifecycle { next }
	depth == 0 && /^[a-zA-Z].*\(/ && !/^(static_assert|enum|extern)/ && !said {
		print FILENAME ":" FNR ": " $0
	}
	{ depth += gsub(/\{/, "{") - gsub(/\}/, "}") }
	!/^[[:blank:]]+[^[:blank:]]/ { said = 0 }
' /dev/null $(echo "$ours" | grep '\.h$'))
if [ -n "$undocumented" ]; then
	echo "$undocumented"
	offence 'a function of a header has no comment of its own'
fi

if ! command -v clang-format >/dev/null; then
	echo "tidy: skipped the format: clang-format is not installed"
elif [ -n "$code" ] && ! echo "$code" | xargs -n 50 -P "$(nproc)" clang-format --dry-run -Werror; then
	offence 'not as clang-format writes it: clang-format -i FILE'
fi

exit $status
