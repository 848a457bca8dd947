"""Finds the line of code behind a finding, from the call sites of a log.

Each kind of finding is about certain kinds of calls. The chosen line has at least half of these
calls, or of their time, and the sentence gives its percentage. If a line used the files in the
finding's evidence, it is preferred. Otherwise a line is preferred that made about as many calls as
the evidence has for one file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..call_sites import told
from ..call_sites.installed import is_installed
from ..call_sites.lines import Line, Lines
from ..call_sites.measured import (
    CLOSE,
    KINDS,
    LOOKUP,
    OPEN,
    OTHER,
    READ,
    SEEK,
    SYNC,
    WRITE,
    Measured,
)  # fmt: skip
from ..call_sites.stack import IMPORT, STARTS
from ..call_sites.waits import looks_of
from ..call_sites.without import program_of, reason
from ..classes import dataclass
from ..show.text import shorten
from ..units import share
from .callers import called_at
from .finding import GOOD, Evidence, Finding
from .programs.starters import starter

_ENOUGH = 0.5  # share of the calls or seconds that one line must have
_EQUAL = 0.02  # relative difference up to which two numbers of calls count as equal
_NAME = 48  # characters of a function in the sentence
_OF_NODE = "(module)"  # the outer function of a file, as node names it
_MANY_MORE = 20  # times as many calls
_NEARLY_ALL = 0.8  # share of the time in calls that decides, whatever files the calls are on
_SEVERAL = 20  # fewest calls whose number identifies a line
_NAMES = (OPEN, CLOSE, SEEK, LOOKUP, OTHER)
_DATA = (READ, WRITE)
_HDF5, _MPIIO, _ANY = r"H5|nc_", r"P?MPI_File_|ncmpi", rf"(?!{STARTS})"
_MAPPING = "m(?:un|re)?map|madvise|mlock"
_NAMING = rf"{_ANY}(?!{_MAPPING})"
# Calls on files alone: a program that opens a file anew opens its datasets as often, elsewhere.
_HDF5_FILE = r"H5F|nc__?(?:open|create|close)"
_CALL = rf"(?!{IMPORT}$)"
_CALLS, _SECONDS, _BYTES, _SMALL, _GAPS = "calls", "seconds", "bytes", "small calls", "gaps"
_PAUSES = "pauses"  # sleeps between look-ups of awaited files
_IN_VAIN = 1e-6  # weight of the pauses at a line that found no file, so that other lines come first
_STARTS = "starts"
_PROGRAM = "program"  # starts of the program that the finding names
_ON_FILES, _BYTES_ON_FILES = "calls on files", "bytes on files"
# Text for a part of each measure, after a percentage, and text for all of it.
_OF = {
    _CALLS: ("of such calls", "all such calls"),
    _SECONDS: ("of the time in such calls", "all of the time in such calls"),
    _BYTES: ("of the bytes of such calls", "all bytes of such calls"),
    _SMALL: ("of such calls that are small", "all such calls that are small"),
    _STARTS: ("of the starts of processes", "all starts of processes"),
    _PROGRAM: ("of the starts of processes", "all starts of processes"),
    _GAPS: ("of the time before such calls", "all of the time before such calls"),
    _PAUSES: ("of the sleeps before look-ups", "all sleeps before look-ups"),
    _ON_FILES: ("of such calls on these files", "all such calls on these files"),
    _BYTES_ON_FILES: (
        "of the bytes of such calls on these files",
        "all bytes of such calls on these files",
    ),
}
_WHOLE = share(1.0, 1.0)
_THE_FILES, _THESE = "the file's", "these"
_WORDS = {
    READ: "reads",
    WRITE: "writes",
    OPEN: "opens",
    SEEK: "seeks",
    SYNC: "flushes or syncs",
    LOOKUP: "questions",
}


@dataclass(frozen=True)
class About:
    """The calls that a finding is about: their kinds, the functions that were called, and the
    measure by which the costliest line is chosen."""

    kinds: tuple[int, ...]
    called: str = _ANY  # pattern for the start of the function that the program called
    by: str = _SECONDS  # the measure
    # Kinds that replace `kinds` if the evidence has many more of their calls, or if only they have
    # sites.
    instead: tuple[int, ...] = ()
    # Kinds that alone count if the run has such calls on the finding's files. For example, the line
    # that writes data decides how they are stored.
    before: tuple[int, ...] = ()


# Rows by the start of the diagnosis's name. The first row that matches counts.
_ABOUT = (
    ("across-the-grain", About(_DATA, _HDF5)),
    ("aggregators", About(_DATA, _MPIIO)),
    ("blocking-only", About(_DATA, _MPIIO)),
    ("chunk-size", About(_DATA, _HDF5, before=(WRITE,))),
    ("chunk-", About(_DATA, _HDF5)),
    ("chunks-rewritten", About((WRITE,), _HDF5)),
    ("collective-metadata", About(_NAMES, _HDF5)),
    ("collective-not-aggregated", About(_DATA, _MPIIO)),
    ("checkpoints-often", About((WRITE,), _ANY, _BYTES)),
    ("between-calls", About(_DATA, _CALL, _GAPS)),
    ("bytewise-input", About(KINDS, _CALL, _GAPS)),
    ("conversion-reading", About((READ,), _CALL, _GAPS)),
    ("conversion-writing", About((WRITE,), _CALL, _GAPS)),
    ("compared-whole", About((READ,), _ANY, _BYTES)),
    ("compressed-and-removed", About((WRITE,), _ANY, _GAPS)),
    ("compressed-in-a-pipe", About((OTHER,), STARTS, _PROGRAM)),
    ("copied-and-removed", About(_DATA, _ANY, _BYTES)),
    ("costly-between", About(KINDS, _CALL, _GAPS)),
    ("costly-communication", About(KINDS, f"{_HDF5}|{_MPIIO}")),
    ("costly-hdf5", About(KINDS, _HDF5)),
    ("costly-mpiio", About(KINDS, _MPIIO)),
    ("costly-listings", About((LOOKUP,))),
    ("costly-lookups", About((LOOKUP,))),
    ("costly-mappings", About((OTHER,), _MAPPING)),
    ("costly-opens", About(_NAMES, _NAMING, _SECONDS)),
    ("costly-reads", About((READ,))),
    ("costly-syncs", About((SYNC,))),
    ("costly-writes", About((WRITE,))),
    ("costly-buffers", About(_DATA)),
    ("dataset-read-by-all", About((READ,), f"{_HDF5}|ncmpi")),
    ("element-wise", About(_DATA, _HDF5, _CALLS)),
    ("failed-lookups", About((LOOKUP,), _ANY, _CALLS)),
    ("files-as-messages", About((OPEN,), _ANY, _CALLS)),
    ("file-per-process", About((OPEN, CLOSE))),
    ("fill-values", About((OPEN, WRITE), _HDF5)),
    ("flush-per-chunk", About((SYNC, CLOSE))),
    ("gpu-compatibility", About(_DATA, "(?:cu|hip)File", _BYTES)),
    ("hdf5-file-time", About(KINDS, _HDF5)),
    ("hdf5-opened-again", About((OPEN,), _HDF5_FILE, _CALLS)),
    ("header-moves", About(_DATA, _ANY, _BYTES)),
    ("imbalance", About(_DATA)),
    ("independent-shared-read", About((READ,))),
    ("independent-shared-write", About((WRITE,))),
    ("line-buffered", About((WRITE, SYNC), _ANY, _CALLS)),
    ("kernel-work-copies", About(_DATA, _CALL, _GAPS)),
    ("kernel-work-mapped", About((OTHER,), "mmap")),
    ("kernel-work-reads", About(KINDS, _CALL, _GAPS)),
    ("kernel-work-tasks", About(KINDS, _CALL, _GAPS)),
    ("listed-again", About((LOOKUP,), _ANY, _CALLS)),
    ("little-compression", About(_DATA, _HDF5, before=(WRITE,))),
    ("made-at-start", About((WRITE,), _ANY, _BYTES)),
    ("loaded-whole", About((READ, OPEN), _ANY, _BYTES)),
    ("maintained-each", About((OTHER,), STARTS, _PROGRAM)),
    ("many-objects", About((*_NAMES, READ, WRITE), _HDF5)),
    ("many-small-files", About((OPEN,), _ANY, _CALLS)),
    ("memory-alignment", About(_DATA)),
    ("metadata", About(_NAMES, _NAMING)),
    ("mpi-io-itself", About(_DATA, _MPIIO)),
    ("mapped-again", About((OTHER,), "m(?:un|re)?map")),
    ("mpi-io-opened-again", About((OPEN, CLOSE), _MPIIO)),
    ("no-mpi-io", About(_DATA)),
    ("failed-imports", About((LOOKUP,), IMPORT)),
    ("old-pickle", About((READ,), _ANY, _GAPS)),
    ("objects-searched", About((*_NAMES, READ), _HDF5)),
    ("one-process-does-all", About(_DATA)),
    ("opened-again", About((OPEN,), _ANY, _CALLS, (LOOKUP,))),
    ("random-access-read", About((READ,), _ANY, _CALLS)),
    ("random-access-write", About((WRITE,), _ANY, _CALLS)),
    ("ranks-wait-for-io", About((*_DATA, *_NAMES, SYNC))),
    ("read-by-", About((READ,), _ANY, _BYTES)),
    ("read-modify-write", About(_DATA, _MPIIO)),
    ("read-write-alternation", About(_DATA, _ANY, _CALLS)),
    ("rotated-often", About((OTHER, LOOKUP, OPEN))),
    ("rewritten-by-processes", About((OTHER,), STARTS, _STARTS)),
    ("rewritten-whole", About((WRITE,), _ANY, _BYTES)),
    ("same-bytes-again-read", About((READ,), _ANY, _BYTES)),
    ("same-bytes-again-written", About((WRITE,), _ANY, _BYTES)),
    ("row-groups", About(KINDS, _CALL, _GAPS)),
    ("saved-by-each", About((WRITE,), _ANY, _BYTES)),
    ("scattered-selection-reads", About((READ,), _HDF5)),
    ("scattered-selection-writes", About((WRITE,), _HDF5)),
    ("seeks", About((SEEK,), _ANY, _CALLS)),
    ("sent-to-workers", About((OTHER,), STARTS, _STARTS)),
    ("shared-file-contention", About(_DATA)),
    ("shared-pointer", About(_DATA, r"MPI_File_i?(?:read|write)_(?:shared|ordered)")),
    ("shared-across-fork", About((OPEN,), _CALL, _CALLS)),
    ("sieve-buffer-read", About((READ,), _HDF5)),
    ("sieve-buffer-write", About((WRITE,), _HDF5)),
    ("sleeps-between-look-ups", About((LOOKUP,), _ANY, _PAUSES)),
    ("slowing-down", About(_DATA, _CALL)),
    ("synced-streams", About((READ, SYNC, OTHER), "getc|ungetc|getwc|fflush")),
    ("small-accesses-read", About((READ,), _ANY, _SMALL)),
    ("small-accesses-write", About((WRITE,), _ANY, _SMALL)),
    ("slow-compression", About((WRITE,), _HDF5)),
    ("holes-read", About((READ,), _ANY, _BYTES)),
    ("slow-text", About((READ,), _CALL, _GAPS)),
    ("stdio-bulk", About(_DATA, _ANY, _BYTES)),
    ("character-calls", About(_DATA, _ANY, _CALLS)),
    ("stream-each", About((OPEN,), "fdopen", _CALLS)),
    ("stream-flushes", About((SYNC, WRITE), _ANY, _CALLS)),
    ("stream-seeks", About((SEEK,), _ANY, _CALLS)),
    ("stream-steps", About((SEEK,), _ANY, _CALLS)),
    ("spins-for-a-lock", About((LOOKUP,), _ANY, _CALLS)),
    ("staged-copy", About((WRITE,), _ANY, _BYTES)),
    ("syncs", About((SYNC,), instead=(WRITE,))),  # writes to files that were opened with O_SYNC
    ("threads-in-turn", About((READ,), _ANY, _CALLS)),
    ("tiny-collective", About(_DATA, _MPIIO, _CALLS)),
    ("unseen-mapped", About((OTHER,), "mmap")),
    ("unaligned", About(_DATA, _ANY, _CALLS)),
    ("unbuffered-stream-read", About((READ,), _ANY, _CALLS)),
    ("unbuffered-stream-write", About((WRITE,), _ANY, _CALLS)),
    ("written-in-turns", About((OPEN,), _ANY, _CALLS)),
    ("variable-length", About(_DATA, _HDF5, before=(WRITE,))),
    ("waits-for-a-file", About((LOOKUP,), _ANY, _CALLS, (OPEN,))),
    ("waits-for-locks", About((OTHER,), r"flock|lockf|fcntl")),
    ("waiting-in-mpi-io", About(_DATA, _MPIIO)),
    ("whole-file-copy", About(_DATA, _ANY, _BYTES)),
    ("asked-one-by-one-many", About((OTHER,), STARTS, _STARTS)),
    ("asked-one-by-one-manager", About((OTHER,), STARTS, _STARTS)),
    ("asked-one-by-one", About(KINDS, _CALL, _GAPS)),
    ("process-each", About((OTHER,), STARTS, _STARTS)),
    ("pieces-rewritten", About(_DATA, _CALL, _GAPS)),
    ("program-files", About(KINDS, IMPORT)),
    ("repeated-by-processes", About((OTHER,), STARTS, _STARTS)),
)  # fmt: skip
_FAULTS = "mapped-faults"
_NO_CALLS = (
    "no line: page faults are not calls, so the log has no stack of them; look where the mapped "
    "file is used"
)
# Findings without a line: about hosts, targets, what was not recorded, or page faults.
WITHOUT = (
    "deprecated-calls",
    "incomplete",
    "loader-bound-training",
    "long-imports",
    "mapped-faults",
    "ranks-outnumber-processors",
    "slow-hosts",
    "slow-targets",
    "storage-targets",
    "unseen-hdf5",
    "unseen-io-uring",
    "unseen-programs",
    "unseen-storage",
    "whole-tables",
)
# For each kind of calls, the counters of the evidence that count them.
_COUNTED = {
    READ: re.compile(r"(?:POSIX|STDIO|H5D|MPIIO)_(?:INDEP_|COLL_)?READS"),
    WRITE: re.compile(r"(?:POSIX|STDIO|H5D|MPIIO)_(?:INDEP_|COLL_)?WRITES"),
    OPEN: re.compile(r"(?:POSIX|STDIO|H5F|H5D)_OPENS"),
    SEEK: re.compile(r"(?:POSIX|STDIO)_SEEKS"),
    SYNC: re.compile(r"(?:POSIX_FSYNCS|POSIX_FDSYNCS|STDIO_FLUSHES|H5F_FLUSHES)"),
    LOOKUP: re.compile(r"(?:POSIX_STATS|POSIX_EXT_MISSES|POSIX_EXT_LISTINGS)"),
}


@dataclass(frozen=True)
class Blame:
    """The line of code that made most calls of the kind that a finding is about, with a text that
    names it; or a text with the reason why no line is named."""

    text: str  # "at train.py:31, in load (through numpy.load): 92 % of such calls"
    line: Line | None  # None: no line has at least half
    through: str  # library function that the line called; empty if none
    share: float  # 0 to 1: the part of the calls that the line, or the largest line, has
    lines: int  # number of lines with such calls


def part_of(line: Line, about: About, by: str = "") -> float:
    """Returns how much of the calls that a finding is about a line made: their number, seconds or
    bytes; 0 if it made none of them. by: the measure, such as _CALLS, _SECONDS, _GAPS or _BYTES; ""
    for the measure of `about`."""
    by = by or about.by
    if by == _PAUSES:
        looks = looks_of(line.sites)
        return looks.late or looks.seconds * _IN_VAIN if looks is not None else 0.0
    found = 0.0
    for site in line.sites:
        if not re.match(about.called, site.stack.called):
            continue
        sums = site.sums
        if by == _SECONDS:
            found += sum(sums.seconds_of[kind] for kind in about.kinds)
        elif by == _GAPS:
            found += sum(sums.gaps) * any(sums.calls_of[kind] for kind in about.kinds)
        elif by == _BYTES:
            found += sums.read * (READ in about.kinds) + sums.written * (WRITE in about.kinds)
        else:
            found += sum(_calls(site.sums, kind, by == _SMALL) for kind in about.kinds)
    return found


def _calls(sums: Measured, kind: int, small: bool) -> float:
    """Returns the number of calls of a kind. small: counts only transfers of at most 10 KiB, if the
    sizes are known."""
    whole = sums.calls_of[kind]
    if small and kind in _DATA:
        place = kind - READ
        return whole - (sums.sized[place] - sums.small[place])
    return whole


def _largest(lines: Sequence[Line], part: Callable[[Line], float]) -> tuple[Line, float, int]:
    """Returns the line with the largest amount, its fraction of the total (0 if the total is 0),
    and the number of lines with an amount above 0. lines: at least one. part: returns the amount of
    a line."""
    parts = [part(line) for line in lines]
    place = max(range(len(parts)), key=parts.__getitem__)
    whole = sum(parts)
    return lines[place], parts[place] / whole if whole > 0 else 0.0, sum(p > 0 for p in parts)


def _counted(finding: Finding, about: About) -> set[float]:
    """Returns the numbers of calls that the finding's evidence has for single files; for a finding
    about starts of processes, the number of its processes. Leaves out numbers below 20."""
    if about.by == _STARTS:
        return {float(finding.processes)} if finding.processes >= _SEVERAL else set()
    return {
        float(row.value)
        for row in finding.evidence
        for kind in about.kinds
        if row.record and row.value >= _SEVERAL and kind in _COUNTED
        if _COUNTED[kind].fullmatch(row.counter)
    }


def _equal(lines: Sequence[Line], finding: Finding, about: About) -> tuple[Line, str] | None:
    """Returns the line whose number of calls differs by at most the fraction _EQUAL from one that
    the evidence has for a file, and text with the line's number ("the file's 401 reads"). Returns
    None unless exactly one line has such a number."""
    wanted = _counted(finding, about)
    found: dict[int, tuple[Line, str]] = {}
    for place, line in enumerate(lines):
        for kind in about.kinds:
            made = part_of(line, About((kind,), about.called), _CALLS)
            words = _WORDS.get(kind, "calls") if about.by != _STARTS else _STARTS
            whose = _THESE if about.by == _STARTS else _THE_FILES
            if line.place is not None and any(
                abs(made - number) <= _EQUAL * number for number in wanted
            ):
                found.setdefault(place, (line, f"{whose} {made:,.0f} {words}"))
    return next(iter(found.values())) if len(found) == 1 else None


def _ids(finding: Finding) -> set[int]:
    """Returns the record ids of the files and objects that a finding's evidence names."""
    return {row.id for row in finding.evidence if row.id is not None and row.record}


