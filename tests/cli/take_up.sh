#!/bin/sh
# A run that has ended is taken up: what passed stays passed, what did not is run again in the same
# log, by --continue and by a retry.
. "$(dirname "$0")/check.sh"

cat >plan.json <<'PLAN'
{"version": 1, "name": "night", "idempotent": true, "jobs": 2, "tasks": [
 {"id": "ok", "steps": [{"run": ["sh", "-c", "echo x >>ok-ran"]}]},
 {"id": "bad", "steps": [{"phase": "RED", "run": ["sh", "-c", "echo x >>first-ran"]},
                         {"phase": "RED", "run": ["test", "-e", "mended"]}]},
 {"id": "dep", "needs": ["bad"], "steps": [{"run": ["sh", "-c", "echo x >>dep-ran"]}]},
 {"id": "gone", "needs": ["dep"], "steps": [{"run": ["sh", "-c", "echo x >>gone-ran"]}]}]}
PLAN
events() { "$devs" debug --logs "$1" --json | grep -c "\"kind\":\"$2\""; }
lines() { wc -l <"$1" | tr -d ' '; }

# --- a task that was cancelled beside one that failed
"$devs" run --plain plan.json >/dev/null 2>&1
want 'the night: exit' $? 1
"$devs" run --plain --continue 1 --failed >out 2>err
want 'still broken: exit' $? 1
want_in 'still broken: the log says so' "$(cat out)" ': the failed tasks'
want 'still broken: what passed is not run' "$(lines ok-ran)" 1
want 'still broken: the steps before it are not run' "$(lines first-ran)" 1
want 'still broken: what was shown is not shown again' "$(grep -c 'run started' out)" 0
touch mended
"$devs" run --plain --continue last >out 2>err
want 'mended: exit' $? 0
want_in 'mended: the log says so' "$(cat out)" 'all tasks that have not passed'
want_in 'mended: one run, one log' "$("$devs" runs --json)" '"run":1'
want 'mended: no other run' "$("$devs" runs --json | wc -l | tr -d ' ')" 1
want 'mended: what passed is not run' "$(lines ok-ran)" 1
want 'mended: what was blocked is' "$(lines gone-ran)" 1
want 'mended: it was taken up twice' "$(events 1 run_recovered)" 2
want 'mended: and ended three times' "$(events 1 run_ended)" 3
want_in 'mended: as JSON' "$("$devs" debug --logs 1 --json)" '"runs_again":"failed"'
"$devs" debug --verify 1 >out 2>&1
want 'mended: its decisions are made again' $? 0
exits 'nothing is left' 2 run --continue 1
want 'nothing is left: one line and a hint' "$(lines err)" 2
want_in 'nothing is left' "$(cat err)" 'run #1 has ended and all 4 tasks passed'
exits 'no run has anything left' 66 run --continue last
exits '--failed without a run' 2 run --failed plan.json

# --- --failed leaves what was cancelled
cat >two.json <<'PLAN'
{"version": 1, "name": "two", "idempotent": true, "jobs": 1, "tasks": [
 {"id": "slow", "steps": [{"run": ["sh", "-c", ": >up; test -e go || sleep 1000"]}]},
 {"id": "never", "steps": [{"run": ["sh", "-c", "echo x >>never-ran"]}]}]}
PLAN
"$devs" run --plain two.json >/dev/null 2>&1 &
pid=$!
until_true 60 test -e up
"$devs" cancel --kill 2 >/dev/null || kill -9 "$pid"
wait "$pid"
fails 'nothing failed' 2 'run #2 has ended and no task failed' run --plain --continue 2 --failed
want_in 'nothing failed: what does' "$(cat err)" 'devs run --continue 2 runs the 2 that did not pass'
touch go
exits 'what was cancelled, or never started' 0 run --plain --continue 2
want 'what never started' "$(lines never-ran)" 1

# --- an interrupted run is not one that has ended
rm -f go up
"$devs" run --plain two.json >/dev/null 2>&1 &
pid=$!
until_true 60 test -e up
kill -9 "$pid"
wait "$pid" 2>/dev/null
fails '--failed of an interrupted run' 2 'run #3 was interrupted' run --plain --continue 3 --failed
touch go
exits 'it goes on without' 0 run --plain --continue 3

# --- a retry of one task of a run that has ended: its engine has no terminal
cat >three.json <<'PLAN'
{"version": 1, "name": "three", "idempotent": true, "tasks": [
 {"id": "x", "steps": [{"phase": "RED", "run": ["test", "-e", "x-mended"]}]},
 {"id": "y", "steps": [{"phase": "RED", "run": ["sh", "-c", "echo red; test -e y-mended"]}]},
 {"id": "z", "steps": [{"phase": "RED", "run": ["true"]}]}]}
