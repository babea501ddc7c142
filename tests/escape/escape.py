#!/usr/bin/env python3
"""Tries to escape from devs' sandboxes: runs the table in attempts.py.

usage: escape.py KIND DEVS [--all] [--only NAME] [--list] [--keep] [--no-control] [--sandbox JSON]
                 [--jobs N]

KIND says where the attempts run, and thus which rows are tried:

    opened      no sandbox: a stranger made the project, and a user opens it
    bwrap_root  in bwrap, devs as root: what root may do and a user may not
    bwrap_user  in bwrap, devs as an ordinary user: uid 1000, or the current user if not root
    podman      in a container, of an image that is made of a static busybox

Without --all, a row is left out if another kind proves the same (kinds_of()).

Each group of rows has its own project in a folder below /var/tmp (bwrap replaces /tmp). The attempt
sets its traps, devs and the user continue, and nothing may have left a mark outside. In a second
project the same traps are set without a sandbox and triggered in an ordinary way: a trap that does
not work there fails the row, too. Prints each row that escaped, with what it left behind and how to
run it alone. Exits 0, 1, or 77 if the kind cannot be tried here.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True  # keeps the checkout unchanged
import attempts
from attempts import ARM, NO_CONTROL, SANDBOX, SCENARIOS

SCRIPT_S = 300  # only to end hung scripts: dozens of rows are slow on a busy machine
SHOWN_LINES = 16  # of a row that failed: the last ones say why
ARM_S = 30  # for one row's part of an attempt
SKIPPED = 77
PODMAN_ARGS = ["--runtime", "runc", "--cgroup-manager", "cgroupfs", "--ulimit", "nofile=1024:1024",
               "--ulimit", "nproc=1024:1024"]
OUT_DEFAULT = 'test -e "$MARK" || test -s "$PROJ/.got/$NAME"'


class Place:
    """What all rows of one run of this program share: the user, the folder, and the sandbox."""

    def __init__(self, options):
        self.kind = options.kind
        self.keep = options.keep
        self.top = tempfile.mkdtemp(prefix="devs-escape-", dir="/var/tmp")
        self.user = 1000 if options.kind == "bwrap_user" and os.geteuid() == 0 else None
        os.makedirs(f"{self.top}/bin")
        shutil.copy2(options.devs, f"{self.top}/bin/devs")
        os.chmod(self.top, 0o755)
        self.own(self.top, f"{self.top}/bin")
        os.makedirs(f"{self.top}/template/home")
        self.own(f"{self.top}/template", f"{self.top}/template/home")
        subprocess.run(["sh", "-ec", TEMPLATE], cwd=f"{self.top}/template", check=True,
                       env={"HOME": f"{self.top}/template/home", "PATH": os.environ["PATH"]},
                       **self.as_user())
        self.sandbox = {"kind": "bwrap"}
        self.count = 0
        self.lock = threading.Lock()

    def own(self, *paths):
        for path in paths if self.user is not None else ():
            os.chown(path, self.user, self.user)

    def as_user(self):
        return {} if self.user is None else {
            "user": self.user, "group": self.user, "extra_groups": []}

    def done(self):
        if self.keep:
            print(f"kept: {self.top}")
        else:
            shutil.rmtree(self.top, ignore_errors=True)


class Listeners:
    """Sockets outside. A client that reaches one requests /NAME, which is the mark of that row."""

    def __init__(self, lab, marks):
        self.marks, self.sockets = marks, []
        self.tmp = tempfile.mkdtemp(prefix="devs-escape-", dir="/tmp")
        os.chmod(self.tmp, 0o755)
        self.abstract = f"devs-escape-{os.getpid()}-{os.path.basename(lab)}"
        for name in ("docker.sock", "podman/podman.sock", "bus", "gnupg/S.gpg-agent", "pipewire-0"):
            os.makedirs(os.path.dirname(f"{lab}/run/{name}"), mode=0o755, exist_ok=True)
            self.listen(socket.AF_UNIX, f"{lab}/run/{name}")
        self.listen(socket.AF_UNIX, f"{self.tmp}/s")
        self.listen(socket.AF_UNIX, f"{lab}/home/s")
        self.listen(socket.AF_UNIX, f"\0{self.abstract}")
        self.port = self.listen(socket.AF_INET, ("127.0.0.1", 0)).getsockname()[1]
        self.variables = {"ABSTRACT": self.abstract, "PORT": str(self.port),
                          "RUNTIME": f"{lab}/run", "HOME_SOCKET": f"{lab}/home/s",
                          "TMP_SOCKET": f"{self.tmp}/s"}

    def listen(self, family, address):
        one = socket.socket(family)
        one.bind(address)
        one.listen(8)
        if isinstance(address, str) and not address.startswith("\0"):
            os.chmod(address, 0o777)
        self.sockets.append(one)
        threading.Thread(target=self.serve, args=(one,), daemon=True).start()
        return one

    def serve(self, one):
        while True:
            try:
                peer, _ = one.accept()
                peer.settimeout(5)
                asked = re.match(rb"GET /([\w.-]+) ", peer.recv(4096))
                if asked:
                    open(f"{self.marks}/{asked[1].decode()}", "a").close()
                peer.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
                peer.close()
            except TimeoutError:
                continue
            except OSError:
                if one.fileno() < 0:
                    return

    def done(self):
        for one in self.sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()
        shutil.rmtree(self.tmp, ignore_errors=True)


# The project and home folder that are copied to every lab.
TEMPLATE = r"""
git config --global user.name lab; git config --global user.email lab@localhost
git config --global init.defaultBranch main
echo '# mine' >"$HOME/.bashrc"; cp "$HOME/.bashrc" "$HOME/.profile"
mkdir -p out/empty out/.git/hooks project run marks arm; echo out >out/file; chmod 700 run home
cd project; git init -q; mkdir .trap .got; printf '.devs/\n.trap/\n.got/\n' >.gitignore
git add -A; git commit -qm first
"""
TRAP = '#!/bin/sh\necho "{name} $*" >>"{mark}"\nexec timeout 0.3 cat\n'

# What scripts outside have beside the program devs.
OUTSIDE = r"""
got() { mkdir -p "$PROJ/.got"; echo "$*" >>"$PROJ/.got/$NAME"; }
mcp() {
    { printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"lab","version":"1"}}}' \
        '{"jsonrpc":"2.0","method":"notifications/initialized"}'
        printf '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2"
    } | devs mcp
}
export -f got mcp
"""

INSIDE = r"""
got() { mkdir -p "$PROJ/.got"; echo "$*" >>"$PROJ/.got/$NAME"; }
! [ -e "$PROJ/.trap/env" ] || . "$PROJ/.trap/env"
"""


class Lab:
    """One project with the traps of some rows in it."""

    def __init__(self, place, rows, control):
        with place.lock:
            place.count += 1
            number = place.count
        self.place, self.rows, self.control = place, rows, control
        self.id = f"{os.getpid()}x{number}"
        self.scenario = {**SCENARIOS[rows[0]["scenario"]]}
        self.scenario.update({k: v for k, v in rows[0].items() if k not in ("arm", "setup", "out",
                                                                            "control")})
        self.top = f"{place.top}/{number}"
        self.proj = f"{self.top}/project"
        self.said, self.hung, self.refused = "", False, False
        subprocess.run(["cp", "-a", f"{place.top}/template", self.top], check=True)
        self.listeners = None
        if rows[0]["scenario"] == "machine":
            self.listeners = Listeners(self.top, f"{self.top}/marks")
            for folder, folders, files in os.walk(f"{self.top}/run"):
                place.own(folder, *(f"{folder}/{one}" for one in files))
        self.names = " ".join(one["name"] for one in rows)

    def variables(self, name):
        path = f"{self.place.top}/bin:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
        sandbox = self.sandbox()
        values = {
            "PATH": path, "HOME": f"{self.top}/home", "LANG": "C.UTF-8", "TERM": "xterm",
            "PAGER": "cat", "EDITOR": "true",
            "USER": "lab", "LOGNAME": "lab", "XDG_RUNTIME_DIR": f"{self.top}/run",
            "LAB": self.top, "PROJ": self.proj, "OUT": f"{self.top}/out", "ROWS": self.names,
            "RUN_ID": self.id, "VICTIM_NAME": f"dv{self.id}"[:15], "SANDBOX_JSON": json.dumps(sandbox),
            "WORK": json.dumps(self.fill(WORK)), "IN_PLACE": json.dumps(self.fill(IN_PLACE)),
            **self.own_variables(name),
        }
        if self.listeners:
            values.update(self.listeners.variables)
        return values

    def own_variables(self, name):
        return {"NAME": name, "MARK": f"{self.top}/marks/{name}", "TRAP": f"{self.proj}/.trap/{name}",
                "ARMED": f"{self.top}/arm/{name}"}

    def sandbox(self):
        return {"kind": "none"} if self.place.kind == "opened" or self.control else \
            self.place.sandbox

    def script(self, text, name="", shell="bash", prefix=""):
        """Runs it outside, in the project. Keeps its output for diagnosis."""
        env = self.variables(name or self.rows[0]["name"])
        started = time.monotonic()
        process = subprocess.Popen(
            [shell, "-c", prefix + text], cwd=self.proj, env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            **self.place.as_user())
        try:
            said, _ = process.communicate(timeout=SCRIPT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self.hung = True
            said = process.communicate()[0] + b"\n[took too long, killed]\n"
        said = said.decode(errors="backslashreplace").replace("\0", "")
        self.said += f"$ {text.strip()[:400]}\n{said[-9000:]}[{time.monotonic() - started:.1f} s]\n"
        return process.returncode, said

    def outside(self, text, name=""):
        source = '! [ -e "$LAB/after.env" ] || . "$LAB/after.env"\n'
        return self.script(text, name, prefix=OUTSIDE + source)

    def arm_of(self, row):
        values = dict(self.variables(row["name"]))
        for unwanted in ("PATH", "HOME", "LANG", "TERM", "PAGER", "EDITOR", "USER", "LOGNAME",
                         "ROWS", "WORK", "IN_PLACE", "SANDBOX_JSON", "XDG_RUNTIME_DIR"):
            del values[unwanted]
        lines = "".join(f"export {k}={shlex.quote(v)}\n" for k, v in values.items())
        return f"{lines}{INSIDE}{row['arm']}\n"

    def armed(self):
        """Returns one command that arms all rows, each independently."""
        text = "".join(
            f"timeout {ARM_S} sh -c {shlex.quote(self.arm_of(row))} </dev/null 2>&1\n"
            for row in self.rows)
        return text + "exit 0\n"

    def fill(self, value):
        """Fills the command, the sandbox and the project's path into a plan."""
        if value == ARM:
            return self.armed()
        if value == SANDBOX:
            return self.sandbox()
        if isinstance(value, str):
            return value.replace("$PROJ", self.proj).replace("$LAB", self.top)
        if isinstance(value, list):
            return [self.fill(one) for one in value]
        if isinstance(value, dict):
            more = value.get("+")
            filled = {k: self.fill(v) for k, v in value.items() if k != "+"}
            return {**self.fill(more), **(filled if self.sandbox()["kind"] != "none" else {})} \
                if more else filled
        return value

    def prepare(self):
        with open(f"{self.proj}/plan.json", "w") as file:
            json.dump(self.fill(self.scenario["plan"]), file)
        self.place.own(file.name)
        for row in self.rows:
            own = self.own_variables(row["name"])
            with open(own["ARMED"], "w") as file:
                file.write(self.arm_of(row))
            with open(own["TRAP"], "w") as file:
                file.write(TRAP.format(name=row["name"], mark=own["MARK"]))
            os.chmod(own["TRAP"], 0o755)
            self.place.own(own["TRAP"])
        self.outside(SCENARIOS[self.rows[0]["scenario"]]["setup"])
        for row in self.rows:
            if "setup" in row:
                self.outside(row["setup"], row["name"])

    def needed(self):
        """Returns the rows that can be tried here, and the names of the others."""
        needed = [row for row in self.rows if "needs" in row]
        missing = {row["name"] for row in needed
                   if self.script(row["needs"], row["name"], shell="sh")[0] != 0}
        return [row for row in self.rows if row["name"] not in missing], missing

    def escaped(self):
        """Returns the names of the rows that escaped, with the evidence."""
        test = ""
        for row in self.rows:
            out = row.get("out", SCENARIOS[row["scenario"]].get("out", OUT_DEFAULT))
            own = "".join(f"{k}={shlex.quote(v)}\n" for k, v in
                          self.own_variables(row["name"]).items())
            test += f"{own}export NAME MARK; if {{ {out}\n}} </dev/null >/dev/null 2>&1; then printf" \
                    f" '\\n= %s\\n' \"$NAME\"; head -c 200 \"$MARK\" \"$PROJ/.got/$NAME\" 2>/dev/null; fi\n"
        said = self.script(test, shell="sh")[1]
        return {part.split("\n", 1)[0]: part for part in re.split(r"(?m)^= ", said)[1:]}

    def attack(self):
        self.prepare()
        if self.place.kind == "opened" or self.scenario.get("arm_outside"):
            self.outside(self.armed())
        start = ":" if self.place.kind == "opened" else "devs run --plain plan.json"
        start = self.scenario.get("launch", start)
        said = self.outside(start)[1]
        never_ran = " running, pid " not in said or re.search(r"^  work +0 tries", said, re.M)
        self.refused = "devs " in start and bool(never_ran)
        self.outside(self.scenario.get("after", ":"))
        return self.escaped()

    def spring(self):
        """The control: arms the traps without a sandbox and triggers them in an ordinary way."""
        self.prepare()
        self.outside("".join(
            f"timeout {ARM_S} bash -c {shlex.quote(OUTSIDE + self.arm_of(row))} </dev/null 2>&1\n"
            for row in self.rows if row.get("safe", True)))
        shared = SCENARIOS[self.rows[0]["scenario"]]["control"]
        if any("control" not in row for row in self.rows):
            self.outside(shared)
        for row in self.rows:
            if "control" in row:
                self.outside(row["control"], row["name"])
        return self.escaped()

    def done(self):
        if self.listeners:
            self.listeners.done()
        try:
            with open(f"{self.top}/kill") as file:
                os.kill(int(file.read()), signal.SIGKILL)
        except (OSError, ValueError):
            pass
        if not self.place.keep:
            shutil.rmtree(self.top, ignore_errors=True)


