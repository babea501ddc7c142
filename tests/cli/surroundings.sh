#!/bin/sh
# Where steps work and how they are kept apart: what plans and settings say of it, from outside.
. "$(dirname "$0")/check.sh"

cat >plan.json <<'JSON'
{"version": 1, "workspace": "worktree", "sandbox": {"memory_mb": 512, "pids": 64},
 "limits": {"processes": 99}, "on_hangup": "wait",
 "tasks": [{"id": "a", "steps": [
  {"run": ["true"]},
  {"run": ["true"], "sandbox": {"kind": "podman", "image": "shop", "network": true, "pids": 0}}]},
  {"id": "b", "workspace": "inplace", "steps": [
   {"run": ["true"], "idempotent": true, "sandbox": {"memory_mb": 0, "pids": 0}}]}]}
JSON
"$devs" run --dry-run plan.json >out 2>err
want 'dry run: a worktree outside git: exit' $? 2
want_in 'dry run: a worktree outside git' "$(cat err)" "devs: task 'a': workspace \"worktree\": "
want_in 'dry run: a worktree outside git: why' "$(cat err)" 'is not in a git repository'
want_in 'dry run: the plan is shown all the same' "$(cat out)" 'a  in a worktree'
git init -q . && "$devs" run --dry-run plan.json >out 2>err
want 'dry run: a worktree without a commit: exit' $? 2
want_in 'dry run: a worktree without a commit' "$(cat err)" 'has no commit yet'
commit() {
	git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m "$1"
}
git config -f .gitmodules submodule.lib.path lib
git add .gitmodules && commit modules
fails 'dry run: a worktree with submodules' 2 'has submodules' run --dry-run plan.json
want_in 'dry run: a worktree with submodules: hint' "$(cat err)" 'hint: use "workspace": "copy"'
git rm -q -f .gitmodules && commit plain
"$devs" run --dry-run plan.json >out
want 'dry run: exit' $? 0
want_in 'dry run: a worktree' "$(cat out)" 'a  in a worktree'
want_in 'dry run: limits' "$(cat out)" 'in none: 512 MiB, 64 processes  true'
want_in 'dry run: a step of its own' "$(cat out)" 'in podman shop: network, 512 MiB  true'
want_in 'A11: what can be put back needs no word' "$(cat out)" "up to 2 more if the server requests a wait"
want_in 'dry run: lifted limits' "$(cat out)" "a wait  true"

# --- what a stranger's plan takes for itself is all there to be read
cat >open.json <<'JSON'
{"version": 1,
 "workspace": {"kind": "worktree", "copy": ["node_modules"], "exclude": ["big"],
               "setup": ["sh", "-c", "evil setup"]},
 "sandbox": {"kind": "bwrap", "args": ["--bind", "/", "/"], "writable": ["/etc"],
             "env": ["SECRET_*"]},
 "tasks": [{"id": "a", "steps": [{"run": ["true"]}]}]}
JSON
"$devs" run --dry-run open.json >out
want 'dry run: an open sandbox: exit' $? 0
want_in 'dry run: what may be written' "$(cat out)" '    writable /etc'
want_in 'dry run: what is let in' "$(cat out)" "    env      'SECRET_*'"
want_in 'dry run: arguments of the sandbox' "$(cat out)" '    args     --bind / /'
want_in 'dry run: the setup' "$(cat out)" "    setup    sh -c 'evil setup'  in bwrap"
want 'dry run: what runs outside a sandbox' "$(sed -n '/^outside/,$p' out)" \
	"outside any sandbox:
  git      devs' own commands, with devs' own configuration"
want_in 'dry run: what is brought along' "$(cat out)" '    copy     node_modules'
want_in 'dry run: what is left out' "$(cat out)" '    exclude  big'

cat >devs.config.json <<'JSON'
{"ui": {"notify": ["ended"], "notify_command": ["sh", "-c", "id"]},
 "workspace": {"kind": "copy", "setup": ["make", "deps"]}, "sandbox": {"kind": "podman", "image": "i"}}
JSON
cat >mixed.json <<'JSON'
{"version": 1, "tasks": [
 {"id": "in", "steps": [{"run": ["true"]}, {"run": ["true"], "sandbox": "none"}]},
 {"id": "net", "workspace": {"setup_in": "network"}, "steps": [{"run": ["true"]}]},
 {"id": "out", "workspace": {"setup_in": "outside"}, "steps": [{"run": ["true"]}]},
 {"id": "none", "steps": [{"run": ["true"], "sandbox": "none"}]}]}
JSON
"$devs" run --dry-run mixed.json >out
want 'dry run: where each setup runs' "$(grep '^    setup' out)" \
	"    setup    make deps  in podman i
    setup    make deps  in podman i: network
    setup    make deps  outside any sandbox
    setup    make deps  outside any sandbox"
