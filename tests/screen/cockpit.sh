#!/bin/sh
# The cockpit in a real terminal.
. "$(dirname "$0")/terminal.sh"

cat >plan.json <<'PLAN'
{"version": 1, "name": "screens", "idempotent": true, "jobs": 2,
 "policies": {"patient": {"like": "default", "base_delay_ms": 3600000, "cap_ms": 3600000}},
 "tasks": [{"id": "wait", "title": "waits for long", "steps": [{"run": ["sh", "-c", "echo 'FAILED test_one'; test -e again"], "policy": "patient"}]},
           {"id": "hang", "title": "ignores TERM", "steps": [{"run": ["sh", "-c", "trap '' TERM; echo I stay; while :; do read -r x </dev/zero; done"]}]},
           {"id": "ok", "title": "passes", "steps": [{"run": ["true"]}]}]}
PLAN
short='{"version":1,"name":"short","idempotent":true,"tasks":[{"id":"one","steps":[{"run":["true"]}]}]}'
echo "$short" >short.json

# --- live: the screen and a second devs, r and x from either of them
export LC_ALL=C.UTF-8
open a 100 30
type a "'$devs' run plan.json" Enter
expect a 'LIVE' 'the cockpit opens'
expect a 'backoff.*wait' 'the wait is shown'
expect a 'in 5[0-9]:[0-5]' 'its countdown counts'
expect a 'passed.*ok' 'the passed one is shown'
open b 140 40
type b "'$devs'" Enter
expect b 'backoff.*wait' 'a second devs shows the same'
touch again
type b g
expect b '▸.*wait' 'g chooses the first'
type b r
expect a 'passed.*wait' 'r in the second starts the next try, the first shows it'
expect b 'retry.*' 'r is answered in words'
type a g j
expect a '▸.*hang' 'j chooses the next'
type a '?'
expect a 'retry now' 'help opens'
type a Escape
type a x
expect a 'Cancel hang' 'x asks, and names the task'
type a Enter
expect a 'Cancel hang' 'Enter does not confirm'
kill_is_taken() { # the prompt ignores keys at first
	type a K
	shows a 'cancelled.*hang'
}
until_true 60 kill_is_taken
expect a 'cancelled.*hang' 'K kills it'
type a q
expect a 'devs replay' 'q leaves, the summary is on the normal screen'
type b q
expect b 'shell>' 'q leaves the second'

# --- the C locale
open c 80 24
type c "clear; LC_ALL=C '$devs'" Enter
expect c '+ passed' 'ASCII signs in the C locale'
want 'only ASCII in the C locale' "$(screen c | LC_ALL=C grep -c '[^ -~]')" 0
type c q
expect c 'shell>' 'q in the C locale'

# --- the terminal is restored after a signal
for signal in TERM SEGV HUP; do
	open "k$signal" 80 24
	type "k$signal" "clear; stty -g >before; '$devs'; stty -g >after; cmp before after && echo sane-$signal" Enter
	expect "k$signal" 'run #' "devs is there before $signal"
	pid=$(tmux list-panes -t "k$signal" -F '#{pane_pid}')
	kill -s "$signal" "$(ps -o pid= --ppid "$pid" | head -1)"
	expect "k$signal" "sane-$signal" "the terminal is sane after $signal"
done

# --- correcting a class, and adding and saving a rule
echo '{"version":1,"name":"boats","idempotent":true,"tasks":[{"id":"boat","steps":[{"run":["sh","-c","echo lost the link >&2; exit 1"]}]}]}' >boat.json
"$devs" run --plain boat.json >/dev/null 2>&1
open f 100 30
type f "clear; '$devs'" Enter
expect f 'gave-up.*boat.*exit 1' 'a failure that no rule knows'
last_is_chosen() { # the prompt ignores keys at first
	type f End
	shows f '▸ success'
}
choose_first() {
	until_true 60 last_is_chosen
	type f Home
}
type f C
expect f 'boat try 3: which class' 'C asks, and names task and try'
choose_first
expect f '▸ network' 'Home chooses the first class'
type f Enter
expect f 'try 3 is now NETWORK_TIMEOUT' 'the correction is answered'
expect f 'network, corrected by .*; was exit 1' 'and shown with who and what it was'
type f C
expect f 'now .*network, corrected by' 'C knows of it'
choose_first
type f +
expect f 'pattern *lost the link' 'n proposes the last line as the pattern of a rule'
type f '('
expect f 'missing closing' 'what is wrong with it is said at once'
type f BSpace Enter
expect f 'would change: 3 exit 1 -> network' 'it is tried on what is recorded'
expect f 'save it' 's is offered'
want 'nothing is saved by a trial' "$(ls devs.config.json 2>/dev/null)" ''
trial_is_left() { ! shows f 'save it'; }
for _ in 1 2 3 4 5; do # the prompt ignores keys at first; once it is closed, s opens the sort menu
	type f s
	until_true 5 trial_is_left && break
