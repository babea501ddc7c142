#!/bin/sh
# devs debug --forensics: what was captured of a try's end, and why what is missing is missing.
. "$(dirname "$0")/check.sh"

export MY_API_KEY=planted-value-0123456789
git init -q . && echo one >a.txt && git add a.txt &&
	git -c user.name=a -c user.email=a@b commit -qm first
cat >tax.sh <<'SH'
echo "rate of 429 things"
printf 'not ok 3 - \033[31mrounds\033[0m half\n# tests 14\n# pass 13\n# fail 1\n'
echo two >a.txt
echo oops >&2
exit 1
SH
cat >plan.json <<'PLAN'
{"version": 1, "name": "shop", "idempotent": true,
 "policies": {"twice": {"like": "default", "max_attempts": 2, "base_delay_ms": 1}},
 "tasks": [{"id": "tax", "steps": [{"policy": "twice", "run": ["sh", "tax.sh"]}]},
           {"id": "gone", "steps": [{"policy": "twice", "run": ["sh", "-c", "kill -SEGV $$"]}]},
           {"id": "late", "steps": [{"policy": "twice", "timeout_s": 1, "run": ["sleep", "60"]}]},
           {"id": "fine", "steps": [{"run": ["true"]}]}]}
PLAN
"$devs" run --plain plan.json >/dev/null 2>&1

out=$("$devs" debug --forensics tax)
want 'exit code' $? 0
want_in 'whose it is' "$out" '#1/tax try 2'
want_in 'the head' "$out" 'exit 1  test-fail  '
want_in 'the rule' "$out" 'why         rule test.tap at out:'
want_in 'a rule that lost' "$out" 'its keyword is present, its pattern does not match'
want_in 'the evidence' "$out" '  > not ok 3 - rounds half'
want_in 'the same fault' "$out" 'same        also in try 1; no other task'
want_in 'who ended it' "$out" 'ended by    itself'
want_in 'the command' "$out" '  sh tax.sh'
want_in 'the folder' "$out" "folder      $(pwd -P)"
want_in 'names of the environment' "$out" 'MY_API_KEY'
want 'no value of it' "$(echo "$out" | grep -c 'planted-value')" 0
want_in 'the commit' "$out" "commit      $(git rev-parse HEAD) on "
want_in 'in place: what git says of the tree' "$out" '  M  a.txt'
want_in 'in place: and what that means' "$out" 'includes changes made before the attempt'
want_in 'which names are secrets' "$out" 'of these, secrets'
want_in 'the end of stdout, with times' "$out" '  # fail 1'
want_in 'the end of stderr' "$out" '  oops'
want_in 'the test report' "$out" 'tests       1 failed, 13 passed, 14 total'
want_in 'what was left' "$out" 'left        0'
want_in 'versions' "$out" 'versions    devs '
want 'no escape sequence' "$(printf '%s' "$out" | grep -c "$(printf '\033')")" 0

want_in 'a signal by name' "$("$devs" debug --forensics gone)" 'signal      SEGV'
want_in 'who sent it' "$("$devs" debug --forensics gone)" 'ended by    kernel ('
want_in 'a timeout is ours' "$("$devs" debug --forensics late)" 'ended by    devs (it timed out)'

# --- tries that were tried again, passed, or are not there
out=$("$devs" debug --forensics 1/tax --try 1)
want_in 'no capture says so' "$out" 'Try 1 did not end its step: nothing was captured'
want_in 'the log has its verdict' "$out" 'why         rule test.tap at out:'
want_in 'what was not captured' "$out" '- environment not captured'
want_in 'what passed' "$("$devs" debug --forensics fine)" 'Try 1 passed: passing tries are not captured'
fails 'a try that is not there' 2 'had 2 tries' debug --forensics tax --try 3
"$devs" debug --forensics fine --try 9 >/dev/null 2>err.out
want 'of one try there is no range' "$(cat err.out)" "devs: expected 1, not '9'
hint: step 1 has had 1 try"
fails 'no task' 2 'missing task' debug --forensics
exits 'no such task' 66 debug --forensics nothing

# --- for programs
out=$("$devs" debug --forensics tax --json)
want_in 'json: whose' "$out" '{"v":1,"run":1,"task":"tax","step":1,"attempt":2,"captured":true'
want_in 'json: the capture' "$out" '"capture":{"v":1,"part":1,"task":"tax"'
want_in 'json: the report' "$out" '"tests":{"form":"tap","passed":13,"failed":1,"total":14'
want_in 'json: the sender' "$out" '"sender":"itself"'
out=$("$devs" debug --forensics tax --try 1 --json)
want_in 'json: none' "$out" '"captured":false'
want_in 'json: and why' "$out" '"why":"Try 1 did not end its step'

# --- why points to it
want_in 'why: where more is' "$("$devs" why tax)" 'devs debug --forensics 1/tax --try 2'
want 'why: nothing more of a try without a capture' \
	"$("$devs" why tax --try 1 | grep -c -- '--forensics')" 0
finish