EDIT = "for f in f.* g.*; do sed -i '%s/.*/%s/' $f; done; echo x >>nest/f; echo %s >%s"
WORK = attempts.plan(
    attempts.task("a", EDIT % ("1s", "a", "a", "a")), attempts.task("b", EDIT % ("20s", "b", "b", "b")),
    attempts.task("c", "true", needs=["a", "b"]),
    attempts.task("d", EDIT % ("2s", "d", "d", "d") + "; exit 1"), workspace={"kind": "worktree"})
IN_PLACE = attempts.plan(
    {"id": "look", "steps": [{"phase": "VERIFY", "run": ["/bin/false"], "sandbox": {"kind": "none"}}]})


def groups_of(rows, alone):
    groups = {}
    for number, row in enumerate(rows):
        key = (row["scenario"], number if alone(row) else row.get("group", ""))
        groups.setdefault(key, []).append(row)
    return list(groups.values())


def label(row):
    return row["name"] if row["sole"] else f"{row['name']}@{row['scenario']}"


class Result:
    def __init__(self):
        self.failed, self.opened, self.skipped, self.unproven, self.hung = {}, {}, {}, {}, {}
        self.held, self.refused = set(), set()


def attempt(place, rows, result):
    lab = Lab(place, rows, control=False)
    try:
        lab.rows, missing = lab.needed()
        for row in rows:
            if row["name"] in missing:
                result.skipped[label(row)] = "cannot work on this machine, sandbox or not"
        if not lab.rows:
            return
        out = lab.attack()
        if out and len(lab.rows) > 1 and "out" in SCENARIOS[rows[0]["scenario"]]:
            for row in lab.rows:  # they share what was left behind, so find out which one it was
                attempt(place, [row], result)
            return
        for row in lab.rows:
            if "open" in row and row["name"] in out:
                result.opened[label(row)] = row["open"]
            elif "open" in row:
                result.failed[label(row)] = "holds: remove its field `open`"
            elif lab.hung:
                result.hung[label(row)] = f"took longer than {SCRIPT_S} s\n{lab.said}"
            elif lab.refused and not lab.scenario.get("refused"):
                result.failed[label(row)] = f"the attempt never ran\n{lab.said}"
            elif row["name"] in out:
                result.failed[label(row)] = f"got out: {out[row['name']].strip()}\n{lab.said}"
            else:
                (result.refused if lab.refused else result.held).add(label(row))
    finally:
        lab.done()


