#!/bin/sh
# :plain in a real terminal: the screen closes, the run continues as lines.
. "$(dirname "$0")/terminal.sh"
trap ': >"$dir/go"; tmux kill-server 2>/dev/null; rm -rf "$dir"' EXIT INT TERM
export LC_ALL=C.UTF-8
# ncurses never frees its terminal data; a leak report must not change the exit code
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

cat >plan.json <<'PLAN'
{"version": 1, "name": "lines", "idempotent": true, "tasks": [
 {"id": "first", "steps": [{"run": ["true"]}]},
 {"id": "slow", "needs": ["first"], "steps": [{"run": ["sh", "-c", "until test -e go; do sleep 0.05; done"]}]},
 {"id": "bad", "needs": ["slow"], "steps": [{"run": ["sh", "-c", "exit 3"]}]}]}
PLAN
run_is() { "$devs" status "$1" 2>/dev/null | grep -q "^run #$1 .* $2 "; }

# --- our own run: lines for new events to the end, and the run's exit code
open a 120 30
type a "clear; '$devs' run plan.json; echo code-\$?" Enter
expect a 'running.*slow' 'a run in the cockpit'
type a ':plain' Enter
expect a 'devs: run #1 continues as plain lines: ^C cancels it' ':plain says what it does'
shows a 'first.*started'
want 'what was on the screen is not printed again' $? 1
want 'the run goes on' "$(run_is 1 live && echo yes)" yes

# --- another devs's run: ^C only ends the lines
open b 120 30
type b "clear; '$devs'; echo code-\$?" Enter
expect b 'running.*slow' 'another devs shows it'
type b ':plain' Enter
expect b 'continues as plain lines: ^C ends only this output; to see the screen again, run devs' ':plain there says so, too'
: >go
expect a 'slow.*succeeded' 'a line tells what happens'
expect a 'bad.*exit 3' 'and the next one'
expect a 'code-1' 'the run ends as ever, and says so'
expect b 'bad.*exit 3' 'the same lines come there'
expect b 'code-0' 'and end with the run'

# --- in the past and in a replay: says why it is not possible
type b "clear; '$devs'" Enter
expect b 'ENDED' 'a run that is over'
type b ':plain' Enter
expect b 'the run is not live: devs replay 1 --plain prints it' 'has no more lines'
type b q
expect b 'shell>' 'q leaves'
type b "clear; '$devs' debug --logs 1" Enter
expect b 'REPLAY' 'a replay'
type b ':plain' Enter
expect b 'this is a replay: devs replay 1 --plain prints it' 'has none either'
type b q
expect b 'shell>' 'q leaves it'

# --- ^C cancels the run, as with --plain
rm go
type a "clear; '$devs' run plan.json; echo code-\$?" Enter
expect a 'running.*slow' 'another run'
type a ,
expect a 'PAST' 'its past'
type a ':plain' Enter
expect a 'plain works only in the present: \$ goes back to it' 'has no lines'
type a '$'
expect a 'LIVE' '$ leads back'
type a ':plain' Enter
expect a 'run #2 continues as plain lines' 'now it has'
type a C-c
expect a 'devs: cancelling: SIGTERM now' '^C cancels'
expect a 'code-130' 'and devs ends as with --plain'

finish
