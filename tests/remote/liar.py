#!/usr/bin/env python3
"""A devs-hand that lies: it has the protocol (hand_protocol.h) right, and nothing else.

usage: liar.py WAY run|attach DIR [FROM]     the way in which it lies
       liar.py WAY clean|--version ...       succeeds
"""
import os
import signal
import struct
import sys
import time

signal.alarm(120)  # whatever becomes of the test
MASK = (1 << 64) - 1


def check_of(head, payload):
    h = 0x9e3779b97f4a7c15
    for at in range(0, 8 + len(payload), 8):
        w = head if at == 0 else payload[at - 8:at].ljust(8, b"\0")
        h = ((h ^ int.from_bytes(w, "little")) * 0x9fb21c651e98df25) & MASK
        h ^= h >> 32
    return h & 0xffffffff


def frame(kind, payload=b"", stream=0):
    head = struct.pack("<BBHI", ord(kind), stream, 0, len(payload))
    return head + struct.pack("<I", check_of(head, payload)) + payload


def end(ended=1, why=0, step=0, proven=1, code=0, remaining=0, spool_errno=0, huge=0, output=0, dropped=0):
    return frame("E", struct.pack("<BBBBIIIIIQQQQQQQ", ended, why, step, proven, code, 0, remaining,
                                  spool_errno, 0, huge, huge, huge, huge, huge, output, dropped))


def put(*frames):
    sys.stdout.buffer.write(b"".join(frames))
    sys.stdout.buffer.flush()


def spool(offset, *frames):
    put(frame("S", struct.pack("<Q", offset) + b"".join(frames)))


def read_request():
    """Reads until HAND_GO. Returns whether it came."""
    data = b""
    while not data.endswith(frame("G", data[-8:])):
        more = os.read(0, 65536)
        if not more:
            return False
        data += more
    return True


BEGIN = frame("B", struct.pack("<IIIIQ", 1, 60000, 1000, 0, 0) + b"\0" * 36 + b"node")
STARTED = frame("P", struct.pack("<IIQ", 1, 2, 0))
TICK = frame("T", struct.pack("<Q", 1))
HUGE = MASK


def output(data):
    return frame("O", data, 1)


def first(way):
    """What the first start does. Later ones, and what is attached again, are honest."""
    whole = BEGIN + STARTED
    if way == "numbers":
        spool(0, whole, end(code=1, huge=HUGE))
    elif way == "unproven":
        spool(0, whole, end(proven=0, remaining=0xffffffff, huge=HUGE))
    elif way == "cut":
        spool(0, whole, end(spool_errno=28, dropped=10))
    elif way == "refused":
        put(frame("X", struct.pack("<II", 17, 5) + b"cannot open the attempt"))
    elif way == "after_end":
        spool(0, whole, output(b"one\n"), end(output=4), output(b"two\n"))
    elif way == "offset":
        spool(HUGE, whole, end())
        time.sleep(1000)
    elif way == "flood":
        spool(0, whole)
        until = time.monotonic() + 4
        while time.monotonic() < until:
            put(TICK * 1000)
        spool(len(whole), end())
    elif way == "flap":
        spool(0, whole)
    elif way == "text":
        put(frame("X", struct.pack("<II", 11, 5) + "no \u009b2J\u202e way\xff".encode("utf-8", "replace") + b"\xff"))
    elif way == "twice":
        spool(0, whole)
        spool(0, whole)
        time.sleep(1000)
    elif way == "start":
        spool(0, whole, STARTED)
    elif way == "early":
        spool(0, BEGIN, output(b"x"))
    elif way == "count":
        spool(0, whole, output(b"one"), end(output=4))
    elif way == "undone":
        spool(0, whole, end(ended=3, step=1, code=2))
    elif way == "empty":
        spool(0, whole, output(b""))
    elif way == "stream":
        spool(0, whole, frame("O", b"x", 3))
    elif way == "long":
        put(struct.pack("<BBHII", ord("S"), 0, 0, 0xffffffff, 0))
        time.sleep(1000)
    elif way == "check":
        bad = frame("S", struct.pack("<Q", 0) + whole)
        put(bad[:8] + b"\0\0\0\0" + bad[12:])
        time.sleep(1000)
    elif way == "hello":
        put(frame("H", b"devshand" + struct.pack("<IQ", 1, 1) + b"liar"))
        time.sleep(1000)
    elif way == "code":
        put(frame("X", struct.pack("<II", 99, 5) + b"?"))
        time.sleep(1000)
    elif way == "finish":
        put(frame("F", struct.pack("<IIQQ", 1, 0, 0, 0)))
    elif way == "deaf":
        spool(0, whole)
        while True:
            put(TICK)
            time.sleep(1)


def main():
    way, command = sys.argv[1:3]
    if command not in ("run", "attach"):
        return 0
    if way == "noise":
        while True:
            put(b"welcome " * 1024)
    protocol = {"older": 0, "newer": 2}.get(way, 1)
    put(frame("H", b"devshand" + struct.pack("<IQ", protocol, 1) +
              (b"liar \xc2\x9b2J \xff" if way == "text" else b"liar")))
    if protocol != 1:
        with open(f"{os.path.dirname(os.path.abspath(sys.argv[0]))}/received", "ab") as file:
            while data := os.read(0, 65536):
                file.write(data)
                file.flush()
        return 0
    if command == "run" and not read_request():
        return 17
    with open(f"{os.path.dirname(os.path.abspath(sys.argv[0]))}/started-{way}", "a", encoding="ascii") as file:
        file.write(command + "\n")
    with open(file.name, encoding="ascii") as file:
        starts = file.read().count("\n")
        is_first = starts == 1
    if way == "flap" and 1 < starts < 7:  # contact for a moment, again and again
        put(TICK)
        return 0
    if is_first:
        first(way)
    else:
        at = int(sys.argv[4]) if command == "attach" else 0
        put(frame("S", struct.pack("<Q", at) + (BEGIN + STARTED + end())[at:]))
    return 0


sys.exit(main())
