#!/usr/bin/env python3
"""Random keys, pastes, clicks and resizes for the cockpit, on a pseudo-terminal.

usage: monkey.py DEVS SHOP_LOG [--seconds N] [--seed S]

Alternates between three screens: a replay, the log of a run whose devs is gone, and a live run
whose tasks print hostile bytes. Then checks that:

  * devs ended because it was asked to, not because of a signal or a sanitizer
  * it stayed responsive: the effect of each key was drawn within a time limit
  * all bytes sent to the terminal came from devs itself, without control bytes of a child
  * the terminal was restored: its modes and the previous screen

MONKEY_SECONDS and MONKEY_SEED can replace the options; MONKEY_SECONDS=3600 is an hour. The same
seed presses the same keys, but their timing depends on the machine. Exits with 0 or 1.
"""
import argparse
import errno
import fcntl
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

ANSWER_S = 30  # until a key's effect is drawn, on a loaded machine
LEAVE_S = 60   # until devs and its children have ended
END_S = 60     # until a run that was left running has ended
BURST_MAX = 40

# Everything the cockpit may send: text, a few C0 bytes, and the sequences of its terminfo entry.
ALLOWED = re.compile(
    rb"[\x20-\x7e\x80-\xff\r\n\b\t\x07\x0e\x0f]"
    rb"|\x1b\[[?>]?[0-9;]*[@ABCDGHJKLMPSTXbcdfhilmnqrtu]"
    rb"|\x1b[()][0AB]|\x1b[78=>cM]|\x1b]104\x07"
    rb"|(?:\x1bPtmux;\x1b)?\x1b\]52;c;[A-Za-z0-9+/=]*(?:\x07|\x1b\\)(?:\x1b\\)?"
)
MARK = b"31337"  # in every hostile sequence, and in none of ours
ENTERED, LEFT = b"\x1b[?1049h", b"\x1b[?1049l"

HOSTILE = r"""import os, random, sys, time
chance = random.Random(int(sys.argv[1]))
bad = [b"\x1b[31337m", b"\x1b]0;31337\x07", b"\x1b]52;c;MzEzMzc=\x07", b"\x1bP31337\x1b\\",
       b"\x9b31337m", b"\xc2\x9b31337m", b"\x1b[31337;1H", b"\x1b[?1049l\x1b[31337h", b"\x0031337",
       b"\xff\xfe31337", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x80\xae31337",
       b"\r31337\b\b", b"x" * 70000, "\u4e2d\u6587 \U0001f600 e\u0301".encode() * 9, b"\x7f\x05"]
end = time.time() + float(sys.argv[2])
while time.time() < end:
    out = b"".join(chance.choice(bad) for _ in range(20)) + b"\n"
    os.write(1 + chance.randrange(2), out)
    time.sleep(0.05)
sys.exit(chance.randrange(2))
"""

