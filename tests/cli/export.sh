#!/bin/sh
# devs export in each of its formats, opened by what reads them, and bookmarks.
shop_log=$2
. "$(dirname "$0")/check.sh"

"$shop_log" "$dir/devs.db" >/dev/null || exit 1
export DEVS_DB="$dir/devs.db" TZ=UTC TMPDIR="$dir"
run=$("$devs" runs --json | head -1 | sed 's/.*"run":\([0-9]*\).*/\1/')
events=$("$devs" runs --json | head -1 | sed 's/.*"events":\([0-9]*\).*/\1/')

# --- records
out=$("$devs" export "$run" --format jsonl)
want 'jsonl: exit' $? 0
want_in 'jsonl: words' "$out" "run #$run as run-$run.jsonl, "
want 'jsonl: an object for each event' "$(grep -c '^{"v":1,.*}$' "run-$run.jsonl")" "$events"
want 'jsonl: mode' "$(stat -c %a "run-$run.jsonl")" 600
"$devs" debug --logs "$run" --json >records.jsonl
want 'jsonl: the records of debug' "$(cmp "run-$run.jsonl" records.jsonl)" ''
want 'jsonl: to standard output' "$("$devs" export "$run" --format jsonl -o - | cmp - records.jsonl)" ''

# --- a trace, by the rules of the Trace Event Format
"$devs" export "$run" --format perfetto -o trace.json -y >/dev/null
want 'trace: exit' $? 0
if command -v python3 >/dev/null; then
	out=$(python3 - trace.json <<'PY'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
end = {}
for e in events:
    assert e["ph"] in "MXiC", e
    assert isinstance(e["pid"], int) and isinstance(e["tid"], int) and e["name"], e
    if e["ph"] != "M":
        assert isinstance(e["ts"], int) and e["ts"] >= 0, e
    if e["ph"] == "i":
        assert e["s"] in "tp", e
    if e["ph"] == "X":
        assert e["dur"] >= 0, e
        assert e["ts"] >= end.get(e["tid"], 0), ("slices overlap", e)
        end[e["tid"]] = e["ts"] + e["dur"]
names = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
tries = [e for e in events if e.get("cat") == "attempt"]
waits = [e for e in events if e.get("cat") == "wait"]
assert any(e["args"].get("class") == "test-fail" for e in tries)
assert not any("class" in e["args"] for e in tries if e["args"]["outcome"] == "exit 0")
assert all(e["args"]["formula"] for e in waits)
print(len([n for n in names if n.startswith("T-1")]), len(tries) > 10, len(waits) > 3,
      any(e["ph"] == "C" for e in events))
PY
	)
	want 'trace: threads, tries, waits, counters' "$out" '10 True True True'
else
	echo 'SKIPPED the trace: no python3 here'
fi

# --- a recording
"$devs" export "$run" --format asciicast -o day.cast --speed 16 --size 60x20 -y >/dev/null
want 'cast: exit' $? 0
want_in 'cast: header' "$(head -1 day.cast)" '{"version":2,"width":60,"height":20,"timestamp":'
want 'cast: nothing else than output' "$(tail -n +2 day.cast | grep -cv '^\[[0-9.]*,"o",".*"\]$')" 0
want 'cast: time goes on' "$(tail -n +2 day.cast | sed 's/^.\([0-9.]*\).*/\1/' | sort -nc 2>&1)" ''
want_in 'cast: a frame' "$(cat day.cast)" 'needs-you'
if command -v asciinema >/dev/null && command -v script >/dev/null; then
	# It wants a terminal, whatever it does.
	want_in 'cast: asciinema reads it' "$(script -qec 'asciinema cat day.cast' /dev/null 2>&1)" 'needs-you'
else
	echo 'SKIPPED playing the recording: no asciinema (or no script) here'
fi

# --- pictures
out=$("$devs" export "$run" --format svg --at start,-2m,'T-104 try 2' --view timeline -o day.svg)
want 'svg: exit' $? 0
want 'svg: one file each' "$(ls day-*.svg | tr '\n' ' ')" 'day-1.svg day-2.svg day-3.svg '
"$devs" debug --logs "$run" --frame 80x24 --svg --at -2m --view timeline >frame.svg
want 'svg: the frame of then' "$(cmp day-2.svg frame.svg)" ''
"$devs" export "$run" --format svg --view runs -o runs.svg >/dev/null
want_in 'svg: the log by its own name' "$(cat runs.svg)" 'Runs    devs.db'

# --- secrets of now are in none of them
for format in jsonl perfetto asciicast svg; do
	out=$(MY_API_KEY='rounds half' "$devs" export "$run" --format $format -o "$format.out" 2>&1)
	want "secret, $format: exit" $? 0
	want_in "secret, $format: said" "$out" 'MY_API_KEY'
	want "secret, $format: no byte of it" "$(grep -c 'rounds half' "$format.out")" 0
