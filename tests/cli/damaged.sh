#!/bin/sh
# A log that is invalid: a page that is damaged, a name of many megabytes. usage: damaged.sh DEVS
. "$(dirname "$0")/check.sh"
command -v sqlite3 >/dev/null || exit 77

echo '{"version": 1, "idempotent": true, "tasks": [{"id": "a", "steps": [{"run": ["true"]}]}]}' >plan.json
want 'the run' "$("$devs" run --plain plan.json >run.log 2>&1; echo $?)" 0
want_in 'before' "$("$devs" status)" 'ended'
cp -a .devs .kept
sqlite3 .devs/devs.db "UPDATE run SET name = printf('%.*c', 5000000, 'x')"
for command in 'status' 'runs' 'why last/a' 'debug --logs --plain last'; do
	# shellcheck disable=SC2086 # words
	"$devs" $command >out 2>err
	want "$command: a name of 5 MB: exit" $? 65
	want_in "$command: a name of 5 MB" "$(cat err)" 'the row of run #1 in the log is invalid'
done
rm -rf .devs && mv .kept .devs
page=$(sqlite3 .devs/devs.db "PRAGMA wal_checkpoint(TRUNCATE); SELECT rootpage FROM sqlite_master WHERE name = 'event'" | tail -n 1)
size=$(sqlite3 .devs/devs.db 'PRAGMA page_size')
tr '\0' '\252' </dev/zero | dd of=.devs/devs.db bs="$size" seek=$((page - 1)) count=1 conv=notrunc iflag=fullblock 2>dd.log
out=$("$devs" status 2>err; echo "exit $?")
want_in 'status' "$out" 'exit 65'
want_in 'status: it does not live' "$out" 'plan  ended  started'
want_in 'status: what is told' "$out" 'the log is damaged: 0 of '
want 'status: nothing to go on with' "$(echo "$out" | grep -c 'continue it')" 0
want_in 'status: json' "$("$devs" status --json 2>err)" '"state":"ended"'
want_in 'doctor' "$("$devs" doctor; echo "exit $?")" 'NO  run log'
finish
