#!/usr/bin/env python3
"""Logs on other machines: devs --on, devs feed, devs collect, by real sshds on loopback.

usage: on.py DEVS [CASE...]       all cases by default

A case waits for a state, never for a time, and fails if the state does not come within LIMIT_S.
Skipped (77) without sshd; cases with a screen need tmux.
"""
import glob
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

from case import DEVS, LIMIT_S, Wrong, until, want
from sshd import Hosts, is_here

RUN_COLUMNS = "uid, name, kind, dir, command, seed, jobs, tasks, last_seq, ended_at_ms, exit_code"


def want_in(what, part, whole):
    if part not in whole:
        raise Wrong(f"{what}: {part!r} is not in {whole!r}")


def rows(path, sql, *values):
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=LIMIT_S) as log:
            return log.execute(sql, values).fetchall()
    except sqlite3.OperationalError:  # it is being created
        return []


def task(name, script, **more):
    return dict({"id": name, "steps": [{"run": ["sh", "-c", script]}]}, **more)


class Case:
    """A folder for the log there, one for this side, and hosts."""

    def __init__(self, root, name, hosts=1):
        self.root = f"{root}/{name}"
        self.there = f"{self.root}/there"
        self.here = f"{self.root}/here"
        for path in (self.root, self.there, self.here, f"{self.root}/bin", f"{self.there}/.git",
                     f"{self.here}/.git"):
            os.mkdir(path)
        self.hosts = Hosts(self.root, hosts)
        self.socket = f"on-{os.getpid()}-{name}"
        self.screens = 0
        self.environment = dict(
            os.environ, XDG_CONFIG_HOME=f"{self.root}/config", XDG_STATE_HOME=f"{self.root}/state",
            XDG_CACHE_HOME=f"{self.root}/cache", PATH=f"{self.root}/bin:{os.environ['PATH']}",
            LC_ALL="C.UTF-8")
        self.ssh('exec "$SSH" "$@"')
        self.program()

    def ssh(self, script):
        """What devs starts as ssh."""
        path = f"{self.root}/bin/ssh"
        with open(f"{path}.new", "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\nSSH={shutil.which("ssh", path=os.environ["PATH"])}\n'
                       f'set -- -F {self.hosts.config} "$@"\n{script}\n')
        os.chmod(f"{path}.new", 0o755)
        os.rename(f"{path}.new", path)

    def cut_after(self, how):
        """Cuts each connection after a number of bytes from the feed, which the shell computes."""
        with open(f"{self.root}/bin/cut", "w", encoding="ascii") as file:
            file.write("import os, subprocess, sys\nleft = int(sys.argv[1])\n"
                       "ssh = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE)\n"
                       "while left and (data := os.read(ssh.stdout.fileno(), min(left, 65536))):\n"
                       "    os.write(1, data)\n    left -= len(data)\nssh.kill()\n")
        self.ssh(f'{how}\nexec {sys.executable} {self.root}/bin/cut "$n" "$SSH" "$@"')

    def program(self, text=None):
        """What ssh starts there; by default devs, with the folders of this case."""
        path = f"{self.root}/program"
        text = text or (f"#!/bin/sh\nXDG_CONFIG_HOME={self.root}/config\n"
                        f"XDG_STATE_HOME={self.root}/state\nXDG_CACHE_HOME={self.root}/cache\n"
                        "export XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME\n"
                        f'exec {DEVS} "$@"\n')
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, 0o755)
        self.environment["DEVS_ON_PROGRAM"] = path

    def log(self):
        return f"{self.there}/.devs/devs.db"

    def devs(self, *words, cwd=None):
        return subprocess.run([DEVS, *words], cwd=cwd or self.here, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False, timeout=4 * LIMIT_S)

    def run(self, tasks, detach=False, **plan):
        """Runs a plan there."""
        with open(f"{self.there}/plan.json", "w", encoding="ascii") as file:
            json.dump(dict({"version": 1, "name": "far", "idempotent": True, "tasks": tasks},
                           **plan), file)
        return self.devs("run", "plan.json", "--detach" if detach else "--plain", cwd=self.there)

    def cancel(self):
        self.devs("cancel", "last", "--kill", cwd=self.there)

    def tmux(self, *words):
        return subprocess.run(["tmux", "-L", self.socket, "-f", "/dev/null", *words],
                              env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, timeout=LIMIT_S)

    def screen(self, *words, cwd=None):
        """Opens a terminal with devs and these words. Returns its name."""
        name = f"s{self.screens}"
        self.screens += 1
        line = " ".join(f"'{word}'" for word in (DEVS, *words))
        made = self.tmux("new-session", "-d", "-x", "100", "-y", "24", "-s", name,
                         # the server has the environment of the first screen
                         f"export DEVS_ON_PROGRAM='{self.environment['DEVS_ON_PROGRAM']}';"
                         # ncurses keeps its terminal data until exit
                         ' export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0";'
                         f"cd {cwd or self.here} && {line}; echo EXIT $?; exec sleep 1000")
        want("tmux", (made.returncode, made.stderr), (0, ""))
        return name

    def frame(self, name):
        return self.tmux("capture-pane", "-p", "-t", name).stdout

    def shows(self, name, text):
        return until(f"{text!r} on {name}",
                     lambda: text in (frame := self.frame(name)) and frame)

    def keys(self, name, *keys):
        self.tmux("send-keys", "-t", name, *keys)

    def mirror(self):
        found = glob.glob(f"{self.root}/cache/devs/on/*/devs.db")
        return found[0] if found else None

    def far(self, where=""):
        return f"h1:{self.there}{where}"

    def links(self):
        """The ssh clients of this case."""
        out = []
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"/ssh") and self.hosts.config.encode() in words and any(
                    b" feed " in word for word in words):
                out.append(int(name))
        return out

    def close(self):
        self.tmux("kill-server")
        if os.path.exists(self.log()):
            self.cancel()
        self.hosts.close()


