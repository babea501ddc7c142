#!/bin/sh
# Secrets of the environment, of the plan and of known forms are in no byte that is written.
. "$(dirname "$0")/check.sh"

key='Zq7-plain+secret/value=9x'
password='p@ss word"with\quotes'
inner='inner-secret-value-123'
github=ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789
export API_KEY="$key" MY_PASSWORD="$password"
export DATABASE_URL='postgres://app:Sup3rS3cretPw@db/x'
export DEPLOY_SSH_KEY="first line of it 1
second line of it 2"
unset GITHUB_TOKEN 2>/dev/null || true

# encoded TEXT: the forms that are looked for in what was written, one a line.
encoded() {
	printf '%s\n' "$1"
	printf '%s' "$1" | base64 -w0 | cut -c1-"$(((${#1} * 8) / 6))"
	echo
	printf 'x%s' "$1" | base64 -w0 | cut -c3-"$(((${#1} * 8 + 8) / 6))"
	echo
	printf 'xy%s' "$1" | base64 -w0 | cut -c4-"$(((${#1} * 8 + 16) / 6))"
	echo
	printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'
	echo
	printf '%s' "$1" | od -An -v -tx1 | tr -d '\n' | sed 's/ /%/g'
	echo
}

{
	for secret in "$key" "$password" "$inner" "$github" Sup3rS3cretPw \
		'first line of it 1' 'second line of it 2'; do
		encoded "$secret"
	done
	printf '%s\n' 'Zq7-plain%2Bsecret%2Fvalue%3D9x' 'p@ss word\"with\\quotes'
} | grep -v '^$' >forms

# not_written NAME FILE...: none of the forms is in these files.
not_written() {
	name=$1
	shift
	grep -aFf forms "$@" >found 2>/dev/null
	want "$name" "$(wc -l <found)" 0
	[ -s found ] && head -c 400 found
	rm -f found
}

# Writes everything it knows to both streams, raw and in other forms, in pieces.
cat >step.sh <<'SH'
for secret in "$API_KEY" "$MY_PASSWORD" "$INNER_TOKEN" Sup3rS3cretPw "$1" "$DEPLOY_SSH_KEY"; do
	printf 'out %s\n' "$secret"
	printf 'err %s\n' "$secret" >&2
	head=$(printf '%s' "$secret" | cut -c1-7)
	printf '%s' "$head"
	printf '%s\n' "${secret#"$head"}"
	printf '%s' "$secret" | base64 -w0
	printf 'x%s' "$secret" | base64
	printf 'xy%s' "$secret" | base64 -w0
	printf '%s' "$secret" | od -An -v -tx1 | tr -d ' \n'
	printf '%s' "$secret" | od -An -v -tx1 | tr -d '\n' | sed 's/ /%/g'
done
printf 'Zq7-plain%%2Bsecret%%2Fvalue%%3D9x p@ss word\\"with\\\\quotes\n'
env | sort
echo "error: cannot open $2"
exit 1
SH
cat >plan.json <<JSON
{"version": 1, "name": "with $github", "idempotent": true,
 "policy": {"like": "default", "max_attempts": 2, "base_delay_ms": 1},
 "tasks": [{"id": "t", "title": "use $github", "steps": [
  {"run": ["sh", "step.sh", "$github", "dir-$key.txt"], "env": {"INNER_TOKEN": "$inner"}}]}]}
JSON

"$devs" run --plain plan.json >out 2>err
want 'the run: exit' $? 1
not_written 'the stream' out err
want_in 'the stream has marks' "$(cat out)" "step.sh '[cut:github-token]' 'dir-[cut:API_KEY].txt'"
INNER_TOKEN=$inner sh step.sh "$github" x >raw 2>&1
want 'the step writes what is looked for' "$(grep -aoFf forms raw | awk 'END {print (NR > 40)}')" 1
rm raw
"$devs" log t >log
not_written 'the log of the task' log
for mark in API_KEY MY_PASSWORD INNER_TOKEN DATABASE_URL DEPLOY_SSH_KEY github-token; do
	want_in "the log of the task: $mark" "$(cat log)" "out [cut:$mark]"