want 'dry run: what runs outside' "$(sed -n '/^outside/,$p' out)" \
	"outside any sandbox:
  steps    in/2, none/1
  setup    out, none
  git      devs' own commands, with devs' own configuration
  podman   the client that starts the containers
  notify   sh -c id  (notify_command, only in a project that you trust)"
want_in 'dry run: JSON has setup_in' "$("$devs" run --dry-run --json mixed.json)" '"setup_in":"network"'
rm devs.config.json

# --- other machines
cat >devs.config.json <<'JSON'
{"executors": {"far": {"like": "ssh", "hosts": ["h1"], "shared": "/"}}}
JSON
cat >machines.json <<'JSON'
{"version": 1, "idempotent": true,
 "executors": {
  "lab": {"like": "ssh", "hosts": [{"host": "gpu1", "slots": 8}, "gpu2"], "shared": "/nfs",
          "args": ["-o", "User=a b"], "hand": "~/bin/devs-hand"},
  "idle": {"like": "ssh", "hosts": ["h2"], "shared": "/nfs"}},
 "tasks": [
  {"id": "a", "executor": "lab", "steps": [{"run": ["true"]}]},
  {"id": "b", "needs": ["a"], "executor": "far", "steps": [{"run": ["true"]}]},
  {"id": "c", "executor": "local", "steps": [{"run": ["true"]}]}]}
JSON
"$devs" run --dry-run machines.json >out
want 'dry run: where tasks run' "$(grep '^[abc]' out)" \
	"a  on lab (gpu1, gpu2; 9 slots)
b  needs a  on far (h1; 1 slot)
c"
want 'dry run: how executors are reached' "$(grep '^  ssh' out)" \
	"  ssh      -o 'User=a b' HOST '~/bin/devs-hand'  (executor lab)
  ssh      HOST devs-hand  (executor far)"
want_in 'dry run: executors of settings need trust' "$(cat out)" '  executors: starts programs on other machines'
"$devs" run --dry-run --json machines.json >again.json 2>err
rm devs.config.json
want 'dry run: JSON has the executors' "$("$devs" run --dry-run again.json | grep '^[ab]  ')" \
	"$(grep '^[ab]  ' out)"

# --- all that is wrong, with a hint
cat >bad.json <<'JSON'
{"version": 1, "sandbox": {"kind": "podman"}, "on_hangup": "die",
 "tasks": [{"id": "a", "workspace": {"setup": ["make"]}, "steps": [{"run": ["true"]}]}]}
JSON
exits 'wrong' 2 run --dry-run bad.json
want_in 'wrong: image' "$(cat err)" \
	'[MISSING_FIELD] /sandbox/image: a container needs an image, which must be on this machine'
want_in 'wrong: hangup' "$(cat err)" '[INVALID_VALUE] /on_hangup: not one of the allowed values'
want_in 'wrong: setup in place' "$(cat err)" \
	'[INVALID_VALUE] /tasks/0/workspace/setup: needs a separate workspace'
want_in 'A11: not idempotent' "$(cat err)" 'or give its task a "workspace" that can be reset'

# --- settings are what plans begin with, and the log says all of it
cat >devs.config.json <<'JSON'
{"sandbox": {"transientRetries": 2}, "limits": {"output_line_bytes": 2048}, "on_hangup": "cancel"}
JSON
cat >place.json <<'JSON'
{"version": 1, "idempotent": true, "tasks": [{"id": "a", "steps": [
 {"run": ["true"]}, {"phase": "VERIFY", "run": ["false"], "policy": {"max_attempts": 1}}]}]}
JSON
exits 'in place' 1 run --plain place.json
want_in 'the log has the settings' \
	"$(sqlite3 .devs/devs.db 'SELECT text FROM plan WHERE run=1')" \
	'"limits":{"output_line_bytes":2048,"processes":0},"on_hangup":"cancel"'
"$devs" status --json >out
want_in 'proofs' "$(cat out)" '"proofs":[{"step":1,"stale":false}]'
"$devs" why a --json >out
want_in 'why: proofs' "$(cat out)" '"proofs":[{"step":1,"stale":false}]'
# --- one command in a sandbox
rm devs.config.json
fails 'exec: another sandbox' 2 'none, bwrap, podman:IMAGE' exec --sandbox moon -- true
fails 'exec: --network without a sandbox' 2 '--network needs a sandbox' exec --network -- true
fails 'exec: --writable that is missing' 2 "--writable 'none/such': No such file" \
	exec --sandbox bwrap --writable none/such -- true
