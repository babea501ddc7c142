#!/bin/sh
# r and R in the cockpit of a run that has ended, in a real terminal: an engine is started.
. "$(dirname "$0")/terminal.sh"
export LC_ALL=C.UTF-8
# ncurses never frees its terminal data, for any screen of the process
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

cat >plan.json <<'PLAN'
{"version": 1, "name": "night", "idempotent": true, "tasks": [
 {"id": "ok", "steps": [{"run": ["sh", "-c", "echo x >>ok-ran"]}]},
 {"id": "bad", "steps": [{"phase": "RED", "run": ["test", "-e", "mended"]}]}]}
PLAN
"$devs" run --plain plan.json >/dev/null 2>&1
open a 100 30
type a "clear; '$devs'; echo code-\$?" Enter
expect a 'ENDED' 'the run has ended'
expect a 'gave-up' 'and something failed'

# --- acts that would be refused are refused here, and the screen stays
until_true 30 eval 'shows a "ENDED" && type a G && shows a "▸.*ok"'
type a r
expect a 'ok has passed: nothing to retry' 'what passed is not retried'

# --- r on a failed task
touch mended
type a g
until_true 30 eval 'type a g; shows a "▸.*bad"'
type a r
expect a '2 of 2 passed' 'an engine runs it, to its end'
expect a '▸.*passed.*bad' 'the row that r was pressed on stays chosen'
want 'in the same run' "$("$devs" runs --json | wc -l | tr -d ' ')" 1
want 'what passed is not run' "$(wc -l <ok-ran | tr -d ' ')" 1
shows a 'live'
want 'a run that has ended is not counted as live' $? 1
type a q
expect a 'code-0' 'q leaves, with the exit code of the run'
want 'nobody owns it any more' "$("$devs" run --continue 1 2>&1 | head -n 1)" \
	'devs: run #1 has ended and all 2 tasks passed'

# --- r in Detail: the new engine's screen opens on Detail, too
"$devs" run --plain plan.json >/dev/null 2>&1 # both pass now
rm mended
"$devs" run --plain plan.json >/dev/null 2>&1
type a "clear; '$devs'" Enter
expect a '▸.*gave-up.*bad' 'the first failure is chosen'
type a 2
expect a 'Tasks > bad' 'Detail of it'
touch mended
type a r
expect a 'Tasks > bad.*ENDED' 'it stays open'
expect a 'passed' 'while an engine runs the task'
finish
