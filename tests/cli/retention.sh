#!/bin/sh
# devs gc and the runs in the log: limits, names, settings, and what is never taken.
. "$(dirname "$0")/check.sh"

cat >plan.json <<'JSON'
{"version": 1, "name": "day", "idempotent": true, "tasks": [{"id": "a", "steps": [{"run": ["true"]}]}]}
JSON
run() {
	"$devs" run --plain plan.json >/dev/null 2>>run.err
}
runs() {
	"$devs" runs --json | sed 's/.*"run":\([0-9]*\).*/\1/' | tr '\n' ' '
}
for _ in 1 2 3 4 5 6; do run; done

# --- nothing goes unasked
want 'no limits' "$("$devs" gc)" 'nothing to clean up'
want 'all are there' "$(runs)" '6 5 4 3 2 1 '
out=$("$devs" gc --keep-runs 4 --dry-run)
want_in 'dry run' "$out" 'would remove   run        #2 day  over the run limit, '
want_in 'dry run, json' "$("$devs" gc --keep-runs 4 --dry-run --json)" '{"v":1,"kind":"run","name":"#1 day","action":"would remove","bytes":'
want 'a dry run changes nothing' "$(runs)" '6 5 4 3 2 1 '

# --- limits; what has a bookmark stays, and counts
"$devs" debug --mark 1 >/dev/null
out=$("$devs" gc --keep-runs 4)
want 'number: exit' $? 0
want_in 'number' "$out" 'removed        run        #2 day  over the run limit, '
want 'number: the others' "$(runs)" '6 5 4 3 1 '
want 'age: young ones stay' "$("$devs" gc --keep-days 1)" 'nothing to clean up'
want_in 'age' "$("$devs" gc --keep-days 0)" '#3 day  too old'
want 'age: the newest and the marked one stay' "$(runs)" '6 1 '
run
want_in 'size' "$("$devs" gc --keep-mib 0)" '#6 day  over the size limit'
want 'size: likewise' "$(runs)" '7 1 '

# --- by name
out=$("$devs" gc --delete 1)
want 'a marked one: exit' $? 1
want_in 'a marked one' "$out" 'kept           run        #1 day  it has a bookmark'
"$devs" debug --unmark 1
out=$("$devs" gc --delete 1 7)
want 'by name: exit' $? 0
want_in 'by name' "$out" 'removed        run        #7 day  as requested'
want 'by name: gone' "$(runs)" ''
want 'no event is left' "$(sqlite3 .devs/devs.db 'SELECT count(*) FROM event' 2>/dev/null || echo 0)" 0
"$devs" gc --delete 7 2>err.out >/dev/null
want 'gone already: exit' $? 66
exits 'no name' 2 gc --delete
run
want 'numbers go on' "$(runs)" '8 '
exits 'a task' 2 gc --delete 8/a

run
run
"$devs" gc --delete 9-40 >/dev/null
want 'a range: exit' $? 0
want 'a range: those that there are' "$(runs)" '8 '

# --- a run that lives
mkfifo gate
cat >live.json <<'JSON'
{"version": 1, "name": "live", "idempotent": true, "tasks": [{"id": "a", "steps": [{"run": ["sh", "-c", "cat gate"]}]}]}
JSON
"$devs" run --plain live.json >/dev/null 2>&1 &
live=$!
trap 'kill $live 2>/dev/null; rm -rf "$dir" "$dir-run"' EXIT INT TERM
until_true 60 sh -c "'$devs' runs --json | grep -q '\"run\":11,.*\"state\":\"live\"'"
out=$("$devs" gc --delete 11)
want 'alive: exit' $? 1
want_in 'alive' "$out" '#11 live  still active'
timeout 60 sh -c 'echo >gate'
wait $live
want 'alive: it ended well' $? 0

# --- settings, by hand and by themselves
echo '{"retention": {"runs": 1}}' >devs.config.json
trust
want_in 'settings' "$("$devs" gc)" '#8 day  over the run limit'
run
want 'settings: not by themselves' "$(runs)" '12 11 '
echo '{"retention": {"runs": 1, "automatic": true}}' >devs.config.json
trust
out=$("$devs" run --plain plan.json 2>&1)
want_in 'automatic' "$out" '2 past runs removed from the log (retention)'
want 'automatic: one is left' "$(runs)" '13 '
echo '{"retention": {"runs": 0}}' >devs.config.json
"$devs" gc 2>err.out
want 'a limit of none: exit' $? 2
want_in 'a limit of none' "$(cat err.out)" '/retention/runs'
want 'nothing was wrong' "$(cat run.err)" ''
finish
