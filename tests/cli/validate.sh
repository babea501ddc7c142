#!/bin/sh
# devs validate: does a text fit its contract, and what an agent is told if not.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/check.sh"

cat >contract.json <<'END'
{"type": "object", "required": ["summary"], "additionalProperties": false,
 "properties": {"summary": {"type": "string"}, "op": {"const": "sum"}, "n": {"minimum": 1}}}
END

# What fits says nothing.
printf '{"summary":"x"}' >good
want "a file that fits" "$("$devs" validate --contract contract.json good 2>&1)" ""
"$devs" validate --contract contract.json good
want "exit of what fits" "$?" 0
"$devs" validate --contract contract.json - <good
want "- is standard input" "$?" 0
"$devs" validate --contract contract.json <good
want "so is no name" "$?" 0
want "JSON of what fits" "$("$devs" validate --contract contract.json good --json)" \
	'{"v":1,"valid":true,"violations":[],"dropped":0,"retry":false}'
want "no prompt for what fits" "$("$devs" validate --contract contract.json good --repair)" ""

# What does not fit: lines on standard output.
printf '{"n":0,"sumary":"x"}' >bad
answer=$("$devs" validate --contract contract.json bad 2>err)
want "exit of what does not fit" "$?" 1
want "lines" "$answer" '[INVALID_VALUE] /n: too small (expected at least 1, got 0)
[INVALID_VALUE] /sumary: unknown key, did you mean "summary"?
[MISSING_FIELD] /summary: required (expected string, got nothing)'
want "nothing else" "$(cat err)" ""

answer=$("$devs" validate --contract contract.json bad --json)
want "exit with --json" "$?" 1
want_in "JSON" "$answer" '{"v":1,"valid":false,"violations":[{"path":"/n","code":"INVALID_VALUE","message":"too small","expected":"at least 1","actual":"0"},{"path":"/sumary"'
want_in "JSON, not known" "$answer" '"expected":null,"actual":null}'
want_in "JSON, the end" "$answer" '"dropped":0,"retry":true}'

# The prompt instead of the lines.
answer=$("$devs" validate --contract contract.json bad --repair)
want "exit with --repair" "$?" 1
want_in "prompt" "$answer" 'YOUR PREVIOUS RESPONSE HAD VALIDATION ERRORS.

VIOLATIONS:
  - Path: /summary
    Code: MISSING_FIELD
    Error: required
    Expected: string
    Got: nothing
  - Path: /n'
want_in "prompt, the end" "$answer" 'Return the corrected JSON response now:'
want_in "prompt in JSON" "$("$devs" validate --contract contract.json bad --repair --json)" \
	'"retry":true,"prompt":"YOUR PREVIOUS RESPONSE'

# An output of something else is not repaired by asking again.
printf '{"summary":"x","op":"mul"}' >other
"$devs" validate --contract contract.json other >out
want "exit of a mismatch" "$?" 1
want "mismatch" "$(cat out)" '[OP_MISMATCH] /op: not the requested op (expected "sum", got "mul")'
want_in "no retry" "$("$devs" validate --contract contract.json other --json)" '"retry":false'
"$devs" validate --contract contract.json other --repair >out 2>err
want_in "said so" "$(cat err)" 'a retry will not help'

# Text that is not JSON alone.
# shellcheck disable=SC2016
printf 'Here:\n```json\n{"summary":"x"}\n```\n' >fenced
want "fenced" "$("$devs" validate --contract contract.json fenced)" \
	"[NOT_JSON] (root): line 1, column 1: invalid token 'Here'; JSON begins at line 3, column 1, in a code fence"
want "an array" "$(echo '[1]' | "$devs" validate --contract contract.json)" \
	'[NOT_OBJECT] (root): must be an object (expected object, got array)'
want "nothing" "$("$devs" validate --contract contract.json </dev/null)" \
	'[NOT_JSON] (root): line 1, column 1: unexpected end of the document; it is empty'
