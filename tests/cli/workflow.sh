#!/bin/sh
# From an idea to a phase that is carried out, with an agent that a script plays: what is asked for
# again, which session goes where, what fails and why, and that all of it can be played back.
command -v python3 >/dev/null || {
	echo "skipped: python3 is not installed"
	exit 77
}
fake=$(cd "$(dirname "$0")/../support" && pwd)/fake-agent
. "$(dirname "$0")/check.sh"
mkdir bin
ln -s "$fake" bin/claude
PATH=$dir/bin:$PATH

# scene NAME: an empty folder, and an agent that has not been asked yet; its answers are on stdin
scene() {
	mkdir -p "$dir/$1/agent" "$dir/$1/work"
	cd "$dir/$1/work" || exit 1
	FAKE_AGENT_DIR=$dir/$1/agent
	export FAKE_AGENT_DIR
	cat >"$FAKE_AGENT_DIR/script.json"
}

# calls: how often the agent was asked
calls() {
	find "$FAKE_AGENT_DIR" -name 'call-*.argv' | wc -l
}

# call N KEY: what call N got
call() {
	cat "$FAKE_AGENT_DIR/call-$1.$2"
}

# last FILE KEY...: a value of the last line of a --json
last() {
	from=$1
	shift
	tail -n 1 "$from" | python3 -c '
import json, sys
value = json.load(sys.stdin)
for key in sys.argv[1:]:
    value = value[int(key)] if isinstance(value, list) else value[key]
print("null" if value is None else value)' "$@"
}

# records KIND: how many there are of it in the last run
records() {
	"$devs" debug --logs --json | grep -c "\"kind\":\"$1\""
}

project_json='{"name": "lamps", "summary": "A shop for lamps.", "phases": [
 {"title": "A list", "goal": "Lamps are listed.", "done_when": "sh check.sh exits with 0."},
 {"title": "A basket", "goal": "Lamps are put into a basket.", "done_when": "sh basket.sh passes."}]}'

test_no_agent_says_what_to_install() {
	scene none </dev/null
	PATH=/nowhere "$devs" new-project 'a shop' >out 2>err
	want 'no agent: exit' $? 69
	want_in 'no agent: what was looked for' "$(cat err)" 'no agent is installed: none of claude, '
	want_in 'no agent: what to do' "$(cat err)" 'hint: npm install -g '
	PATH=/nowhere "$devs" new-project --agent codex 'a shop' 2>err
	want 'that agent is missing: exit' $? 69
	want_in 'that agent is missing' "$(cat err)" "agent 'codex' is not installed: program 'codex' not found"
	fails 'no such agent' 2 "did you mean 'claude'?" new-project --agent cluade 'a shop'
	exits 'no idea' 2 new-project ' '
	fails 'no project' 2 'devs new-project IDEA creates one' plan-phase 1
	for number in 0 x 1.5 -1; do
		fails "phase $number" 2 "invalid phase number '$number'" plan-phase "$number"
	done
	head -c 70000 /dev/zero | tr '\0' a | "$devs" new-project - 2>err
	want 'a long idea: exit' $? 2
	want_in 'a long idea' "$(cat err)" 'the idea: it is larger than 64 KiB'
	want 'nothing was started' "$(find . -name .devs)" ''
	printf '%s' "$project_json" >devs.project.json
	printf '{"version": 1, "tasks": [{"id": "a", "steps": [{"agent": "codex", "prompt": "p"}]}]}' \
		>phase-2.plan.json
	trust phase-2.plan.json
	PATH=/nowhere "$devs" execute-phase 2 2>err
	want "the plan's agent is missing: exit" $? 69
}

