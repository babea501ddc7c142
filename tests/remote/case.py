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

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from together import together

LIMIT_S = 90
DEVS = os.path.abspath(sys.argv[1])
HAND = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None  # not of every test
ONCE = {"max_attempts": 1}
EXECUTOR_DOWN = 1012  # outcome.h


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


# Policies without waits.
FAST = {"like": "transport", "base_delay_ms": 1, "jitter": 0}
QUICK = {"like": "research", "max_attempts": 3, "base_delay_ms": 1, "jitter": 0}
# Events and members that differ: only an executor has them, or they are times, or texts with times.
THERE = ("attempt_placed", "attempt_running", "job_state", "host_state", "contact_lost", "contact_found")
DIFFER = ("proof", "ran_ms", "cpu_ms", "rss_kib", "pid", "waited_ms", "due_at_ms", "due_mono_ms", "start_error")


def engine_tasks():
    """Tasks that end in each way that a step and its attempts can end."""
    red = {"phase": "RED"}
    return [
        # exit codes and signals
        task("pass", sh("echo out; echo err >&2")),
        *[task(f"code-{code}", sh(f"exit {code}", policy=ONCE))
          for code in (1, 3, 75, 124, 125, 126, 127, 128, 137, 255)],
        *[task(f"signal-{name}", sh(f"kill -{name} $$", policy=ONCE)) for name in ("SEGV", "KILL", "TERM", "PIPE")],
        # starts
        task("no-program", step("/no/such/program", policy=ONCE)),
        task("no-access", step("/etc/passwd", policy=ONCE)),
        task("no-interpreter", step("./script", policy=ONCE)),
        # time
        task("late", sh("sleep 60", timeout_s=1, policy=ONCE)),
        task("late-polite", sh("exec 2>/dev/null; trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done",
                               timeout_s=1, policy=ONCE)),
        task("late-again", sh("[ -e late2 ] && exit 0; touch late2; sleep 60", timeout_s=1, policy=FAST)),
        task("quiet", sh("echo a; sleep 60", quiet_s=1, policy=ONCE)),
        # what is expected
        task("red", sh("echo not ok 1; exit 1", expect="failure", **red)),
        task("red-passes", sh("true", expect="failure", policy=ONCE, **red)),
        task("match", sh("echo a needle here; exit 1", expect={"match": "needle"}, **red)),
        task("no-match", sh("echo hay; exit 1", expect={"match": "needle"}, policy=ONCE, **red)),
        # contracts
        task("fits", step("echo", '{"summary": 1}', contract={"required": ["summary"]}, policy=QUICK)),
        task("lacks", step("echo", "{}", contract={"required": ["summary"]}, policy=QUICK)),
        task("other", step("echo", '{"kernel": "vat"}', contract={"properties": {"kernel": {"const": "tax"}}},
                           policy=QUICK)),
        # retries, classes and loops
        task("net", sh("[ -e tried ] && exit 0; touch tried; echo connect ECONNRESET >&2; exit 1", policy=FAST)),
        task("net-always", sh("echo connect ECONNRESET >&2; exit 1", policy=dict(FAST, max_attempts=3))),
        task("limit", sh("[ -e limited ] && exit 0; touch limited; echo 'HTTP 429 Too Many Requests';"
                         " echo 'Retry-After: 1'; exit 1", policy=FAST)),
        task("auth", sh("echo 'Permission denied (publickey)' >&2; exit 1", policy=FAST)),
        task("compile", sh("echo 'a.c:3:1: error: x undeclared' >&2; exit 1", policy=FAST)),
        task("stuck", sh("echo $(date +%H:%M:%S.%N) pid $(printf %07d $$) failed; echo 3 is not 4; exit 1",
                         policy=dict(QUICK, max_attempts=9, multiplier=1))),
        task("alike", *[sh("echo 100% passed") for _ in range(4)], sh("echo something new; exit 1", policy=QUICK)),
        # what follows
        task("needs-pass", sh("cat made"), needs=["two"]),
        task("needs-code", sh("touch worked"), needs=["code-3"]),
        task("two", sh("echo 1 > made"), sh("cat made"), needs=["pass"]),
        # output
        task("much", sh("head -c 3000000 /dev/zero | tr '\\0' x; echo; head -c 1000000 /dev/zero >&2")),
        task("no-line-end", sh("printf a; printf b >&2")),
        task("bytes", sh("printf '\\000\\377\\033[1m\\r\\n'")),
        # processes that stay
        task("left", sh("sleep 60 & echo done")),
        task("left-setsid", sh("setsid sleep 60 >/dev/null 2>&1 & echo done")),
    ]


