#!/usr/bin/env python3
"""kill -9 at random moments: two runs of 40 tasks in one log, each with its own devs.

usage: kill9.py DEVS [--rounds N] [--seed S] [--keep]

A round kills one engine or both, even while one resumes a run (--continue), then checks:

  * the log passes its integrity check
  * each event that was shown (a line of --json) and each act that was acknowledged is in the log
  * no step whose success was logged before the kill is started again, in the log or really
  * an attempt whose end was not logged is marked interrupted, and its step continues
  * two attempts of one step never run at once: each holds a lock, as do its leftover processes
  * if two processes resume one run at once, one wins, and the other exits with 75

Exits 0 with some figures, or 1 with what was wrong. The same seed makes the same choices, but the
exact moments of the kills depend on the kernel.
"""
import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

TASKS = 40
JOBS = 5
LIMIT_S = 60  # for one engine to do what is expected
TWO_AT_ONCE = 0.15
ACT = 0.3

ATTEMPT = r"""#!/bin/bash
# ROOT KIND: one attempt. Holds the step's lock until none of its processes are left.
name=${DEVS_RUN}_${DEVS_STEP//\//_}
exec 9>"$1/locks/$name"
flock -n 9 || { echo "two at once: $name" >>"$1/wrong"; exit 99; }
echo "$DEVS_RUN $DEVS_STEP $$" >>"$1/starts"
case $2 in
escapes) setsid sleep 300 & ;;
stubborn) trap '' TERM ;;
flaky) [ -e "$1/locks/$name.tried" ] || { : >"$1/locks/$name.tried"; echo ECONNRESET >&2; exit 1; } ;;
esac
sleep "0.0$((RANDOM % 6))"
exit 0
"""


class Wrong(Exception):
    pass


def check(true, what):
    if not true:
        raise Wrong(what)


class Engine:
    """One run of the log and the devs that has it, if any."""

    def __init__(self, chaos, name):
        self.chaos = chaos
        self.name = name
        self.run = None
        self.process = None
        self.out = None
        self.shown = []  # events that were printed
        self.acknowledged = 0
        self.seq = 0  # of the last event before the last kill
        self.passed = set()
        self.in_flight = set()
        self.starts = 0  # number of lines in `starts` at the last kill
        self.held = set()

    def start(self):
        words = ["run", "--json", "-j", str(JOBS), self.name + ".json"]
        self.run = None
        self.shown = []
        self.acknowledged = 0
        self.seq = 0
        self.passed = set()
        self.in_flight = set()
        self.starts = 0
        self.held = set()
        self.spawn(words)
        self.chaos.figures["runs"] += 1

    def go_on(self):
        self.spawn(["run", "--continue", str(self.run), "--json"])
        self.chaos.figures["continued"] += 1

    def spawn(self, words):
        path = os.path.join(self.chaos.dir, self.name + ".out")
        self.out = open(path, "w+b")
        self.process = subprocess.Popen(
            [self.chaos.devs, "--db", self.chaos.db] + words,
            cwd=self.chaos.dir, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.out,
            env=self.chaos.environment)

    def take_lines(self):
        """Takes the complete lines of JSON that were shown."""
        self.out.seek(0)
        for line in self.out.read().split(b"\n")[:-1]:
            if line.startswith(b"{"):
                event = json.loads(line)
                self.shown.append((event["run"], event["seq"], event["kind"]))
                self.run = event["run"]
        self.out.close()
        self.out = None

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.take_lines()
        return self.process.returncode

    def find_run(self):
        """Finds a run that was killed before it showed anything: it may have a row in the log, or
        none."""
        if self.run is None:
            row = self.chaos.ask("SELECT id FROM run WHERE pid=?", self.process.pid)
            self.run = row[-1][0] if row else None
        return self.run

    def look(self):
        """Checks the log, after a kill or an end."""
        run = self.find_run()
        if run is None:
            return
        rows = self.chaos.ask("SELECT seq, kind, task_no, step, attempt, data FROM event"
                              " WHERE run=? ORDER BY seq", run)
        self.look_at_shown(rows)
        self.look_at_steps(rows)
        seqs = [row[0] for row in rows]
        check(seqs == list(range(1, len(seqs) + 1)), f"run {run}: events have gaps")
        self.remember(rows)

    def look_at_shown(self, rows):
        kinds = {row[0]: row[1] for row in rows}
        for run, seq, kind in self.shown:
            check(run == self.run and kinds.get(seq) == kind,
                  f"run {run}: event {seq} {kind} was shown and is not in the log")
        self.chaos.figures["events shown"] += len(self.shown)
        self.shown = []
        done = self.chaos.ask("SELECT count(*) FROM event WHERE run=? AND kind='control_answered'"
                              " AND data->>'done'=1", self.run)[0][0]
        check(done >= self.acknowledged, f"run {self.run}: an act was acknowledged and is not in the log")

    def look_at_steps(self, rows):
        started = [(row[2], row[3]) for row in rows
                   if row[0] > self.seq and row[1] == "attempt_started"]
        again = self.passed.intersection(started)
        check(not again, f"run {self.run}: steps {again} had passed and were started again")
        uid = self.chaos.ask("SELECT uid FROM run WHERE id=?", self.run)[0][0]
        ids = {f"t{task}/{step + 1}" for task, step in self.passed}
        for line in self.chaos.starts()[self.starts:]:
            of, step, _ = line.split()
            check(of != uid or step not in ids, f"run {self.run}: {step} had passed and really ran again")
        if any(row[0] > self.seq and row[1] == "run_recovered" for row in rows):
            self.look_at_interrupted(rows)

    def look_at_interrupted(self, rows):
        ends = {(row[2], row[3], row[4]): json.loads(row[5])["outcome"] for row in rows
                if row[1] == "attempt_ended"}
        for attempt in self.in_flight:
            check(ends.get(attempt) == "interrupted",
                  f"run {self.run}: attempt {attempt} was in flight and is not marked interrupted")
            self.chaos.figures["interrupted"] += 1
            task, step, number = attempt
            goes_on = any((row[2], row[3]) == (task, step) and
                          (row[1] == "step_ended" or
                           (row[1] == "attempt_started" and row[4] > number) or
                           (row[1] == "wait_started" and row[4] == number))
                          for row in rows)
            check(goes_on, f"run {self.run}: the step of {attempt} does not go on")

    def remember(self, rows):
        """Remembers the state that must stay true from now on."""
        self.seq = rows[-1][0] if rows else 0
        self.starts = len(self.chaos.starts())
        self.passed = {(row[2], row[3]) for row in rows
                       if row[1] == "step_ended" and json.loads(row[5])["decision"] == "succeeded"}
        live = {(row[2], row[3], row[4]) for row in rows if row[1] == "attempt_started"}
        self.in_flight = live - {(row[2], row[3], row[4]) for row in rows
                                 if row[1] == "attempt_ended"}

    def has_ended(self):
        if self.run is None:
            return True
        return self.chaos.ask("SELECT ended_at_ms FROM run WHERE id=?", self.run)[0][0] is not None


