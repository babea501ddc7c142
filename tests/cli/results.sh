#!/bin/sh
# What tasks did in their workspaces: devs diff, devs apply. usage: results.sh DEVS
. "$(dirname "$0")/check.sh"
command -v git >/dev/null || exit 77
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1

# start KIND: a project whose plan works in workspaces of that kind, run to its end
start() {
	fresh_repository
	mkdir src docs
	seq 20 >src/a.txt
	echo two >src/b.txt
	echo three >docs/c.txt
	printf '.devs/\n*.o\n' >.gitignore
	cat >plan.json <<-PLAN
		{"version": 1, "name": "results", "workspace": "$1", "on_hangup": "go-on",
		 "tasks": [
		  {"id": "good", "steps": [{"run": "sed -i s/^7\$/seven/ src/a.txt; rm docs/c.txt; printf 'x\\\\n' >new; echo o >src/x.o; printf 'a\\\\0b' >bytes; chmod 755 src/b.txt", "shell": true}]},
		  {"id": "next", "needs": ["good"], "steps": [{"run": "cat new >>src/b.txt", "shell": true}]},
		  {"id": "bad", "steps": [{"phase": "RED", "run": "echo half >>src/b.txt; printf '\\\\033[31mred\\\\n' >odd; exit 1", "shell": true}]},
		  {"id": "none", "steps": [{"run": ["true"]}]}]}
	PLAN
	git add -A
	git commit -qm first
	want "$1: the run" "$("$devs" run --plain plan.json >run.log 2>&1; echo $?)" 1
	want_in "$1: the summary says where the result is" "$(cat run.log)" "  kept       good: result "
	want_in "$1: and how it comes home" "$(cat run.log)" \
		"  apply      devs diff 1/good, devs apply 1/good"
	want_in "$1: and where the rest is" "$(cat run.log)" "  workspace  bad: $1 "
	rm run.log
}

state() {
	find . -path ./.devs -prune -o -path ./.git -prune -o -printf '%p %y %m %l\n' | sort
	find . -path ./.devs -prune -o -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
	sha256sum .git/index .git/HEAD
}

# same_both KIND SUM EXIT: what is the same of a worktree and of a copy; where but a mode is missing,
# a copy can be told apart from changes of one's own
same_both() {
	before=$(state)
	out=$("$devs" diff 1/good --stat)
	want_in "$1: stat, changed" "$out" "M      1      1  src/a.txt"
	want_in "$1: stat, deleted" "$out" "D      0      1  docs/c.txt"
	want_in "$1: stat, added" "$out" "A      1      0  new"
	want_in "$1: stat, no text" "$out" "A      -      -  bytes"
	out=$("$devs" diff good)
	want_in "$1: diff" "$out" "+seven"
	want_in "$1: diff" "$out" "--- a/src/a.txt"
	out=$("$devs" diff 1/good --json)
	want_in "$1: json" "$out" '{"v":1,"run":1,"task":"good","result":true'
	want_in "$1: json" "$out" '{"kind":"D","path":"docs/c.txt","added":0,"removed":1}'
	want_in "$1: nothing" "$("$devs" diff 1/none --stat)" "0 paths changed"
	out=$("$devs" diff 1/bad 2>err)
	want_in "$1: a failed task" "$out" "+half"
	want_in "$1: a failed task says so" "$(cat err)" "bad has not passed"
	rm err
	want "$1: looking changes nothing" "$(state)" "$before"
	want "$1: check" "$("$devs" apply 1/good --check >out; echo $?)" 0
	want_in "$1: check" "$(cat out)" "can be applied to"
	rm out
	want "$1: checking changes nothing" "$(state)" "$before"
	want_in "$1: a failed task" "$("$devs" apply 1/bad 2>&1; echo " $?")" "has no result"

	# in the way: each of these, and nothing changes
	echo mine >>src/a.txt
	before=$(state)
	out=$("$devs" apply 1/good 2>&1; echo "exit $?")
	want_in "$1: own changes" "$out" "your tree has other changes"
	want_in "$1: own changes" "$out" "'src/a.txt'"
	want_in "$1: own changes" "$out" "exit 1"
	want "$1: all or nothing" "$(state)" "$before"
	git checkout -q src/a.txt
	echo mine >new
	before=$(state)
	want_in "$1: there already" "$("$devs" apply 1/good 2>&1)" "'new'"
	want "$1: all or nothing" "$(state)" "$before"
	rm new
	echo other >>src/b.txt
	chmod 644 src/b.txt
	before=$(git ls-files -s)
	rm docs/c.txt
	want_in "$1: deleted here, too" "$("$devs" apply 1/good 2>&1; echo "exit $?")" "exit"
	git checkout -q docs src
	want "$1: applied" "$("$devs" apply 1/good >out; echo $?)" 0
	want_in "$1: applied" "$(cat out)" "good: $2; applied to"
	rm out
	want "$1: the content" "$(sed -n 7p src/a.txt; cat new; ls docs 2>/dev/null; stat -c %a src/b.txt)" "$(printf 'seven\nx\n755')"
	want "$1: the index stays" "$(git ls-files -s)" "$before"
	want "$1: no commit" "$(git log --format=%s)" first
	state=$(state)
	out=$("$devs" apply 1/good; echo "exit $?")
	want_in "$1: once more" "$out" "good: already applied to "
	want_in "$1: once more" "$out" 'exit 0'
	want_in "$1: once more, json" "$("$devs" apply 1/good --json)" '"applied":true,"was_there":true'
	want "$1: once more, nothing changes" "$(state)" "$state"
	chmod 644 src/b.txt
	want_in "$1: not all of it is there" "$("$devs" apply 1/good 2>&1; echo "exit $?")" "$3"
	chmod 755 src/b.txt
	git add -A
	git commit -qm applied
	want_in "$1: there, and committed" "$("$devs" apply 1/good; echo "exit $?")" 'good: already applied to '
	git reset -q HEAD~
	want "$1: no ignored files of a worktree" "$(test "$1" = copy || ls src/x.o 2>/dev/null)" ""
}

