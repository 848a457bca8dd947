"""Build id and functions of a program or library, read from its file.

The path may come from an untrusted log: only a regular file is opened, and each length in it is
checked before memory is taken.
"""

from __future__ import annotations

import os
import stat
import struct
from bisect import bisect_right

import numpy as np

_MAGIC = b"\x7fELF\x02\x01"
_HEAD, _PROGRAM, _SECTION = "<HHIQQQIHHHHHH", "<IIQQQQQQ", "<IIQQQQIIQQ"
_NOTE, _SYMBOLS, _DYNAMIC_SYMBOLS, _FUNCTION = 4, 2, 11, 2
_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"),
     ("size", "<u8")]
)  # fmt: skip
_NOTES_MOST = 1 << 16  # bytes of a segment of notes
_ROWS_MOST = 1 << 12  # program headers, section headers
_SYMBOLS_MOST = 1 << 28  # bytes of a symbol table
_NAME_MOST = 4096  # bytes of a symbol's name


class NotReadableError(Exception):
    """The file cannot be used. The message is the reason, as the end of a sentence about the
    file."""


class Elf:
    """An open program or library of 64 bits, little-endian. Use it in a `with` statement, or call
    close()."""

    def __init__(self, path: str) -> None:
        """Opens the file. Raises NotReadableError if it is no regular file, cannot be read, or has
        another format."""
        self._file = _open(path)
        try:
            self._size = os.fstat(self._file).st_size
            head = self._read(16, struct.calcsize(_HEAD))
            if self._read(0, len(_MAGIC)) != _MAGIC or len(head) < struct.calcsize(_HEAD):
                raise NotReadableError("is not a 64-bit, little-endian ELF file")
            fields = struct.unpack(_HEAD, head)
            self._programs, self._sections = fields[4], fields[5]  # where the tables are
            self._program_count, self._section_count = fields[9], fields[11]
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)

    def __enter__(self) -> Elf:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, offset: int, length: int) -> bytes:
        """Returns `length` bytes from an offset on, fewer if the file ends before. Raises
        NotReadableError."""
        if offset < 0 or offset >= self._size:
            return b""
        try:
            return os.pread(self._file, min(length, self._size - offset), offset)
        except OSError as error:
            raise NotReadableError(f"cannot be read: {error.strerror}") from None

    def _rows(self, form: str, offset: int, number: int) -> list[tuple[int, ...]]:
        found = self._read(offset, struct.calcsize(form) * min(number, _ROWS_MOST))
        whole = len(found) - len(found) % struct.calcsize(form)
        return list(struct.iter_unpack(form, found[:whole]))

    def build_id(self) -> str:
        """Returns the build id in hexadecimal digits; empty if the file has none."""
        headers = self._rows(_PROGRAM, self._programs, self._program_count)
        for kind, _, offset, _, _, size, *_ in headers:
            if kind == _NOTE and (found := _build_id(self._read(offset, min(size, _NOTES_MOST)))):
                return found
        return ""

    def functions(self, addresses: list[int]) -> dict[int, str]:
        """Returns, by address, the name of the function in the symbol table that contains each
        address. Leaves out addresses in no function. Raises NotReadableError."""
        sections = self._rows(_SECTION, self._sections, self._section_count)
        tables = [s for s in sections if s[1] in (_SYMBOLS, _DYNAMIC_SYMBOLS)]
        for table in sorted(tables, key=lambda s: s[1]):  # the full table first
            if table[6] < len(sections) and table[5] <= _SYMBOLS_MOST:
                found = self._named(table, sections[table[6]], addresses)
                if found:
                    return found
        return {}

    def _named(
        self, table: tuple[int, ...], strings: tuple[int, ...], addresses: list[int]
    ) -> dict[int, str]:
        """Returns the names of the functions that contain these addresses, by address; an address
        in no function is left out. table, strings: the section headers of the symbols and of their
        names."""
        raw = self._read(table[4], table[5])
        symbols = np.frombuffer(raw[: len(raw) - len(raw) % _SYMBOL.itemsize], _SYMBOL)
        symbols = symbols[(symbols["info"] & 15 == _FUNCTION) & (symbols["section"] != 0)]
        symbols = symbols[np.argsort(symbols["value"], kind="stable")]
        starts = symbols["value"].tolist()
        found = {}
        for address in addresses:
            place = bisect_right(starts, address) - 1
            if place < 0 or address - starts[place] >= int(symbols["size"][place]):
                continue
            at = int(symbols["name"][place])
            if at < strings[5]:
                name = self._read(strings[4] + at, min(strings[5] - at, _NAME_MOST))
                found[address] = name.split(b"\0", 1)[0].decode("utf-8", "replace")
        return found


def _open(path: str) -> int:
    """Opens a regular file and returns its descriptor. Raises NotReadableError for any other file,
    without opening a device and without waiting for the writer of a pipe."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise NotReadableError("is not a regular file")
        file = os.open(path, flags)
    except FileNotFoundError:
        raise NotReadableError("no longer exists") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise NotReadableError(f"cannot be opened: {reason}") from None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise NotReadableError("is not a regular file")
    return file


def _build_id(notes: bytes) -> str:
    """Returns the build id among the notes of a segment; empty if there is none."""
    at = 0
    while at + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from("<III", notes, at)
        name = at + 12
        start = name + (name_size + 3 & ~3)
        if kind == 3 and notes[name : name + name_size] == b"GNU\0":
            return notes[start : start + size].hex() if start + size <= len(notes) else ""
        at = start + (size + 3 & ~3)
    return ""
