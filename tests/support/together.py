"""Runs test cases side by side, each in a process of its own: most only wait, so a few at a time."""
import os
import sys
import tempfile
import traceback


AT_A_TIME = 4


def together(names, run):
    """Calls run(name) for each name, prints their output in this order, and returns how many failed:
    run() returns True for a case that has passed."""
    started = []
    ends = {}

    def await_one():
        pid, status = os.wait()
        if pid in (case for case, _ in started):
            ends[pid] = status

    for name in names:
        while len(started) - len(ends) >= AT_A_TIME:
            await_one()
        sys.stdout.flush()
        out = tempfile.TemporaryFile()
        pid = os.fork()
        if pid == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
            passed = False
            try:
                passed = run(name)
            except BaseException:  # also SystemExit: the caller's cleanup is not for this process
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0 if passed else 1)
        started.append((pid, out))
    failed = 0
    for pid, out in started:
        while pid not in ends:
            await_one()
        failed += ends[pid] != 0
        out.seek(0)
        sys.stdout.buffer.write(out.read())
        sys.stdout.flush()
        out.close()
    return failed