class Chaos:
    def __init__(self, options):
        self.devs = os.path.abspath(options.devs)
        self.chance = random.Random(options.seed)
        self.dir = tempfile.mkdtemp(prefix="devs-kill9-")
        self.db = os.path.join(self.dir, "log", "devs.db")
        self.figures = dict.fromkeys(
            ["rounds", "runs", "continued", "ended", "kills", "events shown", "interrupted", "acts", "two at once"], 0)
        os.mkdir(os.path.join(self.dir, "locks"))
        os.mkdir(os.path.join(self.dir, "log"), 0o700)
        runtime = os.path.join(self.dir, "run")  # its own spill logs
        os.mkdir(runtime, 0o700)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=runtime)
        script = os.path.join(self.dir, "attempt")
        with open(script, "w", encoding="ascii") as file:
            file.write(ATTEMPT)
        os.chmod(script, 0o700)
        for name in ("one", "two"):
            self.write_plan(name)
        self.engines = [Engine(self, "one"), Engine(self, "two")]

    def write_plan(self, name):
        kinds = {3: "escapes", 17: "stubborn"}
        tasks = []
        for i in range(TASKS):
            kind = kinds.get(i, "flaky" if i % 7 == 5 else "plain")
            steps = [{"run": [os.path.join(self.dir, "attempt"), self.dir, kind], "policy": "quick"}
                     for _ in range(2 + i % 2)]
            task = {"id": f"t{i}", "steps": steps}
            if i % 5 == 4:
                task["needs"] = [f"t{i - 1}"]
            tasks.append(task)
        plan = {"version": 1, "name": name, "idempotent": True,
                "policies": {"quick": {"like": "default", "base_delay_ms": 20}}, "tasks": tasks}
        with open(os.path.join(self.dir, name + ".json"), "w", encoding="ascii") as file:
            json.dump(plan, file)

    def ask(self, sql, *values):
        if not os.path.exists(self.db):
            return []
        base = sqlite3.connect(f"file:{self.db}?mode=ro", uri=True, timeout=20)
        try:
            return base.execute(sql, values).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []  # killed before the log was created
            raise
        finally:
            base.close()

    def starts(self):
        try:
            with open(os.path.join(self.dir, "starts"), encoding="ascii") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def look_at_log(self):
        answer = self.ask("PRAGMA integrity_check")
        check(answer in ([], [("ok",)]), f"integrity check: {answer}")
        wrong = os.path.join(self.dir, "wrong")
        if os.path.exists(wrong):
            with open(wrong, encoding="ascii") as file:
                raise Wrong(file.read())

    def act(self, engine, verb, task):
        """Performs a user's act. Returns true once it is acknowledged."""
        answer = subprocess.run([self.devs, "--db", self.db, verb, f"{engine.run}/t{task}"],
                                stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=LIMIT_S)
        if answer.returncode != 0:
            return False
        engine.acknowledged += 1
        self.figures["acts"] += 1
        return True

    def hold_and_release(self, engine):
        if engine.process is None or engine.find_run() is None:
            return
        task = self.chance.randrange(TASKS)
        if self.act(engine, "hold", task):
            engine.held.add(task)
        self.release(engine)

    def release(self, engine):
        engine.held = {task for task in engine.held if not self.act(engine, "release", task)}

    def go_on_twice(self, engine):
        """Resumes a run with two processes: one wins. The exit code of the other shows that it has
        not touched the run."""
        engine.go_on()
        other = subprocess.run([self.devs, "--db", self.db, "run", "--continue", str(engine.run), "--json"],
                               cwd=self.dir, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                               timeout=LIMIT_S)
        self.figures["two at once"] += 1
        if other.returncode in (0, 1):  # ours lost, or came after the end
            first = engine.process.wait(LIMIT_S)
            check(first in (75, 2), f"two at once: exits {first} and {other.returncode}")
            engine.take_lines()
            engine.process = None
            engine.look()
            return
        check(other.returncode == 75 or (engine.has_ended() and other.returncode == 2),
              f"two at once: the second says {other.returncode}: {other.stderr}")

    def bring_up(self, engine):
        if engine.process is not None:
            return
        if engine.has_ended():
            engine.start()
        elif self.chance.random() < TWO_AT_ONCE:
            self.go_on_twice(engine)
        else:
            engine.go_on()

    def look_at_end(self, engine):
        """It may have exited on its own before it could be killed."""
        code = engine.process.returncode
        engine.process = None
        check(code in (0, 1), f"{engine.name}: exit {code}")
        engine.look()
        check(engine.has_ended(), f"run {engine.run}: exit {code}, and no end in the log")
        self.figures["ended"] += 1

    def round(self):
        for engine in self.engines:
            self.bring_up(engine)
        longest = self.chance.choice([0.03, 0.15, 0.6, 1.2])
        time.sleep(self.chance.random() * longest)
        if self.chance.random() < ACT:
            self.hold_and_release(self.chance.choice(self.engines))
        victims = self.chance.choice([self.engines[:1], self.engines[1:], self.engines])
        killed = []
        for engine in victims:
            if engine.process is None:
                continue
            if engine.kill() == -signal.SIGKILL:
                killed.append(engine)
                self.figures["kills"] += 1
            else:
                self.look_at_end(engine)
        self.look_at_log()
        for engine in killed:
            engine.look()
            engine.process = None
        self.figures["rounds"] += 1

    def finish(self):
        """Lets everything that is left finish, after which nothing of it may be running."""
        for engine in self.engines:
            if engine.process is None and not engine.has_ended():
                engine.go_on()
            if engine.process is not None:
                while engine.held and engine.process.poll() is None:
                    self.release(engine)
                engine.process.wait(LIMIT_S)
                engine.take_lines()
                self.look_at_end(engine)
        self.look_at_log()
        mark = "\0DEVS_RUN="
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", encoding="latin-1") as file:
                    environ = "\0" + file.read()
                with open(f"/proc/{pid}/cmdline", encoding="latin-1") as file:
                    line = file.read()
            except OSError:
                continue
            ours = self.dir in line or ("sleep" in line and any(
                mark + uid[0] + "\0" in environ for uid in self.ask("SELECT uid FROM run")))
            check(not ours, f"process {pid} is left: {line}")

    def stop(self):
        for engine in self.engines:
            if engine.process is not None and engine.process.poll() is None:
                engine.process.terminate()
                engine.process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("devs")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep", action="store_true", help="leave the folder with the log")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = int.from_bytes(os.urandom(4), "big")
    print(f"seed {options.seed}, {options.rounds} rounds", flush=True)
    chaos = Chaos(options)
    began = time.monotonic()
    code = 0
    try:
        for _ in range(options.rounds):
            chaos.round()
        chaos.finish()
    except Wrong as wrong:
        print(f"round {chaos.figures['rounds'] + 1}: {wrong}\nthe log is {chaos.db}", file=sys.stderr)
        code = 1
    finally:
        chaos.stop()
        if code == 0 and not options.keep:
            shutil.rmtree(chaos.dir)
    print(", ".join(f"{name} {count}" for name, count in chaos.figures.items()))
    print(f"{time.monotonic() - began:.0f} s, " + ("all well" if code == 0 else "WRONG"))
    return code


if __name__ == "__main__":
    sys.exit(main())
