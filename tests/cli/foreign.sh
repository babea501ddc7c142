#!/bin/sh
# Logs that somebody else made: they are read, not written, and never make a command hang. Logs that
# a sandbox could reach. Logs that are damaged while they are in use. usage: foreign.sh DEVS
. "$(dirname "$0")/check.sh"
command -v sqlite3 >/dev/null || exit 77
command -v git >/dev/null || exit 77
export XDG_STATE_HOME="$dir/state"
unset DEVS_DB

cat >plan.json <<'PLAN'
{"version": 1, "idempotent": true, "policy": {"max_attempts": 1},
 "tasks": [{"id": "a", "steps": [{"run": ["sh", "-c", "echo x; echo x >>\"$MARK\"; sleep 60"]}]}]}
PLAN
export MARK="$dir/mark"

# --- a clone with a log in it, of a run that was interrupted
mkdir origin
cd origin || exit 1
git init -q -b main .
cp ../plan.json .
"$devs" run --plain plan.json >out 2>&1 &
pid=$!
until_true 60 test -s "$MARK"
kill -9 "$pid"
wait "$pid" 2>/dev/null
want 'made here: it is continued' "$(timeout -s KILL 1 "$devs" run --continue last --plain 2>&1 | grep -c 'not made by this user')" 0
rm -f "$MARK"
git add -f . && git -c user.name=ann -c user.email=ann@example.org commit -qm all
cd ..
(umask 077 && git clone -q origin clone)
cd clone || exit 1
readonly_line="devs: the log '$dir/clone/.devs/devs.db' was made by another user, on another machine or by an older devs, so it is read-only; devs gc --adopt makes it yours"
before=$(cat .devs/devs.db .devs/devs.db-wal | cksum)
for command in status runs 'why a' 'log a' 'debug --logs --plain' 'gc --dry-run'; do
	# shellcheck disable=SC2086
	exits "clone: $command" 0 $command
	want "clone: $command: one line" "$(cat err)" "$readonly_line"
done
for command in 'run --continue last --plain' 'run --continue 1 --plain' 'run --plain plan.json' \
	'exec --once -- true' 'hold a' 'release a' 'retry a' 'cancel 1' 'correct a persistent' gc 'gc --delete 1'; do
	# shellcheck disable=SC2086
	"$devs" $command >out 2>err </dev/null
	want "clone: $command: exit" $? 2
	want "clone: $command: refused" "$(cat err)" "$readonly_line"
done
want_in 'clone: how it goes on' "$("$devs" status 2>/dev/null)" \
	'continue it: devs gc --adopt, then devs run --continue 1'
fails 'clone: apply' 1 "$readonly_line" apply 1/a
want 'clone: nothing of it ran' "$(cat "$MARK" 2>/dev/null)" ''
want 'clone: it is as it was' "$(cat .devs/devs.db .devs/devs.db-wal | cksum)" "$before"
"$devs" gc --adopt --dry-run 2>/dev/null
want 'adopt: alone' $? 2
"$devs" gc --adopt >out 2>err
want_in 'adopt' "$(cat out)" 'is yours now: its runs can be continued'
want 'adopt: the folder of its runs' "$(cat err)" "devs: its runs belong to '$dir/origin', not to \
'$dir/clone': devs apply and devs run --continue work there"
want_in 'adopt: how it goes on' "$("$devs" status)" 'continue it: devs run --continue 1'
want 'adopt: written' "$("$devs" hold a 2>&1 | grep -c 'not made by this user')" 0
cd ..

# --- a log that lies loose where a sandbox may write
if bwrap --ro-bind / / true 2>/dev/null; then
	mkdir sandboxed
	cd sandboxed || exit 1
	touch notes
	for db in ./run.db run.db "$dir/sandboxed/run.db" .///run.db; do
		exits "loose: $db" 2 --db "$db" exec --once --sandbox bwrap -- true
		want "loose: $db" "$(cat err)" \
			"devs: a sandbox needs the log in a directory of its own, but '$dir/sandboxed' is not one
