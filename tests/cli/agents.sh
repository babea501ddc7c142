#!/bin/sh
# Steps that prompt an agent: a session that outlives its devs, what is said of an agent that is
# not there, nothing of a prompt's secret in the log, other rules on an agent's past.
. "$(dirname "$0")/check.sh"

wait_for() {
	until_true 60 test -e "$2"
	want "$1" $? 0
}

# The agent: call n writes say.n and does do.n; its arguments and what it is told are kept.
cat >fake <<'SH'
#!/bin/sh
echo "$*" >>calls
n=$(($(wc -l <calls)))
cat >prompt.$n
[ ! -f say.$n ] || cat say.$n
[ ! -f do.$n ] || . ./do.$n
exit 0
SH
chmod +x fake
fresh() { rm -rf calls prompt.* say.* do.* up; }
session=5c2d9c1e-0000-4000-8000-000000000001
init="{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"$session\"}"
done="{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"ok\",\"num_turns\":3,\
\"session_id\":\"$session\",\"total_cost_usd\":0.5,\"usage\":{\"input_tokens\":7,\"output_tokens\":3}}"
agents='"agents": {"fake": {"like": "claude", "program": "./fake"},
 "spoken": {"like": "claude", "program": "./fake", "prompt": "argument"},
 "gone": {"like": "claude", "program": "no-such-agent", "install": "get it with its own installer"}}'

# --- what would be called, without calling it
cat >plan.json <<PLAN
{"version": 1, "name": "calls", $agents, "idempotent": true, "tasks": [{"id": "a", "steps": [
 {"run": ["true"]}, {"agent": "fake", "prompt": "Go on.", "resume": "$session"},
 {"agent": "spoken", "prompt": "Look."}, {"agent": "spoken", "prompt": "Mend."}]}]}
PLAN
out=$("$devs" run --dry-run plan.json)
want 'a dry run: the session that goes on' "$(echo "$out" | grep -o 'stream-json --verbose.*' | sed 's/ --permission.*//')" \
	"stream-json --verbose --resume $session
stream-json --verbose
stream-json --verbose --resume '{session of step 3}'"

# --- killed in the middle of a session: who goes on goes on in it
cat >plan.json <<PLAN
{"version": 1, "name": "asks", $agents,
 "tasks": [{"id": "a", "steps": [{"agent": "fake", "prompt": "Make the parser.", "output": "out.txt"}]}]}
PLAN
echo "$init" >say.1
echo ': >up; sleep 1000' >do.1
printf '%s\n%s\n' "$init" "$done" >say.2
"$devs" run --plain plan.json >out 2>&1 &
pid=$!
wait_for 'the agent runs' up
seen() { "$devs" status --json | grep -q "$session"; }
until_true 60 seen
want 'its session is in the log while it runs' $? 0
kill -9 "$pid"
wait "$pid" 2>/dev/null
"$devs" run --plain --continue last >out 2>&1
want 'it goes on: exit' $? 0
want_in 'in the session' "$(sed -n 2p calls)" "--resume $session"
want_in 'it is told to go on' "$(cat prompt.2)" 'Continue where you stopped'
want_in 'and why it was cut short' "$(cat prompt.2)" 'interrupted'
want 'the prompt is not said again' "$(grep -c parser prompt.2)" 0
want 'what it left is in its file' "$(cat out.txt)" ok
want_in 'what it used is told' "$("$devs" status)" '3 turns'

# --- words for people, and what came as it came
want_in 'its words' "$("$devs" log a --try 2)" 'done: 3 turns'
want_in 'its output' "$("$devs" log a --try 2 --raw)" '"total_cost_usd":0.5'

# --- behind an agent, a check that says nothing hides nothing
fresh
cat >silent.json <<PLAN
{"version": 1, "name": "silent", $agents, "idempotent": true,
 "tasks": [{"id": "s", "steps": [{"agent": "fake", "prompt": "Make it."}, {"phase": "VERIFY", "run": ["true"]},
  {"phase": "VERIFY", "run": ["true"]}]}]}