test_D2_an_answer_that_does_not_fit_is_asked_for_again() {
	scene idea <<-SCRIPT
		[{"text": "Here you are: {\"name\": \"lamps\"}"},
		 {"when": "YOUR PREVIOUS RESPONSE HAD VALIDATION ERRORS", "text": "{\"name\": \"lamps\", \"phases\": []}"},
		 {"when": "Code: MISSING_FIELD", "json": $project_json}]
	SCRIPT
	"$devs" new-project --json 'a shop for "lamps"' >out 2>err
	want 'new-project: exit' $? 0
	want 'new-project: questions' "$(calls)" 3
	want_in 'the idea is in the prompt' "$(call 1 prompt)" 'a shop for "lamps"'
	want_in 'the contract is in the prompt' "$(call 1 prompt)" '"done_when"'
	want_in 'what is wrong is in the second prompt' "$(call 2 prompt)" 'Code: NOT_JSON'
	want_in 'what is wrong is in the third prompt' "$(call 3 prompt)" 'Path: /summary'
	want_in 'what the agent said' "$("$devs" log new-project)" 'A shop for lamps.'
	want_in 'what the agent wrote' "$("$devs" log --raw new-project)" '"subtype": "success"'
	want 'repaired in the same session' "$(call 3 session)" "$(call 1 session)"
	want 'rounds' "$(records round_started)" 2
	want 'the kind of the run' "$("$devs" runs --json | grep -c '"kind":"workflow"')" 1
	want 'the project has its phases' "$(last out project phases 1 title)" 'A basket'
	want_in 'the project is saved' "$(cat devs.project.json)" '"idea": "a shop for \"lamps\""'
	want_in 'with its session' "$(cat devs.project.json)" '"session_id": "fake-session-1"'
	fails 'a project that is there' 2 "'devs.project.json' already exists" new-project 'another shop'
	want 'a project that is there: the agent is not asked' "$(calls)" 3
}

test_D3_what_did_something_else_is_not_asked_again() {
	scene mismatch <<-SCRIPT
		[{"text": "{\"op\": \"review\"}", "always": true}]
	SCRIPT
	mkdir own
	printf '{"workflows": "own"}' >devs.config.json
	trust
	printf '{"type": "object", "required": ["op"], "properties": {"op": {"const": "project"}}}' \
		>own/new-project.json
	printf 'Only this: {{idea}}' >own/new-project.md
	"$devs" new-project --plain 'a shop' >out 2>err
	want 'another op: exit' $? 1
	want 'another op: asked once' "$(calls)" 1
	want "the project's own prompt" "$(call 1 prompt)" 'Only this: a shop'
	want_in 'another op: why' "$("$devs" why new-project)" '[OP_MISMATCH] /op: '
	want_in 'the session is not lost' "$(cat out)" 'fake-session-1, continue it with --resume'
	want 'nothing is saved' "$(find . -name devs.project.json)" ''
	mv own owned
	fails 'no folder of prompts' 2 "\"workflows\": no folder 'own'" new-project 'a shop'
	mv owned own
	printf 'What is {{this}}?' >own/new-project.md
	fails 'a prompt with an unknown name' 2 'unknown placeholder {{this}}' new-project 'a shop'
}

plan_json='{"version": 1, "name": "list", "idempotent": true, "jobs": 2,
 "policies": {"soon": {"like": "transport", "base_delay_ms": 1}, "at-once": {"like": "default", "base_delay_ms": 1}},
 "tasks": [
  {"id": "flaky", "title": "A test that fails once", "steps": [
   {"phase": "VERIFY", "run": "test -e seen || { touch seen; echo \"FAIL: test_list\"; exit 1; }", "shell": true, "policy": "at-once"}]},
  {"id": "limited", "title": "The service says no at first", "steps": [
   {"phase": "GREEN", "agent": "claude", "prompt": "Write the list.", "policy": "soon"},
   {"phase": "GREEN", "run": ["grep", "lamp", "list"]}]},
  {"id": "mended", "title": "Red until it is told what is red", "rounds": 3, "needs": ["limited"], "steps": [
   {"phase": "GREEN", "agent": "claude", "prompt": "Write check.sh.", "resume": "own-session"},
   {"phase": "VERIFY", "run": ["sh", "check.sh"]}]},
  {"id": "broken", "title": "Red whatever is done", "rounds": 2, "needs": ["limited"], "steps": [
   {"phase": "GREEN", "agent": "claude", "prompt": "Write basket.sh.", "policy": "soon"},
   {"phase": "VERIFY", "run": "echo \"FAIL: test_basket\"; exit 1", "shell": true}]}]}'

