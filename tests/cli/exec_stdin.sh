#!/bin/sh
# What a command of devs exec reads on its standard input: the same as without devs, and for each
# attempt the same bytes.
. "$(dirname "$0")/check.sh"

want 'a pipe is read' "$(echo x | "$devs" exec -- cat)" x
want 'bytes stay as they are' "$(printf 'a\000b\377' | "$devs" exec -- od -An -tx1 | tr -d ' \n')" 610062ff
want 'what is there is read before the rest comes' "$( (echo first; sleep 0.2; echo second) |
	"$devs" exec -- sh -c 'read -r a; echo "$a"; cat' | tr '\n' ' ')" 'first second '
want 'with --once, too' "$(echo x | "$devs" exec --once -- cat)" x
if "$devs" exec --sandbox bwrap -- true >/dev/null 2>&1; then
	want 'in a sandbox, too' "$(echo x | "$devs" exec --sandbox bwrap -- cat)" x
fi

# --- each attempt reads the same
cat >copy.sh <<'SH'
n=$(ls | grep -c '^got-')
cat >"got-$n"
[ "$n" = 2 ]
SH
same() {
	want "$1: the same each time" "$(md5sum got-0 got-1 got-2 | cut -d ' ' -f 1 | sort -u)" \
		"$(md5sum <wanted | cut -d ' ' -f 1)"
	want "$1: tries" "$(ls | grep -c '^got-')" 3
	rm -f got-*
}
seq 1 40000 >wanted # more than a pipe holds
cat wanted | "$devs" exec -- sh copy.sh 2>/dev/null
same 'a pipe'
"$devs" exec -- sh copy.sh <wanted 2>/dev/null
same 'a file'
cat wanted | "$devs" exec -- sh -c 'n=$(ls | grep -c "^got-"); read -r a; echo "$a" >"got-$n"; [ "$n" = 2 ]' 2>/dev/null
want 'an attempt that reads little does not shift the next' "$(cat got-* | tr '\n' ' ')" '1 1 1 '
rm -f got-*
printf 'one\ntwo\n' >lines
want 'the command takes no more of a file than it reads' \
	"$(while read -r line; do "$devs" exec -- echo "$line"; done <lines | tr '\n' ' ')" 'one two '

# --- nothing to read, and an end that does not come
want 'no input' "$("$devs" exec -- wc -c </dev/null)" 0
want 'a closed input' "$("$devs" exec -- wc -c <&-)" 0
mkfifo idle
sleep 60 >idle &
holder=$!
timeout 20 "$devs" exec -- true <idle
want 'an idle pipe holds up no command that does not read it' $? 0
kill "$holder"

# --- as much as is kept is read again, to the last byte
full=$((16 * 1024 * 1024))
want 'an input of just the limit is read by each attempt' "$(head -c $full /dev/zero |
	"$devs" exec --policy default -- sh -c 'wc -c; [ -e again ] || { touch again; exit 1; }' 2>/dev/null |
	tr '\n' ' ')" "$full $full "

# --- more than is kept: one attempt has all of it, a second one is refused
size=$((17 * 1024 * 1024))
want 'a large input is read' "$(head -c $size /dev/zero | "$devs" exec -- wc -c)" $size
head -c $size /dev/zero | "$devs" exec -- sh -c 'cat >/dev/null; exit 1' >out 2>err
want 'it is not read twice: exit' $? 126
want_in 'it is not read twice: why' "$(cat err)" 'standard input is larger than 16 MiB'
want_in 'it is not read twice: what is needed' "$("$devs" why last/exec)" 'its standard input cannot be read again'

# --- a devs that was killed took the input with it
echo x | "$devs" exec -- sh -c 'touch here; until [ -e go ]; do sleep 0.05; done; cat >after' 2>/dev/null &
until_true 60 test -e here
run=$("$devs" status --json | sed 's/.*"run":\([0-9]*\),.*/\1/')
kill -KILL "$("$devs" runs --json | sed -n 's/.*"run":'"$run"',.*"pid":\([0-9]*\).*/\1/p')"
wait
is_interrupted() { "$devs" runs | grep -q interrupted; }
until_true 60 is_interrupted
"$devs" run --continue "$run" --plain >out 2>&1
want 'taken up without its input: exit' $? 4
want_in 'taken up without its input: why' "$(cat out)" 'its standard input was lost with the devs'
want 'the command was not run with an empty input' "$(ls after 2>/dev/null)" ''
finish
