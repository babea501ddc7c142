#!/bin/sh
# devs hook: what an agent tells of itself goes into the log, and comes back as an answer.
# usage: hook.sh DEVS
. "$(dirname "$0")/check.sh"
export HOME="$dir/home"
mkdir -p "$HOME" project
unset DEVS_RUN DEVS_STEP DEVS_DB CLAUDE_PROJECT_DIR CLAUDE_CONFIG_DIR XDG_STATE_HOME
cd project || exit 1

# tell EVENT MEMBERS [AGENT]: what the agent's hook prints; its standard error is in "$err"
tell() {
	printf '{"session_id":"%s","transcript_path":"/t","cwd":"%s","hook_event_name":"%s"%s}' \
		"${session:-aaaabbbb-1}" "$PWD" "$1" "${2:+,$2}" |
		"$devs" hook --agent "${3:-claude}" 2>"$err"
}
err=$dir/err

bash() { printf '"tool_name":"Bash","tool_input":{"command":"%s"}' "$1"; }
went() { printf '%s,"tool_response":{"stdout":"%s","stderr":""}' "$(bash "$1")" "$2"; }
broke() { printf '%s,"error":"Exit code 2\\n%s"' "$(bash "$1")" "$2"; }

# Without a log nothing happens, and none is made.
want "no log: nothing is said" "$(tell PostToolUse "$(went ls x)"; echo $?)" 0
want "no log: no word" "$(cat "$dir/err")" ""
want "no log: none is made" "$(ls -A)" ""

# Settings, and a log.
mkdir .claude
printf '{\n  // mine\n  "model": "x"\n}\n' >.claude/settings.local.json
cp .claude/settings.local.json "$dir/before"
chmod 640 .claude/settings.local.json
want_in "install" "$("$devs" hook install)" "devs hook is now called by $PWD/.claude/settings.local.json"
want_in "install: what is called" "$(cat .claude/settings.local.json)" ' hook --agent claude", "timeout": 10}'
want_in "install: what was there stays" "$(cat .claude/settings.local.json)" '// mine'
want "install: the mode stays" "$(stat -c %a .claude/settings.local.json)" 640
cp .claude/settings.local.json "$dir/installed"
want_in "install again" "$("$devs" hook install)" "nothing to do"
want "install again: as it was" "$(cmp .claude/settings.local.json "$dir/installed" && echo same)" same
want_in "status" "$("$devs" hook status --agent claude)" "claude  project  installed"
want_in "status of the person's own" "$("$devs" hook status --agent claude)" "claude  user     no settings"
want "uninstall" "$("$devs" hook uninstall >"$dir/out"; cmp .claude/settings.local.json "$dir/before" && echo same)" same
want_in "for all projects" "$("$devs" hook install --user --agent gemini)" "$HOME/.gemini/settings.json"
want_in "for all projects: its events" "$(cat "$HOME/.gemini/settings.json")" '"BeforeTool"'
mkdir "$dir/none" "$dir/some"
printf '#!/bin/sh\n' >"$dir/some/claude" && chmod +x "$dir/some/claude"
warned() { PATH=$1 "$devs" hook install 2>&1 >/dev/null; }
want "the agent is not there" "$(warned "$dir/none")" "devs: 'claude' is not in PATH: its hooks have no effect until it is installed"
want "the agent is there" "$(warned "$dir/some")" ""
echo '{"disableAllHooks": true} // for now' >.claude/settings.json
want "hooks are disabled" "$(warned "$dir/some")" "devs: \"disableAllHooks\" is true in $PWD/.claude/settings.json: no hook is called until you remove it"
rm .claude/settings.json
sed -i 's/"model": "x"/"model": "x", "disableAllHooks": true/' .claude/settings.local.json
want_in "hooks are disabled: status" "$("$devs" hook status --agent claude)" "claude  project  disabled"
"$devs" hook uninstall >/dev/null
cp "$dir/before" .claude/settings.local.json
printf '[' >"$dir/home/bad"
mkdir "$HOME/.codex" && mv "$dir/home/bad" "$HOME/.codex/hooks.json"
want "a file that cannot be read" "$("$devs" hook install --user --agent codex 2>"$dir/err"; echo $?)" 2
want_in "a file that cannot be read: one line" "$(cat "$dir/err")" "hooks.json' was not changed: line 1, column"
want "a file that cannot be read: one line" "$(wc -l <"$dir/err")" 1
want "a file that cannot be read stays" "$(cat "$HOME/.codex/hooks.json")" "["
# What cannot be changed stays, and no log is made for it.
mkdir -p "$dir/other/.claude"
refused() { (cd "$dir/other" && timeout 60 "$devs" hook install >"$dir/out" 2>"$dir/err"; echo $?); }
echo '[]' >"$dir/other/.claude/settings.local.json"
want "a list" "$(refused)" 2
rm "$dir/other/.claude/settings.local.json"
mkfifo "$dir/other/.claude/settings.local.json"
want "a pipe" "$(refused)" 2
want_in "a pipe: why" "$(cat "$dir/err")" "is not a regular file"
rm "$dir/other/.claude/settings.local.json"
ln -s ../nothing.json "$dir/other/.claude/settings.local.json"
want "a link to nothing" "$(refused)" 2
want_in "a link to nothing: why" "$(cat "$dir/err")" "is a link"
rm "$dir/other/.claude/settings.local.json"
echo '{}' >"$dir/mine.json"
ln -s "$dir/mine.json" "$dir/other/.claude/settings.local.json"
want "a link out of the project" "$(refused)" 2
want "a link out of the project: one line" "$(grep -c "settings.local.json' is a link" "$dir/err")" 1
want "a link out of the project stays" "$(cat "$dir/mine.json")" "{}"
mkdir "$dir/mine" && rm -r "$dir/other/.claude" && ln -s "$dir/mine" "$dir/other/.claude"
want "a folder that is a link" "$(refused)" 2
want "a folder that is a link stays" "$(ls -A "$dir/mine")" ""
want "nothing is made" "$(ls -A "$dir/other")" ".claude"
want "no such agent" "$("$devs" hook install --agent vim 2>/dev/null; echo $?)" 2
want "no such word" "$("$devs" hook instal 2>/dev/null; echo $?)" 2

