#!/bin/sh
# devs import: sessions that agents have kept become runs, which are shown like any other.
. "$(dirname "$0")/check.sh"
export LC_ALL=C TZ=UTC
log="--db $dir/devs.db"

# A session of Claude Code: the same call fails alike, a person steps in, a sub-agent looks.
claude_line() { # SECOND TYPE MESSAGE [MORE]
	printf '{"parentUuid":null,"isSidechain":false,"cwd":"/home/ann/shop","sessionId":"%s",' \
		"83ca3d6e-1111-4222-8333-444455556666"
	printf '"uuid":"u%s","timestamp":"2026-11-20T10:00:%s.000Z","type":"%s","message":%s%s}\n' \
		"$1" "$1" "$2" "$3" "${4:-}"
}
call() { # NUMBER
	printf '{"id":"m%s","content":[{"type":"tool_use","id":"t%s","name":"Bash",' "$1" "$1"
	printf '"input":{"command":"make test"}}],"usage":{"input_tokens":10,"output_tokens":5}}'
}
result() { # NUMBER
	printf '{"content":[{"type":"tool_result","tool_use_id":"t%s","is_error":true,' "$1"
	printf '"content":"Exit code 2\\nnot ok 3 - rounds half to even"}]}'
}
key="sk-ant-api03-$(printf 'Ab3%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)"
{
	echo '{"type":"summary","summary":"tax","leafUuid":"x"}'
	claude_line 10 user '{"role":"user","content":"fix the tax test"}'
	for i in 1 2 3 4 5; do
		claude_line "$((10 + 2 * i))" assistant "$(call "$i")"
		claude_line "$((11 + 2 * i))" user "$(result "$i")"
	done
	claude_line 30 user "{\"content\":\"look at tax.c, with $key\"}"
	claude_line 31 assistant '{"id":"m9","content":[{"type":"text","text":"Fixed."}]}'
	echo '{"type":"of-tomorrow","sessionId":"x"}'
	echo 'no JSON'
} >session.jsonl

answer=$("$devs" $log import session.jsonl)
want "exit" "$?" 0
want "a line" "$answer" "session.jsonl: Claude Code session, claude session 83ca3d6e: run #1, 6 turns, \
5 calls, 75 tokens, done, 1 stuck loop, 1 possible loop, 1 line is of an unknown kind, \
1 line is not JSON"
answer=$("$devs" $log import --json session.jsonl)
want "again: exit" "$?" 0
want "again" "$answer" '{"v":1,"file":"session.jsonl","form":"Claude Code session",'\
'"agent":"claude","session_id":"83ca3d6e-1111-4222-8333-444455556666","run":1,'\
'"already_there":true}'
answer=$("$devs" $log import --json --again session.jsonl)
want_in "--again" "$answer" '"run":2,"already_there":false,"turns":6,"calls":5,"cost_usd":0,'
want_in "--again: loops" "$answer" '"ended":"done","suspected":1,"stuck":1,"lines":16,'

# It is a run as any other: with its own times, and without secrets.
answer=$("$devs" $log status 1 --json)
want_in "status" "$answer" '"state":"ended"'
want_in "status: began" "$answer" '"started_at_ms":1795168810000'
want_in "status: over" "$answer" '"ended_at_ms":1795168831000,"exit_code":0'
want_in "status: session" "$answer" '"session_id":"83ca3d6e-1111-4222-8333-444455556666"'
want_in "status: turns" "$answer" '"turns":6,"calls":5,'
answer=$("$devs" $log log 1/claude)
want_in "words of a person" "$answer" "[you] fix the tax test"
want_in "words of a call" "$answer" "Bash: make test"
want_in "words of a result" "$answer" "not ok 3 - rounds half to even"
want_in "words" "$answer" "Fixed."
want_in "a secret" "$answer" "with [cut:anthropic-key]"
want "no secret in the log" "$(grep -c "$key" devs.db)" 0
answer=$("$devs" $log debug --logs 1)
want_in "events: a call" "$answer" "10:00:13 claude try 1/1 GREEN Bash: make test, failed (2), 1 s"
want_in "events: suspected" "$answer" "its calls may be looping: same result 3 times, calls"
want_in "events: stuck" "$answer" "its calls are looping: same result 5 times, calls"
want_in "events: a person" "$answer" "user: look at tax.c, with [cut:anthropic-key]"
want_in "why" "$("$devs" $log why 1/claude)" "agent      claude, session 83ca3d6e, 6 turns, 5 calls"

