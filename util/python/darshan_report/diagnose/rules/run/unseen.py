"""Reports I/O that no counter of calls contains: mapped files, io_uring, static programs and
libraries."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....measure.files.mapped import CAUTION, Mapped
from ....measure.processes.processes import ENVIRONMENT, STATIC
from ....units import amount, count, plural
from ...facts import Facts
from ...finding import NOTICE, REMARK, Evidence, Finding, Remedy, Stake
from ...programs.used_through import used_through
from ...table import Table
from ...times.ledger import COMPUTING, ledger
from ...times.unjudged import mapped_of, unjudged, unwatched

NAME = "unseen"
# Numbers of page faults and bytes below which a notice is not worth reading.
_FAULTS, _BYTES = 64, 16 << 20
ROLE = REMARK
_HALF = 0.5  # share of the run
_ARRAYS = r"numpy\.(?:\w+\.)*(?:memmap|open_memmap|load)\b"
_BY_ROWS = Remedy(
    "If the program goes through a mapped array by columns, each value brings a cache line or a "
    "page of its own, because the values of a row lie together (unless the order is 'F'): go "
    "through it in blocks of rows, and add up the columns of each block. The log cannot tell the "
    "order in which mapped pages are used.",
    "Python: for at in range(0, len(array), 1000): sums += array[at : at + 1000].sum(axis=0)\n"
    "Python: numpy.asfortranarray(array)  # once, in memory, if columns are needed again",
)
_HDF5_NAMES = (".h5", ".hdf5", ".he5", ".h5ad", ".nc4", ".nxs")
# Fewest reads or writes of at most 100 bytes, and fewest if the file is opened once: HDF5 writes
# the header of a new file twice. A copy has one, its last.
_SIGNATURE, _NEW = 3, 2


def find(facts: Facts) -> Iterator[Finding]:
    """Yields notices, never problems, on I/O that all other numbers of the report lack; nothing if
    there is no such I/O."""
    yield from _storage(facts)
    yield from _traffic(facts)
    yield from _hdf5(facts)
    yield from _programs(facts)


def _storage(facts: Facts) -> Iterator[Finding]:
    """Yields a notice on bytes that storage transferred without a recorded call, if these transfers
    may have taken time; otherwise nothing."""
    known = unjudged(facts)
    table = facts.table("USAGE")
    if known is None or table is None:
        return
    held = mapped_of(facts)
    part = known.read + known.written - (held.looked_at if held else 0.0)
    whole = known.from_storage + known.to_storage
    if part < facts.limits["unseen.share"] * whole or known.seconds <= 0:
        return
    if known.faults < _FAULTS and known.read + known.written < _BYTES:
        return  # read-ahead and pages of libraries explain this amount
    yield _notice(
        "storage",
        "Storage transferred bytes that no recorded call explains",
        known.sentence,
        facts.sums(table, "STORAGE_READ", "STORAGE_WRITTEN", "MAJOR_FAULTS"),
        Remedy(
            "Possible causes are io_uring, read-ahead, memory mappings and metadata of the file "
            "system; other notices here name the known ones."
        ),
    )


def is_hdf5(facts: Facts, posix: Table, place: int) -> bool:
    """Returns whether a file has a name that HDF5 files have. posix: the table POSIX; place: row of
    the file in it."""
    return facts.name(posix.ids[place]).lower().endswith(_HDF5_NAMES)


def _hdf5(facts: Facts) -> Iterator[Finding]:
    """Yields a notice on files that are HDF5 by name and by their small transfers, if the log has
    no HDF5 call; otherwise nothing."""
    posix = facts.table("POSIX")
    if posix is None or facts.info.region("H5F") or facts.info.region("H5D"):
        return
    tiny = posix["SIZE_READ_0_100"] + posix["SIZE_WRITE_0_100"]
    some = (tiny >= _SIGNATURE) | ((tiny >= _NEW) & (facts.opens(posix) <= 1))
    places = [place for place in np.flatnonzero(some) if is_hdf5(facts, posix, int(place))]
    if not places:
        return
    first = int(places[0])
    yield _notice(
        "hdf5",
        "No HDF5 call was recorded",
        f"{facts.name(posix.ids[first])}"
        + (f" and {plural(len(places) - 1, 'more file')} are" if places[1:] else " is")
        + " named like HDF5 files, with transfers of at most 100 bytes as HDF5 makes them, but the "
        "log has no HDF5 call: the cost of their datasets is unknown.",
        facts.rows(posix, first, "SIZE_READ_0_100", "SIZE_WRITE_0_100"),
        Remedy(
            "If HDF5 is statically linked into the program or a library, link that with the "
            "runtime; "
            "if a setting or the build of the runtime switched HDF5 off, switch it on.",
            "darshan-gen-cc mpicc;  ./mpicc.darshan -o program program.c -lhdf5\n"
            "DARSHAN_MOD_ENABLE=H5F,H5D",
        ),
    )


def _programs(facts: Facts) -> Iterator[Finding]:
    """Yields a notice on processes that were not instrumented, which the log knows only from the
    processes that started them; nothing if there are none."""
    tree = facts.processes
    if tree is None:
        return
    number = int(tree.counts[tree.unseen > 0].sum())
    if number:
        had = unwatched(facts)
        words = f" {had.sentence} {amount(had.from_storage)} came from storage." if had else ""
        yield _notice(
            "programs",
            "Some programs were not instrumented",
            f"{plural(number, 'process')} of {count(tree.number)}: {tree.told_unseen()}.{words} "
            "No total of calls contains their I/O.",
            (Evidence("PROCESS", "", "PROCESS_COUNT", number),),
            watch(set(tree.unseen.tolist())),
        )


def watch(reasons: set[int]) -> Remedy:
    """Returns the remedy that makes programs leave records, for programs that were not
    instrumented. reasons: why they were not, such as STATIC."""
    words, code = [], ""
    if STATIC in reasons:
        words.append("Link a static program with the runtime.")
        code = "darshan-gen-cc gcc;  ./gcc.darshan -static -o program program.c"
    if ENVIRONMENT in reasons:
        words.append(
            "If a program is started with an environment of its own, pass it LD_PRELOAD and the "
            "variables whose names begin with DARSHAN_."
        )
        code = code or 'env -i LD_PRELOAD="$LD_PRELOAD" DARSHAN_LOGPATH="$DARSHAN_LOGPATH" program'
    return Remedy(" ".join(words), code)


def _rings(facts: Facts, extra: Table) -> Iterator[Finding]:
    """Yields a notice on io_uring requests that the runtime did not see."""
    rings, unseen, seen = (extra.sum(f"URING_{name}") for name in ("RINGS", "UNSEEN", "SUBMITS"))
    is_old = unseen < 0  # an older runtime, which did not read the rings, made the log
    if unseen == 0 or (is_old and rings == 0):
        return
    sentence = (
        f"{count(rings)} rings were set up; the runtime that made this log did not count what "
        "went through them."
        if is_old
        else f"{count(unseen)} of {count(unseen + seen)} io_uring requests were not seen: the "
        "program submits them by a machine instruction instead of a call, or a thread of the "
        "kernel fetches them. No counter of calls contains their bytes."
    )
    yield _notice(
        "io-uring",
        "Some I/O of io_uring was not recorded",
        sentence,
        facts.sums(extra, *(() if is_old else ("URING_UNSEEN", "URING_SUBMITS")), "URING_RINGS"),
        Remedy(
            "Link the program with liburing as a shared library, or run it once with another "
            "I/O engine. USAGE_STORAGE_READ and USAGE_STORAGE_WRITTEN have the bytes that all "
            "its requests moved from and to storage (read_bytes and write_bytes of "
            "/proc/PID/io); rchar and "
            "wchar do not include requests of io_uring.",
            "fio --ioengine=libaio job.fio",
        ),
    )


def _traffic(facts: Facts) -> Iterator[Finding]:
    """Yields notices on requests of io_uring and on mapped files."""
    extra = facts.table("POSIX_EXT")
    posix = facts.table("POSIX")
    if extra is None:
        return
    moved = posix.sum("BYTES_READ") + posix.sum("BYTES_WRITTEN") if posix is not None else 0
    yield from _rings(facts, extra)
    held = mapped_of(facts)
    if held is None:
        return
    if (
        held.moved > facts.limits["unseen.share"] * moved
        and held.moved >= facts.limits["again.bytes"]
    ):
        new = () if held.touched is None else ("MMAP_TOUCHED", "MMAP_WRITABLE", "MMAP_POPULATED")
        yield _notice(
            "mapped",
            "Files were mapped into memory",
            f"{held.sentence} {'' if held.touched is None else f'{CAUTION} '}No total of calls in "
            "this report contains bytes of mapped files, and no recorded call contains the time "
            "of page faults.",
            facts.sums(extra, "MMAP_BYTES", *new, "MSYNCS", "MSYNC_BYTES"),
            _BY_ROWS if _is_array(facts, held) else Remedy(""),
        )


def _is_array(facts: Facts, held: Mapped) -> bool:
    """Returns whether NumPy mapped an array of which much was touched, and the program computed for
    most of the run: it may have used the array against its order, which no counter shows. held:
    sums of the mapped files."""
    computed = ledger(facts)[COMPUTING]
    of_run = facts.stake(0.0, "").of_seconds
    large = held.looked_at >= _BYTES and computed >= _HALF * of_run
    return large and bool(used_through(facts, _ARRAYS))


def _notice(
    name: str, title: str, sentence: str, evidence: tuple[Evidence, ...], remedy: Remedy
) -> Finding:
    """Returns a notice. name: after that of the rule and "-"."""
    return Finding(f"{NAME}-{name}", title, sentence, NOTICE, Stake(), evidence, remedy)