# A session.
want "a session starts" "$(tell SessionStart '"source":"startup"')" ""
want_in "it is a run" "$("$devs" runs)" "claude aaaabbbb"
want_in "it is open" "$("$devs" runs)" " open "
want "a person speaks" "$(tell UserPromptSubmit '"prompt":"make it pass"')" ""
want "a call begins" "$(tell PreToolUse "$(bash ls)")" ""
want "a call ends" "$(tell PostToolUse "$(went ls 'a b')")" ""
i=0
while [ $i -lt 12 ]; do
	i=$((i + 1))
	said=$(tell PreToolUse "$(bash 'make test')")
	[ -n "$said" ] && break
	heard=$(tell PostToolUseFailure "$(broke 'make test' 'FAIL: x')")
	[ -n "$heard" ] && { first=${first:-$heard}; last=$heard; }
done
want_in "it is told that it may be looping" "${first:-}" '"additionalContext":"You may be in a loop'
want_in "it is told to stop" "${last:-}" '"additionalContext":"Stop. You may be in a loop'
want_in "then its call is denied" "$said" '"permissionDecision":"deny"'
want "another call is not" "$(tell PreToolUse "$(bash 'git diff')")" ""
want_in "denied again" "$(tell PreToolUse "$(bash 'make test')")" '"permissionDecision":"deny"'
want_in "and the third time it is the end" "$(tell PreToolUse "$(bash 'make test')")" '"continue":false'
want_in "the log says so" "$("$devs" debug --logs --plain 1)" "its calls may be looping"
shown=$("$devs" log 1)
want_in "its calls are in its log" "$shown" "> Bash: make test"
want_in "how they failed too" "$shown" "  exit 2"
want_in "a person's words too" "$shown" "[you] make it pass"
want_in "what it was told too" "$shown" "! You may be in a loop"
want "what they gave is not" "$(printf '%s' "$shown" | grep -c 'FAIL: x')" 0
want "a person speaks again" "$(tell UserPromptSubmit '"prompt":"try something else"')" ""
want "and it may" "$(tell PreToolUse "$(bash 'make test')")" ""
want "words" "$(tell Stop '"stop_hook_active":false,"last_assistant_message":"Done."')" ""
want "what the service said" "$(tell StopFailure '"error":"server_error"')" ""
want_in "what the service said is in its log" "$("$devs" log 1/claude)" "! server_error"
want "what is not known" "$(tell WorktreeCreate '"x":[1]')" ""
want_in "status" "$("$devs" status 1)" "a session reported by an agent's hooks, last seen at"
want_in "nobody goes on with it" "$("$devs" run --continue 1 2>&1)" "which devs did not start"
want_in "a person stops it" "$("$devs" cancel 1 2>&1)" "the agent will be told to stop at its next call"
want_in "it is told" "$(tell PreToolUse "$(bash 'ls -l')")" '"continue":false'
want_in "what lets it go on" "$("$devs" retry 1/claude 2>&1)" "by typing in its session"
want "what is typed" "$(tell UserPromptSubmit '"prompt":"go on"')" ""
want "lets it go on" "$(tell PreToolUse "$(bash 'ls -l')")" ""
want "its end" "$(tell SessionEnd '"reason":"exit"')" ""
want_in "it is over" "$("$devs" runs)" " ended "
want "an end without a beginning" "$(session=never tell SessionEnd '"reason":"exit"')" ""
want "makes no run" "$("$devs" runs | wc -l)" 1
want "it comes back" "$(tell SessionStart '"source":"resume"')" ""
want "as another run" "$("$devs" runs | wc -l)" 2

