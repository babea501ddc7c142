#!/bin/sh
# A retry with a hint and with other limits, from another terminal: what the agent is told, what the
# log keeps, and what is refused.
. "$(dirname "$0")/check.sh"

# lacks NAME TEXT PART: the part does not stand in the text
lacks() {
	case $2 in
	*"$3"*) want "$1" "it is there" "nothing" ;;
	*) want "$1" "" "" ;;
	esac
}

cat >fake.sh <<'AGENT'
#!/bin/sh
n=$(($(ls prompt.* 2>/dev/null | wc -l) + 1))
cat >prompt.$n
[ $n -gt 1 ] || { echo 'Error: connect ECONNRESET 10.0.0.1:443' >&2; exit 1; }
echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok","session_id":"5c2d9c1e-0000-4000-8000-000000000001"}'
AGENT
chmod +x fake.sh
cat >plan.json <<'PLAN'
{"version": 1, "name": "hints", "idempotent": true,
 "agents": {"fake": {"like": "claude", "program": "./fake.sh"}},
 "policies": {"slow": {"like": "transport", "base_delay_ms": 600000, "cap_ms": 600000, "jitter": 0}},
 "tasks": [{"id": "tax", "steps": [
  {"agent": "fake", "prompt": "Round it right.", "policy": "slow"},
  {"run": ["sh", "-c", "echo 'Error: connect ECONNRESET 10.0.0.1:443' >&2; exit 1"], "policy": "slow"}]}]}
PLAN

export SHOP_API_KEY=sk-live-0123456789abcdefghij
"$devs" run --plain plan.json >out 2>&1 &
run=$!
waits() { "$devs" status 2>/dev/null | grep -q backoff; }
until_true 60 waits
want 'it waits' $? 0

out=$("$devs" retry --hint '' 1/tax 2>&1)
want 'an empty hint is refused' $? 2
out=$("$devs" retry --attempts 0 1/tax 2>&1)
want 'no tries are refused' $? 2
out=$("$devs" retry --attempts 101 1/tax 2>&1)
want 'too many tries are refused' $? 2
out=$("$devs" retry --hint x 1 2>&1)
want 'a hint for a whole run is refused' $? 2
out=$("$devs" retry --one --hint x 1/tax 2>&1)
want '--one takes no hint' $? 2
long=$(printf 'h%.0s' $(seq 600))
out=$("$devs" retry --hint "$long" 1/tax 2>&1)
want 'a hint that is too long is refused' $? 2
want_in 'and it says how long it may be' "$out" 'the maximum is 511'

out=$("$devs" retry --hint "bankers' rounding, key $SHOP_API_KEY" --attempts 4 1/tax 2>&1)
want 'a hint is taken' $? 0
want_in 'and the answer says what becomes of it' "$out" '4 tries from now on; the agent gets your hint'
second() { [ -s prompt.2 ]; }
until_true 60 second
want 'the next try starts' $? 0
want_in 'its agent is told' "$(cat prompt.2)" "bankers' rounding, key"
want_in 'by whom' "$(cat prompt.2)" 'A hint from the person who requested this try'
lacks 'a secret is cut' "$(cat prompt.2)" "$SHOP_API_KEY"

waits_again() { [ "$("$devs" debug --logs 1 --json 2>/dev/null | grep -c '"kind":"wait_started"')" = 2 ]; }
until_true 60 waits_again
want 'the step behind it waits' $? 0
out=$("$devs" retry --hint 'look at go' 1/tax 2>&1)
want_in 'a step without an agent keeps a note' "$out" 'kept as a note'
want_in 'why tells the hint of the try' "$("$devs" why --step 1 --try 2 1/tax)" "bankers' rounding"
events=$("$devs" debug --logs 1 --json)
want_in 'the log has the hint' "$events" '"kind":"hint_given"'
want_in 'and who gave it' "$events" 'look at go'
lacks 'the log has no secret' "$events" "$SHOP_API_KEY"

"$devs" cancel 1 >/dev/null 2>&1
wait $run

# --- a check is current: the agent of the next round is told, once
rm -f prompt.*
cat >agent.sh <<'AGENT'
#!/bin/sh
n=$(($(ls prompt.* 2>/dev/null | wc -l) + 1))
cat >prompt.$n
echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok","session_id":"5c2d9c1e-0000-4000-8000-000000000001"}'
AGENT
chmod +x agent.sh
cat >rounds.json <<'PLAN'
{"version": 1, "name": "rounds", "idempotent": true,
 "agents": {"fake": {"like": "claude", "program": "./agent.sh"}},
 "policies": {"once": {"like": "transport", "max_attempts": 1}},
 "tasks": [{"id": "tax", "rounds": 2, "steps": [
  {"agent": "fake", "prompt": "Round it right."},
  {"phase": "VERIFY", "policy": "once", "run": ["sh", "-c", "echo red; exit 1"]}]}]}
PLAN
"$devs" run --plain rounds.json >out 2>&1
want 'two rounds are not enough' $? 1
out=$("$devs" retry --hint 'look at rate.txt' 2/tax 2>&1)
want 'the run has ended: the hint is taken' $? 0
want_in 'it goes to the next round' "$out" 'the agent gets your hint in round 3'
fourth() { [ -s prompt.4 ] && "$devs" status 2 --json | grep -q '"state":"ended"'; }
until_true 60 fourth
want 'two more rounds' $? 0
want_in 'the next prompt has it' "$(cat prompt.3)" 'look at rate.txt'
lacks 'the one after has not' "$(cat prompt.4)" 'look at rate.txt'
want 'it was said once' "$(cat prompt.* | grep -c 'look at rate.txt')" 1

# --- the attempt with the hint fails before the session is told: the next one has it too
rm -f prompt.*
cat >agent.sh <<'AGENT'
#!/bin/sh
n=$(($(ls prompt.* 2>/dev/null | wc -l) + 1))
cat >prompt.$n
[ $n != 3 ] || { echo 'Error: connect ECONNRESET 10.0.0.1:443' >&2; exit 1; }
echo '{"type":"system","subtype":"init","session_id":"5c2d9c1e-0000-4000-8000-000000000001"}'
echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok","session_id":"5c2d9c1e-0000-4000-8000-000000000001"}'
AGENT
"$devs" run --plain rounds.json >out 2>&1
want 'two rounds are not enough' $? 1
"$devs" retry --hint 'look at rate.txt' 3/tax >out 2>&1
fifth() { [ -s prompt.5 ] && "$devs" status 3 --json | grep -q '"state":"ended"'; }
until_true 60 fifth
want 'the lost prompt is repeated' $? 0
want_in 'the lost prompt had the hint' "$(cat prompt.3)" 'look at rate.txt'
want_in 'and so has the next' "$(cat prompt.4)" 'look at rate.txt'
lacks 'the session was told, the round after is not' "$(cat prompt.5)" 'look at rate.txt'
finish
