#!/bin/sh
# devs classify: rows in, verdicts out, and what is no row is named.
. "$(dirname "$0")/check.sh"

row='{"id":"a","exit":1,"stderr":"one\nconnect ETIMEDOUT 10.0.0.1:443\n"}'
answer=$(printf '%s\n' "$row" | "$devs" classify)
want "exit code" "$?" 0
want_in "id" "$answer" '"id":"a"'
want_in "verdict" "$answer" '"verdict":"transient","type":"NETWORK_TIMEOUT"'
want_in "evidence" "$answer" '"rule":"b1.network","stream":"stderr","offset":4,"match":"connect ETIMEDOUT 10.0.0.1:443"'
want_in "nothing is null" "$answer" '"reason":null'
want_in "no hint" "$answer" '"retry_after_ms":null,"resume_at":null'

# A file of rows is the same as standard input; blank lines are no rows.
printf '%s\n\n%s' "$row" "$row" >rows
want "two rows of a file" "$("$devs" classify rows | wc -l)" 2
want "two files" "$("$devs" classify rows rows | wc -l)" 4
want "a file that is not there" "$("$devs" classify nothing 2>&1 >/dev/null)" "devs: nothing: No such file or directory"

"$devs" classify nothing rows >out 2>err
want "a file that is not there: exit" "$?" 66
want "the files behind it" "$(wc -l <out)" 2
want "- is standard input" "$("$devs" classify rows - <rows | wc -l)" 4

# A reader that goes away has seen enough.
{
	i=0
	while [ $i -lt 2000 ]; do
		printf '%s\n' "$row"
		i=$((i + 1))
	done
} >many
{
	"$devs" classify many 2>err
	echo "$?" >code
} | head -1 >/dev/null
want "a reader that goes away: exit" "$(cat code)" 0
want "a reader that goes away: quiet" "$(cat err)" ""

# A line that begins with NUL is not blank.
printf '\000{"exit":0}\n%s\n' "$row" | "$devs" classify >out 2>err
want "NUL: exit" "$?" 2
want_in "NUL" "$(cat err)" "line 1: "
want "NUL: the others" "$(wc -l <out)" 1

# A line that is no row is named, and the others are judged.
printf '%s\nno row\n[]\n{"id":1}\n{"exit":"x"}\n%s\n' "$row" "$row" >mixed
"$devs" classify mixed >out 2>err
want "bad rows" "$?" 2
want "good rows" "$(wc -l <out)" 2
want_in "line 2" "$(cat err)" "devs: classify: mixed, line 2: "
want_in "line 3" "$(cat err)" "line 3: expected an object, got array"
want_in "line 4" "$(cat err)" "line 4: exit is missing"
want_in "line 5" "$(cat err)" "line 5: exit must be a whole number from 0 to 255"
"$devs" classify <mixed >/dev/null 2>err
want_in "standard input has no name" "$(cat err)" "devs: classify: line 2: "

# The clock of the row, zones of the system, an agent, a signal.
answer=$(printf '%s\n' '{"id":2,"exit":1,"now":1795224000,"stderr":"limit reached, resets 3am (UTC). 5-hour limit reached"}' | "$devs" classify)
want_in "parked" "$answer" '"verdict":"persistent","type":null,"subtype":"USAGE_LIMIT","reason":"quota"'
want_in "until" "$answer" '"retry_after_ms":6000000,"resume_at":"2026-11-21T03:00:00Z"'
answer=$(printf '%s\n' '{"id":3,"text":"Retry-After: 120","now":1795224000}' | "$devs" classify)
want_in "words alone" "$answer" '"retry_after_ms":120000'
answer=$(printf '%s\n' '{"id":4,"exit":0,"agent":"qwen","stdout":"[API Error: 401 no]\n"}' | "$devs" classify)
want_in "agent" "$answer" '"verdict":"persistent","type":null,"subtype":"AUTH","reason":"auth"'
answer=$(printf '%s\n' '{"id":5,"exit":null,"signal":"SIGSEGV","stderr":"a\u0000b \ud800"}' | "$devs" classify)
want_in "signal" "$answer" '"reason":"crash","rule":"known.signal"'
want_in "ok" "$(printf '%s\n' '{"exit":0}' | "$devs" classify)" '"id":null,"verdict":"success"'