PLAN
printf '%s\n%s\n' "$init" "$done" >say.1
"$devs" run --plain silent.json >out 2>&1
want 'a silent check: exit' $? 0
want_in "the agent's words are printed" "$("$devs" log s 2>err)" 'done: 3 turns'
want 'and whose they are is told' "$(cat err)" 'devs: step 3 VERIFY has no output; showing step 1 GREEN'
want_in 'with -f too' "$("$devs" log -f s 2>err)" 'done: 3 turns'
want 'a step that is named is that step' "$("$devs" log s --step 3 2>&1)" ''
frame=$("$devs" debug --logs last --frame 160x40)
want_in 'the log pane shows them' "$frame" 'done: 3 turns'
want_in 'its title tells the step' "$frame" 'log  s step 1 GREEN try 1'
frame=$("$devs" debug --logs last --frame 80x24)
want_in 'a narrow one too' "$frame" 'done: 3 turns'
want_in 'it tells the step beside them' "$frame" ' step 1 '

want_in 'what an agent used stands below its task' "$("$devs" status | tail -n 2)" 's: fake, session 5c2d9c1e'

# --- one that says nothing for too long
fresh
cat >quiet.json <<PLAN
{"version": 1, "name": "quiet", $agents,
 "tasks": [{"id": "q", "steps": [{"agent": "fake", "prompt": "Make it.", "quiet_s": 1}]}]}
PLAN
echo "$init" >say.1
echo 'sleep 1000' >do.1
"$devs" run --plain quiet.json >out 2>&1
want 'silence: exit' $? 1
want_in 'what would help it is told' "$("$devs" why q)" 'it must print something in time: check what it waits for'

# --- an agent that stops at a loop by itself ends as if devs had found the loop
for guard in qwen gemini; do
	fresh
	cat >guard.json <<PLAN
{"version": 1, "name": "guard", "agents": {"own": {"like": "$guard", "program": "./fake"}},
 "tasks": [{"id": "g", "rounds": 3, "steps": [{"agent": "own", "prompt": "Make it."}]}]}
PLAN
	if [ $guard = qwen ]; then
		echo '{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"Loop detection halted the run"}}'
	else
		echo '{"type":"error","severity":"warning","message":"Loop detected, stopping execution"}'
		echo '{"type":"result","status":"success","stats":{}}'
	fi >say.1
	"$devs" run --plain guard.json >out 2>&1
	want "the loop guard of $guard: exit" $? 3
	want "the loop guard of $guard: the state" "$("$devs" status --json | grep -o '"state":"stuck"' | head -1)" '"state":"stuck"'
	want_in "devs why quotes $guard" "$("$devs" why g)" 'agent ended: loop: Loop detect'
	want_in "who found it ($guard)" "$("$devs" why g)" 'the agent found a loop and stopped on its own'
done

# --- tool calls that the program refuses: counted, and judged by what checks the work
call() { echo "{\"type\":\"assistant\",\"message\":{\"id\":\"m$1\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t$1\",\"name\":\"$2\",\"input\":{\"command\":\"$3\"}}]}}"; }
result() { echo "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t$1\",\"content\":\"$2\"}]}}"; }
denied() {
	echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"$1\",\"permission_denials\":[\
{\"tool_name\":\"Bash\",\"tool_use_id\":\"t1\",\"tool_input\":{\"command\":\"git push\"}},\
{\"tool_name\":\"Bash\",\"tool_use_id\":\"t2\",\"tool_input\":{\"command\":\"make test\"}}]}"
}
cat >refused.json <<PLAN
{"version": 1, "name": "refused", $agents, "idempotent": true,
 "tasks": [{"id": "r", "steps": [{"agent": "fake", "prompt": "Make it."}]}]}