done
want_in 'base64' "$(cat log)" "INNER_TOKEN=[cut:INNER_TOKEN]"
"$devs" debug --forensics t >forensics 2>&1
want_in 'forensics: the argument' "$(cat forensics)" 'dir-[cut:API_KEY].txt'
"$devs" why t >why
"$devs" debug --logs --json >events
want_in 'the event' "$(cat events)" 'secrets_cut'
"$devs" status --json >status
want_in 'the title' "$(cat status)" 'use [cut:github-token]'

"$devs" debug --logs 1 --frame 140x40 >frame
want_in 'a frame' "$(cat frame)" '[cut:'
not_written 'a frame' frame
rm frame
"$devs" run --dry-run plan.json >dry
not_written 'a dry run' dry
want_in 'a dry run' "$(cat dry)" 'dir-[cut:API_KEY].txt'
rm dry

# --- what passes through
"$devs" exec -- sh step.sh "$github" x >through 2>&1
want 'exec: exit' $? 1
not_written 'what exec passes through' through
want_in 'exec' "$(cat through)" 'out [cut:API_KEY]'

not_written 'views of the log' forensics why events status
not_written 'the log' .devs/*
want 'there is a log' "$(test -s .devs/devs.db && echo yes)" yes

# --- what the settings say
cat >devs.config.json <<'JSON'
{"secrets": {"names": ["BADGE"], "keep": ["MY_PASSWORD"],
             "patterns": [{"name": "ticket", "regex": "T-[0-9]{4}"}]}}
JSON
trust
BADGE=12345678 "$devs" exec -- sh -c 'echo $BADGE T-4711 $MY_PASSWORD' >out
want 'settings' "$(cat out)" "[cut:BADGE] [cut:ticket] $password"
printf '{"secrets": {"patterns": [{"name": "x", "regex": "("}]}}' >devs.config.json
fails 'a pattern that is none' 2 '/secrets/patterns/0/regex' exec -- true
remove_settings

# --- a secret where none can be cut
cat >id.json <<JSON
{"version": 1, "tasks": [{"id": "$inner", "steps": [
  {"phase": "RED", "run": ["true"], "env": {"INNER_TOKEN": "$inner"}}]}]}
JSON
fails 'an id that is a secret' 2 'without its secrets (INNER_TOKEN)' run --plain id.json

# gone on with where a secret is not: what is said to do can be done
mkdir "$dir/lacks"
cd "$dir/lacks" || exit 1
echo '{"version": 1, "idempotent": true, "tasks": [{"id": "s", "steps": [{"run": ": >started; exec sleep 30", "shell": true, "env": {"LACKED_TOKEN": "tok-abcdef-987654321"}}]}]}' >plan.json
LACKED_TOKEN=tok-abcdef-987654321 "$devs" run --plain plan.json >out 2>&1 &
pid=$!
until_true 60 test -e started
kill -KILL "$pid"
wait "$pid" 2>/dev/null
"$devs" run --plain --continue last >out 2>&1
want 'a run that lacks a secret is not gone on with: exit' $? 4
want 'which one, and what to do' "$(cat out)" \
	"devs: run #4: s needs the secret LACKED_TOKEN, which is neither in the log nor set here; nothing was started
hint: run LACKED_TOKEN=... devs run --continue 4; any value will do to run without the secret"
want_in 'it can still be gone on with' "$("$devs" runs)" interrupted
LACKED_TOKEN=none "$devs" run --plain --continue last >out 2>&1
want 'without it: it needs a person' $? 4
want_in 'what to do' "$("$devs" why s)" 'the environment of devs run --continue'
cd "$dir" || exit 1
finish
