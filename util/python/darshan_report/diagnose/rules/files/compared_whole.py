"""Many files are read whole, once each, at the rate of a checksum, and some of them are as large as
another one: the program may look for equal files. Files of different sizes differ, so the others
need not be read."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ....call_sites.measured import CLOSE, LONG, MEDIUM, OPEN, READ
from ....units import amount, count, seconds, share
from ...facts import Facts
from ...finding import NOTICE, REMARK, Finding, Remedy
from ...programs import program_text
from ...programs.parsing import TEXT, is_parsed
from ...reached import needs
from ...table import Table
from ...times.ledger import BETWEEN, COMPUTING, ledger
from ...times.loops import loops_of

NAME = "compared-whole"
ROLE = REMARK
_FILES = 20  # fewest files
_LEAST = 64 * 1024  # bytes: smaller files often have the same size by chance
_ONCE = 1.01  # most bytes that are read of each byte
_ALONE = 0.5  # smallest share of the bytes in files of a size of their own
_MORE = 0.25  # most bytes that are read of other files, for each byte of these
_WRITTEN = 0.01  # most bytes that are written for each byte that is read
_SLOWEST, _FASTEST = 64 << 20, 4 << 30  # bytes per second of checksums: SHA-3, CRC
# Names of files whose contents programs use, beside those of text.
_DATA = re.compile(
    r"\.(?:np[yz]|h5|hdf5?|nc4?|parquet|feather|arrow|orc|tfrecords?|pt|safetensors|mat|tiff?|fits"
    r"|gz|bz2|xz|zst|zip|tar|db|sqlite)$",
    re.IGNORECASE,
)
_REMEDY = Remedy(
    "Compare the sizes first, and read only files that share their size with another one; then "
    "compare their first blocks before the whole files.",
    "Python: by_size[os.path.getsize(path)].append(path)  # read those of len > 1\n"
    "Perl: push @{$by_size{-s $path}}, $path;  # read those of @$_ > 1\n"
    "Java: bySize.computeIfAbsent(Files.size(path), s -> new ArrayList<>()).add(path);\n"
    "Rust: by_size.entry(path.metadata()?.len()).or_default().push(path);\n"
    "shell: find . -type f -printf '%s %p\\n' | sort -n  # sizes that occur twice",
)


def _whole(facts: Facts, table: Table) -> np.ndarray:
    """Returns a mask of the large files that are read whole and once, and not written."""
    read, size = table["BYTES_READ"], table["MAX_BYTE_READ"] + 1
    large = facts.single(table) & ~program_text.which(facts, table) & (size >= _LEAST)
    return np.asarray(large & (read >= size) & (read <= _ONCE * size) & (table["WRITES"] == 0))


def _is_data(name: str) -> bool:
    """Returns whether a file has the name of data, whose content a program uses."""
    return bool(_DATA.search(name) or TEXT.search(name) or is_parsed(name))


def _around(facts: Facts) -> float:
    """Returns the seconds between calls, in longer gaps before calls that read, open or close
    files; there the program may compute checksums."""
    known = loops_of(facts)
    found = 0.0
    for site in (site for loop in known.groups for site in loop.sites) if known else ():
        if any(site.sums.calls_of[kind] for kind in (OPEN, READ, CLOSE)):
            found += site.sums.gaps[MEDIUM] + site.sums.gaps[LONG]
    found *= known.overlap if known else 1.0
    if facts.needed_time < facts.process_time:  # the gaps also have waits for a processor
        found = min(found, ledger(facts)[BETWEEN] + ledger(facts)[COMPUTING])
    return found


@needs("SITES")
def find(facts: Facts) -> Iterator[Finding]:
    """Yields at most one notice, a hint: if large files are read whole at the rate of a checksum,
    and most of these bytes are of files whose size no other file has."""
    table = facts.table("POSIX")
    if table is None:
        return
    mask = _whole(facts, table)
    if mask.sum() < _FILES:
        return
    sizes = table["MAX_BYTE_READ"][mask] + 1
    _, back, number = np.unique(sizes, return_inverse=True, return_counts=True)
    alone = number[back] == 1
    read, unique = float(sizes.sum()), float(sizes[alone].sum())
    others = ~mask & ~program_text.which(facts, table)
    more, written = float(table["BYTES_READ"][others].sum()), table.sum("BYTES_WRITTEN")
    if alone.all() or unique < _ALONE * read or more > _MORE * read or written > _WRITTEN * read:
        return
    if any(map(_is_data, map(facts.name, table.ids[mask].tolist()))):
        return
    spent = _around(facts)
    stake = facts.stake(0.0, "", between=spent)
    much = facts.worth(stake) and stake.share >= facts.limits["text.share"]
    if not much or not _SLOWEST * spent <= read <= _FASTEST * spent:
        return
    yield Finding(
        NAME,
        "Files may be read whole only to compare them",
        f"{count(int(mask.sum()))} files ({amount(read)}) were read whole, once each, and nearly "
        f"nothing was written. Between these calls, {seconds(stake.run)} of "
        f"{seconds(stake.of_run)} {stake.without}({share(stake.run, stake.of_run)}) passed: "
        f"{amount(read / spent)} for each second, as fast as checksums are. "
        f"{count(int(alone.sum()))} of them ({amount(unique)}) have a size that no other one has. "
        "If the program looks for equal files, it need not read these: files of different sizes "
        "differ. The log does not show what the program does with their bytes.",
        NOTICE,
        evidence=facts.sums(table, "OPENS", "BYTES_READ", "F_READ_TIME"),
        remedy=_REMEDY,
        limits=("text.share", "stake.seconds"),
        is_hint=True,
    )
