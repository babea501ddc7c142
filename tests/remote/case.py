"""What the tests of runs on other machines share: a folder with its own log, and what is in it.

A case waits for a state, never for a time, and fails if the state does not come within LIMIT_S.
"""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

LIMIT_S = 90
DEVS = os.path.abspath(sys.argv[1])
HAND = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None  # not of every test
ONCE = {"max_attempts": 1}


class Wrong(Exception):
    pass


def want(what, got, wanted):
    if got != wanted:
        raise Wrong(f"{what}: got {got!r}, wanted {wanted!r}")


def until(what, seen):
    end = time.monotonic() + LIMIT_S
    while not (found := seen()):
        if time.monotonic() > end:
            raise Wrong(f"{what}: not within {LIMIT_S} s")
        time.sleep(0.02)
    return found


class Case:
    """A folder with its own log."""

    def __init__(self, root, name):
        self.dir = f"{root}/{name}"
        os.mkdir(self.dir)
        os.chdir(self.dir)
        self.far = f"{root}/far-{name}"
        self.environment = dict(os.environ, XDG_CONFIG_HOME=f"{self.dir}/config",
                                XDG_STATE_HOME=f"{self.dir}/state", XDG_RUNTIME_DIR=self.dir)

    def write_plan(self, executors, tasks, **more):
        """Writes a plan whose tasks run on the executor lab."""
        plan = {"version": 1, "name": "far", "idempotent": True, "executors": executors,
                "executor": "lab", "tasks": tasks, **more}
        with open(f"{self.dir}/plan.json", "w", encoding="ascii") as file:
            json.dump(plan, file)
        return plan

    def devs(self, *words):
        return subprocess.run([DEVS, *words], cwd=self.dir, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False, timeout=4 * LIMIT_S)

    def start(self, *words):
        with open(f"{self.dir}/run.out", "ab") as out:
            return subprocess.Popen([DEVS, *words], cwd=self.dir, env=self.environment,
                                    stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def ask(self, sql, *values):
        path = f"{self.dir}/.devs/devs.db"
        if not os.path.exists(path):
            return []
        log = sqlite3.connect(path, timeout=30)
        try:
            return log.execute(sql, values).fetchall()
        except sqlite3.OperationalError:  # the log is just being created
            return []
        finally:
            log.close()

    def events(self, kind, task=None):
        """The data of the events of this kind, of all runs."""
        rows = self.ask("SELECT task, data FROM event WHERE kind=? ORDER BY run, seq", kind)
        return [json.loads(data) for of, data in rows if task in (None, of)]

    def output(self, stream=1):
        """All bytes that the log has of the first task's output, with their offsets checked."""
        rows = self.ask("SELECT offset, bytes FROM output WHERE run=(SELECT max(run) FROM output) AND"
                        " task=0 AND stream=? ORDER BY offset", stream)
        out = b""
        for offset, data in rows:
            want("an offset of the output", offset, len(out))
            out += data
        return out

    def read(self, name):
        try:
            with open(f"{self.dir}/{name}", "rb") as file:
                return file.read()
        except FileNotFoundError:
            return b""

    def close(self):
        """Ends what the case has started besides devs."""


def step(*words, **more):
    return {"run": list(words), **more}


def sh(text, **more):
    return step("sh", "-c", text, **more)


def task(name, *steps, **more):
    return {"id": name, "steps": list(steps), **more}


def bytes_unchanged(case):
    """Arguments, environment, stdin and output have the same bytes, whatever they are."""
    odd = "a 'b' \"c\" $d `e` \\f\n\u00e4\u20ac*?~ #;&|"
    data = bytes(range(256)) * 4096
    with open("in", "wb") as file:
        file.write(data)
    case.plan([task("a", step("sh", "-c", 'printf %s "$1" > arg; printf %s "$ODD" > env; cat', "sh",
                              odd, stdin="in", env={"ODD": odd}))])
    want("exit", case.devs("run", "--plain", "plan.json").returncode, 0)
    want("argument", case.read("arg").decode(), odd)
    want("environment", case.read("env").decode(), odd)
    head = case.output()[:256 * 1024]
    want("bytes of output", case.events("attempt_ended")[0]["out_bytes"], len(data))
    want("output", head, data[:len(head)])


def run_cases(cases, make):
    """Runs the given functions, or those named on the command line; make(root, function) makes a case."""
    os.environ.pop("DEVS_DB", None)
    os.environ["LC_ALL"] = "C.UTF-8"
    names = sys.argv[3:]
    root = tempfile.mkdtemp(prefix="devs-far-")
    bad = 0
    try:
        for run in cases:
            if names and run.__name__ not in names:
                continue
            case = None
            began = time.monotonic()
            try:
                case = make(root, run)
                run(case)
                print(f"{run.__name__}: passed, {time.monotonic() - began:.1f} s", flush=True)
            except (Wrong, subprocess.TimeoutExpired, RuntimeError) as wrong:
                bad += 1
                print(f"{run.__name__}: {wrong}")
                if case:
                    print(case.read("run.out").decode(errors="replace")[-4000:])
                    print(case.devs("debug", "--logs", "last", "--plain").stdout[-3000:], flush=True)
            finally:
                if case:
                    case.devs("cancel", "--kill", "last")
                    case.close()
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return 1 if bad else 0