def prove(place, rows, result):
    lab = Lab(place, rows, control=True)
    try:
        lab.rows = [row for row in lab.needed()[0] if row.get("control") != NO_CONTROL]
        if not lab.rows:
            return
        out = lab.spring()
        for row in lab.rows:
            if lab.hung:
                result.hung[label(row)] = f"its control took longer than {SCRIPT_S} s\n{lab.said}"
            elif row["name"] not in out:
                result.unproven[label(row)] = "the trap does not work: its control left no mark\n" + \
                    lab.said
    finally:
        lab.done()


def is_proven_here(row, kind):
    """A trap is proven by the first kind that tries it; traps of the machine by every kind."""
    if row["scenario"] == "late" and not row["sole"]:
        return False
    return row["scenario"] == "machine" or row["kinds"][0] == kind


def skip(words):
    print(f"skipped: {words}")
    sys.exit(SKIPPED)


def make_image(place):
    name = f"devs-escape-{os.getpid()}:1"
    tree = f"{place.top}/image"
    for folder in ("bin", "tmp", "proc", "sys", "dev", "etc", "var/tmp"):
        os.makedirs(f"{tree}/{folder}")
    shutil.copy2("/bin/busybox", f"{tree}/bin/busybox")
    for applet in subprocess.run(["/bin/busybox", "--list"], capture_output=True,
                                 text=True).stdout.split():
        if applet != "busybox":
            os.symlink("busybox", f"{tree}/bin/{applet}")
    pack = subprocess.Popen(["tar", "-C", tree, "-c", "."], stdout=subprocess.PIPE)
    made = subprocess.run(["podman", "import", "-q", "-", name], stdin=pack.stdout,
                          capture_output=True, text=True)
    pack.wait()
    shutil.rmtree(tree)
    return name if made.returncode == 0 else skip(f"podman import: {made.stderr.strip()[-300:]}")


