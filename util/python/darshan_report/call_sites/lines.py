"""The lines of code whose I/O calls took the most time, from the call sites of a log.

The *user's line* of a call site is its innermost known line outside of installed software. Call
sites with the same user's line are summed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field

from ..classes import dataclass
from ..log import Log
from ..measure.processes.processes import Processes, processes
from . import installed, java, javascript
from .above import above
from .interpreters import is_interpreter, script_of, text_of
from .measured import Measured, measured
from .stack import Native, Python, Stack, object_of, stack_of
from .symbols import addr2line, rust
from .symbols.objects import NO_BUILD_ID, NO_LINES, Objects

MODULE = "SITES"
FILES_SHOWN = 2  # files of a line that are named
_SITES_MOST = 5000  # largest number of sites whose lines are looked up, those with most time
# If one site has at least this share of a line's seconds, its times of ranks count for the line.
_MOST_OF_LINE = 0.9
_LOOKED_UP = 32  # largest number of a line's sites whose frames in libraries are looked up
# Seconds that the runtime takes for the lines of a script, beyond other calls: 180 to 220 ns before
# read and lseek of a loop in Perl.
_OF_SCRIPT = 2e-7
_OF_PYTHON = (".py", ".pyx", ".pyi", "<string>", "<stdin>")
_HASH = re.compile(r"[0-9]{1,10}|[0-9a-f]{16}")  # names that darshan-convert has anonymized


@dataclass(frozen=True)
class Place:
    """A place in code: file, line and function. If the line is unknown: an address in a program or
    library."""

    function: str  # empty: unknown
    file: str  # empty: unknown
    line: int  # 0: unknown
    object: str = ""  # path of a program or library; empty: a frame of a script or of Java
    offset: int = 0  # in the object: the address that the call returns to


@dataclass
class Site:
    """A call site: the called I/O function, the frames that led to the call, and the sums of the
    calls over processes and threads."""

    stack: Stack
    sums: Measured
    places: tuple[Place, ...] = ()  # of the frames, innermost first
    user: int = -1  # index of the user's line in `places`; -1: none
    id: int = 0  # record id

    @property
    def is_users(self) -> bool:
        """Whether the call site has a line that is outside of installed software."""
        return self.line is not None and is_users(self.line)

    @property
    def line(self) -> Place | None:
        """The user's line of the site: its innermost known line outside of installed software; None
        if no frame of the site is the user's."""
        return self.places[self.user] if self.user >= 0 else None


@dataclass(frozen=True)
class RankTimes:
    """The seconds that ranks spent in the calls of a line: those of the fastest rank (least) and of
    the slowest (most), of all ranks that used the line (number)."""

    number: int  # of ranks that used the line
    least: float
    most: float
    slowest: int  # number of the slowest rank


@dataclass
class Line:
    """A line of the user's code, and the call sites below it, the costliest first; at least one."""

    sites: list[Site] = field(default_factory=list)
    sums: Measured = field(default_factory=Measured)

    @property
    def place(self) -> Place | None:
        """The line's place in the code; None if its call sites have no user's line."""
        return self.sites[0].line

    @property
    def rank_times(self) -> RankTimes | None:
        """The fastest and the slowest rank; None if they are unknown, because the records are
        merged over ranks and no single call site has most of the line's time."""
        if spent := self.sums.ranks:
            slowest = max(spent, key=lambda rank: spent[rank])
            return RankTimes(len(spent), min(spent.values()), spent[slowest], slowest)
        first = max((site.sums for site in self.sites), key=lambda sums: sums.seconds)
        if first.extremes is None or first.seconds < _MOST_OF_LINE * self.sums.seconds:
            return None
        extremes = first.extremes
        return RankTimes(first.processes, extremes.least, extremes.most, extremes.slowest)


_COMPILE = (NO_LINES, NO_BUILD_ID)  # what a program lacks that another compilation gives


