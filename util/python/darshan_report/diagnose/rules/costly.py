"""A part of the run's time that is large, and that no other diagnosis explains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...units import amount, count, plural, seconds, share
from .. import ledger as rows
from .. import program_text
from ..cpu_wait import latency, real_part
from ..facts import Facts, leading
from ..finding import LAST, NOTICE, PROBLEM, Evidence, Finding, Remedy
from ..language import BLOCKS, FLUSHES, READ_BUFFER, WRITE_BUFFER
from ..overlap import claims
from ..table import Table
from . import lookups

NAME = "costly"
ROLE = LAST
_LARGE = 64 * 1024  # bytes; the time of larger transfers is mostly that of their bytes
_CALLS_OF_A_FILE = 3  # an open, and two questions for attributes
_FEW = 100  # calls; fewer of them are no pattern
_HALF = 0.5  # part of a row that other findings must claim so that this one is left out
_KINDS = {rows.READS: "READ", rows.WRITES: "WRITE"}
# Modules of the evidence of problems that are about a library's own time.
_ABOVE = {
    rows.HDF5: frozenset(("LAYERS", "H5D", "H5F")),
    rows.MPIIO: frozenset(("LAYERS", "MPI-IO", "H5D", "H5F")),
    rows.COMMUNICATION: frozenset(("LAYERS", "MPI-IO", "H5D", "H5F")),
}
_LARGE_CALLS = "These calls are large: a change of their size gains little. "
_CACHED = {
    "READ": "The page cache answered these calls: a change of their size gains little. ",
    "WRITE": "The page cache took these calls; blocks of a megabyte may still save a part of their "
    "time. ",
}
_FEWER_BYTES = (
    "Read only the rows, columns or "
    "variables that are used; keep in memory what is used again; read ahead in a thread while the "
    "program computes."
)
_FEWER_WRITTEN = (
    "Write only what is read later; "
    "write in a thread while the program computes; store numbers as binary, not as text."
)
_OPEN_EXAMPLE = (
    "C: keep the descriptor: one open() before the loop, one close() behind it\n"
    "Python: file = open(path)  # once, before the loop\n"
    "one archive, HDF5 or SQLite file instead of many small files\n"
    "os.scandir(folder) gives types and sizes without a stat for each name"
)
_SYNC_EXAMPLE = (
    "C: fsync(fd) once for each checkpoint, not for each record\n"
    "Python: os.fsync(file.fileno()) once for each checkpoint, not for each record\n"
    "Java: channel.force(false) once for each checkpoint, not for each record\n"
    "SQLite: BEGIN; many INSERTs; COMMIT;"
)
_LIST_EXAMPLE = "names = os.listdir(folder)  # once; look names up in the list"
_BUFFER_EXAMPLE = (
    "C: fread(block, 1, 1 << 20, stream);  fwrite(block, 1, size, stream)\n"
    "Fortran: read(unit) whole_array, in one statement\n"
    "Python: file.read();  file.writelines(lines);  numpy.fromfile(path)"
)


def _is_much(facts: Facts, spent: float) -> bool:
    """Returns whether so many seconds of I/O (over all processes) are too many to leave them
    unreported."""
    part = spent / facts.process_time if facts.process_time > 0 else 0.0
    each = spent / facts.at_once
    if each < facts.limits["stake.seconds"]:
        return False
    if part >= facts.limits["io.fine"]:
        return True
    return each >= facts.limits["row.seconds"] and part >= facts.limits["row.share"]


def find(facts: Facts, others: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Yields a finding for each row of I/O that costs much and that no problem in `others` names;
    so it must run after the other rules."""
    spent = rows.io_rows(facts)
    problems = [f for f in others if f.kind == PROBLEM]
    for key, tell in _TOLD.items():
        claimed = _claimed(problems, key)
        if not _is_much(facts, spent[key]) or claimed >= _HALF * spent[key]:
            continue
        told = tell(facts, key, spent[key])
        if told is not None and not (told.lost > 0 and claimed >= _HALF * told.lost):
            yield _finding(facts, key, told)


def _claimed(problems: Sequence[Finding], key: str) -> float:
    """Returns the seconds of a row that problems claim."""
    kind, above = _KINDS.get(key, "else"), _ABOVE.get(key, frozenset())
    claimed = 0.0
    for finding in problems:
        modules = {row.module for row in finding.evidence}
        if modules & above if above else kind in claims(finding):
            claimed += finding.stake.seconds - finding.stake.between
    return claimed


def _spent(facts: Facts, spent: float) -> str:
    """Describes time in I/O as a part of the run, per process of a job: "1.2 s of 4.0 s (30 %)"."""
    stake = facts.stake(spent, "")
    each = " per process" if stake.ranks > 1 else ""
    whole = share(stake.run, stake.of_run)
    busy = ", without the waits for a processor" if real_part(facts) < 1 else ""
    return f"{seconds(stake.run)} of {seconds(stake.of_run)}{each} ({whole}{busy})"