def ready_podman(place):
    if not shutil.which("podman") or not os.access("/bin/busybox", os.X_OK):
        skip("needs podman and busybox-static")
    name = make_image(place)
    for args in ([], PODMAN_ARGS):
        tried = subprocess.run(
            ["podman", "run", "--rm", "--network=none", *args, name, "/bin/true"],
            capture_output=True, text=True)
        if tried.returncode == 0:
            place.sandbox = {"kind": "podman", "image": name, **({"args": args} if args else {})}
            return name
    subprocess.run(["podman", "rmi", "-f", name], capture_output=True)
    return skip(f"podman starts no container here: {tried.stderr.strip()[-300:]}")


def ready_bwrap(place):
    if not shutil.which("bwrap"):
        skip("needs bubblewrap")
    tried = subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], cwd="/",
                           capture_output=True, text=True, **place.as_user())
    if tried.returncode != 0:
        skip(f"bwrap does not work here: {tried.stderr.strip()[-300:]}")


def ready(place):
    """Makes the kind's sandbox work, or skips it. Returns the name of an image to remove."""
    missing = [one for one in ("git", "script", "curl", "perl", "make") if not shutil.which(one)]
    if missing:
        skip(f"needs {' '.join(missing)}")
    if place.kind == "bwrap_root" and os.geteuid() != 0:
        skip("needs root")
    if place.kind.startswith("bwrap"):
        ready_bwrap(place)
    return ready_podman(place) if place.kind == "podman" else None


