#!/bin/sh
# A run that its devs left behind goes on; a run that goes on without a terminal; a terminal that
# goes away.
. "$(dirname "$0")/check.sh"

# wait_for NAME FILE: the file is there
wait_for() {
	until_true 60 test -e "$2"
	want "$1" $? 0
}
is_over() { ! kill -0 "$1" 2>/dev/null; }

cat >plan.json <<'PLAN'
{"version": 1, "name": "broken", "idempotent": true, "jobs": 2, "tasks": [
 {"id": "a", "steps": [{"run": ["sh", "-c", "echo x >>first"]},
                       {"run": ["sh", "-c", "echo x >>second; test -e go || { : >up; sleep 1000; }"]}]},
 {"id": "once", "steps": [{"phase": "RED", "idempotent": false,
                           "run": ["sh", "-c", ": >once-up; test -e go || sleep 1000"]}]},
 {"id": "after", "needs": ["a"], "steps": [{"run": ["true"]}]}]}
PLAN

# --- killed; nothing of it is running when it goes on, and what passed is not run again
exits 'no log' 66 run --continue last
"$devs" run --plain plan.json >out 2>&1 &
pid=$!
wait_for 'the second step runs' up
wait_for 'so does the one that may run once' once-up
fails 'a run that is alive' 75 'run #1 is running in another process' run --continue 1
fails 'the last one is alive' 75 'run #1 is running in another process' run --continue last
kill -STOP "$pid"
is_stopped() { "$devs" status | grep -q "its devs (pid $pid) is suspended"; }
until_true 60 is_stopped
want 'a devs that is stopped keeps no time: status says so' $? 0
want_in 'a devs that is stopped, for programs' "$("$devs" status --json)" '"state":"live","stopped":true'
kill -CONT "$pid"
until_true 60 eval '! is_stopped'
want 'a devs that was continued is not stopped' $? 0
kill -9 "$pid"
wait "$pid" 2>/dev/null
want_in 'it shows as interrupted' "$("$devs" status)" 'interrupted'
want_in 'and says how it goes on' "$("$devs" </dev/null)" 'devs run --continue 1'
touch go
exits 'no such run' 66 run --continue 2
exits 'a plan beside it' 2 run --continue 1 plan.json
exits 'a task is no run' 2 run --continue 1/a
"$devs" run --plain --continue last >out 2>err
want 'it goes on: exit, a person is needed' $? 4
want_in 'what was left was ended' "$(cat out)" 'killed processes left by the run: '
want_in 'what ran was interrupted' "$(cat out)" 'a try 1/4 GREEN interrupted, ran ?'
want_in 'why: its end was not seen' "$("$devs" why 1/a --try 1)" 'devs died, so its end was not recorded; detected at '
want_in 'what may run once asks' "$(cat out)" 'RED needs you'
want 'what was shown before is not shown again' "$(grep -c 'run started' out)" 0
want 'what passed was not run again' "$(wc -l <first)" 1
want 'what was interrupted was' "$(wc -l <second)" 2
want_in 'the rest went on' "$("$devs" status 1)" 'passed    after'
exits 'a run that has ended: what needed a person is run' 0 run --plain --continue 1
want 'a run that has ended: what passed is not' "$(wc -l <second)" 2
exits 'nothing is interrupted, nothing is left' 66 run --continue last

# --- a secret of the plan is not in the log: it comes from the environment of who goes on
cat >secret.json <<'PLAN'
{"version": 1, "name": "secret", "idempotent": true, "tasks": [
 {"id": "k", "steps": [{"run": ["sh", "-c", ": >up; test -e go || sleep 1000; echo \"$1\" | md5sum", "sh", "hunter2hunter2"]}]}]}
PLAN
# break_off: a run of that plan is killed while it runs
break_off() {
	rm -f go up
	MY_API_TOKEN=hunter2hunter2 "$devs" run --plain secret.json >out 2>&1 &
	pid=$!
	wait_for 'a step with a secret runs' up
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	: >go
}
break_off
"$devs" run --plain --continue last >out 2>&1
want 'without its secret: exit' $? 4
want_in 'without its secret: which' "$(cat out)" 'k needs the secret MY_API_TOKEN, which is neither in the log nor set here'
break_off
MY_API_TOKEN=hunter2hunter2 "$devs" run --plain --continue last >out 2>&1
want 'with its secret: exit' $? 0
want 'with its secret: the call is the same' "$("$devs" log k)" "$(echo hunter2hunter2 | md5sum)"

# --- settings that cannot be read may name secrets: nothing goes on without them
cat >badge.json <<'PLAN'
{"version": 1, "name": "badge", "idempotent": true, "tasks": [
 {"id": "k", "steps": [{"run": ["sh", "-c", ": >up; test -e go || sleep 1000; echo badge $BADGE"]}]}]}
