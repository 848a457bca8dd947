"""The programs and libraries of a log: checks that a file is still the one that ran, and finds the
functions and lines at its addresses."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from ..stack import Native, Object
from . import addr2line, elf, fortran, rust
from .addr2line import Source

_SECONDS = 60.0  # for all files of a log
_EACH = 30.0  # for a file
_FILES = 64  # that are opened for a log
_ADDRESSES = 20_000  # of a file

NO_LINES = "has no debug information; compile with -g"
NO_BUILD_ID = "has no build id, so that it may be another one; link with -Wl,--build-id"
OTHER = "is another one than that which ran: its build id differs"
TOO_MANY = "was not read: the log names too many files"


class Objects:
    """Finds functions and lines of native frames, each of which is an address in a program or
    library. Files are read only if their build id is that of the log, at most 64 files and for 60
    seconds."""

    def __init__(self, objects: Iterable[Object]) -> None:
        self._objects: dict[str, list[Object]] = {}
        for one in objects:
            self._objects.setdefault(one.short, []).append(one)
        self._found: dict[Native, tuple[Source, ...]] = {}
        self._asked: set[Native] = set()
        self._opened = 0
        self._end: float | None = None  # when the time for reading files is over
        self.problems: dict[str, str] = {}  # path -> why its lines are not known

    def of(self, frame: Native) -> Object | None:
        """Returns the program or library of a frame; None if the log has no record of it."""
        found = self._objects.get(frame.object)
        return found[0] if found else None

    def path(self, frame: Native) -> str:
        """Returns the path of a frame's program or library; its short name if the path is
        unknown."""
        found = self.of(frame)
        return found.path if found else frame.object

    def build_id(self, path: str) -> str:
        """Returns the build id of a program or library; empty if it has none, or several objects
        of the log have this path."""
        found = {o.build_id for some in self._objects.values() for o in some if o.path == path}
        return found.pop() if len(found) == 1 else ""

    def sources(self, frame: Native) -> tuple[Source, ...]:
        """Returns the functions and lines of a frame that look_up() found, the innermost first;
        empty if none."""
        return self._found.get(frame, ())

    def look_up(self, frames: Iterable[Native]) -> None:
        """Finds the functions and lines of the frames that were not looked up before, and stores
        them for sources(). Opens each of their programs and libraries once. The reason why lines of
        a file are not known is stored in `problems`."""
        wanted: dict[str, list[Native]] = {}
        for frame in dict.fromkeys(frames):
            if frame not in self._asked:
                self._asked.add(frame)
                wanted.setdefault(frame.object, []).append(frame)
        for short, some in wanted.items():
            self._look_up(short, some[:_ADDRESSES])

    def _look_up(self, short: str, frames: list[Native]) -> None:
        problems = {}
        for one in self._objects.get(short, []):
            if not (problem := self._read(one, frames)):
                return
            problems[one.path] = problem
        self.problems.update(problems)

    def _read(self, one: Object, frames: list[Native]) -> str:
        """Finds the functions and lines of frames in one program or library. Returns a reason if
        none are found; "" otherwise."""
        if not one.build_id:
            return NO_BUILD_ID
        if len({other.build_id for other in self._objects[one.short]}) > 1:
            return "has the same short name as another one"
        if self._opened >= _FILES:
            return TOO_MANY
        self._opened += 1
        # The calling instruction ends where the call returns to.
        places = {frame.offset - 1: frame for frame in frames if frame.offset > 0}
        try:
            with elf.Elf(one.path) as file:
                if file.build_id() != one.build_id:
                    return OTHER
                found = self._sources(one.path, sorted(places))
                missing = [at for at in places if at not in found]
                for at, name in file.functions(missing).items():
                    found[at] = (Source(name, "", 0),)
        except elf.NotReadableError as error:
            return str(error)
        for at, sources in found.items():
            if at in places:
                self._found[places[at]] = tuple(map(_readable, sources))
        has_lines = any(source.file for sources in found.values() for source in sources)
        return "" if has_lines else NO_LINES

    def _sources(self, path: str, addresses: list[int]) -> dict[int, tuple[Source, ...]]:
        """Returns functions and lines of addresses. eu-addr2line misses functions that rustc has
        inlined, so for a program in Rust the addr2line of binutils is used as well."""
        found = addr2line.sources(path, addresses, self._left())
        if any(rust.is_rust(one.function) for all_ in found.values() for one in all_):
            others = addr2line.sources(path, addresses, self._left(), addr2line.BINUTILS)
            found.update(
                (at, more) for at, more in others.items() if len(more) > len(found.get(at, ()))
            )
        return found

    def _left(self) -> float:
        """Returns the seconds that remain for reading the next file."""
        if self._end is None:
            self._end = time.monotonic() + _SECONDS
        return min(_EACH, self._end - time.monotonic())


def _readable(source: Source) -> Source:
    """Returns the source with the name of a Rust or Fortran function as programmers write it."""
    return replace(source, function=fortran.plain(rust.plain(source.function)))
