#!/bin/sh
# devs verify: a run that is decided in the same way, and changes that make a difference.
. "$(dirname "$0")/check.sh"

cat >plan.json <<'PLAN'
{"version": 1, "name": "mix", "idempotent": true, "jobs": 1,
 "policies": {"fast": {"like": "default", "max_attempts": 3, "base_delay_ms": 1}},
 "tasks": [
  {"id": "ok", "steps": [{"run": ["true"]}]},
  {"id": "flux", "steps": [{"policy": "fast", "shell": true,
    "run": "echo 'the flux capacitor is empty' >&2; exit 1"}]},
  {"id": "after", "needs": ["flux"], "steps": [{"run": ["true"]}]}]}
PLAN
"$devs" run --plain plan.json >out 2>&1
want 'the run gives up' $? 1

out=$("$devs" debug --verify 2>err)
want 'the same: exit' $? 0
want 'nothing on stderr without a terminal' "$(cat err)" ''
want_in 'all decisions' "$out" 'decisions  12 of 12 the same'
want_in 'all verdicts, by both' "$out" "verdicts   4 of 4 the same with the current rules"
want_in 'what is taken as it is said' "$out" '4 digests of calls: their environments are not in the log'
want_in 'as an object' "$("$devs" debug --verify 1 --json)" '"same":true,"decisions":{"events":'

# --- rules of today that judge otherwise
cat >devs.config.json <<'CONFIG'
{"rules": [{"name": "flux", "verdict": "transient", "type": "API_RATE_LIMIT",
  "pattern": "^the flux capacitor is empty"}]}
CONFIG
out=$("$devs" debug --verify 1)
want 'other rules alone: exit' $? 0
want_in 'by its own rules it is the same' "$out" "4 of 4 the same with the run's rules"
want_in 'by others it is not' "$out" "1 of 4 the same with the current rules"
want_in 'and which' "$out" 'this build  rate-limit (rule flux)'
"$devs" debug --verify 1 --rules >out
want 'with --rules: exit' $? 3
want_in 'the object says by whose rules' "$("$devs" debug --verify 1 --rules --json)" \
	'"task":"flux","step":1,"attempt":1,"rules":"today","was":"exit 1 (rule default)","is":"rate-limit (rule flux)"'
rm devs.config.json

# --- what is recorded is not what would be decided
if command -v sqlite3 >/dev/null; then
	sqlite3 .devs/devs.db "UPDATE plan SET text=replace(text, '\"max_attempts\": 3', '\"max_attempts\": 2')"
	out=$("$devs" debug --verify 1)
	want 'another policy: exit' $? 3
	want_in 'first difference' "$out" 'first difference'
	want_in 'where' "$out" 'flux try 1'
	want_in 'what was recorded' "$out" 'recorded    [RETRY] attempt 1/2'
	want_in 'what is decided now' "$out" 'this build  [RETRY] attempt 1/1'
	want_in 'in what' "$out" 'differs in  allowed 3, now 2'
	want_in 'on what' "$out" 'attempt_ended'
fi

# --- several runs
"$devs" debug --verify 1 >out
code=$?
"$devs" exec -- true
exits 'no such run' 66 debug --verify 7
out=$("$devs" debug --verify 1/ok 2>&1)
want 'a task: exit' $? 2
want_in 'a task is no run' "$out" "'1/ok' is not a run"
out=$("$devs" debug --verify 1 all)
want 'several runs: exit' $? "$code"
want_in 'several runs: each' "$out" 'run #2: 3 of 3 decisions and 1 of 1 verdicts the same'
exits 'rules of nothing' 2 debug --logs --rules

# --- the command of its own
for words in '' 1 '1 --json' '1 --rules' 'all --json' ./.devs/devs.db; do
	same_as_debug verify verify "$words"
done
fails 'devs verify: no such run' 66 'no run #7' verify 7
fails 'devs verify: a task' 2 "'1/ok' is not a run" verify 1/ok
fails 'devs verify: options of others' 2 "unknown option '--plain'" verify 1 --plain
finish