# gc_keeps KIND: what nobody asked to be removed stays
gc_keeps() {
	out=$("$devs" gc; echo "exit $?")
	want_in "$1: gc, a failed task" "$out" '/bad  its task did not pass'
	want_in "$1: gc" "$out" 'exit 0'
	want_in "$1: after gc there is the result" "$("$devs" diff good)" '+seven'
	want_in "$1: gc, no such task" "$("$devs" gc 1/nosuch 2>&1; echo "exit $?")" "run #1 has no task 'nosuch'"
	want "$1: gc, no such task" "$("$devs" gc 1/nosuch 2>/dev/null; echo "exit $?")" 'exit 66'
	want "$1: gc, no such run" "$("$devs" gc 9/good 2>/dev/null; echo "exit $?")" 'exit 66'
	want_in "$1: gc, as it was said" "$("$devs" gc 1/bad)" 'removed        workspace'
	want_in "$1: and no other" "$("$devs" apply good --check)" 'can be applied to'
}

start worktree
same_both worktree '5 paths changed, 2 lines added, 2 removed' 'exit 1'
out=$("$devs" diff next)
want_in 'from the result of what it needs' "$out" '+x'
want 'and only that' "$("$devs" diff next --json --stat | grep -o '"path":"[^"]*"')" '"path":"src/b.txt"'
git checkout -q .
git clean -qfd
"$devs" diff good >patch
want 'a pipe gets what git apply reads' "$(git apply patch; echo $?)" 0
rm patch
git checkout -q .
git clean -qfd
# the user has committed in between: what still fits is brought, what does not is not
echo 21 >>src/a.txt
git commit -qam later
want 'elsewhere in the same file' "$("$devs" apply good >/dev/null; echo $?)" 0
want 'elsewhere in the same file' "$(sed -n '7p;21p' src/a.txt)" "$(printf 'seven\n21')"
git checkout -q .
git clean -qfd
sed -i 's/^7$/sieben/' src/a.txt
git commit -qam german
before=$(state)
out=$("$devs" apply good 2>&1; echo "exit $?")
want_in 'the same lines' "$out" 'does not apply to your tree'
want_in 'the same lines' "$out" 'devs/1/good'
want 'the same lines' "$(state)" "$before"
git reset -q --hard HEAD~
gc_keeps worktree
want 'branches are not left over' "$("$devs" gc; "$devs" gc 1/good)" "$(printf 'nothing to clean up\nnothing to clean up')"
git branch -q -D devs/1/good
want_in 'a branch that is gone' "$("$devs" diff good 2>&1; echo "exit $?")" "the branch 'devs/1/good' no longer exists"
want_in 'a branch that is gone' "$("$devs" gc)" '/good  its result no longer exists'

start copy
# what git ignores is part of a copy
same_both copy '6 paths changed, 3 lines added, 2 removed' 'exit 0'
want_in 'copies: json' "$("$devs" diff good --json --stat)" '.devs/work/'

git checkout -q .
git clean -qfd
gc_keeps copy
want_in 'a copy is a result' "$("$devs" gc)" '/good  result kept; RUN/TASK or --older DAYS removes it'
want_in 'removed as it was said' "$("$devs" gc 1/good --dry-run)" 'would remove'
want_in 'removed as it was said' "$("$devs" gc 1/good)" '/good  and its result'
want_in 'removed as it was said' "$("$devs" apply good 2>&1; echo "exit $?")" 'devs gc removed its workspace'

# a task that works on the repository itself, and on a name in two lines
cat >own.sh <<-SCRIPT
	git config a.b c
	echo h >.git/hooks/h
	echo theirs >'a
	b'
SCRIPT
cat >own.json <<-PLAN
	{"version": 1, "workspace": "copy", "tasks": [{"id": "own", "steps": [{"run": ["sh", "own.sh"]}]}]}
PLAN
"$devs" run --plain own.json >/dev/null
out=$("$devs" diff own --stat 2>err)
want 'of a repository nothing comes' "$out" "$(printf 'A      1      0  a?b\n1 path changed, 1 line added, 0 removed')"
want_in 'and it is said' "$(cat err)" "'.git' also changed, but is not part of the result"
want_in 'a run of one task needs no task' "$("$devs" diff last --stat --json 2>/dev/null)" '"task":"own"'
want_in 'nor is there a heading' "$("$devs" diff own 2>/dev/null | grep -c '^diff')" 1
echo ours >'a
b'
want 'an error is a line' "$("$devs" apply own 2>&1 | sed -n 1p)" "devs: your tree has other changes: 'a b' was changed on both sides"
rm 'a
b' err own.sh own.json

cat >inplace.json <<-PLAN
	{"version": 1, "idempotent": true, "tasks": [{"id": "here", "steps": [{"run": ["true"]}]}]}
PLAN
"$devs" run --plain inplace.json >/dev/null
out=$("$devs" diff here 2>&1; echo "exit $?")
want_in 'in place there is nothing' "$out" "task 'here' of run #3 has no workspace here"
want_in 'in place there is nothing' "$out" 'exit 66'
fails 'no task' 2 'hint: use devs diff 1/TASK with a task such as good' diff 1
fails 'no task, apply' 2 'run #1 has 4 tasks' apply 1
exits 'a task that is not there' 66 apply 1/nosuch
want_in 'help' "$("$devs" apply --help)" 'usage: devs apply [options] [RUN/]TASK'
cat >governs.json <<-PLAN
	{"version": 1, "idempotent": true, "workspace": "worktree", "tasks": [{"id": "governs", "steps": [
	 {"run": ["sh", "-c", "mkdir sub; echo '{}' >sub/devs.config.json; echo x >sub/next.plan.json"]}]}]}
PLAN
"$devs" run --plain governs.json >/dev/null
out=$("$devs" apply governs 2>&1)
want_in 'settings in a result' "$out" "the result changes 'sub/devs.config.json', which controls what"
want_in 'a plan in a result' "$out" "the result changes 'sub/next.plan.json', which controls what"
rm -r sub
# --- what piles up over many runs
python3 - >pile.json <<-'PY'
	import json
	tasks = [{"id": f"t{i}", "steps": [{"run": ["false"], "policy": {"max_attempts": 1}}]} for i in range(5)]
	print(json.dumps({"version": 1, "workspace": "worktree", "tasks": tasks}))
PY
"$devs" run --plain pile.json >/dev/null
want_in 'gc says how to remove what piles up' "$("$devs" gc)" 'devs gc --older 7 removes those'
want 'gc with --older needs no such hint' "$("$devs" gc --older 7 | grep -c hint)" 0
want_in 'gc removes them' "$("$devs" gc --older 0)" 'removed        workspace'
want 'gc has no more to hint at' "$("$devs" gc | grep -c 'hint.*workspaces')" 0
printf 'no database, %2000d' 0 >.devs/devs.db
rm -f .devs/devs.db-*
out=$("$devs" gc 2>&1; echo "exit $?")
want_in 'gc of what is no log' "$out" "devs.db': file is not a database"
want_in 'gc of what is no log' "$out" 'exit 65'
finish
