"""The same bytes of a file are read, or written, several times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....checkpoints.saves import state_ids
from ....records import among
from ....units import amount, count, plural, share
from ...accesses import filled, here_files, packed
from ...accesses.streams import Mask, Streams
from ...facts import Facts, leading, once
from ...finding import SYMPTOM, Finding, Remedy
from ...programs.sqlite import REWRITES_ALL, databases, times_rewritten
from ...programs.used_through import used_through
from ...reached import CALLS, at_most
from ...remedies import temporary
from ...remedies.language import READ_ONCE
from ...remedies.library_words import TABLE_ONCE
from ...table import Table
from ...times.loops import between

NAME = "same-bytes-again"
ROLE = SYMPTOM
_BLOCKS, _LARGE = (4096, 1 << 20), 128 << 20  # bytes: sizes of a read, and of a file
_RUN = 1 << 18  # bytes that a query at least reads in order if it reads a whole table
# Bytes per second at which a processor takes large blocks from memory that it has not used lately.
_MEMORY = 8e9
_COPIED = 0.1  # share of the bytes in which a copy may differ
_THRICE = 2.5  # bytes written per byte; a file with fill values has two
_PASSES = 2  # fewest times that an open moves a whole file, which show that it does so repeatedly
_WORDS = {
    "READ": (
        "read",
        "The same bytes are read again and again",
        "Keep the data in memory",
        f"{READ_ONCE}\nH5Pset_chunk_cache(...)\nMPI_Bcast(...)",
    ),
    "WRITTEN": (
        "written",
        "The same bytes are written again and again",
        "Collect changes in memory and write them once",
        "H5Pset_cache / H5Pset_chunk_cache\none write at the end",
    ),
}
_PAGES = Remedy(
    "Give SQLite a page cache that holds all pages in use; its default is 2 MB. A cache that is "
    "smaller than what the queries read in turn helps nothing. If they read few columns of large "
    "rows, keep large values (blobs, texts) in a table of their own, or behind the other columns.",
    "SQL: PRAGMA cache_size = -200000;  -- KiB of memory, in each connection",
)
_TABLES = r"pandas\.read_|polars\.(?:read|scan)_"
_NPZ = r"numpy\.(?:\w+\.)*NpzFile\."
_NPZ_ONCE = Remedy(
    "Take each array of the .npz file once, before the loop, and keep it: each name in brackets "
    "reads and decompresses the whole array again.",
    "Python: with numpy.load(path) as file: gain = file['gain']  # once, before the loop",
    alone=True,
)
_NETCDF = r"libnetcdf|netCDF4\._netCDF4\.|nc_get_"
_NETCDF_ONCE = Remedy(
    "Read each variable of the netCDF file once, before the loop, and take the values from the "
    "array in memory. Each access to a variable reads a block of the file again, and checks and "
    "converts its few values on its own. Of a variable that does not fit into memory, read a large "
    "block with one call.",
    "Python: values = file['t'][:]  # once, before the loop;  values[k, j, i]\n"
    "C: nc_get_var_float(file, variable, values);  // once, not nc_get_var1_float\n"
    "Fortran: ierr = nf90_get_var(file, variable, values)  ! once, before the loop",
    alone=True,
)
_NETCDF_RECORDS = Remedy(
    "If the program uses each variable once, its variables lie in pieces: a classic netCDF file "
    "with an unlimited dimension stores one value, or row, of each variable after the other, so "
    "each variable that is read or written passes over the whole file. Give the dimension its "
    "size, or convert the file once, or use netCDF-4; otherwise read and write the same records of "
    "all variables together. If the program reads the same variable again, read it once, before "
    "the loop, and keep the array.",
    "ncks --fix_rec_dmn TIME in.nc out.nc  # of NCO;  nccopy -u in.nc out.nc  # of netCDF\n"
    "Python: file.createDimension('time', len(times))  # not None\n"
    "Python: for at in range(0, size, block): rows = [v[at : at + block] for v in variables]\n"
    'C: nc_def_dim(file, "time", size, &time);  // not NC_UNLIMITED\n'
    "Fortran: ierr = nf90_def_dim(file, 'time', size, time)  ! not nf90_unlimited",
    alone=True,
)
_HDF5_ONCE = """\
C: H5Dread(set, whole_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows);  // once, before the loop
C++: set.read(rows.data(), whole_type);  // once, before the loop
Fortran: call h5dread_f(set, whole_type, rows, dims, error)  ! once, before the loop
Python: rows = file['table'][:]  # once, before the loop;  rows['x'], rows['y']
Julia: rows = read(file["table"])  # once, before the loop
Octave: rows = h5read (path, "/table");  % once, before the loop"""
_SCANS = Remedy(
    "Let SQLite find rows by an index: with LIMIT and OFFSET, continue after the last key instead; "
    "otherwise create an index for the columns by which the queries look up rows. SQLite reads the "
    "whole table, or all rows before the page, for each query, which EXPLAIN QUERY PLAN shows as "
    "SCAN. Only if the queries need all rows, give SQLite a page cache that holds the table: it "
    "saves the reads, but not what SQLite does with the rows.",
    "SQL: EXPLAIN QUERY PLAN SELECT ...;  -- SCAN: no index;  SEARCH: an index\n"
    "SQL: CREATE INDEX by_id ON t(id);  -- of the column in WHERE\n"
    "SQL: SELECT ... WHERE id > :last ORDER BY id LIMIT 100;  -- not OFFSET\n"
    "SQL: PRAGMA cache_size = -200000;  -- KiB of memory, in each connection",
)


@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields a finding for files, and another for streams, if the same bytes are read several
    times, and two more if they are written several times; otherwise nothing."""
    table = facts.table("POSIX")
    for direction, kind in (("READ", "READ"), ("WRITTEN", "WRITE")):
        if table is not None:
            yield from _find(facts, table, direction, kind)
        if facts.streams is not None:
            yield from _find(facts, facts.streams.table, direction, kind)


