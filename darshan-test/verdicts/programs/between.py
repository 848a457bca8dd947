"""Programs whose time lies between their calls: between.py CASE [cured|prepare]."""

from __future__ import annotations

import functools
import os
import sys
import zlib
from datetime import datetime
from pathlib import Path


def prepare_dates_of_lines() -> None:
    """Writes a log of 4 MB."""
    with open("access.log", "w") as file:
        for i in range(80_000):
            file.write(
                f"10.0.0.{i % 250} [{1 + i % 28:02}/Nov/2026:10:{i % 60:02}:00] GET /page{i}\n"
            )


def dates_of_lines(cured: bool) -> None:
    """Converts the date of each line with strptime; cured: each date once."""
    convert = functools.cache(datetime.strptime) if cured else datetime.strptime
    found = 0
    with open("access.log") as file:
        for line in file:
            stamp = line.split(" ", 2)[1]
            found += convert(stamp, "[%d/%b/%Y:%H:%M:%S]").minute
    assert found


def prepare_words_of_lines() -> None:
    """Writes a log of 50 MB."""
    lines = "".join(f"10.0.0.{i % 250} GET /page{i}/of/a/site\n" for i in range(125_000))
    Path("access.log").write_text(lines * 10)


def words_of_lines(_: bool) -> None:
    """Counts the addresses of a log."""
    known: dict[str, int] = {}
    with open("access.log") as file:
        for line in file:
            address = line.partition(" ")[0]
            known[address] = known.get(address, 0) + 1
    assert len(known) == 250


_SLOTS, _ROOM, _VALUES = 8, 1 << 20, 500_000


def pieces_packed(cured: bool) -> None:
    """Changes some bytes in each of eight compressed pieces of a file, again and again; cured:
    keeps the pieces in memory and writes each once."""
    pieces = [bytearray(os.urandom(_VALUES // 4) * 4) for _ in range(_SLOTS)]
    file = os.open("grid.dat", os.O_RDWR | os.O_CREAT, 0o644)
    lengths = [0] * _SLOTS
    for step in range(0, 24):
        for slot in range(_SLOTS):
            if step and not cured:
                packed = os.pread(file, lengths[slot], slot * _ROOM)
                pieces[slot] = bytearray(zlib.decompress(packed))
            pieces[slot][step * 1000 : step * 1000 + 999] = bytes(999)
            if not cured or step == 23:
                packed = zlib.compress(pieces[slot], 4)
                lengths[slot] = os.pwrite(file, packed, slot * _ROOM)
    os.close(file)


def sweeps(_: bool) -> None:
    """Sweeps over a field in a file, block by block, and computes much with each block."""
    block = 256 * 1024
    Path("field.dat").write_bytes(bytes(8 * block))
    file = os.open("field.dat", os.O_RDWR)
    for _ in range(12):
        for at in range(0, 8 * block, block):
            values = os.pread(file, block, at)
            for _ in range(3):
                values = bytes(map((7).__xor__, values))
            os.pwrite(file, values, at)
    os.close(file)


if __name__ == "__main__":
    name = sys.argv[1].replace("-", "_")
    if sys.argv[2:] == ["prepare"]:
        globals().get(f"prepare_{name}", Path)()
    else:
        globals()[name](sys.argv[2:] == ["cured"])
