#!/bin/sh
# devs.config.json and the policies of a plan, from outside.
. "$(dirname "$0")/check.sh"

cat >devs.config.json <<'JSON'
{"policies": {"default": {"base_delay_ms": 1, "max_attempts": 4},
              "brisk": {"like": "transport", "base_delay_ms": 2, "jitter": "full"}},
 "retry_limit": 2, "sandbox": {"transientRetries": 1},
 "rules": [{"name": "our.licence", "verdict": "transient", "type": "RESOURCE_BUSY",
            "pattern": "^no free licence", "stream": "stderr"}]}
JSON

# --- one command
fails 'sandbox of the settings' 1 'try 4/4 VERIFY retry exhausted' exec -- false
"$devs" exec --policy brisk -- false 2>err
want_in 'a persistent failure under brisk' "$(cat err)" 'try 1/4 VERIFY failed'
"$devs" exec --policy brisk -- sh -c 'echo no free licence >&2; exit 3' 2>err
want 'a rule of the settings: exit' $? 3
want_in 'a rule of the settings' "$(cat err)" 'busy, rule our.licence at err:1: "no free licence'
want_in 'is tried again' "$(cat err)" 'transient exhausted after 4 of 4 attempts'
fails 'unknown policy' 2 'careful, brisk' exec --policy brusk -- true

# --- a plan in a folder below
mkdir below
cat >below/plan.json <<'JSON'
{"version": 1, "idempotent": true, "policy": {"like": "default", "max_attempts": 2},
 "policies": {"slow": {"like": "brisk", "cap_ms": 3}},
 "tasks": [{"id": "a", "steps": [
  {"run": ["true"]},
  {"run": ["true"], "policy": "slow", "source": "api"},
  {"run": ["true"], "policy": {"like": "research", "window": 2}},
  {"phase": "VERIFY", "run": ["false"], "policy": "research"}]}]}
JSON
"$devs" run --dry-run below/plan.json >out
want 'dry run: exit' $? 0
want_in 'dry run: the plan' "$(cat out)" '2 tries (default+: after 1 ms, x 2 up to 30 s, any failure)'
want_in 'dry run: a name' "$(cat out)" \
	'4 tries (slow: after 2 ms, x 2 up to 3 ms, full jitter, if transient, not after a timeout) and up to 2 more if the server requests a wait source api'
want_in 'dry run: an object' "$(cat out)" \
	'2 tries (research+: after 1 s, x 2 up to 1 min, any failure, stops after 2 equal results, ends with max retries exceeded)'
want_in 'dry run: retry_limit' "$(cat out)" '2 tries (research: after 1 s, x 2 up to 1 min'

want_in 'dry run: starts' "$(cat out)" 'if a command cannot start: up to 2 starts (after 1 s, x 2 up to 30 s, if transient)'
cat >one.json <<'JSON'
{"version": 1, "idempotent": true, "tasks": [{"id": "a", "steps": [
  {"phase": "RED", "run": ["true"]},
  {"run": ["true"], "policy": {"like": "default", "max_attempts": 1, "deadline_ms": 5000}},
  {"run": ["true"], "policy": {"like": "default", "retry_after_cap_ms": 0}}]}]}
JSON
"$devs" run --dry-run one.json >out
want_in 'dry run: a deadline of one try' "$(cat out)" "1 try   (default+: within 5 s) and up to 2 more if the server requests a wait"
want_in 'dry run: no hint is waited for' "$(cat out)" "ignores the server's hints)  true"
want_in 'dry run: no more in a phase without tries' "$(cat out)" '1 try   (default)  true'

# --- the log needs no settings afterwards
"$devs" run --plain below/plan.json >out 2>err
want 'run: exit' $? 1
want_in 'run: retry_limit' "$(cat out)" 'max retries exceeded'
"$devs" debug --logs --json >before
rm devs.config.json
"$devs" debug --logs --json >after
want 'the records do not change' "$(cksum <after)" "$(cksum <before)"
want_in 'the records say the policy' "$(cat after)" 'try 2/2'
if command -v sqlite3 >/dev/null; then
	found=$(sqlite3 .devs/devs.db \
		"SELECT count(*) FROM plan WHERE text LIKE '%\"settings\":{\"policies\":{%\"brisk\":{%'")
	want 'the log has the policies' "$found" 4
fi

# --- what is wrong is said at once, and nothing is started
rm -rf .devs
printf '{"retry_limit": 0, "policies": {"a": {"like": "a"}}, "sandboxes": {}}' >devs.config.json
fails 'bad settings' 2 'devs.config.json: 3 errors, nothing was done' run below/plan.json
want_in 'bad settings: range' "$(cat err)" '[INVALID_VALUE] /retry_limit: too small (expected 1 to 100, got 0)'
want_in 'bad settings: like' "$(cat err)" '/policies/a/like: a policy cannot be like itself'
want_in 'bad settings: key' "$(cat err)" '/sandboxes: unknown key'
printf '{"retry_limit": 2,\n "rules" []}' >devs.config.json
fails 'settings that are not JSON' 2 'line 2, column 10' exec -- true
printf '{"rules": [{"id": "r1", "class": "transient", "type": "TIRED", "pattern": "x"}]}' >devs.config.json
fails 'a bad rule' 2 '[INVALID_VALUE] /rules/0/type: not one of the allowed values (expected "NETWORK_TIMEOUT", ' \
	exec -- true