def facts_of(case, name):
    """What the events of a task in the newest run tell, in their order."""
    facts = []
    for kind, *columns, data in case.ask("SELECT kind, step, round, grant_no, attempt, data FROM event WHERE"
                                         " run=(SELECT max(id) FROM run) AND task=? ORDER BY seq", name):
        data = {key: value for key, value in json.loads(data).items() if key not in DIFFER}
        if name == "stuck":  # prints the time and its pid, which may look like a status
            data.get("loop", {}).pop("raw", None)
            data.pop("near", None)
        if data.get("rule") == "known.start":
            del data["match"]  # the error, in the words of devs or of devs-hand
        if kind not in THERE:
            facts.append((kind, *columns, data))
    return facts


def runs_alike(case, **executor):
    """Runs the tasks of engine_tasks() there and here: their events are the same. The newest run is that here."""
    tasks = engine_tasks()
    with open("script", "w", encoding="ascii") as file:
        file.write("#!/no/interpreter\n")
    os.chmod("script", 0o755)
    seen = []
    for where in ("lab", "local"):
        plan = case.plan(tasks, **executor)
        plan["executor"] = where
        with open("plan.json", "w", encoding="ascii") as file:
            json.dump(plan, file)
        for _ in range(3):  # on a machine that is too busy, a cluster may not answer: such starts do not count
            out = case.devs("run", "--plain", "--jobs", "8", "plan.json")
            want("a task after a failed one", os.path.exists("worked"), False)
            for name in ("made", "tried", "late2", "limited"):
                os.unlink(name)
            [[failed]] = case.ask("SELECT count(*) FROM event WHERE kind='attempt_ended' AND data->>'code'=?",
                                  EXECUTOR_DOWN)
            if failed == 0:
                break
            print(f"{where}: {failed} failed starts, once more", flush=True)
            shutil.rmtree(".devs")
        want("failed starts", failed, 0)
        want(f"exit of {where}", out.returncode, 4)
        want("verify", case.devs("verify", "last").returncode, 0)
        seen.append({one["id"]: facts_of(case, one["id"]) for one in tasks})
    for name, facts in seen[1].items():
        for there, here in zip(seen[0][name], facts):
            want(f"an event of {name}", there, here)
        want(f"events of {name}", len(seen[0][name]), len(facts))
    started = sum(kind == "attempt_started" for facts in seen[0].values() for kind, *_ in facts)
    want("there are many attempts", started > len(tasks), True)


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


def run_case(root, run, make):
    """Runs a case. Returns whether it has passed."""
    case = None
    began = time.monotonic()
    try:
        case = make(root, run)
        run(case)
        print(f"{run.__name__}: passed, {time.monotonic() - began:.1f} s", flush=True)
        return True
    except (Wrong, subprocess.TimeoutExpired, RuntimeError) as wrong:
        print(f"{run.__name__}: {wrong}")
        if case:
            print(case.read("run.out").decode(errors="replace")[-4000:])
            print(case.devs("debug", "--logs", "last", "--plain").stdout[-3000:], flush=True)
        return False
    finally:
        if case:
            case.devs("cancel", "--kill", "last")
            case.close()


def run_cases(cases, make):
    """Runs the given functions, or those named on the command line; make(root, function) makes a case.
    With --together before the names, all run at the same time."""
    os.environ.pop("DEVS_DB", None)
    os.environ["LC_ALL"] = "C.UTF-8"
    names = sys.argv[3:]
    at_once = names[:1] == ["--together"]
    chosen = [run for run in cases if not names[at_once:] or run.__name__ in names]
    root = tempfile.mkdtemp(prefix="devs-far-")
    try:
        if at_once:
            bad = together(chosen, lambda run: run_case(root, run, make))
        else:
            bad = sum(not run_case(root, run, make) for run in chosen)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return 1 if bad else 0