fails 'exec: --sandbox without a kind' 2 "--sandbox needs a kind, not '--'" exec --sandbox -- true
"$devs" exec --sandbox bwrap --writable / -- true 2>err
want_in 'exec: --writable /' "$(cat err)" "--writable '/' would make the whole file system writable"
fails 'exec: no image' 2 'podman:IMAGE, or set "sandbox" in devs.config.json' exec --sandbox podman -- true
want_in 'exec: help' "$("$devs" exec --help)" '--sandbox K'
exec 9<"$HOME"
fails 'exec: descriptors of the caller' 2 "cannot access '/proc/self/fd/9/'" exec --once -- ls /proc/self/fd/9/
if bwrap --ro-bind / / --proc /proc --unshare-pid --unshare-net true 2>err; then
	"$devs" exec --once --sandbox bwrap -- sh -c 'grep -c : /proc/net/dev; exit 9' >out 2>err
	want 'exec: its own exit code' $? 9
	want 'exec: a network of its own' "$(cat out)" 1
	"$devs" exec --once --sandbox bwrap -- ls /proc/self/fd/9/ >out 2>err
	want 'bwrap: descriptors of the caller: exit' $? 2
	want_in 'bwrap: descriptors of the caller' "$(cat err)" "cannot access '/proc/self/fd/9/'"
	echo '{"sandbox": {"kind": "bwrap", "network": true, "env": ["SHOP_*"]}}' >devs.config.json
	trust
	SHOP_A=in OTHER=out "$devs" exec --sandbox bwrap -- sh -c 'echo "$SHOP_A ${OTHER-none}"' >out 2>err
	want 'exec: what the settings say beside the kind' "$(cat out)" 'in none'
	remove_settings
	# Outside /tmp, which a sandbox has for itself.
	far=$(mktemp -d "${XDG_CACHE_HOME:-$HOME}/devs-test-XXXXXX" 2>/dev/null || mktemp -d /var/tmp/devs-test-XXXXXX)
	mkdir "$far/a" "$far/b"
	"$devs" exec --once --sandbox bwrap -- sh -c "echo x >'$far/a/file'" >out 2>err
	want 'exec: all is read-only' "$(ls -A "$far/a")" ''
	"$devs" exec --once --sandbox bwrap --network --writable "$far/a" --writable "$far/b" -- \
		sh -c "echo x >'$far/a/file' && echo y >'$far/b/file' && cat /proc/net/dev | wc -l" >out 2>err
	want 'exec: --writable: exit' $? 0
	want 'exec: --writable' "$(cat "$far/a/file" "$far/b/file")" 'x
y'
	want 'exec: --network' "$(cat out)" "$(wc -l </proc/net/dev)"
	echo '{"sandbox": {"kind": "bwrap", "read_only": false}}' >devs.config.json
	trust
	"$devs" exec --once -- sh -c "echo z >'$far/a/file'" >out 2>err
	want 'exec: read_only false' "$(cat "$far/a/file")" z
	rm -r "$far"
	echo '{"version": 1, "tasks": [{"id": "a", "steps": [{"idempotent": true, "run": ["sh", "-c", "echo evil >plan2.json; echo evil >devs.config.json; true"]}]}]}' >plan2.json
	"$devs" run --plain plan2.json >out 2>err
	want_in 'the plan is read-only' "$(cat plan2.json)" '"version": 1'
	want 'the settings are read-only' "$(cat devs.config.json)" '{"sandbox": {"kind": "bwrap", "read_only": false}}'
	want_in 'dry run: all files writable' "$("$devs" run --dry-run plan2.json)" 'in bwrap: all files writable  '
	echo '{"sandbox": "bwrap"}' >devs.config.json
	trust
	want_in 'dry run: read-only' "$("$devs" run --dry-run plan2.json)" 'in bwrap: writes only to the workspace  '
	echo '{"sandbox": {"kind": "bwrap", "writable": ["/var/tmp"]}}' >devs.config.json
	trust
	want_in 'dry run: writable' "$("$devs" run --dry-run plan2.json)" 'in bwrap: writes only to the workspace and the writable paths  '
	echo '{"sandbox": "bwrap"}' >devs.config.json
	trust
	ln -s /etc/passwd linked
	echo '{"version": 1, "tasks": [{"id": "a", "steps": [{"idempotent": true, "run": ["cat"], "stdin": "linked"}]}]}' >stdin.json
	"$devs" run --plain stdin.json >out 2>err
	want 'stdin that leads out: exit' $? 1
	want_in 'stdin that leads out' "$(cat out)" "stdin leads out of the sandbox's workspace"
	# devs execute-phase runs such a plan, and the person names no file.
	echo '{}' >phase-3.plan.json
	"$devs" exec --once --sandbox bwrap -- sh -c 'echo evil >phase-3.plan.json' >out 2>err
	want 'the plan of a phase is read-only' "$(cat phase-3.plan.json)" '{}'
	# A plan in a subfolder works on its project only if it says so; its cwd alone opens nothing.
	mkdir -p project/plans home/plans
	cat >home/plans/up.json <<-'JSON'
		{"version": 1, "idempotent": true, "policy": {"max_attempts": 1}, "sandbox": "bwrap",
		 "tasks": [{"id": "a", "steps": [
		 {"cwd": "..", "run": ["sh", "-c", "echo made >made; echo x >plans/up.json; test -s made"]}]}]}
	JSON
	sed "s|\"bwrap\"|{\"kind\": \"bwrap\", \"writable\": [\"$PWD/project\"]}|" home/plans/up.json \
		>project/plans/up.json
	exits 'a project above the plan' 0 run --plain project/plans/up.json
	want 'a project above the plan' "$(cat project/made)" made
	want_in 'a project above the plan: the plan itself' "$(cat project/plans/up.json)" '"version": 1'
	HOME=$PWD/home "$devs" run --plain home/plans/up.json >out 2>err
	want 'a home above the plan: exit' $? 1
	want 'a home above the plan' "$(ls home)" plans
	OTHER=there "$devs" exec --sandbox none -- sh -c 'echo "$OTHER"' >out 2>err
	want 'exec: none, against the settings' "$(cat out)" there
