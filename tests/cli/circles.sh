#!/bin/sh
# A command that loops, though its clock, pid and temporary names differ each time:
# suspected, stopped, explained, sent on by a person, stopped at twice as many.
. "$(dirname "$0")/check.sh"

cat >agent.sh <<'SH'
echo "$(date -u +%Y-%m-%dT%H:%M:%S.%NZ) agent[$$]: works in $(mktemp -u)"
echo 'reading src/tax.c'
echo 'not ok 3 - rounds half to even'
test -e mended
SH
mkfifo gate
cat >plan.json <<'PLAN'
{"version": 1, "name": "circles", "idempotent": true, "jobs": 2,
 "policies": {"many": {"like": "default", "max_attempts": 10, "base_delay_ms": 1, "multiplier": 1}},
 "tasks": [{"id": "tax", "steps": [{"policy": "many", "run": ["sh", "agent.sh"]}]},
           {"id": "keep", "steps": [{"run": ["sh", "-c", "read -r x <gate"]}]}]}
PLAN
"$devs" run --plain plan.json >run.out 2>&1 &
pid=$!
status_has() {
	"$devs" status --json >status.json 2>/dev/null && grep -q -- "$1" status.json
}

until_true 60 status_has '"task":"tax".*"state":"stuck"'
want 'the same again and again is stuck' $? 0
status=$(cat status.json)
want_in 'status --json: what it saw' "$status" '"circles":{"level":"stuck","rung":"repeat","count":5,"period":1,"first_step":1,"first_attempt":1,"last_step":1,"last_attempt":5,"masked":true,"masks":"times, temp paths, pids",'
want_in 'status --json: in words' "$status" '"equal":"the call and its result","words":"same result 5 times"}'
want_in 'status --json: tries are left' "$status" '"attempt":5,"attempts_max":10'
want_in 'status: in words' "$("$devs" status)" 'stuck: same result 5 times'
want_in 'status: in the column of the class' "$("$devs" status)" ' same 5x '

# --- why
out=$("$devs" why tax)
want_in 'why: nothing new' "$out" 'new        none of its lines'
want_in 'why: what it saw' "$out" 'loop       same result 5 times, tries 1 to 5'
want_in 'why: what was equal' "$out" 'equal      the call and its result, after masking'
want_in 'why: what was masked' "$out" 'after masking: times, temp paths, pids'
want_in 'why: a line of the first try' "$out" "first try  $("$devs" log tax --try 1 | head -1)"
want_in 'why: a line of the last try' "$out" "last try   $("$devs" log tax --try 5 | head -1)"
want_in 'why: what was compared' "$out" 'compared   <ts> agent[<pid>]: works in <tmp>'
want_in 'why: the decision' "$out" 'end        stuck: same result 5 times'
want_in 'why: what to do' "$out" 'devs retry 1/tax continues it; it stops again after twice as many repeats'
out=$("$devs" why tax --try 3)
want_in 'why: of the try that was suspected' "$out" 'loop       perhaps: same result 3 times, tries 1 to 3'
want_in 'why: what was masked then' "$out" 'after masking: times, temp paths, pids'
out=$("$devs" why tax --json)
want_in 'why --json: what it saw' "$out" '"circles":{"level":"stuck","rung":"repeat","count":5'
want_in 'why --json: what was new' "$out" '"new_permille":0'
want_in 'why --json: the evidence' "$out" '"masks":["times","temp paths","pids"]'
out=$("$devs" why tax --try 3 --json)
want_in 'why --json: suspected' "$out" '"circles":{"level":"suspect","rung":"repeat","count":3'
out=$("$devs" why tax --try 2 --json)
want 'why --json: nothing yet' "$(echo "$out" | grep -c '"circles":{')" 0

# --- a person says: go on
out=$("$devs" retry 1/tax)
want_in 'retry: what that means' "$out" 'continues'
until_true 60 status_has '"circles":{"level":"stuck","rung":"repeat","count":10'
want 'it stops again after twice as many' $? 0
touch mended
"$devs" retry 1/tax >/dev/null
until_true 60 status_has '"task":"tax".*"state":"passed"'
want 'and passes once it is mended' $? 0
want 'what has passed is in no circle' "$(grep -c '"circles":{' status.json)" 0
echo go >gate
wait "$pid"
want 'the run: exit' $? 0
out=$(cat run.out)
want_in 'a line for the suspicion' "$out" 'tax try 3/10 GREEN may be looping: same result 3 times, tries 1 to 3'
want_in 'a line for the stop' "$out" 'entropy detected after 5 of 10 attempts in phase GREEN, step tax/1: exit 1: same result 5 times, tries 1 to 5'

# --- records
"$devs" debug --logs 1 --json >log.json
want 'records: suspected once before each stop' "$(grep -c '"kind":"loop_suspected"' log.json)" 2
want_in 'records: members' "$(cat log.json)" '"rung":"repeat","first":1,"last":3,"count":3'
want 'records: no digest of a result above debug' \
	"$("$devs" debug --logs 1 --plain --level info | grep -c 'result [0-9a-f]\{32\}')" 0
want 'debug: digests of results, equal ones, what is new' \
	"$("$devs" debug --logs 1 --plain --level debug | grep -c 'result [0-9a-f]*, [0-9]* in a row, new \.00')" 10

# --- nothing else goes on: exit 3
rm mended
cat >alone.json <<'PLAN'
{"version": 1, "name": "alone", "idempotent": true,
 "policies": {"many": {"like": "default", "max_attempts": 10, "base_delay_ms": 1, "multiplier": 1}},
 "tasks": [{"id": "tax", "steps": [{"policy": "many", "run": ["sh", "agent.sh"]}]}]}
PLAN
"$devs" run --plain alone.json >/dev/null 2>&1
want 'a run that ends stuck: exit' $? 3
out=$("$devs" why tax)
want_in 'why: the run has ended' "$out" 'devs retry 2/tax continues it'
"$devs" run --plain --continue last >out 2>&1
want 'it goes on after the end, and is stuck again: exit' $? 3
want_in 'it goes on after the end: a higher bound' "$(cat out)" 'same result 10 times'
finish