# Near misses.
answer=$(printf '%s\n' '{"id":6,"exit":1,"stderr":"DEBUG read ECONNRESET\n"}' | "$devs" classify)
want_in "near" "$answer" '"near":[{"rule":"b1.network","why":"quoted","stream":"stderr","offset":0}'

# Rules of one's own.
echo '[{"name":"hsm","verdict":"transient","type":"RESOURCE_BUSY","pattern":"HSM (busy)"}]' >rules
answer=$(printf '%s\n' '{"id":7,"exit":1,"stderr":"HSM busy"}' | "$devs" classify --rules rules)
want_in "own rule" "$answer" '"rule":"hsm"'
echo '[{"name":"hsm","verdict":"transient","type":"RESOURCE_BUSY","pattern":"("}]' >rules
printf '%s\n' "$row" | "$devs" classify --rules rules >out 2>err
want "bad rules" "$?" 2
want_in "bad rule" "$(cat err)" "devs: rules: rule 1 'hsm': pattern, byte "

# The rules that are in force here count too; those of a file come on top of them.
echo '{"rules":[{"name":"ours","verdict":"transient","type":"RESOURCE_BUSY","pattern":"^our lamp"}]}' >devs.config.json
lamp='{"id":8,"exit":1,"stderr":"our lamp"}'
want_in "rules in force" "$(printf '%s\n' "$lamp" | "$devs" classify)" '"rule":"ours"'
echo '{"name":"hsm","verdict":"transient","type":"RESOURCE_BUSY","pattern":"HSM (busy)"}' >rules
printf '%s\n%s\n' "$lamp" '{"id":7,"exit":1,"stderr":"HSM busy"}' | "$devs" classify --rules rules >out
want_in "rules in force beside those of a file" "$(cat out)" '"rule":"ours"'
want_in "rules of a file beside those in force" "$(cat out)" '"rule":"hsm"'
echo '[{"name":"ours","verdict":"persistent","pattern":"^our lamp"}]' >rules
answer=$(printf '%s\n' "$lamp" | "$devs" classify --rules rules)
want_in "a file's rule takes the place of its namesake" "$answer" '"verdict":"persistent"'
rm devs.config.json

# Whose output it is: by name, built in or of one's own; the exit code is not the last word.
said='"stdout":"{\"type\":\"result\",\"is_error\":false,\"result\":\"[API Error: 401 no]\"}\n"'
ended='"stdout":"{\"type\":\"result\",\"is_error\":false,\"result\":\"It is done.\"}\n"'
answer=$(printf '%s\n' "{\"id\":9,\"agent\":\"qwen\",\"exit\":0,$said}" | "$devs" classify)
want_in "an agent that failed with exit 0" "$answer" '"verdict":"persistent","type":null,"subtype":"AUTH"'
want_in "its own tries" "$answer" '"own_retries":0'
answer=$(printf '%s\n' "{\"id\":9,\"agent\":\"qwen\",\"exit\":0,$ended}" | "$devs" classify)
want_in "an agent that did well" "$answer" '"verdict":"success"'
answer=$(printf '%s\n' '{"id":9,"agent":"qwen","exit":0,"stdout":""}' | "$devs" classify)
want_in "an agent that said nothing" "$answer" '"verdict":"transient","type":"RESOURCE_BUSY","subtype":"INTERRUPTED"'
echo '{"agents":{"ours":{"like":"qwen"}}}' >devs.config.json
trust
answer=$(printf '%s\n' "{\"id\":9,\"agent\":\"ours\",\"exit\":0,$said}" | "$devs" classify)
want_in "an agent of one's own" "$answer" '"subtype":"AUTH"'
echo '{"agents":{"ours":{"like":"nobody"}}}' >devs.config.json
printf '%s\n' "$row" | "$devs" classify >out 2>err
want "an agent like nobody" "$?" 2
want_in "where it stands" "$(cat err)" "/agents/ours/like: no such agent"
remove_settings

# An answer comes as soon as its row has come, not at the end.
mkfifo in
"$devs" classify <in >slow &
reader=$!
exec 3>in
printf '%s\n' "$row" >&3
until_true 60 test -s slow
want "answered at once" "$?" 0
exec 3>&-
wait $reader
want "and ends with its input" "$?" 0

finish