# The project of the scene before, with a plan for its first phase: the first answer is none.
test_E6_the_session_of_one_command_is_fed_to_the_next() {
	scene phase <<-SCRIPT
		[{"when": "The idea", "json": $project_json, "session": "talk-1"},
		 {"when": "Write the plan", "text": "{\"version\": 1, \"tasks\": [{\"id\": \"list\", \"step\": []}]}", "session": "talk-2"},
		 {"when": "Path: /tasks/0/steps", "json": $plan_json},
		 {"when": "Write the plan", "json": $plan_json, "always": true}]
	SCRIPT
	"$devs" new-project --json 'a shop' >out 2>err
	want 'new-project: exit' $? 0
	want 'new-project: session' "$(last out session_id)" talk-1
	"$devs" plan-phase 1 --json --resume "$(last out session_id)" >planned 2>err
	want 'plan-phase: exit' $? 0
	want_in 'plan-phase: goes on in the session' "$(call 2 argv)" '--resume talk-1'
	want_in 'plan-phase: the project is in the prompt' "$(call 2 prompt)" 'A shop for lamps.'
	want_in 'plan-phase: repaired in the session that it came to' "$(call 3 argv)" '--resume talk-2'
	want 'plan-phase: session' "$(last planned session_id)" talk-2
	want 'plan-phase: plan' "$(last planned plan)" "$(pwd -P)/phase-1.plan.json"
	"$devs" run --dry-run phase-1.plan.json >out
	want 'the saved plan can be run' $? 0
	fails 'a plan that is there' 2 '--force plans again' plan-phase 1
	fails 'no such phase' 2 "no phase '3'" plan-phase 3
	"$devs" plan-phase 1 --force --plain >out 2>err
	want 'plan-phase again: exit' $? 0
	want_in "plan-phase again: in the project's session" "$(call 4 argv)" '--resume talk-2'
	want_in 'plan-phase again: the plan is shown' "$(cat out)" 'list: 4 tasks'
	exits 'plan-phase --fresh' 0 plan-phase 1 --force --fresh --plain
	want 'plan-phase --fresh: a new session' "$(call 5 session)" fake-session-5
}