PLAN
fresh
{ echo "$init"; call 1 Bash 'git push'; call 2 Bash 'make test'; call 3 Edit x; result 3 ok; denied 'All done.'; } >say.1
"$devs" run --plain refused.json >out 2>&1
want 'it went on without them: exit' $? 0
want_in 'the summary counts them' "$(cat out)" '2 refused'
want_in 'devs status too' "$("$devs" status)" '2 refused'
want_in 'and its JSON' "$("$devs" status --json)" '"refused":2,"refused_call":"Bash: make test"'
want_in 'devs why too' "$("$devs" why r)" '2 refused'
want_in 'the log' "$("$devs" log r)" '! refused: Bash: make test'
want_in 'the row' "$("$devs" debug --logs last --frame 120x30)" '2 refused'
fresh
{ echo "$init"; call 1 Bash 'git push'; call 2 Bash 'make test'; denied 'All done.'; } >say.1
"$devs" run --plain refused.json >out 2>&1
want 'the last call was refused: exit' $? 4
want_in 'the state' "$("$devs" status)" 'needs-you'
want_in 'the deciding line' "$("$devs" why r)" 'sure       certain, reported by the agent itself'
want_in 'the call' "$("$devs" why r)" 'why        rule agent.refused: "refused: Bash: make test"'
want_in 'how to allow it' "$("$devs" why r)" 'next       allow Bash: "args": ["--allowedTools", "Bash"] in its step; then start the plan again: devs run'
sed 's/"Make it."}/&, {"phase": "VERIFY", "run": ["sh", "-c", "exit 1"]}/' refused.json >checked.json
fresh
{ echo "$init"; call 1 Bash 'git push'; call 2 Bash 'make test'; denied 'All done.'; } >say.1
"$devs" run --plain checked.json >out 2>&1
want 'a check fails after a refused call: exit' $? 4
want_in 'a check fails after a refused call: why' "$("$devs" why r)" 'its agent was refused Bash: make test'
want_in 'a check fails after a refused call: next' "$("$devs" why r)" 'allow Bash: "args": ["--allowedTools", "Bash"] in its step; then start the plan again: devs run'

# --- it is not there
fresh
cat >gone.json <<PLAN
{"version": 1, "name": "gone", $agents,
 "tasks": [{"id": "a", "steps": [{"agent": "gone", "prompt": "Make it."}]}]}
PLAN
fails 'an agent that is not there' 69 "task 'a', step 1: agent 'gone' is not installed" run --plain gone.json
want_in 'and how to get it at once' "$(cat err)" 'hint: get it with its own installer'
want_in 'a dry run tells it too' "$("$devs" run --dry-run gone.json)" \
	"missing  agent 'gone' is not installed: program 'no-such-agent' not found; get it with"
sed 's/"prompt": "Make it."/&, "sandbox": {"kind": "container", "image": "i"}/' gone.json >inside.json
want 'in a container it may be there' "$("$devs" run --dry-run inside.json | grep -c missing)" 0
sed 's/"prompt": "Make it."/&, "env": {"PATH": "\/opt\/bin"}/' gone.json >env.json
sed 's/"id": "a"/"executor": "lab", &/; s/"name"/"executors": {"lab": {"like": "ssh", "hosts": ["h"], "shared": "\/"}}, &/' \
	gone.json >away.json
want 'on another machine it may be there' "$("$devs" run --dry-run away.json | grep -c missing)" 0
want_in 'on another machine: where' "$("$devs" run --dry-run away.json)" 'a  on lab (h; 1 slot)'
want 'in a PATH of its own it may be there' "$("$devs" run --dry-run env.json | grep -c missing)" 0
sed 's/no-such-agent/.\/no-such-agent/' gone.json >path.json
"$devs" run --plain path.json >out 2>&1
want 'one that a step could have made: exit' $? 1
want_in 'it is told' "$(cat out)" "agent CLI not found: './no-such-agent'"
want_in 'and how to get it' "$(cat out)" 'get it with its own installer'
want_in 'devs why tells it too' "$("$devs" why a)" 'its program must be installed: get it with its own installer'
want 'it was tried once' "$("$devs" status --json | grep -o '"attempt":[0-9]*' | sort -u | tail -1)" '"attempt":1'

# --- a secret of the prompt: told to the agent, on stdin or as an argument, and to nobody else
for agent in fake spoken; do
	fresh
	echo "$init" >say.1
	echo 'cat prompt.1; echo "$*"; exit 1' >do.1
	cat >secret.json <<PLAN
{"version": 1, "name": "secret", $agents,
 "tasks": [{"id": "a", "steps": [{"agent": "$agent", "prompt": "Use hunter2hunter2hunter2.",
  "policy": {"like": "transport", "max_attempts": 1}}]}]}
