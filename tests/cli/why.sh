#!/bin/sh
# Why a try ended as it did; a person's word on it; rules tried on what is recorded; what
# several wait with.
. "$(dirname "$0")/check.sh"

cat >curl.sh <<'SH'
echo 'curl: (7) Failed to connect to 192.0.2.1 port 443: Connection refused' >&2
exit 7
SH
cat >limit.sh <<'SH'
printf 'HTTP/1.1 429 Too Many Requests\nRetry-After: 2000\n' >&2
exit 1
SH
cat >plan.json <<'PLAN'
{"version": 1, "name": "reasons", "idempotent": true, "jobs": 8,
 "policies": {"patient": {"like": "transport", "base_delay_ms": 1800000,
                          "cap_ms": 3600000, "jitter": 0}},
 "tasks": [
 {"id": "n1", "steps": [{"phase": "GREEN", "policy": "patient", "run": ["sh", "curl.sh"]}]},
 {"id": "n2", "steps": [{"phase": "GREEN", "policy": "patient", "run": ["sh", "curl.sh"]}]},
 {"id": "n3", "steps": [{"phase": "GREEN", "policy": "patient", "run": ["sh", "curl.sh"]}]},
 {"id": "lim", "steps": [{"phase": "GREEN", "policy": "patient", "source": "api",
                          "run": ["sh", "limit.sh"]}]},
 {"id": "key", "steps": [{"phase": "GREEN", "policy": "patient",
                          "run": ["sh", "-c", "echo 'HTTP 401 Unauthorized: invalid x-api-key' >&2; exit 1"]}]},
 {"id": "odd", "steps": [{"phase": "RED", "run": ["sh", "-c", "echo 'the lamp is out'; exit 1"]}]},
 {"id": "two", "steps": [{"phase": "RED", "run": ["true"]}, {"phase": "RED", "run": ["false"]}]},
 {"id": "void", "steps": [{"phase": "RED", "run": ["/no/such/thing"]}]},
 {"id": "ok", "steps": [{"run": ["true"]}]},
 {"id": "late", "needs": ["n1"], "steps": [{"run": ["true"]}]}]}
PLAN
"$devs" run --plain plan.json >run.out 2>&1 &
pid=$!
all_wait() {
	"$devs" status --json >status.json 2>/dev/null &&
		[ "$(grep -o '"state":"backoff"' status.json | wc -l)" -eq 4 ] &&
		[ "$(grep -o '"state":"\(gave-up\|needs-you\|passed\)"' status.json | wc -l)" -eq 5 ]
}
until_true 60 all_wait
want 'what fails waits' $? 0

