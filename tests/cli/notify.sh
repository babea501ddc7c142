#!/bin/sh
# Notifications: a person's command gets the reason from every engine, once for what comes together,
# and can neither hold up nor fail a run.
. "$(dirname "$0")/check.sh"
export DEVS_TASK=not-ours # of a devs that runs this one
unset DEVS_SHARED

cat >plan.json <<'PLAN'
{"version": 1, "name": "shop", "idempotent": true, "jobs": 1,
 "policies": {"once": {"like": "default", "max_attempts": 1}}, "tasks": [
 {"id": "tax", "steps": [{"run": ["sh", "-c", "echo 'not ok 3 - rounds'; exit 1"], "policy": "once"}]},
 {"id": "mail", "steps": [{"run": ["sh", "-c", "echo queued; echo 'smtp: the queue is full' >&2; exit 1"], "policy": "once"}]},
 {"id": "send", "steps": [{"run": ["sh", "-c", "echo 'HTTP/1.1 401 Unauthorized' >&2; exit 22"], "policy": "once"}]}]}
PLAN
cat >told.sh <<'TOLD'
#!/bin/sh
cd "$(dirname "$0")" || exit 1
printf '%s\n' "$1" >message
env | grep '^DEVS_' | sort >variables
cat >object.new
mv object.new object
TOLD
chmod +x told.sh
# settings UI: the object "ui", trusted
settings() {
	printf '{"ui": {%s}}\n' "$1" >devs.config.json
	trust
	rm -f object message variables
}
has_object() { test -e object; }
# object NAME: it has come
object() {
	until_true 60 has_object
	want "$1" $? 0
}

# --- --plain: a command is enough, and what comes together is sent as one
settings "\"notify_command\": [\"$dir/told.sh\"]"
# Notices within two seconds are sent together; repeated where a busy machine needed longer.
came_together() {
	sqlite3 .devs/devs.db "select max(at_ms) - min(at_ms) from event
		where kind in ('step_ended', 'run_ended')" | awk '{exit $1 >= 1500}'
}
for _ in 1 2 3 4 5; do
	rm -rf .devs object
	"$devs" run --plain plan.json >out 2>err
	code=$?
	! came_together || break
done
want 'the exit code is the run'"'"'s' "$code $(cat err)" '4 '
object '--plain'
want 'the message' "$(cat message)" '#1 shop: tax gave up: 1 of 1 tries used (test-fail); mail gave up: 1 of 1 tries used (exit 1); send needs you: trying again would not help (auth); the run has ended: 0 of 3 passed'
want_in 'the object' "$(cat object)" "{\"v\":1,\"run\":1,\"name\":\"shop\",\"dir\":\"$dir\",\"event\":\"needs-you\",\"task\":\"send\",\"reason\":\"trying again would not help (auth)\",\"line\":\"HTTP/1.1 401 Unauthorized\",\"command\":\"devs why 1/send\",\"message\":\"#1 shop: tax gave up"
want_in 'count and list' "$(cat object)" '"count":4,"events":[{"event":"gave-up","task":"tax","reason":"1 of 1 tries used (test-fail)","line":"not ok 3 - rounds","command":"devs why 1/tax"},'
want_in 'without a rule: the last line of stderr' "$(cat object)" '"line":"smtp: the queue is full"'
want_in 'the end' "$(cat object)" '{"event":"ended","reason":"0 of 3 passed","line":"","command":"devs status 1"}]}'
want 'variables' "$(cat variables)" "DEVS_COMMAND=devs why 1/send
DEVS_COUNT=4
DEVS_DIR=$dir
DEVS_EVENT=needs-you
DEVS_LINE=HTTP/1.1 401 Unauthorized
DEVS_MESSAGE=$(cat message)
DEVS_NAME=shop
DEVS_REASON=trying again would not help (auth)
DEVS_RUN=1
DEVS_TASK=send"
want_in 'the command works' "$("$devs" why 1/send)" 'HTTP/1.1 401 Unauthorized'

