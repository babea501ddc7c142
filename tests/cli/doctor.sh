#!/bin/sh
# What devs doctor says of a machine, and that it makes nothing.
. "$(dirname "$0")/check.sh"
unset DEVS_DB
export XDG_STATE_HOME="$dir/state" LC_ALL=C.UTF-8

state() {
	"$devs" doctor --json 2>/dev/null | tr '{' '\n' | sed -n "s/.*\"name\":\"$1\",\"state\":\"\\([a-z]*\\)\".*/\\1/p"
}

mkdir empty && cd empty || exit 1
"$devs" doctor >../out
want 'a machine for runs: exit' $? 0
want 'one entry each, and one line of all' "$(grep -c '^[^ ]' ../out)" 16
want 'no line is wider than a terminal' "$(grep -v '^ok  devs' ../out | awk 'length > 80')" ''
want_in 'what they come to' "$(tail -n 1 ../out)" 'runs work here'
want_in 'which devs' "$(head -n 1 ../out)" "ok  devs            $("$devs" --version | cut -d ' ' -f 2-), /"
want_in 'room for a log' "$(grep -A 1 '^ok  run log' ../out | xargs)" 'iB free'
want_in 'no log yet' "$(cat ../out)" 'run log         none yet'
want_in 'no terminal' "$(cat ../out)" 'plain lines, no cockpit'
want_in 'the locale' "$(cat ../out)" 'ok  locale          UTF-8'
want 'nothing was made' "$(ls -A .)" ''
PATH="$dir/bin" "$devs" doctor --json >../json
want_in 'JSON' "$(cat ../json)" '{"works":true,"checks":[{"name":"devs","state":"works"'
want 'JSON is one line' "$(grep -c '' ../json)" 1
want_in 'one word too many' "$("$devs" doctor x 2>&1)" 'unexpected argument'

# --- what is not installed is said, with what to do
mkdir ../bin
for tool in sh rm env; do ln -s "$(command -v $tool)" ../bin/$tool; done
PATH="$dir/bin" "$devs" doctor >../out
want 'a machine without helpers: exit' $? 0
want_in 'no git' "$(cat ../out)" '-   git             not installed: no workspace "worktree"; install git'
want_in 'no bwrap' "$(cat ../out)" 'bwrap is not installed; install bubblewrap'
want_in 'no podman' "$(cat ../out)" 'podman is not installed; install podman'
want_in 'no docker' "$(cat ../out)" 'docker is not installed'

want_in 'no UTF-8' "$(LC_ALL=C PATH="$dir/bin" "$devs" doctor | grep -A 1 locale | xargs)" \
	'not UTF-8 but ANSI_X3.4-1968: symbols are drawn in ASCII; LC_ALL=C.UTF-8'
want_in 'no agent' "$(cat ../out)" '-   agents          none of claude, codex,'
want_in 'how to get one' "$(grep -A 2 '^-   agents' ../out)" '                    npm install '
printf '#!/bin/sh\necho "bwrap: Failed to make / slave: Invalid argument" >&2; exit 1\n' >../bin/bwrap
chmod +x ../bin/bwrap
want_in 'bwrap in a chroot' "$(PATH="$dir/bin" "$devs" doctor | grep -A 4 '^-   sandbox bwrap' | xargs)" \
	'does not work: bwrap: bwrap: Failed to make / slave: Invalid argument (exit 1); run mount --bind / / first: in a chroot, / is not a mount point'
rm ../bin/bwrap
ln -s "$(command -v apt || echo "$(command -v true)")" ../bin/apt
want_in "the system's own command" "$(PATH="$dir/bin" "$devs" doctor)" 'apt install bubblewrap'
rm ../bin/apt

# --- agents: devs asks those that it knows for their versions, and runs no other program
printf '#!/bin/sh\necho "2.0.14 (Claude Code)"\n' >../bin/claude
printf '#!/bin/sh\necho "codex-cli 0.46.0"\n' >../bin/codex
printf '#!/bin/sh\ntouch %s/was-run\n' "$dir" >../bin/ours
chmod +x ../bin/claude ../bin/codex ../bin/ours
echo '{"agents": {"mine": {"program": "ours"}, "gemini": {"program": "ours"}}}' >devs.config.json
want_in 'settings that wait' "$("$devs" doctor | grep -A 2 '^-   settings' | xargs)" \
	'devs.config.json: agents runs a command, so it needs your trust; read the file, then run: devs trust'
want 'agents that wait are not shown' "$("$devs" doctor | grep -c mine)" 0
trust
want_in 'settings that are trusted' "$("$devs" doctor | grep -A 1 '^ok  settings' | xargs)" ', trusted'
want_in 'agents' "$(PATH="$dir/bin" "$devs" doctor | grep -A 1 agents | xargs)" \
	'ok agents mine, gemini, claude 2.0.14, codex 0.46.0; not installed: copilot, kimi, opencode, pi, qwen'
want 'a program of the project is not run' "$(ls "$dir" | grep was-run)" ''
remove_settings
rm ../bin/claude ../bin/codex ../bin/ours

