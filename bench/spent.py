"""What a command takes, for the benchmarks: to its end, with all that it prints read."""
import os
import subprocess
import sys
import time
from typing import NamedTuple


class Spent(NamedTuple):
    ms: float  # by the wall clock
    cpu_ms: float
    mib: float  # the most memory that it had


def spent(command, folder=None, **environment):
    """Ends the benchmark if the command fails or prints nothing: then it has not done the work."""
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
    """Of each of the three the least."""
    return Spent(*map(min, zip(*costs)))