def streams_again(facts: Facts, streams: Streams) -> Mask:
    """Returns a mask of the STDIO records of streams that read or write the same bytes again."""
    read, written = (_again(facts, streams.table, d)[0] for d in ("READ", "WRITTEN"))
    return read | written


@once
def _again(facts: Facts, table: Table, direction: str) -> tuple[Mask, np.ndarray, np.ndarray]:
    """Returns a mask of the files whose bytes are moved again; per file, the bytes that were moved;
    and per file, the bytes of moving each byte once in each process. direction: READ or WRITTEN."""
    moved = np.maximum(0, table[f"BYTES_{direction}"] - facts.unplaced(table, direction))
    # Each process may need the file once; this does not count as "again".
    size = (table[f"MAX_BYTE_{direction}"] + 1) * np.where(table.shared, table.processes, 1)
    mask = (moved >= facts.limits["again.factor"] * size) & (
        moved - size >= facts.limits["again.bytes"]
    )
    mask &= facts.single(table)
    if direction == "READ" and table.prefix == "POSIX":
        mask &= ~_looked_up(facts, table, moved, size) & ~_read_back(facts, table, moved, size)
    if direction == "WRITTEN":
        mask &= ~_made_anew(facts, table, moved, size)
        for place in np.flatnonzero(mask).tolist():
            mask[place] = (_renamed(facts, int(table.ids[place])) + 1) * size[place] < moved[place]
        if mask.any():  # a checkpoint is a new file for each open
            each = moved <= facts.limits["again.factor"] * size * facts.opens(table)
            mask &= ~(each & among(table.ids, state_ids(facts)))
    if table.prefix == "STDIO" and facts.streams is not None:
        mask &= facts.streams.files & (table[f"MAX_BYTE_{direction}"] > 0)
    return mask, moved, size


def mostly(facts: Facts, table: Table, kind: str) -> Mask:
    """Returns a mask of the files whose bytes are moved so many times that the size of a transfer
    matters little. kind: READ or WRITE."""
    direction = {"READ": "READ", "WRITE": "WRITTEN"}[kind]
    mask, moved, size = _again(facts, table, direction)
    return mask & (moved >= facts.limits["again.mostly"] * size)


def times_read(facts: Facts, table: Table, place: int) -> float:
    """Returns how often, on average and at least, each process read each byte of a file; 1 if
    unknown. place: row of the file."""
    read = float(table["BYTES_READ"][place] - facts.unplaced(table, "READ")[place])
    users = int(table.processes[place]) if bool(table.shared[place]) else 1
    size = (int(table["MAX_BYTE_READ"][place]) + 1) * max(users, 1)
    return max(1.0, read / size) if facts.single(table)[place] else 1.0