else
	echo "skipped: bwrap does not work here: $(cat err)"
fi

# --- what is not enforced is said by `devs status`, too
cat >lax.json <<'JSON'
{"version": 1, "tasks": [{"id": "lax", "steps": [
 {"run": ["/bin/true"], "idempotent": true, "sandbox": {"memory_mb": 500, "best_effort": true}}]}]}
JSON
[ ! -e devs.config.json ] || remove_settings
if unshare -m sh -c 'umount -l /sys/fs/cgroup' 2>err; then
	unshare -m sh -c 'umount -l /sys/fs/cgroup; exec "$1" run --plain lax.json' sh "$devs" >out 2>err
	want_in 'a limit that is not enforced' "$("$devs" status)" \
		'lax: sandbox does not enforce memory_mb'
else
	echo "skipped: control groups cannot be taken away here: $(cat err)"
fi

# --- tasks that run at the same time have numbers and ports of their own
mkdir slots
cat >slots.json <<'JSON'
{"version": 1, "idempotent": true, "jobs": 4, "tasks": [
 {"id": "a", "steps": [{"run": ["sh", "slot.sh"]}, {"run": ["sh", "slot.sh"]}]}, {"id": "b", "steps": [{"run": ["sh", "slot.sh"]}]},
 {"id": "c", "steps": [{"run": ["sh", "slot.sh"]}]}, {"id": "d", "steps": [{"run": ["sh", "slot.sh"]}]}]}
JSON
cat >slot.sh <<'SH'
file=slots/$DEVS_RUN-$(echo "$DEVS_STEP" | tr / -)
echo "$DEVS_SLOT $DEVS_PORT_1 $DEVS_PORT_8" >"$file.new"
mv "$file.new" "$file"
until [ "$(ls slots | grep -c -e '-1$')" = 8 ]; do sleep 0.05; done
SH
"$devs" run --db slots.db --plain slots.json >one.out 2>&1 &
one=$!
exits 'slots' 0 run --db slots.db --plain slots.json >two.out
wait "$one"
want 'slots: the other run' $? 0
want 'slots: no two alike' "$(cat slots/*-1 | sort -u | wc -l)" 8
want 'slots: nor any port' "$(cat slots/*-1 | tr ' ' '\n' | sort -u | wc -l)" 24
want 'slots: the last port' "$(awk '$3 != $2 + 7' slots/*)" ''
want 'slots: the same in the next step' "$(cat slots/*-a-1)" "$(cat slots/*-a-2)"
want 'slots: in the log' "$(sqlite3 slots.db "SELECT DISTINCT json_extract(data, '\$.slot') || ' ' ||
	json_extract(data, '\$.port') FROM event WHERE json_extract(data, '\$.slot') > 0" | sort)" \
	"$(cut -d ' ' -f 1,2 slots/* | sort -u)"
cat >slots.json <<'JSON'
{"version": 1, "idempotent": true, "workspace": {"kind": "copy", "setup": ["sh", "-c", "echo $DEVS_SLOT >slot"]},
 "tasks": [{"id": "a", "steps": [{"run": ["sh", "-c", "test -s slot && test \"$(cat slot)\" = \"$DEVS_SLOT\""]}]}]}
JSON
exits 'slots: setup has the same' 0 run --plain slots.json >out
finish