def same_rows(case, run=None, copy=None, what="event"):
    """Whether the copy has every row of the log there, and no other."""
    columns = {"event": "seq, at_ms, mono_ms, kind, task, task_no, step, attempt, data",
               "output": "task, step, attempt, stream, part, idx, offset, at_ms, bytes",
               "task": "task, id, status, step, try", "attempt": "task, step, attempt, outcome, code",
               "capture": "task, step, attempt, at_ms, json"}[what]
    sql = (f"SELECT (SELECT uid FROM run WHERE run.id=x.run) AS uid, {columns} FROM {what} x"
           f" WHERE ?1 IS NULL OR x.run=?1 ORDER BY uid, {columns}")
    got = rows(copy or case.mirror(), sql, run)
    wanted = rows(case.log(), sql, run)
    return len(wanted) > 0 and got == wanted


def same_frame(case):
    """The cockpit shows the same as the one there."""
    case.run([task("old", "echo old; exit 1", steps=[{"run": ["sh", "-c", "echo old; exit 3"]}])])
    case.run([task("a", "i=0; while :; do echo line $i; i=$((i+1)); sleep 0.2; done"),
              task("b", "sleep 1000"), task("c", "true", needs=["b"])], detach=True)
    there = case.screen(cwd=case.there)
    here = case.screen("--on", case.far())
    case.shows(there, "line 3")
    case.shows(here, "line 3")
    for keys in ([], ["j"], ["Enter"], ["Escape"], ["5"], ["Escape"], ["6"]):
        for name in (there, here):
            case.keys(name, *keys)
        until(f"the same frame after {keys}", lambda: case.frame(there) == case.frame(here) != "")
    log = case.tmux("list-sessions")  # both are alive
    want("screens", log.stdout.count("\n"), 2)


def acts(case):
    """Acts reach the run there, and their answers come back."""
    case.run([task("a", "sleep 1000"), task("b", "true", needs=["a"])], detach=True)
    here = case.screen("--on", case.far())
    case.shows(here, "running")
    case.keys(here, "p")
    case.shows(here, "a held")
    case.keys(here, "p")
    case.shows(here, "a released")
    want("controls there", rows(case.log(), "SELECT verb, done FROM control ORDER BY id"),
         [(3, 1), (4, 1)])
    until("their rows here",
          lambda: rows(case.mirror(), "SELECT verb, done FROM control ORDER BY id")
          == [(3, 1), (4, 1)])
    case.devs("cancel", "last", "--kill", cwd=case.there)
    case.shows(here, "ENDED")
    case.keys(here, "r")
    case.shows(here, "the run has ended; run: devs --on h1:")
    case.keys(here, "q")
    case.shows(here, "EXIT 0")
    until("no mirror is left", lambda: not glob.glob(f"{case.root}/cache/devs/on/*"))
    until("no link is left", lambda: not case.links())