def _used(line: Line, ids: set[int], about: About) -> float:
    """Returns how many of a finding's calls, or bytes, a line used for the files `ids`. This is a
    lower bound, because a call site lists only some of its files."""
    whole = 0.0
    for site in line.sites:
        one = Line([site], site.sums)
        if (calls := part_of(one, about, _CALLS)) > 0:
            files = site.sums.files
            amounts = files.moved if about.by == _BYTES else files.calls
            small = part_of(one, about) / calls if about.by == _SMALL else 1.0
            whole += small * sum(amounts[file] for file in ids)
    return whole


def _of_files(lines: Sequence[Line], finding: Finding, about: About) -> tuple[Line, float] | None:
    """Returns the line that used the files in the finding's evidence most, and its fraction of this
    use; None if that is less than half, or if the call sites may not list these files."""
    ids = _ids(finding)
    line, part, _ = _largest(lines, lambda one: _used(one, ids, about))
    if part < _ENOUGH:
        return None
    # A record lists only four files. A line that used many files may have used these files more
    # than the record shows.
    busiest, _, _ = _largest(lines, lambda one: part_of(one, about))
    told_of = sum(busiest.sums.files.calls.values())
    return None if told_of < _ENOUGH * busiest.sums.calls else (line, part)


def _place(found: Lines, line: Line, about: About) -> tuple[str, str]:
    """Returns a line as text ("train.py:31, in load (through numpy.load)"), and the library
    function through which it made the calls; "" if it made them itself."""
    found.look_up(line)
    ((where, function),) = told.places_of([line])
    site = max(line.sites, key=lambda site: part_of(Line([site], site.sums), about))
    through = told.library_call(site)
    text = f"{where}, in {shorten(function, _NAME)}" if function else where
    if function == _OF_NODE:
        text += ", or in a function that node inlined into it"
    if site.stack.called == IMPORT:
        text += " (an import)"
    text += f" (through {shorten(through, _NAME)})" if through else ""
    caller = called_at(line, lambda site: part_of(Line([site], site.sums), about))
    return text + (f", called at {caller}" if caller else ""), through


