#!/bin/sh
# The program from outside: commands, exit codes, messages, several processes on one log.
. "$(dirname "$0")/check.sh"

# --- words on the command line
"$devs" --version >out 2>&1
want 'version: exit' $? 0
want_in 'version' "$(cat out)" 'devs 0.'
want_in 'keys' "$("$devs" keys)" 'retry now'
want_in 'keys --json' "$("$devs" keys --json)" '{"key":"r","act":"retry"'
mkdir -p config/devs
printf '{\n// mine\n"retri": ["t"],\n"help": ["F1", "?"]}\n' >config/devs/keys.json
XDG_CONFIG_HOME="$PWD/config" "$devs" keys >out 2>err
want 'own keys with a slip: exit' $? 2
want_in 'own keys with a slip' "$(cat err)" "keys.json:3: unknown action 'retri': did you mean 'retry'?"
want_in 'own keys are named' "$(cat out)" "your keys: $PWD/config/devs/keys.json"
rm config/devs/keys.json
mkfifo config/devs/keys.json
XDG_CONFIG_HOME="$PWD/config" timeout 60 "$devs" keys 2>err >out
want 'own keys in a pipe: exit' $? 2
want_in 'own keys in a pipe' "$(cat err)" 'not a regular file'
rm -r config
fails 'unknown command' 2 "devs: unknown command 'frobnicate'" frobnicate
fails 'a command with a slip' 2 "unknown command 'staus', did you mean 'status'?" staus
for pair in 'version:devs --version' 'ps:devs status' 'kill:devs cancel'; do
	"$devs" "${pair%%:*}" 2>err
	want "a command of other programs: ${pair%%:*}" "$? $(head -n 1 err)" \
		"2 devs: unknown command '${pair%%:*}', did you mean '${pair#*:}'?"