# A session whose last turn failed has failed, unless something came after it.
session=failing-1
tell UserPromptSubmit '"prompt":"go"' >/dev/null
tell StopFailure '"error":"server_error"' >/dev/null
tell SessionEnd '"reason":"other"' >/dev/null
want_in "a turn that failed was the last" "$("$devs" status 3 --json)" '"exit_code":1'
session=mended-1
tell StopFailure '"error":"server_error"' >/dev/null
tell Stop '"last_assistant_message":"Done."' >/dev/null
tell SessionEnd '"reason":"other"' >/dev/null
want_in "a turn that failed was not the last" "$("$devs" status 4 --json)" '"exit_code":0'
session=

# Secrets are cut, and what an agent writes is harmless.
export SERVICE_TOKEN=tiger-tiger-burning-bright
session=secret-1
tell PostToolUse "$(went "curl -H tiger-tiger-burning-bright x" '\u001b]0;title\u0007')" >/dev/null
want_in "a secret is cut" "$("$devs" debug --logs --plain 5)" "[cut:SERVICE_TOKEN]"
want_in "a secret is cut in its log" "$("$devs" log 5/claude)" "[cut:SERVICE_TOKEN]"
grep -q tiger-tiger .devs/devs.db* && want "no secret in the log" found none
session=

# Many at once: none is lost. One that waited for the log too long has said so, and comes again.
again() {
	err=$dir/many.$1.err
	tell PostToolUse "$(went "echo $1" "$1")" >"$dir/many.$1"
	[ ! -s "$err" ]
}
session=many-1
tell SessionStart >/dev/null
pids=
i=0
while [ $i -lt 20 ]; do
	i=$((i + 1))
	until_true 60 again "$i" &
	pids="$pids $!"
done
for pid in $pids; do wait "$pid"; done
want_in "20 at once" "$("$devs" status 6)" "20 calls"
session=

# What goes wrong is no reason to hold up an agent.
fine() {
	name=$1
	shift
	want "$name: exit 0" "$("$@" >"$dir/out" 2>"$dir/err"; echo $?)" 0
	want "$name: nothing is said" "$(cat "$dir/out")" ""
	want "$name: one line at most" "$([ "$(wc -l <"$dir/err")" -le 1 ] && echo yes)" yes
}
nonsense() { printf '%s' "$1" | "$devs" hook --agent claude; }
fine "no JSON" nonsense "nonsense"
fine "nothing" nonsense ""
fine "a list" nonsense "[]"
fine "no session" nonsense '{"hook_event_name":"PostToolUse"}'
fine "odd types" nonsense '{"session_id":"x","hook_event_name":"PostToolUse","tool_name":7,"tool_input":"x","tool_response":false}'
fine "an odd name" nonsense '{"session_id":"../../x y","hook_event_name":"PostToolUse","tool_name":"T"}'
fine "an odd folder" nonsense '{"session_id":"z","cwd":"/nowhere/at/all","hook_event_name":"PostToolUse","tool_name":"T"}'
spoken() { printf '{"session_id":"x","hook_event_name":"PreToolUse"}' | "$devs" hook "$@"; }
fine "an agent that this devs does not know" spoken --agent of-tomorrow
want_in "an agent that this devs does not know: a line" "$(cat "$dir/err")" "agent 'of-tomorrow' is not supported"
fine "no agent" spoken --agent
fine "an option that this devs does not know" spoken --agent claude --bogus
want_in "an option that this devs does not know: a line" "$(cat "$dir/err")" "devs: hook: "
fine "a word too many" spoken --agent claude later
large() { { printf '{"session_id":"x","hook_event_name":"Stop","x":"'; head -c 20000000 /dev/zero | tr '\0' x; printf '"}'; } | "$devs" hook --agent claude; }
fine "too long" large
closed() { tell PostToolUse "$(went ls x)" >&-; }
fine "no standard output" closed
mine() { DEVS_RUN=1 nonsense '{"session_id":"of-devs","hook_event_name":"PostToolUse","tool_name":"T"}'; }
runs=$("$devs" runs | wc -l)
fine "an agent that devs started" mine
want "is seen without a hook" "$("$devs" runs | wc -l)" "$runs"
newer() { sqlite3 "$dir/newer.db" "PRAGMA application_id=$(sqlite3 .devs/devs.db 'PRAGMA application_id'); PRAGMA user_version=99; CREATE TABLE x(y)" && DEVS_DB="$dir/newer.db" tell PostToolUse "$(went ls x)"; }
command -v sqlite3 >/dev/null && fine "a log of a newer devs" newer
# Whoever was stopped in its turn keeps all others from writing.
locked() {
	flock .devs/devs.db-write "$devs" hook --agent claude <<-JSON
		{"session_id":"locked","hook_event_name":"PostToolUse","tool_name":"Bash","cwd":"$PWD"}
	JSON
}
command -v flock >/dev/null && fine "a log that another process holds" locked
damaged() { printf 'this is no database, whatever its name says' >"$dir/damaged.db"; DEVS_DB="$dir/damaged.db" tell PostToolUse "$(went ls x)"; }
fine "a damaged log" damaged

