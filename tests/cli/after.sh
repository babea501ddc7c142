#!/bin/sh
# Commands that follow the ends of tasks: the plan's `after`. usage: after.sh DEVS
. "$(dirname "$0")/check.sh"
command -v git >/dev/null || exit 77
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1
export TOKEN=s3cr3t-value

# facts: task, what it followed, exit code and the beginning of the reason, from the log
facts() {
	"$devs" debug --logs last --json | python3 -c '
import json, sys
for line in sys.stdin:
    event = json.loads(line)
    if event["kind"] == "after_ended":
        data = event.get("data", event)
        print(event["task"], data["after"], data.get("code"), (data.get("why") or "")[:30])'
}

fresh_repository
cat >plan.json <<-'PLAN'
	{"version": 1, "workspace": "worktree", "jobs": 1, "after": {
	  "kept": ["sh", "-c", "echo \"$DEVS_NUMBER|$DEVS_TASK|$DEVS_TITLE|$DEVS_AFTER|$1|$2|$(pwd)\" >>said",
	           "sh", "{branch}", "{title}{}{task"],
	  "failed": ["sh", "-c", "echo \"$DEVS_TASK $1\" >>said; echo no $TOKEN >&2; exit 3", "sh", "{why}"]},
	 "tasks": [
	  {"id": "a", "title": "the $first one", "steps": [{"run": ["true"]}]},
	  {"id": "b", "steps": [{"run": "echo FATAL; exit 1", "shell": true, "policy": {"max_attempts": 1}}]},
	  {"id": "c", "needs": ["b"], "steps": [{"run": ["true"]}]}]}
PLAN
git add plan.json
git commit -qm plan
want_in 'dry run' "$("$devs" run --dry-run plan.json)" '(after kept)'
"$devs" run --plain plan.json >run.log 2>&1
want 'the run fails as without' "$?" 1
want 'what they got' "$(cat said)" "1|a|the \$first one|kept|devs/1/a|the \$first one{}{task|$PWD
b exit 1, rule default (gave up)"
want 'in the log' "$(facts)" "$(printf 'a kept 0 \nb failed 3 sh: no [cut:TOKEN] (exit 3)')"
want_in 'why' "$("$devs" why last/b)" 'after failed: sh -c'
want 'the secret' "$(grep -c s3cr3t run.log)" 0

: >said
"$devs" retry last/b >/dev/null
tries=0
until [ -s said ] || [ $((tries += 1)) -gt 300 ]; do sleep 0.1; done
want 'after a retry, once more' "$(cut -d' ' -f1 said)" b

# Killed while a command runs: that one is ended and repeated, those that have ended are not.
cat >plan.json <<-'PLAN'
	{"version": 1, "workspace": "worktree", "jobs": 1, "after": {
	  "kept": ["sh", "-c", "echo $DEVS_TASK >>ran; until [ -e go ] || [ $DEVS_TASK = a ]; do sleep 0.1; done; echo $DEVS_TASK >>over"]},
	 "tasks": [{"id": "a", "steps": [{"run": ["true"]}]}, {"id": "b", "steps": [{"run": ["true"]}]},
	           {"id": "c", "steps": [{"run": ["true"]}]}]}
PLAN
"$devs" run --plain plan.json >run.log 2>&1 &
run=$!
until_ran() {
	tries=0
	until [ "$(grep -c . ran 2>/dev/null)" = "$1" ] || [ $((tries += 1)) -gt 300 ]; do sleep 0.1; done
}
until_ran 2
kill -9 $run
wait $run 2>/dev/null
"$devs" run --continue 2 --plain >run.log 2>&1 &
run=$!
until_ran 3
: >go
wait $run
want 'continued' "$?" 0
want 'no command runs beside its repetition' "$(sort over)" "$(printf 'a\nb\nc')"
want 'each command' "$(sort ran)" "$(printf 'a\nb\nb\nc')"

# A program that is not there is named, and the next command runs.
sed -i 's/"sh", "-c", .*/"no-such-program"]},/' plan.json
want 'exit' "$("$devs" run --plain plan.json >run.log 2>&1; echo $?)" 0
want_in 'why' "$(facts | sort -u | head -n 1)" 'a kept None'

finish
