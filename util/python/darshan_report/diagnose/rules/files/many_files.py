"""Very many small files. Each costs an open, its first transfers and a close."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....records import among, in_both
from ....units import amount, count, seconds
from ...accesses import names
from ...facts import Facts
from ...finding import CAUSE, Finding, Remedy
from ...programs import program_text
from ...reached import CALLS, at_most
from ...remedies.temporary import made_by
from ...table import Table
from ...times.loops import Between, between
from ...times.naming import opening_times
from ...training import data_loader
from . import rewritten

NAME = "many-small-files"
ROLE = CAUSE
_TEMPORARY = Remedy(
    "Pass the data in memory, or through a pipe: each temporary file costs a creation, an opening "
    "and a removal. If a program accepts only files, give it all data at once, or reuse one "
    "file in a folder in memory (/dev/shm).",
    "Python: subprocess.run(command, input=data, stdout=subprocess.PIPE);  io.StringIO(text)\n"
    'C: FILE *stream = fmemopen(text, size, "r");  popen(command, "w")\n'
    "shell: producer | consumer",
)
_KEPT = Remedy(
    "Keep the data in one file, a container: HDF5, netCDF, SQLite, tar or zip; on a "
    "parallel file system every file costs a round trip to the metadata server.",
    "Python: h5py or zarr with few large chunks;  tarfile, members read from it\n"
    "tar cf data.tar folder, read members from it",
)
_RENAMED = Remedy(
    "Write the records of a step into one container (HDF5, SQLite, or a text file with a line for "
    "each), and rename this file once, when it is complete.",
    "Python: file.write(line)  # in the loop;  os.replace(new, path)  # once, after it\n"
    "C: fprintf(stream, format, record);  in the loop;  rename(temporary, path);  once, after it\n"
    "shell: done > all.new; mv all.new all  # after the loop, not in it\n"
    "SQL: BEGIN; many INSERTs; COMMIT;",
)
SAMPLES = Remedy(
    "Pack the samples into shards: files of some hundred MiB that a worker reads from begin to "
    "end. Shuffle the order of the shards, and the samples in a buffer.",
    "Python: webdataset.WebDataset('samples-{000..099}.tar', shardshuffle=100).shuffle(1000)\n"
    "Python: HDF5 or zarr with a sample in each chunk, opened once for each worker\n"
    "tar cf samples-000.tar folder, a tar for each shard",
)
_TOLD = 1e-5  # seconds per file from which on the text mentions them
_FIRST = 4  # transfers of a file that count for its opening; more are many small transfers


def _spent(facts: Facts, table: Table) -> np.ndarray:
    """Returns the seconds per file in opening, closing and the first transfers, beyond the time
    that the file's bytes would take in a large file."""
    opens = np.maximum(facts.opens(table), facts.files(table))
    found = opening_times(facts, table)
    for kind, moved in (("READ", "BYTES_READ"), ("WRITE", "BYTES_WRITTEN")):
        first = np.minimum(1.0, _FIRST * opens / np.maximum(table[f"{kind}S"], 1))
        found += facts.lost(facts.moving(table, kind), table[moved]) * first
    return found


def _removed(facts: Facts, table: Table, mask: np.ndarray) -> int:
    """Returns how many files of the mask the program wrote and removed; 0 also if this is unknown,
    because the log has no POSIX_EXT records."""
    extra = facts.table("POSIX_EXT")
    if extra is None or not mask.any():
        return 0
    written = np.flatnonzero(mask & (table["BYTES_WRITTEN"] > 0))
    here, there = in_both(table.ids[written], extra.ids)
    return int(np.minimum(extra["UNLINKS"][there], facts.files(table)[written][here]).sum())


def _remedy(facts: Facts, *, read: bool) -> Remedy:
    """Returns the remedy. read: whether most of the files are read."""
    return SAMPLES if read and data_loader.is_torch(facts) else _KEPT