PLAN
"$devs" run --plain three.json >/dev/null 2>&1
touch x-mended
"$devs" retry 4/x >out 2>err
want 'retry: exit' $? 0
want 'retry: the answer' "$(head -n 1 out)" '#4/x: a new set of tries'
want_in 'retry: where it goes on' "$(cat out)" 'run #4 continues without a terminal'
is_done() { "$devs" status 4 --json | grep -q '"state":"ended"' && [ "$(events 4 run_ended)" = "$1" ]; }
until_true 30 is_done 2
want 'retry: it ends again' $? 0
want_in 'retry: it passed' "$("$devs" status 4)" 'passed    x'
want 'retry: nothing else ran' "$(events 4 attempt_started)" 4
exits 'retry of what passed' 1 retry 4/z
want 'retry of what passed' "$(cat err)" 'devs: #4/z: refused: it has passed'
want 'retry of what passed: nothing is written' "$(events 4 run_recovered)" 1
"$devs" retry 4/y >out 2>err
until_true 30 is_done 3
want_in 'the same output is not new after a retry' "$("$devs" why 4/y)" \
	'new        none of its lines'
touch y-mended
"$devs" retry 4 >out 2>err
want 'retry of a whole run: exit' $? 0
want_in 'retry of a whole run' "$(cat out)" '#4: 1 task'
until_true 30 is_done 4
want_in 'retry of a whole run: it passed' "$("$devs" status 4)" 'passed    y'
"$devs" debug --verify 4 >out 2>&1
want 'retry: its decisions are made again' $? 0
want_in 'retry: the acts, too' "$(cat out)" '3 actions'

# --- a log that came from elsewhere is refused in one line
mkdir copy
cp -r .devs copy/.devs
(cd copy && "$devs" run --continue 1 --failed 2>err)
want 'a copied log: exit' $? 2
want_in 'a copied log' "$(cat copy/err)" 'read-only'
(cd copy && "$devs" retry 1/ok 2>err)
want 'a copied log, retry: exit' $? 2
want 'a copied log: one line and a hint at most' "$(test "$(lines copy/err)" -le 2; echo $?)" 0

# --- while a newer run goes on, "last" does not mean an older one
cat >one.json <<'PLAN'
{"version": 1, "name": "one", "idempotent": true, "tasks": [
 {"id": "bad", "steps": [{"phase": "RED", "run": ["sh", "-c", "echo x >>bad-ran; exit 1"]}]}]}
PLAN
"$devs" run --plain one.json >/dev/null 2>&1
rm -f up go
"$devs" run --detach two.json >/dev/null 2>&1
until_true 60 test -e up
fails 'a newer run is live' 75 'is running in another process' run --plain --continue last
want 'a newer run is live: the older one is not run' "$(lines bad-ran)" 1
"$devs" cancel --kill last >/dev/null
is_over() { ! "$devs" status --json last | grep -q '"state":"live"'; }
until_true 60 is_over
"$devs" run --plain --continue last --failed >out 2>err # of the newest, nothing failed
want 'it is over: the newest is meant' "$? $(head -n 1 err | sed 's/#[0-9]*/#N/')" \
	'2 devs: run #N has ended and no task failed'
want_in 'one attempt is one' "$("$devs" run --plain --continue "$("$devs" runs --json | sed -n \
	's/.*"run":\([0-9]*\).*"name":"one".*/\1/p')")" ': 1 new attempt
'

# --- worktree and session of an agent are used again
if command -v git >/dev/null; then
	mkdir tree && cd tree || exit 1
	git init -q .
	git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first
	mkdir ../bin
	cat >../bin/claude <<'SH'
#!/bin/sh
echo "$*" >>"$AGENT_CALLS"
printf '{"type":"system","subtype":"init","session_id":"s-1"}\n'
echo x >>work
printf '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s-1"}\n'
SH
	chmod +x ../bin/claude
	export AGENT_CALLS="$dir/calls"
	cat >plan.json <<'PLAN'
{"version": 1, "name": "agent", "workspace": {"kind": "worktree"}, "tasks": [
 {"id": "a", "rounds": 2, "steps": [{"agent": "claude", "prompt": "mend it"},
   {"phase": "VERIFY", "policy": "once", "run": ["sh", "-c", "pwd >>$AGENT_CALLS.trees; test \"$(wc -l <work)\" -gt 2"]}]}],
 "policies": {"once": {"like": "transport", "max_attempts": 1}}}
PLAN
	PATH="$dir/bin:$PATH" "$devs" run --plain plan.json >out 2>&1
	want 'an agent did not do it: exit' $? 1
	PATH="$dir/bin:$PATH" "$devs" run --plain --continue last --failed >out 2>&1
	want 'taken up, it does: exit' $? 0
	want 'in the same worktree' "$(sort -u "$AGENT_CALLS.trees" | wc -l | tr -d ' ')" 1
	want_in 'in the same session' "$(sed -n 3p "$AGENT_CALLS")" '--resume s-1'
	cd ..
fi
finish
