"""The time and memory of a program, for the benchmarks: up to its end, or while it runs."""
import os
import re
import subprocess
import sys
import time
from typing import NamedTuple


class Spent(NamedTuple):
    ms: float  # wall time
    cpu_ms: float
    mib: float  # peak memory


def spent(command, folder=None, **environment):
    """Runs the command to its end and reads its output. Ends the benchmark if the command fails or
    prints nothing: then it has not done the work."""
    printed, start = 0, time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=folder,
                          env=dict(os.environ, **environment)) as process:
        while data := os.read(process.stdout.fileno(), 1 << 20):
            printed += len(data)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    took = (time.monotonic() - start) * 1000
    if process.returncode != 0 or printed == 0:
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}, {printed} bytes printed")
    return Spent(took, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss / 1024)


def least(costs):
    """The smallest value of each of the three."""
    return Spent(*map(min, zip(*costs)))


def of_threads(pid, name):
    """The contents of this file in /proc for each thread."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/{name}", encoding="ascii") as file:
            yield file.read()


def cpu_s(pid):
    """The processor time of its current threads, in seconds."""
    return sum(int(text.split()[0]) for text in of_threads(pid, "schedstat")) / 1e9


def wakeups(pid):
    return sum(int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", text, re.M)[1])
               for text in of_threads(pid, "status"))


def memory_mib(pid):
    """Its peak memory; None if the process has ended."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        found = re.search(r"^VmHWM:\s*(\d+)", file.read(), re.M)
    return int(found[1]) / 1024 if found else None
