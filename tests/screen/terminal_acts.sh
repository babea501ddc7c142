#!/bin/sh
# Terminal features other than drawing, in a real terminal: the clipboard, $PAGER, the mouse,
# colors, the frozen screen, notifications, the smallest sizes.
. "$(dirname "$0")/terminal.sh"
trap ': >"$dir/go"; tmux kill-server 2>/dev/null; rm -rf "$dir"' EXIT INT TERM
export LC_ALL=C.UTF-8
unset NO_COLOR PAGER
# ncurses never frees its terminal data; a leak report must not change the exit code
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# mouse NAME BUTTON COLUMN ROW: presses and releases the button there, counted from 1
mouse() {
	tmux send-keys -t "$1" -l "$(printf '\033[<%s;%s;%sM\033[<%s;%s;%sm' "$2" "$3" "$4" "$2" "$3" "$4")"
}
copied() { [ "$(tmux show-buffer 2>/dev/null)" = "$1" ]; }
# chosen NAME ID: checks that the task's row is selected
chosen() { screen "$1" | grep -q -- "▸.*$2 "; }
looks() { tmux capture-pane -t "$1" -p -e | grep "$2" | grep -q "$(printf '\033')\[$3"; }

cat >three.json <<'PLAN'
{"version": 1, "name": "three", "idempotent": true, "policies": {"once": {"like": "default", "max_attempts": 1}}, "tasks": [
 {"id": "T-1", "title": "first of all", "steps": [{"run": ["sh", "-c", "echo one; echo two; until test -e go; do sleep 0.05; done"]}]},
 {"id": "T-2", "title": "日本語 of all", "steps": [{"run": ["sh", "-c", "echo evil; printf '\\033]52;c;ZXZpbA==\\a\\033[2J'; until test -e go; do sleep 0.05; done"]}]},
 {"id": "T-3", "title": "third of all", "steps": [{"run": ["sh", "-c", "until test -e go; do sleep 0.05; done; exit 1"], "policy": "once"}]}]}
PLAN
cat >devs.config.json <<SETTINGS
{"ui": {"theme": "./mine.json", "notify": ["gave-up", "ended"], "notify_command": ["sh", "-c", "(pwd; echo \"\$1\") >>$dir/told", "told"]}}
SETTINGS
echo '{"like": "mono", "running": {"fg": "bright-blue"}}' >mine.json

# --- a command from untrusted settings
open a 100 30
tmux set-option -s set-clipboard on
tmux set-option -g monitor-bell on
tmux pipe-pane -t a "cat >$dir/bytes"
type a "clear; '$devs' run -j 3 three.json; echo exit \$?" Enter
expect a 'exit 2' 'settings that are not trusted do not start'
want_in 'and why' "$(screen a | tr -d '\n')" 'ui.notify_command runs a command, so it needs your trust'
want 'their command is not run' "$(cat told 2>/dev/null)" ''
trust
type a "clear; '$devs' run -j 3 three.json" Enter
expect a 'running.*third of all' 'a run in the cockpit'

# --- the clipboard
type a y
expect a "copied to the terminal's clipboard: T-1 first of all" 'y says what it copied'
until_true 60 copied 'T-1 first of all'
want 'the terminal has it' $? 0

# --- the mouse
mouse a 0 20 4
until_true 60 chosen a T-2
want 'a click chooses' $? 0
mouse a 64 20 4
mouse a 65 20 4
type a k
until_true 60 chosen a T-1
want 'the wheel does not' $? 0
type a M
expect a "mouse released" 'M gives it back'
type a M
expect a 'mouse captured' 'M takes it again'

# --- $PAGER
expect a '[0-9]  two' 'what the try wrote is there'
type a o
expect a '(END)' 'o opens the log in less'
expect a '^two' 'with all that the try wrote'
type a q
expect a 'first of all' 'and comes back'
type a j o
expect a '^evil' 'what is hostile is text there, too'
type a C-z
expect a 'third of all' 'a pager that is stopped is left'
copied evil
want 'nobody but the person writes to the clipboard' $? 1

# --- a frozen screen
type a Z
expect a 'FROZEN .* Z = resume' 'Z freezes'
type a j
expect a 'the screen is frozen' 'other keys say so'
type a Z
expect a 'LIVE' 'and Z resumes it'

# --- colors
until_true 60 looks a 'running.*T-3' '[39]4m'
want 'the colors of a theme of one'"'"'s own' $? 0

# --- every size
for size in '20 2' '19 1' '5 3' '2 1' '1 1'; do
	tmux resize-window -t a -x "${size% *}" -y "${size#* }"
	type a j k 2 1
done
tmux resize-window -t a -x 100 -y 30
expect a 'third of all' 'no size is too small'

# --- notifications
: >go
has_told() { grep -q 'T-3 gave up' told 2>/dev/null; }
until_true 60 has_told
want 'a command is told that a task gave up' $? 0
want 'it runs outside the project' "$(head -1 told)" /
sent() { tr -d '\033\007' <bytes | grep -q 'Ptmux;\]9;devs: T-3 gave up'; }
until_true 60 sent
want 'the terminal shows it, too' $? 0
expect a 'ENDED' 'the run is over: q asks nothing any more'
type a q
expect a 'shell>' 'the shell is back'

# --- themes by name
type a "clear; NO_COLOR=1 '$devs' --theme cb" Enter
expect a 'ENDED' 'a theme beside NO_COLOR'
tmux capture-pane -t a -p -e | grep -q "$(printf '\033')\[3[0-7]m"
want 'NO_COLOR goes before any theme' $? 1
type a q
expect a 'shell>' 'the shell is back again'
type a "clear; '$devs' run --theme neon three.json" Enter
expect a "unknown theme 'neon'" 'a theme that is none is refused'

finish
