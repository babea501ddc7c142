# check.sh - shared by the shell tests of the program. Source it with $1 = the program.
# Each check prints a line when it fails; the last call is `finish`.
set -u
devs=$1
mkdir -p "${TMPDIR:-/tmp}"
dir=$(mktemp -d "${TMPDIR:-/tmp}/devs-cli-XXXXXX")
trap 'rm -rf "$dir" "$dir-run"' EXIT INT TERM
cd "$dir" || exit 1
# Spills of its own: not among those of the person who runs this.
export XDG_RUNTIME_DIR="$dir-run"
mkdir -m 700 "$XDG_RUNTIME_DIR"
failed=0
passed=0

# Settings that the tests trust: not those of the person who runs this.
export XDG_STATE_HOME="$dir-run/state"

# trust [DIR]: allow all keys of the settings there, as the person would
trust() {
	"$devs" trust "${1:-.}" >/dev/null || echo "FAILED: devs trust ${1:-.}" >&2
}

# remove_settings: of this folder, which are trusted
remove_settings() {
	rm devs.config.json
	"$devs" trust --revoke >/dev/null || echo "FAILED: devs trust --revoke" >&2
}

# want NAME GOT WANTED
want() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAILED %s: got "%s", wanted "%s"\n' "$1" "$2" "$3" >&2
	fi
}

# want_in NAME TEXT PART: the text contains the part
want_in() {
	case $2 in
	*"$3"*) passed=$((passed + 1)) ;;
	*)
		failed=$((failed + 1))
		printf 'FAILED %s: no "%s" in:\n%s\n' "$1" "$3" "$2" >&2
		;;
	esac
}

# exits NAME CODE WORD...: devs, called with these words, exits with this code; its stderr is in the
# file err
exits() {
	exits_name=$1 exits_code=$2
	shift 2
	"$devs" "$@" 2>err
	want "$exits_name: exit" $? "$exits_code"
}

# fails NAME CODE PART WORD...: the same, and its stderr contains the part
fails() {
	fails_name=$1 fails_code=$2 fails_part=$3
	shift 3
	exits "$fails_name" "$fails_code" "$@"
	want_in "$fails_name" "$(cat err)" "$fails_part"
}

# same_as_debug MODE COMMAND WORDS: devs COMMAND WORDS prints and exits like devs debug --MODE WORDS
same_as_debug() {
	debug_out=$("$devs" debug "--$1" $3)
	debug_code=$?
	command_out=$("$devs" "$2" $3)
	want "devs $2 $3: exit" $? "$debug_code"
	want "devs $2 $3" "$command_out" "$debug_out"
}

# until_true SECONDS COMMAND...: repeats the command until it succeeds; fails after about that time.
# The time of the command itself is not counted: a busy machine has more time.
until_true() {
	looks=$(($1 * 50))
	shift
	until "$@"; do
		looks=$((looks - 1))
		[ "$looks" -gt 0 ] || return 1
		sleep 0.02
	done
}

# fresh_repository: $dir/project, empty but for git, and in it
fresh_repository() {
	rm -rf "$dir/project"
	mkdir "$dir/project"
	cd "$dir/project" || exit 1
	git init -q -b main .
	git config user.name Ann
	git config user.email ann@example.org
}

finish() {
	echo "$passed passed, $failed failed"
	rm -rf "$dir-run" # also where a test has a trap of its own
	[ "$failed" -eq 0 ]
	exit
}