# --- a terminal; without helpers, whose answers take long
# on_terminal TERM COLUMNS: what doctor says of one
on_terminal() {
	TERM=$1 script -qec "stty cols $2 rows 30; PATH='$dir/bin' '$devs' doctor" /dev/null </dev/null |
		grep terminal
}
want_in 'a terminal' "$(on_terminal xterm-256color 100)" \
	'ok  terminal        xterm-256color, 100x30, 256 colors'
want_in 'one without colors' "$(on_terminal vt100 80)" 'vt100, 80x30, 0 colors'
want_in 'one that cannot be drawn on' "$(on_terminal dumb 80)" '-   terminal'

# --- a daemon that is down, in words of the client
cat >../bin/docker <<'END'
#!/bin/sh
echo 'Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?' >&2
exit 1
END
chmod +x ../bin/docker
PATH="$dir/bin" "$devs" doctor >../out
want_in 'daemon down' "$(cat ../out)" 'Cannot connect to the Docker daemon'
want 'a long line goes on below, at a blank, and so does what helps' \
	"$(sed -n '/sandbox docker/,/systemctl/p' ../out)" \
	"-   sandbox docker  does not work: docker: Cannot connect to the Docker daemon
                    at unix:///x. Is the docker daemon running? (exit 1);
                    start the daemon: systemctl start docker"

# --- a log that is there, and one that cannot be
"$devs" exec -- true 2>/dev/null
PATH="$dir/bin" "$devs" doctor >../out
want_in 'a log, its name' "$(grep '^ok  run log' ../out)" "$dir/empty/.devs/devs.db"
PATH="$dir/bin" "$devs" doctor --db /proc/devs.db >../out
want 'no place for a log: exit' $? 1
want_in 'no place for a log' "$(cat ../out)" 'NO  run log'
want_in 'what that comes to' "$(tail -n 1 ../out)" 'runs do not work here'

# --- a disk that is full, or nearly
# on_disk SIZE: what doctor says of a folder on one of that size
on_disk() {
	unshare -m sh -c 'mount -t tmpfs -o "size=$1" tmpfs . && cd "$PWD" && PATH=$3 exec "$2" doctor' \
		sh "$1" "$devs" "$dir/bin"
}
mkdir ../disk && cd ../disk || exit 1
if unshare -m mount -t tmpfs tmpfs . 2>../err; then
	on_disk 900k >../out
	want 'a full disk: exit' $? 1
	want_in 'a full disk' "$(xargs <../out)" 'on tmpfs, 0 MiB free; free some space, or use --db FILE on another disk'
	on_disk 20m >../out
	want 'a disk with little room: exit' $? 0
	want_in 'a disk with little room' "$(xargs <../out)" \
		'- run log none yet: the first run creates .devs, on tmpfs, 20 MiB free; free some space'
	on_disk 100m >../out
	want_in 'a disk with room' "$(xargs <../out)" \
		'ok run log none yet: the first run creates .devs, on tmpfs, 100 MiB free'
	# Nowhere to go: what doctor says, and what a run says that begins all the same.
	unshare -m sh -c 'mount -t tmpfs -o ro tmpfs . && cd "$PWD" && unset HOME XDG_STATE_HOME
		PATH=$2 "$1" doctor; PATH=$2 "$1" exec -- true 2>&1; echo "exit $?"' sh "$devs" "$dir/bin" >../out
	want_in 'a read-only disk' "$(xargs <../out)" \
		'NO run log none yet, and this folder cannot be written; use --db FILE with a file on a local disk'
	want 'a run there' "$(tail -n 3 ../out)" \
		"devs: cannot keep a log in this folder, and HOME is not set
hint: use --db FILE in a folder that you can write to
exit 73"
else
	echo "skipped: no disk of a size can be made here: $(cat ../err)"
fi
cd ../empty || exit 1
want_in 'no log, and no home' "$(cd .. && env -u HOME -u XDG_STATE_HOME "$devs" status 2>&1)" "no log in '$dir' or above it"

# --- a log of a newer devs; not by cp, because a part of the log may still be in the WAL
sqlite3 .devs/devs.db ".backup '../newer.db'"
sqlite3 ../newer.db 'PRAGMA user_version=7'
PATH="$dir/bin" "$devs" doctor --db ../newer.db >../out
want 'a log of a newer devs: exit' $? 1
want_in 'a log of a newer devs' "$(grep -A 2 '^NO  run log' ../out | xargs)" 'schema 7'
want_in 'what to do about it' "$(grep -A 2 '^NO  run log' ../out | xargs)" 'read only; update devs, or use --db FILE'

# --- the project's own arguments for podman are tried
echo '{"sandbox": {"kind": "podman", "image": "x", "args": ["--no-such-option"]}}' >devs.config.json
trust
want 'arguments that break' "$(state 'sandbox podman')" lacks
echo '{"sandbox": {"kind": "nonsense"}}' >devs.config.json
exits 'settings that are wrong' 2 doctor
finish