def _chosen(lines: Sequence[Line], finding: Finding, about: About) -> tuple[Line, float, str, int]:
    """Returns the line with most of a finding's calls, its fraction of them, this fraction as text,
    and the number of lines with such calls. If the line was chosen by its number of calls, the text
    has this number."""
    whole = sum(part_of(line, about) for line in lines)
    line, part, number = _largest(lines, lambda one: part_of(one, about))
    by_files = _of_files(lines, finding, about)
    if by_files is not None:
        # Calls that wait and calls that do not may be equally many, so the time decides which line
        # waits.
        most = by_files[0] is line or part >= _NEARLY_ALL
        if about.by == _SECONDS and most and part > by_files[1]:
            return line, part, _told(part, about.by), number
        by = _BYTES_ON_FILES if about.by == _BYTES else _ON_FILES
        return (*by_files, _told(by_files[1], by), number)
    same = _equal(lines, finding, about)
    if same is not None:
        one, calls = same
        made = part_of(one, about)
        return one, made / whole if whole > 0 else 0.0, calls, number
    if part < _ENOUGH:
        # A line with most calls may cost little compared with other lines, and the reverse.
        other = _CALLS if about.by == _SECONDS else _SECONDS
        again, share_again, _ = _largest(lines, lambda one: part_of(one, about, other))
        if share_again >= _ENOUGH:
            return again, share_again, _told(share_again, other), number
    return line, part, _told(part, about.by), number