@dataclass(frozen=True)
class Told:
    """The text of a notice about a row of the ledger; lost: the seconds that a change may save."""

    title: str
    sentence: str
    lost: float
    basis: str
    remedy: Remedy
    evidence: tuple[Evidence, ...]
    covers: frozenset[int] = frozenset()  # ids of the records that took the time


Tell = Callable[[Facts, str, float], "Told | None"]


def _finding(facts: Facts, key: str, told: Told) -> Finding:
    """Returns a notice: calls alone do not show whether the program needs them. It has a stake if
    the seconds that may be saved are worth it."""
    stake = facts.stake(told.lost, told.basis)
    return Finding(
        f"{NAME}-{key}",
        told.title,
        told.sentence,
        NOTICE,
        stake=stake if facts.worth(stake) else facts.stake(0.0, ""),
        evidence=told.evidence,
        remedy=told.remedy,
        limits=("io.fine", "stake.seconds", "row.seconds", "row.share"),
        covers=told.covers,
    )


def _layer(facts: Facts, kind: str) -> tuple[Table, np.ndarray, np.ndarray] | None:
    """Returns the table of a lowest layer in which transfers of this kind took most of the time,
    its seconds, and the calls that took them, per file; program files have none."""
    found = []
    for layer, table in facts.layers:
        if not layer.base:
            continue
        time, calls = facts.moving(table, kind), table[f"{kind}S"].astype("f8")
        own = ~program_text.which(facts, table)
        if layer.module == "STDIO" and facts.streams is not None:
            time = facts.streams.time(kind)
            calls = facts.streams.calls(kind)
            own = own & facts.streams.files
        found.append((table, np.where(own, time, 0.0), np.where(own, calls, 0.0)))
    return max(found, key=lambda f: float(f[1].sum()), default=None)


def _transfers(facts: Facts, key: str, spent: float) -> Told | None:
    """Returns the notice about the time in reads or writes; None if it has nothing to say."""
    kind = _KINDS[key]
    best = _layer(facts, kind)
    if best is None:
        return None
    table, time, calls = best
    moved = table["BYTES_READ" if kind == "READ" else "BYTES_WRITTEN"].astype("f8")
    if table.prefix == "STDIO" and facts.streams is not None:
        moved = facts.streams.moved(kind)
    used = time > 0
    if not used.any():
        return None
    first = leading(used, time, 1)[0]
    number, whole = float(calls[used].sum()), float(moved[used].sum())
    mean = whole / max(number, 1.0)
    each = spent / max(number, 1.0)
    verb, word = ("Reading", "read") if kind == "READ" else ("Writing", "write")
    sentence = (
        f"{_spent(facts, spent)} went into {plural(int(number), word)} of {amount(mean)} on "
        "average, "
        f"{amount(whole)} in total at {amount(whole / max(spent, 1e-9))}/s. "
        f"{_most(facts, table, time, first)}"
    )
    large = mean >= _LARGE or (2 * mean >= facts.limits["stream.buffer"] and each < latency(facts))
    lost = 0.0 if large else float(facts.lost(spent, whole, facts.all_movers))
    remedy = _remedy(kind, large, _LARGE_CALLS if mean >= _LARGE else _CACHED[kind])
    title = f"{verb} takes much of the run" + ("" if large else ", in small pieces")
    return Told(
        title,
        sentence,
        lost,
        f"time of these {word}s beyond what their bytes would take in large ones",
        remedy,
        facts.rows(table, first, f"{kind}S", f"F_{kind}_TIME"),
        frozenset(int(i) for i in table.ids[used]),
    )


def _remedy(kind: str, large: bool, size: str) -> Remedy:
    """Returns the remedy for a notice about transfers; kind: READ or WRITE, large: whether the
    transfers are large, size: a sentence about the size of large ones."""
    if large:
        words = _FEWER_BYTES if kind == "READ" else _FEWER_WRITTEN
        return Remedy(size + words, "")
    if kind == "READ":
        return Remedy(
            "Read more with each call, and read each byte once.", f"{READ_BUFFER}\n{BLOCKS}"
        )
    return Remedy(
        "Collect data in memory and write them together.", f"{FLUSHES}\n{WRITE_BUFFER}\n{BLOCKS}"
    )


def _most(facts: Facts, table: Table, time: np.ndarray, first: int) -> str:
    """Names the file that took most of the time, and how many others took some."""
    name = facts.name(int(table.ids[first]))
    others = int((time > 0).sum()) - 1
    part = share(float(time[first]), float(time.sum()))
    if others <= 0:
        return f"The file is {name}."
    return f"{name} took {part} of it; {plural(others, 'other file')} took the rest."