# --- why, of a run that is live
"$devs" why n1 >out
want 'why: exit' $? 0
out=$(cat out)
want_in 'why: what it is about' "$out" '#1/n1 try 1 of 4 in GREEN: failed, network'
want_in 'why: the facts' "$out" 'ended      exit 7'
want_in 'why: the class' "$out" 'network (transient, NETWORK_TIMEOUT'
want_in 'why: the rule and how sure' "$out" 'sure       certain, a rule matches the text'
want_in 'why: the place' "$out" 'why        rule net.curl-code at err:1: "curl: (7) Failed'
want_in 'why: the decision' "$out" 'tries again after 30:00; try 1 of 4'
want_in 'why: the formula' "$out" '30:00, cap 1:00:00'
want_in 'why: what would help' "$out" 'devs retry 1/n1 starts it now'
want_in 'why: what comes if it fails again' "$out" 'ahead '
want_in 'why: when it gives up' "$out" '; if it fails try 3 1:00:00 later, try 4 1:00:00 later; then gave-up'
"$devs" why n1 --json >out
want 'why --json is an object on a line' "$(grep -c '^{"v":1,.*}$' out)" 1
want_in 'why --json: the numbers' "$(cat out)" '"wait":{"delay_ms":1800000,"exact_ms":1800000,"due_at_ms":'
want_in 'why --json: the tries ahead' "$(cat out)" '"waits_ms":[1800000,3600000,3600000],"end":"transient exhausted"'
want_in 'why --json: the inputs' "$(cat out)" '"base_ms":1800000,"multiplier":2,"cap_ms":3600000'
want_in 'why --json: the verdict' "$(cat out)" '"type":"NETWORK_TIMEOUT","rule":"net.curl-code"'
out=$("$devs" why lim)
want_in 'why: the hint' "$out" 'requested a wait of 33:20, by rule '
want_in 'why: a free wait' "$out" 'it does not count as a try'
out=$("$devs" why key)
want_in 'why: needs you' "$out" 'needs you'
want_in 'why: who must do what' "$out" 'a person must log in, or renew the key; then devs retry 1/key'
want_in 'why: it passed' "$("$devs" why ok)" 'in GREEN: passed'
out=$("$devs" why two)
want_in 'why: of the step that failed' "$out" '#1/two step 2 of 2, try 1 of 1 in RED: failed, exit 1'
want_in 'why: how unsure' "$out" 'uncertain, so persistent'
want_in 'why: why it did not go on' "$out" 'policy default does not retry in RED'
want_in 'why: a start' "$("$devs" why void)" 'ended      not started: No such file or directory'
want_in 'why: a start is no phase' "$("$devs" why void)" 'policy infrastructure does not retry a persistent failure'
want_in 'why: entropy' "$out" 'adds 1; 1 for this task'
want_in 'why: of another step' "$("$devs" why two --step 1)" 'step 1 of 2, try 1 of 1 in RED: passed'
want_in 'why: nothing yet' "$("$devs" why late)" '#1/late has not been tried yet'
fails 'why of no try' 2 'step 1 has had 1 try' why n1 --try 7
exits 'why of no step' 2 why two --step 3
fails 'why of a run' 2 'hint: use devs why 1/TASK with a task such as n1' why 1

# --- status: gates and common faults
out=$("$devs" status)
want_in 'status: a gate' "$out" 'rate limit of api until '
want_in 'status: one fault' "$out" 'one fault, 3 tasks: network since '
want_in 'status: its members' "$out" ': n1 n2 n3'
want_in 'status --json: a gate' "$(cat status.json)" '"gates":[{"source":"api","state":"closed","waiting":1,"limits":1,'
want_in 'status --json: a fault' "$(cat status.json)" '"members":["n1","n2","n3"]}]'
want_in 'status --line: a gate' "$("$devs" status --line)" 'rate limit of api'

# --- acts on a common fault
"$devs" hold --fault 1/n2 >out
want 'hold --fault: exit' $? 0
want 'hold --fault: all of them' "$(grep -c '^#1/n[123]: ' out)" 3
want 'they are held' "$("$devs" status --json | grep -o '"state":"held"' | wc -l)" 3
out=$("$devs" status 1)
want_in 'status: a fault that is all held' "$out" ', held: n1 n2 n3'
fails 'hold --fault of what has none' 2 'key is not waiting because of a fault' hold --fault 1/key
for task in n1 n2 n3; do "$devs" release "1/$task" >/dev/null; done
out=$("$devs" retry --one 1/n3)
want_in 'retry --one' "$out" '#1/n3: sent; 2 tasks waiting with the same fault follow'
exits 'retry --one of a run' 2 retry --one 1