def _told(part: float, by: str) -> str:
    """Returns a fraction as text: "92 % of such calls", "all such calls". by: the measure."""
    shown = share(part, 1.0)
    some, everything = _OF[by]
    return everything if shown == _WHOLE else f"{shown} {some}"


def _has_no_line(found: Lines, line: Line) -> bool:
    """Returns whether a line has no code of the user, or is only an address in an installed program
    without symbols."""
    found.look_up(line)
    place = line.place
    if place is None:
        return True
    return not place.file and not place.function and is_installed(place.object)


def _without(found: Lines, line: Line, about: About, part: float, number: int) -> Blame | None:
    """Returns a Blame with the reason why a finding's calls have no line of code; None if the
    reason is unknown. part: the line's fraction of the calls. number: of lines with such calls."""
    site = max(line.sites, key=lambda site: part_of(Line([site], site.sums), about))
    why = reason(site, found.scripts)
    return Blame(f"no line: {why}", None, "", part, number) if why else None


def _started(found: Lines, line: Line, about: About, part: float) -> Blame | None:
    """Returns the line of code that started a program, for a finding whose calls were made by a
    program without lines. Returns None if the program was the first process, or if the line is
    unknown. part: fraction of the calls."""
    site = max(line.sites, key=lambda site: part_of(Line([site], site.sums), about))
    return _starting(found, program_of(site), part)