@dataclass(frozen=True)
class Lines:
    """The lines of code with most time in I/O calls (`lines`), all lines (`every`), and the sums
    over all of them."""

    lines: list[Line]
    number: int  # of all lines
    sums: Measured  # over all lines
    problems: list[str]  # clauses: of which code the lines are not known, and why
    is_anonymous: bool  # darshan-convert has hidden the names
    every: list[Line] = field(default_factory=list)  # all lines, the costliest first
    objects: Objects = field(default_factory=lambda: Objects(()))  # finds functions and lines
    names: dict[int, str] = field(default_factory=dict)  # of the files of `lines`, by id
    scripts: Mapping[str, str] = field(default_factory=dict)  # script or text, by interpreter
    command: str = ""  # of the first process
    # Seconds after the start of the job at which processes of a program began, by its name.
    starts: Mapping[str, Sequence[float]] = field(default_factory=dict)
    # The program that a script started, by the name of another one that ran below it (call_sites/
    # above.py).
    above: Mapping[str, str] = field(default_factory=dict)

    def look_up(self, line: Line) -> None:
        """Finds the functions and source lines of the frames of a line's call sites, those in
        libraries too, and stores them in the sites' places. Opens the files of programs and
        libraries; at most 32 sites are looked up."""
        some = line.sites[:_LOOKED_UP]
        self.objects.look_up(_native(some))
        _settle(some, self.objects)


def user_line(places: tuple[Place, ...]) -> int:
    """Returns the index of the user's line among the places of a stack (innermost first): the
    innermost place outside of installed software, if possible one with a known line. If there is
    none, returns that of an installed program which the user started, or -1."""
    own = [n for n, place in enumerate(places) if is_users(place)]
    known = [n for n in own if places[n].file]
    return next(iter(known or own), _of_program(places))


def is_users(place: Place) -> bool:
    """Returns whether a place is outside of installed software."""
    if not place.file and rust.is_standard(place.function):
        return False
    if place.object and is_interpreter(place.object.rsplit("/", 1)[-1]):
        return False
    return not any(installed.is_installed(path) for path in (place.object, place.file) if path)


def _of_program(places: tuple[Place, ...]) -> int:
    """Returns the index of the user's line if the program is itself installed: the innermost place
    in the program, or below the folder of the Python script. Returns -1 if the stack has no such
    place, or begins with the start of a thread or code of a runtime (installed.is_thread)."""
    outermost = next((p for p in reversed(places) if _may_be_program(p)), None)
    if outermost is None or installed.is_thread(outermost.file):
        return -1
    folder = f"{outermost.file.rpartition('/')[0]}/"
    for number, place in enumerate(places):
        if place.object != outermost.object:
            continue
        if place.object or place.file.startswith(folder):
            return number
    return -1


def _may_be_program(place: Place) -> bool:
    if place.object:
        return installed.may_be_program(place.object)
    return not place.file.startswith("<")


def _key(place: Place | None) -> tuple[object, ...]:
    if place is None:
        return ()
    if place.file:
        return (place.file, place.line or place.function)
    return (place.object, place.offset)


def _places(stack: Stack, objects: Objects) -> tuple[Place, ...]:
    """Returns the places of a stack, innermost first. A frame with inlined functions has a place
    for each of them."""
    found: list[Place] = []
    for frame in stack.frames:
        if isinstance(frame, Python):
            function = frame.function
            if java.is_source(frame.path):
                function = java.plain(function)
            found.append(Place(function, frame.path, frame.line))
            continue
        path = objects.path(frame)
        sources = objects.sources(frame)
        found += [Place(s.function, s.file, s.line, path, frame.offset) for s in sources]
        if not sources:
            found.append(Place("", "", 0, path, frame.offset))
    return tuple(found)


def _settle(sites: Iterable[Site], objects: Objects) -> None:
    """Sets the places of each site from the frames that `objects` has looked up."""
    for site in sites:
        site.places = _places(site.stack, objects)
        site.user = user_line(site.places)


def _native(sites: Iterable[Site]) -> list[Native]:
    return [f for site in sites for f in site.stack.frames if isinstance(f, Native)]


def _users(sites: Iterable[Site], objects: Objects) -> list[Native]:
    """Returns the native frames of the sites that are outside of installed software."""
    return [f for f in _native(sites) if not installed.is_installed(objects.path(f))]


def _lines(sites: Iterable[Site]) -> list[Line]:
    found: dict[tuple[object, ...], Line] = {}
    for site in sites:
        line = found.setdefault(_key(site.line), Line())
        line.sites.append(site)
        line.sums.add(site.sums)
    return sorted(found.values(), key=lambda line: -line.sums.seconds)


def _problems(lines: list[Line], objects: Objects) -> list[str]:
    """Returns sentences that say for which programs and libraries addresses are shown in place of
    lines, and why."""
    places = [line.place for line in lines]
    without = {place.object for place in places if place and not place.file}
    if without and not addr2line.program():
        missing = " nor ".join(addr2line.PROGRAMS)
        return [
            f"neither {missing} is installed, so that programs and libraries have functions "
            "without lines (Debian: apt install elfutils)"
        ]
    why = {path: objects.problems[path] for path in sorted(without & set(objects.problems))}
    # A user does not compile the programs of the system again.
    theirs = [
        path for path, text in why.items() if text in _COMPILE and installed.is_installed(path)
    ]
    found = [f"{path} {text}" for path, text in why.items() if path not in theirs]
    return found + (
        [installed.programs_told(path.rsplit("/", 1)[-1] for path in theirs)] if theirs else []
    )