done
expect f 'rule my-network saved' 's saves it'
want 'the rule is in the settings' "$(grep -c 'lost the link' devs.config.json)" 1
type f q
expect f 'shell>' 'q leaves'
"$devs" run --plain boat.json 2>&1 | grep -q network
want 'the next run goes by it' $? 0

# --- three steps hit the limit of their source: one row, one line, and one step is sent
cat >limited.sh <<'SCRIPT'
#!/bin/sh
[ -e opened ] && exit 0
echo 'HTTP 429 Too Many Requests' >&2
echo 'Retry-After: 600' >&2
exit 1
SCRIPT
chmod +x limited.sh
cat >limited.json <<'PLAN'
{"version": 1, "name": "limits", "idempotent": true, "jobs": 3,
 "tasks": [{"id": "one", "steps": [{"run": ["./limited.sh"], "source": "api", "policy": "research"}]},
           {"id": "two", "steps": [{"run": ["./limited.sh"], "source": "api", "policy": "research"}]},
           {"id": "three", "steps": [{"run": ["./limited.sh"], "source": "api", "policy": "research"}]}]}
PLAN
open g 100 30
type g "clear; '$devs' run limited.json" Enter
expect g 'rate limit of api until .*one, two and 1 more wait' 'a line tells of the limit'
expect g '3 tasks one fault since' 'what waits with it is one row'
expect g 'waits 10:0' 'and says for how long'
type g p
expect g '3 tasks held' 'p holds all'
expect g 'p release all' 'the footer says what p does now'
type g p
expect g '3 tasks released' 'p lets all go'
type g Enter
expect g 'p hold all' 'Enter leaves the row where it is'
expect g '│backoff.*three' 'and unfolds it'
type g Enter
expect g 'unfold' 'Enter folds it'
type g x
expect g 'Cancel all 3 tasks of one fault' 'x asks about all'
nothing_is_asked() { # the prompt ignores keys at first
	type g Escape
	! shows g 'Cancel all'
}
until_true 60 nothing_is_asked
: >opened
type g r
expect g 'one sent; 2 tasks waiting' 'r sends one'
expect g 'ENDED' 'what it passed, the others pass after it, long before their time'
expect g '3 of 3 passed\|passed.*three' 'all of them'
type g q
expect g 'shell>' 'q leaves'

# --- after one task of a fault is sent, the others stay on the screen
cat >refused.json <<'PLAN'
{"version": 1, "name": "refused", "idempotent": true, "jobs": 3, "on_hangup": "cancel",
 "policies": {"slow": {"like": "default", "base_delay_ms": 600000, "cap_ms": 600000}}, "policy": "slow",
 "tasks": [{"id": "ann", "steps": [{"run": ["sh", "-c", "echo 'Connection refused' >&2; exit 1"]}]},
           {"id": "bob", "steps": [{"run": ["sh", "-c", "echo 'Connection refused' >&2; exit 1"]}]},
           {"id": "cyd", "steps": [{"run": ["sh", "-c", "echo 'Connection refused' >&2; exit 1"]}]}]}
PLAN
open h 80 24
type h "clear; '$devs' run refused.json" Enter
expect h '3 tasks one fault since' 'three are one row'
type h r
expect h 'held *bob .*after ann' 'the first that follows has a row'
expect h 'held *cyd .*after ann' 'the second too'
type h j
expect h '▸.*bob' 'j goes there'
type h j
expect h '▸.*cyd' 'and on'