def kinds_of(row, everything):
    """Returns the kinds that try a row. A file that bwrap protects from a user's step is protected
    from root's in the same way. Traps for git can be set by a stranger who wrote the whole project,
    who can do more than an attempt in a sandbox."""
    kinds = row.get("on", SCENARIOS[row["scenario"]]["on"])
    if everything or row["scenario"] in attempts.OF_ROOT:
        return kinds
    if row["scenario"] == "git" and "opened" in kinds:
        return ("opened",)
    return tuple(kind for kind in kinds if kind != "bwrap_root" or "bwrap_user" not in kinds)


def choose(kind, only, everything):
    names = [row["name"] for row in attempts.ROWS]
    for row in attempts.ROWS:
        row["kinds"] = kinds_of(row, everything)
        row["sole"] = names.count(row["name"]) == 1
    rows = [row for row in attempts.ROWS if kind in row["kinds"]]
    if only:
        rows = [row for row in rows if only in (row["name"], label(row), f"@{row['scenario']}")]
    return rows


def play(place, rows, options, result):
    jobs = [(attempt, group) for group in groups_of(rows, lambda row: False)]
    if not options.no_control:
        proven = [row for row in rows if is_proven_here(row, place.kind)]
        jobs += [(prove, group) for group in groups_of(
            proven, lambda row: SCENARIOS[row["scenario"]].get("control_alone"))]
    jobs.sort(key=lambda job: -len(job[1]))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in [pool.submit(do, place, group, result) for do, group in jobs]:
            future.result()


