#!/usr/bin/env python3
"""test_terminal.py BENCH_DIR: what a screen of the benchmarks shows after what programs write."""
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from terminal import Cells  # noqa: E402

WRITTEN = (
    ("text, lines", b"ab\r\ncd", "ab  /cd  /    "),
    ("a place", b"\x1b[2;3Hx\x1b[Hy", "y   /  x /    "),
    ("row, column, back", b"\x1b[3d\x1b[3Gab\x08c", "    /    /  cb"),
    ("colors and modes take no cell", b"\x1b[?1049h\x1b(B\x1b[0;1m\x1b[31ma\x1b[m", "a   /    /    "),
    ("to the end of the line", b"abcd\x1b[2G\x1b[K", "a   /    /    "),
    ("cleared", b"abcd\x1b[H\x1b[2J", "    /    /    "),
    ("erased and taken out", b"abcd\r\x1b[Xx\x1b[P", "xcd /    /    "),
    ("repeated", b"a\x1b[2b", "aaa /    /    "),
    ("the last column is not left", b"abcd\x08x", "abxd/    /    "),
    ("a region scrolls", b"a\r\nb\r\nc\x1b[2;3r\x1b[3;1H\n", "a   /c   /    "),
    ("and back", b"a\r\nb\r\nc\x1b[2;3r\x1b[2;1H\x1bM", "a   /    /b   "),
    ("lines go out", b"a\r\nb\r\nc\x1b[H\x1b[M", "b   /c   /    "),
    ("a title", b"\x1b]0;devs\x07a", "a   /    /    "),
    ("more than one byte", "é▸".encode(), "é▸  /    /    "),
)
faults = 0


def check(what, data, want, size):
    """However the bytes are cut."""
    global faults
    cells = Cells(4, 3)
    for at in range(0, len(data), size):
        cells.feed(data[at:at + size])
    got = cells.text().replace("\n", "/")
    if got != want:
        faults += 1
        print(f"{what}, by {size}: got {got!r}, want {want!r}")


for what, data, want in WRITTEN:
    for size in (1, 3, 100):
        check(what, data, want, size)
sys.exit(1 if faults else 0)