hint: use --db .devs/run.db, or FILE in a new directory"
	done
	DEVS_DB=run.db "$devs" exec --once --sandbox bwrap -- true >out 2>err
	want 'loose: DEVS_DB: exit' $? 2
	echo '{"sandbox": {"kind": "bwrap"}}' >devs.config.json
	echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_command","arguments":{"argv":["true"]}}}' >in
	"$devs" --db run.db mcp <in >out 2>err
	want_in 'loose: mcp' "$(cat out err)" 'a sandbox needs the log in a directory of its own'
	rm -f devs.config.json run.db*
	"$devs" --db run.db exec --once -- true >out 2>err
	want 'loose: without a sandbox' $? 0
	mkdir -m 700 own
	for db in .devs/run.db new/run.db own/run.db; do
		"$devs" --db "$db" exec --once --sandbox bwrap -- sh -c "! ls $db" >out 2>err
		want "own directory: $db" $? 0
	done
	cd own && "$devs" --db run.db exec --once --sandbox bwrap -- true 2>err
	want 'own directory: not the one to work in' $? 2
	cd ../..
else
	echo 'not looked at: bwrap does not work here'
fi

# --- a database that is made to be read for ever, or to be replayed
mkdir whole
(cd whole && "$devs" exec --once -- echo much >/dev/null 2>&1)
sqlite3 whole/.devs/devs.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
endless='WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM r)'
# hostile NAME SQL EXIT: what each command makes of a log that SQL was run on
hostile() {
	rm -rf bad
	cp -r whole bad
	(cd bad && "$devs" gc --adopt >/dev/null) # as if it were ours: no other check comes first
	[ -z "$2" ] || sqlite3 bad/.devs/devs.db "$2" >/dev/null
	[ -n "$2" ] || cp bad/.devs/devs.db bad/.devs/devs.db-journal
	for command in status runs 'runs --json' 'why exec' 'log exec' 'debug --logs --plain' \
		'export 1 --format jsonl' 'gc --dry-run' 'hold exec' 'run --continue 1 --plain' \
		'exec --once -- true' 'completion --list run'; do
		case $command in
		completion*) code=0 ;;
		*) code=$3 ;;
		esac
		# shellcheck disable=SC2086
		(cd bad && timeout 10 "$devs" $command >out 2>err </dev/null)
		want "$1: $command: exit" $? "$code"
	done
	want_in "$1: why" "$(cd bad && "$devs" runs 2>&1)" "$4"
}
for table in run event output; do
	hostile "view $table" "ALTER TABLE $table RENAME TO x; CREATE VIEW $table AS $endless SELECT x.* FROM x, r" \
		65 "the log has been tampered with: '$table' is not a table"
done
hostile 'virtual' 'ALTER TABLE run RENAME TO x; CREATE VIRTUAL TABLE run USING fts5(id, uid)' \
	65 "'run' is not a table, index, view or trigger"
hostile 'computed' "ALTER TABLE run RENAME TO y; CREATE TABLE run AS SELECT * FROM y;
	ALTER TABLE run ADD COLUMN z AS (length(hex(zeroblob(9999999))))" 65 "'run' has computed columns"
hostile 'computed by each insert' "ALTER TABLE event RENAME TO y; CREATE TABLE event(run, seq, kind, task, task_no,
	step, attempt, data, round, grant_no, at_ms, mono_ms, at AS (length(hex(zeroblob(9999999)))) STORED)" \
	65 "'event' has computed columns"
hostile 'missing' 'DROP TABLE attempt' 65 'no such table: attempt'
hostile 'journal' '' 65 "devs.db-journal' is next to the log, but devs never creates such a file"
rm -rf bad
cp -r whole bad
(cd bad && "$devs" gc --adopt >/dev/null)
sqlite3 bad/.devs/devs.db "CREATE TRIGGER t BEFORE INSERT ON control BEGIN
	SELECT ($endless SELECT count(*) FROM r); END; CREATE TABLE mine(a); CREATE VIEW also AS SELECT a FROM mine"
(cd bad && timeout 10 "$devs" hold 1/exec >out 2>&1)
want 'trigger: it does not fire' $? 1
want 'trigger: what else a person keeps there is let be' "$(cd bad && "$devs" runs >/dev/null; echo $?)" 0

