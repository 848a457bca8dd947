"""Compares the outputs of two runs: exit status, standard output, and written files."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import field

from ...classes import dataclass
from ..running.ground import Entry
from .values import same_values

STDOUT = "standard output"
_LARGEST = 64 << 20  # bytes that are compared line by line; larger files only as a whole
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Output:
    """The output of a run: exit status, standard output, and the files that it wrote or removed, by
    path relative to `folder`."""

    status: int  # exit status, or a negative signal number
    stdout: str  # path of a file with the standard output
    folder: str  # that holds the files
    files: dict[str, Entry | None]  # written or removed (None)

    def path(self, name: str) -> str:
        """Returns the path of an output file, or of the standard output."""
        return self.stdout if name == STDOUT else os.path.join(self.folder, name)


@dataclass
class Mask:
    """The parts of the output that also differ between runs without a remedy, and are therefore not
    compared."""

    lines: dict[str, frozenset[int]] = field(default_factory=dict)  # indices of lines, by file
    whole: set[str] = field(default_factory=set)  # files that are not compared
    ignored: tuple[str, ...] = ()  # patterns of --ignore
    pythons: tuple[str, ...] = ()  # that compare values of HDF5 files

    def skips(self, name: str) -> bool:
        """Returns whether a whole file is not compared: it varies between runs, or a pattern of
        --ignore matches its name."""
        return name in self.whole or any(fnmatch.fnmatch(name, p) for p in self.ignored)

    def add(self, more: Mask) -> None:
        """Adds the parts of another mask to this one."""
        self.whole |= more.whole
        for name, numbers in more.lines.items():
            self.lines[name] = self.lines.get(name, frozenset()) | numbers

    def covers(self, other: Mask) -> bool:
        """Returns whether this mask contains all parts of another mask."""
        return other.whole <= self.whole and all(
            name in self.whole or numbers <= self.lines.get(name, frozenset())
            for name, numbers in other.lines.items()
        )

    def told(self) -> list[str]:
        """Returns a line of text for each part that is not compared."""
        found = [f"{name}: not compared" for name in sorted(self.whole)]
        for name, numbers in sorted(self.lines.items()):
            shown = ", ".join(str(n + 1) for n in sorted(numbers)[:5])
            more = ", ..." if len(numbers) > 5 else ""
            found.append(f"{name}: line {shown}{more} not compared")
        return found


def _same_bytes(one: str, other: str) -> bool:
    with open(one, "rb") as first, open(other, "rb") as second:
        while True:
            a, b = first.read(_BLOCK), second.read(_BLOCK)
            if a != b:
                return False
            if not a:
                return True


def _differing_lines(one: str, other: str) -> frozenset[int] | None:
    """Returns the indices of the lines that differ between two files; None if the files have
    different numbers of lines, or are not text."""
    if max(os.path.getsize(one), os.path.getsize(other)) > _LARGEST:
        return None
    with open(one, "rb") as first, open(other, "rb") as second:
        a, b = first.read(), second.read()
    if b"\0" in a or b"\0" in b:
        return None
    lines, others = a.split(b"\n"), b.split(b"\n")
    if len(lines) != len(others):
        return None
    return frozenset(n for n, (x, y) in enumerate(zip(lines, others)) if x != y)


def _kind(entry: Entry | None) -> int:
    return 0 if entry is None else entry[0]


def _marks(entry: Entry | None) -> int:
    return 0 if entry is None else entry[4]


def _names(one: Output, other: Output) -> list[str]:
    return [STDOUT, *sorted({*one.files, *other.files})]


def _differs(one: Output, other: Output, name: str, pythons: Sequence[str]) -> bool:
    """Returns whether the file `name` differs between the outputs of two runs. The standard output
    is treated as a file. pythons: interpreters that compare HDF5 files."""
    if name != STDOUT:
        kind, kind_of_other = _kind(one.files.get(name)), _kind(other.files.get(name))
        if kind != kind_of_other or (name in one.files) != (name in other.files):
            return True
        if stat.S_ISLNK(kind):
            return os.readlink(one.path(name)) != os.readlink(other.path(name))
        if _marks(one.files.get(name)) != _marks(other.files.get(name)):
            return True
        if not stat.S_ISREG(kind):
            return False
    paths = one.path(name), other.path(name)
    return not _same_bytes(*paths) and not same_values(pythons, *paths)


def _both(one: Output, other: Output, name: str) -> bool:
    """Returns whether `name` is the standard output, or a regular file in both outputs."""
    return name == STDOUT or all(stat.S_ISREG(_kind(o.files.get(name))) for o in (one, other))


def mask_of(
    one: Output, other: Output, ignored: Sequence[str], interpreters: Sequence[str]
) -> Mask:
    """Returns the differences between two runs without a remedy as a mask: lines of a text file, or
    the whole file. ignored: patterns of names that are not compared. interpreters: Python
    interpreters that compare HDF5 files."""
    mask = Mask(ignored=tuple(ignored), pythons=tuple(interpreters))
    for name in _names(one, other):
        if mask.skips(name) or not _differs(one, other, name, mask.pythons):
            continue
        lines = None
        if _both(one, other, name):
            lines = _differing_lines(one.path(name), other.path(name))
        # No lines with the same number differ, or the files cannot be compared by lines.
        if not lines:
            mask.whole.add(name)
        else:
            mask.lines[name] = lines
    return mask


def differences(one: Output, other: Output, mask: Mask) -> Iterable[str]:
    """Yields text for each difference between a run without (`one`) and a run with a remedy
    (`other`) that the mask does not cover: "data.csv differs". Nothing: the outputs are the
    same."""
    if one.status != other.status:
        yield f"exit status {other.status} instead of {one.status}"
    for name in _names(one, other):
        if mask.skips(name) or not _differs(one, other, name, mask.pythons):
            continue
        if name in mask.lines and _both(one, other, name):
            lines = _differing_lines(one.path(name), other.path(name))
            if lines and lines <= mask.lines[name]:
                continue
        yield f"{name} {_what(one, other, name)}"


def _what(one: Output, other: Output, name: str) -> str:
    """Returns how a file differs in the second run, as text: "differs", "is not removed", ..."""
    if name == STDOUT or (one.files.get(name) and other.files.get(name)):
        return "differs"
    if name not in one.files:
        return "is removed" if other.files[name] is None else "is made or changed"
    if name in other.files:
        return "is not there" if other.files[name] is None else "is not removed"
    return "is not removed" if one.files[name] is None else "is not written"