def breaks(case):
    """The link is cut again and again while events arrive: none is missing, none comes twice."""
    tasks = [task(f"t{i}", "for i in 1 2 3 4 5; do echo $i; done; sleep 0.05") for i in range(60)]
    case.run([task("first", "until [ -e go ]; do sleep 0.1; done"),
              *[dict(one, needs=["first"]) for one in tasks]], jobs=2, detach=True)
    here = case.screen("--on", case.far())
    case.shows(here, "running")
    open(f"{case.there}/go", "w", encoding="ascii").close()
    cuts = 0
    while not rows(case.log(), "SELECT 1 FROM run WHERE ended_at_ms IS NOT NULL"):
        for pid in case.links():
            try:
                os.kill(pid, signal.SIGKILL)
                cuts += 1
            except ProcessLookupError:
                pass
        time.sleep(0.3 + random.random())
    if cuts < 1:
        raise Wrong("no cut while it ran")
    case.shows(here, "ended")
    for what in ("event", "output", "task", "attempt"):
        until(f"all rows of {what}", lambda what=what: same_rows(case, what=what))


def cut_rows(case):
    """The link breaks within rows: after each number of bytes, and then continues."""
    case.run([task(f"t{i}", f"seq {1000 * i}") for i in range(5)])
    case.cut_after('n=$(cat "$0.count"); echo $((n + 1)) >"$0.count"\n'
                   '[ "$n" -gt 14 ] && exec "$SSH" "$@"\nn=$((60 + n * n * 217))')
    # the first connection must bring the whole run, or devs --on would fail: so begin with a whole one
    with open(f"{case.root}/bin/ssh.count", "w", encoding="ascii") as file:
        file.write("100")
    here = case.screen("--on", case.far())
    case.shows(here, "ended")
    with open(f"{case.root}/bin/ssh.count", "w", encoding="ascii") as file:
        file.write("0")
    for pid in case.links():
        os.kill(pid, signal.SIGKILL)
    case.run([task(f"u{i}", f"seq {1000 * i}; exit {i % 2}") for i in range(4)])
    until("all events", lambda: same_rows(case))
    until("all tasks", lambda: same_rows(case, what="task"))
    want("output of the run on screen", same_rows(case, run=1, what="output"), True)


def host_away(case):
    """A host that is away is named, and the link returns with everything that happened."""
    case.run([task("a", "sleep 1000"), task("b", "true", needs=["a"])], detach=True)
    here = case.screen("--on", case.far())
    case.shows(here, "running")
    case.hosts.kill("h1")
    case.shows(here, "no contact 0:0")
    case.shows(here, "connecting again in")
    case.keys(here, "p")
    case.shows(here, "not held: no contact")
    case.devs("hold", "last/b", cwd=case.there)
    case.hosts.start("h1")
    until("contact", lambda: "no contact" not in case.frame(here).splitlines()[1])
    until("all events", lambda: same_rows(case))
    case.keys(here, "j")
    case.keys(here, "p")
    case.shows(here, "b released")


def devs_dies(case):
    """The owner of the run dies there: the run is shown as interrupted here, too."""
    case.run([task("a", "sleep 1000")], detach=True)
    here = case.screen("--on", case.far())
    case.shows(here, "LIVE")
    pid = rows(case.log(), "SELECT pid FROM run")[0][0]
    os.kill(pid, signal.SIGKILL)
    case.shows(here, "INTERRUPTED")


def other_runs(case):
    """Another run of the log is opened from the list, with its output."""
    case.run([task("old", "seq 300; echo last line of old")], name="before")
    case.run([task("a", "sleep 1000")], detach=True)
    there = case.screen(cwd=case.there)
    here = case.screen("--on", case.far())
    case.shows(here, "LIVE")
    case.shows(there, "LIVE")
    until("the older run", lambda: same_rows(case))
    want("its output is not here yet", rows(case.mirror(), "SELECT * FROM output WHERE run=1"), [])
    for name in (here, there):
        case.keys(name, "6")
        case.shows(name, "before")
        case.keys(name, "j")
        case.keys(name, "Enter")
        case.shows(name, "run #1")
    until("its output", lambda: same_rows(case, run=1, what="output"))
    until("the same frame", lambda: case.frame(there) == case.frame(here))


def read_only(case):
    """A log that may only be read there can only be read here."""
    case.run([task("a", "exit 0")])
    foreign = f"{case.root}/foreign"
    os.makedirs(f"{foreign}/.git")
    shutil.copytree(f"{case.there}/.devs", f"{foreign}/.devs")
    os.remove(f"{foreign}/.devs/devs.db-mine")
    here = case.screen("--on", f"h1:{foreign}")
    case.shows(here, "ENDED")
    case.keys(here, "r")
    time.sleep(0.5)
    want("controls", rows(f"{foreign}/.devs/devs.db", "SELECT * FROM control"), [])


