#!/bin/sh
# Output contracts of steps, and plans that are checked by their schema, from outside.
. "$(dirname "$0")/check.sh"

# log: what the log of the last run says
log() {
	"$devs" debug --logs --json
}

# tries TASK: how many attempts of it were started
tries() {
	log | grep '"kind":"attempt_started"' | grep -c "\"task\":\"$1\""
}

mkdir below
cat >below/answer.json <<'JSON'
{"type": "object", "required": ["summary"],
 "properties": {"kernel": {"const": "fix"}, "summary": {"type": "string"}}}
JSON
cat >below/plan.json <<'JSON'
{"$schema": "./plan.schema.json", "version": 1, "idempotent": true, "policy": {"base_delay_ms": 1},
 "contracts": {"number": {"type": "integer"}},
 "tasks": [
  {"id": "fits", "steps": [{"run": ["echo", "{\"summary\": \"done\"}"], "contract": "answer.json"}]},
  {"id": "prose", "steps": [{"run": ["echo", "Sure: {\"summary\": 1}"], "contract": "answer.json"}]},
  {"id": "other", "steps": [{"run": ["echo", "{\"kernel\": \"review\"}"], "contract": "answer.json"}]},
  {"id": "mends", "steps": [{"shell": true, "contract": "number",
    "run": "if [ -e seen ]; then echo 5; else touch seen; echo '\"5\"'; fi"}]},
  {"id": "large", "steps": [{"run": ["seq", "300000"], "contract": true, "policy": {"max_attempts": 1}}]},
  {"id": "fails", "steps": [{"run": ["false"], "contract": "number"}]}]}
JSON
"$devs" run below/plan.json --plain >out 2>err
want 'contracts: exit' $? 1
want_in 'output that fits' "$(cat out)" 'fits try 1/3 GREEN succeeded'
want 'output that fits is tried once' "$(tries fits)" 1
want_in 'JSON in prose' "$(cat out)" '[NOT_JSON] (root): '
want 'what can be mended is tried again' "$(tries prose)" 3
want_in 'another kernel' "$(cat out)" '[KERNEL_MISMATCH] /kernel: '
want 'what did something else is not tried again' "$(tries other)" 1
want_in 'mended by the second try' "$(cat out)" 'mends try 2/3 GREEN succeeded'
want_in 'too much output' "$(cat out)" 'the output is too large to check (expected at most 1 MiB'
want 'a failure is not judged by its output' "$(grep -c 'fails.*contract' out)" 0
want_in 'why' "$("$devs" why other)" '[MISSING_FIELD] /summary: required'
want_in 'the records list what is wrong' "$(log)" \
	'"violations":["[KERNEL_MISMATCH] /kernel: not the requested kernel'

# --- the log has the contract, whatever becomes of the file
if command -v sqlite3 >/dev/null; then
	found=$(sqlite3 .devs/devs.db \
		"SELECT count(*) FROM plan WHERE text LIKE '%\"contracts\":{%\"answer.json\":{%\"kernel\"%'")
	want 'the log has the contract of the file' "$found" 1
fi
log >before
rm below/answer.json
log >after
want 'the records do not need the file' "$(cksum <after)" "$(cksum <before)"

# --- a bad contract refuses the plan
exits 'a file that is gone' 2 run below/plan.json
want_in 'a file that is gone' "$(cat err)" \
	'[INVALID_VALUE] /tasks/0/steps/0/contract: unknown contract "answer.json", and no such file can be read: No such file or directory'
want 'a file that is gone: said once' "$(grep -c INVALID_VALUE err)" 1
mkfifo below/answer.json
timeout 60 "$devs" run --dry-run below/plan.json 2>err
want 'a contract in a pipe: exit' $? 2
want_in 'a contract in a pipe' "$(cat err)" 'and no such file can be read: not a regular file'
rm below/answer.json
ln -s /dev/zero below/answer.json
timeout 60 "$devs" run --dry-run below/plan.json 2>err
want 'a contract in a device: exit' $? 2
want_in 'a contract in a device' "$(cat err)" 'and no such file can be read: not a regular file'
rm below/answer.json
printf '{"version": 1, "idempotent": true, "tasks": [{"id": "a", "stps": [], "steps":
 [{"run": ["x"], "contract": {"properties": {"a": {"typ": 1}}}}]}]}' >bad.json
