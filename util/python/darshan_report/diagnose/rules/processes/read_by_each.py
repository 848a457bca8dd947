"""Several processes of one program, which is not an MPI job, each read a whole file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ....measure.processes.processes import Processes
from ....records import among
from ....units import amount, count, plural, seconds
from ...accesses.readers import UNEVEN, at_once
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...programs import program_text
from ...programs.parsing import TEXT
from ...table import Table
from ...times.cpu_wait import real_part
from ...times.loops import Between, between
from ...training.whole_set import once_in_each_epoch
from . import dataset_read_by_all, read_by_each_worker, repeated_by_processes

NAME = "read-by-each"
ROLE = CAUSE
_ONCE = Remedy(
    "Read the file once: before the workers are started, which then share it (an array without a "
    "copy; lists and dicts of Python are copied page by page as they are used), or in one process "
    "that does the work of several. If there must be many processes, use shared memory, or a copy "
    "of the file in the node's memory.",
    "Python: data = load(path)  # before Pool(...), workers of fork have it\n"
    "Python: multiprocessing.shared_memory\n"
    "a copy in /dev/shm\n"
    "shell: grep -e ONE -e OTHER file  # one program for all patterns",
    alone=True,
)
# The lines of a part are those that begin behind its begin, up to one that begins at its end.
_PARTS = Remedy(
    "Each process reads and parses all lines. Give each a part of the file: it seeks to the begin "
    "of its part, skips to the next line, and reads on to the end of the line in which its part "
    "ends. If each needs all lines, parse them once before the workers are started, but only if "
    "the result is small or an array: lists and dicts of Python are copied page by page as they "
    "are used.",
    "Python: file = open(path, 'rb');  file.seek(begin);  begin and file.readline()\n"
    "Python: while file.tell() <= end and (line := file.readline()): ...  # end: the next begin\n"
    "C: fseek(file, begin, SEEK_SET);  if (begin) fgets(line, size, file);\n"
    "C: while (ftell(file) <= end && fgets(line, size, file)) ...  // end: the next begin\n"
    "Perl: seek($file, $begin, 0);  <$file> if $begin;\n"
    "Perl: while (tell($file) <= $end and defined(my $line = <$file>)) { ... }\n"
    "shell: parallel --pipepart -a file --block -1 COMMAND  # a part of the lines for each\n"
    "shell: grep -e ONE -e OTHER file  # or one program for all patterns",
)
_PARSES = 0.5  # time between the reads, for each second of reading
_LINES = 128 << 10  # bytes of a read, at most, of a buffer from which a program takes lines
_MANY = 64  # number of the costliest files whose readers are looked up


def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on all files that each of many processes of one program reads as a whole;
    nothing for MPI jobs or if there are no such files."""
    if facts.tree is None:
        return
    tables = [t for t in map(facts.table, ("POSIX", "STDIO")) if t is not None]
    lost = [_lost(facts, facts.tree, table) for table in tables]
    whole = sum(float(each.sum()) for each in lost)
    more = between(facts, NAME, whole)
    stake = facts.stake(
        whole,
        "time in opening and reading these files, beyond that of one process that reads each of "
        f"them, at a good rate if it can, and of those that wait for it{more.basis}",
        between=more.seconds,
    )
    # A stream of the C library has records in both tables.
    covers = frozenset(int(i) for t, mask in zip(tables, lost) for i in t.ids[mask > 0])
    number = len(covers)
    if number == 0 or not facts.worth(stake):
        return
    most = max(range(len(tables)), key=lambda i: float(lost[i].max(initial=0)))
    table = tables[most]
    (first,) = leading(lost[most] > 0, lost[most], 1)
    size = int(table["MAX_BYTE_READ"][first]) + 1
    yield Finding(
        NAME,
        "Many processes read the same file",
        f"{plural(_readers(table)[first], 'process')} read the {amount(size)} of "
        f"{facts.name(table.ids[first])} independently: {amount(table['BYTES_READ'][first])} in "
        f"{count(table['READS'][first])} reads"
        + (f"; the same holds for {plural(number - 1, 'more file')}" if number > 1 else "")
        + f". That took {seconds(_time(facts, tables, lost))}{facts.over_all}.{more.sentence}",
        stake=stake,
        evidence=facts.rows(
            table, first, "OPENS", "READS", "BYTES_READ", "MAX_BYTE_READ", "F_READ_TIME",
            "F_META_TIME",
        ),
        remedy=_PARTS if _is_parsed(facts, table, first, more) else _ONCE,
        limits=("byeach.processes", "byall.share"),
        covers=covers,
    )  # fmt: skip