def refusals(case):
    """What cannot work is refused with one line that says why."""
    def refused(code, text, *words):
        done = case.devs(*words)
        want(f"exit code of {words}: {done.stderr}", done.returncode, code)
        want_in(f"{words}", text, done.stderr)

    def screen_refused(text, where):
        name = case.screen("--on", where)
        frame = case.shows(name, "EXIT ")
        want_in(where, text, " ".join(frame.split()))

    refused(2, "must not begin with '-'", "--on", "-oProxyCommand=x", "status")
    refused(2, "must not contain spaces", "collect", "h1;true")
    refused(2, "names no host", "--on", ":x", "status")
    refused(2, "control characters", "collect", "h1:a\nb")
    refused(2, "mutually exclusive", "--db", "x", "--on", "h1", "status")
    refused(2, "cannot be used with --on", "--on", "h1", "run", "plan.json")
    refused(66, "h1: no log in", "collect", case.far())
    refused(73, "nowhere: ", "collect", "nowhere")
    refused(73, "No such file", "collect", "h1:/no/such/folder")
    screen_refused("h1: no log in", case.far())
    case.environment["DEVS_ON_PROGRAM"] = "no-such-devs"
    screen_refused("must name it", case.far())
    case.program("#!/bin/sh\necho devs-feed/1 0.0.1 old\nexec sleep 1000\n")
    screen_refused("devs there is 0.0.1 old", case.far())
    refused(2, "install the same version", "collect", case.far())
    case.program("#!/bin/sh\nhead -c 100000 /dev/zero\nexec sleep 1000\n")
    refused(2, "something else than devs feed", "collect", case.far())
    # the folder is one word for the shell there, whatever it contains
    case.program()
    odd = f"{case.root}/it's $(touch x); \"a\" *"
    os.makedirs(f"{odd}/.git")
    shutil.move(case.there, f"{case.root}/away")
    os.mkdir(case.there)
    with open(f"{odd}/plan.json", "w", encoding="ascii") as file:
        json.dump({"version": 1, "name": "odd", "idempotent": True, "tasks": [task("a", "true")]}, file)
    want("run", case.devs("run", "plan.json", "--plain", cwd=odd).returncode, 0)
    want("collected", case.devs("collect", f"h1:{odd}").returncode, 0)
    want("status", case.devs("--on", f"h1:{odd}", "status").returncode, 0)
    want("nothing was interpreted", glob.glob(f"{case.root}/**/x", recursive=True), [])


def commands(case):
    """A command runs there, with its output and its exit code."""
    case.environment["LC_ALL"] = "C"  # as there
    case.run([task("a", "echo one"), task("b", "echo two; exit 3")])
    for words in (["status"], ["why", "b"], ["log", "last/a"], ["runs"], ["debug", "--logs",
                  "last", "--json"], ["status", "99"]):
        there = case.devs(*words, cwd=case.there)
        here = case.devs("--on", case.far(), *words)
        want(f"{words}", (here.stdout, here.returncode), (there.stdout, there.returncode))
    want("no words and no terminal", case.devs("--on", case.far()).stdout,
         case.devs("status", cwd=case.there).stdout)


class Feed:
    """devs feed itself."""

    def __init__(self, case, *words):
        self.process = subprocess.Popen([DEVS, "feed", *words], cwd=case.there, env=case.environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.hello = self.process.stdout.readline()

    def send(self, kind, *values):
        self.process.stdin.write(message(kind, *values))
        self.process.stdin.flush()

    def read(self):
        head = self.process.stdout.read(5)
        if len(head) < 5:
            return None
        length, kind = struct.unpack("<IB", head)
        return kind, self.process.stdout.read(length)

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=LIMIT_S)


WATCH, GO, LOG, OUTPUT, SYNCED, STATE = 1, 4, 9, 15, 20, 22


def message(kind, *values):
    payload = b""
    for value in values:
        if isinstance(value, int):
            payload += struct.pack("<Bq", 1, value)
        elif value is None:
            payload += b"\0"
        else:
            payload += struct.pack("<BI", 2, len(value)) + value
    return struct.pack("<IB", len(payload), kind) + payload