test_E5_resume_goes_from_the_command_to_the_agent() {
	scene execute <<-SCRIPT
		[{"when": "Write the list.", "status": 429, "retries": 2, "words": "Request rejected (429) · too many requests"},
		 {"tools": [{"write": "list", "text": "a lamp"}], "text": "The list is there."},
		 {"when": "Write check.sh.", "tools": [{"write": "check.sh", "text": "echo FAIL: test_check; exit 1"}]},
		 {"when": "FAIL: test_check", "tools": [{"write": "check.sh", "text": "exit 0"}]},
		 {"when": "Write basket.sh.", "tools": [{"run": "echo no; exit 1"}]},
		 {"when": "FAIL: test_basket", "text": "I cannot."}]
	SCRIPT
	printf '%s' "$project_json" >devs.project.json
	printf '%s' "$plan_json" >phase-1.plan.json
	fails 'no plan yet' 2 'devs plan-phase 2 creates one' execute-phase 2
	exits 'an option is no session' 2 execute-phase 1 --resume --yolo
	sed 's/^{/{"session_id": "--yolo", /' devs.project.json >evil.json
	cp devs.project.json kept.json
	mv evil.json devs.project.json
	fails "nor is it one of the project's" 2 'invalid session_id' execute-phase 1
	mv kept.json devs.project.json
	trust phase-1.plan.json
	"$devs" execute-phase 1 --json --resume talk-7 >out 2>err
	want 'execute-phase: exit' $? 1
	want 'execute-phase: session' "$(last out session_id)" talk-7
	want_in 'the first step goes on in the session' "$(call 1 argv)" '--resume talk-7'
	want_in 'and so does what comes after a limit' "$(call 2 argv)" '--resume talk-7'
	want_in "a step's own session goes before that" "$(call 3 argv; call 4 argv)" '--resume own-session'
	want_in 'what is red is told' "$(cat "$FAKE_AGENT_DIR"/call-*.prompt)" 'FAIL: test_basket'
	want 'execute-phase: questions' "$(calls)" 6
	want 'what was mended' "$(cat check.sh)" 'exit 0'

	want 'the summary: where it is' "$(last out summary)" "$(pwd -P)/phase-1.summary.md"
	summary=$(cat phase-1.summary.md)
	want_in 'the summary: the phase' "$summary" '# Phase 1: A list'
	want_in 'the summary: the tasks' "$summary" '| broken | gave-up | 4 |'
	want_in 'the summary: an outcome' "$summary" '- Outcome: gave-up'
	want_in 'the summary: why' "$summary" '- Why: test-fail'
	want_in 'the summary: evidence' "$summary" '- Evidence: step 2 of 2 in VERIFY: exit 1, `FAIL: test_basket`'
	want_in 'the summary: files' "$summary" '- Files: `check.sh`'
	want_in 'the summary: where there is more' "$summary" '`devs why 1/broken`'

	status=$("$devs" status)
	want_in 'a test that fails once' "$(echo "$status" | grep flaky)" passed
	want_in 'a limit is waited out' "$(echo "$status" | grep limited)" passed
	want_in 'a red check is mended' "$(echo "$status" | grep mended)" passed
	want_in 'a real failure' "$(echo "$status" | grep gave-up)" broken
	want_in 'a real failure: why' "$("$devs" why broken)" 'FAIL: test_basket'
	want 'rounds' "$(records round_started)" 2
	want_in 'the limit is told as one' "$("$devs" debug --logs --json)" '"type":"API_RATE_LIMIT"'
	want_in 'its wait is no entropy' "$("$devs" status --json)" '"entropy":0'

	# Played back: the same records each time, and this build's rules decide the same again.
	"$devs" debug --logs --json >first
	"$devs" debug --logs --json >second
	want 'the records are the same each time' "$(cksum <first)" "$(cksum <second)"
	lines=$("$devs" debug --logs --plain)
	want_in 'played back: what the agent did' "$lines" 'limited try 2/4 GREEN Write: list'
	want_in 'played back: what the agent said' "$lines" 'limited try 2/4 GREEN says: The list is there.'
	want_in 'played back: the limit' "$lines" \
		'[TRANSIENT RETRY] attempt 1/3 for taskId=limited, reason=API_RATE_LIMIT'
	want_in 'played back: a round' "$lines" 'mended round 2 of 3: check `sh check.sh` exit 1'
	want_in 'played back: the end' "$lines" 'run ended, exit 1: 3 passed, 1 gave-up'
	fails 'status is local' 2 "unknown option '--resume'" status --resume talk-7
	want 'nobody was asked by that' "$(calls)" 6
}

