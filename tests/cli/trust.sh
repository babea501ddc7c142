#!/bin/sh
# Settings that come with a project: what waits for devs trust, what takes trust away again, and
# that nothing of them is acted on before. Marks are files outside the project.
. "$(dirname "$0")/check.sh"
store=$XDG_STATE_HOME/devs/trust
mark=$dir/mark

# project [SETTINGS]: a folder with a plan, as after git clone of something strange
project() {
	chmod -R u+w "$dir/p" 2>/dev/null
	rm -rf "$dir/p" "$mark" "$XDG_STATE_HOME"
	mkdir "$dir/p"
	cd "$dir/p" || exit 1
	echo '{"version": 1, "name": "p", "idempotent": true, "tasks": [{"id": "a", "steps": [{"run": ["true"]}]}]}' >plan.json
	[ $# -eq 0 ] || printf '%s\n' "$1" >devs.config.json
}
# refused NAME WHY COMMAND...: exit 2, one line, no mark
refused() {
	name=$1 why=$2
	shift 2
	"$@" >"$dir/out" 2>"$dir/err" </dev/null
	want "$name: exit" $? 2
	want "$name: one line" "$(wc -l <"$dir/err" | tr -d ' ')" 1
	want_in "$name: why" "$(cat "$dir/err")" "$why"
	want "$name: nothing ran" "$(ls "$mark" 2>/dev/null)" ''
}
# starts NAME COMMAND...
starts() {
	name=$1
	shift
	"$@" >"$dir/out" 2>"$dir/err" </dev/null
	want "$name" "$? $(cat "$dir/err")" '0 '
}

# --- each key that needs trust, alone
while IFS='|' read -r key settings; do
	project "$settings"
	refused "$key" "devs.config.json: $key " "$devs" exec -- touch "$mark"
	want_in "$key: hint" "$(cat "$dir/err")" ', so it needs your trust; read the file, then run: devs trust'
	want_in "$key: dry run" "$("$devs" run --dry-run plan.json)" "  $key: "
	want_in "$key: trusted" "$("$devs" trust)" "  $key: "
	starts "$key: exec starts" "$devs" exec --sandbox none -- true
done <<KEYS
ui.notify_command|{"ui": {"notify": ["ended"], "notify_command": ["touch", "$mark"]}}
agents|{"agents": {"claude": {"program": "$mark"}}}
executors|{"executors": {"far": {"like": "ssh", "hosts": ["h1"], "shared": "/"}}}
tests|{"tests": {"run": ["touch", "$mark"]}}
workspace.setup|{"workspace": {"kind": "copy", "setup": ["touch", "$mark"]}}
workflows|{"workflows": "own"}
retention|{"retention": {"runs": 1, "automatic": true}}
secrets.keep|{"secrets": {"keep": ["MY_TOKEN"]}}
ui.notify_command|{"//": "a\\u0000b", "ui": {"notify_command": ["touch", "$mark"]}}
tests|{"//": [99999999999999999999999, -1e308], "tests": {"run": ["touch", "$mark"]}}
secrets.keep|{"\\u0073ecrets": {"ke\\u0065p": ["MY_TOKEN"], "//": "keep"}}
sandbox.args|{"sandbox": {"kind": "bwrap", "args": ["--bind", "/", "/"]}}
sandbox.writable|{"sandbox": {"kind": "bwrap", "writable": ["/root"]}}
sandbox.env|{"sandbox": {"kind": "bwrap", "env": ["AWS_*"]}}
sandbox.network|{"sandbox": {"kind": "bwrap", "network": true}}
sandbox.read_only|{"sandbox": {"kind": "bwrap", "read_only": false}}
workspace.copy|{"workspace": {"kind": "worktree", "copy": [".env"]}}
sandbox.best_effort|{"sandbox": {"kind": "bwrap", "best_effort": true}}
KEYS

# --- an image and the kind that it belongs to
project '{"sandbox": {"image": "x", "kind": "podman", "start_timeout_ms": 500}}'
refused 'an image' 'sandbox.image chooses the programs in the sandbox, so it needs your trust (and 2 more keys do); read' \
	"$devs" exec -- touch "$mark"
want_in 'a dry run without the image' "$("$devs" run --dry-run plan.json)" '  sandbox.image: chooses'

# --- keys that only tighten, or are harmless
while read -r settings; do
	project "$settings"
	starts "no trust is needed: $settings" "$devs" run --plain plan.json
done <<'KEYS'
{"policies": {"slow": {"like": "default"}}, "retry_limit": 2}
{"loops": {"repeat_stop": 9}, "limits": {"processes": 999}, "on_hangup": "wait"}
{"secrets": {"names": ["BADGE"], "patterns": [{"name": "t", "regex": "T-[0-9]+"}]}}
{"ui": {"theme": "mono", "ascii": true, "mouse": false, "time": "utc", "notify": ["ended"]}}
{"rules": [{"name": "r", "verdict": "persistent", "pattern": "no"}], "agent": "claude"}
{"sandbox": {"transientRetries": 1}, "workspace": {"kind": "inplace"}}
{"//": "a comment", "sandbox": "none"}
KEYS

# --- every command that acts
project "{\"ui\": {\"notify_command\": [\"touch\", \"$mark\"]}}"
"$devs" --db ../runs.db exec -- true 2>/dev/null
for command in 'run plan.json' 'run --json plan.json' 'run --detach plan.json' 'exec -- true' mcp \
	'new-project idea' gc 'import plan.json' '--db ../other.db exec --sandbox none -- true'; do
	# shellcheck disable=SC2086
	refused "devs $command" 'ui.notify_command runs a command, so it needs your trust' "$devs" $command
done
(cd "$dir" && refused 'from elsewhere' "then run: devs trust $dir/p" "$devs" run p/plan.json)

# --- commands that look go on, and leave out what waits
project '{"secrets": {"keep": ["MY_TOKEN"]}, "agents": {"mine": {"program": "sh"}}}'
"$devs" --db ./.devs/devs.db status >/dev/null 2>&1
cp devs.config.json "$dir/kept" && rm devs.config.json
MY_TOKEN=abcdef-123456789 "$devs" exec -- sh -c 'echo x' >/dev/null
cp "$dir/kept" devs.config.json
for command in status runs 'why exec' 'log exec' 'debug --logs --plain' rules doctor keys \
	'run --dry-run plan.json' 'run --dry-run --json plan.json' 'validate --schema config' \
	'completion bash' 'gc --dry-run' 'export 1 --format jsonl -o -'; do
	# shellcheck disable=SC2086
	"$devs" $command >"$dir/out" 2>"$dir/err"
	want "devs $command goes on" $? 0
done
want 'an agent that waits is not offered' "$("$devs" completion --list agent '' 2>/dev/null | grep -c mine)" 0
echo '{"version": 1, "tasks": [{"id": "a", "title": "abcdef-123456789", "steps": [{"phase": "RED", "run": ["true"]}]}]}' >secret.json
want 'a secret is not shown by a dry run' \
	"$(MY_TOKEN=abcdef-123456789 "$devs" run --dry-run secret.json | grep -c abcdef)" 0
trust
want 'a trusted file shows it' \
	"$(MY_TOKEN=abcdef-123456789 "$devs" run --dry-run secret.json | grep -c abcdef)" 1

# --- what a dry run says
project '{"ui": {"notify_command": ["notify-send", "devs"]}, "workspace": {"kind": "copy", "setup": ["make", "deps"]}}'
out=$("$devs" run --dry-run plan.json)
want_in 'dry run: notify' "$out" 'notify   notify-send devs'
want_in 'dry run: setup' "$out" 'setup    make deps'
want_in 'dry run: waits' "$out" 'devs.config.json needs your trust before the run can start'
want_in 'dry run --json: waits' "$("$devs" run --dry-run --json plan.json 2>&1 >/dev/null)" \
	'ui.notify_command runs a command, so it needs your trust (and 1 more key does); read the file, then run: devs trust'

# --- giving and taking
out=$("$devs" trust --json)
want_in 'trust --json' "$out" '"state":"given","keys":[{"key":"ui.notify_command","why":"runs a command","value":["notify-send","devs"]}'
want 'the store is private' "$(stat -c '%a' "$store" "$store"/* | xargs)" '700 600'
want_in 'trust --list' "$("$devs" trust --list)" "given    $dir/p/devs.config.json"
mkdir below
starts 'trust holds below' sh -c "cd below && '$devs' exec -- true"
echo ' ' >>devs.config.json
refused 'a blank more' 'needs your trust: it has changed since you trusted it' "$devs" exec -- true
want_in 'trust --list: changed' "$("$devs" trust --list)" "changed  $dir/p/devs.config.json"
want_in 'trust --list --json' "$("$devs" trust --list --json)" '"state":"changed"'
echo '{"sandbox": "none"}' >devs.config.json
refused 'a sandbox taken away' 'it has changed since you trusted it' "$devs" exec -- true
rm devs.config.json
want_in 'trust --list: gone' "$("$devs" trust --list)" "gone     $dir/p/devs.config.json"
refused 'the file is gone' 'you trusted this file, but it no longer exists' "$devs" exec -- true
want 'revoke' "$("$devs" trust --revoke)" "$dir/p/devs.config.json is no longer trusted"
starts 'revoked' "$devs" exec -- true
"$devs" trust --revoke 2>"$dir/err"
want 'revoked twice: exit' $? 66
"$devs" trust 2>"$dir/err"
want 'no settings: exit' $? 66
want_in 'no settings' "$(cat "$dir/err")" "no devs.config.json in '$dir/p' or above"
"$devs" trust --list --revoke 2>"$dir/err"
want 'options that do not fit: exit' $? 2
echo '{"ui": {"notify_comand": ["x"]}}' >devs.config.json
"$devs" trust >"$dir/out" 2>&1
want 'settings that are wrong are not trusted' "$? $("$devs" trust --list)" '2 '
printf '{"ui": {"notify_command": ["a\\u001b]0;x\\u0007\\u202eb"]}}' >devs.config.json
want 'values are cleaned' "$("$devs" trust devs.config.json | LC_ALL=C grep -c "$(printf '\033\|\007\|\342\200\256')")" 0

# --- what would be allowed
project '{"tests": {"run": ["make"]}}'
out=$("$devs" trust --dry-run)
want 'trust --dry-run' "$?" 0
want_in 'trust --dry-run: words' "$out" "$dir/p/devs.config.json would be trusted until it changes"
want_in 'trust --dry-run: keys' "$out" '  tests: runs a command'
want_in 'trust --dry-run --json' "$("$devs" trust --dry-run --json)" '"state":"none","keys":[{"key":"tests"'
want 'nothing is recorded' "$(ls "$store" 2>/dev/null)" ''
refused 'it is still not trusted' 'tests runs a command' "$devs" exec -- true
"$devs" trust --dry-run --revoke 2>"$dir/err"
want 'a dry run of --revoke: exit' $? 2

# --- folders that are gone
trust
for path in "$dir/p" "$dir/p/" ../p/devs.config.json "$dir/alias/p"; do
	project '{"tests": {"run": ["make"]}}'
	ln -sfn "$dir" "$dir/alias"
	mkdir -p "$dir/moved"
	trust
	mv "$dir/p" "$dir/moved/p" && cd "$dir/moved" || exit 1
	"$devs" trust --revoke "$path" >"$dir/out" 2>"$dir/err"
	want "revoke $path, which is gone" "$? $(cat "$dir/err")" '0 '
	want "revoke $path: no record is left" "$("$devs" trust --list)" ''
	"$devs" trust --revoke "$path" >"$dir/out" 2>"$dir/err"
	want "revoke $path again: exit" $? 66
	mkdir "$dir/p"
	rm -rf "$dir/moved"
done
rm -f "$dir/alias"

# --- another place is another file
project "{\"ui\": {\"notify_command\": [\"touch\", \"$mark\"]}}"
trust
cp -r "$dir/p" "$dir/q" && cd "$dir/q" || exit 1
refused 'a copied project' 'runs a command, so it needs your trust' "$devs" exec -- true
rm -rf "$dir/q" && mv "$dir/p" "$dir/q" && mkdir "$dir/p" && cd "$dir/q" || exit 1
refused 'a moved project' 'runs a command, so it needs your trust' "$devs" exec -- true
ln -s "$dir/q" "$dir/by-link"
trust "$dir/by-link"
starts 'the same folder by a link' "$devs" exec -- true
rm -rf "$dir/p" "$dir/by-link"
project
ln -s "$dir/q/devs.config.json" devs.config.json
refused 'a link to trusted settings' 'runs a command, so it needs your trust' "$devs" exec -- true
rm devs.config.json
cp "$dir/q/devs.config.json" real.json && ln -s real.json devs.config.json
trust
starts 'a link that is trusted' "$devs" exec -- true
echo '{}' >real.json
refused 'where the link leads has changed' 'it has changed' "$devs" exec -- true
rm -rf "$dir/q"

# --- settings that hide others
project '{"sandbox": {"kind": "bwrap"}}'
mkdir below && echo '{"sandbox": "none"}' >below/devs.config.json && cd below || exit 1
refused 'a file that hides a stricter one' "needs your trust: it overrides $dir/p/devs.config.json" "$devs" exec -- true
cp ../devs.config.json .
rm -rf "$XDG_STATE_HOME"
starts 'the same text hides nothing' "$devs" exec --sandbox none -- true
trust
rm devs.config.json
refused 'the nearer one is gone' 'you trusted this file, but it no longer exists' "$devs" exec --sandbox none -- true

# --- our own edits keep trust, and give none
project '{"ui": {"notify_command": ["true"]}}'
echo '{"name": "ours", "verdict": "persistent", "pattern": "^lamp"}' >rule.json
"$devs" rules --add rule.json >"$dir/out"
refused 'an edit gives no trust' 'needs your trust' "$devs" exec -- true
trust
sed 's/ours/theirs/' rule.json | "$devs" rules --add - >"$dir/out"
want 'the rule is there' "$(grep -c theirs devs.config.json)" 1
starts 'an edit keeps trust' "$devs" exec -- true

# --- the store is used only where it is private
for harm in "chmod 755 $store" "chmod 644 $store/*" "chmod 777 $XDG_STATE_HOME/devs" \
	"mv $store $dir/else && ln -s $dir/else $store" \
	"sh -c 'mv $store/* $dir/one && ln -s $dir/one $store/\$(basename \$(ls $dir/hashes))'"; do
	project '{"tests": {"run": ["true"]}}'
	rm -rf "$dir/else" "$dir/one" "$dir/hashes"
	trust
	mkdir "$dir/hashes" && touch "$dir/hashes/$(ls "$store")"
	eval "$harm"
	refused "after $harm" 'needs your trust' "$devs" exec -- true
done
project '{"tests": {"run": ["true"]}}'
mkdir -p "$XDG_STATE_HOME/devs" && ln -s /tmp "$store"
fails 'no trust through a link' 2 'must be a folder that you own, mode 0700' trust
rm -rf "$XDG_STATE_HOME"
starts 'a relative XDG_STATE_HOME is not used' env XDG_STATE_HOME=state HOME="$dir/home" "$devs" trust
want 'it is below HOME' "$(ls "$dir/home/.local/state/devs/trust" | wc -l | tr -d ' ')" 1
want 'and not in the project' "$(ls -d state 2>/dev/null)" ''

# --- other users
if [ "$(id -u)" = 0 ] && setpriv --reuid 1000 --regid 1000 --clear-groups true 2>/dev/null; then
	project '{"retry_limit": 2}'
	chown 1000:1000 devs.config.json
	refused 'settings of another user' 'needs your trust: it belongs to' "$devs" exec -- true
	trust
	starts 'and trusted' "$devs" exec -- true
	project '{"retry_limit": 2}'
	mkdir in && chown 1000:1000 in . && chown -h 1000:1000 plan.json && chmod 755 "$dir"
	# the settings above are root's, which is fine; those of a third user are not
	starts 'settings of root' setpriv --reuid 1000 --regid 1000 --clear-groups \
		env XDG_STATE_HOME="$dir/p/in/state" XDG_RUNTIME_DIR="$dir/p/in" sh -c "cd in && '$devs' exec -- true"
	chown 1234:1234 devs.config.json
	refused 'settings of a third user' 'it belongs to user 1234' setpriv --reuid 1000 --regid 1000 \
		--clear-groups env XDG_STATE_HOME="$dir/p/in/state" XDG_RUNTIME_DIR="$dir/p/in" \
		sh -c "cd in && '$devs' exec -- true"
else
	echo 'skipped in part: only root can become another user'
fi
finish