fails 'a bad contract' 2 '/tasks/0/steps/0/contract/properties/a/typ: ' run bad.json
want_in 'and what else is wrong' "$(cat err)" '/tasks/0/stps: unknown key, did you mean "steps"?'

# --- loops of a plan and of the settings are in the text of the log
printf '{"loops": {"repeat_stop": 7, "poll_stop": 0}}' >devs.config.json
exits 'loops of the settings' 0 exec -- true
if command -v sqlite3 >/dev/null; then
	found=$(sqlite3 .devs/devs.db \
		"SELECT count(*) FROM plan WHERE text LIKE '%\"loops\":{%\"repeat_stop\":7,%\"poll_stop\":0,%'")
	want 'the log has the loops' "$found" 1
fi
printf '{"loops": {"repeat_stop": 100000}}' >devs.config.json
fails 'a loop that is too long' 2 '/loops/repeat_stop: too large (expected 0 to 1000' exec -- true
rm devs.config.json

# --- the schemas for editors, and the plan to start from
"$devs" validate --schema plan >plan.schema.json
want 'the schema of plans: exit' $? 0
"$devs" validate --schema config >config.schema.json
want 'the schema of settings: exit' $? 0
"$devs" init starter.json >out
"$devs" validate --contract plan.schema.json starter.json
want 'the starter plan fits its schema' $? 0
printf '{"retry_limit": 3}' >settings.json
"$devs" validate --contract config.schema.json settings.json
want 'settings fit theirs' $? 0
"$devs" validate --contract plan.schema.json settings.json >out
want 'settings are no plan' $? 1

# --- files that a step has to leave
mkdir files && cd files || exit 1
cat >plan.json <<'PLAN'
{"version": 1, "idempotent": true, "policy": {"like": "research", "max_attempts": 1}, "jobs": 1, "tasks": [
 {"id": "there", "steps": [{"run": ["sh", "-c", "mkdir -p doc; printf 'one\ntwo' >doc/a.md"],
   "expect_files": [{"path": "doc/a.md", "min_lines": 2, "contains": "e\ntw"}, {"path": "plan.json"}]}]},
 {"id": "not", "steps": [{"run": ["sh", "-c", "echo x >short; mkdir -p folder; ln -sf short link; ln -sf .. up; [ -p fifo ] || mkfifo fifo"],
   "expect_files": [{"path": "none"}, {"path": "short", "min_lines": 2}, {"path": "short", "contains": "y"},
     {"path": "folder"}, {"path": "link"}, {"path": "up/files/short"}, {"path": "fifo"}]}]},
 {"id": "failed", "steps": [{"run": ["false"], "expect_files": [{"path": "none"}]}]},
 {"id": "large", "steps": [{"run": ["sh", "-c", "head -c 8388609 /dev/zero >zero"],
   "expect_files": [{"path": "zero"}, {"path": "zero", "contains": "x"}]}]},
 {"id": "copy", "workspace": "copy", "steps": [{"run": ["sh", "-c", "echo done >made"],
   "expect_files": [{"path": "made", "contains": "done"}]}]}]}
PLAN
"$devs" run --dry-run plan.json >out
want_in 'expected files: dry run' "$(cat out)" "    leaves   short, at least 2 lines"
"$devs" run --plain plan.json >out 2>&1
want 'expected files: exit' $? 1
want_in 'expected files: who passed' "$(cat out)" '  passed     there copy'
want_in 'expected files: the reason' "$(cat out)" 'not try 1/1 GREEN failed contract, rule expect.files: "none: missing"'
why=$("$devs" why not)
want_in 'expected files: why' "$why" 'sure       certain, the plan sets the expected result'
want_in 'a file that is missing' "$why" 'misfit     none: missing'
want_in 'too few lines' "$why" ' short: 1 line, expected at least 2'
want_in 'another content' "$why" " short: does not contain 'y'"
want_in 'a folder' "$why" ' folder: it is a folder'
want_in 'a link' "$why" ' link: it is a link'
want_in 'a link on the way' "$why" ' up/files/short: it is a link'
want_in 'a FIFO' "$why" ' fifo: not a regular file'
want_in 'a failure stays what it is' "$("$devs" why failed)" 'why        rule default'
want_in 'a large file' "$("$devs" why large)" 'zero: too large to check, more than 8 MiB'
want_in 'decided once more' "$("$devs" debug --verify last)" 'left out   2 verdicts that devs based on files'
cd ..
finish
