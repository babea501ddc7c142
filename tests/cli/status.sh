#!/bin/sh
# A run of many tasks is told in a few lines, the same from what the log keeps of them and from its
# events. usage: status.sh DEVS
. "$(dirname "$0")/check.sh"
command -v sqlite3 >/dev/null || exit 77

# plan TASKS: every tenth fails
plan() {
	printf '{"version": 1, "name": "many", "idempotent": true, "jobs": 4, "policy": {"max_attempts": 1},\n"tasks": ['
	seq 1 "$1" | sed 's/.*0$/{"id": "t&", "steps": [{"run": ["false"]}]},/;t
		s/.*/{"id": "t&", "steps": [{"run": ["true"]}]},/' | sed '$s/,$//'
	printf ']}\n'
}

plan 300 >many.json
plan 200 >some.json
"$devs" run --plain some.json >run.log 2>&1
want 'as many as are told: each' "$("$devs" status | grep -c '^. [a-z-]* *t[0-9]')" 200
want 'no blanks at the ends of lines' "$("$devs" status | grep -c ' $')" 0

plan 20 | sed 's/"t7"/"t7-of-a-name-that-is-longer-than-any-other-one"/' >long.json
"$devs" --db long.db run --plain long.json >run.log 2>&1
want 'a long id moves no column' "$("$devs" --db long.db status --ascii |
	awk '/t[0-9].* 1\/1 / {print index($0, " 1/1 ")}' | sort -u | wc -l)" 1

"$devs" run --plain many.json >run.log 2>&1
out=$("$devs" status)
want_in 'head' "$out" 'run #2 many  ended  started '
want_in 'counts' "$out" '300 tasks: 270 passed, 30 gave-up'
want_in 'tries' "$out" '300 tries in '
want 'the first that failed' "$(echo "$out" | sed -n 4p | awk '{print $2, $3, $4, $5, $7, $8}')" \
	'gave-up t10 1/1 at exit 1'
want_in 'and the others' "$out" 'and 20 more'
want 'where each is' "$(echo "$out" | tail -n 1)" \
	'all tasks, recomputed from the events: devs status --all 2'
want 'lines' "$(echo "$out" | wc -l)" 15
line=$("$devs" status --line --ascii)
want 'one line' "$line" 'many +270 x30'
"$devs" status --line --json >out 2>&1
want 'one line is not JSON' "$? $(head -n 1 out)" '2 devs: status: --json and --line are mutually exclusive'
want 'all' "$("$devs" status --all 2 | grep -c '^. [a-z-]* *t[0-9]')" 300
want 'json has all' "$("$devs" status --json | grep -o '"task":' | wc -l)" 300

# What is kept is not there: its events say the same.
sqlite3 .devs/devs.db 'DELETE FROM task WHERE run=2 AND task>100'
want 'from the events' "$("$devs" status | sed '$d')" "$(echo "$out" | sed '$d')"
want 'where each is, from the events' "$("$devs" status | tail -n 1)" 'all tasks: devs status --all 2'
want 'one line from the events' "$("$devs" status --line --ascii)" "$line"

# What is not enforced stands in the events alone, and is told all the same.
plan 201 | sed '2,3s/"run"/"sandbox": {"network": false, "best_effort": true}, &/' >lacks.json
"$devs" run --plain lacks.json >run.log 2>&1
want_in 'what no sandbox enforces' "$("$devs" status)" '
2 tasks: sandbox does not enforce network
'
want 'of each task' "$("$devs" status --all | grep -c '^t[12]: sandbox does not enforce network')" 2

# Until when the first waits is one time, in the line of all and in its row.
plan 210 | sed 's/"max_attempts": 1/"base_delay_ms": 1000000, "cap_ms": 1000000/' >waits.json
"$devs" run --plain waits.json >run.log 2>&1 &
pid=$!
is_waiting() { "$devs" status --line --ascii | grep -q '^many ~21 +189$'; }
until_true 60 is_waiting || "$devs" status --line --ascii >&2
out=$("$devs" status)
due=$(echo "$out" | sed -n 's/.*; the next try in //p')
want_in 'it is known' "$due" ':'
want 'the first to be tried again' "$(echo "$out" | awk '$2 == "backoff" {print $6; exit}')" "$due"
kill -INT "$pid"
wait "$pid"

# A failed task is shown with the line that says most, and how to look at it.
cat >telling.json <<'PLAN'
{"version": 1, "name": "telling", "idempotent": true, "policies": {"once": {"max_attempts": 1}},
 "policy": "once", "tasks": [
 {"id": "make", "steps": [{"phase": "GREEN", "run": ["sh", "-c",
  "echo compiling; echo 'tax.c:12: unknown type' >&2; echo 'make: *** [all] Error 1' >&2; exit 2"]}]},
 {"id": "out", "steps": [{"phase": "GREEN", "run": ["sh", "-c", "echo 'no such customer'; exit 1"]}]},
 {"id": "mute", "steps": [{"phase": "GREEN", "run": ["sh", "-c", "exit 1"]}]}]}
