#!/usr/bin/env python3
"""Tasks as jobs of a Slurm cluster on this machine, compared with jobs of sbatch alone, which is what
the cluster can do here. Prints the lines of bench-executors.

usage: slurm-up run slurm.py DEVS
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import figures

TASKS = 40
AT_ONCE = 16
POLL_S = 2


def output_of(*words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout


def took(act):
    began = time.monotonic()
    act()
    return time.monotonic() - began


def queries():
    """Answered requests for the states of jobs since slurmctld was started."""
    found = re.search(r"REQUEST_JOB_INFO\s.*count:(\d+)", output_of("sdiag"))
    return int(found[1]) if found else 0


def main():
    devs = os.path.abspath(sys.argv[1])
    root = tempfile.mkdtemp(prefix="bench-slurm-")
    os.chdir(root)
    farm = {"like": "slurm", "shared": root, "dir": f"{root}/far", "hand": f"{os.path.dirname(devs)}/devs-hand",
            "poll_s": POLL_S, "slots": AT_ONCE, "args": ["--mem=1"]}

    def run(command, count, executor, *options):
        with open("plan.json", "w", encoding="ascii") as file:
            json.dump({"version": 1, "idempotent": True, "executors": {"farm": farm}, "executor": executor,
                       "tasks": [{"id": f"t{i}", "steps": [{"run": command}]} for i in range(count)]}, file)
        subprocess.run([devs, "run", "--plain", *options, "plan.json"], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, check=True)

    def submit(command, count):
        """As many jobs at a time, each until its end."""
        waiting = []
        for _ in range(count):
            if len(waiting) >= AT_ONCE:
                waiting.pop(0).wait()
            waiting.append(subprocess.Popen(["sbatch", "--wait", "--parsable", "--mem=1", "--output=/dev/null",
                                             "--wrap", command], stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL))
        for one in waiting:
            one.wait()

    try:
        alone = took(lambda: submit("true", 1))
        far = took(lambda: run(["true"], 1, "farm"))
        print(figures.line("one task of `true` as a job of Slurm, whole run", far, "s", "sbatch --wait", alone))
        before = queries()
        far = took(lambda: run(["sleep", "1"], TASKS, "farm"))
        asked = queries() - before
        alone = took(lambda: submit("sleep 1", TASKS))
        print(figures.line(f"{TASKS} tasks of `sleep 1`, {AT_ONCE} jobs at a time", far, "s",
                           "as many of sbatch --wait", alone))
        here = took(lambda: run(["sleep", "1"], TASKS, "local", "-j", "4"))
        print(figures.line("the same", far, "s", "on this machine, 4 at a time", here, "at most 1.5 x"))
        print(figures.line("queries for the states of its jobs, each `poll_s`", asked * POLL_S / far, "",
                           wanted=None))
    finally:
        shutil.rmtree(root, ignore_errors=True)


main()