def _starting(found: Lines, program: str, part: float) -> Blame | None:
    """Returns the line of code that started a program, or the program that then started this one;
    None if it was the first process, or if the line is unknown. part: fraction of the calls."""
    first = found.command.split(" ", 1)[0].rsplit("/", 1)[-1]
    if not program or program == first or found.scripts.get(program):
        return None
    above = found.above.get(program, "")
    for name, words in ((above, f"{above}, for which {program} runs"), (program, program)):
        start = starter(found, name) if name else None
        if start is not None and not _has_no_line(found, start):
            text, through = _place(found, start, About((OTHER,), STARTS, _STARTS))
            return Blame(f"at {text}, which starts {words}", start, through, part, 1)
    return None


def about_of(name: str, *, instead: bool = False) -> About | None:
    """Returns which calls the findings of a diagnosis are about; None if its findings have no line
    of code. name: of the diagnosis. instead: with the alternative kinds of calls (About.instead),
    if it has any."""
    found = next((about for start, about in _ABOUT if name.startswith(start)), None)
    return replace(found, kinds=found.instead) if found and found.instead and instead else found


def _has_more(finding: Finding, about: About) -> bool:
    """Returns whether a finding's evidence has many more calls of the kinds `instead` than of the
    kinds `kinds`. A few more are normal, because a library makes several queries for each file that
    it opens."""

    def calls(kinds: Sequence[int]) -> float:
        patterns = [_COUNTED[kind] for kind in kinds if kind in _COUNTED]
        return sum(
            r.value for r in finding.evidence if any(p.fullmatch(r.counter) for p in patterns)
        )

    return calls(about.instead) > _MANY_MORE * calls(about.kinds)


