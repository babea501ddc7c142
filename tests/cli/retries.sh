#!/bin/sh
# devs debug --diff and --retries: what was other the second time, and does trying again help.
. "$(dirname "$0")/check.sh"

fresh_repository
mkdir src
echo 'int a;' >src/tax.c
git add . && git commit -qm first
cat >try.sh <<'SH'
n=$(cat "$COUNT" 2>/dev/null || echo 0)
echo $((n + 1)) >"$COUNT"
echo "$n" >>src/tax.c
test "$n" = 1 && echo more >src/more.c
echo "12:00:0$n build took 0.$n s"
for i in 1 2 3 4 5 6 7 8; do echo "ok $i - fine"; done
echo "not ok 9 - rounds half, got 20.0$n"
test "$n" -ge 2
SH
git add . && git commit -qm second
export COUNT="$dir/count"
cat >plan.json <<'PLAN'
{"version": 1, "name": "shop", "idempotent": true,
 "policies": {"thrice": {"like": "default", "max_attempts": 3, "base_delay_ms": 1}},
 "tasks": [{"id": "tax", "workspace": "worktree", "steps": [{"policy": "thrice", "run": ["sh", "try.sh"]}]},
           {"id": "bad", "steps": [{"policy": "thrice", "shell": true, "run": "echo no; exit 3"}]}]}
PLAN
"$devs" run --plain plan.json >/dev/null 2>&1

