#!/bin/sh
# Leaving the cockpit, in a real terminal: suspending, detaching, losing the terminal, and a devs
# that dies.
. "$(dirname "$0")/terminal.sh"
trap ': >"$dir/go"; tmux kill-server 2>/dev/null; rm -rf "$dir"' EXIT INT TERM
export LC_ALL=C.UTF-8
# ncurses never frees its terminal data; a leak report must not change the exit code
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# run_is RUN WORD: checks the state of the run in the log
run_is() { "$devs" status "$1" 2>/dev/null | grep -q "^run #$1 .* $2 "; }
noted() { "$devs" debug --logs --plain "$1" | grep -q -- "$2"; }
pid_of() { "$devs" runs --json | grep "\"run\":$1," | sed 's/.*"pid":\([0-9]*\).*/\1/'; }
# The process that the shell is waiting for.
front_of() { ps -o ppid= -p "$(pid_of "$1")" | tr -d ' '; }
is_gone() { ! kill -0 "$1" 2>/dev/null; }

cat >slow.json <<'PLAN'
{"version": 1, "name": "slow", "idempotent": true, "tasks": [
 {"id": "s", "steps": [{"run": ["sh", "-c", "until test -e go; do sleep 0.05; done"]}]},
 {"id": "t", "needs": ["s"], "steps": [{"run": ["true"]}]}]}
PLAN

# --- ^Z asks first, then suspends; fg continues
open a 100 30
type a "clear; '$devs' run slow.json" Enter
expect a 'running.*s ' 'a run in the cockpit'
type a C-z
expect a '1 try is running: .*\^Z again suspends devs' 'one ^Z is answered in words'
stops() {
	type a C-z
	shows a 'Stopped'
}
until_true 60 stops
expect a 'Stopped' 'a second one stops it, and the shell is back'
type a 'clear; fg' Enter
expect a 'running.*s ' 'fg comes back'

# --- d detaches: the shell is back, the run continues, and devs can show it again
type a q
expect a 'd  detach: the run continues without this terminal' 'q offers it'
is_detached() { # the prompt ignores keys at first
	type a d
	shows a 'continues without a terminal (pid'
}
until_true 60 is_detached
expect a 'devs cancel 1' 'd says how to end it'
expect a 'shell>' 'the shell is back'
want 'it goes on' "$(run_is 1 live && echo yes)" yes
want 'in a session of its own' "$(ps -o sid= -p "$(pid_of 1)" | tr -d ' ')" "$(pid_of 1)"
type a "clear; '$devs'" Enter
expect a 'LIVE' 'devs shows it again'
pid=$(pid_of 1)
: >go
expect a '2 of 2 passed' 'to its end'
until_true 60 is_gone "$pid"
want 'and its process is gone then' $? 0
type a q
expect a 'shell>' 'q leaves it'

# --- Ctrl-C while a detached run starts: it has its own session, but receives the signal
rm go
db=$dir/apart/x.db
"$devs" --db "$db" exec -- true 2>/dev/null
(
	exec 9<>"$db-write"
	flock 9
	: >locked
	until_true 60 test -e unlock
) &
holder=$!
until_true 60 test -e locked
type a "clear; '$devs' --db $db run --detach slow.json; echo code-\$?" Enter
both_wait() { [ "$(pgrep -cf -- "--db $db run --detach")" -ge 2 ]; }
until_true 60 both_wait
type a C-c
expect a '\^C' 'the terminal has sent it'
: >unlock
wait "$holder"
type a 'echo code-none' Enter # if ^C ends devs too early, the rest of its line is lost
expect a '^code-' 'the shell is back'
none_lives() { ! "$devs" --db "$db" runs | grep -q live; }
until_true 60 none_lives
want 'Ctrl-C ends a run that begins apart' $? 0
: >go

# --- the terminal goes away, the run does not
rm go
open b 100 30
type b "clear; '$devs' run slow.json" Enter
expect b 'running.*s ' 'another run'
pid=$(pid_of 2)
tmux kill-session -t b
until_true 60 noted 2 'the terminal was closed, the run continues'
want 'a terminal that goes away is in the log' $? 0
want 'and ends nothing' "$(run_is 2 live && echo yes)" yes
: >go
until_true 60 run_is 2 ended
want 'the run ends by itself' $? 0
until_true 60 is_gone "$pid"
want 'and so does its devs' $? 0

# --- signals to the process that the shell waits for: TERM is for the run, KILL takes the terminal
rm go
open c 100 30
type c "clear; '$devs' run slow.json; echo code-\$?" Enter
expect c 'running.*s ' 'a third run'
kill -TERM "$(front_of 3)"
expect c 'code-143' 'TERM cancels it, the exit code says so'
want 'once: what runs has its grace' "$(run_is 3 ended && echo yes)" yes
type c "clear; '$devs' run slow.json" Enter
expect c 'running.*s ' 'a fourth run'
kill -KILL "$(front_of 4)"
until_true 60 noted 4 'the terminal was closed, the run continues'
want 'the run goes on' $? 0
type c 'clear; echo sane' Enter
expect c '^sane' 'the shell is back, its terminal is as it was'

# --- devs dies: the screen says how to continue
type c "clear; '$devs'" Enter
expect c 'LIVE' 'another devs looks at it'
kill -KILL "$(pid_of 4)"
expect c 'Continue it: devs run --continue 4' 'a run that was interrupted says how it goes on'
type c q
expect c 'shell>' 'q leaves it'
: >go
type c "clear; '$devs' run --continue last" Enter
expect c '2 of 2 passed' 'it goes on in the cockpit'
type c q
expect c 'devs replay 4' 'and ends'

# --- devs dies in its cockpit: one line says what is left running
rm go
type c "clear; '$devs' run slow.json 2>crashed; echo code-\$?" Enter
expect c 'running.*s ' 'a fifth run'
pid=$(pid_of 5)
kill -SEGV "$pid"
expect c 'code-139' 'the shell is told the signal'
want_in 'the signal, the log' "$(cat crashed)" "pid $pid was killed by signal SEGV; the log is $dir/"
want 'what is left' "$(grep -c 'processes left: [0-9]' crashed)" 1
want_in 'how to go on' "$(cat crashed)" 'devs run --continue 5'
: >go

# --- the log's folder is deleted under a cockpit: its own engine survives, and the end is shown
rm -f go
type a "clear; '$devs' run slow.json" Enter
expect a 'running.*s ' 'a run in the cockpit, once more'
rm -rf .devs
# the writer may notice that before the reader
expect a 'the log was deleted, moved or replaced\|the log cannot be written since' 'the banner says that the log is gone'
: >go
expect a '2 of 2 passed' 'the run ends, and is not called interrupted'
type a q

finish