# The plan that a person did not name runs only if devs wrote it, or the person trusts its text.
test_a_plan_that_somebody_else_wrote_needs_trust() {
	scene strange <<-SCRIPT
		[{"json": {"version": 1, "idempotent": true, "tasks": [{"id": "list", "steps": [{"run": ["touch", "mark"]}]}]}, "always": true}]
	SCRIPT
	printf '%s' "$project_json" >devs.project.json
	plan=$(pwd -P)/phase-1.plan.json
	evil='{"version": 1, "idempotent": true, "tasks": [{"id": "list", "steps": [{"run": ["touch", "evil"]}]}]}'
	# refused NAME WHY: one line, and nothing has run
	refused() {
		exits "$1" 2 execute-phase 1 --plain
		want "$1: the line" "$(cat err)" "devs: $plan: $2; read the plan, then run: devs trust $plan"
		want "$1: nothing ran" "$(find . -name evil -o -name mark)" ''
	}
	echo "$evil" >phase-1.plan.json
	never='devs plan-phase did not write this plan here, so it needs your trust'
	changed='the plan has changed since you trusted it or devs wrote it'
	refused 'never trusted' "$never"
	want_in 'dry run shows it' "$("$devs" trust --dry-run phase-1.plan.json)" 'touch evil'
	refused 'after a dry run' "$never"
	want 'trust --json' "$("$devs" trust --dry-run --json "$plan")" \
		"{\"v\":1,\"path\":\"$plan\",\"state\":\"none\",\"keys\":[]}"
	for form in --plain --json; do
		"$devs" plan-phase 1 --force $form >out 2>err
		want "$form: planned" "$? $(cat err)" '0 '
		cp phase-1.plan.json ours.json
		echo "$evil" >phase-1.plan.json
		refused "$form: changed" "$changed"
		cp ours.json phase-1.plan.json
		"$devs" execute-phase 1 --plain >out 2>err
		want "$form: the plan of plan-phase runs" "$? $(rm mark && echo ran)" '0 ran'
	done
	echo "$evil" >phase-1.plan.json
	mkdir below
	(cd below && "$devs" trust ../phase-1.plan.json >../out)
	want_in 'trust shows what runs' "$(cat out)" 'touch evil'
	want_in 'trust says how long' "$(cat out)" 'is trusted until it changes'
	want_in 'trust --list' "$("$devs" trust --list)" "given    $plan"
	"$devs" execute-phase 1 --plain >out 2>err
	want 'a plan that is trusted runs' "$? $(rm evil && echo ran)" '0 ran'
	want_in 'revoked' "$("$devs" trust --revoke phase-1.plan.json)" "$plan is no longer trusted"
	refused 'revoked' "$never"
	"$devs" trust --revoke phase-1.plan.json >out 2>err
	want 'revoked twice' "$? $(cat err)" "66 devs: '$(pwd)/phase-1.plan.json' is not trusted"
	echo '{"tasks": 1}' >phase-1.plan.json
	exits 'not a plan' 2 trust phase-1.plan.json
	exits 'not a phase' 66 trust phase-100.plan.json
	# Trust that cannot be recorded does not take the plan away.
	rm phase-1.plan.json
	XDG_STATE_HOME=/dev/null "$devs" plan-phase 1 --plain >out 2>err
	want 'no place for trust: exit' $? 0
	want_in 'no place for trust' "$(cat err)" 'devs execute-phase will require devs trust'
}

# The usual answer: two tasks that do not need each other, in a code fence. Both continue in the
# session of the project, one after the other.
test_two_independent_tasks_share_a_session() {
	free='{"version": 1, "idempotent": true, "jobs": 2, "tasks": [
	 {"id": "list", "steps": [{"agent": "claude", "prompt": "Write the list."}, {"run": ["cat", "list"]}]},
	 {"id": "basket", "steps": [{"agent": "claude", "prompt": "Write the basket."}, {"run": ["cat", "basket"]}]}]}'
	fenced=$(python3 -c 'import json, sys; print(json.dumps("```json\n" + sys.argv[1] + "\n```"))' "$free")
	scene independent <<-SCRIPT
		[{"when": "The idea", "json": $project_json, "session": "talk-1"},
		 {"when": "Write the plan", "text": $fenced},
		 {"when": "Write the list.", "tools": [{"write": "list", "text": "a lamp"}], "always": true},
		 {"when": "Write the basket.", "tools": [{"write": "basket", "text": "a lamp"}], "always": true}]
	SCRIPT
	exits 'independent: new-project' 0 new-project --json 'a shop'
	"$devs" plan-phase 1 --plain >out 2>err
	want 'independent: plan-phase: exit' $? 0
	want 'independent: the fence needs no second question' "$(calls)" 2
	want 'independent: the plan is without the fence' "$(head -c 1 phase-1.plan.json)" '{'
	exits 'independent: execute-phase' 0 execute-phase 1 --plain
	want_in 'independent: execute-phase' "$(cat err)" 'tasks share a session and run one at a time'
	want 'independent: questions' "$(calls)" 4
	want_in 'independent: the first in the session' "$(call 3 argv)" '--resume talk-1'
	want_in 'independent: the second, too' "$(call 4 argv)" '--resume talk-1'
	exits 'independent: -j 1' 0 execute-phase 1 --plain --jobs 1
	want 'independent: -j 1: nothing to warn of' "$(cat err)" ''
	fails 'independent: -j 2' 2 '-j 2: tasks share a session, which takes one prompt at a time' execute-phase 1 -j 2
	want 'independent: -j 2: nothing is asked' "$(calls)" 6
	exits 'independent: --fresh' 0 execute-phase 1 --plain -j 2 --fresh
	want 'independent: --fresh: new sessions' "$(call 8 argv | grep -c resume)" 0
}

