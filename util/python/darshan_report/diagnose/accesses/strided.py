"""Finds small transfers at a constant distance, as of a column in a table that is stored row by
row. A buffer would make them slower, because it would also move the unused bytes between them."""

from __future__ import annotations

from ...units import amount
from ..facts import Facts
from ..finding import Remedy
from ..table import Table

_MOST = 0.5  # share of the transfers that must be at a common distance
_STRIDES = (1, 2, 3, 4)
_READ = """\
C: pread(fd, row, row_bytes, number * row_bytes);  /* all values of a row */
C++: in.read(row.data(), row_bytes);  // all values of a row
Fortran: read(unit, rec=number) whole_row
Rust: file.read_exact_at(&mut row, number * row_bytes)?;
Go: file.ReadAt(row, number*rowBytes)
Python: table = numpy.fromfile(path).reshape(-1, columns);  column = table[:, k]
Java: channel.read(row, number * rowBytes)
Julia: table = read!(path, Array{Float64}(undef, columns, rows));  column = table[k, :]
Perl: read($file, my $row, $row_bytes);  my @values = unpack('d*', $row);"""
_WRITE = """\
C: pwrite(fd, row, row_bytes, number * row_bytes);  /* all values of a row */
C++: out.write(row.data(), row_bytes);  // all values of a row
Fortran: write(unit, rec=number) whole_row
Rust: file.write_all_at(&row, number * row_bytes)?;
Go: file.WriteAt(row, number*rowBytes)
Python: table.tofile(path)  # one array, filled column by column
Java: channel.write(row, number * rowBytes)
Julia: write(path, table)  # one array, filled column by column
Perl: print $file pack('d*', @row);"""


def stride(facts: Facts, table: Table, kind: str, place: int) -> int:
    """Returns the most frequent stride of a file's transfers, in bytes: a distance that is larger
    than the transfers themselves. Returns 0 if less than half of the transfers are at such
    distances. Also returns 0 for streams, and for writes of several processes, because the bytes
    that one skips may belong to the others. The log does not separate strides of reads from those
    of writes. kind: READ or WRITE. place: row of the file."""
    if table.prefix != "POSIX":
        return 0  # records of streams have no strides
    number, other = (int(table[f"{word}S"][place]) for word in _of(kind))
    mean = int(table[_moved(kind)][place]) / max(number, 1)
    found = {
        int(table[f"STRIDE{i}_STRIDE"][place]): int(table[f"STRIDE{i}_COUNT"][place])
        for i in _STRIDES
    }
    far = {size: times for size, times in found.items() if size > mean and times > 0}
    alone = kind == "READ" or int(table.processes[place]) <= 1
    if not far or not alone or sum(far.values()) - other < _MOST * number:
        return 0
    return max(far, key=lambda size: far[size])


def _of(kind: str) -> tuple[str, str]:
    return ("READ", "WRITE") if kind == "READ" else ("WRITE", "READ")


def _moved(kind: str) -> str:
    return "BYTES_READ" if kind == "READ" else "BYTES_WRITTEN"


def sentence(kind: str, skipped: int) -> str:
    """Returns a sentence about skipped bytes for a finding; "" if `skipped`, the bytes between two
    transfers, is 0. kind: READ or WRITE."""
    if skipped <= 0:
        return ""
    return (
        f" Most {kind.lower()}s skip {amount(skipped)}, as in a table that is stored row by row "
        "and used column by column."
    )


def remedy(facts: Facts, table: Table, kind: str, place: int) -> Remedy:
    """Returns the remedy for transfers that skip bytes: move whole rows, or the whole file. kind:
    READ or WRITE. place: row of the file."""
    direction = "READ" if kind == "READ" else "WRITTEN"
    size = amount(int(table[f"MAX_BYTE_{direction}"][place]) + 1)
    whole = f", or the whole file ({size})," if facts.single(table)[place] else ""
    if kind == "READ":
        words = f"Read blocks of whole rows{whole} and pick the values in memory."
    else:
        words = f"Fill blocks of whole rows{whole} in memory and write each with one call."
    return Remedy(
        f"{words} Turn the loops round, so that the outer one goes along the file.",
        _READ if kind == "READ" else _WRITE,
        alone=True,
    )
