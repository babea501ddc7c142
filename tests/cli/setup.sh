#!/bin/sh
# workspace.setup runs over files that sandboxed tasks may have written: in their sandbox, and so
# none of what they wrote reaches the machine. $2 = podman_image.
podman_image=$2
. "$(dirname "$0")/check.sh"
mkdir "$dir/mark"

# new_project: a repository whose setup does no harm
new_project() {
	fresh_repository
	printf 'echo ok\n' >deps
	cat >hostile <<-END
		id >$dir/mark/PWN
		env >setup-env
		(: </dev/tty) 2>/dev/null && echo terminal >setup-tty
		id >setup-ran
	END
	mkdir sub
	echo x >sub/file
	git add .
	git commit -qm first
}

# write_plan KIND SANDBOX [WORKSPACE KEYS]: `evil` rewrites what the setup of `next` runs; `next`
# begins once $dir/go is there.
write_plan() {
	cat >plan.json <<JSON
{"version": 1, "name": "g", "jobs": 1, "idempotent": true, "policy": {"max_attempts": 1},
 "sandbox": $2, "workspace": {"kind": "$1", "setup": ["sh", "./deps"]${3:-}},
 "tasks": [
  {"id": "evil", "steps": [{"run": ["sh", "-c", "cat hostile >deps"]}]},
  {"id": "gate", "needs": ["evil"], "workspace": "inplace",
   "steps": [{"sandbox": "none", "run": ["sh", "-c", "echo up >$dir/up; until [ -e $dir/go ]; do sleep 0.02; done"]}]},
  {"id": "next", "needs": ["evil", "gate"],
   "steps": [{"sandbox": "none", "run": ["cat", "setup-ran", "setup-env"]},
             {"run": ["cat", "setup-ran"]}]}]}
JSON
}

# check_inside NAME: the setup of `next` ran, inside, and `devs run` passed with that
check_inside() {
	want "$1: exit" "$code" 0
	want "$1: nothing got out" "$(ls "$dir/mark")" ''
	want_in "$1: the setup ran" "$("$devs" log next 2>/dev/null; cat "$dir/out")" 'uid='
	case $(cat "$dir/out") in
	*ours-alone*) want "$1: a variable of ours got in" in out ;;
	esac
}

