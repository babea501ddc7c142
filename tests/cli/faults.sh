#!/bin/sh
# What the log and the machine can do to a run: named behaviour, nothing lost, an exit code.
. "$(dirname "$0")/check.sh"
export XDG_RUNTIME_DIR="$dir/run"
mkdir -m 700 "$XDG_RUNTIME_DIR"

mount_of=
undo() {
	[ -z "$mount_of" ] || umount -l "$mount_of"
	rm -rf "$dir"
}
trap undo EXIT INT TERM

cat >gated.json <<'PLAN'
{"version": 1, "name": "gated", "idempotent": true,
 "tasks": [{"id": "a", "steps": [
  {"run": ["sh", "-c", "echo up >up; while [ ! -e go ]; do sleep 0.02; done"]},
  {"run": ["sh", "-c", "echo second; : >second; while [ ! -e end ]; do sleep 0.02; done"]}]}]}
PLAN

# begin FOLDER: a run in it that waits for the file go, then for end; its pid in $pid
begin() {
	mkdir -p "$1"
	cp gated.json "$1/"
	(cd "$1" && exec "$devs" run --plain gated.json >out 2>&1) &
	pid=$!
	until_true 20 test -s "$1/up"
	until_true 20 grep -q 'runs, pid' "$1/out"
	want "$1: the run is up" $? 0
}
spills() { ls "$XDG_RUNTIME_DIR"/devs/*.db 2>/dev/null | wc -l | tr -d ' '; }
has_spill() { [ "$(spills)" = 1 ]; }
has_none() { [ "$(spills)" = 0 ]; }

# --- deleted under us: the run goes on, its second log holds all of it, and a new log takes it
begin gone
rm -rf gone/.devs
: >gone/go
until_true 20 has_spill
want 'deleted: there is a spill' $? 0
until_true 20 test -e gone/second
want 'deleted: the work goes on' $? 0
: >gone/end
wait "$pid"
want 'deleted: exit' $? 0
want_in 'deleted: it says so' "$(cat gone/out)" 'was deleted, moved or replaced'
want_in 'deleted: and what to do' "$(cat gone/out)" 'hint: devs gc --merge '
file=$(ls "$XDG_RUNTIME_DIR"/devs/*.db)
out=$("$devs" --db gone/.devs/devs.db gc --merge "$file" 2>&1)
want 'deleted: merge: exit' $? 0
want_in 'deleted: merge' "$out" 'events brought in'
want_in 'deleted: the run is in the log' "$(cd gone && "$devs" runs)" 'ended'
want_in 'deleted: whole' "$(cd gone && "$devs" debug --logs --plain)" 'run ended, exit 0'
want 'deleted: nothing is left' "$(spills)" 0

# --- moved aside and put back: brought home by itself
begin aside
mv aside/.devs/devs.db aside/.devs/kept
: >aside/go
until_true 20 has_spill
want 'aside: there is a spill' $? 0
mv aside/.devs/kept aside/.devs/devs.db
until_true 20 has_none
want 'aside: brought home' $? 0
: >aside/end
wait "$pid"
want 'aside: exit' $? 0
out=$(cd aside && "$devs" debug --logs --plain)
want_in 'aside: the log says so' "$out" 'the run goes on and is recorded in a spill log'
want_in 'aside: and when it was over' "$out" 'the log can be written again, and has all of it'
want_in 'aside: whole' "$out" 'run ended, exit 0'
want 'aside: output too' "$(cd aside && "$devs" log a --step 2)" 'second'

# --- the disk is full: a small file system of our own
mkdir small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=1m,mode=700 devs-test small 2>/dev/null; then
	mount_of="$dir/small"
	begin small/p
	dd if=/dev/zero of=small/fill bs=4k 2>/dev/null
	: >small/p/go 2>/dev/null || mkdir small/p/go
	until_true 20 has_spill
	want 'full: there is a spill' $? 0
	out=$(cd small/p && "$devs" status 2>&1)
	want_in 'full: another process sees what is in the spill' "$out" 'running'
	want_in 'full: acts work' "$(cd small/p && "$devs" hold a 2>&1)" 'held'
	want_in 'full: acts work' "$(cd small/p && "$devs" release a 2>&1)" ''
	rm small/fill
	until_true 20 has_none
	want 'full: brought home when there is room' $? 0
	: >small/p/end
	wait "$pid"
	want 'full: exit' $? 0
	want_in 'full: nothing is missing' "$(cd small/p && "$devs" debug --logs --plain)" 'has all of it'
	want 'full: sound' "$(sqlite3 small/p/.devs/devs.db 'PRAGMA integrity_check' 2>/dev/null || echo ok)" ok
	umount -l "$mount_of"
	mount_of=
fi

finish
