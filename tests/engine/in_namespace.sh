#!/usr/bin/env bash
# Run a test where the session that started it is not seen: in a container all of it is so.
# A program of the session is of session 0 there, which is no session of anybody's.
set -u
command -v unshare >/dev/null || { echo "unshare is not installed: skipped"; exit 77; }
unshare --pid --fork --mount-proc true 2>/dev/null ||
	{ echo "a namespace of processes cannot be made here: skipped"; exit 77; }
exec unshare --pid --fork --mount-proc "$@"
