#!/bin/sh
# A phase that agents carry out, in a real terminal: watched, controlled from two programs, and
# replayed. A script plays the agent.
command -v python3 >/dev/null || {
	echo 'skipped: python3 is not installed'
	exit 77
}
fake=$(cd "$(dirname "$0")/../support" && pwd)/fake-agent
. "$(dirname "$0")/terminal.sh"
mkdir bin agent
ln -s "$fake" bin/claude
PATH=$dir/bin:$PATH FAKE_AGENT_DIR=$dir/agent LC_ALL=C.UTF-8
export PATH FAKE_AGENT_DIR LC_ALL

cat >agent/script.json <<'JSON'
[{"when": "think long", "tools": [{"run": "echo I looked around"}], "hang": true},
 {"when": "be limited", "status": 429, "words": "Request rejected (429) · too many requests"},
 {"when": "", "text": "The limit is over."}]
JSON
cat >devs.project.json <<'JSON'
{"version": 1, "name": "lamps", "summary": "A shop.", "agent": "claude",
 "phases": [{"title": "A list", "goal": "Lamps are listed.", "done_when": "It passes."}]}
JSON
cat >phase-1.plan.json <<'JSON'
{"version": 1, "name": "list", "idempotent": true, "jobs": 3, "on_hangup": "cancel",
 "policies": {"slow": {"like": "transport", "base_delay_ms": 3600000, "cap_ms": 3600000, "jitter": 0}},
 "tasks": [
  {"id": "limit", "title": "meets a limit", "steps": [
   {"phase": "GREEN", "agent": "claude", "prompt": "be limited", "policy": "slow", "source": "one"}]},
  {"id": "think", "title": "does not end", "steps": [
   {"phase": "GREEN", "agent": "claude", "prompt": "think long", "source": "two"}]},
  {"id": "red", "title": "is red", "steps": [
   {"phase": "REFACTOR", "run": ["sh", "-c", "echo not ok 1 - lamps; exit 1"]}]}]}
JSON

trust phase-1.plan.json

test_P1_agents_are_watched_and_steered_in_a_terminal() {
	open a 110 34
	type a "'$devs' execute-phase 1" Enter
	expect a 'LIVE' 'execute-phase opens the cockpit'
	expect a 'running.*think' 'an agent works'
	type a g j
	expect a '▸.*think' 'j chooses it'
	expect a 'echo I looked around' 'what the agent does is in its log'
}

# The screen and the engine have separate threads: keys are handled while the engine works.
test_P3_the_engine_is_a_thread_beside_the_screen() {
	pane=$(tmux list-panes -t a -F '#{pane_pid}')
	threads=$(cat /proc/[0-9]*/task/[0-9]*/status 2>/dev/null |
		awk -v shell="$pane" '/^Name:/ {name = $2} /^Tgid:/ {group = $2} /^Pid:/ {pid = $2}
			/^PPid:/ {parent[group] = $2; count[group]++}
			END {for (g in parent) if (parent[g] == shell) front = g
				for (g in parent) if (parent[g] == front && count[g] > most) most = count[g]
				print most + 0}')
	[ "$threads" -gt 1 ]
	want "devs has threads beside the screen's ($threads)" $? 0
	type a '?'
	expect a 'retry now' 'a key is answered while an agent works'
	type a Escape
}

test_P4_panes_show_phase_tries_countdown_class_and_forensics() {
	type a g
	expect a 'backoff *limit .*G.* 1/4 *in [0-5][0-9]:' 'phase, tries and countdown'
	expect a 'rate-limit\|API_RATE_LIMIT' 'the class of the failure'
	expect a 'too many requests' 'its evidence'
	type a G
	expect a '▸.*red' 'G goes to the last'
	type a i
	expect a 'red > try 1 > forensics' 'i opens what was captured'
	expect a 'not ok 1 - lamps' 'with what the verdict went by'
	type a q
	expect a 'LIVE' 'q closes it'
}

test_P5_a_second_program_reads_and_writes_the_same_log() {
	open b 110 34
	type b "'$devs'" Enter
	expect b 'backoff *limit' 'a second devs shows the same run'
	"$devs" retry 1/limit >out 2>&1
	want 'a third one asks for a retry' $? 0
	expect a 'passed *limit' 'the first does it and shows it'
	expect b 'passed *limit' 'the second shows it too'
}

test_P6_runs_are_watched_cancelled_and_played_back() {
	type b g j
	expect b '▸.*think' 'the one that does not end'
	type b x
	expect b 'Cancel think' 'x asks'
	cancel_is_taken() { # the prompt ignores keys at first
		type b t
		shows b 'cancelled *think'
	}
	until_true 60 cancel_is_taken
	expect a 'cancelled *think' 'it is cancelled by hand'
	type b q
	expect b 'shell>' 'q leaves'
	type a q
	expect a 'devs replay 1' 'how to play it back is said at the end'
	want 'no agent is left' "$(pgrep -f "$dir/bin/claude" | wc -l)" 0
	open r 110 34
	type r "clear; '$devs' debug --logs 1" Enter
	expect r 'REPLAY' 'a past run is played back'
	type r 0
	expect r 'event [01] of' 'from its start'
	type r '$'
	expect r 'cancelled *think' 'to its end'
	expect r 'passed *limit' 'as it was'
	type r q
	expect r 'shell>' 'q leaves'
}

test_P1_agents_are_watched_and_steered_in_a_terminal
test_P3_the_engine_is_a_thread_beside_the_screen
test_P4_panes_show_phase_tries_countdown_class_and_forensics
test_P5_a_second_program_reads_and_writes_the_same_log
test_P6_runs_are_watched_cancelled_and_played_back
finish
