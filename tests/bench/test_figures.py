#!/usr/bin/env python3
"""test_figures.py BENCH_DIR: what a line of the table says, and that the scripts get the same."""
import os
import subprocess
import sys

bench = sys.argv[1]
sys.dont_write_bytecode = True
sys.path.insert(0, bench)
import figures  # noqa: E402

FIGURES = (
    (("a figure alone", 12.34, "ms"), "12.3 ms\t-\t-\t-\t-"),
    (("a whole number", 7, "per s"), "7 per s\t-\t-\t-\t-"),
    (("thousands", 1234567.8, ""), "1,234,568\t-\t-\t-\t-"),
    (("a small one", 0.01234, "ms"), "0.012 ms\t-\t-\t-\t-"),
    (("none wanted", 0, "per s", None, None, "at most 0 per s"),
     "0 per s\t-\t-\tat most 0 per s\tok"),
    (("just met", 20, "ms", None, None, "at most 20 ms"), "20 ms\t-\t-\tat most 20 ms\tok"),
    (("missed by less than is shown", 20.001, "ms", None, None, "at most 20 ms"),
     "20.0 ms\t-\t-\tat most 20 ms\tMISSED"),
    (("a rate", 79.9, "MB/s", None, None, "at least 80 MB/s"),
     "79.9 MB/s\t-\t-\tat least 80 MB/s\tMISSED"),
    (("thousands wanted", 1501, "us", None, None, "at most 1,500 us"),
     "1,501 us\t-\t-\tat most 1,500 us\tMISSED"),
    (("of the ratio", 120, "ms", "xargs", 100, "at most 1.0 x"),
     "120 ms\txargs 100 ms\t1.20 x\tat most 1.0 x\tMISSED"),
    (("of the figure, with a peer", 120, "ms", "xargs", 100, "at most 200 ms"),
     "120 ms\txargs 100 ms\t1.20 x\tat most 200 ms\tok"),
    (("a peer that is absent", 120, "ms", "lnav is not installed", None, "at most 1.0 x"),
     "120 ms\tlnav is not installed\t-\tat most 1.0 x\t-"),
    (("only the peer", None, "ms", "cp -a", 182, "at most 200 ms"),
     "-\tcp -a 182 ms\t-\tat most 200 ms\t-"),
)
faults = 0


def check(what, got, want):
    global faults
    if got != want:
        faults += 1
        print(f"{what}: got {got!r}, want {want!r}")


def refuses(*arguments):
    try:
        figures.line(*arguments)
    except ValueError:
        return True
    return False


for arguments, want in FIGURES:
    check(arguments[0], figures.line(*arguments), f"{arguments[0]}\t{want}")
check("a wish that is no sentence", refuses("a", 1, "ms", None, None, "20 ms"), True)
check("a wish in another unit", refuses("a", 1, "us", None, None, "at most 20 ms"), True)

for part, want in ((0, 1), (0.5, 3), (0.99, 4), (1, 4)):
    check(f"the share {part}", figures.share([4, 1, 3, 2], part), want)

script = f"""#!/bin/sh
. "{bench}/figures.sh"
figures={bench}/figures.py
figure 'from a shell' 12.34 ms xargs 10 'at most 1.0 x'
printf '3\\n1\\n2\\n' | share 0.5
printf '3\\n1\\n2\\n' | share 1
"""
said = subprocess.run(["sh", "-c", script, f"{bench}/bench-test"], capture_output=True, text=True, check=True)
check("a shell", said.stdout,
      "from a shell\t12.3 ms\txargs 10 ms\t1.23 x\tat most 1.0 x\tMISSED\n2\n3\n")
done = subprocess.run([sys.executable, f"{bench}/figures.py", "--of", "sh", "-c",
                       "printf 'of a program\\t4\\tms\\t-\\t-\\t-\\n'; exit 3"],
                      capture_output=True, text=True, check=False)
check("a program", (done.stdout, done.returncode), ("of a program\t4 ms\t-\t-\t-\t-\n", 3))
empty = subprocess.run([sys.executable, f"{bench}/figures.py", "nothing measured", "", "ms"],
                       capture_output=True, text=True, check=False)
check("a number that is missing is no figure", empty.returncode != 0 and empty.stdout == "", True)
sys.exit(1 if faults else 0)
