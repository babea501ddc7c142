#!/bin/sh
# views.sh DEVS SHOP_LOG: opens the six views of a recorded run in a real terminal by their digits,
# at three sizes, in UTF-8 and in ASCII; then q returns to the shell.
shop_log=$2
. "$(dirname "$0")/terminal.sh"
"$shop_log" "$dir/devs.db" || exit 1

# visit NAME COLUMNS ROWS LOCALE
visit() {
	open "$1" "$2" "$3"
	type "$1" "LC_ALL=$4 TZ=UTC '$devs' --db devs.db debug --logs 4" Enter
	expect "$1" 'REPLAY' "$1: the replay"
	type "$1" G
	type "$1" 2
	expect "$1" 'Tasks >\|T-[0-9]* ' "$1: one task"
	type "$1" 3
	expect "$1" '── log\|-- log' "$1: the log"
	type "$1" 4
	expect "$1" '1 verdict' "$1: what is left of a try"
	type "$1" 5
	expect "$1" 'Timeline' "$1: the timeline"
	type "$1" 6
	expect "$1" 'Runs' "$1: the runs"
	expect "$1" '#2' "$1: an earlier run"
	type "$1" q
	expect "$1" 'Timeline' "$1: back"
	type "$1" 1
	expect "$1" 'T-102 .*F' "$1: the list again"
	type "$1" q
	expect "$1" 'shell> *$' "$1: the shell again"
}

visit wide 140 40 C.UTF-8
visit usual 80 24 C.UTF-8
visit small 40 12 C.UTF-8
visit usual-ascii 80 24 C
visit small-ascii 40 12 C
finish