def report(result, options, count):
    failed = {**result.unproven, **result.hung, **result.failed}
    for name, why in sorted(failed.items()):
        lines = why.strip().splitlines()
        shown = lines if options.only else lines[:1]
        print(f"FAILED: {name}: " + "\n    ".join(shown))
        if not options.only:
            print("\n".join(f"    {line}" for line in lines[1:][-SHOWN_LINES:]))
            print(f"    alone: python3 {sys.argv[0]} {options.kind} {options.devs} --only {name}")
    for name, why in sorted(result.opened.items()):
        print(f"open: {name}: {why}")
    for name, why in sorted(result.skipped.items()):
        print(f"skipped: {name}: {why}")
    if result.refused:  # proves nothing about the sandbox
        print(f"refused by devs, never ran: {' '.join(sorted(result.refused))}")
    print(f"{count} attempts: {len(result.held)} held, {len(result.refused)} refused, {len(result.failed)} got out, "
          f"{len(result.opened)} known to be open, {len(result.unproven)} unproven, {len(result.hung)} too slow, "
          f"{len(result.skipped)} skipped")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kind", choices=attempts.EVERYWHERE)
    parser.add_argument("devs")
    parser.add_argument("--all", action="store_true", help="in every kind, also where another kind proves as much")
    parser.add_argument("--only", help="one row or @SCENARIO, with all that was said")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep the projects, print where")
    parser.add_argument("--no-control", action="store_true")
    parser.add_argument("--sandbox", type=json.loads, help="more keys, as a JSON object")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 2))
    options = parser.parse_args()
    rows = choose(options.kind, options.only, options.all or options.only)
    if options.list or not rows:
        print("\n".join(label(row) for row in rows) if options.list else f"no row {options.only}")
        return 0 if options.list else 2
    if not os.access(options.devs, os.X_OK):
        parser.error(f"no program {options.devs}")
    place, image = Place(options), None
    result = Result()
    try:
        image = ready(place)
        place.sandbox.update(options.sandbox or {})
        play(place, rows, options, result)
    finally:
        if image:
            subprocess.run(["podman", "rmi", "-f", image], capture_output=True)
        place.done()
    return report(result, options, len(rows))


if __name__ == "__main__":
    sys.exit(main())