# Once the previous screen is back, ^C and ^\ are signals again and may end a devs that is leaving.
ENDED_BY_KEYS = (-signal.SIGINT, -signal.SIGQUIT)
KEYS = [bytes([c]) for c in range(1, 127)] + [
    b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1bOA", b"\x1bOB", b"\x1b[H", b"\x1b[F",
    b"\x1b[5~", b"\x1b[6~", b"\x1b[3~", b"\x1b[Z", b"\x1bOP", b"\x1b", b"\x1b[200~", b"\x1b[201~",
    "é".encode(), "漢".encode(), b"\xff", b"\x1b[<0;10;5M", b"\x1b[<0;10;5m", b"\x1b[<64;5;5M",
    b"\x1b[<65;5;5M", b"\x1b[I", b"\x1b[O",
]
PASTED = range(1, 256)
# Mostly keys that move or open something, because keys that quit end a visit.
USUAL = [bytes([c]) for c in b"jkhlgG123456\t\n[],.zwFfsStH+-0$eEnNi/?: vU*pbyMZ&"]


class Wrong(Exception):
    pass


def check_bytes(screen):
    at = 0
    while at < len(screen):
        match = ALLOWED.match(screen, at)
        if not match:
            raise Wrong(f"not a sequence of ours: {screen[at:at + 40]!r}")
        if match.end() - at > 1 and MARK in match.group():
            raise Wrong(f"a child's bytes reached the terminal: {match.group()!r}")
        at = match.end()


class Visit:
    """A devs on its own terminal."""

    def __init__(self, command, folder, environment):
        self.master, slave = pty.openpty()
        self.seen = bytearray()
        self.turns = 0
        self.resize(24, 80)
        self.set_modes(slave)
        self.modes = termios.tcgetattr(slave)
        self.slave = slave
        self.child = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=folder,
                                      env=environment, start_new_session=True,
                                      preexec_fn=self.take_terminal)

    @staticmethod
    def set_modes(terminal):
        """Once the shell's screen is back, no key may stop us from reading: a signal would discard
        unread output, and ^S would hold it back."""
        modes = termios.tcgetattr(terminal)
        modes[0] &= ~termios.IXON
        modes[3] |= termios.NOFLSH
        termios.tcsetattr(terminal, termios.TCSANOW, modes)

    def take_terminal(self):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        """Reads what arrives within the time; returns False when nothing more can arrive."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return True
        try:
            self.seen += os.read(self.master, 1 << 16)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return False
        return True

    def is_over(self):
        return self.child.poll() is not None

    def press(self, keys):
        """Never waits for devs to read: keys that do not fit are dropped."""
        _, ready, _ = select.select([], [self.master], [], 0)
        if ready:
            os.write(self.master, keys)

    def wait_for_screen(self):
        """Waits for the screen. Before that, the terminal echoes keys, and ^C is a signal."""
        end = time.monotonic() + ANSWER_S
        while b"devs" not in self.seen.partition(ENTERED)[2]:
            if self.is_over() or time.monotonic() > end:
                raise Wrong(f"no screen: {bytes(self.seen)!r}")
            self.read(0.2)

    def wait_for_answer(self):
        """After a resize, everything is redrawn, whatever is open."""
        before = len(self.seen)
        end = time.monotonic() + ANSWER_S
        while len(self.seen) == before and not self.is_over():
            self.resize(24, 80 + self.turns % 2)
            self.turns += 1
            self.read(0.5)
            if time.monotonic() > end:
                raise Wrong(f"devs does not answer after {bytes(self.seen)[-300:]!r}")

    def leave(self, keys):
        """Leaves whatever is open, until devs has ended."""
        end = time.monotonic() + LEAVE_S
        self.resize(24, 80)
        while not self.is_over():
            for key in keys:
                self.press(key)
                self.read(0.25)
            if time.monotonic() > end:
                raise Wrong("devs does not leave")
        while self.read(0) and select.select([self.master], [], [], 0)[0]:
            if time.monotonic() > end + LEAVE_S:
                raise Wrong(f"devs has ended, and something writes: {bytes(self.seen)[-300:]!r}")

    def check(self):
        code = self.child.returncode
        text = bytes(self.seen)
        is_left = text.rfind(LEFT) > text.rfind(ENTERED)
        words = re.findall(rb"[^\r\n]*Assertion[^\r\n]*|[^\r\n]*rror:[^\r\n]*", text)[-3:]
        is_crash = code < 0 and not (is_left and code in ENDED_BY_KEYS)
        if is_crash or code in (99, 134, 139) or b"Sanitizer" in text:
            raise Wrong(f"devs ended with {code}: {words!r}")
        if not is_left:
            raise Wrong("the screen of before was not put back")
        for screen in text.split(ENTERED)[1:]:
            check_bytes(screen.split(LEFT)[0])
        if termios.tcgetattr(self.slave)[:4] != self.modes[:4]:
            raise Wrong("the terminal's modes were not put back")

    def close(self):
        if not self.is_over():
            self.child.kill()
            self.child.wait()
        os.close(self.master)
        os.close(self.slave)


def annoy(visit, chance, until):
    while time.monotonic() < until and not visit.is_over():
        for _ in range(chance.randrange(1, BURST_MAX)):
            what = chance.random()
            if what < 0.70:
                visit.press(chance.choice(USUAL))
            elif what < 0.93:
                visit.press(chance.choice(KEYS))
            elif what < 0.97:
                paste = bytes(chance.choice(PASTED) for _ in range(chance.randrange(400)))
                visit.press(b"\x1b[200~" + paste.replace(b"\x1b", b"") + b"\x1b[201~")
            else:
                visit.resize(chance.randrange(1, 60), chance.randrange(1, 200))
            if not visit.read(0):
                break
        visit.read(0.02)
        if chance.random() < 0.2:
            visit.wait_for_answer()
    if not visit.is_over():
        visit.wait_for_answer()


def prepare(options, root):
    env = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8", TZ="UTC", PAGER="true",
               XDG_CONFIG_HOME=f"{root}/config")
    # ncurses never frees its terminal data, which is not our leak
    env["ASAN_OPTIONS"] = ":".join(filter(None, [env.get("ASAN_OPTIONS"), "detect_leaks=0"]))
    env.pop("DEVS_DB", None)
    env.pop("TMUX", None)
    os.mkdir(f"{root}/shop")
    subprocess.run([options.shop_log, f"{root}/shop/devs.db"], check=True)
    with open(f"{root}/hostile.py", "w", encoding="ascii") as file:
        file.write(HOSTILE)
    tasks = ",".join(f'{{"id":"t{i}","steps":[{{"run":["python3","{root}/hostile.py","{i}","3"]}}]}}'
                     for i in range(6))
    with open(f"{root}/plan.json", "w", encoding="ascii") as file:
        file.write('{"version":1,"name":"hostile","jobs":3,"idempotent":true,"tasks":[' + tasks + "]}")
    return env


def visits(options, root):
    """Returns what to open, with the keys to leave it."""
    out = [b"\x1b", b"\x1b", b"q", b"q"]
    shop = [options.devs, "--db", f"{root}/shop/devs.db"]
    return [
        (shop + ["debug", "--logs", "4"], out),
        (shop, out),
        ([options.devs, "--db", f"{root}/live/devs.db", "run", f"{root}/plan.json"], out + [b"c"]),
    ]


def live_runs(options, root, environment):
    """Returns the runs in the live visit's log that continue without a terminal."""
    listed = subprocess.run([options.devs, "--db", f"{root}/live/devs.db", "runs", "--json"],
                            cwd=root, env=environment, capture_output=True, check=False)
    runs = [json.loads(line) for line in listed.stdout.splitlines()]
    return [run["run"] for run in runs if run["state"] == "live"]


def end_runs(options, root, environment):
    """After q and d the run continues alone: what it waits for may take hours, so cancel it."""
    end = time.monotonic() + END_S
    while runs := live_runs(options, root, environment):
        for run in runs:
            subprocess.run([options.devs, "--db", f"{root}/live/devs.db", "cancel", "--kill",
                            str(run)], cwd=root, env=environment, capture_output=True, check=False)
        if time.monotonic() > end:
            raise Wrong(f"run {runs[0]} was cancelled and goes on")
        time.sleep(0.1)


def play(options, root):
    chance = random.Random(options.seed)
    environment = prepare(options, root)
    end = time.monotonic() + options.seconds
    count = 0
    while count == 0 or time.monotonic() < end:
        for command, keys in visits(options, root):
            shutil.rmtree(f"{root}/live", ignore_errors=True)
            os.mkdir(f"{root}/live")
            visit = Visit(command, root, environment)
            try:
                visit.wait_for_screen()
                annoy(visit, chance, time.monotonic() + max(1.0, min(20.0, options.seconds / 3)))
                visit.leave(keys)
                visit.check()
            finally:
                visit.close()
                end_runs(options, root, environment)
            count += 1
    return count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("devs")
    parser.add_argument("shop_log")
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("MONKEY_SECONDS", 6)))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("MONKEY_SEED", 1)))
    options = parser.parse_args()
    options.devs = os.path.abspath(options.devs)
    options.shop_log = os.path.abspath(options.shop_log)
    root = tempfile.mkdtemp(prefix="monkey-")
    try:
        count = play(options, root)
        print(f"monkey: {count} visits with seed {options.seed}: all well")
        return 0
    except Wrong as wrong:
        print(f"monkey: seed {options.seed}: {wrong}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(root, ignore_errors=True)


sys.exit(main())