def _with_objects(found: Lines, finding: Finding) -> Finding:
    """Returns the finding with more evidence: the datasets in its files. A call site of a read has
    the dataset, while a call site of an open has the file."""
    files = {row.record for row in finding.evidence if row.record and ":" not in row.record}
    inside = [
        Evidence("", name, "", 0, number)
        for number, name in found.names.items()
        if ":" in name and name.partition(":")[0] in files
    ]
    return replace(finding, evidence=(*finding.evidence, *inside)) if inside else finding


def blame(found: Lines | None, finding: Finding) -> Blame | None:
    """Returns the line of code behind a finding, or the reason why it has none. Returns None if the
    call sites do not show either, for a GOOD finding, and for a log with anonymized names. found:
    the log's call sites by line; None: the log has none."""
    if found is None or not found.every or found.is_anonymous or finding.kind == GOOD:
        return None
    if finding.name.startswith(_FAULTS):
        return Blame(_NO_CALLS, None, "", 0.0, 0)
    finding = _with_objects(found, finding)
    about = _about(found, finding)
    if about is not None and about.before:
        first = replace(about, kinds=about.before)
        ids = _ids(finding)
        about = first if any(_used(line, ids, first) > 0 for line in found.every) else about
    if about is not None and about.called == _ANY:
        about = _in_library(found.every, finding, about)
    return _blamed(found, finding, about) if about else None