# --- numbers at the end of their range
for value in 9223372036854775807 -9223372036854775808; do
	for column in started_at_ms ended_at_ms last_at_ms waited_ms attempts last_seq; do
		rm -rf bad
		cp -r whole bad
		sqlite3 bad/.devs/devs.db "UPDATE run SET $column=$value"
		for command in runs 'runs --json' status 'why exec' 'gc --dry-run'; do
			# shellcheck disable=SC2086
			(cd bad && timeout 10 "$devs" $command >out 2>err)
			code=$?
			want "$column=$value: $command" "$([ "$code" = 65 ] || [ "$code" = 2 ]; echo $?)" 0
			want "$column=$value: $command: sound" "$(grep -c 'runtime error' bad/err)" 0
		done
	done
	rm -rf bad
	cp -r whole bad
	sqlite3 bad/.devs/devs.db "UPDATE attempt SET ran_ms=$value, waited_ms=$value, started_at_ms=$value,
		ended_at_ms=$value; UPDATE task SET waited_ms=$value, due_at_ms=$value, started_at_ms=$value;
		UPDATE output SET at_ms=$value; UPDATE capture SET at_ms=$value"
	for command in runs 'runs --json' status 'status --json' 'why exec' 'log exec --times' 'debug --retries' \
		'gc --dry-run'; do
		# shellcheck disable=SC2086
		(cd bad && timeout 10 "$devs" $command >out 2>err)
		want "rows of $value: $command: sound" "$(grep -c 'runtime error' bad/err)" 0
	done
done

# --- files of the log that are cut off while a run writes to them
cat >slow.json <<'PLAN'
{"version": 1, "name": "slow", "idempotent": true, "tasks": [{"id": "a", "steps": [
 {"run": ["sh", "-c", "echo one; : >up; while [ ! -e go ]; do sleep 0.02; done; echo two"]}]}]}
PLAN
# cut NAME COMMAND RUNS [CODE]: it is run in .devs while the run goes on; that many earlier runs stay.
# CODE is right, too, where the spill has all that there was
cut() {
	rm -rf busy "$XDG_RUNTIME_DIR/devs"
	mkdir busy
	cp slow.json busy
	for i in 1 2 3; do (cd busy && "$devs" exec --once -- echo "$i" >/dev/null 2>&1); done
	(cd busy && exec "$devs" run --plain slow.json >out 2>&1) &
	pid=$!
	until_true 60 test -e busy/up
	(cd busy/.devs && eval "$2")
	: >busy/go
	wait "$pid"
	code=$?
	want "$1: exit $code" "$([ "$code" = 74 ] || [ "$code" = "${4-74}" ]; echo $?)" 0
	[ "$code" != 74 ] || # else nothing is lost, and there is nothing to say
		want "$1: it says so" "$(grep -Eq "^devs: .*(could not be written|was truncated)" busy/out; echo $?)" 0
	want "$1: earlier runs" "$(cd busy && "$devs" runs 2>/dev/null | grep -c 'exec$')" "$3"
	want "$1: sound" "$(sqlite3 busy/.devs/devs.db 'PRAGMA integrity_check' 2>&1)" ok
}
cut 'WAL cut off' 'truncate -s 0 devs.db-wal' 3
cut 'WAL shortened' 'truncate -s 9000 devs.db-wal' 3
cut 'WAL zeroed' 'dd if=/dev/zero of=devs.db-wal bs=4096 count=9 conv=notrunc status=none' 3
cut 'WAL replaced' 'cp devs.db-wal x; mv x devs.db-wal' 3 0
cut 'WAL removed' 'rm devs.db-wal' 3 0
cut 'shared memory cut off' 'truncate -s 0 devs.db-shm' 3
cut 'shared memory removed' 'rm devs.db-shm' 3 0
cut 'log removed' 'rm devs.db' 0 0
cut 'log replaced' 'cp devs.db x; mv x devs.db' 3 0

# --- the step removes the log at once, before anything else has read it
rm -rf busy
mkdir busy
cat >busy/self.json <<'PLAN'
{"version": 1, "name": "self", "idempotent": true, "tasks": [{"id": "a", "steps": [
 {"run": ["sh", "-c", "rm .devs/devs.db"]}]}]}
PLAN
for i in 1 2 3 4 5 6 7 8; do
	rm -rf busy/.devs
	(cd busy && "$devs" run --plain self.json >out 2>&1)
	want_in "removed at once, $i: it says where the run is" "$(cat busy/out)" "devs gc --db $dir/busy/.devs/devs.db --merge "
done

# --- the directory of the lock files is moved away: nobody else takes the run
rm -rf busy
mkdir busy
cp slow.json busy
(cd busy && exec "$devs" run --plain slow.json >out 2>&1) &
pid=$!
until_true 60 test -e busy/up
mv busy/.devs/owner busy/.devs/o2
(cd busy && "$devs" run --continue 1 --plain >out2 2>&1)
want 'moved lock: nobody else continues the run' $? 75
: >busy/go
wait "$pid"
want 'moved lock: the run ends' $? 0
finish
