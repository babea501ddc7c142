"""A program on a pseudo-terminal, for the benchmarks: its bytes, the screen that they draw, when
they arrived, and the cost of the program."""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

import spent

LIMIT_S = 60  # for one thing to happen
QUIET_S = 0.01
SAME_FRAME_S = 0.03  # bytes within this time are one frame

PIECE = re.compile(r"\x1b\[([?>=]?)([0-9;]*)([@-~])|\x1b[()][0-9A-B]"
                   r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[^\[\]()]"
                   r"|[\x00-\x1a\x1c-\x1f\x7f]|[^\x00-\x1f\x7f]+")


class Cells:
    """The text that an xterm would show. Handles the sequences of curses programs that place text,
    without colors; every character is one cell wide."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.top, self.bottom = 0, rows - 1  # of the scrolling region
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.rest = ""

    def feed(self, data):
        text = self.rest + self.decoder.decode(data)
        at = 0
        while at < len(text):
            found = PIECE.match(text, at)
            if not found:  # the end of a sequence has not arrived yet
                break
            at = found.end()
            if found[3]:
                if not found[1]:
                    self.control(found[3], [int(part or 0) for part in found[2].split(";")])
            else:
                self.put(found[0])
        self.rest = text[at:]

    def put(self, text):
        if text == "\r":
            self.column = 0
        elif text == "\n":
            if self.row == self.bottom:
                self.scroll(self.top, 1)
            self.row = min(self.row + (self.row != self.bottom), self.rows - 1)
        elif text == "\x1bM":
            if self.row == self.top:
                self.scroll(self.top, -1)
            self.row = max(0, self.row - (self.row != self.top))
        elif text == "\b":
            self.column = max(0, self.column - 1)
        elif text == "\t":
            self.column = min((self.column // 8 + 1) * 8, self.columns - 1)
        elif text[0] >= " ":
            for char in text:
                self.lines[self.row][self.column] = char
                self.column = min(self.column + 1, self.columns - 1)

    def scroll(self, top, up):
        """Moves the lines from there to the end of the scrolling region up, or down if up < 0."""
        part = self.lines[top:self.bottom + 1]
        blank = [[" "] * self.columns for _ in range(min(abs(up), len(part)))]
        part = part[up:] + blank if up > 0 else blank + part[:up]
        self.lines[top:self.bottom + 1] = part

    def control(self, final, numbers):
        first = max(1, numbers[0])
        if final in "Hf":
            second = max(1, numbers[1]) if len(numbers) > 1 else 1
            self.row, self.column = min(first, self.rows) - 1, min(second, self.columns) - 1
        elif final == "r":
            self.top, self.bottom = first - 1, (numbers[1] if len(numbers) > 1 else self.rows) - 1
            self.row = self.column = 0
        elif final in "ST":
            self.scroll(self.top, first if final == "S" else -first)
        elif final in "LM":
            self.scroll(self.row, first if final == "M" else -first)
        elif final == "d":
            self.row = min(first, self.rows) - 1
        elif final == "G":
            self.column = min(first, self.columns) - 1
        elif final in "ABCD":
            self.row += {"A": -first, "B": first}.get(final, 0)
            self.column += {"C": first, "D": -first}.get(final, 0)
            self.row = min(max(self.row, 0), self.rows - 1)
            self.column = min(max(self.column, 0), self.columns - 1)
        elif final == "Z":
            self.column = max(0, ((self.column + 7) // 8 - first) * 8)
        else:
            self.change(final, numbers[0], first)

    def change(self, final, number, count):
        line, at = self.lines[self.row], self.column
        if final == "K":
            begin, end = (at, self.columns) if number == 0 else (0, at + 1) if number == 1 else (
                0, self.columns)
            line[begin:end] = " " * (end - begin)
        elif final == "J":
            below = range(0 if number == 2 else self.row + 1, self.rows)
            for row in below:
                self.lines[row] = [" "] * self.columns
            if number == 0:
                line[at:] = " " * (self.columns - at)
        elif final == "X":
            line[at:at + count] = " " * len(line[at:at + count])
        elif final == "P":
            self.lines[self.row] = (line[:at] + line[at + count:] + [" "] * count)[:self.columns]
        elif final == "@":
            self.lines[self.row] = (line[:at] + [" "] * count + line[at:])[:self.columns]
        elif final == "b":
            self.put((line[at - 1] if 0 < at <= self.columns else " ") * count)

    def line(self, row):
        """A line of the screen; -1 is the last."""
        return "".join(self.lines[row])

    def text(self):
        return "\n".join(map("".join, self.lines))


def spawn(command, terminal, environment):
    """Starts the command with this controlling terminal. Does not fork Python, because that takes
    longer than many of the measured programs."""
    actions = [(os.POSIX_SPAWN_OPEN, 0, terminal, os.O_RDWR, 0), (os.POSIX_SPAWN_DUP2, 0, 1),
               (os.POSIX_SPAWN_DUP2, 0, 2)]
    return os.posix_spawnp(command[0], command, environment, file_actions=actions, setsid=True)


class Terminal:
    def __init__(self, command, folder=None, size=(80, 24), **environment):
        self.command, self.bytes_read = command, 0
        self.cells = Cells(*size)
        self.master, slave = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        environment = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8", **environment)
        environment.pop("DEVS_DB", None)
        before = os.getcwd()
        os.chdir(folder or before)
        self.start = time.monotonic()
        self.pid = spawn(command, os.ttyname(slave), environment)
        os.chdir(before)
        os.close(slave)
        self.came = self.start  # when the last bytes arrived
        self.seen = b""  # bytes since the start or the last key

    def read(self, seconds):
        ready, _, _ = select.select([self.master], [], [], seconds)
        try:
            data = os.read(self.master, 1 << 16) if ready else b""
        except OSError:  # it has ended
            time.sleep(min(seconds, QUIET_S))
            data = b""
        if data:
            self.came = time.monotonic()
            self.bytes_read += len(data)
            self.seen += data
            self.cells.feed(data)
        return data

    def drain(self, seconds):
        """The number of frames in that time."""
        frames, last, end = 0, 0.0, time.monotonic() + seconds
        while time.monotonic() < end:
            if self.read(max(0.0, end - time.monotonic())):
                frames += self.came - last > SAME_FRAME_S
                last = self.came
        return frames

    def rest(self, quiet_s=QUIET_S):
        """Reads the rest of the previous frame, which would be mistaken for the next one."""
        while self.read(quiet_s):
            pass
        self.seen = b""

    def settle(self, quiet_s=0.5):
        """Milliseconds from the start or key to the last byte before such a silence."""
        while self.read(quiet_s):
            pass
        return (self.came - self.start) * 1000

    def wait_until(self, is_there, what):
        """Milliseconds from the start or key until is_there() is true."""
        end = time.monotonic() + LIMIT_S
        while not is_there():
            if time.monotonic() > end:
                self.close()
                sys.exit(f"{self.command[0]}: no {what} in {LIMIT_S} s; it shows\n"
                         + self.cells.text())
            self.read(1)
        return (self.came - self.start) * 1000

    def wait_for(self, wanted):
        """Milliseconds from the start or key until the text has been written."""
        return self.wait_until(lambda: re.search(wanted, self.seen), repr(wanted))

    def type(self, key, quiet_s=QUIET_S):
        """Types a key and starts counting the time."""
        self.rest(quiet_s)
        self.start = time.monotonic()
        os.write(self.master, key)

    def press(self, key, wanted=b".", quiet_s=QUIET_S):
        """Milliseconds until any byte is seen after the key, or the wanted text."""
        self.type(key, quiet_s)
        return self.wait_for(wanted)

    def cpu_s(self):
        return spent.cpu_s(self.pid)

    def watch(self, seconds):
        """Frames and wake-ups per second, and percent of a core. The first frame does not count, so
        that the number is that of the intervals."""
        cpu_s, woken = self.cpu_s(), spent.wakeups(self.pid)
        frames = max(0, self.drain(seconds) - 1)
        return (frames / seconds, (spent.wakeups(self.pid) - woken) / seconds,
                100 * (self.cpu_s() - cpu_s) / seconds)

    def memory_mib(self):
        """Its peak memory."""
        return spent.memory_mib(self.pid)

    def close(self):
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
        os.close(self.master)
