#!/usr/bin/env python3
"""How late a follower of a run gets its events, while the engine writes as fast as it can: from the
time of the event, which is the time of its turn, to its line in `devs debug --follow`.

usage: follow.py DEVS PLAN FOLDER
"""
import json
import subprocess
import sys
import time

from figures import figure, share

LIMIT_S = 120
CATCH_UP_MS = 500  # events before the start of the follower come at once, and late


def await_log(devs, log):
    until = time.monotonic() + LIMIT_S
    while subprocess.run([devs, "--db", log, "status", "--line"], stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, check=False).returncode == 66:
        if time.monotonic() > until:
            sys.exit("follow.py: the run has not begun")


def lateness_ms(follower):
    counts_from_ms = None
    late = []
    for line in follower.stdout:
        now_ms = time.time() * 1000
        event = json.loads(line)
        counts_from_ms = counts_from_ms or now_ms + CATCH_UP_MS
        if event["at_ms"] > counts_from_ms:
            late.append(now_ms - event["at_ms"])
        if event["kind"] == "run_ended":
            return late
    sys.exit("follow.py: the follower ended before the run")


def main():
    devs, plan, folder = sys.argv[1:]
    log = f"{folder}/devs.db"
    engine = subprocess.Popen([devs, "run", "--plain", "-j2", "--db", log, plan],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    await_log(devs, log)
    follower = subprocess.Popen([devs, "--db", log, "debug", "--logs", "--json", "--follow"],
                                stdout=subprocess.PIPE, text=True)
    late = lateness_ms(follower)
    engine.wait()
    follower.wait()
    figure(f"delay until a follower has an event, median of {len(late):,}", share(late, 0.5), "ms")
    figure("the same, p99", share(late, 0.99), "ms", wanted="at most 20 ms")
    figure("the same, max", max(late), "ms")


main()