PLAN
	MY_API_TOKEN=hunter2hunter2hunter2 "$devs" run --plain secret.json >out 2>&1
	want "a secret ($agent): exit" $? 1
	want "the agent was told ($agent)" "$(cat calls prompt.1 | grep -c hunter2hunter2hunter2)" 1
	want "the screen was not ($agent)" "$(grep -c hunter2 out)" 0
	want "nor the log ($agent)" "$(cat .devs/devs.db* | grep -ac hunter2)" 0
	want_in "its capture has a mark ($agent)" "$("$devs" debug --forensics a --json)" '[cut:MY_API_TOKEN]'
done

# --- going on needs the secret: with it the prompt is whole again
fresh
echo ': >up; sleep 1000' >do.1
printf '%s\n%s\n' "$init" "$done" >say.2
sed -i 's/"agent": "spoken"/"agent": "fake"/' secret.json
MY_API_TOKEN=hunter2hunter2hunter2 "$devs" run --plain secret.json >out 2>&1 &
pid=$!
wait_for 'an agent with a secret runs' up
kill -9 "$pid"
wait "$pid" 2>/dev/null
MY_API_TOKEN=hunter2hunter2hunter2 "$devs" run --plain --continue last >out 2>&1
want 'going on with a secret: exit' $? 0
want 'no session was told: it hears all of it, the secret too' "$(cat prompt.2)" 'Use hunter2hunter2hunter2.'


# --- an agent that has not left its file is asked for it
fresh
mkdir leaves && cp fake leaves && cd leaves || exit 1
cat >plan.json <<PLAN
{"version": 1, $agents, "tasks": [{"id": "a", "rounds": 2, "steps": [
 {"agent": "fake", "prompt": "Write it.", "expect_files": [{"path": "report.md", "contains": "done"}]}]}]}
PLAN
printf '%s\n%s\n' "$init" "$done" >say.1
cp say.1 say.2
echo 'echo done >report.md' >do.2
"$devs" run --plain plan.json >out 2>&1
want 'a file of an agent: exit' $? 0
want_in 'a file of an agent: it is asked for' "$(cat prompt.2)" 'These required files are missing or wrong:

report.md: missing'
cd ..

# An adapter is tried on a recorded output.
cat >devs.config.json <<'END'
{"agents": {"ours": {"like": "generic", "program": "ours", "output": "jsonl", "install": "get ours", "events": [
 {"when": {"type": "say"}, "is": "text", "text": "words"},
 {"when": {"type": "act"}, "is": "call", "tool": "name", "args": "args", "id": "id"},
 {"when": {"type": "act"}, "is": "used", "turn": true},
 {"line": {"starts": "fatal: "}, "stderr": true, "is": "end", "failed": true, "words": "."},
 {"when": {"type": "bye"}, "is": "end"}]}}}
END
cat >ours.out <<'END'
{"type":"say","words":"Hi\u001b[2J."}
{"type":"act","name":"sh","id":"1","args":"{\"command\":\"make\"}"}

{"type":"odd"}
no JSON
{
"type": "bye"
}
END
echo 'fatal: 401 no key' >ours.err
want 'a trial' "$("$devs" agents --try ours ours.out)" '     1  rule 1 text
        Hi.
     2  rule 2 call, rule 3 used
        > sh: make
     4  no rule: {"type":"odd"}
     5  no rule: no JSON
     8  rule 5 end
        done: 1 turn, 1 call

lines: 3 matched, 2 not matched; ends with success
turns 1, calls 1, tokens 0, own retries 0
rules that matched no line: 4'
answer=$("$devs" agents --try ours - --stderr ours.err </dev/null)
want_in 'a trial of standard error' "$answer" 'standard error:
     1  rule 4 end'
