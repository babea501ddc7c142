#!/bin/sh
# Looking at the past while an engine works, and at other runs, in a real terminal.
. "$(dirname "$0")/terminal.sh"

cat >plan.json <<'PLAN'
{"version": 1, "name": "screens", "idempotent": true, "jobs": 3,
 "tasks": [{"id": "first", "title": "passes at once", "steps": [{"run": ["true"]}]},
           {"id": "second", "title": "passes when told", "steps": [{"run": ["sh", "-c", "until test -e go; do sleep 0.1; done"]}]},
           {"id": "third", "title": "runs on", "steps": [{"run": ["sh", "-c", "until test -e end; do sleep 0.1; done"]}]}]}
PLAN
echo '{"version":1,"name":"short","idempotent":true,"tasks":[{"id":"one","steps":[{"run":["true"]}]}]}' >short.json
"$devs" run short.json --plain >out.txt 2>&1
want 'a first run passes' $? 0

export LC_ALL=C.UTF-8
open a 80 24
type a "'$devs' run plan.json" Enter
expect a 'passed.*first' 'the run goes on'
expect a 'running.*third' 'and runs'

# The screen is frozen, the engine is not.
test_P6_the_past_is_looked_at_while_the_run_goes_on() {
	type a ,
	expect a 'PAST -.*live continues: ●2' ', goes back, and the bar says how it goes on'
	expect a '\$ = live' 'and how to come back'
	type a b
	expect a 'go to' 'b asks for a time'
	type a 'first' Enter
	expect a 'running.*first' 'the task runs as it did then'
	touch go
	expect a 'live continues: ●1)' 'the engine goes on, and the counts with it'
	expect a 'running.*first' 'the screen stays where it was'
	type a x
	expect a 'the past is read only' 'acts are refused with a word'
	type a '$'
	expect a 'LIVE' '$ leads back'
	expect a 'passed.*second' 'to what has happened meanwhile'
}
test_P6_the_past_is_looked_at_while_the_run_goes_on

# --- another run, while our own continues
type a 6
expect a '2 runs, 4 tries' '6 lists the runs'
type a j Enter
expect a 'REPLAY' 'Enter opens a run that is over as a replay'
expect a 'run #2 continues meanwhile' 'and says what goes on'
touch end
type a q
expect a '2 runs, 4 tries' 'q goes back to the runs'
type a q
expect a 'ENDED' 'and to the own run, which has gone on to its end'
expect a 'passed.*third' 'with all that happened'
type a ,
expect a '\$ = end' 'of a run that is over $ leads to its end'
type a '$'
expect a 'ENDED' 'as it does'
type a q
expect a 'devs replay' 'q leaves'

# --- without a run
type a "clear; '$devs' debug --logs" Enter
expect a '2 runs, 4 tries' 'debug --logs lists the runs'
type a j Enter
expect a 'REPLAY' 'Enter opens one'
type a q q
expect a 'shell>' 'q leads back and out'

finish