# Other forms: what it is, is seen from the first lines; of what has no id the file's name is it.
cat >rollout.jsonl <<'END'
{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"id":"c1","cwd":"/w"}}
{"timestamp":"2026-01-02T03:04:06.000Z","type":"event_msg","payload":{"type":"user_message","message":"go"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"a"}}
{"timestamp":"2026-01-02T03:04:09.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"a","output":"Process exited with code 1"}}
END
cat >pi.jsonl <<'END'
{"type":"session","version":3,"id":"p1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}
{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Hi."}],"usage":{"input":1,"output":1,"cost":{"total":0.25}},"stopReason":"stop"}}
END
cat >chat.json <<'END'
{
  "sessionId": "g1",
  "messages": [
    {"id": "1", "timestamp": "2026-01-02T03:04:05.000Z", "type": "user", "content": "go"},
    {"id": "2", "timestamp": "2026-01-02T03:04:06.000Z", "type": "gemini", "content": "Done."}
  ]
}
END
cat >stream.jsonl <<'END'
{"type":"system","subtype":"init","session_id":"s1","cwd":"/w"}
{"type":"assistant","session_id":"s1","message":{"id":"m","content":[{"type":"text","text":"Hi."}]}}
{"type":"result","subtype":"success","is_error":false,"result":"Hi.","session_id":"s1","num_turns":1,"total_cost_usd":0.5}
END
answer=$("$devs" $log import rollout.jsonl pi.jsonl chat.json stream.jsonl)
want "forms: exit" "$?" 0
want_in "codex" "$answer" "Codex rollout, codex session c1: run #3, 1 turn, 1 call, cut"
want_in "pi" "$answer" "pi session, pi session p1: run #4, 1 turn, \$0.25, done"
want_in "gemini" "$answer" "Gemini chat, gemini session g1: run #5, 1 turn, done"
want_in "stream" "$answer" "recorded output, claude session s1: run #6, 1 turn, \$0.50, done"
answer=$("$devs" $log debug --logs 3)
want_in "cut" "$answer" "the transcript breaks off here"
case $answer in *RETRY*) want "cut: nobody tries again" "$answer" "" ;; esac
answer=$("$devs" $log status 3 --json)
want_in "cut: it is over" "$answer" '"state":"ended"'
want_in "cut: when the file is" "$answer" '"ended_at_ms":1767323049000,"exit_code":1'
want_in "standard input" "$("$devs" $log import --again - <pi.jsonl)" "run #7"

# What is no transcript is one clear line, and nothing is written; the others are imported.
before=$("$devs" $log runs | wc -l)
echo "hello" >strange
: >empty
"$devs" $log import strange empty nothing >out 2>err
want "strange: exit" "$?" 2
want "strange: nothing written" "$("$devs" $log runs | wc -l)" "$before"
want_in "strange" "$(cat err)" "devs: strange: not a transcript of a known agent"
want_in "empty" "$(cat err)" "devs: empty: it is empty"
want_in "no file" "$(cat err)" "nothing: No such file or directory"
"$devs" $log import nothing 2>err
want "no file: exit" "$?" 66
mkdir folder
"$devs" $log import folder 2>err
want "a folder: exit" "$?" 66
want_in "a folder" "$(cat err)" "devs: folder: Is a directory"
"$devs" $log import --agent claude strange 2>err
want "words alone: exit" "$?" 2
want_in "words alone" "$(cat err)" "devs: strange: it contains no events"
want "words alone: nothing written" "$("$devs" $log runs | wc -l)" "$before"
cat >cline.json <<'END'
{"version":1,"sessionId":"1795900000000_a","startTime":"2026-11-20T10:00:00Z",
 "messages":[{"role":"user","content":"go"},{"role":"assistant","content":"Done."}]}
END
echo '{"sessionId":"g9","startTime":"2026-11-20T10:00:00Z","messages":[]}' >idle.json
"$devs" $log import cline.json idle.json 2>err
want "a session of another agent: exit" "$?" 2
want_in "a session of another agent" "$(cat err)" "cline.json: not a transcript of a known agent"
want_in "a session without an event" "$(cat err)" "devs: idle.json: it contains no events"
want "nothing of them written" "$("$devs" $log runs | wc -l)" "$before"
"$devs" $log import --agent codex session.jsonl 2>err
want "another agent: exit" "$?" 2
want_in "another agent" "$(cat err)" "session.jsonl: this is a Claude Code session, not a transcript of 'codex'"
"$devs" $log import --agent nobody session.jsonl 2>err
want "no such agent: exit" "$?" 2
want_in "no such agent" "$(cat err)" "unknown agent 'nobody'"
answer=$("$devs" $log import strange pi.jsonl --again 2>err)
want "the others: exit" "$?" 2
want_in "the others" "$answer" "pi session p1: run #8"
finish