# try_kind NAME KIND SANDBOX
try_kind() {
	new_project
	write_plan "$2" "$3"
	touch "$dir/go"
	OTHER_TOKEN=ours-alone "$devs" run --plain plan.json >"$dir/out" 2>&1
	code=$?
	cat .devs/work/*/next/tree/setup-* >/dev/null 2>&1
	"$devs" export jsonl 1 >>"$dir/out" 2>/dev/null
	check_inside "$1"
}

# try_continued NAME KIND SANDBOX: a devs that died between the two tasks; the next one runs the setup
# where the plan says.
try_continued() {
	new_project
	write_plan "$2" "$3"
	rm -f "$dir/go" "$dir/up"
	"$devs" run --plain plan.json >"$dir/out" 2>&1 &
	until_true 30 test -e "$dir/up" || want "$1: the gate was reached" no yes
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	touch "$dir/go"
	"$devs" run --plain --continue 1 >"$dir/out" 2>&1
	code=$?
	check_inside "$1, continued"
}

if bwrap --ro-bind / / --proc /proc --unshare-pid --unshare-net true 2>err; then
	for kind in worktree copy; do
		try_kind "bwrap, $kind" "$kind" '{"kind": "bwrap", "read_only": true}'
		try_continued "bwrap, $kind" "$kind" '{"kind": "bwrap", "read_only": true}'
	done

	# The run's folder within the workspace is a link to a folder outside.
	new_project
	cat >sub/plan.json <<JSON
{"version": 1, "sandbox": {"kind": "bwrap", "read_only": true}, "policy": {"max_attempts": 1},
 "workspace": {"kind": "worktree", "setup": ["sh", "-c", "id >PWN"]},
 "tasks": [{"id": "evil", "steps": [{"run": ["sh", "-c", "cd ..; rm -r sub; ln -s $dir/mark sub"]}]},
           {"id": "next", "needs": ["evil"], "steps": [{"run": ["true"]}]}]}
JSON
	(cd sub && "$devs" run --plain plan.json) >"$dir/out" 2>&1
	want 'a link in place of the folder' "$(ls "$dir/mark")" ''

	# On a terminal: it is not the setup's.
	new_project
	write_plan worktree '"bwrap"'
	touch "$dir/go"
	script -qec "'$devs' run --plain plan.json" /dev/null </dev/null >"$dir/out" 2>&1
	want 'on a terminal: the setup ran' "$(git show devs/1/next:setup-ran | cut -c 1-4)" 'uid='
	want 'on a terminal: it is not reached' "$(git show devs/1/next:setup-tty 2>/dev/null)" ''

	# setup_in
	if [ -n "$(ip -o link show lo 2>/dev/null)" ]; then
		for where in sandbox network; do
			new_project
			cat >plan.json <<JSON
{"version": 1, "sandbox": "bwrap",
 "workspace": {"kind": "copy", "setup_in": "$where", "setup": ["sh", "-c", "readlink /proc/self/ns/net >net"]},
 "tasks": [{"id": "a", "steps": [{"run": ["cat", "net"]}]}]}
JSON
			"$devs" run --plain plan.json >"$dir/out" 2>&1
			want "setup_in $where: exit" $? 0
			same=no
			[ "$(cat .devs/work/*/a/result/net)" = "$(readlink /proc/self/ns/net)" ] && same=yes
			case $where in
			sandbox) want 'setup_in sandbox: its own network' $same no ;;
			network) want 'setup_in network: our network' $same yes ;;
			esac
		done
	fi
	new_project
	write_plan worktree '"bwrap"' ', "setup_in": "outside"'
	"$devs" run --plain plan.json >"$dir/out" 2>&1
	want 'setup_in outside: it is outside, as asked' "$(ls "$dir/mark")" PWN
	rm "$dir/mark/PWN"

	# Another attempt's sweep for what it left behind does not end a setup.
	new_project
	cat >plan.json <<JSON
{"version": 1, "jobs": 2, "idempotent": true, "policy": {"max_attempts": 1}, "tasks": [
 {"id": "slow", "workspace": {"kind": "copy", "setup": ["sh", "-c", "echo x >started; sleep 1; echo x >done"]},
  "steps": [{"sandbox": "bwrap", "run": ["cat", "done"]}]},
 {"id": "leaves", "steps": [{"run": ["sh", "-c",
  "until [ -s .devs/work/*/slow/tree/started ]; do sleep 0.02; done; setsid sleep 30 >/dev/null 2>&1 & sleep 0.1"]}]}]}
JSON
	"$devs" run --plain plan.json >"$dir/out" 2>&1
	want 'a sweep beside a setup: exit' $? 0
else
	echo "skipped: bwrap does not work here: $(cat err)"
fi

# --- the same in a container, whose starts are slow: with bwrap both kinds were continued
image=localhost/devs-setup-$$:1
if "$podman_image" make "$image" >args 2>err; then
	trap '"$podman_image" remove "$image"; rm -rf "$dir" "$dir-run"' EXIT INT TERM
	args=$(sed 's/.*/"&"/' args | paste -sd ,)
	sandbox="{\"kind\": \"podman\", \"image\": \"$image\", \"args\": [$args]}"
	try_kind 'podman, worktree' worktree "$sandbox"
	try_continued 'podman, copy' copy "$sandbox"
	want 'no container is left' "$(podman ps --all --quiet --filter "ancestor=$image")" ''
	new_project
	write_plan copy "{\"kind\": \"podman\", \"image\": \"localhost/devs-no-such-image:1\"}"
	"$devs" run --plain plan.json >"$dir/out" 2>&1
	want_in 'no image: the setup says so as a step does' "$(cat "$dir/out")" \
		"workspace.setup: podman: image 'localhost/devs-no-such-image:1' is not on this machine"
else
	echo "skipped: $(cat err)"
fi
finish
