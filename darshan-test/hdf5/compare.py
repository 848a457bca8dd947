"""Compares the rows of a log with the records that model.py computes from the calls of a
program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .model import FRAME, Dataset, File, Model
from .observe import RECORD_ID, Rows

# Counter's name: value.
Row = dict[str, float]

# Counters that only a reduction over ranks sets.
REDUCED = ("FASTEST_RANK", "FASTEST_RANK_BYTES", "SLOWEST_RANK", "SLOWEST_RANK_BYTES")
# Rounding error in seconds of a time with six digits.
CLOCK = 1e-6  # rounding error of a row's six digits


def differences(model: Model, rows: Rows) -> list[str]:
    """Returns a message for each difference between the model and the H5F, H5D and H5_META rows of
    a log; [] if there is none."""
    return [
        *names(model, rows),
        *(text for name, file in model.files.items() for text in of_file(name, file, rows)),
        *(text for name, data in model.datasets.items() for text in of_dataset(name, data, rows)),
        *(text for name in model.files for text in of_meta(name, model, rows)),
    ]


def names(model: Model, rows: Rows) -> Iterator[str]:
    """Yields a message for each H5F and H5D record that the log lacks, and for each that it has in
    addition."""
    for module, wanted in (("H5F", set(model.files)), ("H5D", set(model.datasets))):
        found = {name for kind, name in rows if kind == module}
        yield from (f"no {module} record of {name}" for name in sorted(wanted - found))
        yield from (f"a {module} record of {name}" for name in sorted(found - wanted))


def counters(
    name: str, prefix: str, expected: Counter[str], row: Row, free: tuple[str, ...]
) -> Iterator[str]:
    """Yields a message for each integer counter of a record with an unexpected value; counters that
    are not in `expected` must be 0. name: of the record; prefix: of the module's counters; free:
    counters that may have any value."""
    for full, value in row.items():
        counter = full.removeprefix(prefix)
        if counter == full or counter.startswith("F_") or counter in free:
            continue
        if value != expected[counter]:
            yield f"{name}: {full} {expected[counter]} expected, {value:.0f} found"
    missing = {counter for counter in expected if f"{prefix}{counter}" not in row}
    yield from (f"{name}: no row of {prefix}{counter}" for counter in sorted(missing))


def times(name: str, prefix: str, row: Row, happened: dict[str, bool]) -> Iterator[str]:
    """Yields a message for each negative timer in a record, each missing timestamp of an operation
    that happened, and each timestamp of one that did not. prefix: of the counters' names; row: the
    record's counters; happened: by operation, such as OPEN, whether it happened."""
    for kind, did in happened.items():
        start = row[f"{prefix}F_{kind}_START_TIMESTAMP"]
        end = row[f"{prefix}F_{kind}_END_TIMESTAMP"]
        if did and not 0 < start <= end + CLOCK:
            yield f"{name}: {prefix}{kind} from {start} to {end}"
        if not did and (start or end):
            yield f"{name}: no {kind}, but {prefix} has it from {start} to {end}"
    for counter, value in row.items():
        if counter.endswith("_TIME") and value < 0:
            yield f"{name}: {counter} is {value}"


def of_file(name: str, file: File, rows: Rows) -> Iterator[str]:
    """Yields a message for each error in the H5F record of a file; nothing if the log has no such
    record, which `names` reports."""
    row = rows.get(("H5F", name), {})
    if not row:
        return
    yield from counters(name, "H5F_", file.counters, row, ())
    yield from times(name, "H5F_", row, {"OPEN": True, "CLOSE": file.closes > 0})
    if row["H5F_F_META_TIME"] <= 0:
        yield f"{name}: opening took no time"


def of_dataset(name: str, data: Dataset, rows: Rows) -> Iterator[str]:
    """Yields a message for each error in the H5D record of a dataset; nothing if the log has no
    such record, which `names` reports."""
    row = rows.get(("H5D", name), {})
    if not row:
        return
    free = ("FILE_REC_ID", "MAX_READ_TIME_SIZE", "MAX_WRITE_TIME_SIZE", *REDUCED)
    if data.dims > FRAME:  # which of them are stored is unspecified
        free += tuple(
            f"ACCESS{number}_{what}_D{position}"
            for number in range(1, 5)
            for what in ("LENGTH", "STRIDE")
            for position in range(1, FRAME + 1)
        )
    yield from counters(name, "H5D_", data.expected(), row, free)
    if row["H5D_FILE_REC_ID"] != rows.get(("H5F", data.file), {}).get(RECORD_ID):
        yield f"{name}: does not belong to its file"
    did = {kind: data.counters[f"{kind}S"] > 0 for kind in ("OPEN", "READ", "WRITE")}
    opened = data.counters["OPENS"] > data.referred
    yield from times(name, "H5D_", row, {**did, "OPEN": opened, "CLOSE": data.closes > 0})
    for kind, sizes in data.sizes.items():
        if row[f"H5D_MAX_{kind}_TIME_SIZE"] not in (sizes or {0}):
            yield f"{name}: no {kind} had the size of the slowest"
        if row[f"H5D_F_MAX_{kind}_TIME"] > row[f"H5D_F_{kind}_TIME"] + CLOCK:
            yield f"{name}: the slowest {kind} took more than all of them"
        if not did[kind] and row[f"H5D_F_{kind}_TIME"]:
            yield f"{name}: the time of {kind} is {row[f'H5D_F_{kind}_TIME']}"


def of_meta(name: str, model: Model, rows: Rows) -> Iterator[str]:
    """Yields a message for each error in the H5_META record of a file. A file without calls that
    H5_META counts need not have a record."""
    expected = model.meta.get(name, Counter())
    row = rows.get(("H5_META", name), {})
    if expected and not row:
        yield f"no H5_META record of {name}"
    yield from counters(name, "H5_META_", expected if row else Counter(), row, ())
    yield from (f"{name}: {c} is {v}" for c, v in row.items() if c.endswith("_TIME") and v < 0)
