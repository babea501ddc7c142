#!/bin/sh
# The records of runs as text and JSON: which are wanted, of which runs, and what reads them.
. "$(dirname "$0")/check.sh"

cat >plan.json <<'PLAN'
{"version": 1, "name": "records", "jobs": 1, "idempotent": true,
 "policies": {"quick": {"like": "transport", "max_attempts": 2, "base_delay_ms": 1, "jitter": 0}},
 "tasks": [
  {"id": "net", "steps": [{"phase": "GREEN", "policy": "quick",
   "run": ["sh", "-c", "echo 'curl: (56) Recv failure: Connection reset by peer' >&2; exit 56"]}]},
  {"id": "ok", "steps": [{"phase": "GREEN", "run": ["printf", "\u00e4 \"x\"\\n"]}]}]}
PLAN
"$devs" run --plain plan.json >/dev/null 2>&1
"$devs" exec true 2>/dev/null

lines() { "$devs" debug --logs "$@" | wc -l; }

# --- which records
all=$(lines 1)
want 'all of them, as text and as JSON' "$(lines 1 --json)" "$all"
want 'a level' "$(lines 1 --level error)" 1
want 'a kind' "$(lines 1 --kind attempt_started)" 3
want 'several kinds' "$(lines 1 --kind attempt_started,step_ended --kind run_ended)" 6
want 'a task' "$("$devs" debug --logs 1 --task ok --json | grep -vc '"task":"ok"')" 0
want 'several tasks' "$(lines 1 --task ok --task net --kind step_ended)" 2
want 'a task by its target' "$(lines 1/ok --kind step_ended)" 1
want_in 'words' "$("$devs" debug --logs 1 --grep 'TRANSIENT RETRY\] attempt 1/1')" 'taskId=net'
want 'words, as JSON' "$(lines 1 --json --grep '^net .*RETRY')" 1
want 'from a record on' "$("$devs" debug --logs 1 --since '#3' --json | head -n 1 | grep -c '"seq":3,')" 1
want 'until a record' "$(lines 1 --until '#3')" 3
want 'from a try on' "$("$devs" debug --logs 1 --since 'net try 2' --json | head -n 1 | grep -c '"kind":"attempt_started".*"attempt":2')" 1
want 'until a time' "$(lines 1 --until -1h)" 0
want 'from a time on' "$(lines 1 --since -1h)" "$all"

# a record is one line, whatever a program is called with
"$devs" exec -- sh -c "true
true # $(printf 'a\rb\033[2Jc')" 2>/dev/null
want 'as many lines as objects' "$(lines 3)" "$(lines 3 --json)"
want 'each begins with its time' "$("$devs" debug --logs 3 | grep -vc '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9] ')" 0
want 'no control byte' "$("$devs" debug --logs 3 | tr -d '\n' | LC_ALL=C tr -dc '[:cntrl:]' | wc -c)" 0

# --- of which runs
want 'several runs, the oldest first' \
	"$("$devs" debug --logs 2 1 --json | sed -n 's/.*"run":\([0-9]*\),.*"kind":"run_started".*/\1/p' | tr '\n' ' ')" '1 2 '
want 'all runs' "$(lines all --kind run_ended)" 3
want 'a range of runs' "$(lines 1-2 --kind run_ended)" 2
want 'a line of several says of which' "$("$devs" debug --logs 1-2 --kind run_ended | cut -c 1-3 | tr '\n' ' ')" '#1  #2  '
want 'without a run the newest' "$("$devs" debug --logs --json | grep -vc '"run":3,')" 0

# --- mistakes are said
# refused NAME CODE PART WORD...
refused() {
	name=$1 code=$2 part=$3
	shift 3
	"$devs" debug "$@" >out 2>err
	want "$name: exit" $? "$code"
	want_in "$name" "$(cat err)" "$part"
}
refused 'no such kind' 2 'did you mean wait_started?' --logs 1 --kind wait_start
refused 'no such level' 2 "unknown level 'loud'" --logs 1 --level loud
refused 'no such task' 66 "run #1 has no task 'tax'" --logs 1 --task tax
refused 'a pattern that is none' 2 '--grep: pattern, byte' --logs 1 --grep '('
refused 'a time that is none' 2 "'soon' is not a time" --logs 1 --since soon
refused 'no such file' 66 "no such file 'nofile.devs'" --logs nofile.devs
refused 'no such file in a folder' 66 "no such file 'no/file'" --logs no/file
refused 'no such run' 66 'no run #9' --logs 9 --json
refused 'what cannot be combined with it' 2 'debug --logs: --try cannot be used here' --logs 1 --try 2
refused 'what cannot be combined with it, either' 2 'debug --forensics: --follow cannot be used here' --forensics ok --follow
refused 'a run without a mode' 2 'hint: use devs replay 3; ' 3
refused 'a task without a mode' 2 'hint: use devs debug --forensics 1/net; ' 1/net
refused 'follow is of one run' 2 '--follow needs a single run' --logs all --follow