# --- a person's word on a class
out=$("$devs" correct 1/key quota)
want 'correct: exit' $? 0
want 'correct: the answer' "$out" '#1/key: try 1 is now quota; the original verdict is kept'
fails 'correct to no class' 2 'hint: use one of NETWORK_TIMEOUT, ' correct 1/key frob
exits 'correct what has no try' 2 correct 1/late network
exits 'correct without a class' 2 correct 1/key
"$devs" cancel 1 >/dev/null
wait "$pid"
out=$("$devs" correct 1/odd network --try 1)
want 'correct in a run that has ended: exit' $? 0
want_in 'correct in a run that has ended' "$out" 'try 1 is now NETWORK_TIMEOUT'
out=$("$devs" why 1/odd)
want_in 'the original verdict is kept' "$out" 'RED: failed, exit 1'
case $out in
*'a person must look at it'*) looked=no ;;
*) looked=yes ;;
esac
want 'somebody has looked' "$looked" yes
want_in 'next: by the class as corrected' "$out" 'next       the network must recover; then devs retry '
"$devs" exec --once -- false 2>/dev/null
want_in 'next: of a command' "$("$devs" why exec)" "run it again: devs exec --once -- false"
"$devs" exec --once -- sh -c 'exit 75' 2>/dev/null
want_in 'logs: a line for a shell' "$("$devs" debug --logs last)" "starts: sh -c 'exit 75'"
want_in 'why: a rule of no text' "$("$devs" why exec)" 'certain, a rule matches how it ended'
want_in 'the correction is shown' "$out" 'class      network, corrected by '
want_in 'the correction is in the log' "$("$devs" debug --logs 1 --json)" '"kind":"class_corrected"'
want_in 'a correction goes to the step meant' "$("$devs" correct 1/two success --step 1)" 'try 1, which passed, is now success'
want_in 'a wait that was cancelled' "$("$devs" why 1/lim)" 'end        cancelled by '

# --- rules: listed, tried, added
want_in 'rules' "$("$devs" rules)" ' rules, 0 of your own, set '
want 'rules --json' "$("$devs" rules --json | grep -c '^{"v":1,"hash":"[0-9a-f]\{64\}"')" 1
cat >rule.json <<'RULE'
{"name": "lamp", "verdict": "transient", "type": "NETWORK_TIMEOUT", "pattern": "^the lamp is out"}
RULE
"$devs" rules --try rule.json >out
want 'rules --try: exit' $? 3
want_in 'rules --try: how many' "$(cat out)" ' would change'
want_in 'rules --try: what' "$(cat out)" '     1  exit 1 -> network '
want_in 'rules --try: where' "$(cat out)" '#1/odd try 1'
want_in 'rules --try: nothing is saved' "$(cat out)" 'nothing was saved'
[ ! -e devs.config.json ]
want 'rules --try saves nothing' $? 0
"$devs" rules --try - --json <rule.json >out
want 'rules --try --json: exit' $? 3
want_in 'rules --try --json' "$(cat out)" '"changes":[{"from":"exit 1","to":"network","count":1,"look":false,"examples":[{"run":1,"task":"odd","step":1,"attempt":1}]}]'
echo '{"name": "lamp", "verdict": "transient", "type": "NETWORK_TIMEOUT", "pattern": "("}' |
	"$devs" rules --add - 2>err
want 'a rule that does not compile: exit' $? 2
want 'a rule that does not compile: one line' "$(wc -l <err)" 1
want_in 'a rule that does not compile' "$(cat err)" "'lamp'"
printf '{\n  "// for": "the lamp",\n  "retry_limit": 4\n}\n' >devs.config.json
"$devs" rules --add rule.json >out
want 'rules --add: exit' $? 0
want_in 'rules --add: where' "$(cat out)" 'added to '
want_in 'rules --add keeps comments' "$(cat devs.config.json)" '"// for": "the lamp",'
want_in 'rules: yours' "$("$devs" rules)" ' rules, 1 of your own from '
"$devs" rules --try rule.json >out
want 'what is in force changes nothing: exit' $? 0
"$devs" exec --once -- sh -c 'echo "the lamp is out"; exit 1' >out 2>err
want_in 'the rule is in force' "$("$devs" why exec)" 'why        rule lamp at '
exits 'no rule file' 66 rules --try nothere.json
exits 'try and add' 2 rules --try rule.json --add rule.json

