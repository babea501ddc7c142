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
want 'a machine for plain runs: exit' $? 0
want 'one line each' "$(grep -c '' ../out)" 12
want_in 'no log yet' "$(cat ../out)" 'run log         none yet'
want_in 'no terminal' "$(cat ../out)" 'plain lines, no cockpit'
want_in 'the locale' "$(cat ../out)" 'ok  locale          UTF-8'
want 'nothing was made' "$(ls -A .)" ''
"$devs" doctor --json >../json
want_in 'JSON' "$(cat ../json)" '{"works":true,"checks":[{"name":"run log","state":"works"'
want 'JSON is one line' "$(grep -c '' ../json)" 1
want_in 'one word too many' "$("$devs" doctor x 2>&1)" 'too many'

# --- what is not installed is said, with what to do
mkdir ../bin
for tool in sh rm env; do ln -s "$(command -v $tool)" ../bin/$tool; done
PATH="$dir/bin" "$devs" doctor >../out
want 'a machine without helpers: exit' $? 0
want_in 'no git' "$(cat ../out)" '-   git             not installed: no workspace "worktree"; install git'
want_in 'no bwrap' "$(cat ../out)" 'bwrap is not installed; install bubblewrap'
want_in 'no podman' "$(cat ../out)" 'podman is not installed; install podman'
want_in 'no docker' "$(cat ../out)" 'docker is not installed'

# --- a daemon that is down, in words of the client
cat >../bin/docker <<'END'
#!/bin/sh
echo 'Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?' >&2
exit 1
END
chmod +x ../bin/docker
PATH="$dir/bin" "$devs" doctor >../out
want_in 'daemon down' "$(cat ../out)" 'Cannot connect to the Docker daemon'

# --- a log that is there, and one that cannot be
"$devs" exec -- true 2>/dev/null
want 'a log' "$(state 'run log')" works
want_in 'its name' "$("$devs" doctor)" "$dir/empty/.devs/devs.db"
"$devs" doctor --db /proc/devs.db >../out
want 'no place for a log: exit' $? 1
want_in 'no place for a log' "$(cat ../out)" 'NO  run log'

# --- the project's own arguments for podman are tried
echo '{"sandbox": {"kind": "podman", "image": "x", "args": ["--no-such-option"]}}' >devs.config.json
want 'arguments that break' "$(state 'sandbox podman')" lacks
echo '{"sandbox": {"kind": "nonsense"}}' >devs.config.json
"$devs" doctor >/dev/null 2>../err
want 'settings that are wrong: exit' $? 2
finish
