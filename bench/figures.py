#!/usr/bin/env python3
"""One figure of a benchmark, as one line of six columns with tabs between them:

    what   devs   peer   ratio   target   ok|MISSED|-

The ratio is devs divided by peer, before rounding. A target that ends in x applies to the ratio
("at most 1.3 x"), any other to the figure of devs ("at least 80 MB/s"). A missing value is "-".

Python calls figure(), a shell the function of that name in figures.sh. A program in C (figure.h)
prints six other columns, of which the first three are always there, and is run through this file:

    what   number   unit   peer   the peer's number   wanted

usage: figures.py WHAT NUMBER UNIT [PEER [NUMBER [WANTED]]]
       figures.py --of PROGRAM [ARGUMENT...]
"""
import os
import re
import subprocess
import sys

NONE = "-"
WANTED = re.compile(r"at (most|least) ([0-9][0-9.,]*) (.+)")


def number(value):
    """With the significant digits: 0.012, 1.25, 12.5, 1,250, 7."""
    if value == int(value):
        return f"{value:,.0f}"
    places = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{places}f}"


def quantity(value, unit):
    return f"{number(value)} {unit}".rstrip()


def judge(wanted, value, unit, ratio):
    if not wanted:
        return NONE
    found = WANTED.fullmatch(wanted)
    if not found:
        raise ValueError(f"invalid target: {wanted!r}")
    limit = float(found[2].replace(",", ""))
    if found[3] not in ("x", unit):
        raise ValueError(f"target is not in {unit!r}: {wanted!r}")
    judged = ratio if found[3] == "x" else value
    if judged is None:
        return NONE
    met = judged <= limit if found[1] == "most" else judged >= limit
    return "ok" if met else "MISSED"


def line(what, value, unit, peer=None, peer_value=None, wanted=None):
    """The line of a figure. Instead of its number, a peer may have a word that says why it has
    none. Value None: the figure could not be measured here."""
    ratio = value / peer_value if value is not None and peer_value else None
    seen = quantity(value, unit) if value is not None else NONE
    beside = peer or NONE
    if peer_value is not None:
        beside = f"{peer} {quantity(peer_value, unit)}" if peer else quantity(peer_value, unit)
    verdict = judge(wanted, value, unit, ratio) if value is not None else NONE
    return "\t".join((what, seen, beside, quantity(ratio, "x") if ratio is not None else NONE,
                      wanted or NONE, verdict))


def figure(what, value, unit, peer=None, peer_value=None, wanted=None):
    print(line(what, value, unit, peer, peer_value, wanted), flush=True)


def figure_of_columns(columns):
    columns = [column if column != NONE else None for column in columns]
    columns += [None] * (6 - len(columns))
    what, value, unit, peer, peer_value, wanted = columns
    figure(what, None if value is None else float(value), unit or "", peer,
           None if peer_value is None else float(peer_value), wanted)


def share(values, part):
    """The value that this share of the values (0 to 1) does not exceed: 0.5 is the median."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def built(devs, program):
    """The path of a benchmark in C, in the build folder of this devs."""
    build = os.path.dirname(os.path.abspath(devs))
    subprocess.run(["cmake", "--build", build, "--target", program], check=True,
                   stdout=subprocess.DEVNULL)
    return os.path.join(build, "bench", program)


def figures_of(command, cwd=None):
    """Prints the figures of a program as they arrive. Returns its exit code."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=cwd) as process:
        for text in process.stdout:
            figure_of_columns(text.rstrip("\n").split("\t"))
        return process.wait()


def main():
    if sys.argv[1:2] == ["--of"]:
        sys.exit(figures_of(sys.argv[2:]))
    figure_of_columns(sys.argv[1:])


if __name__ == "__main__":
    main()