def most_moved(facts: Facts, direction: str) -> str:
    """Returns text that describes the file of which most bytes are READ or WRITTEN many times
    (direction), even if that takes little time; "" if there is none."""
    best, words = 0, ""
    for table in filter(None, (facts.table("POSIX"), facts.table("STDIO"))):
        mask, moved, size = _again(facts, table, direction)
        mask = mask & (moved >= facts.limits["again.mostly"] * size)
        for place in leading(mask, moved - size, 1):
            if (extra := int(moved[place] - size[place])) > best:
                best = extra
                times = float(moved[place]) / max(1.0, float(size[place]))
                one, each = _of_one(table, place, int(size[place]))
                words = (
                    f"{facts.name(table.ids[place])} was {direction.lower()} at least {times:.1f} "
                    f"times over{each} ({amount(int(moved[place]))} in total, of at most "
                    f"{amount(one)})"
                )
    return words


def _of_one(table: Table, place: int, size: int) -> tuple[int, str]:
    """Returns the largest possible size of a file in bytes, and text for the number of its
    processes, "" for one. size: the file's bytes, once for each process. place: row of the file.
    The log has the offset of the last byte that was moved, but not which bytes before it were
    moved."""
    users = int(table.processes[place]) if bool(table.shared[place]) else 1
    return size // max(users, 1), f" by each of {count(users)} processes" if users > 1 else ""


def _looked_up(facts: Facts, table: Table, moved: np.ndarray, size: np.ndarray) -> Mask:
    """Returns a mask of the large files that are read in whole blocks at scattered offsets, each
    block a few times. Reading all of such a file into memory would take as long. moved, size: bytes
    per file, as from _again."""
    read, calls = table["BYTES_READ"], table["READS"]
    blocks = (read >= _BLOCKS[0] * calls) & (read <= _BLOCKS[1] * calls)
    few = moved < facts.limits["again.mostly"] * size
    found: Mask = blocks & few & (size >= _LARGE) & ~_in_order(table, "READ")
    return found


def _read_back(facts: Facts, table: Table, moved: np.ndarray, size: np.ndarray) -> Mask:
    """Returns a mask of the files that are written anew each time before they are read, at most
    once per open: the bytes that are read are then not the same. moved, size: bytes per file, as
    from _again."""
    least = (1 - _COPIED) * moved
    found: Mask = (table["BYTES_WRITTEN"] >= least) & (facts.opens(table) * size >= least)
    return found


def _made_anew(facts: Facts, table: Table, moved: np.ndarray, size: np.ndarray) -> Mask:
    """Returns a mask of the files that are seldom opened, and written once per open. A checkpoint
    that replaces the previous one does not write the same bytes again. moved, size: bytes per file,
    as from _again."""
    # A stream on an open descriptor begins at the start again.
    opens = facts.opens(table) + table["FDOPENS"]
    each = opens / np.maximum(table.processes, 1)
    found: Mask = (opens * size >= moved) & (each < facts.limits["opens.again"])
    return found


def _renamed(facts: Facts, number: int) -> int:
    """Returns how often a file was renamed; 0 also if this is unknown. A program that writes a file
    and renames it, again and again, makes a series of files with different bytes, such as snapshots
    of a simulation. number: id of the file."""
    posix = facts.table("POSIX")
    place = posix.place(number) if posix is not None and posix.has("RENAME_SOURCES") else None
    return int(posix["RENAME_SOURCES"][place]) if posix is not None and place is not None else 0


def _spent(facts: Facts, table: Table, kind: str) -> np.ndarray:
    """Returns the seconds in transfers, per file. For a stream that moves the same bytes only a few
    times, counts only flushes and transfers that reached the file, because a larger buffer saves
    only these. kind: READ or WRITE."""
    whole = facts.moving(table, kind)
    if table.prefix == "POSIX" or facts.streams is None or not facts.streams.known:
        return whole
    flushes = facts.streams["F_FLUSH_TIME"] if kind == "WRITE" else 0.0
    below = facts.streams.time(kind) + flushes
    return np.where(mostly(facts, table, kind), np.maximum(whole, below), below)


def _in_order(table: Table, kind: str) -> Mask:
    """Returns a mask of the files that are moved from beginning to end each time, not at scattered
    offsets as by a database. The program then also repeats its work on these bytes. kind: READ or
    WRITE."""
    calls = table[f"{kind}S"]
    found: Mask = (
        2 * table[f"CONSEC_{kind}S"] >= calls
        if table.has(f"CONSEC_{kind}S")
        else 2 * table["SEEKS"] <= calls
    )
    return found


