#!/usr/bin/env python3
"""What devs-hand does with real processes.

usage: hand.py DEVS-HAND [--group GROUP | CASE...]       all cases by default

Speaks the protocol of include/hand/hand_protocol.h itself. A case waits for a state, never for a
time, and fails if the state does not come within LIMIT_S.
"""
import ctypes
import errno
import fcntl
import json
import os
import platform
import random
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from together import together

LIMIT_S = 60  # only ends what hangs: the machine may be busy
HEAD = 12
MASK = (1 << 64) - 1
BEGIN, STARTED, OUTPUT, END = b"BPOE"
ENDED = ("", "exit", "signal", "not started")
WHY = ("own", "term", "kill", "lease", "spool", "foreign", "memory")
STEP = ("", "process", "directory", "program")
STATE = ("", "running", "ended", "lost", "damaged")
EXISTS, BAD_REQUEST, BAD_DIR, NONE, LOST, DAMAGED, RUNNING, CHANNEL, NO_HOLDER = range(10, 19)

HAND = ""
ROOT = ""


class Wrong(Exception):
    pass


def check(true, *what):
    if not true:
        raise Wrong(" ".join(str(word) for word in what))


def same(got, wanted, what=""):
    check(got == wanted, what, "got", repr(got)[:300], "wanted", repr(wanted)[:300])


def until(condition, what):
    """Waits for a state, and returns it."""
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.005)
    raise Wrong(f"did not happen: {what}")


def checksum(head, payload):
    value = 0x9e3779b97f4a7c15
    data = head + payload + bytes(-len(payload) % 8)
    for word in struct.unpack(f"<{len(data) // 8}Q", data):
        value = ((value ^ word) * 0x9fb21c651e98df25) & MASK
        value ^= value >> 32
    return value & 0xffffffff


def frame(kind, payload=b"", stream=0):
    head = struct.pack("<sBHI", kind.encode(), stream, 0, len(payload))
    return head + struct.pack("<I", checksum(head, payload)) + payload


def split(data, checked=True):
    """Yields (type, stream, payload) of each whole frame."""
    at = 0
    while at + HEAD <= len(data):
        kind, stream, zero, length, value = struct.unpack_from("<BBHII", data, at)
        if at + HEAD + length > len(data):
            return
        payload = bytes(data[at + HEAD:at + HEAD + length])
        same(zero, 0, "reserved bytes")
        if checked:
            same(checksum(bytes(data[at:at + 8]), payload), value, "check")
        yield kind, stream, payload
        at += HEAD + length


class Spool:
    """What is in the bytes of a spool."""

    def __init__(self, data, checked=False):
        self.output = {1: b"", 2: b""}
        self.end = None
        parts = {1: [], 2: []}
        self.kinds = []
        for kind, stream, payload in split(data, checked):
            self.kinds.append(kind)
            if kind == OUTPUT:
                parts[stream].append(payload)
            elif kind == END:
                names = ("ended", "why", "step", "proven", "code", "left", "remaining", "spool_errno",
                         "kills", "at_ms", "ran_ms", "user_us", "system_us", "rss", "bytes", "dropped")
                self.end = dict(zip(names, struct.unpack("<4B5I7Q", payload)))
                self.end["ended"] = ENDED[self.end["ended"]]
                self.end["why"] = WHY[self.end["why"]]
                self.end["step"] = STEP[self.end["step"]]
        self.output = {stream: b"".join(pieces) for stream, pieces in parts.items()}


