"""Pieces of a file, of many different sizes, are read and written again and again, and much of the
run passes before these calls. A library of compressed chunks does so if its cache is too small:
HDF5, for example, where its calls are not recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....call_sites.measured import READ, WRITE
from ....units import amount, count, seconds, share
from ...facts import Facts, leading
from ...finding import LAST, NOTICE, Finding, Remedy
from ...table import Table
from ...times.ledger import BETWEEN, COMPUTING, ledger
from ...times.loops import loops_of
from ..accesses.reread import mostly
from .unseen import is_hdf5

NAME = "pieces-rewritten"
ROLE = LAST
_HALF = 0.5  # part of this time that other findings must claim so that this one is left out
_COMMON = 0.1  # most part of the calls that have one of the four commonest sizes
_SIZES = (1, 2, 3, 4)
_CACHE = Remedy(
    "Write more with each call, so that it fills whole chunks, or give the dataset a cache "
    "(H5Pset_chunk_cache, rdcc_nbytes of h5py) for all chunks that one write changes. Link the "
    "program with the runtime, or with a shared HDF5, to see the datasets.",
    "darshan-gen-cc gcc;  ./gcc.darshan -o program program.c -lhdf5",
)
_MEMORY = Remedy(
    "If the program, or a library, unpacks a piece there to change a part of it: keep the pieces "
    "in use in memory (a larger cache) and write each once, when its changes are complete.",
    alone=True,
)


def _place(facts: Facts, posix: Table) -> int | None:
    """Returns the row of the file of which most bytes are read and written again, in pieces of
    different sizes; None if there is none. Files with blocks of one size do not count: these are
    pages of a database, or of an array that is larger than the memory. posix: the table POSIX."""
    mask = mostly(facts, posix, "READ") & mostly(facts, posix, "WRITE")
    calls = posix["READS"] + posix["WRITES"]
    common = sum(posix[f"ACCESS{number}_COUNT"] for number in _SIZES)
    mask &= (calls >= facts.limits["opens.again"]) & (common <= _COMMON * calls)
    moved = posix["BYTES_READ"] + posix["BYTES_WRITTEN"]
    return next(iter(leading(mask, moved, 1)), None)


def _before(facts: Facts, record: int) -> float:
    """Returns the seconds that passed before the reads and writes of a file, each since the last
    call of its thread; 0 without call sites. record: id of the file."""
    known, found = loops_of(facts), 0.0
    for site in (site for loop in known.groups for site in loop.sites) if known else ():
        calls = site.sums.calls_of
        if calls[READ] or calls[WRITE]:
            used = site.sums.files.calls.get(record, 0) / max(1, site.sums.calls)
            found += sum(site.sums.gaps) * min(1.0, used)
    spent = found * (known.overlap if known else 0.0)
    if facts.needed_time < facts.process_time:  # the gaps also have waits for a processor
        spent = min(spent, ledger(facts)[BETWEEN] + ledger(facts)[COMPUTING])
    return spent


def find(facts: Facts, others: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Yields a hint on the file of which most bytes are read and written again in pieces of
    different sizes, if much time passes before these calls and no finding in `others` explains it;
    otherwise nothing. others: findings of the other rules, which must therefore run first."""
    if loops_of(facts) is None:
        return
    posix = facts.table("POSIX")
    place = _place(facts, posix) if posix is not None else None
    if posix is None or place is None:
        return
    record = int(posix.ids[place])
    read, written = int(posix["BYTES_READ"][place]), int(posix["BYTES_WRITTEN"][place])
    size = int(posix["MAX_BYTE_WRITTEN"][place]) + 1
    spent = _before(facts, record) * max(0.0, 1 - size / max(1, written))
    claimed = sum(f.stake.between for f in others if record in f.covers)
    h5 = facts.table("H5F")
    if claimed >= _HALF * spent or (h5 is not None and h5.place(record) is not None):
        return
    if read + written < facts.limits["conversion.rate"] * spent:  # slower: the program computes
        return
    stake = facts.stake(0.0, "time before these calls", between=spent)
    if stake.share < facts.limits["conversion.share"] or not facts.worth(stake):
        return
    of_hdf5 = is_hdf5(facts, posix, place)
    who = "HDF5, whose calls were not recorded, or the program," if of_hdf5 else "the program"
    yield Finding(
        NAME,
        "Pieces of a file are read, changed and written again and again",
        f"{facts.name(record)}: {amount(read)} were read and {amount(written)} written, of at most "
        f"{amount(size)} that it has, in {count(int(posix['READS'][place]))} reads and "
        f"{count(int(posix['WRITES'][place]))} writes of different sizes, as compressed chunks "
        f"have them. Before these calls, {seconds(stake.run)} of {seconds(stake.of_run)} "
        f"{stake.without}({share(stake.run, stake.of_run)}) passed. The log cannot tell what {who} "
        "does there: to decompress a chunk and compress it again for each small change would take "
        "such a time.",
        NOTICE,
        stake=stake,
        evidence=facts.rows(
            posix, place, "READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN", "MAX_BYTE_WRITTEN"
        ),
        remedy=_CACHE if of_hdf5 else _MEMORY,
        limits=("again.mostly", "again.bytes", "opens.again", "conversion.rate",
                "conversion.share", "stake.seconds"),
        covers=frozenset({record}),
        is_hint=True,
    )  # fmt: skip