def _looks_up(facts: Facts, table: Table) -> Mask:
    """Returns a mask of the SQLite databases of which each query reads a small part, as it does by
    an index: between two jumps little is read in order."""
    names = databases(facts)
    if not names:
        return np.zeros(len(table), bool)
    ours = np.array([facts.name(number) in names for number in table.ids.tolist()], bool)
    jumps = table["READS"] - table["CONSEC_READS"] if table.has("CONSEC_READS") else table["SEEKS"]
    size = table["MAX_BYTE_READ"] + 1
    found: Mask = ours & (table["BYTES_READ"] < np.minimum(_RUN, size / 4) * np.maximum(jumps, 1))
    return found


def _by_netcdf(facts: Facts) -> np.ndarray:
    """Returns the ids of the files that netCDF uses without HDF5. netCDF reads a block of such a
    file, and works on it, for each access to a variable, in any order."""
    files = used_through(facts, _NETCDF)
    found = [number for number in files if not _is_hdf5(facts, number)]
    return np.array(sorted(found), np.uint64)


def _in_passes(facts: Facts, table: Table, place: int, direction: str) -> int:
    """Returns how many times, at least, a classic netCDF file was moved from its begin to its end;
    0 for other files, and for those that are read about once for each open. place: row of the
    file."""
    kind = "READ" if direction == "READ" else "WRITE"
    if int(table.ids[place]) not in _by_netcdf(facts) or not _in_order(table, kind)[place]:
        return 0
    size = float(table[f"MAX_BYTE_{direction}"][place]) + 1
    times = float(table[f"BYTES_{direction}"][place]) / size
    opens = max(1.0, float(facts.opens(table)[place])) if direction == "READ" else 1.0
    return int(times) if times >= _PASSES * opens else 0


