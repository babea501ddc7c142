"""hostile_input.py DEVS: project files that strangers wrote, on a terminal.

No control, direction mark, invisible character or pile of combining marks of a plan, settings,
contract, rules, theme, keys, log or argument may reach the terminal, and no FIFO, device, folder,
socket or loop of links in the place of such a file may block devs.
"""

import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unicodedata

DEVS = os.path.abspath(sys.argv[1])
TIMEOUT_S = 60
MARKS_MAX = 2  # TEXT_MARKS_MAX

HOSTILE = (
    "x\u202ey\u200bz\u2066a\u200eb\u061cc\ufeffd\U000e0041e\u0085f\u009bg\u00adh\u2028i\u2060j"
    + "k"
    + "\u0301" * 40
    + "\x1b]0;t\x07\x1b[31m\x7f\x08"
)
# In the name of a file: without NUL and the slash.
HOSTILE_NAME = "n\u202e\u200b\x1b[31m\x9b".encode() + b"\xff\xfe"

failed = []


def want(name, holds, text=""):
    if not holds:
        failed.append(name)
        print(f"FAILED {name}: {text!r}", file=sys.stderr)


def on_terminal(argv, cwd, stdin=b""):
    """What the command writes to a terminal that is its stdout and stderr."""
    master, slave = pty.openpty()
    env = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8", NO_COLOR="1")
    child = subprocess.Popen(
        argv, cwd=cwd, stdin=subprocess.PIPE, stdout=slave, stderr=slave, env=env,
        start_new_session=True,
    )
    os.close(slave)
    child.stdin.write(stdin)
    child.stdin.close()
    out = b""
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        ready, _, _ = select.select([master], [], [], 0.1)
        try:
            piece = os.read(master, 65536) if ready else b""
        except OSError:
            break  # nobody has the terminal open any more
        if ready and not piece:
            break
        out += piece
    timed_out = child.poll() is None and time.monotonic() >= end
    if timed_out:
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    os.close(master)
    return None if timed_out else out


def is_bad(char):
    category = unicodedata.category(char)
    return category in ("Cc", "Cf", "Cs", "Zl", "Zp", "Cn") and char not in "\r\n\t"