# Others: the same in their own ways.
session=gem-1
tell BeforeAgent '"prompt":"go"' gemini >/dev/null
i=0
while [ $i -lt 12 ]; do
	i=$((i + 1))
	said=$(tell BeforeTool '"tool_name":"run_shell_command","tool_input":{"command":"make"}' gemini)
	[ -n "$said" ] && break
	tell AfterTool '"tool_name":"run_shell_command","tool_input":{"command":"make"},"tool_response":{"llmContent":"Exit Code: 2\nbad"}' gemini >/dev/null
done
want_in "gemini is denied in its own way" "$said" '{"decision":"deny","reason":'

# How a session in a loop ends. loop_until_denied SESSION: the same call that fails alike
loop_until_denied() {
	session=$1
	tell UserPromptSubmit '"prompt":"make it pass"' >/dev/null
	i=0 said=
	while [ $i -lt 12 ] && [ -z "$said" ]; do
		i=$((i + 1))
		tell PostToolUseFailure "$(broke 'make test' 'FAIL: x')" >/dev/null
		said=$(tell PreToolUse "$(bash 'make test')")
	done
}
newest() { "$devs" status --json last; }
ends() { tell SessionEnd '"reason":"other"' >/dev/null; newest; }
loop_until_denied looping-1
tell PreToolUse "$(bash 'make test')" >/dev/null
tell PreToolUse "$(bash 'make test')" >/dev/null
tell Stop '"last_assistant_message":"I was stopped."' >/dev/null
answer=$(ends)
want_in "a session that devs stopped is stuck" "$answer" '"state":"stuck"'
want_in "a session that devs stopped: exit code" "$answer" '"exit_code":3'
want_in "a session that devs stopped: why" "$("$devs" why last/claude)" "loop       same result 5 times"
loop_until_denied looping-2
answer=$(ends)
want_in "a session that ends in a loop is stuck" "$answer" '"state":"stuck"'
loop_until_denied looping-3
tell PostToolUse "$(went 'git diff' 'a line')" >/dev/null
tell Stop '"last_assistant_message":"Done."' >/dev/null
want_in "a session that left its loop passed" "$(ends)" '"exit_code":0'
loop_until_denied looping-4
tell UserPromptSubmit '"prompt":"leave it"' >/dev/null
tell Stop '"last_assistant_message":"Done."' >/dev/null
want_in "a session with a new prompt after its loop passed" "$(ends)" '"exit_code":0'
session=gem-2
make() { printf '"tool_name":"run_shell_command","tool_input":{"command":"%s"}' "$1"; }
made() { tell AfterTool "$(make "$1"),\"tool_response\":{\"llmContent\":\"Output: $2\"}" gemini >/dev/null; }
tell BeforeAgent '"prompt":"go"' gemini >/dev/null
for i in 1 2 3 4; do made 'echo again' again; done
tell SessionEnd '"reason":"exit"' gemini >/dev/null
want_in "a session ended by the loop guard of gemini is stuck" "$(newest)" '"exit_code":3'
session=gem-3
tell BeforeAgent '"prompt":"go"' gemini >/dev/null
made ls 'a b'
tell AfterAgent '"prompt_response":"Done."' gemini >/dev/null
tell SessionEnd '"reason":"exit"' gemini >/dev/null
want_in "a session of gemini without a loop passed" "$(newest)" '"exit_code":0'
session=guarded-1
tell UserPromptSubmit '"prompt":"go","submitted_prompt":"go"' qwen >/dev/null
tell PostToolUse "$(went ls x)" qwen >/dev/null
tell StopFailure '"error":"loop_detected","error_details":"consecutive_identical_tool_calls"' qwen >/dev/null
answer=$(newest)
want_in "a session ended by the loop guard of qwen is over" "$answer" '"state":"ended"'
want_in "a session ended by the loop guard of qwen: exit code" "$answer" '"exit_code":3'
want_in "a session ended by the loop guard of qwen: class" "$answer" '"class":"loop"'
finish