done
mkdir own
(cd own && "$devs" --db ../own.db exec -- sh -c 'echo not ok - rounds half; exit 1' 2>/dev/null)
echo '{"secrets": {"patterns": [{"name": "halves", "regex": "rounds half"}]}}' >own/devs.config.json
"$devs" --db own.db export 1 --format jsonl -o - 2>said >out.jsonl
want_in "secrets by the settings of the run's folder, not of this one" "$(cat said)" 'halves'
want 'no byte of them either' "$(grep -c 'rounds half' out.jsonl)" 0
sed 's/^{/{"policies": 3, /' own/devs.config.json >own/bad && mv own/bad own/devs.config.json
"$devs" --db own.db export 1 --format jsonl -o - 2>said >out.jsonl
want 'settings with a mistake elsewhere: exit' $? 0
want_in 'a word of it' "$(cat said)" 'own/devs.config.json: the file has errors; the secrets that it names are still cut'
want 'and their secrets are cut' "$(grep -c 'rounds half' out.jsonl)" 0
for broken in '{"secrets": {"patterns": [{"name": "x", "regex": "("}]}}' '{"secrets": ' \
	'{"secret": {"patterns": [{"name": "halves", "regex": "rounds half"}]}}'; do
	echo "$broken" >own/devs.config.json
	"$devs" --db own.db export 1 --format jsonl -o - 2>said >out.jsonl
	want 'secrets that are not known: exit' "$? $(wc -c <out.jsonl)" '2 0'
	want_in 'what to do' "$(cat said)" 'hint: fix the file or move it away: its secrets cannot be determined'
done
rm -r own
want_in 'where it is gone by those here' \
	"$("$devs" --db own.db export 1 --format jsonl -o -)" 'rounds half'
want 'nothing is left' "$(ls -d devs-export* ./*.part-* 2>/dev/null)" ''

# --- ^C takes away what was begun
(exec "$devs" export "$run" --format asciicast --speed 1 -o slow.cast) >/dev/null 2>stop.out &
slow=$!
until_true 60 sh -c "ls devs-export* 2>/dev/null | grep -q . || ! kill -0 $slow 2>/dev/null"
kill -TERM $slow 2>/dev/null
wait $slow
code=$?
if [ $code -ne 0 ]; then # else it was quicker than this shell
	want 'stopped: exit' $code 143
	want 'stopped: no file' "$(ls slow.cast* 2>/dev/null)" ''
fi
want 'stopped: nothing is left' "$(ls -d devs-export* 2>/dev/null)" ''

# --- what does not go together
for words in '--format svg --at start,end -o -' '--format jsonl --at start' '--format svg --speed 2' \
	'--format jsonl --size 80x24' '--format bundle -o -' '--format asciicast --speed 0' \
	'--format svg --size 80' '--format svg --size 19x24' '--format asciicast --size 80x3' '--format svg --view moon' '--format svg --at nowhere'; do
	# shellcheck disable=SC2086
	exits "$words" 2 export "$run" $words
done
"$devs" export "$run" --format jsonl -o trace.json >/dev/null 2>err.out
want_in 'a file that is there' "$(cat err.out)" "trace.json' already exists"

# --- bookmarks
out=$("$devs" debug --mark "$run" --at 'T-104 try 2' --name 'here it broke')
want 'mark: exit' $? 0
want_in 'mark' "$out" 'here it broke'
"$devs" debug --mark "$run" --json >/dev/null
want 'marks' "$("$devs" debug --marks "$run" --json | grep -c '"bookmark":')" 2
want_in 'marks of all' "$("$devs" debug --marks)" "#$run"
want_in 'marks of no run' "$("$devs" debug --marks 999 2>&1)" 'no run #999 in this log'
MY_API_KEY=planted-value-0123456789 "$devs" debug --mark "$run" --name 'with planted-value-0123456789' >/dev/null
want_in 'mark: no secret in a name' "$("$devs" debug --marks)" 'with [cut:MY_API_KEY]'
"$devs" export "$run" --format bundle -o marked.devs >/dev/null
want_in 'a bundle has them' "$("$devs" debug --marks --db marked.devs)" 'here it broke'
"$devs" debug --mark --db marked.devs >/dev/null 2>err.out
want_in 'a bundle takes none' "$(cat err.out)" 'bundle: it is read only'
"$devs" debug --unmark 1
want 'unmark: exit' $? 0
exits 'unmark again' 66 debug --unmark 1
want 'one is gone' "$("$devs" debug --marks --json | wc -l)" 2
finish
