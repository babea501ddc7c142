#!/bin/sh
# devs export --format bundle: one file, secrets cut, that opens read only wherever it lies.
. "$(dirname "$0")/check.sh"

cat >tax.sh <<'SH'
echo "plain words, and planted-value-0123456789 among them"
printf 'planted-val'; sleep 0.2; echo 'ue-0123456789 in two pieces'
echo 'not ok 3 - rounds half'
exit 1
SH
cat >plan.json <<'PLAN'
{"version": 1, "name": "shop", "idempotent": true,
 "policies": {"once": {"like": "default", "max_attempts": 1}},
 "tasks": [{"id": "tax", "steps": [{"policy": "once", "run": ["sh", "tax.sh"]}]},
           {"id": "fine", "steps": [{"run": ["echo", "well"]}]}]}
PLAN
"$devs" run --plain plan.json >/dev/null 2>&1
"$devs" run --plain plan.json >/dev/null 2>&1

# The value becomes a secret only after the run: the second pass has to find it.
want 'it is in the log' "$("$devs" log 1/tax | grep -c planted-value)" 2
out=$(MY_API_KEY=planted-value-0123456789 "$devs" export 1 --format bundle -o one.devs)
want 'exit' $? 0
want_in 'what is in it' "$out" '2 tasks, 2 tries, '
want_in 'what was cut' "$out" 'MY_API_KEY'
want_in 'how often' "$out" 'more cut now'
want_in 'where it is' "$out" 'devs replay one.devs opens it'
want 'mode' "$(stat -c %a one.devs)" 600
want 'nothing lies beside it' "$(ls -d one.devs* | wc -l)" 1
want 'no byte of the secret' "$(grep -c planted-value one.devs)" 0
out=$(MY_API_KEY=planted-value-0123456789 "$devs" export 1 --format bundle -o json.devs --json)
want_in 'json' "$out" '{"v":1,"run":1,"file":"json.devs","bytes":'
want_in 'json: secrets' "$out" '"secrets":{"MY_API_KEY":{"recorded":0,"now":'

# --- it opens, in a folder that cannot be written to as well
mkdir away && cp one.devs away/ && chmod 400 away/one.devs && chmod 500 away
out=$("$devs" status --db away/one.devs)
want 'status: exit' $? 0
want_in 'status' "$out" 'gave-up   tax'
want_in 'why' "$("$devs" why tax --db away/one.devs)" 'rule test.tap'
want_in 'log' "$("$devs" log tax --db away/one.devs)" 'plain words, and [cut:MY_API_KEY] among them'
want_in 'log: a secret in two pieces' "$("$devs" log tax --db away/one.devs)" '[cut:MY_API_KEY] in two pieces'
want 'runs: this one alone' "$("$devs" runs --db away/one.devs --json | wc -l)" 1
want_in 'records' "$("$devs" debug --logs ./away/one.devs --plain)" 'tax try 1/1 GREEN'
want_in 'forensics' "$("$devs" debug --forensics tax --db away/one.devs)" 'class       test-fail (persistent, TEST_FAILURE)'
want_in 'a frame' "$("$devs" debug --logs ./away/one.devs --frame 80x24)" 'gave-up   tax'
frame='debug --logs ./away/one.devs --frame 80x24'
want 'a frame in the C locale has ASCII only' \
	"$(LC_ALL=C "$devs" $frame | LC_ALL=C grep -c '[^ -~]')" 0
want_in 'a frame in UTF-8 has its signs' "$(LC_ALL=C.UTF-8 "$devs" $frame)" '▸✗ gave-up'
want 'nothing was left beside it' "$(ls away)" one.devs

# --- acts are refused
for act in 'cancel 1' 'retry 1/tax' 'hold 1' 'correct 1/tax network'; do
	# shellcheck disable=SC2086
	fails "$act" 2 'bundle: it is read only' $act --db one.devs
done
fails 'a run into it' 2 'bundle: it is read only' run --db one.devs plan.json
want 'still nothing beside it' "$(ls -d one.devs* | wc -l)" 1

# --- words for what cannot be
fails 'a file that is there' 2 "one.devs' already exists" export 1 --format bundle -o one.devs
exits 'no such run' 66 export 9 --format bundle
fails 'another format' 2 "unknown format 'pdf'" export 1 --format pdf
exits 'no format' 2 export 1
exits 'no such folder' 73 export 1 --format bundle -o no/such/folder/x.devs
want 'nothing half made is left' "$(ls -a | grep -c part)" 0

# --- a bundle of a bundle is one
"$devs" export 1 --format bundle --db one.devs -o two.devs >/dev/null
want 'again: exit' $? 0
want_in 'again' "$("$devs" status --db two.devs)" 'gave-up   tax'
chmod 700 away
finish