def feed_kinds(case):
    """The numbers above are those of the protocol."""
    case.run([task("a", "echo out")])
    feed = Feed(case)
    want_in("hello", b"devs-feed/1 ", feed.hello)
    feed.send(WATCH, 0, 0)
    feed.send(GO)
    kinds = []
    while SYNCED not in kinds or OUTPUT not in kinds or STATE not in kinds:
        kinds.append(feed.read()[0])
    want("first", LOG in kinds[:3], True)
    want("exit", feed.close(), 0)


def feed_garbage(case):
    """Whatever a feed gets, it answers with a fault or ends, and the log is unchanged."""
    case.run([task("a", "echo out")])
    before = rows(case.log(), "SELECT count(*), max(seq) FROM event")
    good = message(WATCH, 0, 0) + message(3, 1, 1) + message(GO)
    ask = message(7, 1, 1, b"no-such-uid", 1, None, None, None, None, b"me", 0)
    for bad in (b"\0" * 100, b"\xff" * 100, message(GO), message(99), good + b"\x05", ask,
                message(WATCH, 0, 0) * 2, message(WATCH, 0), os.urandom(4096), good + ask,
                message(WATCH, 0, 99), message(WATCH, 1, 0) + message(6, 7)):
        feed = Feed(case)
        feed.process.stdin.write(bad)
        feed.process.stdin.close()
        feed.process.stdout.read()
        want(f"exit after {bad[:20]!r}", feed.process.wait(timeout=LIMIT_S), 0)
    for cut in range(len(good)):
        feed = Feed(case) if cut % 7 == 0 else None
        if feed:
            feed.process.stdin.write(good[:cut])
            feed.process.stdin.close()
            feed.process.stdout.read()
            want(f"exit after {cut} bytes", feed.process.wait(timeout=LIMIT_S), 0)
    want("events", rows(case.log(), "SELECT count(*), max(seq) FROM event"), before)
    want("controls", rows(case.log(), "SELECT * FROM control"), [])


def is_sanitized():
    """A sanitizer keeps freed memory for a while."""
    with open(DEVS, "rb") as file:
        return b"__asan_init" in file.read()


def slow_reader(case):
    """A reader that stops costs the feed no memory and the run no time."""
    case.run([task(f"t{i}", "seq 200000") for i in range(30)], jobs=4)
    feed = Feed(case)
    feed.send(WATCH, 0, 0)
    feed.send(GO)
    time.sleep(1)
    case.run([task("a", "true")])  # another run of the same log is not delayed
    with open(f"/proc/{feed.process.pid}/status", encoding="ascii") as file:
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1))
    if peak > 64 * 1024 and not is_sanitized():
        raise Wrong(f"the feed used {peak} kB")
    wanted = rows(case.log(), "SELECT count(*) FROM output WHERE run=1")[0][0]
    seen = 0
    while seen < wanted:  # then it continues where it was
        seen += feed.read()[0] == OUTPUT
    feed.close()


def collects(case):
    """Runs of two hosts come into one log, once; a live run is completed later."""
    second = f"{case.root}/second"
    os.makedirs(f"{second}/.git")
    case.run([task("a", "echo one; exit 3")])
    case.run([task("b", "echo two")])
    shutil.copy(f"{case.there}/plan.json", second)
    case.devs("run", "plan.json", "--plain", cwd=second)
    case.run([task("c", "echo begun; while [ ! -e go ]; do sleep 0.05; done; echo over"),
              task("d", "seq 20000", needs=["c"])], detach=True)
    until("the third run works", lambda: rows(
        case.log(), "SELECT 1 FROM event WHERE run=3 AND kind='attempt_started'"))
    until("its output", lambda: rows(case.log(), "SELECT 1 FROM output WHERE run=3"))
    done = case.devs("collect", case.far(), f"h2:{second}", "--json")
    want(f"exit: {done.stderr}", done.returncode, 0)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    want("told", [(one["host"], one["new"], one["continued"]) for one in told],
         [("h1", 3, 0), ("h2", 1, 0)])
    log = f"{case.here}/.devs/devs.db"
    want("runs", len(rows(log, "SELECT uid FROM run")), 4)
    want("runs of the log here", rows(log, "SELECT kind, tasks FROM run ORDER BY id"),
         [("plan", 1), ("plan", 1), ("plan", 2), ("plan", 1)])
    want_in("the live run", "begun", case.devs("log", "3/c").stdout)
    with open(f"{case.there}/go", "w", encoding="ascii"):
        pass
    until("its end", lambda: rows(case.log(), "SELECT 1 FROM run WHERE id=3 AND exit_code=0"))
    done = case.devs("collect", case.far(), f"h2:{second}", "--json")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    want("told", [(one["new"], one["continued"], one["unchanged"]) for one in told],
         [(0, 1, 2), (0, 0, 1)])
    for run in (1, 2, 3):
        for what in ("event", "output", "task", "attempt", "capture"):
            here = rows(log, f"SELECT * FROM {what} WHERE run={run} LIMIT 1")
            if here:
                same = same_rows(case, run=run, copy=log, what=what)
                want(f"rows of {what} of run {run}", same, True)
    want("columns", sorted(rows(log, f"SELECT {RUN_COLUMNS} FROM run WHERE id<4")),
         sorted(rows(case.log(), f"SELECT {RUN_COLUMNS} FROM run")))
    want("verify", case.devs("verify", "all").returncode, 0)
    want_in("the whole output", "20000", case.devs("log", "3/d").stdout)
    done = case.devs("collect", case.far())
    want_in("nothing new", "0 new, 0 continued, 3 unchanged; 0 events", done.stdout)
    again = case.devs("retry", "1")
    want_in("it is not continued here", "was collected from 'h1", again.stderr)
    own = case.devs("collect", case.far(), cwd=case.there)
    want_in("its own runs", "3 recorded here", own.stdout)
    want("runs", len(rows(log, "SELECT uid FROM run")), 4)


