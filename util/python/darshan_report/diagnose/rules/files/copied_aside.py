"""Files are written, copied to another place of the same file system, and removed."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator

from ....classes import dataclass
from ....units import amount, plural
from ...accesses.copies import File, Renamed, removed_of, renamed_of
from ...facts import Facts
from ...finding import CAUSE, NOTICE, PROBLEM, Finding, Remedy
from ...programs.responsible_programs import users
from ...programs.used_through import used_through
from ...reached import needs

NAME = "copied-and-removed"
ROLE = CAUSE
_KERNEL = ("SENDFILES", "COPY_RANGES", "SPLICES")  # calls that copy without a change
_COPIERS = frozenset(("cp", "mv", "install", "rsync", "dd"))
_LIBRARIES = r"shutil\.|File::Copy|FileUtils"
_EXAMPLE = (
    "C: rename(source, target);\n"
    "C++: std::filesystem::rename(source, target);\n"
    "Fortran: call rename(source, target)  ! of gfortran and others\n"
    "Rust: std::fs::rename(source, target)?;\n"
    "Go: err := os.Rename(source, target)\n"
    "Python: os.replace(source, target)  # or shutil.move\n"
    "Perl: rename $source, $target;\n"
    "Ruby: File.rename(source, target)\n"
    "R: file.rename(source, target)\n"
    "Node: fs.renameSync(source, target)\n"
    "Java: Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);\n"
    "shell: mv SOURCE TARGET  # not: cp SOURCE TARGET; rm SOURCE"
)


@dataclass(frozen=True)
class _Pair:
    """A file that was removed, and the one that received as many bytes and stayed; both by their
    record ids."""

    source: int
    target: int
    bytes: float
    seconds: float
    is_copy: bool  # a call or a program that changes no byte made it


@needs("POSIX", "POSIX_EXT")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields at most one finding on files that the run wrote, copied whole into the same file
    system, and removed. It is a hint if their contents may have been changed on the way."""
    pairs = _pairs(facts)
    certain = [pair for pair in pairs if pair.is_copy]
    pairs = certain or pairs
    posix = facts.table("POSIX")
    if not pairs or posix is None:
        return
    moved = sum(pair.bytes for pair in pairs)
    stake = facts.stake(
        sum(pair.seconds for pair in pairs),
        "time of reading the files for the copies, of writing the copies and of removing the files",
        int(moved),
        int(posix.sum("BYTES_WRITTEN")),
    )
    if not facts.worth(stake):
        return
    first = max(pairs, key=lambda pair: pair.bytes)
    more = f"; the same holds for {plural(len(pairs) - 1, 'more file')}" if len(pairs) > 1 else ""
    doubt = "" if certain else (
        " The log has the bytes of both, and not their contents: if these differ, the second file "
        "is no copy."
    )  # fmt: skip
    place = posix.place(first.target)
    yield Finding(
        NAME,
        "Files are copied and removed instead of renamed",
        f"The run wrote {facts.own_name(first.source)}, read it, wrote as many bytes to "
        f"{facts.own_name(first.target)}, and removed the first{more}. Both are on one file "
        f"system, where a rename moves no bytes: {amount(moved)} were read and written again."
        f"{doubt}",
        kind=PROBLEM if certain else NOTICE,
        is_hint=not certain,
        stake=stake,
        evidence=() if place is None else facts.rows(posix, place, "BYTES_WRITTEN", "F_WRITE_TIME"),
        remedy=Remedy(
            "Rename the file: its readers see all of it or nothing, and no byte is copied. Where "
            "source and target may be on different file systems, write the file under a temporary "
            "name in the folder where it belongs, and rename it there.",
            _EXAMPLE,
        ),
        limits=("copy.bytes",),
        covers=frozenset(number for pair in pairs for number in (pair.source, pair.target)),
    )


def _pairs(facts: Facts) -> list[_Pair]:
    """Returns the files that were written, read and removed, each with the file that received as
    many bytes and stayed: a file of the same name in another folder or, if there are several pairs,
    a file with the same extension that was certainly copied without a change. Empty if the log has
    no POSIX_EXT."""
    extra = facts.table("POSIX_EXT")
    if extra is None:
        return []
    gone = removed_of(extra)
    files = renamed_of(facts)
    least = facts.limits["copy.bytes"]
    stayed: dict[tuple[float, str], list[int]] = defaultdict(list)
    for number, file in files.items():
        one = file.sums
        if number not in gone and one.read == 0 and one.written == one.size >= least:
            stayed[one.size, os.path.splitext(facts.own_name(number))[1]].append(number)
    named, alike = list[_Pair](), list[_Pair]()
    for number, seconds in gone.items():
        one = files[number].sums if number in files else File()
        if one.written != one.size or one.size < least or one.read < one.size:
            continue
        name = facts.own_name(number)
        near = [
            other
            for other in stayed.get((one.size, os.path.splitext(name)[1]), ())
            if facts.log.mount(facts.own_name(other)) == facts.log.mount(name)
        ]
        same = [o for o in near if os.path.basename(facts.own_name(o)) == os.path.basename(name)]
        for other in (same or near)[:1]:
            pair = _pair(facts, number, other, files, seconds)
            (named if same else alike).append(pair)
    alike = [pair for pair in alike if pair.is_copy]
    return named + alike if len(named) + len(alike) > 1 else named


def _pair(
    facts: Facts, number: int, other: int, files: dict[int, Renamed], removing: float
) -> _Pair:
    """Returns the pair of a removed file and its copy. number, other: their ids. files: all files,
    by id. removing: seconds in calls on the name of the removed file."""
    source, target = files[number], files[other]
    by_kernel = _has_copied(facts, source.records) and _has_copied(facts, target.records)
    reading = source.sums.reading * min(1.0, source.sums.size / source.sums.read)
    # A call such as sendfile is a read of one file and a write of the other.
    writing = target.sums.writing
    copying = max(reading, writing) if by_kernel else reading + writing
    return _Pair(
        number,
        other,
        target.sums.written,
        copying + target.sums.other + removing,
        by_kernel or _is_copied(facts, target.records),
    )


def _has_copied(facts: Facts, records: list[int]) -> bool:
    """Returns whether calls that copy inside the kernel, such as copy_file_range, were made on a
    file. records: ids of the file's records."""
    extra = facts.table("POSIX_EXT")
    places = [] if extra is None else [extra.place(number) for number in records]
    return any(
        extra is not None and place is not None and float(extra[name][place]) > 0
        for name in _KERNEL
        for place in places
    )


def _is_copied(facts: Facts, records: list[int]) -> bool:
    """Returns whether only programs that copy files, such as cp, or a library's function for
    copying, wrote a file. records: ids of the file's records."""
    if not used_through(facts, _LIBRARIES).isdisjoint(records):
        return True
    posix, tree = facts.table("POSIX"), facts.tree
    if posix is None or tree is None:
        return False
    programs = {
        tree.programs[place].name
        for number in records
        if posix.place(number) is not None
        for place in users(facts, posix, number).tolist()
    }
    return bool(programs) and programs <= _COPIERS