PLAN
export BADGE=12345678zz
rm -f go up
echo '{"secrets": {"names": ["BADGE"]}}' >devs.config.json
"$devs" run --plain badge.json >out 2>&1 &
pid=$!
wait_for 'a step with a secret of the settings runs' up
kill -9 "$pid"
wait "$pid" 2>/dev/null
: >go
echo '{"secrets": {"names": ["BADGE"]},}' >devs.config.json
fails 'settings that are broken' 2 'devs.config.json: 1 error' run --plain --continue last
want_in 'settings that are broken: nothing was touched' "$("$devs" status)" 'interrupted'
echo '{"secrets": {"names": ["BADGE"]}}' >devs.config.json
exits 'settings that were mended' 0 run --plain --continue last
want 'settings that were mended: the secret is cut' "$("$devs" log k)" 'badge [cut:BADGE]'
rm devs.config.json
unset BADGE

# --- detached: it returns at once, and the run goes on in a session of its own
cat >slow.json <<'PLAN'
{"version": 1, "name": "slow", "idempotent": true, "tasks": [
 {"id": "s", "steps": [{"run": ["sh", "-c", ": >up; until test -e go; do sleep 0.05; done; echo done"]}]},
 {"id": "t", "needs": ["s"], "steps": [{"run": ["true"]}]}]}
PLAN
rm -f go up
"$devs" run --detach slow.json >out 2>err
want 'detached: exit' $? 0
want_in 'detached: which' "$(cat out)" 'run #5 continues without a terminal'
want_in 'detached: how to end it' "$(cat out)" 'devs cancel 5'
pid=$(sed -n 's/.*(pid \([0-9]*\)).*/\1/p' out)
wait_for 'detached: it runs' up
want 'detached: a session of its own' "$(ps -o sid= -p "$pid" | tr -d ' ')" "$pid"
want 'detached: it says nothing to anybody' "$(readlink /proc/"$pid"/fd/1)" /dev/null
want_in 'detached: it is alive' "$("$devs" status 5)" 'live'
kill -9 "$pid"
until_true 60 is_over "$pid"
out=$("$devs" run --detach --json --continue 5)
want 'detached again: exit' $? 0
want_in 'detached again' "$out" '{"v":1,"run":5,"pid":'
touch go
has_ended() { "$devs" status 5 | grep -q ended; }
until_true 60 has_ended
want 'detached: it ends' $? 0
exits 'detached: no plan' 66 run --detach nothere.json
"$devs" --db /proc/nothing/devs.db run --detach slow.json >out 2>err
want 'detached: no log can be made: exit' $? 73
want 'detached: nothing is said to go on' "$(cat out)" ''
want_in 'detached: why' "$(cat err)" 'devs: '

# --- the terminal goes away: go on (as plans say that say nothing), wait, cancel
# hang_up WORD: a run whose plan says so gets SIGHUP
hang_up() {
	rm -f go up
	sed "s/\"idempotent\": true/\"idempotent\": true, \"on_hangup\": \"$1\"/" slow.json >hangup.json
	"$devs" run --plain hangup.json >hangup.out 2>&1 &
	pid=$!
	wait_for "$1: it runs" up
	kill -HUP "$pid"
}
hang_up go-on
said() { "$devs" debug --logs --plain | grep -q "$1"; }
until_true 60 said 'the terminal was closed, the run continues'
want 'go-on: the log has it' $? 0
touch go
wait "$pid"
want 'go-on: exit' $? 0
want_in 'go-on: all is done' "$("$devs" status)" 'passed    t'
hang_up wait
until_true 60 said 'nothing more is started'
want 'wait: the log has it' $? 0
touch go
wait "$pid"
want 'wait: exit' $? 130
want_in 'wait: what ran has ended' "$("$devs" status)" 'passed    s'
want_in 'wait: nothing more was started' "$("$devs" status)" 'queued    t'
"$devs" run --plain --continue last >out 2>err
want 'wait: the rest goes on later' $? 0
hang_up cancel
wait "$pid"
want 'cancel: exit' $? 129
want_in 'cancel: what ran is cancelled' "$("$devs" status)" 'cancelled s'
trap '' HUP
hang_up cancel
kill -HUP "$pid"
touch go
wait "$pid"
want 'nohup: whatever the plan says: exit' $? 0
want_in 'nohup: all is done, and said' "$(cat hangup.out)" 'slow: 2 passed'
trap - HUP

# --- who reads it goes away, stdin was never there
rm -f go up
"$devs" run --plain slow.json <&- | head -1 >out &
wait_for 'a reader that leaves: it runs' up
touch go
wait $!
passed_all() { "$devs" status | grep -q 'passed    t'; }
until_true 60 passed_all
want 'a reader that leaves ends nothing' $? 0

# --- no stream at all: nothing of ours is taken for one
"$devs" run --plain slow.json <&- >&- 2>&-
want 'without any stream: exit' $? 0
passed_again() { "$devs" status | grep -q '^run .* ended'; }
want 'without any stream: all is done' "$(passed_again && echo yes)" yes

finish
