#!/usr/bin/env python3
"""Presses every key that a footer of the cockpit names, in a tmux terminal.

usage: footers.py DEVS SHOP_LOG

Covers a live run, its past, an ended run, a run whose devs was killed, a recording and a read-only
log, with all six views of each. A key that a footer names must do something: the screen changes, and
the message line shows no refusal. The footer is read again after each key, until every key that it
ever named was pressed. Skipped (77) without tmux.
"""
import concurrent.futures
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

DEVS, SHOP_LOG = (os.path.abspath(path) for path in sys.argv[1:3])
COLUMNS, ROWS = 120, 34
LIMIT_S = 30  # for a screen to change, on a loaded machine
COVERED_S = 3  # until another key is pressed to remove a message
KEYS_MAX = 60  # in one view; more than any footer names

# Messages that are not refusals: about the run, or about the effect of a key.
ANSWERS = re.compile(
    r"(❚❚|▶) .*|\d+ of \d+ passed.*|\d\d:\d\d:\d\d .*|devs (died|went away) .*|run #\d+.*|"
    r"(still )?copying run #\d+.*|"
    r"following the end of the log|idle time is (shown|folded)|"
    r"try \d+ marked: .*|no try marked|marked: \d+|back in the present|"
    r"\w+: (hold|retry|release) requested|\w+ (held|released|retried).*|"
    r"\w+: (a new set of tries|starts with the next free slot).*|")
# Keys that open something, a pattern that shows it is open, and the key that closes it.
OPENED = {"?": ("Help: ", "Escape"), "/": ("^(filter|find):", "Escape"),
          "x": ("Esc", "Escape"), "R": ("Esc", "Escape"), "W": ("y write", "Escape")}
NAMED = {"⏎": "Enter", "Tab": "Tab", "Space": "Space"}
VIEWS = [("2", r"Tasks > [^>]*$"), ("3", r"> log$"), ("4", r"> forensics$"), ("5", r"Timeline"),
         ("6", r"^Runs "), ("1", r"^devs ")]

PLAN = """{"version": 1, "name": "night", "idempotent": true, "jobs": 3,
 "policies": {"slow": {"like": "transport", "max_attempts": 4, "base_delay_ms": 3600000, "cap_ms": 3600000, "jitter": 0}},
 "tasks": [
 {"id": "bad", "steps": [{"phase": "RED", "run": ["sh", "-c", "echo not ok 1 - rounds; exit 1"]}]},
 {"id": "ok", "steps": [{"run": ["sh", "-c", "echo fine"]}]},
 {"id": "login", "steps": [{"run": ["sh", "-c", "echo 401 Unauthorized >&2; exit 1"]}]},
 {"id": "after", "needs": ["bad"], "steps": [{"run": ["true"]}]}%s]}"""
LIVE = """, {"id": "wait", "steps": [{"policy": "slow",
   "run": ["sh", "-c", "echo connect ECONNREFUSED; exit 1"]}]},
 {"id": "long", "steps": [{"run": ["sh", "-c", "echo works; while test -e plan.json; do sleep 0.2; done"]}]}"""


class Wrong(Exception):
    pass


def until(what, seen):
    end = time.monotonic() + LIMIT_S
    while not (found := seen()):
        if time.monotonic() > end:
            raise Wrong(f"{what}: not within {LIMIT_S} s")
        time.sleep(0.02)
    return found