def _is_parsed(facts: Facts, table: Table, place: int, more: Between) -> bool:
    """Returns whether the processes take lines from a text file, and work on them for much of the
    time. place: row of the file. more: the time between the reads."""
    pieces = table["BYTES_READ"][place] <= _LINES * max(1, int(table["READS"][place]))
    spent = float(_reading(facts, table)[place]) * real_part(facts)
    is_text = TEXT.search(facts.name(table.ids[place])) is not None
    return is_text and bool(pieces) and more.seconds >= max(_PARSES * spent, 1e-9)


def _readers(table: Table) -> npt.NDArray[np.int64]:
    """Returns, for each file, the number of processes that read it. If the file was also written,
    one of its processes is taken to be the writer, which does not read."""
    return table.processes - (table["BYTES_WRITTEN"] > 0)


def _reading(facts: Facts, table: Table) -> npt.NDArray[np.float64]:
    """Returns, for each file, the seconds in reads; for a stream, only in reads that reached the
    file."""
    if table.prefix == "STDIO" and facts.streams is not None:
        return facts.streams.time("READ")
    return facts.moving(table, "READ")


def _time(facts: Facts, tables: list[Table], lost: list[npt.NDArray[np.float64]]) -> float:
    """Returns the seconds in opens and reads of the files that lost time."""
    pairs = zip(tables, lost)
    return sum(float((_reading(facts, t) + t["F_META_TIME"])[each > 0].sum()) for t, each in pairs)


def _lost(facts: Facts, tree: Processes, table: Table) -> npt.NDArray[np.float64]:
    """Returns the seconds per file that one reader in place of many would save; 0 for all other
    files."""
    size, readers = table["MAX_BYTE_READ"] + 1, _readers(table)
    rules = (repeated_by_processes, read_by_each_worker, dataset_read_by_all)
    # These findings contain all work of the processes.
    repeated = [f for rule in rules for f in facts.found(rule.find)]
    told = np.array([i for f in repeated for i in f.covers], "u8")
    read = table["BYTES_READ"] - facts.unplaced(table, "READ")
    mean = (read + table["BYTES_WRITTEN"]) / np.maximum(table.processes, 1)
    whole = (
        (readers >= facts.limits["byeach.processes"])
        & (read >= facts.limits["byall.share"] * size * readers)
        & (table["BYTES_WRITTEN"] <= size)
        & facts.single(table)
        & ~program_text.which(facts, table)
        & ~among(table.ids, told)
        & ~once_in_each_epoch(facts, table)
        & (table["F_VARIANCE_RANK_BYTES"] <= (UNEVEN * mean) ** 2)
    )
    number = np.maximum(readers, 1)
    reading, names = _reading(facts, table), table["F_META_TIME"]
    found = np.zeros(len(table))
    costly = np.argsort(-np.where(whole, reading + names, 0.0), kind="stable")
    for place in costly[: min(_MANY, int(whole.sum()))]:
        together = at_once(facts, tree, table, int(table.ids[place]))
        if together == 0:
            continue
        n = number[place]
        once = min(reading[place] / n, size[place] / float(facts.good_rate(1)))
        found[place] = max(0.0, reading[place] - together * once)
        found[place] += names[place] * max(0.0, 1 - together / n)
    return found