def _opens(facts: Facts, _: str, spent: float) -> Told | None:
    """Returns the notice about the time in calls on names and descriptors, such as open and stat;
    None if it has nothing to say."""
    tables = [table for layer, table in facts.layers if layer.base]
    if not tables:
        return None

    def own(table: Table) -> np.ndarray:
        return np.where(program_text.which(facts, table), 0.0, table["F_META_TIME"])

    table = max(tables, key=lambda t: float(own(t).sum()))
    time = own(table)
    used = time > 0
    if not used.any():
        return None
    first = leading(used, time, 1)[0]
    opens = sum(float(facts.opens(t)[own(t) > 0].sum()) for t in tables)
    stats = sum(t.sum("STATS") for t in tables if t.has("STATS"))
    seeks = sum(t.sum("SEEKS") for t in tables)
    sentence = (
        f"{_spent(facts, spent)} went into calls that move no bytes: {count(opens)} opens with "
        f"their closes, {count(stats)} queries of file attributes, {count(seeks)} seeks. "
        f"{_most(facts, table, time, first)}"
    )
    files = sum(float(facts.files(t)[own(t) > 0].sum()) for t in tables)
    calls = opens + stats + seeks
    lost = spent if calls > max(_CALLS_OF_A_FILE * files, _FEW) else 0.0
    return Told(
        "Opening, closing, seeking and querying files takes much of the run", sentence, lost,
        "time in these calls",
        Remedy(
            "Open each file once and keep it open; store the data of many small files in one file; "
            "query attributes once, not before each use.",
            _OPEN_EXAMPLE,
        ),
        facts.rows(table, first, "OPENS", "F_META_TIME"),
        frozenset(int(i) for i in table.ids[used]),
    )  # fmt: skip


def _lookups(facts: Facts, _: str, spent: float) -> Told | None:
    """Returns the notice about the time in failed lookups; None if it has nothing to say."""
    extra = facts.table("POSIX_EXT")
    if extra is None:
        return None
    sentence = (
        f"{_spent(facts, spent)} went into {count(extra.sum('MISSES'))} lookups of names that do "
        f"not exist. {lookups.where(facts)}"
    )
    return Told(
        "Looking up names that do not exist takes much of the run",
        sentence.rstrip(),
        spent,
        "time in failed lookups",
        Remedy(
            "Look each name up once and remember the result; list a folder once.", _LIST_EXAMPLE
        ),
        facts.sums(extra, "MISSES", "F_MISS_TIME"),
    )


def _listings(facts: Facts, _: str, spent: float) -> Told | None:
    """Returns the notice about the time in listings of folders; None if it has nothing to say. Time
    may be lost if the same folders were listed before."""
    extra = facts.table("POSIX_EXT")
    if extra is None:
        return None
    again, listed = extra.sum("DIR_REOPENS"), extra.sum("DIR_OPENS")
    return Told(
        "Listing folders takes much of the run",
        f"{_spent(facts, spent)} went into reading {count(extra.sum('DIR_ENTRIES'))} entries of "
        f"folders. {count(again)} of {count(listed)} listings were of a folder that the process "
        "had listed before.",
        spent if again >= _HALF * listed else 0.0,
        "time in listing folders",
        Remedy(
            "List each folder once and keep the names; use more, smaller folders.", _LIST_EXAMPLE
        ),
        facts.sums(extra, "DIR_OPENS", "DIR_REOPENS", "DIR_ENTRIES", "F_LIST_TIME"),
    )


def _syncs(facts: Facts, _: str, spent: float) -> Told | None:
    """Returns the notice about the time in fsync and the like, which wait for storage; None if it
    has nothing to say."""
    extra = facts.table("POSIX_EXT")
    posix = facts.table("POSIX")
    if extra is None:
        return None
    number = posix.sum("FSYNCS") + posix.sum("FDSYNCS") if posix is not None else 0.0
    number += extra.sum("SYNCS") + extra.sum("MSYNCS") + extra.sum("RANGE_SYNCS")
    time = extra["F_FSYNC_TIME"] + extra["F_SYNC_TIME"]
    first = leading(time > 0, time, 1)
    where = f" {_most(facts, extra, time, first[0])}" if first else ""
    sentence = (
        f"{_spent(facts, spent)} went into {count(number)} calls that wait until the data is on "
        f"storage (fsync and the like).{where}"
    )
    return Told(
        "Waiting for storage takes much of the run", sentence, spent,
        "time in these calls; durable data need some of it",
        Remedy(
            "Make data durable once for many changes: fewer, larger commits or checkpoints.",
            _SYNC_EXAMPLE,
        ),
        facts.sums(extra, "F_FSYNC_TIME", "F_SYNC_TIME"),
    )  # fmt: skip