def _find(facts: Facts, table: Table, direction: str, kind: str) -> Iterator[Finding]:
    """Yields the finding on the files of which the same bytes are moved again. direction: READ or
    WRITTEN. kind: READ or WRITE."""
    mask, moved, size = _again(facts, table, direction)
    if not mask.any():
        return
    extra = moved - size
    with np.errstate(divide="ignore", invalid="ignore"):
        seconds = np.where(mask, _spent(facts, table, kind) * extra / np.maximum(moved, 1), 0.0)
    again = int(extra[mask].sum())
    whole = int(moved.sum())
    word, title, _, _ = _WORDS[direction]
    in_order = _in_order(table, kind)
    if direction == "READ" and mask.any():
        in_order = in_order & ~_looks_up(facts, table)
    here = here_files.here_files(facts, table, mask & (direction == "READ"))
    repeated = in_order | (among(table.ids, _by_netcdf(facts)) & (direction == "READ")) | here
    often = seconds[mostly(facts, table, kind) & repeated].sum()
    more = between(facts, f"{NAME}-{word}", float(often))
    basis = "writing time, multiplied by the share of bytes written again"
    if direction == "READ":  # cache misses of random blocks then come when the data are used
        blocks = mask & ~in_order & (moved < _BLOCKS[1] * np.maximum(1, table["READS"]))
        seconds = np.maximum(0.0, seconds - np.where(blocks, moved, 0) / _MEMORY)
        basis = "reading time, multiplied by the share of bytes read again, less what memory takes"
    stake = facts.stake(
        seconds.sum(),
        f"{basis}{more.basis}",
        again,
        whole,
        between=more.seconds,
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, seconds, len(mask))
    times = float(moved[first]) / max(1.0, float(size[first]))
    one, each_of = _of_one(table, first, int(size[first]))
    rewritten = _rewritten(facts, table, first, direction)
    is_filled = direction == "WRITTEN" and _is_filled(facts, table, first)
    yield Finding(
        f"{NAME}-{word}",
        title,
        f"{facts.name(table.ids[first])}: {amount(int(moved[first]))} were {word} in total, of at "
        f"most {amount(one)} that it has: on average, each byte at least {times:.1f} "
        f"times{each_of}"
        + (f"; the same holds for {plural(len(others), 'more file')}" if others else "")
        + f". At least {amount(again)} ({share(again, whole)} of all bytes {word}) moved again."
        + more.sentence
        + rewritten
        + ("" if is_filled else _passes(facts, table, first, direction))
        + here_files.told(int(here.sum()) if here[first] else 0),
        stake=stake,
        evidence=facts.rows(
            table,
            first,
            f"{kind}S",
            f"BYTES_{direction}",
            f"MAX_BYTE_{direction}",
            f"F_{kind}_TIME",
        ),
        remedy=filled.REMEDY
        if is_filled
        else REWRITES_ALL
        if rewritten
        else here_files.REMEDY
        if here[first]
        else _remedy(facts, table, first, direction),
        limits=("again.factor", "again.bytes", "opens.again"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )


def _is_filled(facts: Facts, table: Table, place: int) -> bool:
    """Returns whether half of the bytes of a classic netCDF file seem to be fill values, which the
    program then overwrote. place: row of the file."""
    number = int(table.ids[place])
    times = float(table["BYTES_WRITTEN"][place]) / (float(table["MAX_BYTE_WRITTEN"][place]) + 1)
    return times < _THRICE and number in filled.filled(facts) and number in _by_netcdf(facts)


def _rewritten(facts: Facts, table: Table, place: int, direction: str) -> str:
    """Returns a sentence, with a space before it, on transactions of SQLite that write a whole
    database; empty for other files. place: row of the file."""
    times = times_rewritten(facts, table, place) if direction == "WRITTEN" else 0
    what = f"At least {times} transactions of SQLite wrote the whole database and its journal"
    return f" {what}, as VACUUM does." if times else ""


def _passes(facts: Facts, table: Table, place: int, direction: str) -> str:
    """Returns a sentence, with a space before it, on a classic netCDF file that is moved several
    times for each open; empty for other files. place: row of the file."""
    times = _in_passes(facts, table, place, direction)
    if not times:
        return ""
    opens, word = plural(int(facts.opens(table)[place]), "open"), _WORDS[direction][0]
    return (
        f" It is a netCDF file that was {word} in the order of its bytes, {times} times with "
        f"{opens}."
    )


def _remedy(facts: Facts, table: Table, place: int, direction: str) -> Remedy:
    """Returns the remedy for one file; it depends on the libraries that use the file. place: row of
    the file. direction: READ or WRITTEN."""
    name = facts.name(table.ids[place])
    _, _, text, example = _WORDS[direction]
    kind = "READ" if direction == "READ" else "WRITE"
    if name in databases(facts):
        again = mostly(facts, table, kind) & _in_order(table, kind)
        whole = kind == "READ" and (again & ~_looks_up(facts, table))[place]
        return _SCANS if whole else _PAGES
    if found := temporary.by_name(name):
        return found
    if direction == "READ" and (found := packed.remedy(facts, int(table.ids[place]))):
        return found
    if found := _of_arrays(facts, table, place, direction):
        return found
    if direction == "READ" and int(table.ids[place]) in used_through(facts, _TABLES):
        return TABLE_ONCE
    if direction == "READ" and facts.together:
        text += ", or read them in one process and send them to the others"
    if facts.info.region("H5D"):
        text += "; for HDF5 enlarge the chunk cache"
        if direction == "READ" and _is_hdf5(facts, int(table.ids[place])):
            text += ". A read of one field of a compound type moves all fields: read them together"
            example = _HDF5_ONCE
    if direction == "READ":
        each = facts.opens(table)[place] / max(1, int(table.processes[place]))
        text = f"Open the file once. {text}" if each >= facts.limits["opens.again"] else text
        if name.endswith(".npy"):
            example += "\nPython: numpy.load(path, mmap_mode='r')  # reads only the parts in use"
        if _copied(table, place):
            text += (
                ". The program writes as many bytes as it reads, so it seems to copy the file: "
                "change one copy instead of making a new one, or let the system copy"
            )
            example += (
                "\nPython: shutil.copyfile(path, copy)  # the system copies, not the program"
                "\nshell: cp --reflink=auto file copy"
            )
    return Remedy(f"{text}.", example, alone=True)


def _of_arrays(facts: Facts, table: Table, place: int, direction: str) -> Remedy | None:
    """Returns the remedy for a file of NumPy (.npz) or a classic netCDF file; None for others.
    place: row of the file."""
    number = int(table.ids[place])
    if _in_passes(facts, table, place, direction):
        return _NETCDF_RECORDS
    if direction == "READ" and number in used_through(facts, _NPZ):
        return _NPZ_ONCE
    return _NETCDF_ONCE if direction == "READ" and number in _by_netcdf(facts) else None


def _is_hdf5(facts: Facts, number: int) -> bool:
    """Returns whether HDF5 used a file. number: id of the file."""
    files = facts.table("H5F")
    return files is not None and files.place(number) is not None


def _copied(table: Table, place: int) -> bool:
    """Returns whether about as many bytes were written to all other files as were read from this
    one, so that it was probably copied. place: row of the file."""
    read = float(table["BYTES_READ"][place])
    others = float(table.sum("BYTES_WRITTEN")) - float(table["BYTES_WRITTEN"][place])
    return abs(others - read) <= _COPIED * read