# --- every engine
rm -f object
"$devs" run --json plan.json >out 2>&1
object '--json'
rm -f object
"$devs" run --detach plan.json >out 2>&1
object '--detach'
want_in 'of that run' "$(cat object)" '"run":3,'
rm -f object
"$devs" exec -- sh -c 'exit 3' 2>/dev/null
want 'exec: whoever started it waits for it' "$? $(ls object 2>/dev/null)" '3 '

# --- only what is wanted
settings "\"notify\": [\"ended\", \"stuck\"], \"notify_command\": [\"$dir/told.sh\"]"
"$devs" run --plain plan.json >out 2>&1
object 'one event'
want_in 'alone' "$(cat object)" '"event":"ended"'
want 'without a task' "$(grep DEVS_TASK variables)" 'DEVS_TASK='
settings "\"notify\": [], \"notify_command\": [\"$dir/told.sh\"]"
"$devs" run --plain plan.json >out 2>&1
want 'nothing' "$(ls object 2>/dev/null)" ''
printf '{"ui": {"notify": ["all"]}}' >devs.config.json
out=$("$devs" run --plain plan.json 2>&1)
want 'an unknown event' $? 2
want_in 'names those there are' "$out" 'expected "needs-you", "stuck", "gave-up", "budget" or "ended", got "all"'

# --- stuck, and most of a budget
cat >agent.sh <<'AGENT'
#!/bin/sh
cat >/dev/null
echo '{"type":"result","subtype":"success","is_error":false,"num_turns":9,"result":"ok","session_id":"5c2d9c1e-0000-4000-8000-000000000001"}'
AGENT
chmod +x agent.sh
cat >others.json <<'PLAN'
{"version": 1, "name": "others", "idempotent": true,
 "agents": {"fake": {"like": "claude", "program": "./agent.sh"}},
 "policies": {"same": {"like": "default", "max_attempts": 9, "base_delay_ms": 1, "cap_ms": 1, "window": 2}}, "tasks": [
 {"id": "same", "steps": [{"run": ["sh", "-c", "echo 'not ok 3'; exit 1"], "policy": "same"}]},
 {"id": "dear", "budget": {"turns": 10}, "steps": [{"agent": "fake", "prompt": "Do it."}]}]}
PLAN
settings "\"notify\": [\"stuck\", \"budget\"], \"notify_command\": [\"$dir/told.sh\"]"
"$devs" run --plain others.json >out 2>&1
object 'stuck and budget'
want_in 'stuck' "$(cat object)" '"event":"stuck","task":"same"'
want_in 'budget' "$(cat object)" '{"event":"budget","task":"dear","reason":"budget: 9 of 10 turns","line":"","command":"devs status 7"}'

# --- a command that fails, is not there, or does not end
settings '"notify_command": ["sh", "-c", "echo no route to host >&2; exit 7"]'
"$devs" run --plain plan.json >out 2>err
want 'the run is as it was' $? 4
want 'one line says why' "$(cat err)" 'devs: notify_command failed: sh: no route to host (exit 7)'
settings '"notify_command": ["./nowhere"]'
"$devs" run --plain plan.json >out 2>err
want 'nothing of the project is run' "$? $(cat err)" "4 devs: notify_command failed: './nowhere': No such file or directory"
cat >long.json <<'PLAN'
{"version": 1, "name": "long", "idempotent": true,
 "policies": {"once": {"like": "default", "max_attempts": 1}}, "tasks": [
 {"id": "bad", "steps": [{"run": ["false"], "policy": "once"}]},
 {"id": "long", "steps": [{"run": ["sh", "-c", "until test -e go; do sleep 0.05; done"]}]}]}
PLAN
"$devs" run --detach long.json >out 2>&1
says_so() { "$devs" debug --logs last --plain | grep -q "notify_command failed: './nowhere'"; }
until_true 60 says_so
want 'while the run lives the log says so' $? 0
: >go
ended() { "$devs" status last | grep -q 'exit 1'; }
until_true 60 ended
want 'and it ends' $? 0

finish
