#!/bin/sh
# What the log and the machine can do to a run: named behavior, nothing lost, an exit code.
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
	until_true 60 test -s "$1/up"
	until_true 60 grep -q 'running, pid' "$1/out"
	want "$1: the run is up" $? 0
}
spills() { ls "$XDG_RUNTIME_DIR"/devs/*.db 2>/dev/null | wc -l | tr -d ' '; }
has_spill() { [ "$(spills)" = 1 ]; }
has_none() { [ "$(spills)" = 0 ]; }

# --- deleted under us: the run goes on, its second log holds all of it, and a new log takes it
begin gone
rm -rf gone/.devs
: >gone/go
until_true 60 has_spill
want 'deleted: there is a spill' $? 0
until_true 60 test -e gone/second
want 'deleted: the work goes on' $? 0
: >gone/end
wait "$pid"
want 'deleted: exit' $? 0
want_in 'deleted: it says so' "$(cat gone/out)" 'was deleted, moved or replaced'
want_in 'deleted: and what to do' "$(cat gone/out)" "/gone/.devs/devs.db --merge $XDG_RUNTIME_DIR"
want_in 'deleted: the summary is of the run' "$(cat gone/out)" 'run #1 gated: 1 passed'
file=$(ls "$XDG_RUNTIME_DIR"/devs/*.db)
out=$("$devs" --db gone/.devs/devs.db gc --merge "$file" 2>&1)
want 'deleted: merge: exit' $? 0
want_in 'deleted: merge' "$out" 'events merged'
want_in 'deleted: the run is in the log' "$(cd gone && "$devs" runs)" 'ended'
want_in 'deleted: whole' "$(cd gone && "$devs" debug --logs --plain)" 'run ended, exit 0'
want 'deleted: nothing is left' "$(spills)" 0

# --- replaced by another log: the summary is not that of a stranger
mkdir other
(cd other && "$devs" exec --once -- false) 2>/dev/null
begin instead
mv other/.devs/devs.db instead/.devs/devs.db
: >instead/go
until_true 60 test -e instead/second
: >instead/end
wait "$pid"
want 'replaced: exit' $? 0
want_in 'replaced: the summary is of the run' "$(cat instead/out)" 'run #1 gated: 1 passed'
rm -rf "$XDG_RUNTIME_DIR/devs" instead

# --- a project that can hold no log: said, when it is recorded and when it is read
mkdir none own
: >none/.devs
out=$(cd none && XDG_STATE_HOME="$dir/own" "$devs" exec -- true 2>&1)
want_in 'shared: a word when it is recorded' "$out" "is recorded in '$dir/own/devs/devs.db'"
out=$(cd none && XDG_STATE_HOME="$dir/own" "$devs" runs 2>&1)
want_in 'shared: a word when it is read' "$out" "using the shared log '$dir/own/devs/devs.db'"
(cd none && XDG_STATE_HOME="$dir/own" "$devs" exec -- echo much) >/dev/null 2>&1
XDG_STATE_HOME="$dir/own" "$devs" log exec >/dev/full 2>/dev/null
want 'output that nobody took' $? 73
full=$(XDG_STATE_HOME="$dir/own" "$devs" runs 2>&1 >/dev/full)
want_in 'output that nobody took: a word' "$full" 'devs: stdout: No space left on device'
full=$(XDG_STATE_HOME="$dir/own" "$devs" debug --logs last --db own/devs/devs.db --json 2>&1 >/dev/full)
want 'records that nobody took' "$?:$full" '73:devs: stdout: No space left on device
hint: free some space on that disk'
full=$("$devs" rules 2>&1 >/dev/full)
want 'more than fits into a buffer that nobody took' "$?:$full" \
	'73:devs: stdout: some output could not be written'
echo '{"version": 1, "idempotent": true, "tasks": [{"id": "a", "steps": [{"run": ["true"]}]}]}' >told.json
for form in --plain --json; do
	full=$(XDG_STATE_HOME="$dir/own" "$devs" run "$form" --db own/devs/devs.db told.json 2>&1 >/dev/full)
	want "a run's lines that nobody took, $form" "$?:$full" '73:devs: stdout: No space left on device
hint: free some space on that disk'
done
full=$(XDG_STATE_HOME="$dir/own" "$devs" exec --db own/devs/devs.db -- echo much 2>&1 >/dev/full)
want_in 'what a command says, that nobody took' "$full" 'devs: stdout: No space left on device'
mkfifo unread
exec 4<>unread 3>unread 4<&-
told=$("$devs" rules 2>&1 >&3)
want 'the same where the reader has gone' "$?:$told" '1:'
exec 3>&-

# --- moved aside and put back: brought home by itself
begin aside
mv aside/.devs/devs.db aside/.devs/kept
: >aside/go
until_true 60 has_spill
want 'aside: there is a spill' $? 0
mv aside/.devs/kept aside/.devs/devs.db
until_true 60 has_none
want 'aside: brought home' $? 0
: >aside/end
wait "$pid"
want 'aside: exit' $? 0
out=$(cd aside && "$devs" debug --logs --plain)
want_in 'aside: the log says so' "$out" 'the run continues, recorded in a spill log'
want_in 'aside: and when it was over' "$out" 'the log can be written again; nothing is missing'
want_in 'aside: whole' "$out" 'run ended, exit 0'
want 'aside: output too' "$(cd aside && "$devs" log a --step 2)" 'second'

# --- the disk is full: a small file system of our own
mkdir small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=1m,mode=700 devs-test small 2>/dev/null; then
	mount_of="$dir/small"
	begin small/p
	dd if=/dev/zero of=small/fill bs=4k 2>/dev/null
	: >small/p/go 2>/dev/null || mkdir small/p/go
	until_true 60 has_spill
	want 'full: there is a spill' $? 0
	out=$(cd small/p && "$devs" status 2>&1)
	want_in 'full: another process sees what is in the spill' "$out" 'running'
	want_in 'full: acts work' "$(cd small/p && "$devs" hold a 2>&1)" 'held'
	(cd small/p && "$devs" release a >/dev/null 2>&1)
	want 'full: acts work: release' $? 0
	rm small/fill
	until_true 60 has_none
	want 'full: brought home when there is room' $? 0
	: >small/p/end
	wait "$pid"
	want 'full: exit' $? 0
	want_in 'full: nothing is missing' "$(cd small/p && "$devs" debug --logs --plain)" 'nothing is missing'
	if command -v sqlite3 >/dev/null; then
		want 'full: sound' "$(sqlite3 small/p/.devs/devs.db 'PRAGMA integrity_check')" ok
	fi
	dd if=/dev/zero of=small/fill bs=4k 2>/dev/null
	"$devs" --db small/new.db exec -- true 2>err.out
	want 'full: no run begins' "$? $(cat err.out)" '73 devs: log: the disk is full
hint: free some space, or use --db FILE on another disk'
	umount -l "$mount_of"
	mount_of=
fi

# --- locked for long by another: the run goes on, nothing is lost
begin busy
(
	exec 9<>busy/.devs/devs.db-write
	flock 9
	: >locked
	until_true 60 test -e unlock
) &
holder=$!
until_true 60 test -e locked
: >busy/go
until_true 60 has_spill
want 'busy: there is a spill' $? 0
: >unlock
wait "$holder"
until_true 60 has_none
want 'busy: brought home' $? 0
: >busy/end
wait "$pid"
want 'busy: exit' $? 0
out=$(cd busy && "$devs" debug --logs --plain)
want_in 'busy: the log says so' "$out" 'another process has been writing'
want_in 'busy: nothing is missing' "$out" 'nothing is missing'

# --- killed while it was away from its log: --continue brings the end home
begin killed
mv killed/.devs/devs.db killed/.devs/kept
: >killed/go
until_true 60 grep -q 'recorded in a spill log' killed/out
kill -9 "$pid"
wait "$pid" 2>/dev/null
mv killed/.devs/kept killed/.devs/devs.db
out=$(cd killed && "$devs" status 2>&1)
want_in 'killed: the end is known' "$out" 'the end of this run is in a spill log: devs gc --merge '
want_in 'killed: a dry run changes nothing' "$(cd killed && "$devs" gc --dry-run)" 'would merge'
want 'killed: nor removes it' "$(spills)" 1
want_in 'killed: gc brings it in' "$(cd killed && "$devs" gc)" 'merged '
want 'killed: and removes it' "$(spills)" 0
want_in 'killed: once more there is nothing' "$(cd killed && "$devs" gc)" 'nothing to clean up'
: >killed/end
(cd killed && "$devs" run --continue 1 --plain >out2 2>&1)
want 'killed: it goes on: exit' $? 0

# --- a newer devs wrote it: looking works, acts and runs do not
mkdir newer
(cd newer && "$devs" exec -- true 2>/dev/null)
if command -v sqlite3 >/dev/null; then
	sqlite3 newer/.devs/devs.db "PRAGMA user_version=7; UPDATE run SET devs='9.9'" >/dev/null
	out=$(cd newer && "$devs" status 2>&1)
	want 'newer: looking: exit' $? 0
	want_in 'newer: the words' "$out" 'this log was written by devs 9.9 (schema 7, latest known 3): read only'
	out=$(cd newer && "$devs" debug --logs --plain 2>&1)
	want_in 'newer: the same beside lines' "$out" 'schema 7, latest known 3'
	(cd newer && "$devs" exec -- true 2>err)
	want 'newer: a run: exit' $? 65
	want_in 'newer: a run is refused' "$(cat newer/err)" 'read only'
	(cd newer && "$devs" retry 1 2>/dev/null)
	want 'newer: an act: exit' $? 65
fi

# --- damaged: shown up to there, exit 65
mkdir damaged
cat >damaged/many.json <<'PLAN'
{"version": 1, "name": "many", "idempotent": true, "tasks": [{"id": "a", "steps": [
PLAN
for i in $(seq 1 60); do
	[ "$i" = 1 ] || echo ',' >>damaged/many.json
	echo '{"run": ["true", "some words that fill a page of the log, so that there are several of them"]}'
done >>damaged/many.json
sed -i 's/}$/},/; $s/},$/}/' damaged/many.json
grep -v '^,$' damaged/many.json >damaged/plan.json
echo ']}]}' >>damaged/plan.json
(cd damaged && "$devs" run --plain plan.json >out 2>&1)
want 'damaged: the run before: exit' $? 0
bytes=$(stat -c %s damaged/.devs/devs.db)
truncate -s $((bytes / 4096 / 2 * 4096)) damaged/.devs/devs.db
out=$(cd damaged && "$devs" debug --logs --plain 2>&1)
want 'damaged: exit' $? 65
want_in 'damaged: what can be done' "$out" '.recover copies the readable data'

# --- no such log, none can be made, a folder of everybody's
exits 'no such log' 66 --db nothere.db status
exits 'cannot be made' 73 --db /proc/nothere/x.db exec -- true
mkdir shared && chmod 777 shared
fails 'shared folder' 2 'other users can write to' --db shared/x.db exec -- true
want 'shared folder: nothing is made' "$(ls -A shared)" ''
mkdir mask
(cd mask && umask 0 && "$devs" exec -- true 2>/dev/null)
want 'private whatever the umask' "$(stat -c %a mask/.devs mask/.devs/devs.db mask/.devs/devs.db-bell | tr '\n' ' ')" '700 600 600 '

# --- the machine: stdin closed, few descriptors, no memory, SIGTERM
"$devs" --db one/x.db exec -- cat <&- >out 2>err
want 'stdin closed: exit' $? 0
prlimit --nofile=7 "$devs" --db few/x.db exec -- true >out 2>err
want 'few descriptors: exit' $? 73
want_in 'few descriptors: it says so' "$(cat err)" 'the open file limit is 7'
if ! grep -q __asan_init "$devs" && ! grep -q __tsan_init "$devs"; then
	# Wherever it ends: at rules, patterns and hashes of the libraries, at what SQLite needs, then at
	# a thread's stack; until there is enough for all of it.
	tight=0
	for megabytes in 32 34 36 38 40 42 44 46 48 50 52 54 58; do
		prlimit --as=${megabytes}000000 "$devs" --db tight/x.db exec -- true >out 2>err
		code=$?
		[ $code -ne 0 ] || break
		tight=$((tight + 1))
		why='^devs: out of memory; everything recorded so far is kept$'
		if [ $code -eq 73 ]; then why='^devs: \(cannot start .* thread: \|log: .*: out of memory$\)'; fi
		case $code in 73 | 134) ;; *) want "$megabytes MB: exit" $code '73 or 134' ;; esac
		want "$megabytes MB: one line" "$(grep -c "$why" err)" 1
	done
	want 'no memory: tried with too little' "$([ "$tight" -ge 6 ] && echo yes)" yes
fi
# --- somebody sets the clock back by an hour
cat >clock.c <<'CODE'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *out)
{
	long failed = syscall(SYS_clock_gettime, id, out);
	if (failed == 0 && id == CLOCK_REALTIME && access("set", F_OK) == 0)
		out->tv_sec -= 3600;
	return (int)failed;
}
CODE
if command -v cc >/dev/null && ! grep -q __asan_init "$devs" && ! grep -q __tsan_init "$devs" &&
	cc -shared -fPIC -o clock.so clock.c 2>/dev/null; then
	mkdir clock && cp gated.json clock/
	(cd clock && LD_PRELOAD="$dir/clock.so" exec "$devs" run --plain gated.json >out 2>&1) &
	pid=$!
	until_true 60 grep -q 'running, pid' clock/out
	: >clock/set
	: >clock/go
	until_true 60 grep -q 'the clock moved by -3600 s at .*waits follow the monotonic clock' clock/out
	want 'clock set back: it is said' $? 0
	: >clock/end
	wait "$pid"
	want 'clock set back: exit' $? 0
fi

begin term
kill -TERM "$pid"
wait "$pid"
want 'SIGTERM: exit' $? 143
want_in 'SIGTERM: the log says so' "$(cd term && "$devs" debug --logs --plain)" 'run ended'

finish