def _in_library(lines: Sequence[Line], finding: Finding, about: About) -> About:
    """Returns which calls a finding is about: calls of HDF5, netCDF and MPI-IO if only these used
    the finding's files, otherwise `about`. A call site stores the call that the program made, so
    POSIX reads below an H5Oopen are not treated as reads."""
    ids = _ids(finding)
    libraries = About(KINDS, f"{_HDF5}|{_MPIIO}")
    if any(_used(line, ids, replace(about, by=_CALLS)) > 0 for line in lines):
        return about
    return libraries if any(_used(line, ids, libraries) > 0 for line in lines) else about


def _about(found: Lines, finding: Finding) -> About | None:
    """Returns which calls a finding is about; None if they have no line."""
    first, second = about_of(finding.name), about_of(finding.name, instead=True)
    if first is None or second is None or not first.instead:
        return first
    order = (second, first) if _has_more(finding, first) else (first, second)
    return next((a for a in order if any(part_of(one, a) for one in found.every)), None)


def _blamed(found: Lines, finding: Finding, about: About) -> Blame | None:
    if about.by == _PROGRAM:
        return _starting(found, finding.programs, 1.0)
    line, part, of, number = _chosen(found.every, finding, about)
    if number == 0:
        return None
    if _has_no_line(found, line):
        return _started(found, line, about, part) or _without(found, line, about, part, number)
    text, through = _place(found, line, about)
    if part >= _ENOUGH or of.startswith((_THE_FILES, _THESE)):
        return Blame(f"at {text}: {of}", line, through, part, number)
    text = f"no single line: {number:,} lines, the largest is {text} with {of}"
    return Blame(text, None, through, part, number)
