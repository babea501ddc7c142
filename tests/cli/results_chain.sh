#!/bin/sh
# Results that stand on those of other tasks: shown, and brought home. usage: results_chain.sh DEVS
. "$(dirname "$0")/check.sh"
command -v git >/dev/null || exit 77
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1

# start KIND: b changes, c removes what a made; d changes nothing
start() {
	fresh_repository
	seq 5 >text
	echo .devs/ >.gitignore
	cat >plan.json <<-PLAN
		{"version": 1, "workspace": "$1", "tasks": [
		  {"id": "a", "steps": [{"run": "seq 3 >made; echo six >>text", "shell": true}]},
		  {"id": "b", "needs": ["a"], "steps": [{"run": "echo 4 >>made; echo seven >>text", "shell": true}]},
		  {"id": "c", "needs": ["a"], "steps": [{"run": "rm made", "shell": true}]},
		  {"id": "d", "needs": ["c"], "steps": [{"run": ["true"]}]}]}
	PLAN
	git add -A
	git commit -qm first
	want "$1: the run" "$("$devs" run --plain plan.json >run.log 2>&1; echo $?)" 0
	rm run.log
}

clean() {
	git checkout -q .
	git clean -qfd
}

# chain KIND
chain() {
	start "$1"
	out=$("$devs" diff b 2>&1)
	want_in "$1: only its own lines" "$out" '@@ -1,3 +1,4 @@'
	want "$1: only its own lines" "$(echo "$out" | grep -c '^+[0-9s]')" 2
	want_in "$1: what is gone" "$("$devs" diff c 2>&1)" '-3'
	want_in "$1: what is gone, counted" "$("$devs" diff c --stat)" 'D      0      3  made'
	out=$("$devs" apply b 2>&1; echo "exit $?")
	want_in "$1: alone it says what it stands on" "$out" "the result is based on 'a': apply that first"
	want_in "$1: alone" "$out" 'exit 1'
	want "$1: and nothing changed" "$(git status --short)" ''
	want_in "$1: nothing to bring" "$("$devs" apply d; echo "exit $?")" 'd: no changes'
	"$devs" apply a >/dev/null
	want_in "$1: one after the other" "$("$devs" apply b 2>&1; echo "exit $?")" 'exit 0'
	want "$1: one after the other" "$(tail -n 1 made; tail -n 1 text)" "$(printf '4\nseven')"
	clean
	"$devs" apply a >/dev/null
	git add made text
	want_in "$1: staged in between" "$("$devs" apply b 2>&1; echo "exit $?")" 'exit 0'
	want "$1: the index stays" "$(git diff --cached --stat | tail -n 1)" ' 2 files changed, 4 insertions(+)'
	git reset -q
	clean
	"$devs" apply a >/dev/null
	echo mine >>text
	want_in "$1: changes of one's own" "$("$devs" apply b 2>&1; echo "exit $?")" "'text'"
	want "$1: changes of one's own" "$(tail -n 1 text; tail -n 1 made)" "$(printf 'mine\n3')"
	clean
}

chain worktree
chain copy
# what it was made of is gone
rm -r .devs/work/*/a/result
out=$("$devs" diff b 2>&1)
want_in 'what is gone is not shown as new' "$out" 'their lines are left out'
want 'what is gone is not shown as new' "$(echo "$out" | grep -c '^+1')" 0
finish