out=$("$devs" debug --diff tax#1 2)
want 'diff: exit' $? 0
want_in 'diff: whose' "$out" '#1/tax try 1 of GREEN               #1/tax try 2 of GREEN'
want_in 'diff: class' "$out" 'class    test-fail (persistent, TEST_FAILURE)'
want_in 'diff: what was decided' "$out" 'then     tries again after'
want_in 'diff: what is new' "$out" '1 of its 10 lines; new .10'
want_in 'diff: clocks and durations are masked' "$out" 'masked as <word>: times, durations'
want_in 'diff: lines' "$out" '- not ok 9 - rounds half, got 20.00
+ not ok 9 - rounds half, got 20.01'
want_in 'diff: a path of the second only' "$out" '+ A src/more.c'
want_in 'diff: the patches' "$out" '+ +more'
want 'diff: the last two without a number' "$("$devs" debug --diff bad | head -1)" \
	'         #1/bad try 2 of GREEN               #1/bad try 3 of GREEN'
want_in 'diff: the same result' "$("$devs" debug --diff bad)" 'nothing: same result'
want 'diff: of two tasks' "$("$devs" debug --diff tax#1 1/bad#2 | head -1)" \
	'         #1/tax try 1 of GREEN               #1/bad try 2 of GREEN'
out=$("$devs" debug --diff tax#1 '#2' --json)
want_in 'diff: json' "$out" '"new_lines":1,"lines":10,"masked":["times","durations"]'
want_in 'diff: json, the lines' "$out" '{"line":10,"removed":"not ok 9 - rounds half, got 20.00"}'
fails 'diff: one try alone' 2 'comment' debug --diff tax#1
fails 'diff: no such try' 2 'has had 3 tries' debug --diff tax#1 9

out=$("$devs" debug --retries)
want 'retries: exit' $? 0
want_in 'retries: the runs' "$out" '1 run, 6 tries, 5 failed'
want_in 'retries: a class' "$out" 'test-fail          2     2      1   too few to say'
want_in 'retries: where the time went' "$out" 'time: '
want 'retries: no chance of few' "$("$devs" why bad | grep -c chance)" 0

# Ten tasks more of each, and there is enough to say.
tasks=
for i in 1 2 3 4 5 6 7 8 9 10; do
	tasks="$tasks,{\"id\": \"bad$i\", \"steps\": [{\"policy\": \"thrice\", \"shell\": true,
		\"run\": \"echo no; exit 3\"}]}"
	tasks="$tasks,{\"id\": \"tax$i\", \"steps\": [{\"policy\": \"thrice\", \"shell\": true,
		\"run\": \"echo x >>n$i; echo 'not ok 1 - half'; test \\\"\$(wc -l <n$i)\\\" = 3\"}]}"
done
cat >many.json <<PLAN
{"version": 1, "name": "many", "idempotent": true, "jobs": 4,
 "policies": {"thrice": {"like": "default", "max_attempts": 3, "base_delay_ms": 1}},
 "tasks": [${tasks#,}]}
PLAN
"$devs" run --plain many.json >/dev/null 2>&1
out=$("$devs" debug --retries)
want_in 'retries: enough' "$out" 'exit 3            33    22      0    0% (0 to 15%)'
want_in 'retries: where it stops' "$out" 'tries 2 to 3 passed 0 of 22'
want_in 'retries: some pass' "$out" 'test-fail         22    22     11   50% (31 to 69%)'
want_in 'retries: of some runs' "$("$devs" debug --retries 2)" '1 run, 60 tries, 50 failed'
want_in 'retries: of a file' "$("$devs" debug --retries .devs/devs.db)" '2 runs, 66 tries'
want_in 'retries: json' "$("$devs" debug --retries --json)" \
	'{"class":"exit 3","failed":33,"again":22,"passed":0,"enough":true,"share":0,"low":0,'
want_in 'chance: in why' "$("$devs" why bad)" 'chance     0% that try 4 passes (0 of 22 similar tries: exit 3)'
want_in 'chance: for programs' "$("$devs" why bad --json)" '"chance":{"attempt":4,"again":22,"passed":0,'
exits 'retries: no such run' 66 debug --retries 99

# --- two runs: what went otherwise
mkdir "$dir/pair" && cd "$dir/pair" || exit 1
unset DEVS_DB
task() { printf '{"id": "%s", "steps": [{"policy": "transport", "run": ["%s", "-e", "ok"]}]}' "$1" "$2"; }
for last in b c; do
	printf '{"version": 1, "idempotent": true, "tasks": [%s, %s, %s]}' "$(task same true)" \
		"$(task a test)" "$(task $last true)" >plan.json
	"$devs" run --plain plan.json >/dev/null 2>&1
	touch ok
done
out=$("$devs" debug --diff 1 2)
want 'diff of runs: exit' $? 0
want_in 'diff of runs: each of them' "$out" '          #1 plan                           #2 plan
started   '
want_in 'diff of runs: their tasks' "$out" 'passed    2 of 3 tasks                      3 of 3 tasks
failed    1                                 0
tries '
want 'diff of runs: what went otherwise, and is in one alone' "$(echo "$out" | sed '1,/^$/d; s/ *$//')" \
	'in both runs: 2 tasks, 1 of them with the same state, class and number of tries
only in #1 (-): 1 task
only in #2 (+): 1 task

  a    gave-up exit 1, 1 try         passed, 1 try
- b    passed, 1 try                 —
+ c    —                             passed, 1 try'
want_in 'diff of runs: json' "$("$devs" debug --diff 1 '#2' --json)" '"same":1,"different":1,"tasks":[{"task":"a","first":{"status":"'
want 'diff of runs: with itself' "$("$devs" debug --diff 2 last | tail -n 1)" \
	'in both runs: 3 tasks, each with the same state, class and number of tries'
"$devs" debug --diff last >/dev/null 2>err.out
want 'diff of runs: with which other one?' "$? $(cat err.out)" \
	"2 devs: 'last' is a run: missing the other run, or a task
hint: use devs debug --diff last RUN, or last/TASK"
want 'last/TASK: of the newest run' "$("$devs" why last/c | head -1)" "$("$devs" why 2/c | head -1)"
echo '{"version": 1, "idempotent": true, "tasks": [{"id": "d", "steps": [{"run": ["sleep", "30"]}]}]}' >plan.json
for named in last/d last; do
	"$devs" run --plain plan.json >/dev/null 2>&1 &
	until_true 60 sh -c '"$1" status last | grep -q "running  *d "' sh "$devs"
	"$devs" cancel "$named" --kill >/dev/null
	wait $!
done
for named in last 4; do
	want "a run of one task needs no name of it: $named" "$("$devs" why $named | head -1)" "$("$devs" why 4/d | head -1)"
	want "nor for its output: $named" "$("$devs" log $named 2>&1)" "$("$devs" log 4/d 2>&1)"
done
want_in 'diff of runs: what was cancelled is counted' "$("$devs" debug --diff 3 last)" \
	'failed    0                                 0
cancelled 1                                 1
tries '
"$devs" debug --diff 1 9 >/dev/null 2>&1
want 'diff of runs: no such run: exit' $? 66
finish