want_in 'a trial of a failure' "$answer" 'lines: 1 matched, 0 not matched; ends with failure'
answer=$("$devs" agents)
want_in 'the agents: own' "$answer" 'ours          ours          settings  get ours'
want_in 'the agents: built in' "$answer" 'copilot       copilot       built in  npm install -g @github/copilot'
want 'the agents: none without a program' "$(echo "$answer" | grep -c generic)" 0
fails 'a trial of an unknown agent' 2 "unknown agent 'nobody'" agents --try nobody ours.out
exits 'a trial of no file' 66 agents --try ours missing
exits 'a file without a name' 2 agents ours.out

# --- what agents have used
rm devs.config.json
mkdir costs && cd costs || exit 1
cp ../fake .
export DEVS_DB="$PWD/costs.db"
cat >plan.json <<PLAN
{"version": 1, "name": "costs", $agents, "idempotent": true, "jobs": 1, "tasks": [
 {"id": "a", "steps": [{"agent": "fake", "prompt": "One.", "model": "large"}]},
 {"id": "b", "steps": [{"agent": "fake", "prompt": "Two.", "model": "large"}, {"agent": "spoken", "prompt": "Three."}]},
 {"id": "c", "needs": ["b"], "steps": [{"agent": "fake", "prompt": "Four."}]}]}
PLAN
for n in 1 2 3; do printf '%s\n%s\n' "$init" "$done" >say.$n; done
free=$(echo "$done" | sed 's/"total_cost_usd":0.5,//')
printf '%s\n%s\n' "$init" "$free" >say.4
exits 'costs of nothing' 66 costs
"$devs" run --plain plan.json >out 2>&1
want 'costs: the run' $? 0
rows() { "$devs" costs "$@" | tr -s ' ' | sed 's/ $//'; }
want 'costs by day' "$(rows)" "day tries turns calls tokens cost
$(date +%Y-%m-%d) 4 12 0 40 \$1.50+
1 of 4 tries: their agent reports no cost"
want 'costs by task' "$(rows --by task)" 'task tries turns calls tokens cost
b 2 6 0 20 $1.00
a 1 3 0 10 $0.50
c 1 3 0 10 unknown
sum 4 12 0 40 $1.50+
1 of 4 tries: their agent reports no cost'
want 'costs by agent' "$(rows --by agent | sed -n 2,3p)" 'fake 3 9 0 30 $1.00+
spoken 1 3 0 10 $0.50'
want 'costs by model' "$(rows --by model | sed -n 2,3p)" 'large 2 6 0 20 $1.00
unknown 2 6 0 20 $0.50+'
want 'costs by run, as JSON' "$("$devs" costs --by run --json)" \
	'{"v":1,"by":"run","name":"#1","tries":4,"turns":12,"calls":0,"tokens":40,"cost_micro":1500000,"unpriced":1}'
# A budget of the day counts what other runs of the log have used.
fresh
cat >day.json <<PLAN
{"version": 1, "name": "day", $agents, "idempotent": true, "jobs": 1, "budget": {"day_usd": 2.4}, "tasks": [
 {"id": "a", "steps": [{"agent": "fake", "prompt": "One."}]}, {"id": "b", "steps": [{"agent": "fake", "prompt": "Two."}]}]}
PLAN
for n in 1 2; do printf '%s\n%s\n' "$init" "$done" >say.$n; done
"$devs" run --plain day.json >out 2>&1
want 'a budget of the day: exit' $? 4
want_in 'a budget of the day: warned' "$(cat out)" '$2.00 of $2.40 today (83%)'
want_in 'a budget of the day: spent' "$(cat out)" 'budget is spent: $2.50 of $2.40 today'
want 'no agent starts when it is spent' "$("$devs" run --plain day.json >out 2>&1; echo $?) $(grep -c ' starts: ' out)" '4 0'
want 'with the same decisions' "$("$devs" verify last | grep '^decisions')" 'decisions  4 of 4 the same'
sqlite3 costs.db "UPDATE run SET last_at_ms=last_at_ms-172800000" 2>/dev/null &&
	want 'costs of the last day' "$(rows --days 1)" 'no agent has run'
fails 'costs by nothing' 2 'is not a grouping' costs --by hour
fails 'costs of no days' 2 'expected a number' costs --days 0
cd ..
finish