test_an_agent_of_the_settings_and_a_model() {
	scene ours <<-SCRIPT
		[{"when": "The idea", "json": $project_json},
		 {"json": {"version": 1, "idempotent": true, "tasks": [{"id": "list", "steps": [{"agent": "ours", "prompt": "Go."}]}]}},
		 {"when": "Go.", "text": "Gone."}]
	SCRIPT
	printf '{"agent": "ours", "agents": {"ours": {"like": "claude", "program": "claude"}}}' >devs.config.json
	trust
	echo 'a shop' | "$devs" new-project --plain --model small - >out 2>err
	want 'an agent of the settings: exit' $? 0
	want_in 'the model is passed on' "$(call 1 argv)" '--model small'
	want_in 'the project in words' "$(cat out)" 'lamps: A shop for lamps.'
	want_in 'a phase in words' "$(cat out)" '     done when: sh basket.sh passes.'
	want_in 'what comes next' "$(cat out)" 'next: devs plan-phase 1'
	want_in 'the project knows its agent' "$(cat devs.project.json)" '"agent": "ours"'
	mkdir below
	(cd below && "$devs" --db ../.devs/devs.db plan-phase 1 --plain >../out 2>../err)
	want 'plan-phase from below: exit' $? 0
	want_in 'a plan with that agent fits' "$(cat phase-1.plan.json)" '"agent": "ours"'
	want_in 'the plan in words' "$(cat out)" '    prompt   Go.'
	ln -s elsewhere.md phase-1.summary.md
	"$devs" execute-phase 1 --plain --model large >out 2>err
	want 'execute-phase: exit' $? 0
	want_in 'the summary does not go through a link' "$(cat err)" "phase-1.summary.md' is a link"
	want 'the summary: nothing behind the link' "$(find . -name elsewhere.md)" ''
	want_in 'the model of the command line' "$(call 3 argv)" '--model large'
	want_in "the project's session is gone on with" "$(call 3 argv)" '--resume fake-session-1'
	want_in 'the phase after it' "$(cat out)" 'next: devs plan-phase 2'
}

# A person stops it, and a devs that was killed is gone on with: nothing of the answer is lost.
test_a_question_is_stopped_and_gone_on_with() {
	scene stopped <<-SCRIPT
		[{"hang": true, "session": "talk-9"}, {"hang": true, "session": "talk-9"}, {"json": $project_json}]
	SCRIPT
	"$devs" new-project --json 'a shop' >out 2>err &
	pid=$!
	has_session() { grep -q '"kind":"agent_session"' "$1" 2>/dev/null; }
	until_true 60 has_session out
	want 'the agent is asked' $? 0
	kill -INT "$pid"
	wait "$pid"
	want 'stopped: exit' $? 130
	want 'stopped: session' "$(last out session_id)" talk-9
	want 'stopped: nothing is saved' "$(find . -name devs.project.json)" ''
	"$devs" new-project --json --resume talk-9 'a shop' >killed 2>err &
	pid=$!
	until_true 60 has_session killed
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	is_interrupted() { "$devs" runs | head -1 | grep -q interrupted; }
	until_true 60 is_interrupted
	exits 'gone on with' 0 run --continue last --plain
	want_in 'gone on with: in the session' "$(call 3 argv)" '--resume talk-9'
	want_in 'gone on with: the answer is there' "$(cat devs.project.json)" '"A basket"'
	want "no agent is left" "$(pgrep -f "$dir/bin/claude" | wc -l)" 0
}