@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding if the program uses very many small files, through POSIX and STDIO
    together; or if it creates some, and this takes a large part of the time; otherwise nothing."""
    found: list[tuple[Table, np.ndarray]] = []
    records, more, time, largest = 0, 0, 0.0, 0
    renames = 0
    # Counts written files only, because a start of Python reads a hundred files.
    made, making = 0, 0.0
    for module in ("POSIX", "STDIO"):
        table = facts.table(module)
        if table is None:
            continue
        size = np.maximum(table["MAX_BYTE_READ"], table["MAX_BYTE_WRITTEN"]) + 1
        moved = table["BYTES_READ"] + table["BYTES_WRITTEN"]
        # The highest byte of a file is unknown if other processes share its position.
        known = (facts.unplaced(table, "READ") + facts.unplaced(table, "WRITTEN") == 0) & (
            (size > 1) | (moved <= 1)
        )
        mask = known & (moved > 0) & (size <= facts.limits["files.small"])
        mask &= ~among(table.ids, rewritten.ids(facts))
        mask &= ~program_text.which(facts, table)
        if not mask.any():
            continue
        records += int(mask.sum())
        found.append((table, mask))
        # A temporary name that is used again counts as one file per open.
        away = np.minimum(facts.renamed_away(table), facts.opens(table)) * mask
        away = away * facts.single(table)
        renames = max(renames, int(away.sum()))
        again = int(np.maximum(0, away - 1).sum())
        more += int((facts.files(table)[mask] - 1).sum()) + again
        time += float(_spent(facts, table)[mask].sum())
        written = mask & (table["BYTES_WRITTEN"] > 0)
        made += int(written.sum()) + again
        making += float(opening_times(facts, table)[written].sum())
        largest = max(largest, int(size[mask].max()))
    # Work on the contents of files, such as parsing, remains if they become one file.
    more_time = between(facts, NAME, time) if 2 * made >= records else Between()
    # Work on the names of a listing, before a file is opened, is not part of the cost of that file.
    more_time = Between(max(0.0, more_time.seconds - names.work(facts)))
    stake = facts.stake(
        time,
        "time in opening and closing these files and in the first transfers of each, beyond what "
        f"the bytes would take at a good rate{more_time.basis}",
        between=more_time.seconds,
    )
    # `making` has the times of a file in both layers, because it costs time in both. Like
    # process_time, it contains waits for a processor.
    costly = making >= facts.limits["files.share"] * facts.process_time
    many = costly and made >= facts.limits["files.some"]
    if not (many or records + more >= facts.limits["files.many"]) or not facts.worth(stake):
        return
    # A file that is in both layers, or has two names, counts once.
    ids = frozenset().union(*(t.ids[mask].tolist() for t, mask in found))
    number = len({facts.finals.get(record, record) for record in ids}) + more
    removed = max(_removed(facts, table, mask) for table, mask in found)
    temporary = 2 * removed >= number
    renamed = not temporary and 2 * renames >= number
    yield Finding(
        NAME,
        "The program uses many temporary files"
        if temporary
        else "The program uses many small files",
        f"{count(number)} files of at most {amount(largest)} were read or written; opening and "
        f"closing them and their first transfers took {seconds(time)}{facts.over_all}"
        + (f" ({seconds(time / number)} for each file)" if time / number >= _TOLD else "")
        + ": the cost is per file, not per byte."
        + (f" The program removed {count(removed)} of them." if temporary else "")
        + (f" {count(renames)} renames are in this time." if renamed else "")
        + more_time.sentence,
        stake=stake,
        evidence=tuple(
            e
            for t, _ in found
            for e in facts.sums(t, "OPENS", "F_META_TIME", "F_READ_TIME", "F_WRITE_TIME")
        ),
        remedy=made_by(facts, ids) or _TEMPORARY
        if temporary
        else _RENAMED
        if renamed
        else _remedy(facts, read=2 * made < records),
        limits=("files.many", "files.some", "files.share", "files.small"),
    )
