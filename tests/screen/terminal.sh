# A real terminal for a test: tmux types and reads. Sourced by the tests in this folder.
# Skipped (77) without tmux. Nothing sleeps: each step waits, up to a deadline, until the screen
# shows what is expected.
command -v tmux >/dev/null || {
	echo 'skipped: tmux is not installed'
	exit 77
}
. "$(dirname "$0")/../cli/check.sh"
TMUX='' TMUX_TMPDIR=$dir
export TMUX TMUX_TMPDIR
trap 'tmux kill-server 2>/dev/null; rm -rf "$dir"' EXIT INT TERM
unset DEVS_DB

# open NAME COLUMNS ROWS: opens a terminal with a shell
open() {
	tmux -f /dev/null new-session -d -s "$1" -x "$2" -y "$3" "cd '$dir' && PS1='shell> ' exec sh"
	tmux set-option -t "$1" status off >/dev/null
}
# type NAME KEYS...
type() {
	session=$1
	shift
	tmux send-keys -t "$session" "$@"
}
screen() { tmux capture-pane -t "$1" -p; }
shows() { screen "$1" | grep -q -- "$2"; }
# expect NAME PATTERN WHAT
expect() {
	until_true 60 shows "$1" "$2"
	result=$?
	want "$3" "$result" 0
	[ "$result" -eq 0 ] || screen "$1" >&2
}