class Channel:
    """A devs-hand run or attach, and what it has sent. `launcher` is what starts it elsewhere."""

    def __init__(self, *words, beats=True, launcher=(), **options):
        self.process = subprocess.Popen([*launcher, HAND, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, **options)
        self.beats = beats
        self.data = bytearray()
        self.used = 0
        self.spool = bytearray()
        self.first = None  # offset of the spool's first byte here
        self.stamp = None
        self.hello = self.refused = self.finish = None
        self.ended = False

    def take(self):
        for kind, _, payload in split(memoryview(self.data)[self.used:], checked=False):
            self.used += HEAD + len(payload)
            check(self.finish is None and self.refused is None, "a frame after the last one")
            check((kind == ord("H")) == (self.hello is None), "the hello is the first frame, and only it")
            if kind == ord("H"):
                check(payload.startswith(b"devshand"), payload)
                protocol, self.stamp = struct.unpack_from("<IQ", payload, 8)
                self.hello = (protocol, payload[20:])
            elif kind == ord("X"):
                code, number = struct.unpack_from("<II", payload)
                self.refused = (code, number, payload[8:].decode())
            elif kind == ord("T"):
                self.stamp = struct.unpack("<Q", payload)[0]
                if self.beats:
                    self.send(frame("h", payload))
            elif kind == ord("S"):
                offset = struct.unpack_from("<Q", payload)[0]
                if self.first is None:
                    self.first = offset
                same(offset, self.first + len(self.spool), "offset")
                self.spool += payload[8:]
            else:
                same(chr(kind), "F")
                state, _, whole, size = struct.unpack("<IIQQ", payload)
                self.finish = (STATE[state], whole, size)
        del self.data[:self.used]
        self.used = 0

    def send(self, data):
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def read(self):
        """Reads once; waits for something."""
        ready, _, _ = select.select([self.process.stdout], [], [], LIMIT_S)
        check(ready, "nothing was sent")
        data = os.read(self.process.stdout.fileno(), 1 << 20)
        self.ended = not data
        self.data += data
        self.take()

    def until(self, condition, what):
        while not condition(self):
            check(not self.ended, what, "did not happen; refused:", self.refused, "finish:", self.finish)
            self.read()
        return self

    def until_output(self, text):
        return self.until(lambda one: text in Spool(one.spool).output[1], f"output {text}")

    def until_start(self):
        return self.until(lambda one: STARTED in Spool(one.spool).kinds, "a start")

    def wait(self):
        """Reads everything and returns the exit code."""
        while not self.ended:
            self.read()
        self.close()
        return self.process.returncode

    def close(self):
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
        self.process.wait(LIMIT_S)

    def kill(self):
        self.process.kill()
        self.close()

    def end(self, what=""):
        """Reads until the end of the attempt and returns it."""
        code = self.wait()
        check(self.finish and self.finish[0] == "ended", what, "finish:", self.finish, "refused:",
              self.refused)
        same(code, 0, "exit code of devs-hand")
        spool = Spool(self.spool)
        check(spool.end, what, "no end frame")
        return spool.end


def request(argv, env=(), cwd="/", stdin=b"", lease_ms=60000, grace_ms=5000, stamp=0, inherit=False):
    """Returns the bytes of a request."""
    encode = os.fsencode
    parts = [frame("R", struct.pack("<6IQ", 1, lease_ms, grace_ms, len(argv), len(env), inherit, len(stdin)))]
    parts += [frame("a", encode(word)) for word in argv]
    parts += [frame("e", encode(word)) for word in env]
    parts.append(frame("d", encode(cwd)))
    parts += [frame("i", stdin[at:at + (1 << 17)]) for at in range(0, len(stdin), 1 << 17)]
    parts.append(frame("G", struct.pack("<Q", stamp)))
    return b"".join(parts)


count = 0


def new_dir():
    global count
    count += 1
    return os.path.join(ROOT, f"attempt-{count}")


def run(argv, path=None, beats=True, popen=None, holder=None, **options):
    """Starts an attempt."""
    path = path or new_dir()
    where = ("--in", holder) if holder else ()
    channel = Channel("run", *where, path, beats=beats, **(popen or {}))
    channel.dir = path
    channel.until(lambda one: one.hello, "a hello")
    options.setdefault("env", ["PATH=/usr/bin:/bin"])
    channel.send(request(argv, stamp=channel.stamp, **options))
    return channel


def shell(script, *words, **options):
    return run(["sh", "-c", script, "sh", *words], **options)


def attach(path, start=0, holder=None, **options):
    where = ("--in", holder) if holder else ()
    return Channel("attach", *where, path, str(start), **options)


class Holder:
    """A devs-hand hold, as in the batch script of a job."""

    def __init__(self, idle_s=3600, **options):
        global count
        count += 1
        self.name = f"test-{os.getpid()}-{count}"
        self.process = subprocess.Popen([HAND, "hold", self.name, str(idle_s)], stderr=subprocess.PIPE, **options)

    def wait(self):
        self.process.wait(LIMIT_S)
        self.process.stderr.close()
        return self.process.returncode


def state(path):
    done = subprocess.run([HAND, "state", path], capture_output=True, check=False, timeout=LIMIT_S)
    return json.loads(done.stdout) if done.returncode == 0 else done.returncode


def tell(*words):
    return subprocess.run([HAND, *words], capture_output=True, check=False, timeout=LIMIT_S).returncode


def read_spool(path):
    with open(os.path.join(path, "spool"), "rb") as file:
        return file.read()


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def guard_of(keeper):
    with open(f"/proc/{keeper}/stat", encoding="latin-1") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def marked(mark):
    """Returns the processes whose environment has MARK=mark."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if f"MARK={mark}".encode() in file.read().split(b"\0") and is_alive(pid):
                    found.append(int(pid))
        except OSError:
            continue
    return found


def passed(end):
    return (end["ended"], end["code"], end["why"], end["proven"], end["left"]) == ("exit", 0, "own", 1, 0)


def filter_call(number, action):
    """Returns a preexec_fn: whatever calls this system call gets this seccomp action."""
    libc = ctypes.CDLL(None, use_errno=True)
    code = ((0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, action), (6, 0, 0, 0x7fff0000))
    program = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in code))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(code), ctypes.addressof(program)))

    def preexec():
        if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, head, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    preexec.keep = (program, head)
    return preexec


def memory_of(pid):
    """Yields all memory that a process can write to; nothing if we may not read it."""
    try:
        memory = open(f"/proc/{pid}/mem", "rb", 0)
    except PermissionError:
        return
    with memory, open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        for line in maps:
            span, mode = line.split()[:2]
            begin, end = (int(number, 16) for number in span.split("-"))
            if mode.startswith("rw") and end - begin < 1 << 26:  # not what the sanitizers map
                memory.seek(begin)
                try:
                    yield line, memory.read(end - begin)
                except OSError:
                    continue


# --- cases ---


def case_hello_and_end():
    one = shell("echo out; echo err >&2; exit 7")
    same(one.hello[0], 1, "protocol")
    end = one.end()
    same((end["ended"], end["code"], end["why"], end["proven"], end["left"]), ("exit", 7, "own", 1, 0))
    spool = Spool(one.spool, checked=True)
    same(spool.output, {1: b"out\n", 2: b"err\n"})
    same((spool.kinds[0], spool.kinds[1], spool.kinds[-1]), (BEGIN, STARTED, END))
    same(bytes(one.spool), read_spool(one.dir), "what was sent")
    same(end["bytes"], 8)
    check(end["rss"] > 100 and end["at_ms"] > 0, end)
    info = state(one.dir)
    same((info["state"], info["exit_code"], info["passed"], info["whole"]),
         ("ended", 7, False, len(one.spool)))
    check(one.hello[1].decode() in subprocess.run([HAND, "--version"], capture_output=True, text=True,
                                                  check=True).stdout, "build")


def case_files_are_private():
    one = run(["true"], popen={"umask": 0})
    check(passed(one.end()))
    same(os.stat(one.dir).st_mode & 0o777, 0o700)
    same(sorted(os.listdir(one.dir)), ["control", "spool"])
    for name in os.listdir(one.dir):
        same(os.stat(os.path.join(one.dir, name)).st_mode & 0o777, 0o600, name)


def case_once():
    one = shell("sleep 300", grace_ms=0)
    one.until_start()
    other = run(["true"], path=one.dir)
    same(other.wait(), EXISTS)
    same(other.refused[0], EXISTS)
    same(state(one.dir)["state"], "running")
    same(tell("order", one.dir, "kill"), 0)
    same((one.end()["ended"], Spool(one.spool).end["code"]), ("signal", 9))
    again = run(["true"], path=one.dir)
    same(again.wait(), EXISTS, "after the end")
    # Of many at once, one starts.
    path = new_dir()
    mark = os.path.join(ROOT, "starts")
    many = [run(["sh", "-c", f"echo x >>{mark}"], path=path) for _ in range(8)]
    codes = sorted(one.wait() for one in many)
    same(codes, [0] + [EXISTS] * 7)
    with open(mark, encoding="ascii") as file:
        same(file.read(), "x\n")


def case_signal_end():
    end = shell("kill -SEGV $$").end()
    same((end["ended"], end["code"], end["why"]), ("signal", signal.SIGSEGV, "own"))


def case_start_failures():
    refused = os.path.join(ROOT, "refused")
    with open(refused, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\n")
    for argv, cwd, step, number in (
            (["/nonexistent"], "/", "program", errno.ENOENT),
            (["nonexistent-program"], "/", "program", errno.ENOENT),
            ([""], "/", "program", errno.ENOENT),
            ([refused], "/", "program", errno.EACCES),
            (["refused"], "/", "program", errno.EACCES),
            (["/"], "/", "program", errno.EACCES),
            (["true"], "/nonexistent", "directory", errno.ENOENT),
            (["true"], "/dev/null", "directory", errno.ENOTDIR)):
        one = run(argv, cwd=cwd, env=["PATH=/nonexistent:" + ROOT])
        end = one.end()
        same((end["ended"], end["step"], end["code"], end["left"], end["proven"]),
             ("not started", step, number, 0, 1), argv)
        same(Spool(one.spool).kinds, [BEGIN, END])
        info = state(one.dir)
        same((info["not_started"], info["errno"], info["passed"]), (step, number, False))


def case_everything_arrives():
    """Arguments, environment, stdin and output of all byte values."""
    every = bytes(range(1, 256))
    show = ("import sys,os;o=sys.stdout.buffer;"
            "o.write(repr([os.fsencode(a) for a in sys.argv[1:]]).encode());"
            "o.write(repr(sorted(os.environb.items())).encode());o.write(os.getcwdb());"
            "o.write(sys.stdin.buffer.read())")
    cwd = os.path.join(ROOT, "a dir\n")
    os.makedirs(cwd, exist_ok=True)
    words = [b"", every, b"x" * 100000, b"a b\n'\"$(id)"]
    env = [b"A=" + every, b"PATH=/usr/bin:/bin", b"E="]
    data = bytes(range(256)) * 3000
    one = run(["/usr/bin/python3", "-I", "-c", show, *map(os.fsdecode, words)],
              env=[os.fsdecode(entry) for entry in env], cwd=cwd, stdin=data)
    check(passed(one.end()), Spool(one.spool).output[2])
    wanted = repr(words).encode()
    got = Spool(one.spool).output[1]
    check(got.startswith(wanted), "arguments")
    got = got[len(wanted):]
    entries = sorted((name, value) for name, _, value in (entry.partition(b"=") for entry in env))
    # Python adds LC_CTYPE to its own environment in the C locale.
    for extra in ([], [(b"LC_CTYPE", b"C.UTF-8")]):
        wanted = repr(sorted(entries + extra)).encode()
        if got.startswith(wanted):
            got = got[len(wanted):]
            break
    check(got.startswith(os.fsencode(cwd)), "environment or directory")
    check(got[len(os.fsencode(cwd)):] == data, "stdin")


def case_inherited_environment():
    """The environment of devs-hand, if the request asks for it; what was sent is added or replaces it."""
    own = {"PATH": "/usr/bin:/bin", "HOME": "/far", "KEPT": "here", "PWD": "/wrong", "OLDPWD": "/old"}
    sent = ["HOME=/sent", "NEW=a=b", "KEP=x"]

    def environment(**options):
        one = run(["/usr/bin/env", "-0"], popen={"env": own}, **options)
        check(passed(one.end()))
        return sorted(filter(None, Spool(one.spool).output[1].decode().split("\0")))
    same(environment(env=sent), sorted(sent))
    wanted = ["PATH=/usr/bin:/bin", "KEPT=here", *sent]
    same(environment(env=sent, inherit=True, cwd="/usr"), sorted(["PWD=/usr", *wanted]))
    same(environment(env=["PWD=/mine", *sent], inherit=True), sorted(["PWD=/mine", *wanted]))
    one = run(["true"], popen={"env": own}, env=[], inherit=True)
    check(passed(one.end()), "the program is searched for in the inherited PATH")


def case_much_output():
    """20 MB through stdin and back, in flat memory."""
    data = random.Random(1).randbytes(20 * 1000 * 1000)
    one = run(["sh", "-c", "cat; head -c 1000 /dev/zero >&2"], stdin=data)
    check(passed(one.end()))
    spool = Spool(one.spool)
    check(spool.output[1] == data and spool.output[2] == bytes(1000), "output")
    same(spool.end["bytes"], len(data) + 1000)


def case_secrets():
    """The environment, arguments and stdin are in no file, no command line and not in the memory of a
    keeper."""
    secret = "s3cret-" + "".join(random.Random(7).choices("abcdef", k=20))
    one = run(["sh", "-c", "cat >/dev/null; exec sleep 300", secret], env=["PATH=/usr/bin:/bin", f"A={secret}"],
              stdin=secret.encode() * 1000, grace_ms=0)
    one.until_start()
    info = state(one.dir)

    def is_sleep():
        with open(f"/proc/{info['command']}/comm", encoding="ascii") as file:
            return file.read() == "sleep\n"
    until(is_sleep, "the program")
    check(secret.encode() not in read_spool(one.dir), "in the spool")
    for pid in (info["keeper"], guard_of(info["keeper"]), one.process.pid):
        for name in ("cmdline", "environ"):
            with open(f"/proc/{pid}/{name}", "rb") as file:
                check(secret.encode() not in file.read(), name)
        for place, data in memory_of(pid):
            check(secret.encode() not in data, "in the memory of", pid, place)
    same(tell("order", one.dir, "kill"), 0)
    one.end()


def case_attach_from_each_byte():
    one = shell("echo one; echo two >&2")
    one.end()
    spool = read_spool(one.dir)
    for start in range(len(spool) + 2):
        other = attach(one.dir, start)
        same(other.wait(), 0)
        same(bytes(other.spool), spool[start:], start)
        same(other.finish, ("ended", len(spool), len(spool)))
    for bad in ("", "-1", "x", "1x", "99999999999999999999999"):
        same(tell("attach", one.dir, bad), 2, bad)


def case_two_attaches():
    go = os.path.join(ROOT, "go")
    one = shell('echo first; until [ -e "$1" ]; do sleep 0.01; done; echo last', go)
    one.until_output(b"first\n")
    two = attach(one.dir).until_output(b"first\n")
    one.kill()
    three = attach(one.dir, 5)
    three.until(lambda some: some.spool, "bytes")
    with open(go, "w", encoding="ascii"):
        pass
    check(passed(two.end()))
    three.wait()
    same(bytes(three.spool), bytes(two.spool)[5:])


def case_detach():
    """stdin ends: sends what is there, and the attempt goes on."""
    one = shell("echo here; sleep 300", grace_ms=0)
    one.until_output(b"here\n")
    one.process.stdin.close()
    same(one.wait(), 0)
    same(one.finish[0], "running")
    other = attach(one.dir, one.finish[1])
    other.send(frame("t"))
    end = other.end()
    same((end["ended"], end["code"], end["why"]), ("signal", signal.SIGTERM, "term"))


def case_starter_dies():
    """Whoever started it is killed, with its group and its terminal: the attempt goes on."""
    go = os.path.join(ROOT, "go-on")
    one = shell('echo here; until [ -e "$1" ]; do sleep 0.01; done; echo done', go,
                popen={"start_new_session": True})
    one.until_output(b"here\n")
    info = state(one.dir)
    for name in ("keeper", "command"):
        check(os.getsid(info[name]) != one.process.pid, name, "is in the session of its starter")
    os.killpg(one.process.pid, signal.SIGHUP)
    one.kill()
    same(state(one.dir)["state"], "running")
    os.kill(info["keeper"], signal.SIGHUP)
    with open(go, "w", encoding="ascii"):
        pass
    check(passed(attach(one.dir).end()))


def case_descriptors():
    """Neither the keeper nor the command has a descriptor of the starter."""
    inner, outer = os.pipe()
    one = run(["sh", "-c", "ls -l /proc/self/fd | grep -c pipe; sleep 300"], grace_ms=0,
              popen={"pass_fds": (outer,)})
    os.close(outer)
    one.until(lambda some: Spool(some.spool).output[1].endswith(b"\n"), "output")
    same(Spool(one.spool).output[1], b"2\n", "stderr and the pipe to grep")
    one.kill()
    same(os.read(inner, 1), b"", "end of file: nobody holds the other end")
    keeper = state(one.dir)["keeper"]
    names = [os.readlink(f"/proc/{keeper}/fd/{fd}") for fd in os.listdir(f"/proc/{keeper}/fd")]
    same(names.count("/dev/null"), 3)
    same(sum(name.startswith(one.dir) for name in names), 2, names)
    check(len(names) <= 10, names)
    same(tell("order", one.dir, "kill"), 0)
    attach(one.dir).end()


def case_slow_reader():
    """Nobody reads: the command still finishes, and orders still arrive."""
    one = shell("head -c 5000000 /dev/zero; echo all >&2; trap '' TERM; while :; do sleep 300; done",
                grace_ms=100)
    until(lambda: isinstance(state(one.dir), dict) and state(one.dir)["output_bytes"] == 5000004, "all output")
    one.send(frame("t"))
    until(lambda: state(one.dir)["state"] == "ended", "the end")
    end = one.end()
    same((end["why"], end["code"]), ("term", 9))
    same(len(Spool(one.spool).output[1]), 5000000)


def case_reader_dies():
    one = shell("echo here; sleep 300", grace_ms=0)
    one.until_output(b"here\n")
    one.process.stdout.close()
    same(one.process.wait(LIMIT_S), CHANNEL, "an attach without a reader ends, even without output")
    same(state(one.dir)["state"], "running")
    same(tell("order", one.dir, "kill"), 0)
    same(attach(one.dir).end()["why"], "kill")


def case_deaf_to_term():
    one = shell("trap '' TERM; echo deaf; while :; do sleep 300; done", grace_ms=100)
    one.until_output(b"deaf\n")
    one.send(frame("t"))
    end = one.end()
    same((end["ended"], end["code"], end["why"], end["proven"]), ("signal", 9, "term", 1))
    check(end["kills"] >= 1, end)


def case_term_is_enough():
    one = shell("trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.01; done",
                grace_ms=60000)
    one.until_output(b"ready\n")
    same(tell("order", one.dir, "term"), 0)
    end = one.end()
    same((end["ended"], end["code"], end["why"], end["kills"]), ("exit", 3, "term", 0))
    same(Spool(one.spool).output[1], b"ready\nbye\n")
    same(tell("order", one.dir, "term"), 0, "after the end")


def case_stopped_command():
    """A stopped process gets CONT so that it notices TERM."""
    one = shell("trap 'exit 4' TERM; echo ready; kill -STOP $$; while :; do sleep 0.01; done",
                grace_ms=60000)
    one.until_output(b"ready\n")
    command = state(one.dir)["command"]

    def is_stopped():
        with open(f"/proc/{command}/stat", encoding="latin-1") as file:
            return file.read().rpartition(")")[2].split()[0] == "T"
    until(is_stopped, "a stopped command")
    one.send(frame("t"))
    same(one.end()["code"], 4)


def case_leftovers():
    """setsid, double forks and 200 forks: nothing is left, and the end says so."""
    for name, script, least in (
            ("setsid", "setsid sleep 300 & while ! pgrep -s 0 x; do break; done", 1),
            ("double", "(setsid sh -c 'sleep 300 & sleep 300 &' &)", 1),
            ("many", "i=0; while [ $i -lt 200 ]; do setsid sleep 300 & i=$((i+1)); done", 100)):
        mark = f"{os.getpid()}-{name}"
        one = shell(script, env=["PATH=/usr/bin:/bin", f"MARK={mark}"], grace_ms=60000)
        end = one.end(name)
        same((end["ended"], end["code"], end["why"], end["proven"]), ("exit", 0, "own", 1), name)
        check(end["left"] >= least, name, end)
        same(marked(mark), [], name)
        check(not state(one.dir)["passed"], name)


def case_no_pidfd():
    """Where a filter forbids pidfd_open(), a process whose parent is not the keeper still gets TERM."""
    script = ("import os, signal\n"
              "signal.signal(signal.SIGTERM, lambda *_: None)\n"
              "child = os.fork()\n"
              "if child == 0:\n"
              "    signal.signal(signal.SIGTERM, lambda *_: os._exit(os.write(1, b'bye\\n') and 0))\n"
              "    os.write(1, b'ready\\n')\n"
              "    while True: signal.pause()\n"
              "os.waitpid(child, 0)\n")
    denied = filter_call(434, 0x00050000 | errno.EPERM)
    one = run([sys.executable, "-c", script], grace_ms=5000, popen={"preexec_fn": denied})
    one.until_output(b"ready\n")
    one.send(frame("t"))
    end = one.end()
    same((end["code"], end["kills"], end["proven"]), (0, 0, 1))
    same(Spool(one.spool).output[1], b"ready\nbye\n")


def case_deaf_leftovers():
    mark = f"{os.getpid()}-deaf"
    ready = os.path.join(ROOT, "deaf-ready")
    one = shell('setsid sh -c "trap \'\' TERM; : >\\"$1\\"; while :; do sleep 300; done" sh "$1" &'
                ' until [ -e "$1" ]; do sleep 0.01; done', ready,
                env=["PATH=/usr/bin:/bin", f"MARK={mark}"], grace_ms=50)
    end = one.end()
    check(end["left"] >= 1 and end["kills"] >= 1 and end["proven"] == 1, end)
    same(marked(mark), [])


def case_ended_main_thread():
    """A process whose main thread has ended looks like a zombie, and is killed all the same."""
    script = ("import ctypes, threading, time\n"
              "threading.Thread(target=lambda: (print('ready', flush=True), time.sleep(300))).start()\n"
              "ctypes.CDLL(None).pthread_exit(None)\n")
    one = run([sys.executable, "-c", script], env=["PATH=/usr/bin:/bin"], grace_ms=100)
    one.until_output(b"ready\n")
    command = state(one.dir)["command"]

    def has_no_main_thread():
        with open(f"/proc/{command}/stat", encoding="latin-1") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    until(has_no_main_thread, "a command without its main thread")
    one.send(frame("k"))
    end = one.end()
    same((end["ended"], end["code"], end["proven"], end["remaining"]), ("signal", 9, 1, 0))
    check(end["kills"] >= 1, end)


def case_fork_bomb():
    """Processes that fork while they are killed."""
    mark = f"{os.getpid()}-bomb"
    script = ("trap '' TERM; f() { n=0; while [ $n -lt 30 ]; do setsid sh -c 'trap \"\" TERM; sleep 300 & wait' & "
              "n=$((n+1)); done; wait; }; echo go; f")
    one = shell(script, env=["PATH=/usr/bin:/bin", f"MARK={mark}"], grace_ms=0)
    one.until_output(b"go\n")
    one.send(frame("k"))
    end = one.end()
    same((end["why"], end["proven"], end["remaining"]), ("kill", 1, 0))
    same(marked(mark), [])


def case_lease():
    one = shell("trap '' TERM; while :; do sleep 300; done", lease_ms=300, grace_ms=50, beats=False)
    end = one.end()
    same((end["ended"], end["code"], end["why"], end["proven"]), ("signal", 9, "lease", 1))
    check(300 <= end["ran_ms"] + 50, end)


def case_lease_is_renewed():
    """An attach keeps it alive, and no longer than that: old stamps do not count."""
    one = shell("while :; do sleep 300; done", lease_ms=400, grace_ms=0)
    first = one.stamp
    one.until(lambda some: some.stamp >= first + 1200, "three leases")
    same(state(one.dir)["state"], "running")
    one.beats = False
    old = one.stamp
    future = struct.pack("<Q", MASK)
    while not one.ended and one.finish is None:
        one.send(frame("h", struct.pack("<Q", old)))
        one.read()
    end = one.end()
    same(end["why"], "lease")
    # A stamp from the future counts as now.
    two = shell("while :; do sleep 300; done", lease_ms=300, grace_ms=0, beats=False)
    two.until_start()
    two.send(frame("h", future))
    same(two.end()["why"], "lease")


def case_late_request():
    """A request that was under way longer than its lease starts nothing."""
    one = Channel("run", new_dir(), beats=False)
    one.until(lambda some: some.hello, "a hello")
    stamp = one.stamp
    one.until(lambda some: some.stamp > stamp + 200, "a tick")
    one.send(request(["true"], stamp=stamp, lease_ms=200))
    same(one.wait(), BAD_REQUEST)
    check("lease" in one.refused[2], one.refused)
    check(not os.path.exists(one.process.args[2]), "a directory was created")


def case_foreign_term():
    """A cluster that ends everything: an exit code 0 does not pass."""
    one = shell("trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done", grace_ms=60000)
    one.until_output(b"ready\n")
    os.kill(state(one.dir)["keeper"], signal.SIGTERM)
    end = one.end()
    same((end["ended"], end["code"], end["why"]), ("exit", 0, "foreign"))
    check(not state(one.dir)["passed"])


def memory_group(limit):
    """A control group of this machine with a memory limit; None if none can be made here."""
    name = f"devs-hand-{os.getpid()}"
    with open("/proc/self/cgroup", encoding="ascii") as file:
        groups = dict(line.strip().split(":", 2)[1:] for line in file)
    if "memory" in groups:
        path, key = f"/sys/fs/cgroup/memory{groups['memory']}/{name}", "memory.limit_in_bytes"
    else:
        path, key = f"/sys/fs/cgroup{groups.get('', '')}/{name}", "memory.max"
    try:
        os.mkdir(path)
        with open(f"{path}/{key}", "w", encoding="ascii") as file:
            file.write(str(limit))
        return path
    except OSError:
        if os.path.isdir(path):
            os.rmdir(path)
        return None


def case_no_memory():
    """A command that the kernel kills because its control group has no memory left, or its shell."""
    group = memory_group(48 << 20)
    if not group:
        print("  needs a control group with a memory limit")
        return
    launcher = ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
    eat = "x=xxxxxxxx; while :; do x=$x$x; done"
    try:
        for script, ended, code in ((eat, "signal", 9), (f"sh -c '{eat}'; exit $?", "exit", 137),
                                    (f"sh -c '{eat}'; exit 3", "exit", 3), ("kill -9 $$", "signal", 9)):
            path = new_dir()
            one = Channel("run", path, launcher=launcher)
            one.until(lambda some: some.hello, "a hello")
            one.send(request(["sh", "-c", script], inherit=True, stamp=one.stamp))
            end = one.end()
            wanted = "memory" if code != 3 and "while" in script else "own"
            same((end["ended"], end["code"], end["why"]), (ended, code, wanted), script)
    finally:
        until(lambda: not open(f"{group}/cgroup.procs", encoding="ascii").read(), "an empty group")
        os.rmdir(group)


def case_killed_attach():
    one = shell("echo one; sleep 0.01; echo two; sleep 300", grace_ms=0)
    one.until_output(b"one\n")
    one.kill()
    other = attach(one.dir, len(one.spool))
    other.until(lambda some: b"two\n" in Spool(bytes(one.spool) + bytes(some.spool)).output[1], "the rest")
    other.send(frame("k"))
    other.end()
    same(Spool(bytes(one.spool) + bytes(other.spool)).output[1], b"one\ntwo\n")


def case_killed_keeper():
    """An attempt without a keeper is lost, and nothing of it is left when that is reported."""
    mark = f"{os.getpid()}-keeper"
    one = shell("trap '' TERM; setsid sleep 300 & (setsid sh -c 'sleep 300 & sleep 300' &); echo here; sleep 300",
                env=["PATH=/usr/bin:/bin", f"MARK={mark}"])
    one.until_output(b"here\n")
    info = state(one.dir)
    os.kill(info["keeper"], signal.SIGKILL)
    same(one.wait(), LOST)
    same(marked(mark), [])
    same(one.finish, ("lost", len(one.spool), len(one.spool)))
    check(Spool(one.spool).end is None, "an end without a keeper")
    lost = state(one.dir)
    check(lost["state"] == "lost" and "exit_code" not in lost and "passed" not in lost, lost)
    same(attach(one.dir).wait(), LOST)
    same(tell("order", one.dir, "term"), LOST)
    same(tell("clean", one.dir), LOST)
    same(tell("clean", "--lost", one.dir), 0)


def case_killed_guard():
    """The keeper does not need its guard; without both, the command is killed."""
    one = shell("echo here; sleep 300", grace_ms=0)
    one.until_output(b"here\n")
    info = state(one.dir)
    guard = guard_of(info["keeper"])
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        os.kill(guard, number)
    check(is_alive(guard), "signals do not affect the guard")
    os.kill(guard, signal.SIGKILL)
    until(lambda: not is_alive(guard), "the end of the guard")
    same(state(one.dir)["state"], "running")
    os.kill(info["keeper"], signal.SIGKILL)
    same(one.wait(), LOST)
    until(lambda: not is_alive(info["command"]), "the command dies with its keeper")
    two = shell("sleep 300", grace_ms=0)
    two.until_start()
    os.kill(guard_of(state(two.dir)["keeper"]), signal.SIGKILL)
    two.send(frame("k"))
    same(two.end()["why"], "kill")


def case_killed_command():
    one = shell("echo here; sleep 300")
    one.until_output(b"here\n")
    os.kill(state(one.dir)["command"], signal.SIGKILL)
    end = one.end()
    same((end["ended"], end["code"], end["why"], end["proven"]), ("signal", 9, "own", 1))


def case_clean():
    one = shell("echo here; sleep 300", grace_ms=0)
    one.until_output(b"here\n")
    same(tell("clean", one.dir), RUNNING)
    same(tell("clean", "--lost", one.dir), RUNNING)
    same(tell("order", one.dir, "kill"), 0)
    one.end()
    other = os.path.join(one.dir, "note")
    with open(other, "w", encoding="ascii"):
        pass
    same(tell("clean", one.dir), BAD_DIR, "a file of somebody else")
    same(state(one.dir)["state"], "ended")
    os.unlink(other)
    same(tell("clean", one.dir), 0)
    check(not os.path.exists(one.dir))
    for words in (("clean", one.dir), ("state", one.dir), ("attach", one.dir, "0"),
                  ("order", one.dir, "term")):
        same(tell(*words), NONE, words)


def case_interrupted_start():
    """A directory without a spool: nothing was started, and nothing can be."""
    path = new_dir()
    os.mkdir(path, 0o700)
    unfinished = os.path.join(path, "spool.new")
    with open(unfinished, "wb"):
        pass
    same(state(path), NONE)
    same(run(["true"], path=path).wait(), EXISTS)
    same(tell("clean", path), NONE)
    lock = os.open(unfinished, os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    same(tell("clean", "--lost", path), RUNNING)
    os.close(lock)
    same(tell("clean", "--lost", path), 0)
    check(not os.path.exists(path))
    if platform.machine() != "x86_64":
        return
    for number, name in ((73, "flock"), (259, "mknodat"), (285, "fallocate"), (264, "renameat")):
        one = run(["true"], path=path, popen={"preexec_fn": filter_call(number, 0x80000000)})
        one.wait()
        same((one.process.returncode, one.refused), (-signal.SIGSYS, None), name)
        same((state(path), attach(path).wait(), tell("clean", path)), (NONE, NONE, NONE), name)
        same(tell("clean", "--lost", path), 0, name)
        check(not os.path.exists(path), name)


def case_clean_during_start():
    """Cleaning while attempts start: what runs is never removed."""
    go = os.path.join(ROOT, "go-clean")
    started = 0
    for _ in range(15):
        path = new_dir()
        with subprocess.Popen(["sh", "-c", 'while :; do "$0" clean --lost "$1" 2>/dev/null; done', HAND, path]) as cleaner:
            one = run(["sh", "-c", 'until [ -e "$1" ]; do sleep 0.01; done', "sh", go], path=path, grace_ms=0)
            one.until(lambda some: some.refused or STARTED in Spool(some.spool).kinds, "a start or a refusal")
            cleaner.kill()
        if one.refused:
            same(one.refused[0], BAD_DIR, one.refused)
            continue
        started += 1
        same(state(path)["state"], "running")
        same(tell("order", path, "kill"), 0)
        one.end()
    print(f"  {started} of 15 started")


def case_killed_between():
    """The process between devs-hand and the guard is killed after its fork: the attempt runs."""
    number = {"x86_64": 231, "aarch64": 94}.get(platform.machine())
    if number is None:
        print("  does not know this machine's exit_group()")
        return
    one = shell("echo here; kill -9 $$", popen={"preexec_fn": filter_call(number, 0x80000000)})
    one.wait()
    check(not one.refused, one.refused)
    end = Spool(one.spool).end
    same((end["ended"], end["code"], Spool(one.spool).output[1]), ("signal", 9, b"here\n"))


def case_hostile_dir():
    one = shell("echo here")
    one.end()
    link = os.path.join(ROOT, "link")
    os.symlink(one.dir, link)
    for path in (link, link + "/", link + "//"):
        same(run(["true"], path=path).wait(), EXISTS, path)
        for words in (("state", path), ("attach", path, "0"), ("order", path, "term"), ("clean", path)):
            same(tell(*words), BAD_DIR, words)
    dangling = os.path.join(ROOT, "dangling")
    os.symlink(os.path.join(ROOT, "nowhere"), dangling)
    same(run(["true"], path=dangling).wait(), EXISTS)
    check(not os.path.exists(os.path.join(ROOT, "nowhere")))
    same(run(["true"], path=os.path.join(one.dir, "spool", "x")).wait(), BAD_DIR)
    os.chmod(ROOT, 0o755)
    one_below = run(["true"], path=os.path.join(ROOT, "missing", "too", "x//"))
    check(passed(one_below.end()), "parents are created")
    same(os.stat(os.path.join(ROOT, "missing", "too")).st_mode & 0o777, 0o700)
    os.chmod(ROOT, 0o700)
    at_home = run(["true"], path="~/home/x", popen={"env": {"HOME": ROOT}})
    check(passed(at_home.end()) and os.path.exists(os.path.join(ROOT, "home", "x", "spool")), "~/")
    os.chmod(one.dir, 0o755)
    same(tell("state", one.dir), BAD_DIR, "a directory that others can read")
    os.chmod(one.dir, 0o700)
    spool = os.path.join(one.dir, "spool")
    os.rename(spool, spool + ".x")
    for make in (lambda: os.symlink(spool + ".x", spool), lambda: os.mkfifo(spool),
                 lambda: os.mkdir(spool), lambda: os.link(spool + ".x", spool)):
        make()
        check(tell("state", one.dir) in (BAD_DIR, NONE))
        check(tell("attach", one.dir, "0") in (BAD_DIR, NONE))
        os.rmdir(spool) if os.path.isdir(spool) else os.unlink(spool)
    same(tell("state", one.dir), NONE, "no spool")


def case_damaged_spool():
    """Cut at each byte, and with a wrong byte: sends what is whole, and says how much that is."""
    one = shell("echo one; echo two >&2")
    one.end()
    keeper = state(one.dir)["keeper"]
    until(lambda: not is_alive(keeper), "the exit of the keeper, which still syncs the end")
    spool = read_spool(one.dir)
    path = os.path.join(one.dir, "spool")
    ends = [0]
    for _, _, payload in split(spool):
        ends.append(ends[-1] + HEAD + len(payload))
    chance = random.Random(4)
    for cut in sorted(chance.sample(range(len(spool)), 40)) + ends[:-1]:
        with open(path, "wb") as file:
            file.write(spool[:cut])
        whole = max(end for end in ends if end <= cut)
        other = attach(one.dir)
        same(other.wait(), LOST, cut)
        same((other.finish, bytes(other.spool)), (("lost", whole, cut), spool[:whole]), cut)
        info = state(one.dir)
        same((info["state"], info["whole"], info["size"]), ("lost", whole, cut))
        check("passed" not in info)
    for at in sorted(chance.sample(range(len(spool)), 40)):
        wrong = bytearray(spool)
        wrong[at] ^= 1 << chance.randrange(8)
        with open(path, "wb") as file:
            file.write(wrong)
        whole = max(end for end in ends if end <= at)
        other = attach(one.dir)
        check(other.wait() in (DAMAGED, LOST), at)  # a longer length looks like a cut
        same((other.finish[0] in ("damaged", "lost"), other.finish[1]), (True, whole), at)
        same(bytes(other.spool), spool[:whole], at)
    for tail in (b"\0" * 100, spool[-40:], b"E"):
        with open(path, "wb") as file:
            file.write(spool + tail)
        same(attach(one.dir).wait(), DAMAGED, "bytes after the end")
    other = spool[:ends[2]] + spool[ends[3]:]  # an output frame is missing
    with open(path, "wb") as file:
        file.write(other)
    same(attach(one.dir).wait(), DAMAGED, "a missing frame")


def case_file_size_limit():
    limit = 100 * 1000

    def lower():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    one = shell("head -c 1000000 /dev/zero; sleep 300", grace_ms=100, popen={"preexec_fn": lower})
    end = one.end()
    same((end["why"], end["spool_errno"], end["proven"]), ("spool", errno.EFBIG, 1))
    check(end["dropped"] > 0 and len(read_spool(one.dir)) <= limit, end)
    same(end["bytes"], len(Spool(one.spool).output[1]))
    check(not state(one.dir)["passed"])


def case_full_disk():
    """A disk of 512 KiB: the end still fits. Needs root for the file system."""
    disk = os.path.join(ROOT, "disk")
    os.makedirs(disk, exist_ok=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "none", disk], check=False,
                             capture_output=True)
    if mounted.returncode != 0:
        print("  cannot mount a file system here")
        return
    try:
        one = shell("head -c 2000000 /dev/zero; sleep 300", path=os.path.join(disk, "a"), grace_ms=100)
        end = one.end()
        same((end["why"], end["spool_errno"], end["proven"]), ("spool", errno.ENOSPC, 1))
        check(end["dropped"] > 0 and 0 < end["bytes"] < 512 * 1024, end)
        same(end["bytes"], len(Spool(one.spool).output[1]))
        # The disk is full now: nothing can be started, and nothing is left of the try.
        with open(os.path.join(disk, "fill"), "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        same(run(["true"], path=os.path.join(disk, "b")).wait(), BAD_DIR)
        check(not os.path.exists(os.path.join(disk, "b")))
        same(tell("clean", one.dir), 0)
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def case_holder():
    """A holder starts attempts, which survive whatever connects to it, and have its environment."""
    holder = Holder(env={"PATH": "/usr/bin:/bin", "WHERE": "holder"}, start_new_session=True)
    go = os.path.join(ROOT, "go-holder")
    script = 'cat; echo $WHERE $SENT; until [ -e "$1" ]; do sleep 0.01; done; echo done; exit 5'
    one = shell(script, go, holder=holder.name, env=["SENT=x"], inherit=True, stdin=b"in ",
                popen={"start_new_session": True, "env": {"WHERE": "step"}})
    one.until_output(b"in holder x\n")
    info = state(one.dir)
    same(guard_of(guard_of(info["keeper"])), holder.process.pid, "the parent of the guard")
    os.killpg(one.process.pid, signal.SIGKILL)
    one.kill()
    same(tell("release", holder.name), RUNNING)
    same(tell("hold", holder.name, "5"), EXISTS)
    again = attach(one.dir, len(one.spool), holder=holder.name)
    other = run(["true"], holder=holder.name)
    check(passed(other.end()), "a second attempt at the same time")
    same(run(["true"], path=one.dir, holder=holder.name).wait(), EXISTS)
    with open(go, "w", encoding="ascii"):
        pass
    end = again.end()
    same((end["ended"], end["code"], end["why"], end["proven"]), ("exit", 5, "own", 1))
    until(lambda: tell("release", holder.name) == 0, "the release")
    same(holder.wait(), 0)
    same(tell("release", holder.name), NO_HOLDER)
    same(attach(one.dir, holder=holder.name).wait(), 0, "an attempt can be read without its holder")


def case_holder_is_idle():
    """It exits on its own, but not while an attempt runs or somebody is connected."""
    missing = Channel("run", "--in", "missing", new_dir())
    idle = Holder(idle_s=0)
    same(idle.wait(), 0)
    holder = Holder(idle_s=1)
    one = shell("sleep 1.5; trap '' TERM; sleep 300", holder=holder.name, grace_ms=0)
    one.until_start()
    one.kill()
    time.sleep(2)
    same(holder.process.poll(), None, "it has an attempt")
    two = attach(one.dir, holder=holder.name)
    two.send(frame("k"))
    two.until(lambda some: some.finish, "the end")
    two.close()
    same(holder.wait(), 0)
    same(missing.wait(), NO_HOLDER)
    same(missing.refused[0], NO_HOLDER)


def case_job_ends():
    """A cluster sends TERM to the holder and to the step: the end arrives, and does not pass."""
    holder = Holder()
    one = shell("trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done", holder=holder.name, grace_ms=60000)
    one.until_output(b"ready\n")
    one.process.terminate()
    holder.process.terminate()
    end = one.end()
    same((end["ended"], end["code"], end["why"], end["proven"]), ("exit", 0, "foreign", 1))
    same(holder.wait(), 0)
    # The command may get TERM first, and end before the keeper or its holder gets it.
    holder = Holder()
    one = shell("trap 'exit 0' TERM; echo ready; while :; do sleep 0.001; done", holder=holder.name)
    one.until_output(b"ready\n")
    command = state(one.dir)["command"]
    os.kill(command, signal.SIGTERM)
    until(lambda: not is_alive(command), "the end of the command")
    holder.process.terminate()
    same(one.end()["why"], "foreign")
    same(holder.wait(), 0)
    # Nothing is started any more.
    holder = Holder()
    one = shell("trap '' TERM; echo ready; sleep 300", holder=holder.name, grace_ms=1000)
    one.until_output(b"ready\n")
    holder.process.terminate()
    two = Channel("run", "--in", holder.name, new_dir())
    two.until(lambda some: some.hello, "a hello")
    two.send(request(["true"], stamp=two.stamp))
    same(two.wait(), BAD_DIR)
    same(two.refused[1], errno.ECANCELED)
    same(one.end()["why"], "foreign")
    same(holder.wait(), 0)


def case_killed_holder():
    """Outside of a cluster, an attempt does not need its holder."""
    holder = Holder()
    one = shell("echo ready; sleep 300", holder=holder.name, grace_ms=0)
    one.until_output(b"ready\n")
    holder.process.kill()
    same(holder.wait(), -signal.SIGKILL)
    same(state(one.dir)["state"], "running")
    one.send(frame("k"))
    same(one.end()["why"], "kill")


def case_bad_requests():
    good = request(["true"])
    frames = []
    for kind, stream, payload in split(good):
        frames.append(frame(chr(kind), payload, stream))
    wrong = [
        b"GET / HTTP/1.0\r\n\r\n",
        b"".join(frames[1:]),
        b"".join(frames[:2] + frames[:1]),
        frames[0] + frame("a", b"a\0b"),
        frames[0] + frames[1] + frame("d", b"relative"),
        request(["true"], lease_ms=0),
        request(["true"], lease_ms=2**32 - 1),
        request(["true"], grace_ms=2**32 - 1),
        request([]),
        request(["true"], env=["=x"]),
        request(["true"], env=["x"]),
        request(["true"], inherit=2),
        request(["true"], stamp=MASK),
        good[:5] + b"\xff" + good[6:],
    ]
    for data in wrong:
        one = Channel("run", new_dir())
        one.until(lambda some: some.hello, "a hello")
        one.send(data)
        one.process.stdin.close()
        same(one.wait(), BAD_REQUEST, data[:100])
        same(one.refused[0], BAD_REQUEST)
        check(not os.path.exists(one.process.args[2]), "a directory was created")
    one = Channel("run", new_dir(), beats=False)
    one.until(lambda some: some.hello, "a hello")
    beat = frame("h", struct.pack("<Q", one.stamp))
    one.send(beat + b"".join(part + beat for part in frames[:-1]) + frame("G", struct.pack("<Q", one.stamp)))
    check(passed(one.end()), "heartbeats before it starts")
    for cut in range(0, len(good), 7):
        one = Channel("run", new_dir())
        one.send(good[:cut])
        one.process.stdin.close()
        same(one.wait(), BAD_REQUEST, cut)
        check(not os.path.exists(one.process.args[2]), "a directory was created")
    one = shell("sleep 300", grace_ms=0)
    one.until_start()
    one.send(frame("f"))
    same(one.wait(), CHANNEL, "a frame that only the control pipe takes")
    same(state(one.dir)["state"], "running")
    same(tell("order", one.dir, "kill"), 0)
    attach(one.dir).end()


def case_garbage_in_the_control_pipe():
    one = shell("sleep 300", grace_ms=0)
    one.until_start()
    with open(os.path.join(one.dir, "control"), "wb", buffering=0) as control:
        for data in (b"\0" * 100, os.urandom(5000), b"t", frame("R", b"x" * 100)):
            control.write(data)
    # Garbage that the keeper reads together with an order hides it.
    until(lambda: tell("order", one.dir, "kill") == 0 and state(one.dir)["state"] == "ended", "the end")
    same(one.end()["why"], "kill")


def case_ignored_signals():
    """Neither ignored nor blocked signals reach the command."""
    def ignore():
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
    one = run(["grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"], popen={"preexec_fn": ignore})
    check(passed(one.end()))
    # Whoever was started by posix_spawn() of a program with threads ignores 32 and 33, and the C
    # library, whose signals these are, does not let a program change that.
    masks = {int(line.split()[1], 16) for line in Spool(one.spool).output[1].splitlines()}
    same({mask & ~(0b111 << 31) for mask in masks}, {0})


def case_closed_streams():
    """Started without stdin and stderr, it still keeps files apart."""
    path = new_dir()
    done = subprocess.run(["sh", "-c", '"$0" run "$1" <&- 2>&-', HAND, path], check=False,
                          capture_output=True, timeout=LIMIT_S)
    same(done.returncode, BAD_REQUEST)
    check(not os.path.exists(path))


def case_usage():
    for words in ((), ("run",), ("attach", "x"), ("hold", "x"), ("hold", "x", "-1"), ("hold", "a/b", "1"),
                  ("hold", "x" * 81, "1"), ("run", "--in", "a b", "/x"), ("release", ""), ("order", "x", "stop"), ("clean", "--all", "x"), ("x", "y")):
        same(tell(*words), 2, words)
    same(tell("--help"), 0)


CASES = {name[5:]: function for name, function in globals().copy().items() if name.startswith("case_")}
GROUPS = {
    "start": """hello_and_end files_are_private once signal_end start_failures everything_arrives inherited_environment much_output secrets late_request
        bad_requests ignored_signals closed_streams usage""",
    "channel": """attach_from_each_byte two_attaches detach starter_dies descriptors slow_reader
        reader_dies killed_attach garbage_in_the_control_pipe""",
    "ends": """deaf_to_term term_is_enough stopped_command leftovers deaf_leftovers no_pidfd killed_between
        ended_main_thread fork_bomb lease
        lease_is_renewed foreign_term no_memory killed_keeper killed_guard killed_command""",
    "hold": "holder holder_is_idle job_ends killed_holder",
    "damage": "clean interrupted_start clean_during_start hostile_dir damaged_spool file_size_limit full_disk",
}


def run_case(name, function):
    """Runs a case in a folder of its own. Returns whether it has passed."""
    global ROOT
    above, ROOT = ROOT, os.path.join(ROOT, name)
    os.mkdir(ROOT)
    began = time.monotonic()
    try:
        function()
        word = "ok"
    except Wrong as wrong:
        word = f"WRONG: {wrong}"
    for left in os.listdir(ROOT):  # end what a failed case has left
        tell("order", os.path.join(ROOT, left), "kill")
    ROOT = above
    print(f"{name}: {word} ({time.monotonic() - began:.1f} s)", flush=True)
    return word == "ok"


def run_cases(program, cases, at_once=False):
    """Runs these functions, by name, perhaps at the same time. Returns the exit code."""
    global HAND, ROOT
    HAND = os.path.abspath(program)
    ROOT = tempfile.mkdtemp(prefix="devs-hand-")
    if at_once:
        failed = together(cases, lambda name: run_case(name, cases[name]))
    else:
        failed = sum(not run_case(name, function) for name, function in cases.items())
    shutil.rmtree(ROOT, ignore_errors=True)
    return 1 if failed else 0


def main():
    same(sorted(" ".join(GROUPS.values()).split()), sorted(CASES), "cases of the groups")
    names = sys.argv[2:] or CASES
    if sys.argv[2:3] == ["--group"]:
        names = GROUPS[sys.argv[3]].split()
    return run_cases(sys.argv[1], {name: CASES[name] for name in names})


if __name__ == "__main__":
    sys.exit(main())
