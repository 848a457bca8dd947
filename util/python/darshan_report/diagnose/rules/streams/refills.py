"""A seek before each read empties the buffer of a stream of C++, Rust or Perl, and the read fills
the whole buffer for a few bytes. These streams have their own buffers, not those of libc, so the
log has only their system calls."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....units import amount, count, plural, seconds
from ...accesses.streams import Mask
from ...facts import Facts, leading
from ...finding import CAUSE, Finding, Remedy
from ...reached import CALLS, at_most, needs
from ...remedies.language import COMPILED, languages
from ...remedies.library_words import seeks_through
from ...table import Table
from ...times.loops import between
from ..accesses.seeks import seconds_in

NAME = "stream-seeks-refill"
ROLE = CAUSE
# Bytes that filling a stream's buffer reads, and the language. libstdc++ reads one byte less than
# its buffer has.
_FILLS = ((8191, "C++"), (8192, "Rust"), (8192, "Perl"))
_NEEDLESS = (
    "Seek less: each seek discards the buffer, even if the stream is already at this offset. "
    "Keep in memory what was read, such as the line that a parser has looked ahead at."
)
_FORWARD = (
    "Skip bytes with seek_relative, which keeps the buffer if it contains the target. seek "
    "discards the buffer; do not call it if the stream is already at this offset."
)
_PERL = 4  # calls of lseek for a seek of Perl
_SEEKS = 0.8  # smallest share of the reads that follow a seek
_MOSTLY = 0.5  # smallest share of the reads that fill the buffer


def _languages(facts: Facts) -> frozenset[str]:
    """Returns the languages that the log's metadata name ("" among them if they name none), and
    those of the interpreters that ran."""
    said = frozenset(dict(facts.info.metadata).get("language", "").split(","))
    return said | (languages(facts, "") - frozenset(COMPILED))


def _mask(facts: Facts, table: Table) -> tuple[Mask, np.ndarray]:
    """Returns a mask of the files whose reads mostly fill a language's buffer after a seek, and,
    for each file, the bytes of such a read (0 for others). table: the table POSIX."""
    said = _languages(facts)
    reads, size = table["READS"], table["MAX_BYTE_READ"] + 1
    fills = np.zeros(len(table), "i8")
    for number in range(1, 5):
        length, calls = table[f"ACCESS{number}_ACCESS"], table[f"ACCESS{number}_COUNT"]
        often = calls >= np.maximum(_MOSTLY * reads, 1)
        for fill, language in _FILLS:
            if said == {""} or language in said:
                fills = np.where(often & (length == fill), fill, fills)
    mask = facts.single(table) & (fills > 0) & (reads >= facts.limits["stream.calls"])
    mask &= table["SEEKS"] >= _SEEKS * reads
    mask &= table["BYTES_READ"] >= facts.limits["again.factor"] * size
    return mask, fills


@needs("POSIX")
@at_most(CALLS)
def find(facts: Facts) -> Iterator[Finding]:
    """Yields one finding on files of which each seek is followed by the read of a whole buffer;
    nothing if there are none."""
    table = facts.table("POSIX")
    if table is None:
        return
    mask, fills = _mask(facts, table)
    if not mask.any():
        return
    spent = facts.moving(table, "READ") + seconds_in(facts, table)
    lost = np.where(mask, facts.lost(spent, table["MAX_BYTE_READ"] + 1), 0.0)
    more = between(facts, NAME, float(lost.sum()))
    stake = facts.stake(
        lost.sum(),
        "time of the seeks and of filling buffers, beyond going through the file once" + more.basis,
        between=more.seconds,
    )
    if not facts.worth(stake):
        return
    first, *others = leading(mask, lost, len(mask))
    size = int(table["MAX_BYTE_READ"][first]) + 1
    yield Finding(
        NAME,
        "Seeks discard the buffer of a stream",
        f"{_seeks(facts, table, first)} in {facts.name(table.ids[first])} discarded a "
        f"buffer, which a read of {amount(int(fills[first]))} filled again: "
        f"{amount(float(table['BYTES_READ'][first]))} were read, of at most {amount(size)} that it "
        f"has, in {seconds(float(spent[first]))}{facts.over_all}"
        + (f"; the same holds for {plural(len(others), 'more file')}." if others else ".")
        + more.sentence,
        stake=stake,
        evidence=facts.rows(
            table, first, "SEEKS", "READS", "BYTES_READ", "MAX_BYTE_READ", "F_READ_TIME",
            "F_META_TIME",
        ),
        remedy=seeks_through(facts, int(table.ids[first])) or _remedy(facts),
        limits=("stream.calls", "again.factor"),
        covers=frozenset(int(i) for i in table.ids[mask]),
    )  # fmt: skip


def _seeks(facts: Facts, table: Table, place: int) -> str:
    """Returns words for the number of seeks that discarded a buffer of a file. Perl calls lseek
    four times for such a seek of the program: twice for the place up to which it read, twice for
    the new place. place: row of the file in the table."""
    seeks = int(table["SEEKS"][place])
    if languages(facts, "") == {"Perl"}:
        about = min(seeks // _PERL, int(table["READS"][place]))
        return f"About {count(round(about, 2 - len(str(about))))} seeks"
    return f"{count(min(seeks, int(table['READS'][place])))} seeks"


def _remedy(facts: Facts) -> Remedy:
    """Returns the remedy, with examples for each language."""
    return Remedy(
        f"{_FORWARD if _languages(facts) == {'Rust'} else _NEEDLESS} Where the order is "
        "another one, read the records without a buffer, read the file once and keep it in "
        "memory, or sort the requests by offset. Each seek fills the whole buffer, so a larger one "
        "takes longer.",
        "C++: if (at != next) in.seekg(at);  in.read(record, size);  next = at + size\n"
        "C++: pread(fd, record, size, at);  // without a buffer\n"
        "C++: std::string all(size, '\\0');  in.read(all.data(), size);  // once\n"
        "Perl: seek($file, $at, 0) if tell($file) != $at;  read($file, $record, $size)\n"
        "Perl: sysseek($file, $at, 0);  sysread($file, $record, $size)  # without a buffer\n"
        "Perl: local $/;  my $all = <$file>;  # once, then substr($all, $at, $size)\n"
        "Rust: reader.seek_relative(offset)?;  // keeps the buffer, seek() does not\n"
        "Rust: file.read_exact_at(&mut record, at)?;  // without a buffer",
        alone=True,
    )