PLAN
"$devs" run --plain telling.json >out 2>&1
run=$("$devs" status --json | sed 's/.*"run":\([0-9]*\),.*/\1/')
want_in 'the summary: what it wrote to stderr' "$(cat out)" \
	"  gave-up    make: tax.c:12: unknown type   devs why $run/make"
want_in 'the summary: else to stdout' "$(cat out)" "  gave-up    out: no such customer   devs why $run/out"
want_in 'the summary: nothing was written' "$(cat out)" "  gave-up    mute: exit 1   devs why $run/mute"
out=$("$devs" status)
want_in 'status: what it wrote' "$out" "tax.c:12: unknown type   devs why $run/make"
want_in 'status: nothing was written' "$out" "            devs why $run/mute"
want_in 'as JSON' "$("$devs" status --json)" '"line":"tax.c:12: unknown type"'

# A run that is live is meant before a newer one that has ended.
mkdir live && cd live || exit 2
cat >night.json <<'PLAN'
{"version": 1, "name": "night", "tasks": [{"id": "long", "steps": [{"phase": "RED",
 "run": ["sh", "-c", "until [ -e go ]; do sleep 0.05; done"]}]}]}
PLAN
"$devs" --db "$PWD/.devs/devs.db" run --plain night.json >night.out 2>&1 &
pid=$!
until_true 60 grep -q 'running, pid' night.out
"$devs" exec -- true >/dev/null 2>&1
want 'one line is of the live run' "$("$devs" status --line --ascii)" 'night *1'
want_in 'status, too' "$("$devs" status | head -n 1)" 'run #1 night  live'
want_in 'an ended run says that another is live' "$("$devs" status 2 | head -n 1)" 'run #2, 1 live  exec'
want_in 'as JSON' "$("$devs" status --json 2)" '"live_runs":1'
"$devs" exec -- sh -c 'touch here; until [ -e go ]; do sleep 0.05; done' >/dev/null 2>&1 &
second=$!
until_true 60 test -e here
want_in 'two are live' "$("$devs" status 1 | head -n 1)" 'run #1, 2 live  night  live'
want_in 'the newer of two live ones' "$("$devs" status | head -n 1)" 'run #3, 2 live  exec'
touch go
wait "$second"
wait "$pid"
want_in 'without a live run the newest' "$("$devs" status | head -n 1)" 'run #3 exec  ended'

# A repository inside another project has a log of its own; a linked worktree has not.
if command -v git >/dev/null; then
	mkdir nested && git init -q nested
	(cd nested && "$devs" status) >out 2>err
	want 'the log above is not used' $? 66
	want_in 'and named' "$(cat err)" "use --db $PWD/.devs/devs.db for the log above it, which belongs to another project"
	(cd nested && "$devs" exec -- true) >/dev/null 2>&1
	want_in 'it has its own' "$(cd nested && "$devs" status | head -n 1)" 'run #1 exec'
	mkdir -p nested/below
	want_in 'for its folders, too' "$(cd nested/below && "$devs" status | head -n 1)" 'run #1 exec'
	mkdir linked && echo 'gitdir: /somewhere/.git/worktrees/linked' >linked/.git
	want_in 'a linked worktree uses that of its repository' "$(cd linked && "$devs" status | head -n 1)" 'run #3 exec'
fi
cd ..

# --- lines fit the terminal; a pipe gets all of them
long=$(printf '%090d' 7)
printf '{"version": 1, "tasks": [{"id": "wide", "steps": [{"run": ["sh", "-c", "echo %s >&2; exit 1"], "policy": {"max_attempts": 1}}]}]}' \
	"$long" >wide.json
"$devs" run --plain wide.json >/dev/null 2>&1
want_in 'a pipe gets whole lines' "$("$devs" status --all)" 'devs why '
script -qec "stty cols 60; '$devs' status --all --ascii" /dev/null </dev/null | tr -d '\r' >out
want 'a terminal gets no line that is wider' "$(awk 'length > 60' out)" ''
want_in 'the command is not cut' "$(cat out)" 'devs why '
script -qec "stty cols 20; '$devs' status --all --ascii" /dev/null </dev/null | tr -d '\r' >out
want 'where the time went is on rows of its own' "$(tail -n 2 out | tr '\n' '/' | tr -d 0-9)" 'time: work :/      (%)/'
finish