# --- a run whose devs died takes a correction too
cat >hang.json <<'PLAN'
{"version": 1, "name": "hang", "idempotent": true, "jobs": 2, "tasks": [
 {"id": "gone", "steps": [{"phase": "RED", "run": ["false"]}]},
 {"id": "hang", "steps": [{"run": ["sleep", "1000"]}]}]}
PLAN
"$devs" run --plain hang.json >run.out 2>&1 &
pid=$!
one_left() { "$devs" status --json 2>/dev/null | grep -q '"task":"gone".*"state":"gave-up".*"state":"running"'; }
until_true 60 one_left
until_true 60 grep -q 'hang try 1.*running, pid' run.out
child=$(sed -n 's/.*hang try 1.*running, pid \([0-9]*\)$/\1/p' run.out)
kill -9 "$pid"
wait "$pid" 2>/dev/null
kill -9 "$child" 2>/dev/null
run=$("$devs" runs --json | head -1 | sed 's/.*"run":\([0-9]*\).*/\1/')
want_in 'correct in a run that was left' "$("$devs" correct "$run/gone" compile 2>&1)" 'try 1 is now compile'
want_in 'next in a run that was left' "$("$devs" why "$run/hang")" "continue it: devs run --continue $run"
want_in 'why in a run that was left' "$("$devs" why "$run/hang")" 'no devs is running this run'
exits 'send in a run that was left' 1 retry --one "$run/gone"

# --- what only a person can help: how long, and the columns keep apart
cat >far.json <<'PLAN'
{"version": 1, "name": "far", "idempotent": true, "tasks": [
 {"id": "key", "steps": [{"run": ["sh", "-c", "echo 'HTTP 401 Unauthorized: invalid x-api-key' >&2; exit 1"]}]},
 {"id": "far", "steps": [{"run": ["sh", "-c", "printf 'HTTP/1.1 429 Too Many Requests\nRetry-After: 200000\n' >&2; exit 1"]}]}]}
PLAN
"$devs" run --plain far.json >run.out 2>&1
want 'needs a person: exit' $? 4
out=$("$devs" status)
want 'status: since when it needs a person' "$(printf '%s\n' "$out" |
	grep -c ' key .* at [0-9][0-9]:[0-9][0-9]:[0-9][0-9]  *auth')" 1
want 'status: columns keep apart' "$(printf '%s\n' "$out" | grep -c 'resets ... [0-9][0-9]:[0-9][0-9]  *quota')" 1

# --- a launcher that exits with 0 although its node is lost
mkdir bin
printf '#!/bin/sh\necho "srun: error: Node failure on n2" >&2\n' >bin/srun
chmod +x bin/srun
PATH="$dir/bin:$PATH" "$devs" exec --once -- sh -c 'env A=1 srun -n1 true' 2>err
want 'a lost node: exit' $? 1
want_in 'a lost node: the line' "$(cat err)" 'failed network, rule launch.node at err:1: "srun: error: Node failure on n2"'
out=$("$devs" why exec)
want_in 'a lost node: why' "$out" 'denied     exit 0 is not a pass here: rule launch.node denies it'
want_in 'a lost node: evidence' "$out" 'at err:1: "srun: error: Node failure on n2"'
"$devs" exec --once -- sh -c 'echo "srun: error: Node failure on n2" >&2' 2>err
want 'a test that prints it: exit' $? 0
cat >devs.config.json <<'RULES'
{"rules": [{"name": "half", "verdict": "persistent", "on_success": true,
            "pattern": "^only half of it", "only_if": {"launcher": "printf"}}]}
RULES
fails 'an own rule denies a success' 1 'rule half at out:1: "only half of it"' exec --once -- printf 'only half of it\n'
rm devs.config.json
echo '{"name": "half", "verdict": "persistent", "on_success": true, "pattern": "^only half"}' >half.json
exits 'without that rule' 0 exec --once -- printf 'only half of it\n'
"$devs" rules --try half.json >out
want 'a trial looks at what passed: exit' $? 3
want_in 'a trial looks at what passed' "$(cat out)" 'success'
finish
