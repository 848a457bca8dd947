"""Compares the rows of a log with the records that model.py computes: a counter that the model does
not expect must be 0."""

from __future__ import annotations

from collections.abc import Iterator

from hdf5.observe import Rows

from .model import STATIC, Expected, Variable, common, has_clear_order

FILE, VAR = "PNETCDF_FILE", "PNETCDF_VAR"
# Ends of the names of counters that the model does not compute.
NOT_COUNTED = ("_REC_ID", "record id", "_MAX_READ_TIME_SIZE", "_MAX_WRITE_TIME_SIZE")
# Beginnings of counters of several ranks, which other tests compare.
RANKS = ("FASTEST_RANK", "SLOWEST_RANK", "VARIANCE_RANK")


def unexpected(prefix: str, row: dict[str, float], expected: dict[str, int]) -> Iterator[str]:
    """Yields a message for each integer counter of a record with another value than expected.
    prefix: of the counters; expected: by names without it."""
    for counter, value in row.items():
        name = counter.removeprefix(prefix)
        if counter.endswith(NOT_COUNTED) or "_F_" in counter or name.startswith(RANKS):
            continue
        if value != expected.get(name, 0):
            yield f"{counter}: {value}, expected {expected.get(name, 0)}"
    for name in expected:
        if f"{prefix}{name}" not in row:
            yield f"{prefix}{name} is not there"


def file_times(row: dict[str, float]) -> Iterator[str]:
    """Yields a message for each error in the times of a file's record: a time without an operation,
    or an operation without a time."""
    prefix = f"{FILE}_F_"
    waits = row[f"{FILE}_INDEP_WAITS"] + row[f"{FILE}_COLL_WAITS"]
    for name in ("WAIT_START_TIMESTAMP", "WAIT_END_TIMESTAMP", "WAIT_TIME"):
        if (row[prefix + name] > 0) != (waits > 0):
            yield f"{prefix}{name}: {row[prefix + name]} with {waits} waits"
    opened, closed = row[f"{prefix}OPEN_START_TIMESTAMP"], row[f"{prefix}CLOSE_END_TIMESTAMP"]
    if not 0 < opened < closed or not row[f"{prefix}META_TIME"] > 0:
        yield f"opened at {opened}, closed at {closed}, {row[f'{prefix}META_TIME']} s between"


def slowest_size(row: dict[str, float], variable: Variable) -> Iterator[str]:
    """Yields a message for reads and for writes if the size of the slowest call is not that of one
    of the variable's calls."""
    sizes = {access[0] for access in variable.accesses} | {0}
    for counter in (f"{VAR}_MAX_READ_TIME_SIZE", f"{VAR}_MAX_WRITE_TIME_SIZE"):
        if row[counter] not in sizes:
            yield f"{counter}: nothing moved {row[counter]} bytes"


def variable_times(row: dict[str, float], variable: Variable) -> Iterator[str]:
    """Yields a message for each of reads and writes whose start, end or duration in a variable's
    record does not fit the number of its calls."""
    for what in ("READ", "WRITE"):
        modes = ("INDEP", "COLL", "NB")
        calls = sum(variable.counters[f"{mode}_{what}S"] for mode in modes)
        start = row[f"{VAR}_F_{what}_START_TIMESTAMP"]
        end = row[f"{VAR}_F_{what}_END_TIMESTAMP"]
        longest = row[f"{VAR}_F_MAX_{what}_TIME"]
        if (start > 0) != (calls > 0) or (calls and not start <= end):
            yield f"{calls} {what}s between {start} and {end}"
        if longest > row[f"{VAR}_F_{what}_TIME"] + 1e-6:
            yield f"the longest {what} took {longest}, all {row[f'{VAR}_F_{what}_TIME']}"


def differences(expected: Expected, rows: Rows, ranks: int = 1) -> Iterator[str]:
    """Yields a message for each difference between the expected and the log's PnetCDF records.
    ranks: the number of ranks whose records may have been added up."""
    found = {key for key in rows if key[0] in (FILE, VAR)}
    wanted = {(FILE, path) for path in expected.files}
    wanted |= {(VAR, name) for name in expected.variables}
    for key in sorted(found ^ wanted):
        yield f"{key} is {'not expected' if key in found else 'missing'}"
    for path, counters in expected.files.items():
        row = rows.get((FILE, path), {})
        if row:
            yield from (f"{path}: {text}" for text in unexpected(f"{FILE}_", row, counters))
            yield from (f"{path}: {text}" for text in file_times(row))
    for name, variable in expected.variables.items():
        row = dict(rows.get((VAR, name), {}))
        if not row:
            continue
        counters = dict(variable.counters) | variable.shape
        for static in STATIC:  # rows of several records are sums, of one they are not
            if ranks > 1 and row[f"{VAR}_{static}"] == ranks * variable.shape[static]:
                row[f"{VAR}_{static}"] = variable.shape[static]
        if has_clear_order(variable) and ranks == 1:
            counters |= common(variable)
        else:
            row = {key: value for key, value in row.items() if "_ACCESS" not in key}
        yield from (f"{name}: {text}" for text in unexpected(f"{VAR}_", row, counters))
        yield from (f"{name}: {text}" for text in variable_times(row, variable))
        if ranks == 1:
            yield from (f"{name}: {text}" for text in slowest_size(row, variable))
