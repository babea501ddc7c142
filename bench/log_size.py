#!/usr/bin/env python3
"""Bytes of the file for each event, without outputs: the pages of the table and its key, including
free space on them. One run fills only a few pages, so its events are written a hundred times, in
the order and the transactions of an engine.

usage: log_size.py LOG      (with one run; is changed)
"""
import sqlite3
import sys

from figures import figure

RUNS = 100
COMMIT = 8  # events; about as many as an engine writes at once
COLUMNS = "seq, at_ms, mono_ms, kind, task, task_no, step, attempt, data, round, grant_no"


def bytes_of_events(log):
    return log.execute("SELECT sum(pgsize) FROM dbstat WHERE name='event'").fetchone()[0]


def main():
    log = sqlite3.connect(sys.argv[1], isolation_level=None)
    events = log.execute(f"SELECT {COLUMNS} FROM event WHERE run=1 ORDER BY seq").fetchall()
    between_ms = events[-1][1] - events[0][1] + 60_000
    for run in range(2, RUNS + 1):
        later = run * between_ms
        for at in range(0, len(events), COMMIT):
            log.execute("BEGIN")
            for seq, at_ms, mono_ms, *rest in events[at:at + COMMIT]:
                log.execute(f"INSERT INTO event(run, {COLUMNS}) VALUES(?{',?' * 11})",
                            (run, seq, at_ms + later, mono_ms + later, *rest))
            log.execute("COMMIT")
    count = log.execute("SELECT count(*) FROM event").fetchone()[0]
    figure(f"size of an event in the file, demo ({len(events)} events, {RUNS} runs)",
           bytes_of_events(log) / count, "B")


main()