# --- a looping task: suspected, stuck, continued by hand
cat >agent.sh <<'SH'
echo "$(date +%H:%M:%S) agent[$$]: works in $(mktemp -u)"
echo 'not ok 3 - rounds half to even'
exit 1
SH
cat >circles.json <<'PLAN'
{"version": 1, "name": "circles", "idempotent": true, "jobs": 2, "on_hangup": "cancel",
 "policies": {"slow": {"like": "default", "max_attempts": 10, "base_delay_ms": 600000, "cap_ms": 600000}},
 "tasks": [{"id": "tax", "steps": [{"run": ["sh", "agent.sh"], "policy": "slow"}]},
           {"id": "keep", "steps": [{"run": ["tail", "-f", "/dev/null"]}]}]}
PLAN
open i 80 24
type i "clear; '$devs' run circles.json" Enter
expect i 'backoff *tax .* 1/10 ' 'the first try fails'
type i g r
expect i 'backoff *tax .* 2/10 ' 'the second too'
type i r
expect i '↻∞backoff *tax .* 3/10 .*loop? 3x' 'the third is suspected'
expect i 'loop *perhaps: same result 3 times, tries 1 to 3' 'and why'
type i r
expect i 'loop? 4x' 'it is still'
type i r
expect i '∞ stuck *tax .* 5/10 .*same 5x' 'the fifth is the last, though there are more'
expect i 'r continue' 'the keys say what r does now'
expect i 'equal *the call and its result, after masking: times, temp paths, pids' 'what was equal and masked'
type i r
expect i 'tax: continues' 'r goes on'
expect i 'loop? 6x' 'what was seen stays'
# --- the forensics of a failure, live and from a read-only bundle
echo '{"version":1,"name":"red","idempotent":true,"tasks":[{"id":"red","steps":[{"phase":"REFACTOR","run":["sh","-c","echo not ok 1 - tax; exit 1"]}]}]}' >red.json
"$devs" run --plain --db red.db red.json >/dev/null 2>&1
"$devs" export 1 --db red.db --format bundle -o red.devs >/dev/null
open k 80 24
type k "'$devs' --db red.devs" Enter
expect k 'gave-up.*red' 'a bundle opens in the cockpit'
type k r
expect k 'this run cannot be changed from here' 'and refuses acts'
type k i
expect k 'red > try 1 > forensics' 'i opens the forensics'
expect k '> not ok 1 - tax' 'what the rule went by'
type k j j
expect k 'names only: values are never captured' 'j goes to the command'
type k '['
expect k 'the task has no earlier try' '[ answers in words'
type k q
expect k 'gave-up.*red' 'q goes back'
type k q
expect k 'shell>' 'and leaves'
type k "'$devs' export 1 --db red.db --format bundle -o asked.devs" Enter
expect k 'write it? y/N' 'on a terminal devs asks before it writes a bundle'
expect k 'no secrets found' 'and has said what was cut'
type k n Enter
expect k 'nothing was written' 'n keeps it from being written'
want 'and it is not' "$(ls -d asked.devs* 2>/dev/null | wc -l)" 0
want 'nothing lies beside a bundle that was looked at' "$(ls -d red.devs* | wc -l)" 1

# --- a secret split by a color code does not reach the screen
cat >leak.sh <<'SH'
printf '%s\033[1m%s\033[0m red\n%s\n' "${CORP_TOKEN%????????}" "${CORP_TOKEN#??????????}" "$CORP_TOKEN"
exit 1
SH
echo '{"version":1,"name":"leak","idempotent":true,"tasks":[{"id":"leak","steps":[{"phase":"REFACTOR","run":["sh","leak.sh"]}]}]}' >leak.json
open l 80 24
type l "CORP_TOKEN=abcdefgh12345678ZZ '$devs' --db leak.db run leak.json" Enter
expect l 'gave-up.*leak' 'a step that prints a secret'
expect l '\[cut:CORP_TOKEN\] red' 'its output has a mark'
screen l >leak.screen
want 'and no secret' "$(grep -c 'abcdefgh\|5678ZZ' leak.screen)" 0

finish
