#!/usr/bin/env bash
# Runs a test where the session that started it is not visible, as in a container: processes of that
# session have session 0 there.
set -u
command -v unshare >/dev/null || { echo "unshare is not installed: skipped"; exit 77; }
unshare --pid --fork --mount-proc true 2>/dev/null ||
	{ echo "a namespace of processes cannot be made here: skipped"; exit 77; }
exec unshare --pid --fork --mount-proc "$@"