test_no_agent_says_what_to_install
test_an_agent_of_the_settings_and_a_model
test_a_question_is_stopped_and_gone_on_with
test_D2_an_answer_that_does_not_fit_is_asked_for_again
test_D3_what_did_something_else_is_not_asked_again
test_E6_the_session_of_one_command_is_fed_to_the_next
test_E5_resume_goes_from_the_command_to_the_agent
test_a_plan_that_somebody_else_wrote_needs_trust
test_two_independent_tasks_share_a_session

# --- a plan of a list
mkdir checklist && cd checklist || exit 1
cat >TASKS.md <<'MD'
# To do

- [ ] Round tax, half to even
  See `tests/tax.sh`.

  - [ ] also for refunds
- [x] Done already
  with details
1. [ ] Round tax, half to even
Text - [ ] without an item
* [ ] "Quotes" \ and more
MD
exits 'plan of a check list' 0 plan --from TASKS.md --check 'make test' >plan.json
want 'plan of a check list: no warning' "$(cat err)" ''
cat >wanted <<'JSON'
{"version": 1, "name": "TASKS.md", "workspace": "worktree", "tasks": [
  {"id": "round-tax-half-to-even", "title": "Round tax, half to even", "steps": [
    {"agent": "claude", "prompt": "Round tax, half to even\n\nSee `tests/tax.sh`.\n\n- [ ] also for refunds"},
    {"phase": "VERIFY", "run": ["sh", "-c", "make test"]}]},
  {"id": "round-tax-half-to-even-2", "title": "Round tax, half to even", "steps": [
    {"agent": "claude", "prompt": "Round tax, half to even"},
    {"phase": "VERIFY", "run": ["sh", "-c", "make test"]}]},
  {"id": "quotes-and-more", "title": "\"Quotes\" \\ and more", "steps": [
    {"agent": "claude", "prompt": "\"Quotes\" \\ and more"},
    {"phase": "VERIFY", "run": ["sh", "-c", "make test"]}]}
]}
JSON
want 'plan of a check list: what it has' "$(cat plan.json)" "$(cat wanted)"
git init -q . && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m first
exits 'plan of a check list: devs accepts it' 0 run --dry-run plan.json >out
printf %s '[{"number": 12, "title": "A", "body": "Text\r\nmore"}, {"iid": 3, "title": "B", "description": null}]' |
	"$devs" plan --from - --agent codex >plan.json 2>err
want 'plan of issues: exit' $? 0
want_in 'plan of issues: a warning' "$(cat err)" 'nothing checks the tasks'
want 'plan of issues' "$(cat plan.json)" '{"version": 1, "name": "tasks", "workspace": "worktree", "tasks": [
  {"id": "issue-12", "title": "A", "steps": [
    {"agent": "codex", "prompt": "A\n\nText\r\nmore"}]},
  {"id": "issue-3", "title": "B", "steps": [
    {"agent": "codex", "prompt": "B"}]}
]}'
echo '[{"title": "A"}, {"x": 1}]' >issues.json
fails 'plan of an issue without a title' 2 'issues.json: element 2 has no "title"' plan --from issues.json
echo 'nothing' >empty.md
echo '[{"title": "A"' >issues.json
fails 'plan of broken issues' 2 'issues.json: ' plan --from issues.json
fails 'plan of no list' 2 'empty.md: no open task' plan --from empty.md
fails 'plan of no file' 66 'missing.md' plan --from missing.md
fails 'plan from nothing' 2 '--from is missing' plan
fails 'plan with an unknown agent' 2 'unknown agent "nobody"' plan --from TASKS.md --agent nobody
cd ..
finish