done
for command in '' 'help all' $("$devs" help all | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
	want "help in 80 columns: $command" "$("$devs" $command --help | awk 'length > 80')" ''
done
want_in 'words below each other' "$("$devs" debug --help)" '
      --lnav-format        print a format file that lets lnav read the records
                           (lnav -i FILE)
'
want 'help of a command' "$("$devs" help runs)" "$("$devs" runs --help)"
fails 'help of no command' 2 "hint: devs help all lists the commands" help frobnicate
want 'help is that of --help' "$("$devs" help)" "$("$devs" --help)"
want 'help fits on a screen, with the prompt below it' "$("$devs" --help | awk 'END { print NR < 24 }')" 1
want 'help: the commands of daily use' "$("$devs" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p' | xargs)" \
	'init run exec status why log replay retry cancel diff apply'
want_in 'help says where the others are' "$("$devs" --help)" 'devs help all lists all commands'
want 'help all has all of --help' "$("$devs" --help | grep -c '^  ')" \
	"$("$devs" --help | grep '^  ' | grep -cxF "$("$devs" help all)")"
for part in '  completion    print' '  help          list' 'options for all commands: --db FILE' \
	'exit codes: 0 all passed'; do
	want_in "help all: $part" "$("$devs" help all)" "
$part"
done
fails 'missing operand' 2 'hint: use devs run PLAN, or devs run --continue RUN' run
: >plan.json
"$devs" run 2>err
want_in 'missing operand beside a plan' "$(cat err)" 'hint: use devs run plan.json (in this folder), or'
rm plan.json
fails 'a word too many' 2 'hint: see devs runs --help' runs x
fails 'an option without its value' 2 '--db needs a value' --db
for word in '' '#' 1/; do
	fails "cancel '$word'" 2 "devs: '$word' does not name a" cancel "$word"
done
for word in 3/tax tax; do
	fails "status of '$word'" 2 "devs: '$word' is not a run" status "$word"
done
fails 'unknown option' 2 "unknown option '--frob'" run --frob plan.json
fails 'no plan' 66 "plan 'nothere.json'" run nothere.json
exits 'no log' 66 status
[ ! -e .devs ]
want 'looking makes no log' $? 0

# --- plans that are not right: all that is wrong at once, and nothing started
cat >bad.json <<'PLAN'
{"version": 1, "tasks": [
 {"id": "a", "needs": ["b"], "steps": [{"run": ["true"], "idempotent": true}]},
 {"id": "b", "needs": ["a", "zzz"], "steps": [{"phase": "BLUE", "run": ["true"], "idempotent": true}]}]}
PLAN
fails 'bad plan' 2 'zzz' run bad.json
want_in 'bad plan: phase' "$(cat err)" '[INVALID_VALUE] /tasks/1/steps/0/phase'
want_in 'bad plan: circle' "$(cat err)" 'a -> b -> a'
printf '{"version": 1,\n "tasks": [}' >syntax.json
fails 'syntax' 2 'line 2' run syntax.json
[ ! -e .devs ]
want 'a bad plan makes no log' $? 0

# --- exec ends as the command did, and hands its output through
out=$("$devs" exec -- sh -c 'echo to out; echo to err >&2' 2>err)
want 'exec: exit' $? 0
want 'exec: stdout' "$out" 'to out'
want_in 'exec: stderr' "$(cat err)" 'to err'
fails 'exec --once' 7 'exit 7' exec --once -- sh -c 'exit 7'
exits 'exec of nothing' 127 exec --once -- /nowhere/at/all
exits 'exec, killed' 137 exec --once -- sh -c 'kill -9 $$'
"$devs" exec --phase GREEN -- sh -c 'test -e flag || { touch flag; exit 1; }' 2>err
want 'exec tries again' $? 0
want_in 'exec says so' "$(cat err)" '[RETRY] attempt 1/2'
want 'the log is private' "$(stat -c %a .devs .devs/devs.db | tr '\n' ' ')" '700 600 '

want 'exec hands all bytes on, in order' "$("$devs" exec --once -- seq 1 300000 | cksum)" "$(seq 1 300000 | cksum)"
"$devs" exec --once -- yes 2>err | head -1 >out
want 'exec ends when nobody reads' "$(cat out)" 'y'
exits 'exec of an empty word' 2 exec -- ''
want 'exec hands empty words on' "$("$devs" exec -- printf '<%s>' a '' b)" '<a><><b>'
exits 'exec, timed out' 124 exec --once --timeout 1 -- sleep 60
exits 'exec, not found' 127 exec --once -- ./check.sh.nothere
: >plainfile
exits 'exec, not executable' 126 exec --once -- ./plainfile
printf '{"sandbox": {"transientRetries": 1}}' >devs.config.json
want 'settings do not change a call' "$("$devs" exec -- printf '%s' "$(printf '\377\376')" | od -An -tx1)" ' ff fe'
printf '{"sandbox": {"transientRetrys": 1}}' >devs.config.json
fails 'bad settings' 2 '/sandbox/transientRetrys' exec -- true
rm devs.config.json

# --- what strangers wrote reaches a terminal cleaned
printf '{"version":1,"name":"n\\u001b[31mRED","tasks":[{"id":"a","title":"t\\u001b]0;x\\u0007","steps":[{"phase":"RED","run":["sh","-c","printf %b out\\\\033[2J; false"]}]}]}' >hostile.json
"$devs" run --plain hostile.json >out 2>&1
"$devs" run --dry-run hostile.json >>out 2>&1
"$devs" status >>out
"$devs" status --line >>out
"$devs" runs >>out
want 'no escape byte gets out' "$(tr -dc '\033\007' <out | wc -c)" 0

# --- a run as lines and as JSON
cat >plan.json <<'PLAN'
{"version": 1, "name": "small", "idempotent": true, "jobs": 2, "tasks": [
 {"id": "ok", "steps": [{"run": ["echo", "hello"]}]},
 {"id": "red", "steps": [{"phase": "RED", "run": ["sh", "-c", "echo 'FAILED test_x'; exit 1"], "expect": "failure"},
                         {"phase": "GREEN", "run": ["true"]}]},
 {"id": "bad", "steps": [{"phase": "RED", "run": ["false"]}]},
 {"id": "after", "needs": ["bad"], "steps": [{"run": ["true"]}]}]}
PLAN
"$devs" run --plain plan.json >out 2>err
want 'run: exit' $? 1
want_in 'run: lines' "$(cat out)" 'ok try 1/3 GREEN starts: echo hello'
want_in 'run: blocked' "$(cat out)" 'blocked: it needs bad'
want_in 'run: summary' "$(cat out)" '2 passed, 1 gave-up, 1 blocked'
want 'run: how to ask why' "$(grep -c '^  gave-up    bad: exit 1   devs why [0-9]*/bad$' out)" 1
want_in 'run: how to replay' "$(cat out)" 'devs replay'
"$devs" run --json --only red plan.json >out
want 'run --only: exit' $? 0
want 'run --json is JSON lines' "$(grep -vc '^{"v":1,.*}$' out)" 0
"$devs" run --only rad plan.json 2>err.out
want 'run --only: no such task' "$? $(cat err.out)" "2 devs: no task 'rad' in this plan
hint: use a known task, such as 'red'; devs run PLAN --dry-run lists all"
want 'run --only runs one task' "$(grep -c '"task":"ok"' out)" 0
"$devs" run --dry-run plan.json >out
want 'dry run: exit' $? 0
want_in 'dry run: steps' "$(cat out)" 'must fail'
want 'dry run: no blanks at the ends of lines' "$(grep -c ' $' out)" 0
"$devs" run --dry-run --json plan.json >dry.json
want 'dry run: the plan itself' "$("$devs" run --dry-run dry.json)" "$(cat out)"
want_in 'status' "$("$devs" status)" 'passed'
want 'log of a task' "$("$devs" log "$("$devs" runs --json | grep '"name":"small"' | tail -1 | sed 's/.*"run":\([0-9]*\).*/\1/')/ok")" 'hello'
want_in 'debug, plain' "$("$devs" debug --logs --plain)" 'run ended'
want_in 'debug, level' "$("$devs" debug --logs --json --level error 2>&1; echo end)" 'end'
cat >steps.json <<'EOF'
{ "version": 1, "name": "steps", "tasks": [ { "id": "s", "steps": [
  { "phase": "GREEN", "run": ["sh", "-c", "echo first; exit 3"], "idempotent": true,
    "policy": { "max_attempts": 1 } },
  { "phase": "VERIFY", "run": ["echo", "second"], "idempotent": true } ] } ] }
EOF
"$devs" run steps.json --plain >/dev/null 2>&1
want 'log of the step that was tried' "$("$devs" log s)" 'first'
want 'log of a step without a try' "$("$devs" log --step 2 s 2>&1)" \
	'devs: step 2 of s has not been tried yet'
fails 'log of no task' 66 "no task 'nosuch'" log nosuch

# --- acts from another process
mkfifo gate
cat >slow.json <<'PLAN'
{"version": 1, "name": "slow", "idempotent": true, "jobs": 2,
 "policies": {"patient": {"like": "default", "base_delay_ms": 3600000, "cap_ms": 3600000}},
 "tasks": [{"id": "wait", "steps": [{"run": ["sh", "-c", "test -e again"], "policy": "patient"}]},
           {"id": "hang", "steps": [{"run": ["sh", "-c", "trap '' TERM; cat gate"]}]}]}
PLAN
"$devs" run --plain slow.json >slow.out 2>&1 &
pid=$!
waits() { "$devs" status --json 2>/dev/null | grep -q '"task":"wait".*"state":"backoff"'; }
until_true 60 waits
want 'a wait is shown' $? 0
run=$("$devs" runs --json | head -1 | sed 's/.*"run":\([0-9]*\).*/\1/')
want_in 'runs shows it live' "$("$devs" runs)" 'live'
touch again
want_in 'retry' "$("$devs" retry "$run/wait" 2>&1)" 'starts with the next free slot'
is_passed() { "$devs" status --json | grep -q '"task":"wait".*"state":"passed"'; }
until_true 60 is_passed
want 'the retry passed' $? 0
fails 'retry of what passed' 1 'refused: it has passed' retry "$run/wait"
want_in 'cancel' "$("$devs" cancel --kill "$run/hang" 2>&1)" 'KILL sent'
wait "$pid"
want 'a cancelled task: exit of the run' $? 1
want_in 'a cancelled task' "$(cat slow.out)" 'cancelled'
exits 'act on a run that is over' 1 cancel "$run/hang"

# --- many tasks cancelled at once share a line
cat >many.json <<'PLAN'
{"version": 1, "name": "many", "idempotent": true, "jobs": 1, "tasks": [
 {"id": "t0", "steps": [{"run": ["sh", "-c", ": >begun; exec sleep 1000"]}]},
 {"id": "t1", "steps": [{"run": ["true"]}]}, {"id": "t2", "steps": [{"run": ["true"]}]},
 {"id": "t3", "steps": [{"run": ["true"]}]}, {"id": "t4", "steps": [{"run": ["true"]}]},
 {"id": "t5", "steps": [{"run": ["true"]}]}, {"id": "t6", "steps": [{"run": ["true"]}]}]}
PLAN
"$devs" run --plain many.json >many.out 2>&1 &
pid=$!
until_true 60 test -e begun
"$devs" cancel last >/dev/null
wait "$pid"
want 'cancelled at once: the first ones' "$(sed -n 's/.*:.. \(t[0-9] cancelled\)$/\1/p' many.out | tr '\n' ' ')" \
	't1 cancelled t2 cancelled t3 cancelled '
want_in 'cancelled at once: the others' "$(cat many.out)" ' and 3 more cancelled
'
want 'cancelled at once: all are in the log' \
	"$("$devs" debug --logs last --plain | grep -c ':.. t[0-9] cancelled$')" 6

# --- a signal cancels: TERM first, with time to clean up
cat >polite.json <<'PLAN'
{"version": 1, "name": "polite", "idempotent": true, "on_hangup": "cancel",
 "tasks": [{"id": "p", "steps": [{"run": ["sh", "-c", "trap 'echo clean >cleaned; exit 0' TERM; echo up; sleep 1000 & wait"]}]}]}
PLAN
for signal in INT TERM HUP; do
	rm -f cleaned
	: >polite.out # what the last one said is not this one's
	"$devs" run --plain polite.json >polite.out 2>&1 &
	pid=$!
	is_up() { grep -q 'running, pid' polite.out && "$devs" log p 2>/dev/null | grep -q up; }
	until_true 60 is_up
	kill -s "$signal" "$pid"
	wait "$pid"
	want "$signal: the child cleaned up" "$(cat cleaned 2>/dev/null)" 'clean'
	want_in "$signal: the end is shown" "$(cat polite.out)" 'run ended, exit 130'
done

# --- the seed, whole: the delays can be computed again from it
seed=$("$devs" runs --json | head -1 | sed -n 's/.*"seed":"\([0-9]*\)".*/\1/p')
[ -n "$seed" ]
want 'runs --json: the seed' $? 0
want_in 'status --json: the seed' "$("$devs" status --json)" "\"seed\":\"$seed\""

# --- a reader that goes away ends a follower
: >polite.out
"$devs" run --plain polite.json >polite.out 2>&1 &
pid=$!
until_true 60 is_up
"$devs" debug --logs --plain --follow | head -1 >out
want 'a follower without a reader ends' "$(wc -l <out)" 1
kill -TERM "$pid"
wait "$pid"
want 'TERM: exit' $? 143

# --- devs dies: the log stays whole, the run is interrupted
"$devs" run --plain slow.json >slow.out 2>&1 &
pid=$!
hangs() { "$devs" status --json 2>/dev/null | grep -q '"task":"hang".*"state":"running"'; }
until_true 60 hangs
want 'it runs' $? 0
kill -9 "$pid"
wait "$pid" 2>/dev/null
# a child that was just being started lets go of the lock when it becomes its program
is_interrupted() { "$devs" runs | head -1 | grep -q interrupted; }
until_true 60 is_interrupted
want 'interrupted' $? 0
want_in 'what ran is lost' "$("$devs" status)" 'lost'
if command -v sqlite3 >/dev/null; then
	want 'integrity' "$(sqlite3 .devs/devs.db 'PRAGMA integrity_check')" 'ok'
fi
: <>gate # lets what still reads the gate end; does not wait for it

# --- init
mkdir fresh && cd fresh || exit 1
"$devs" init >out
want 'init: exit' $? 0
"$devs" run --dry-run plan.json >out
want 'the starter plan is right' $? 0
exits 'init twice' 2 init

# --- a limit of open files that is too low for a run is said, and how to raise it
# (libuv aborts at some of them: 20 to 22)
for limit in 20 21 22 40 63; do
	(ulimit -n $limit && exec "$devs" --db few.db exec -- true) >out 2>&1
	want "open files, $limit: exit" $? 73
	want_in "open files, $limit: line" "$(cat out)" "the open file limit is $limit, but a run needs 64"
done
want_in 'open files: hint' "$(cat out)" 'ulimit -n 1024'

# --- what never started is no attempt
mkdir -p starts && cd starts || exit 1
echo '{"version": 1, "idempotent": true, "tasks": [{"id": "gone", "steps": [{"run": ["./not-there"]}]}]}' >plan.json
"$devs" --db starts.db run --plain plan.json >out 2>err
want 'starts: exit' $? 1
want_in 'starts: no denominator' "$(cat out)" 'gone try 1 GREEN not started'
want_in 'starts: summary' "$(cat out err)" '0 tries, 1 failed start'
want_in 'starts: runs' "$("$devs" --db starts.db runs)" ' 0 tries '
want_in 'starts: why' "$("$devs" --db starts.db why gone)" '/gone try 1 in GREEN: failed'
finish