# --- the command of its own
for words in '' 1 '1 --json' '2 1 --json' 'all --kind run_ended' '1/net --plain' '--level error' \
	'1 --since #3 --until end' '1 --frame 80x24' '1 --frame 80x24 --svg --replay' ./.devs/devs.db; do
	same_as_debug logs replay "$words"
done
fails 'devs replay: no such run' 66 'no run #9' replay 9
fails 'devs replay: one frame of one task' 2 'replay --frame: only one --task can be selected' \
	replay 1 --frame 80x24 --task ok --task net
fails 'devs replay: an option that a frame does not have' 2 'replay --frame: --kind cannot be used here' \
	replay 1 --frame 80x24 --kind run_ended
fails 'devs replay: an option that only a frame has' 2 'replay: --svg cannot be used here' replay 1 --svg
fails 'devs replay: a moment of lines' 2 'replay: --at and --view apply to the screen' replay 1 --at start
fails 'devs replay: options of other modes' 2 "unknown option '--marks'" replay --marks

# --- a live run is followed to its end, and ^C ends the follower alone
cat >slow.json <<'PLAN'
{"version": 1, "idempotent": true, "tasks": [{"id": "s", "steps": [
 {"run": ["sh", "-c", "until [ -e go ]; do sleep 0.05; done"]}]}]}
PLAN
"$devs" run --plain slow.json >slow.out 2>&1 &
run=$!
until_true 60 grep -q 'running, pid' slow.out
"$devs" debug --logs 4 --json --follow >followed &
follower=$!
until_true 60 grep -q attempt_running followed
"$devs" debug --logs 4 --plain --follow >cut &
cut=$!
until_true 60 grep -q 'running, pid' cut
kill -TERM "$cut"
wait "$cut"
want 'a follower is ended by a signal' $? 143
want 'its lines are whole' "$(tail -c 1 cut | od -An -c | tr -d ' ')" '\n'
: >go
wait "$run"
want 'the run goes on without it' $? 0
wait "$follower"
want 'a follower ends with the run' $? 0
want 'and has all of it' "$(wc -l <followed)" "$(lines 4 --json)"
want_in 'to its end' "$(tail -n 1 followed)" '"kind":"run_ended"'

# --- what a try wrote, by time
"$devs" exec -- sh -c 'echo first; printf half; exec >&2; echo second' >/dev/null 2>&1
"$devs" log exec --times >timed
want 'each line has its time and its stream' "$(grep -vcE '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{3} (out|err) ' timed)" 0
want 'a line that has no end is ended' "$(sed 's/^[^ ]* //' timed | sort | tr '\n' ',')" 'err second,out first,out half,'

# --- who reads them
"$devs" debug --logs all --json >all.jsonl
if command -v python3 >/dev/null; then
	want 'python reads each record' "$(python3 -c 'import json, sys
print(sum(json.loads(line)["v"] for line in sys.stdin))' <all.jsonl)" "$(wc -l <all.jsonl)"
else
	echo 'not looked at: python3 is not here'
fi
if command -v lnav >/dev/null; then
	mkdir -p "$dir/home/config"
	lnav() { HOME="$dir/home" XDG_CONFIG_HOME="$dir/home/config" command lnav "$@"; }
	"$devs" debug --lnav-format >devs_log.json
	want_in 'lnav takes the format' "$(lnav -i devs_log.json 2>&1)" 'installed'
	ask() { lnav -n -c ";$1" -c ':write-csv-to -' all.jsonl 2>&1 | tail -n 1; }
	want 'lnav has each record' "$(ask 'SELECT count(*) FROM devs_log')" "$(wc -l <all.jsonl)"
	want 'lnav has the level, and the task as id of an operation' \
		"$(ask "SELECT log_level, log_opid, attempt FROM devs_log WHERE kind='step_ended' AND task='net'")" 'error,net,2'
	want 'lnav has the time' "$(TZ=UTC ask \
		"SELECT count(*) FROM devs_log WHERE abs(strftime('%s', 'now') - strftime('%s', log_time)) < 3600")" \
		"$(wc -l <all.jsonl)"
else
	echo 'not looked at: lnav is not here'
fi
if command -v sqlite3 >/dev/null; then
	want 'sqlite3 opens the log as it is' \
		"$(sqlite3 -readonly .devs/devs.db "SELECT count(*) FROM event WHERE run=1")" "$all"
else
	echo 'not looked at: sqlite3 is not here'
fi
# --- a run that its devs left is followed to what there is of it
rm go
"$devs" run --plain slow.json >abandoned.out 2>&1 &
run=$!
until_true 60 grep -q 'running, pid' abandoned.out
"$devs" debug --logs --follow >left 2>said &
follower=$!
until_true 60 grep -q 'running, pid' left
kill -KILL "$run"
: >go
wait "$run"
wait "$follower"
want 'a follower of what is over ends' $? 0
want_in 'and says why' "$(cat said)" 'devs exited before the run ended; continue it with: devs run --continue'
finish