head -c 4200000 /dev/zero | tr '\0' ' ' >large
want "too large" "$("$devs" validate --contract contract.json large)" \
	'[INVALID_VALUE] (root): larger than 4 MiB'
printf '{"summary":"\033[2J\\u001b[2J"}' | "$devs" validate --contract contract.json >out
want_in "no control gets out" "$(cat out)" 'NOT_JSON'
printf '{"\\u001b[2J":1}' | "$devs" validate --contract contract.json >out
want_in "no escaped control either" "$(cat out)" '/\u001b[2J: unknown key'

# A contract that is none, and words that are none: 2.
echo '{"type":"objekt","unevaluatedItems":false}' >wrong.json
"$devs" validate --contract wrong.json good >out 2>err
want "exit of a bad contract" "$?" 2
want "nothing on standard output" "$(cat out)" ""
want "a bad contract" "$(cat err)" "devs: contract 'wrong.json': 2 errors
[INVALID_VALUE] /type: unknown type (expected null, boolean, object, array, number, string or integer, got \"objekt\")
[INVALID_VALUE] /unevaluatedItems: unsupported keyword
hint: see docs/contracts.md for the keywords that a contract may use"
want "a bad contract in JSON" "$("$devs" validate --contract wrong.json good --json 2>/dev/null)" \
	'{"v":1,"valid":null,"contract":{"violations":[{"path":"/type","code":"INVALID_VALUE","message":"unknown type","expected":"null, boolean, object, array, number, string or integer","actual":"\"objekt\""},{"path":"/unevaluatedItems","code":"INVALID_VALUE","message":"unsupported keyword","expected":null,"actual":null}],"dropped":0}}'
"$devs" validate --contract nothing good 2>err
want "a contract that is not there" "$?" 66
want_in "why" "$(cat err)" "devs: contract 'nothing': No such file or directory"
"$devs" validate --contract contract.json nothing 2>err
want "an instance that is not there" "$?" 66
want_in "which" "$(cat err)" "devs: 'nothing': No such file or directory"
"$devs" validate good 2>err
want "no contract" "$?" 2
want_in "what is missing" "$(cat err)" 'validate: missing --contract FILE'
"$devs" validate --contract contract.json good bad 2>err
want "two instances" "$?" 2

# The published schemas are contracts.
for name in plan config; do
	"$devs" validate --schema $name >$name.schema
	want "schema of a $name" "$?" 0
done
"$devs" init >/dev/null
"$devs" validate --contract plan.schema plan.json
want "the starter plan fits" "$?" 0
want 'its keys in words' "$("$devs" validate --schema plan --words | sed -n '/^jobs$/,/^$/p')" \
	'jobs
    integer, 1 to 256
    Maximum number of tasks that run in parallel; the command line takes precedence.'
want 'a default value' "$("$devs" validate --schema plan --words | sed -n '/^workspace.setup_timeout_s$/,/^$/p')" \
	'workspace.setup_timeout_s
    number, 0.001 to 86400; default 600
    How many seconds `setup` may take.'
"$devs" validate --contract plan.schema --words plan.json >/dev/null 2>&1
want 'words of a contract' "$?" 2
echo '{"rules":7}' | "$devs" validate --contract config.schema >out
want "exit of settings that do not fit" "$?" 1
want_in "settings that do not fit" "$(cat out)" '[WRONG_TYPE] /rules: wrong type'
"$devs" validate --schema other 2>err
want "another schema" "$?" 2

# The examples of docs/contracts.md print what stands there.
block() {
	awk -v fence="\`\`\`$1" '$0 == fence { on = 1; next } /^```/ { on = 0 } on' "$page"
}
page=$source/docs/contracts.md
mkdir example && cd example || exit 1
devs() {
	"$devs" "$@"
}
block sh >example.sh
# shellcheck disable=SC1091
. ./example.sh >out
want "the documented examples" "$(cat out)" "$(block text)"

finish