def collect_breaks(case):
    """A collection that is cut anywhere is completed by the next one."""
    case.run([task(f"t{i}", f"seq {3000 * i}; exit {i % 2}") for i in range(6)])
    log = f"{case.here}/.devs/devs.db"
    for limit in (10, 100, 1000, 5000, 20000, 50000, 80000):
        case.cut_after(f"n={limit}")
        done = case.devs("collect", case.far())
        if done.returncode not in (0, 73):
            raise Wrong(f"{limit}: {done.returncode} {done.stderr}")
    case.ssh('exec "$SSH" "$@"')
    want("exit", case.devs("collect", case.far()).returncode, 0)
    for what in ("event", "output", "task", "attempt", "capture"):
        want(f"rows of {what}", same_rows(case, copy=log, what=what), True)
    case.program("#!/usr/bin/env python3\nimport os, random, subprocess, sys\n"
                 f"p = subprocess.Popen([{DEVS!r}, *sys.argv[1:]], stdout=subprocess.PIPE)\n"
                 "hello = p.stdout.readline()\nos.write(1, hello)\n"
                 "seed = int(open(sys.argv[0] + '.seed').read())\nrandom.seed(seed)\n"
                 "while data := p.stdout.read1(65536):\n    data = bytearray(data)\n"
                 "    data[random.randrange(len(data))] ^= 1 << random.randrange(8)\n"
                 "    os.write(1, bytes(data))\n")
    before = rows(log, "SELECT count(*), max(seq) FROM event")
    for seed in range(12):  # a liar can end the collection, but nothing that is here changes
        with open(f"{case.root}/program.seed", "w", encoding="ascii") as file:
            file.write(str(seed))
        done = case.devs("collect", case.far())
        if done.returncode < 0 or done.returncode > 100:
            raise Wrong(f"seed {seed}: {done.returncode} {done.stderr}")
        want("events", rows(log, "SELECT count(*), max(seq) FROM event WHERE run=1"), before)


WITH_SCREEN = (same_frame, acts, breaks, cut_rows, host_away, devs_dies, other_runs, read_only,
               refusals)
CASES = {case.__name__: case for case in (
    *WITH_SCREEN, commands, feed_kinds, feed_garbage, slow_reader, collects, collect_breaks)}


def main():
    if not is_here():
        print("on.py: skipped: sshd is not installed")
        return 77
    names = sys.argv[2:] or list(CASES)
    if not shutil.which("tmux"):
        names = [name for name in names if CASES[name] not in WITH_SCREEN]
        if not names:
            print("on.py: skipped: tmux is not installed")
            return 77
    failed = 0
    with tempfile.TemporaryDirectory(prefix="devs-on-", ignore_cleanup_errors=True) as root:
        os.chmod(root, 0o711)
        for name in names:
            case = Case(root, name, hosts=2 if name == "collects" else 1)
            began = time.monotonic()
            try:
                CASES[name](case)
                print(f"ok   {name} ({time.monotonic() - began:.1f} s)", flush=True)
            except (Wrong, subprocess.SubprocessError) as error:
                failed += 1
                print(f"FAIL {name}: {error}", flush=True)
                for i in range(case.screens):
                    print(case.frame(f"s{i}"), flush=True)
            finally:
                case.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
