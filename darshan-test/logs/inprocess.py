"""Reads a log, or damaged variants of it, through libdarshan-read, in a process of its own, because
a crash of the reader must not end the tests.

python3 -m logs.inprocess LIBRARY FILE records MODULE... prints the records of these modules, by id,
as a list of hexadecimal texts for each module.

python3 -m logs.inprocess LIBRARY FILE cuts|flips prints one JSON object: "whole" is the result
for the log itself, "damaged" has the result of each variant, in order. A result is the message
of a failed open, or for each module's id: (number of records, checksum of their bytes, message
or "")."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Union

# Bits by which each byte is changed.
FLIPS = (0x01, 0x80, 0xFF)
# Ids of the modules of bad.small_log.
MODULES = (3, 8, 9)

Outcome = Union[str, dict[int, tuple[int, int, str]]]


class Reader:
    """The functions of libdarshan-read that are needed to read all records."""

    def __init__(self, library: str) -> None:
        self.lib = ctypes.CDLL(library)
        self.lib.darshan_log_read.restype = ctypes.c_void_p
        self.lib.darshan_records_open.restype = ctypes.c_void_p
        self.error = ctypes.create_string_buffer(256)

    def message(self) -> str:
        """Returns the message of the last error. Fails if it is empty or has several lines."""
        text = self.error.value.decode(errors="replace")
        assert text, "an error without a message"
        assert "\n" not in text, text
        return text

    def records(self, log: ctypes.c_void_p, number: int) -> tuple[list[bytes], str]:
        """Returns the bytes of each record of a module, and the message of the error at which the
        reader stopped; "" if it read all. number: the module's id."""
        out: list[bytes] = []
        records = self.lib.darshan_records_open(log, number, self.error)
        if not records:
            return out, self.message()
        handle = ctypes.c_void_p(records)
        record, size = ctypes.c_void_p(), ctypes.c_size_t()
        got = 1
        while got == 1:
            got = self.lib.darshan_records_next(
                handle, ctypes.byref(record), ctypes.byref(size), self.error
            )
            if got == 1:
                out.append(ctypes.string_at(record.value or 0, size.value))
        self.lib.darshan_records_close(handle)
        return out, self.message() if got < 0 else ""

    def module(self, log: ctypes.c_void_p, number: int) -> tuple[int, int, str]:
        """Reads a module. Returns the number of its records, a checksum of their bytes, and the
        message of the error at which the reader stopped; "" if it read all. number: the module's
        id."""
        records, message = self.records(log, number)
        return len(records), zlib.crc32(b"".join(records)), message

    def open(self, path: Path) -> ctypes.c_void_p:
        """Returns the handle of a log; its value is None if the log cannot be opened."""
        return ctypes.c_void_p(self.lib.darshan_log_read(os.fsencode(path), self.error))

    def close(self, log: ctypes.c_void_p) -> None:
        self.lib.darshan_log_free(log)

    def read(self, path: Path) -> Outcome:
        """Returns the result of reading a log: the message of a failed open, or the result of
        `module` for each module, by id."""
        log = self.open(path)
        if log.value is None:
            return self.message()
        out = {number: self.module(log, number) for number in MODULES}
        self.close(log)
        return out


def damaged(path: Path, kind: str) -> Iterator[None]:
    """Damages the file in one position after another, and yields after each damage. kind: "cuts"
    truncates it ever shorter, "flips" changes bytes; a changed byte is restored before the next."""
    size = path.stat().st_size
    if kind == "cuts":
        for length in range(size - 1, -1, -1):
            os.truncate(path, length)
            yield
        return
    data = path.read_bytes()
    with path.open("r+b", buffering=0) as file:
        for at in range(size):
            for flip in FLIPS:
                os.pwrite(file.fileno(), bytes([data[at] ^ flip]), at)
                yield
            os.pwrite(file.fileno(), data[at : at + 1], at)


def print_records(reader: Reader, path: Path, modules: list[int]) -> None:
    """Prints the records of some modules of a log as JSON. modules: their ids."""
    log = reader.open(path)
    assert log.value is not None, reader.message()
    out = []
    for number in modules:
        records, message = reader.records(log, number)
        assert message == "", message
        out.append([record.hex() for record in records])
    reader.close(log)
    json.dump(out, sys.stdout)


def main() -> None:
    """Prints the records of a log, or what the reader returns for it and for damaged copies of it,
    as JSON. Fails if a descriptor is left open."""
    library, name, kind, *modules = sys.argv[1:]
    path = Path(name)
    reader = Reader(library)
    if kind == "records":
        print_records(reader, path, [int(number) for number in modules])
        return
    whole = reader.read(path)
    before = os.listdir("/proc/self/fd")
    outcomes = []
    for _ in damaged(path, kind):
        outcomes.append(reader.read(path))
    # A flipped file has one open descriptor; a failed open must not leak another.
    assert os.listdir("/proc/self/fd") == before, "descriptors were leaked or closed"
    json.dump({"whole": whole, "damaged": outcomes}, sys.stdout)


if __name__ == "__main__":
    main()
