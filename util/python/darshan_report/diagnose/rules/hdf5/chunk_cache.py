"""Chunks that do not stay in HDF5's cache are read, and decompressed, again and again."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.layers.attribution import Upper
from ....units import amount, count, plural, share
from ...accesses.objects import with_files
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...reached import needs
from ...training import data_loader

NAME = "chunk-cache"
ROLE = CAUSE
_LOST = "The chunk cache is lost with each close"
_TITLE = "The chunk cache is too small for the chunks"
_NETCDF_CHUNKS, _NETCDF_MOST = 10, 64 << 20  # default of netCDF-4: chunks, bytes
_FORWARD, _BEGINS = 0.3, 1.5  # part of the reads; reads that begin a chunk
_LARGEST = 1 << 30  # bytes of the largest cache that is proposed


def _row(upper: Upper) -> int:
    """Returns the mean bytes, in memory, of the chunks that one read call touches, computed from
    the POSIX reads: each reads one chunk that is not in the cache. upper: counters of a dataset and
    of the calls below."""
    calls, reads = upper.counters["READ_CALLS"], upper.counters["READ_POSIX_READS"]
    chunk = max(0, upper.counters["CHUNK_BYTES"])
    return min(_LARGEST, -(-max(0, reads) // max(1, calls)) * chunk)


def _all(upper: Upper) -> int:
    """Returns the bytes, in memory, of all chunks of a dataset that were read, estimated from the
    mean size of a stored chunk."""
    bytes_read, reads = upper.below("BYTES_READ"), max(1, upper.below("READS"))
    chunk = max(0, upper.counters["CHUNK_BYTES"])
    stored = min(chunk, max(1, bytes_read // reads))
    return -(-upper.counters["DISTINCT_BYTES_READ"] // max(1, stored)) * chunk


def _shuffled(facts: Facts, upper: Upper) -> str:
    """Returns sentences to add for a dataset whose samples a PyTorch DataLoader may take in random
    order, for which a cache for some of the chunks hardly helps; "" for others."""
    layers = facts.table("LAYERS")
    place = None if layers is None else layers.place(upper.id)
    users = 1 if layers is None or place is None else max(1, int(layers.processes[place]))
    return (
        " If the DataLoader shuffles, the cache must hold all chunks, here about "
        f"{amount(_all(upper) / users)} "
        "in each worker. Or shuffle the chunks, and then the samples within a chunk."
    )


def _larger(upper: Upper, chunk: int, cache: int, more: str) -> Remedy:
    """Returns the remedy of a larger cache, for the bytes that are read again. chunk, cache: bytes
    of a chunk and of the present cache. more: sentences to add."""
    wanted, text = _wanted(upper, chunk, cache)
    return Remedy(
        f"{text}; or read whole chunks at a time; or make the chunks smaller.{more}",
        f"H5Pset_chunk_cache(dapl, 12421, {wanted}, 0.75);  H5Dopen2(file, name, dapl)\n"
        f"Python: h5py.File(path, rdcc_nbytes={wanted}, rdcc_nslots=12421)\n"
        f"nc_set_var_chunk_cache(nc, var, {wanted}, 12421, 0.75)",
    )


def _kept_open(upper: Upper, chunk: int, cache: int, *, returns: bool) -> Remedy:
    """Returns the remedy to keep the dataset open, because closing it discards its cache, whatever
    the size. chunk, cache: bytes of a chunk and of the cache. returns: the reads come back to
    chunks later, so that the cache must hold all of them, too."""
    if returns:
        return _kept_open_with_all(_all(upper))
    wanted = _NETCDF_CHUNKS * chunk
    room = "" if chunk <= cache else f" (with room for a chunk: rdcc_nbytes={wanted})"
    with_room = "" if chunk <= cache else f"file = h5py.File(path, rdcc_nbytes={wanted});  "
    return Remedy(
        "Keep the dataset open over the loop: HDF5 drops its chunk cache when the last handle of "
        f"it is closed{room}. Or read its values into memory once.",
        f"Python: {with_room}x = file['x']  # before the loop, then x[i];  x = file['x'][:]\n"
        "H5Dopen2 before the loop, H5Dclose behind it",
        alone=True,
    )


def _kept_open_with_all(every: int) -> Remedy:
    """Returns the remedy for reads that come back to chunks of a dataset that is closed between
    them. every: bytes of all chunks in use."""
    return Remedy(
        "Do both: keep the dataset open over the loop, because HDF5 drops its chunk cache when the "
        "last handle of it is closed; and give it a cache for all chunks in use, here "
        f"{amount(every)}, because the reads return to chunks after others. One of the two alone "
        "saves little of this time. Or read the values into memory once, which needs neither.",
        f"Python: file = h5py.File(path, rdcc_nbytes={every}, rdcc_nslots=12421)\n"
        "Python: x = file['x']  # before the loop, then x[i];  or x = file['x'][:]\n"
        f"H5Pset_chunk_cache(dapl, 12421, {every}, 0.75);  H5Dopen2(file, name, dapl) before the "
        "loop, H5Dclose behind it",
        alone=True,
    )


def _returns(facts: Facts, upper: Upper) -> bool:
    """Returns whether the reads of a dataset come back to its chunks after they read others, and
    the present cache does not hold all of them. Reads in the order of the chunks begin a chunk, and
    then read it again from its begin: few of them lie behind the read before."""
    every, cache = _all(upper), upper.counters["CHUNK_CACHE_BYTES"]
    if not cache < every <= _LARGEST:
        return False
    posix = facts.table("POSIX")
    factor = upper.below("BYTES_READ") / max(1, upper.counters["DISTINCT_BYTES_READ"])
    for number in with_files(facts, [upper]):
        place = posix.place(number) if posix is not None else None
        if posix is not None and place is not None:
            forward = float(posix["SEQ_READS"][place]) / max(1.0, float(posix["READS"][place]))
            return forward >= max(_FORWARD, _BEGINS / factor)
    return False


def _lost(upper: Upper) -> str:
    """Returns a clause on how often each close discarded the cache of a dataset."""
    return (
        f", which each close of the dataset discards: it was opened "
        f"{count(upper.counters['OPEN_CALLS'])} times for {count(upper.counters['READ_CALLS'])} "
        "reads"
    )


def _wanted(upper: Upper, chunk: int, cache: int) -> tuple[int, str]:
    """Returns the size in bytes of a cache that would hold the bytes that are read again, and text
    that describes it. chunk, cache: bytes of a chunk and of the present cache."""
    every = _all(upper)
    # The chunks of one call fit into the cache but are read again, so the calls must return to
    # chunks in random order.
    if _row(upper) <= cache < every <= _LARGEST:
        return every, (
            "The reads return to chunks in random order: give the dataset a cache for all chunks "
            f"in use, here {amount(every)}; or read everything from a chunk before the next chunk "
            "(shuffle the chunks, and the values within a chunk, not all values)"
        )
    wanted = max(chunk, min(_NETCDF_CHUNKS * chunk, _NETCDF_MOST), _row(upper))
    return wanted, (
        f"Give the dataset a cache of at least one row of chunks, here {amount(wanted)} "
        "(the default of netCDF-4 is ten chunks, at most 64 MB)"
    )


def _dies(facts: Facts, upper: Upper) -> bool:
    """Returns whether the dataset is opened and closed for nearly every read, so that each close
    discards its cache."""
    opens, reads = upper.counters["OPEN_CALLS"], upper.counters["READ_CALLS"]
    return opens > facts.limits["opens.again"] and 2 * opens > reads


def _read_again(facts: Facts, upper: Upper) -> int:
    """Returns how many bytes of a dataset were read again, if these are many and its chunk cache is
    the reason; else 0."""
    limits = facts.limits
    chunk, cache = upper.counters["CHUNK_BYTES"], upper.counters["CHUNK_CACHE_BYTES"]
    read, distinct = upper.below("BYTES_READ"), upper.counters["DISTINCT_BYTES_READ"]
    enough = max(chunk * _NETCDF_CHUNKS, _row(upper))
    if chunk <= 0 or cache < 0 or distinct <= 0 or (cache >= enough and not _dies(facts, upper)):
        return 0
    extra = read - distinct
    # Each read of a compressed chunk decompresses the whole chunk, so it costs as much as all bytes
    # of the chunk.
    unpacked = chunk * upper.below("READS") * extra / read if upper.counters["FILTERS"] > 0 else 0
    if read < limits["again.factor"] * distinct or max(extra, unpacked) < limits["again.bytes"]:
        return 0
    return extra


def is_lost(facts: Facts) -> bool:
    """Returns whether the chunks of any dataset are read again because each close discards its
    cache. A larger cache then does not help."""
    return any(_read_again(facts, upper) and _dies(facts, upper) for upper in facts.datasets)


def wanted_bytes(facts: Facts) -> int:
    """Returns the size in bytes of a chunk cache that would hold, for each dataset of the log, the
    bytes that are read again. Raises ValueError if no dataset has such bytes."""
    return max(
        _wanted(upper, upper.counters["CHUNK_BYTES"], upper.counters["CHUNK_CACHE_BYTES"])[0]
        for upper in facts.datasets
        if _read_again(facts, upper)
    )


@needs("LAYERS")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding over the datasets whose chunks are read again from the file because they
    do not stay in the chunk cache; nothing if there are none."""
    hits: list[Upper] = []
    seconds, moved, again = 0.0, 0, 0
    for upper in facts.datasets:
        if extra := _read_again(facts, upper):
            hits.append(upper)
            read = upper.below("BYTES_READ")
            seconds += upper.time(("READ",)) * extra / read
            moved, again = moved + read, again + extra
    stake = facts.stake(
        seconds, "reading time, multiplied by the share of bytes read again", again, moved
    )
    if not hits or not facts.worth(stake):
        return
    first = hits[0]
    chunk, cache = first.counters["CHUNK_BYTES"], first.counters["CHUNK_CACHE_BYTES"]
    factor = first.below("BYTES_READ") / first.counters["DISTINCT_BYTES_READ"]
    dies = _dies(facts, first)
    returns = dies and _returns(facts, first)
    more = _shuffled(facts, first) if chunk > cache and data_loader.is_torch(facts) else ""
    filters = "compressed " if first.counters["FILTERS"] > 0 else ""
    yield Finding(
        NAME,
        (f"{_LOST}, and too small" if returns else _LOST) if dies else _TITLE,
        f"Every byte of {facts.name(first.id)} was read {factor:.1f} times: its {filters}chunks "
        f"have {amount(chunk)}, its chunk cache {amount(cache)}"
        + (_lost(first) if dies else "")
        + (f"; the same holds for {plural(len(hits) - 1, 'more dataset')}" if hits[1:] else "")
        + f". {amount(again)} of {amount(moved)} ({share(again, moved)}) were read again.",
        stake=stake,
        evidence=facts.upper_rows(
            first,
            "CHUNK_BYTES",
            "CHUNK_CACHE_BYTES",
            "FILTERS",
            "READ_CALLS",
            "READ_POSIX_READS",
            "READ_POSIX_BYTES_READ",
            "DISTINCT_BYTES_READ",
            "BYTES_ASKED_READ",
            "F_READ_TIME",
            *(("OPEN_CALLS",) if dies else ()),
        ),
        remedy=_kept_open(first, chunk, cache, returns=returns)
        if dies
        else _larger(first, chunk, cache, more),
        limits=("again.factor", "again.bytes", "opens.again"),
        covers=with_files(facts, hits),
    )
