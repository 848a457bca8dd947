"""Compares the system calls that strace saw with the counters of the logs, file by file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.log import Log

from .descriptors import Tally

# Beginnings of names that are not compared: those that are never recorded (doc/environment.md), and
# strings that are not names.
EXCLUDED = re.compile(r"/(?:etc|dev|usr|bin|boot|lib|opt|sbin|sys|proc|var)/|<|(?![/<])")

# Field of Tally: counter.
COUNTERS = {
    "opens": "POSIX_OPENS",
    "reads": "POSIX_READS",
    "writes": "POSIX_WRITES",
    "bytes_read": "POSIX_BYTES_READ",
    "bytes_written": "POSIX_BYTES_WRITTEN",
    "seeks": "POSIX_SEEKS",
    "stats": "POSIX_STATS",
    "mmaps": "POSIX_MMAPS",
    "fsyncs": "POSIX_FSYNCS",
    "fdsyncs": "POSIX_FDSYNCS",
}
# Fields of which the counters of a file with streams may be lower than strace's counts: libc's own
# system calls for a stream look like the application's, and the POSIX module does not count them.
BY_STREAM = ("reads", "writes", "bytes_read", "bytes_written", "seeks", "stats", "mmaps")


def by_name(counts: dict[str, Tally], random: str) -> dict[str, Tally]:
    """Returns the counts by file name; files whose names become equal when their random parts are
    replaced are added up. random: regular expression of these parts, "" for none."""
    merged: dict[str, Tally] = {}
    for name, tally in counts.items():
        merged.setdefault(plain(name, random), Tally()).add(tally)
    return merged


def plain(name: str, random: str) -> str:
    """Returns a file name with its random parts replaced by "*". A file without a name (O_TMPFILE),
    which strace shows as "FOLDER/#INODE", gets the name of its folder, as in the call that made
    it."""
    name = re.sub(r"/#\d+$", "", name)
    return re.sub(random, "*", name) if random else name


def recorded(log: Log, random: str) -> dict[str, dict[str, float]]:
    """Returns the counters of each file in POSIX and STDIO together, by file name and counter.
    random: as in `by_name`."""
    rows: dict[str, dict[str, float]] = {}
    for (module, name), counters in log.records.items():
        if module not in ("POSIX", "STDIO") or name.startswith("<"):
            continue
        row = rows.setdefault(plain(name, random), {})
        for counter, value in counters.items():
            row[counter] = row.get(counter, 0) + value
    return rows


def of_posix_alone(name: str, seen: Tally, row: dict[str, float]) -> Iterator[str]:
    """Yields a message for each count of strace that differs from the counter of a file without
    streams; every count must be equal. seen: strace's counts; row: the counters."""
    for kind, counter in COUNTERS.items():
        ours = row.get(counter, 0) - (row.get("POSIX_FILENOS", 0) if kind == "opens" else 0)
        theirs = getattr(seen, kind)
        if ours != theirs:
            yield f"{name}: {counter} {ours:.0f}, strace {theirs}"


def of_streams(name: str, seen: Tally, row: dict[str, float]) -> Iterator[str]:
    """Yields a message for each wrong counter of a file with streams. Some must equal the counts of
    strace; for the rest, these are bounds, because libc buffers. seen: strace's counts; row: the
    counters."""

    def get(counter: str) -> float:
        return row.get(counter, 0)

    exact = {
        "opens": get("POSIX_OPENS")
        - get("POSIX_FILENOS")
        + get("STDIO_OPENS")
        - get("STDIO_FDOPENS"),
        "fsyncs": get("POSIX_FSYNCS"),
        "fdsyncs": get("POSIX_FDSYNCS"),
    }
    # A stream on an inherited descriptor counts as one open.
    if get("POSIX_OPENS") - get("POSIX_FILENOS") == seen.opens:
        exact["opens"] = seen.opens
    exact["bytes_written"] = get("POSIX_BYTES_WRITTEN") + get("STDIO_BYTES_WRITTEN")
    for kind, ours in exact.items():
        if ours != getattr(seen, kind):
            yield f"{name}: {kind} {ours:.0f} with streams, strace {getattr(seen, kind)}"
    for kind in BY_STREAM:
        if get(COUNTERS[kind]) > getattr(seen, kind):
            yield f"{name}: {COUNTERS[kind]} {get(COUNTERS[kind])}, strace {getattr(seen, kind)}"
    read = get("STDIO_BYTES_READ") + get("POSIX_BYTES_READ")
    # A byte that ungetc() pushed back is read again, so each call may add one byte.
    if get("STDIO_SEEKS") == 0 and read > seen.bytes_read + get("STDIO_READS"):
        yield f"{name}: {read:.0f} bytes read from streams, strace {seen.bytes_read}"


def differences(counts: dict[str, Tally], log: Log, random: str, inside: str) -> list[str]:
    """Returns a message for each difference between the logs and the trace. counts: of strace, by
    file name. random: regular expression of random parts of names, "" for none. inside: regular
    expression of names that are not compared, "" for none."""
    seen, rows = by_name(counts, random), recorded(log, random)
    found: list[str] = []
    for name in sorted(seen.keys() | rows.keys()):
        if EXCLUDED.match(name) or (inside and re.search(inside, name)):
            continue
        tally, row = seen.get(name, Tally()), rows.get(name, {})
        if any(counter.startswith("STDIO_") for counter in row):
            found += of_streams(name, tally, row)
        else:
            found += of_posix_alone(name, tally, row)
    return found


def unplaced(log: Log, name: str) -> bool:
    """Returns whether a process wrote a file through an inherited descriptor, whose offset the
    runtime did not know, so that the highest written byte is not recorded."""
    row = log.records.get(("STDIO", name), {})
    by_stream = row.get("STDIO_BYTES_WRITTEN", 0) > row.get("STDIO_MAX_BYTE_WRITTEN", 0) + 1
    beside = log.records.get(("POSIX_EXT", name), {}).get("POSIX_EXT_UNPLACED_WRITTEN", 0)
    return by_stream or beside > 0


def sizes(log: Log, sizes_left: dict[str, int], exempt: str) -> list[str]:
    """Returns a message for each file whose highest recorded written byte is not its last byte.
    sizes_left: size in bytes at the end, by name. exempt: regular expression of names to ignore, ""
    for none."""
    found = []
    for name, size in sizes_left.items():
        if exempt and re.search(exempt, name):
            continue
        highest = -1
        if unplaced(log, name):
            continue
        for module in ("POSIX", "STDIO"):
            row = log.records.get((module, name), {})
            if row.get(f"{module}_BYTES_WRITTEN", 0) > 0:
                highest = max(highest, int(row[f"{module}_MAX_BYTE_WRITTEN"]))
        if highest >= 0 and highest + 1 != size:
            found.append(f"{name}: highest byte written {highest}, size {size}")
    return found