want 'a bad rule: two lines' "$(wc -l <err | tr -d ' ')" 2
printf '{"rules": [{"name": "a", "verdict": "persistent", "pattern": ""},
 {"name": "b", "verdict": "persistent", "pattern": "x"},
 {"name": "c", "verdict": "persistent", "pattern": "("}]}' >devs.config.json
fails 'bad rules' 2 'devs.config.json: 2 errors, nothing was done' exec -- true
want_in 'bad rules: the first' "$(cat err)" "/rules/0/pattern: rule 'a': pattern is empty"
want_in 'bad rules: the second' "$(cat err)" "/rules/2/pattern: rule 'c': pattern, byte 1"
# With what is wrong elsewhere, and in more than one place of a rule.
printf '{"rules": [{"name": "a", "verdict": "transiet", "stream": "err"},
 {"name": "b", "verdict": "persistent", "pattern": "("}, {"verdict": 1, "only_if": {"exit": 256}}],
 "retry_limit": 0}' >devs.config.json
"$devs" exec -- true 2>err
want 'rules and the rest' "$(sed 1d err)" '[INVALID_VALUE] /rules/0/verdict: not one of the allowed values, did you mean "transient"? (expected "transient" or "persistent", got "transiet")
[INVALID_VALUE] /rules/0/stream: not one of the allowed values (expected "any", "stderr", "stdout" or "quiet", got "err")
[WRONG_TYPE] /rules/2/verdict: wrong type (expected string, got 1)
[INVALID_VALUE] /rules/2/only_if/exit: too large (expected 0 to 255, got 256)
[INVALID_VALUE] /retry_limit: too small (expected 1 to 100, got 0)
[INVALID_VALUE] /rules/1/pattern: rule '"'b'"': pattern, byte 1: missing closing parenthesis'
printf '{"rules": [{"name": "a", "verdict": "persistent", "pattern": "x"},
 {"name": "a", "verdict": "persistent", "pattern": "y"}]}' >devs.config.json
"$devs" exec -- true 2>err
want_in 'a rule that is there twice' "$(cat err)" "/rules/1: rule 'a': an earlier rule has the same name"
[ ! -e .devs ]
want 'nothing was started' $? 0

# --- a folder whose name would speak to the terminal
esc=$(printf '\033')
mkdir "${esc}[31mred"
(cd "${esc}[31mred" && printf '{"name": "a", "verdict": "persistent", "pattern": "x y"}' >rule &&
	printf '{}' >devs.config.json && "$devs" rules --add rule >../out 2>../err)
want 'rules --add there: exit' $? 0
want_in 'rules --add there' "$(cat out)" 'added to '
want 'rules --add prints no escapes' "$(grep -c "$esc" out)" 0

# --- what careful does not repeat, and what it would have saved
rm devs.config.json
mkdir careful && cd careful || exit 1
plan() {
	cat <<JSON
{"version": 1, "idempotent": true, "jobs": 1, $1 "tasks": [
 {"id": "known", "steps": [{"run": ["sh", "-c", "echo a.c:1:2: error: no lamp; exit 1"]}]},
 {"id": "same", "steps": [{"run": ["sh", "-c", "echo odd; exit 1"]}]}]}
JSON
}
plan '' >plan.json
"$devs" run --plain plan.json >out
want 'default: exit' $? 1
want 'default: says once what careful would have saved' "$(grep -c '^  policy careful: ' out)" 1
want_in 'default: it would have saved' "$(cat out)" 'less, same result'
plan '"policy": "careful",' >plan.json
"$devs" run --dry-run plan.json >out
want_in 'careful: dry run' "$(cat out)" \
	'3 tries (careful: after 500 ms, x 2 up to 30 s, if transient or unknown, stops after 2 equal results on an unchanged tree)'
"$devs" run --plain plan.json >out
want 'careful: a known reason is tried once' "$(grep -c 'known try . of\|known try ./3 GREEN starts' out)" 1
want 'careful: saves nothing more' "$(grep -c 'policy careful' out)" 0
want_in 'careful: why known' "$("$devs" why known)" \
	'policy careful does not retry a failure with a known reason (compile)'
"$devs" exec --policy careful -- sh -c 'echo odd; exit 1' >out 2>&1
want 'careful: the same result ends it' "$(grep -c '^odd' out)" 2
want_in 'careful: why the same' "$("$devs" why exec)" \
	'the same result 2 times on an unchanged tree, and policy careful stops at 2'
cd ..
finish