def _buffers(facts: Facts, _: str, spent: float) -> Told | None:
    """Returns the notice about the time in stream calls that a buffer of the C library served; None
    if it has nothing to say."""
    streams = facts.streams
    if streams is None:
        return None
    table = streams.table
    calls = table["READS"] + table["WRITES"]
    moved = table["BYTES_READ"] + table["BYTES_WRITTEN"]
    time = np.where(streams.files, table["F_READ_TIME"] + table["F_WRITE_TIME"], 0.0)
    if not (time > 0).any():
        return None
    first = leading(time > 0, time, 1)[0]
    number, whole = float(calls[streams.files].sum()), float(moved[streams.files].sum())
    sentence = (
        f"{_spent(facts, spent)} went into {count(number)} calls of the C library, which its "
        f"buffers served: {amount(whole / max(number, 1.0))} each on average. "
        f"{_most(facts, table, time, first)}"
    )
    # Much of this time is that of the wrapper, which a run without Darshan does not have.
    return Told(
        "Many small calls of the C library", sentence, 0.0, "",
        Remedy("Move more with each call: a block, a line or a whole array.", _BUFFER_EXAMPLE),
        facts.rows(table, first, "READS", "WRITES", "F_READ_TIME", "F_WRITE_TIME"),
        frozenset(int(i) for i in table.ids[time > 0]),
    )  # fmt: skip


def _hdf5(facts: Facts, _: str, spent: float) -> Told | None:
    """Returns the notice about the time in HDF5 itself; None if it has nothing to say."""
    uppers = [*facts.datasets, *facts.hdf5_files]
    if facts.attribution is None or not uppers:
        return None
    most = max(uppers, key=lambda upper: upper.own_time())
    sentence = (
        f"{_spent(facts, spent)} went into HDF5 itself: chunks, filters, conversion and metadata, "
        f"not calls on files. {facts.name(most.id)} took {share(most.own_time(), spent)} of it, in "
        f"{count(most.calls())} calls."
    )
    everything = facts.attribution.everything
    calls = everything.counters["READ_CALLS"] + everything.counters["WRITE_CALLS"]
    lost = spent if everything.asked < _LARGE * calls else 0.0
    return Told(
        "HDF5 itself takes much of the run", sentence, lost,
        "time in HDF5 itself; its filters and conversions need some of it",
        Remedy(
            "Read and write larger selections with each call, keep datasets open, and give a "
            "dataset the type in memory that it has in the file, so that nothing is converted.",
            "h5py: values = dataset[...]  # once; then index the array in memory",
        ),
        facts.upper_rows(most, "READ_CALLS", "WRITE_CALLS", "F_READ_TIME", "F_WRITE_TIME"),
        frozenset((most.id,)),
    )  # fmt: skip


def _mpi(facts: Facts, key: str, spent: float) -> Told | None:
    """Returns the notice about the time in MPI-IO itself, or in communication below it; None if it
    has nothing to say."""
    layers, files = facts.table("LAYERS"), facts.table("MPI-IO")
    if layers is None:
        return None
    calls, moved = 0.0, 0.0
    if files is not None:
        kinds = ("INDEP", "COLL", "SPLIT", "NB")
        calls = sum(files.sum(f"{kind}_{word}") for kind in kinds for word in ("READS", "WRITES"))
        moved = files.sum("BYTES_READ") + files.sum("BYTES_WRITTEN")
    lost = spent if moved < _LARGE * calls else 0.0
    what = "MPI-IO itself" if key == rows.MPIIO else "MPI communication inside I/O calls"
    sentence = (
        f"{_spent(facts, spent)} went into {what}, not into calls on files: the exchange of data "
        "between processes, and waiting for the last of them."
    )
    return Told(
        f"{what} takes much of the run", sentence, lost, f"time in {what}",
        Remedy(
            "Give each process the same amount of I/O at the same time; write whole blocks of a "
            "shared array with one collective call; avoid a barrier before each call.",
            "MPI_Type_create_subarray(...);  MPI_File_set_view(...);  MPI_File_write_all(...)",
        ),
        facts.sums(layers, "READ_CALLS", "WRITE_CALLS", "F_READ_TIME", "F_WRITE_TIME"),
    )  # fmt: skip


_TOLD: dict[str, Tell] = {
    rows.READS: _transfers,
    rows.WRITES: _transfers,
    rows.OPENS: _opens,
    rows.LOOKUPS: _lookups,
    rows.LISTINGS: _listings,
    rows.SYNCS: _syncs,
    rows.BUFFERS: _buffers,
    rows.HDF5: _hdf5,
    rows.MPIIO: _mpi,
    rows.COMMUNICATION: _mpi,
}