class Terminal:
    """A devs in its own terminal. If `ticks` is true, digits are ignored when screens are compared."""

    def __init__(self, root, name, folder, arguments, ticks):
        self.name, self.ticks = name, ticks
        command = " ".join(f"'{word}'" for word in [DEVS] + arguments)
        tmux = ["tmux", "-S", f"{root}/tmux-{name}", "-f", "/dev/null"]
        subprocess.run(tmux + ["new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS),
                               f"cd '{folder}' && {command}; echo code-$?; exec cat"], check=True)
        self.control = subprocess.Popen(tmux + ["-C", "attach", "-f", "no-output"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, errors="replace")
        self.answer()
        self.tmux("set-option status off")

    def answer(self):
        """Returns the lines of the next answer; skips notices before it."""
        lines = []
        while not (line := self.control.stdout.readline()).startswith(("%end", "%error", "%exit")):
            if not line:
                raise Wrong(f"{self.name}: tmux has ended")
            lines = [] if line.startswith("%begin") else lines + [line.rstrip("\n")]
        return lines

    def tmux(self, command):
        self.control.stdin.write(command + "\n")
        self.control.stdin.flush()
        return self.answer()

    def rows(self):
        return [line.rstrip() for line in self.tmux("capture-pane -p")[:ROWS]]

    def looks(self):
        """The screen with its colors: the chosen row may differ only in color."""
        text = "\n".join(self.tmux("capture-pane -p -e"))
        return re.sub(r"\x1b\[[0-9;]*m|\d+|[#-]+\]", lambda m: m[0] if m[0][0] == "\x1b" else "",
                      text) if self.ticks else text

    def still(self):
        """Waits until the screen stops changing, and returns it."""
        seen = [self.looks()]

        def is_same():
            seen.append(self.looks())
            time.sleep(0.02)
            return seen[-1] == seen[-2] == self.looks()
        until(f"{self.name}: the screen stands still", is_same)
        return seen[-1]

    def type(self, key):
        self.tmux(f"send-keys -H {ord(key):x}" if len(key) == 1 else f"send-keys {key}")

    def type_until(self, key, shown):
        self.type(key)
        until(f"{self.name}: {key} leads to '{shown}'", lambda: self.shows(shown))

    def shows(self, pattern):
        return any(re.search(pattern, row.strip()) for row in self.rows())

    def view(self):
        """The digit of the current view; None if there is none."""
        head = self.rows()[0].strip()
        head = re.split(r"   +(?:LIVE|ENDED|PAST|REPLAY|INTERRUPTED)\b", head)[0].strip()
        return next((digit for digit, sign in VIEWS if re.search(sign, head)), None)

    def go_to(self, digit):
        while (here := until(f"{self.name}: a view", self.view)) != digit:
            key = "q" if here == "6" else "1" if here != "1" else digit
            self.type(key)
            until(f"{self.name}: {key} leaves view {here}", lambda: self.view() not in (None, here))

    def has_footer(self):
        return re.search(r"\? help( |$)", self.rows()[-1]) is not None

    def message(self):
        """The message line, above the footer or the bar of a recording, or in place of the footer."""
        rows = self.rows()
        rules = [i for i, row in enumerate(rows[:-1]) if re.fullmatch("─+", row)]
        if re.search(r"\? help( |$)", rows[-1]) is None:
            return rows[-1].strip()
        return rows[rules[-1] + 1].strip() if rules else ""

    def footer(self):
        """The keys of the footer, each with its word. A message may cover it until the next key, and
        a window that took long to open until it is closed."""
        covered_from = time.monotonic()

        def is_uncovered():
            nonlocal covered_from
            if not self.has_footer() and time.monotonic() - covered_from > COVERED_S:
                self.type("Escape" if self.shows("Esc close") else "Up")
                covered_from = time.monotonic()
            return self.has_footer()
        until(f"{self.name}: a footer", is_uncovered)
        out = []
        for part in re.split("  +", self.rows()[-1].strip()):
            words = part.split(" ")
            keys = []
            while len(words) > 1 and (len(words[0]) == 1 or words[0] in NAMED):
                keys.append(words.pop(0))
            if not keys:
                raise Wrong(f"{self.name}: no footer: {self.rows()[-1]!r}")
            out += [(NAMED.get(key, key), " ".join(words)) for key in keys]
        return out


def press(terminal, key, word):
    """Presses a key of the footer. A refused key that the footer no longer names is not counted: the
    run has moved on since the footer was read."""
    before = terminal.still()
    message = terminal.message()
    where = f"{terminal.name}, view {terminal.view()}: {key} {word}"
    opens, closes = OPENED.get(key, (None, None))
    terminal.type(key)

    def is_refused():
        answer = terminal.message()
        return answer != message and not ANSWERS.fullmatch(answer)

    until(f"{where}: does something", lambda: terminal.looks() != before)
    if opens:
        until(f"{where}: opens", lambda: terminal.shows(opens) or terminal.has_footer() and is_refused())
        terminal.still()  # a window that was half drawn looks like a refusal
    if opens and terminal.shows(opens):
        terminal.type(closes)
        until(f"{where}: closes", terminal.has_footer)
        return
    terminal.still()
    if is_refused() and (key, word) in terminal.footer():
        raise Wrong(f"{where}: '{terminal.message()}'")


def press_all(terminal, digit, at_top, back):
    """Presses every key of a view except q, which leaves it; `back` returns to the run."""
    done = set()
    for _ in range(KEYS_MAX):
        terminal.go_to(digit)
        back(terminal)
        terminal.still()
        left = [one for one in terminal.footer() if one not in done and one[0] != "q"]
        if not left:
            break
        # Keys that leave the shown moment come last.
        key, word = min(left, key=lambda one: one[1] in ("live", "end"))
        done.add((key, word))
        press(terminal, key, word)
        if key == "!":
            terminal.type("!")
    else:
        raise Wrong(f"{terminal.name}, view {digit}: too many keys: {done}")
    terminal.still()
    leaves = [word for key, word in terminal.footer() if key == "q"]
    if leaves and not at_top:
        # A second q would leave devs, so another change of the screen is not enough.
        terminal.type("q")
        until(f"{terminal.name}, view {digit}: q {leaves[0]}",
              lambda: terminal.view() not in (None, digit))
    return len(done)


def leave(terminal):
    """A question ignores keys at first, so they are repeated."""
    def is_gone():
        asks = terminal.shows("^Quit devs")
        terminal.type("c" if asks else "q")
        time.sleep(0.1)
        return terminal.shows(r"code-\d+$")
    until(f"{terminal.name}: leaves", is_gone)


def go_through(terminal, begins, back=lambda terminal: None):
    until(f"{terminal.name}: begins", lambda: terminal.shows(begins))
    back(terminal)
    count = sum(press_all(terminal, digit, digit == "1", back) for digit, _ in VIEWS)
    leave(terminal)
    return count


def folder_of(root, name, tasks=""):
    folder = f"{root}/{name}"
    os.mkdir(folder)
    with open(f"{folder}/plan.json", "w", encoding="ascii") as file:
        file.write(PLAN % tasks)
    return folder


def run(folder, *arguments):
    subprocess.run([DEVS, *arguments], cwd=folder, capture_output=True, check=False)


def ended(root):
    folder = folder_of(root, "ended")
    run(folder, "run", "--plain", "plan.json")
    return go_through(Terminal(root, "ended", folder, [], False), "ENDED")


def read_only(root):
    """A log as a newer devs writes it: every act is refused."""
    folder = folder_of(root, "read_only")
    run(folder, "run", "--plain", "plan.json")
    log = sqlite3.connect(f"{folder}/.devs/devs.db")
    version = log.execute("PRAGMA user_version").fetchone()[0]
    log.execute(f"PRAGMA user_version = {version + 100}")
    log.commit()
    log.close()
    terminal = Terminal(root, "read_only", folder, [], False)
    until("read_only: says so", lambda: terminal.shows("read only"))
    named = {key for key, _ in terminal.footer()}
    if named & set("rRxpCW"):
        raise Wrong(f"read_only: the footer names acts: {named}")
    return go_through(terminal, "ENDED")


def running(root):
    folder = folder_of(root, "running", LIVE)
    terminal = Terminal(root, "running", folder, ["run", "plan.json"], True)
    return go_through(terminal, "backoff +wait")


def past(root):
    """The clock of the live run is on the screen, so digits are ignored."""
    folder = folder_of(root, "past", LIVE)
    terminal = Terminal(root, "past", folder, ["run", "plan.json"], True)
    until("past: begins", lambda: terminal.shows("backoff +wait"))

    def back(terminal):
        if terminal.view() != "6" and not terminal.shows(" PAST "):
            terminal.type_until(",", " PAST ")
    return go_through(terminal, "LIVE", back)


def interrupted(root):
    folder = folder_of(root, "interrupted", LIVE)
    with subprocess.Popen([DEVS, "run", "--plain", "plan.json"], cwd=folder,
                          stdout=subprocess.PIPE, text=True) as engine:
        next(line for line in engine.stdout if "[TRANSIENT RETRY]" in line)
        engine.send_signal(signal.SIGKILL)
    return go_through(Terminal(root, "interrupted", folder, [], False), "INTERRUPTED")


def recording(root):
    os.mkdir(f"{root}/recording")
    subprocess.run([SHOP_LOG, f"{root}/recording/devs.db"], check=True)
    arguments = ["--db", "devs.db", "debug", "--logs", "4"]
    return go_through(Terminal(root, "recording", f"{root}/recording", arguments, False), "REPLAY")


def main():
    if not shutil.which("tmux"):
        print("skipped: tmux is not installed")
        return 77
    os.environ.update(LC_ALL="C.UTF-8", TZ="UTC", TMUX="")
    os.environ.pop("DEVS_DB", None)
    # ncurses keeps its terminal data until exit
    options = [os.environ.get("ASAN_OPTIONS"), "detect_leaks=0"]
    os.environ["ASAN_OPTIONS"] = ":".join(filter(None, options))
    root = tempfile.mkdtemp(prefix="footers-")
    os.environ["XDG_CONFIG_HOME"] = f"{root}/config"
    states = [ended, read_only, running, past, interrupted, recording]
    bad = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(len(states)) as pool:
            for state, future in [(state, pool.submit(state, root)) for state in states]:
                try:
                    print(f"footers: {state.__name__}: {future.result()} keys, all of them work")
                except Wrong as wrong:
                    bad += 1
                    print(f"footers: {wrong}", file=sys.stderr)
                    print(subprocess.run(["tmux", "-S", f"{root}/tmux-{state.__name__}",
                                          "capture-pane", "-p"], capture_output=True, text=True,
                                         check=False).stdout, file=sys.stderr)
    finally:
        for state in states:
            run(f"{root}/{state.__name__}", "cancel", "--kill", "1")
            subprocess.run(["tmux", "-S", f"{root}/tmux-{state.__name__}",
                            "kill-server"], capture_output=True, check=False)
        shutil.rmtree(root, ignore_errors=True)
    return 1 if bad else 0


sys.exit(main())
