#!/bin/sh
# Presets of loops: where they are shown, and how a step ends that always fails in the same way.
. "$(dirname "$0")/check.sh"

# plan LOOPS: writes plan.json
plan() {
	printf '%s' '{"version": 1, "idempotent": true, '"$1"'"tasks": [{"id": "a", "steps": [
 {"run": ["false"], "policy": {"like": "research", "max_attempts": 6, "base_delay_ms": 1,
  "multiplier": 1}}]}]}' >plan.json
}
# run LOOPS: runs such a plan
run() {
	plan "$1"
	"$devs" run --plain plan.json >out 2>&1
}

plan ''
want 'dry run without a preset' "$("$devs" run --dry-run plan.json | grep -c 'loops:')" 0
plan '"loops": "strict", '
out=$("$devs" run --dry-run plan.json)
want_in 'dry run' "$out" 'loops: strict
'
want_in 'dry run: the policy applies' "$out" 'stops after 3 equal results'
plan '"loops": {"preset": "off", "cycle_stop": 4}, '
out=$("$devs" run --dry-run plan.json)
want_in 'dry run: numbers over a preset' "$out" 'loops: off, cycle_stop 4
'
want 'dry run: off beats the policy' "$(echo "$out" | grep -c 'equal results')" 0

run ''
want 'without a preset: exit' $? 3
want 'without a preset: why' "$("$devs" why a | grep -c 'loops ')" 0
run '"loops": "strict", '
want 'strict: exit' $? 3
want_in 'strict: a hint at the second try' "$(cat out)" 'try 2/6 GREEN may be looping: same result 2 times'
want_in 'strict: why' "$("$devs" why a)" '  loops      strict
'
want_in 'strict: why --json' "$("$devs" why a --json)" '"loops":"strict"'
run '"loops": "off", '
want 'off: all tries are used' $? 1
want_in 'off: all tries are used' "$(cat out)" 'max retries exceeded after 6 of 6 attempts'
want 'off: no warning' "$(grep -c looping out)" 0
want_in 'off: why' "$("$devs" why a)" '  loops      off
'

# --- unknown presets
run '"loops": "of", '
want 'no such preset: exit' $? 2
want_in 'no such preset' "$(cat out)" '/loops: not one of the allowed values, did you mean "off"?'
echo '"of"' >limits.json
"$devs" entropy --limits limits.json </dev/null 2>err
want 'devs entropy: exit' $? 2
want 'devs entropy: one line' "$(cat err)" \
	'devs: limits.json: unknown preset "of"; expected "strict", "normal" or "off"'
finish