def check_clean(name, out):
    want(name + ": ends in time", out is not None)
    if out is None:
        return ""
    # Our own colors and erasures.
    text = re.sub(rb"\x1b\[[0-9;]*[mK]", b"", out)
    try:
        text = text.decode("utf-8")
    except UnicodeDecodeError as error:
        want(name + ": UTF-8", False, str(error) + repr(out[:300]))
        return ""
    bad = sorted({f"U+{ord(c):04X}" for c in text if is_bad(c)})
    want(name + ": nothing invisible", not bad, (bad, text[:400]))
    piled = re.search("[\u0300-\u036f]{%d}" % (MARKS_MAX + 1), text)
    want(name + ": few combining marks", not piled, text[:200])
    return text


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        file.write(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def step(**more):
    return {"phase": "RED", "run": ["true"], **more}


H = HOSTILE
PLANS = {
    "id": {"version": 1, "tasks": [{"id": H, "steps": [step()]}]},
    "needs": {"version": 1, "tasks": [{"id": "a", "needs": [H], "steps": [step()]}]},
    "key": {"version": 1, H: 1, "tasks": [{"id": "a", H: 1, "steps": [step(**{H: 2})]}]},
    "policy": {"version": 1, "policy": {"like": H}, "tasks": [{"id": "a", "steps": [step()]}]},
    "policies": {"version": 1, "policies": {H: {"like": "default", H: 1}},
                 "tasks": [{"id": "a", "policy": H, "steps": [step()]}]},
    "phase": {"version": 1, "tasks": [{"id": "a", "steps": [{"phase": H, "run": ["true"]}]}]},
    "sandbox": {"version": 1, "sandbox": {"kind": H, "image": H},
                "tasks": [{"id": "a", "steps": [step()]}]},
    "workspace": {"version": 1, "workspace": {"kind": H}, "tasks": [{"id": "a", "steps": [step()]}]},
    "contract": {"version": 1, "tasks": [{"id": "a", "steps": [step(contract=H)]}]},
    "contract in it": {"version": 1, "contracts": {H: {"type": H}},
                       "tasks": [{"id": "a", "steps": [step(contract={"properties": {H: {"typ": 1}}})]}]},
    "agent": {"version": 1, "tasks": [{"id": "a", "steps": [{"phase": "RED", "agent": H,
                                                            "prompt": H}]}]},
    "version": {"version": H, "tasks": H},
    "env": {"version": 1, "tasks": [{"id": "a", "steps": [step(env={H: H, "A": 1}, cwd=H)]}]},
    "shown": {"version": 1, "name": H, "idempotent": True,
              "policy": {"like": "default", "max_attempts": 1},
              "tasks": [{"id": "a", "title": H, "steps": [step(run=["sh", "-c", "exit 1", H])]}]},
}
NO_MISTAKE = "rules without a mistake but the name"
SETTINGS = {
    "key": {H: 1},
    "policies": {"policies": {H: {"like": H}}},
    "default": {"policy": H},
    "rules": {"rules": [{"name": H, "type": H, "pattern": "(" + H}]},
    NO_MISTAKE: {"rules": [{"name": H, "type": "transient", "pattern": "x"}]},
    "agents": {"agents": {H: {"program": H}}},
    "sandbox": {"sandbox": {"kind": H}},
    "theme": {"ui": {"theme": H}},
    "keys": {"ui": {H: H, "notify": [H]}},
    "secrets": {"secrets": {"patterns": [{"name": H, "regex": "(" + H}]}},
    "workflows": {"workflows": H},
    "retention": {"retention": {H: H}},
}


def merged(values):
    """One object with the keys of all."""
    whole = {}
    for value in values:
        for key, part in value.items():
            both = isinstance(part, dict) and isinstance(whole.get(key), dict)
            whole[key] = {**whole[key], **part} if both else part
    return whole


def plans(top):
    """Each with the first command; those that differ most, and the one that is right, with all."""
    commands = (["run", "--dry-run", "plan.json"], ["run", "--plain", "plan.json"],
                ["run", "--dry-run", "--json", "plan.json"],
                ["completion", "--list", "plan_task", "--", "", "run", "plan.json", "--only"])
    for name, plan in PLANS.items():
        cwd = tempfile.mkdtemp(dir=top)
        write(cwd + "/plan.json", plan)
        for words in commands if name in ("id", "key", "contract in it", "shown") else commands[:1]:
            check_clean(f"plan with {name}: {' '.join(words[:2])}", on_terminal([DEVS] + words, cwd))
    # Not JSON at all.
    cwd = tempfile.mkdtemp(dir=top)
    write(cwd + "/plan.json", '{"a": ' + H)
    check_clean("plan that is not JSON", on_terminal([DEVS, "run", "--dry-run", "plan.json"], cwd))


def settings(top):
    """Each mistake with one command; all of them at once, and what is none, with every command."""
    commands = (["exec", "--", "true"], ["doctor"], ["doctor", "--json"], ["mcp"], ["rules"],
                ["rules", "--json"], ["run", "--dry-run", "plan.json"], ["gc", "--dry-run"],
                ["new-project", "x"], ["completion", "--list", "policy"],
                ["completion", "--list", "agent"], ["classify"], ["status"], ["export", "1"])
    wrong = {name: value for name, value in SETTINGS.items() if name != NO_MISTAKE}
    rows = [(name, value, commands[:1]) for name, value in wrong.items()]
    rows += [("all mistakes", merged(wrong.values()), commands),
             (NO_MISTAKE, SETTINGS[NO_MISTAKE], commands)]
    for name, value, its_commands in rows:
        cwd = tempfile.mkdtemp(dir=top)
        write(cwd + "/devs.config.json", value)
        write(cwd + "/plan.json", {"version": 1, "tasks": [{"id": "a", "steps": [step()]}]})
        for words in its_commands:
            check_clean(f"settings with {name}: {' '.join(words)}", on_terminal([DEVS] + words, cwd))


def contracts(top):
    cwd = tempfile.mkdtemp(dir=top)
    schemas = {
        "bad": {"type": H, "properties": {H: {"typ": 1}}, "$ref": H, "pattern": "(" + H},
        "good": {"type": "object", "properties": {H: {"enum": [H]}, "b": {"const": H}},
                 "required": [H], "additionalProperties": False},
    }
    for name, schema in schemas.items():
        write(cwd + "/c.json", schema)
        write(cwd + "/i.json", {H: 1, "b": H, "c" + H: H})
        for more in ([], ["--json"], ["--repair"]):
            check_clean(f"contract that is {name} {more}",
                        on_terminal([DEVS, "validate", "--contract", "c.json", *more, "i.json"], cwd))
    write(cwd + "/i.json", "{" + H)
    check_clean("instance that is not JSON",
                on_terminal([DEVS, "validate", "--contract", "c.json", "i.json"], cwd))


def words(top):
    cwd = tempfile.mkdtemp(dir=top)
    name = HOSTILE_NAME
    os.mkdir(os.path.join(cwd.encode(), name))
    there = os.path.join(cwd.encode(), name)
    subprocess.run([DEVS, "exec", "--", "true"], cwd=there, check=True)
    for argv in (["run", name], ["run", "--only", name, "x"], ["exec", "--policy", name, "--", "x"],
                 ["exec", "--", name], ["status", name], ["log", name], ["why", name], ["diff", name],
                 ["export", name], ["apply", name], ["cancel", name], ["correct", "a", name],
                 ["validate", "--contract", name], ["import", name], ["rules", "--add", name],
                 ["classify", name], ["entropy", name], ["completion", name], [name],
                 ["--theme", name, "status"], ["--db", name, "status"], ["init", name],
                 ["debug", "--logs", name], ["hook", "install", "--agent", name],
                 ["gc", "--older", name], ["completion", "--list", name]):
        check_clean(f"the word in {argv}", on_terminal([DEVS] + argv, cwd))
    for argv in (["init"], ["doctor"], ["status"], ["runs"], ["runs", "--json"], ["hook", "install"],
                 ["hook", "status"], ["gc", "--dry-run"], ["exec", "--", "false"], ["keys"]):
        check_clean(f"a folder of that name: {argv}", on_terminal([DEVS] + argv, there))


def own_files(top):
    cwd = tempfile.mkdtemp(dir=top)
    home = tempfile.mkdtemp(dir=top)
    os.environ["XDG_CONFIG_HOME"] = home
    os.mkdir(home + "/devs")
    for value in ({H: H}, {"keys": {H: H}}, {"view": {"q": H}}, '{"' + H):
        write(home + "/devs/keys.json", value)
        check_clean("keys", on_terminal([DEVS, "keys"], cwd))
        check_clean("keys as JSON", on_terminal([DEVS, "keys", "--json"], cwd))
    os.remove(home + "/devs/keys.json")
    for value in ({H: H}, {"colors": {H: H}}, '{"' + H):
        write(cwd + "/theme.json", value)
        check_clean("theme", on_terminal(
            [DEVS, "--theme", "./theme.json", "debug", "--logs", "1", "--frame", "80x24"], cwd))


def output(top):
    """What a command wrote, by every way to look at it."""
    cwd = tempfile.mkdtemp(dir=top)
    write(cwd + "/plan.json", {
        "version": 1, "name": "n", "idempotent": True,
        "policy": {"like": "default", "max_attempts": 2, "base_delay_ms": 1},
        "tasks": [{"id": "a", "title": H, "steps": [step(run=["cat", "words"])]},
                  {"id": "b", "steps": [{"phase": "VERIFY", "shell": True,
                                         "run": "cat words; cat words >&2; exit 1"}]}]})
    write(cwd + "/words", f"error: {H} failed\ne{chr(0x301) * 2046}x\n{chr(0x301) * 100}\n" * 3)
    subprocess.run([DEVS, "run", "--plain", "plan.json"], cwd=cwd, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    for argv in (["log", "b"], ["log", "b", "--times"], ["log", "b", "--follow"], ["why", "b"],
                 ["why", "b", "--json"], ["status"], ["status", "--json"], ["status", "--all"],
                 ["runs"], ["runs", "--json"], ["diff", "b"], ["debug", "--forensics", "b"],
                 ["debug", "--forensics", "b", "--json"], ["debug", "--logs"], ["completion", "--list", "task"],
                 ["completion", "--list", "run"], ["completion", "--list", "target"],
                 ["debug", "--logs", "--json"], ["export", "1", "--format", "jsonl", "-y", "-o", "-"]):
        check_clean(f"output: {argv}", on_terminal([DEVS] + argv, cwd))
    check_clean("run --plain", on_terminal([DEVS, "run", "--plain", "plan.json"], cwd))
    check_clean("run --json", on_terminal([DEVS, "run", "--json", "plan.json"], cwd))
    # A pipe gets what was written, byte by byte.
    raw = subprocess.run([DEVS, "log", "b"], cwd=cwd, capture_output=True, check=False)
    want("log into a pipe is as it was", ("e" + "\u0301" * 2046).encode() in raw.stdout,
         raw.stdout[:400] + raw.stderr)


def make_odd(kind, path):
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        os.mkdir(path)
    elif kind == "device":
        os.symlink("/dev/zero", path)
    elif kind == "terminal":
        os.symlink("/dev/tty", path)
    elif kind == "loop":
        os.symlink(os.path.basename(path), path)
    elif kind == "huge":
        with open(path, "wb") as file:
            file.truncate(1 << 40)
    else:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path)


def odd_files(top):
    """Each in the place of each file: one line that names it, in time."""
    plan = {"version": 1, "tasks": [{"id": "a", "steps": [step(stdin="in", contract="c.json")]}]}
    rows = [
        ("devs.config.json", ["exec", "--", "true"]), ("devs.config.json", ["run", "plan.json"]),
        ("devs.config.json", ["mcp"]), ("devs.config.json", ["doctor"]),
        ("devs.config.json", ["rules"]), ("devs.config.json", ["rules", "--add", "rule.json"]),
        ("devs.config.json", ["new-project", "x"]), ("devs.config.json", ["gc", "--dry-run"]),
        ("devs.config.json", ["completion", "--list", "policy"]),
        ("plan.json", ["run", "plan.json"]), ("plan.json", ["run", "--dry-run", "plan.json"]),
        ("plan.json", ["completion", "--list", "plan_task", "--", "", "run", "--only"]),
        ("c.json", ["run", "--dry-run", "plan.json"]), ("in", ["run", "--plain", "plan.json"]),
        ("c.json", ["validate", "--contract", "c.json", "plan.json"]),
        ("x.json", ["validate", "--contract", "good.json", "x.json"]),
        ("x.json", ["import", "x.json"]), ("x.json", ["classify", "--rules", "x.json"]),
        ("x.json", ["entropy", "x.json"]), ("x.json", ["rules", "--add", "x.json"]),
        ("x.json", ["--theme", "./x.json", "exec", "--", "true"]),
        ("devs.project.json", ["plan-phase", "1"]), ("devs.project.json", ["execute-phase", "1"]),
        ("phase-1.plan.json", ["execute-phase", "1"]), ("phase-1.plan.json", ["trust", "phase-1.plan.json"]),
    ]
    # What would block or never end, in each place; the others where the first reader of each finds it.
    first = [row for i, row in enumerate(rows) if row[0] not in [place for place, _ in rows[:i]]]
    for kind in ("fifo", "device", "huge", "folder", "terminal", "loop", "socket"):
        for place, argv in rows if kind in ("fifo", "device", "huge") else first:
            if kind == "huge" and argv[0] in ("import", "entropy"):
                continue  # read line by line, however long that takes
            cwd = tempfile.mkdtemp(dir=top)
            write(cwd + "/good.json", {"type": "object"})
            if place == "phase-1.plan.json":
                write(cwd + "/devs.project.json", {"name": "x", "summary": "x", "phases": [
                    {"title": "x", "goal": "x", "done_when": "x"}]})
            write(cwd + "/rule.json", {"name": "x", "type": "transient", "pattern": "x"})
            if argv[0] == "run":
                write(cwd + "/plan.json", plan)
                write(cwd + "/c.json", {"type": "object"})
                write(cwd + "/in", "")
            if os.path.exists(f"{cwd}/{place}"):
                os.remove(f"{cwd}/{place}")
            make_odd(kind, f"{cwd}/{place}")
            out = on_terminal([DEVS] + argv, cwd, b"")
            name = f"{kind} as {place}: {' '.join(argv)}"
            text = check_clean(name, out)
            is_silent = argv[0] == "completion" or place == "in" or "--theme" in argv
            want(name + ": one line says so",
                 is_silent or re.search(r"not a regular file|directory|symbolic|larger|neither a file|"
                                        r"No such device|too large|too long|is no |cannot be read|expected",
                                        text), text)


def pipes_that_were_meant(top):
    cwd = tempfile.mkdtemp(dir=top)
    write(cwd + "/plan.json", {"version": 1, "name": "piped", "tasks": [{"id": "a", "steps": [step()]}]})
    for line in ('"$0" run --dry-run - <plan.json', 'cat plan.json | "$0" run --dry-run -',
                 'cat plan.json | "$0" run --dry-run /dev/stdin', '"$0" run --dry-run <(cat plan.json)',
                 'exec 7< <(cat plan.json); "$0" run --dry-run /proc/self/fd/7'):
        got = subprocess.run(["bash", "-c", line, DEVS], cwd=cwd, capture_output=True, text=True,
                             timeout=TIMEOUT_S, check=False)
        want(f"a pipe that was meant: {line}", "piped: 1 task" in got.stdout, got.stdout + got.stderr)


def main():
    top = tempfile.mkdtemp(prefix="devs-hostile-")
    os.environ["XDG_RUNTIME_DIR"] = tempfile.mkdtemp(dir=top)
    os.environ["HOME"] = top
    os.environ.pop("DEVS_DB", None)
    try:
        for part in (plans, settings, contracts, words, own_files, output, odd_files,
                     pipes_that_were_meant):
            part(top)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    print(f"{len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
