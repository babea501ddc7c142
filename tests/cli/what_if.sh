#!/bin/sh
# Other policies on runs that are over: what they would have decided, and what nobody can know.
. "$(dirname "$0")/check.sh"

cat >fourth.sh <<'SH'
n=$(cat "$1" 2>/dev/null || echo 0)
echo $((n + 1)) >"$1"
echo "not ok $n - rounds half to even"
[ "$n" -ge 3 ]
SH
cat >never.sh <<'SH'
echo x >>"$1"
echo "not ok - $(sed -n "$(wc -l <"$1")p" words)"
exit 1
SH
printf '%s\n' apples rain the-door a-long-way nobody seven >words
cat >limit.sh <<'SH'
[ -e "$1" ] && exit 0
touch "$1"
printf 'HTTP/1.1 429 Too Many Requests\nRetry-After: 0\n' >&2
exit 1
SH
cat >plan.json <<'PLAN'
{"version": 1, "name": "tried", "idempotent": true, "jobs": 2,
 "policies": {"mine": {"like": "default", "max_attempts": 5, "base_delay_ms": 20, "cap_ms": 60,
                       "jitter": 0.5}},
 "policy": "mine",
 "tasks": [
 {"id": "late", "steps": [{"phase": "GREEN", "run": ["sh", "fourth.sh", "n"]}]},
 {"id": "then", "needs": ["late"], "steps": [{"phase": "GREEN", "run": ["true"]}]},
 {"id": "never", "steps": [{"phase": "GREEN", "run": ["sh", "never.sh", "m"]}]},
 {"id": "lim", "steps": [{"phase": "GREEN", "source": "api", "run": ["sh", "limit.sh", "l"]}]},
 {"id": "red", "steps": [{"phase": "RED", "expect": "failure", "run": ["false"]},
                         {"phase": "GREEN", "run": ["true"]}]}]}
PLAN
"$devs" run --plain plan.json >/dev/null 2>&1
rm -f n l m
"$devs" run --plain plan.json >/dev/null 2>&1

# --- the policies that it had: nothing differs
echo '{}' >same.json
out=$("$devs" debug --what-if same.json 1-2)
want 'the recorded policy: exit' $? 0
want_in 'the recorded policy: all the same' "$out" 'no decision differs: all '
echo '{"policies": {"mine": {"max_attempts": 5, "cap_ms": 60}}, "ui": {}}' >config.json
out=$("$devs" debug --what-if config.json all --json)
want 'a devs.config.json: exit' $? 0
want_in 'a devs.config.json: of all runs' "$out" '"runs":2'
want_in 'a devs.config.json: nothing differs' "$out" '"differ":0'

# --- fewer tries
echo '{"max_attempts": 2}' >fewer.json
out=$("$devs" debug --what-if fewer.json 1)
want 'fewer tries: exit' $? 3
want_in 'fewer tries: what is tried' "$out" 'policy B: 2 tries (fewer.json)'
want_in 'fewer tries: a task ends' "$out" 'late after try 2: gave-up; 2 tries not run: #3 to #4'
want_in 'fewer tries: what needs it' "$out" 'then: blocked, a task that it needs does not pass'
want_in 'fewer tries: why' "$out" '2 of 2 tries used'
out=$("$devs" debug --what-if fewer.json --json)
want_in 'without a run it is the newest' "$out" '"run":2'
want_in 'json: with the recorded policy nothing differs' "$out" '"differ_unchanged":0'
want_in 'json: the first difference' "$out" '"recorded":{"decision":"wait","delay_ms":'

# --- more tries: what never happened is not made up
echo '{"policies": {"mine": {"max_attempts": 9}}}' >more.json
out=$("$devs" debug --what-if more.json 1)
want 'more tries: exit' $? 3
want_in 'more tries: not known' "$out" 'never after try 5: continues; the log cannot show how'

# --- several runs
out=$("$devs" debug --what-if fewer.json all)
want 'several: exit' $? 3
want_in 'several: sums' "$out" 'what-if: 2 runs'
want_in 'several: those that change most' "$out" 'runs that change most:'
out=$("$devs" debug --what-if fewer.json ./.devs/devs.db 2)
want_in 'a log by its file' "$out" 'what-if: run #2 tried'

# --- what is wrong
echo '{"max_attempt": 2}' >wrong.json
out=$("$devs" debug --what-if wrong.json 1 2>&1)
want 'a wrong file: exit' $? 2
want_in 'a wrong file: its place' "$out" '/max_attempt: '
want_in 'a wrong file: nothing would have been started anyway' "$out" \
	'wrong.json: 1 error, nothing was examined'
"$devs" debug --what-if none.json 1 >out 2>&1
want 'no file: exit' $? 66
want_in 'no file: its name' "$(cat out)" 'none.json: '
"$devs" debug --what-if fewer.json 99 >out 2>&1
want_in 'no run: its number' "$(cat out)" '#99'
"$devs" debug --what-if fewer.json late >out 2>&1
want 'no run: exit' $? 2

# --- the command of its own
for words in 'same.json 1-2' 'fewer.json 1' 'fewer.json --json' 'more.json all --json' \
	'fewer.json ./.devs/devs.db 2'; do
	same_as_debug what-if what-if "$words"
done
fails 'devs what-if: no file' 2 'what-if: missing argument: devs what-if POLICY.json [RUN...]' what-if
fails 'devs what-if: a file that is not there' 66 'none.json: ' what-if none.json 1
finish