def _is_of_script(stack: Stack) -> bool:
    """Returns whether a stack has lines of a script of bash or Perl."""
    lines = (frame for frame in stack.frames if isinstance(frame, Python))
    first = next(lines, None)
    if first is None or first.path.endswith(_OF_PYTHON):
        return False
    return not java.is_source(first.path) and not javascript.is_source(first.path)


def _read(log: Log) -> tuple[list[Site], Objects, bool] | None:
    """Returns the sites of a log, ordered by time, longest first; the programs and libraries of
    their frames; and whether the names are anonymized. Returns None if the log has no sites. Raises
    LogError if they are damaged."""
    region = log.info.region(MODULE)
    if region is None or region.length == 0:
        return None
    rows = measured(log.records(MODULE))
    objects = Objects(filter(None, (object_of(log.name(n) or "") for n in rows.objects)))
    order = sorted(rows.sites.items(), key=lambda row: -row[1].seconds)
    names = [log.name(number) or "" for number, _ in order[:_SITES_MOST]]
    sites = [Site(stack_of(name), sums, id=one) for name, (one, sums) in zip(names, order)]
    for site in sites:
        if _is_of_script(site.stack):
            site.sums.leave_out(_OF_SCRIPT)
    sites += [Site(Stack("", ()), sums, id=one) for one, sums in order[_SITES_MOST:]]
    return sites, objects, are_hidden(names)


def are_hidden(names: Collection[str]) -> bool:
    """Returns whether the names of call sites are hashes, because darshan-convert has anonymized
    them."""
    return bool(names) and all(map(_HASH.fullmatch, names))


def lines_from(rows: Iterable[tuple[str, Measured]], objects: Objects, look_up: bool) -> list[Line]:
    """Returns the lines of code of call sites, the costliest first. rows: name and sums of each
    call site. objects: finds functions and lines. look_up: whether to read programs and libraries;
    without it, native frames have no functions or lines."""
    sites = [Site(stack_of(name), sums) for name, sums in rows]
    if look_up:
        objects.look_up(_users(sites, objects))
    _settle(sites, objects)
    return _lines(sites)


def sites_of(log: Log) -> list[Site]:
    """Returns the call sites of a log, ordered by time, longest first; empty if it has none. Does
    not open programs or libraries, so native frames have no functions or lines. Raises LogError if
    the records are damaged."""
    found = _read(log)
    if found is None:
        return []
    sites, objects, _ = found
    _settle(sites, objects)
    return sites


def _starts(known: Processes | None) -> dict[str, list[float]]:
    """Returns the start times of processes, by the name of their program, and by this name with the
    first argument ("git gc"), in seconds since the start of the run. A row of the process table may
    represent several processes; only the start of the first is known. Leaves out forked copies,
    which no line of a script started."""
    found: dict[str, list[float]] = {}
    for place in range(len(known) if known is not None else 0):
        if known is not None and not known.programs[place].worker:
            name, first = known.programs[place].name, known.commands[place].split(" ", 2)[1:2]
            for key in (name, *(f"{name} {word}" for word in first)):
                found.setdefault(key, []).append(float(known.start[place]))
    return found


def lines_of(log: Log, most: int) -> Lines | None:
    """Returns the lines of code of a log; None if it has no call sites. most: for how many lines,
    the costliest, the functions in libraries and the names of files are looked up (Lines.lines).
    Raises LogError if the records are damaged."""
    read = _read(log)
    if read is None:
        return None
    sites, objects, hidden = read
    objects.look_up(_users(sites, objects))
    _settle(sites, objects)
    found = _lines(sites)
    whole = Measured()
    for line in found:
        whole.add(line.sums)
    used = {one for line in found[:most] for one in line.sums.files.most()[:FILES_SHOWN]}
    files = {one: log.name(one) or "" for one in used}
    command = log.info.exe
    scripts = {**text_of(command), **script_of(command)}
    shown = found[:most]
    tree = processes(log)
    more = (objects, files, scripts, command, _starts(tree), above(tree))
    lines = Lines(shown, len(found), whole, [], hidden, found, *more)
    for line in lines.lines:
        lines.look_up(line)
    lines.problems.extend(_problems(lines.lines, objects))
    return lines
