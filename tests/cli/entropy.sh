#!/bin/sh
# devs entropy: trajectories in, verdicts out, and what is no trajectory is named.
. "$(dirname "$0")/check.sh"

step='{"tool":"shell","args":{"command":"make"},"exit":2,"output":"3 failed in 1.2s"}'
row='{"id":"a","steps":['$step,$step,$step,$step,$step']}'
answer=$(printf '%s\n' "$row" | "$devs" entropy)
want "exit code" "$?" 0
want_in "verdict" "$answer" '{"id":"a","verdict":"stuck","rung":"repeat","step":5,"identity":"'
want_in "why" "$answer" '"why":"the same call with the same result, 5 times in a row"}'
fine='{"id":"b","steps":['$step,$step']}'
want "nothing to say" "$(printf '%s' "$fine" | "$devs" entropy)" \
	'{"id":"b","verdict":"ok","rung":null,"step":null,"identity":null,"why":null}'

# Where a lap begins does not matter.
a='{"tool":"read","args":{"path":"a"},"exit":0,"output":"a"}'
b='{"tool":"read","args":{"path":"b"},"exit":0,"output":"b"}'
identity() {
	sed 's/.*"identity":"\([^"]*\)".*/\1/'
}
one=$(printf '{"id":"1","steps":[%s,%s,%s,%s,%s,%s]}' "$a" "$b" "$a" "$b" "$a" "$b" | "$devs" entropy)
two=$(printf '{"id":"2","steps":[%s,%s,%s,%s,%s,%s]}' "$b" "$a" "$b" "$a" "$b" "$a" | "$devs" entropy)
want_in "a cycle" "$one" '"rung":"cycle","step":6'
want "one identity" "$(echo "$one" | identity)" "$(echo "$two" | identity)"

# Files as well as standard input; bad rows are named, and the others are judged.
printf '%s\n\n%s\nno row\n{"id":"x"}\n%s' "$row" "$fine" "$row" >rows
"$devs" entropy rows >out 2>err
want "bad rows: exit" "$?" 2
want "good rows" "$(wc -l <out)" 3
want_in "line 4" "$(cat err)" "devs: entropy: rows, line 4: "
want_in "line 5" "$(cat err)" 'line 5: "steps" must be a list'
"$devs" entropy nothing >out 2>err
want "no file: exit" "$?" 66
want_in "no file" "$(cat err)" "nothing: No such file or directory"
"$devs" entropy </dev/null >out
want "no rows: exit" "$?" 0

# Thresholds of one's own.
echo '{"repeat_stop": 0, "barren_stop": 0, "failure_stop": 0}' >off
want_in "off" "$(printf '%s\n' "$row" | "$devs" entropy --limits off)" '"verdict":"suspect"'
echo '{"repeat_stop": 2}' >early
want_in "early" "$(printf '%s\n' "$row" | "$devs" entropy --limits early)" '"rung":"repeat","step":2'
echo '{"repeats": 2}' >wrong
"$devs" entropy --limits wrong </dev/null 2>err
want "no threshold: exit" "$?" 2
want_in "no threshold" "$(cat err)" "wrong: unknown threshold 'repeats'"
"$devs" entropy --limits nothing </dev/null 2>err
want "no file of thresholds: exit" "$?" 66

# A line without end is left out.
head -c 40000000 /dev/zero | tr '\0' 'x' >long
printf '\n%s\n' "$row" >>long
"$devs" entropy long >out 2>err
want "too long: exit" "$?" 2
want_in "too long" "$(cat err)" "line 1: longer than 16 MiB"
want "what is behind it" "$(wc -l <out)" 1
finish
