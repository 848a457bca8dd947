"""Checks of the LAYERS records, which attribute POSIX calls to HDF5 operations: no operation is
lost or counted twice between the layers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from .model import Model
from .observe import Rows

# Kinds of HDF5 operations in the counters' names.
OPERATIONS = ("OPEN", "READ", "WRITE", "FLUSH", "CLOSE", "ATTR", "META")
# POSIX counters that must equal the sums over all LAYERS records.
SUMS = ("READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN")
# Ids of modules in UPPER_MODULE.
H5F, H5D = 3, 4
# Values of LAYOUT.
CONTIGUOUS, CHUNKED = 1, 2
# Bytes and slots of the chunk cache of a dataset.
Cache = tuple[int, int]
# Default of HDF5 before 2.0.
OLD_CACHE: Cache = (1 << 20, 521)  # HDF5's default
# Default of HDF5 from 2.0 on.
NEW_CACHE: Cache = (8 << 20, 8191)  # HDF5's default since 2.0
# Rounding error in seconds.
CLOCK = 1e-5


def disagreements(model: Model, rows: Rows, cache: Cache = OLD_CACHE) -> list[str]:
    """Returns a message for each contradiction in the LAYERS records of a log; [] if there is none.
    cache: the rules of HDF5's chunk cache, which depend on its version."""
    records = {name: row for (module, name), row in rows.items() if module == "LAYERS"}
    return [
        *sums(rows),
        *(text for name, row in records.items() for text in within(name, row)),
        *(text for name in model.datasets for text in of_dataset(name, model, rows, cache)),
        *(text for name in model.files for text in of_file(name, model, rows)),
    ]


def sums(rows: Rows) -> Iterator[str]:
    """Yields a message for each POSIX counter whose sum over the LAYERS records, attributed and
    unattributed, differs from its sum over the POSIX records."""
    records = [row for (module, _), row in rows.items() if module == "LAYERS"]
    posix = [row for (module, _), row in rows.items() if module == "POSIX"]
    for counter in SUMS:
        found = sum(
            row[f"LAYERS_{operation}_POSIX_{counter}"]
            for row in records
            for operation in OPERATIONS
        )
        # The application's own POSIX calls are in a LAYERS record of their own.
        total = sum(row[f"POSIX_{counter}"] for row in posix)
        if found != total:
            yield f"POSIX_{counter}: {total:.0f} in POSIX, {found:.0f} in LAYERS"


def within(name: str, row: dict[str, float]) -> Iterator[str]:
    """Yields a message for each contradiction inside one LAYERS record: POSIX time above the time
    of the HDF5 operation, more distinct bytes than moved bytes, and size counts that do not add up
    to the calls. name: of the record."""
    for operation in OPERATIONS:
        whole = row[f"LAYERS_F_{operation}_TIME"]
        below = row[f"LAYERS_F_{operation}_POSIX_TIME"]
        if not -CLOCK <= below <= whole + CLOCK and row["LAYERS_UPPER_MODULE"]:
            yield f"{name}: {operation} took {whole} s, POSIX {below} s of it"
    for kind, verb in (("READ", "READS"), ("WRITE", "WRITES")):
        moved_name = "BYTES_READ" if kind == "READ" else "BYTES_WRITTEN"
        moved = sum(row[f"LAYERS_{op}_POSIX_{moved_name}"] for op in OPERATIONS)
        if row[f"LAYERS_DISTINCT_{moved_name}"] > moved + row["LAYERS_DISTINCT_ERROR"]:
            yield f"{name}: more distinct bytes than bytes ({kind})"
        if moved and not row[f"LAYERS_DISTINCT_{moved_name}"] and row["LAYERS_UPPER_MODULE"]:
            yield f"{name}: no distinct bytes ({kind})"
        for operation in OPERATIONS:
            prefix = f"LAYERS_{operation}_SIZE_POSIX_{kind}_"
            sized = sum(value for counter, value in row.items() if counter.startswith(prefix))
            calls = row[f"LAYERS_{operation}_POSIX_{verb}"]
            if sized != calls:
                yield f"{name}: {sized:.0f} sizes of {calls:.0f} calls ({operation}, {kind})"


def of_dataset(name: str, model: Model, rows: Rows, cache: Cache) -> Iterator[str]:
    """Yields a message for each difference of a dataset's LAYERS record from its H5D record in
    calls and bytes, and for each error in the description of the dataset's storage. cache: as in
    `disagreements`."""
    row = rows.get(("LAYERS", name))
    if row is None:
        yield f"no LAYERS record of {name}"
        return
    data = model.datasets[name]
    expected = {
        "UPPER_MODULE": H5D,
        "OPEN_CALLS": data.counters["OPENS"] - data.referred,
        "READ_CALLS": data.counters["READS"],
        "WRITE_CALLS": data.counters["WRITES"],
        "FLUSH_CALLS": data.counters["FLUSHES"],
        "CLOSE_CALLS": data.closes,
        "BYTES_ASKED_READ": data.counters["BYTES_READ"],
        "BYTES_ASKED_WRITTEN": data.counters["BYTES_WRITTEN"],
        "SELECTED_PIECES": data.pieces,
        "LAYOUT": CHUNKED if data.chunk else CONTIGUOUS,
        "FILTERS": 0,
        "CHUNK_BYTES": math.prod(data.chunk) * data.size if data.chunk else 0,
        "CHUNK_CACHE_BYTES": cache[0] if data.chunk else 0,
        "CHUNK_CACHE_SLOTS": cache[1] if data.chunk else 0,
    }
    for counter, value in expected.items():
        found = row[f"LAYERS_{counter}"]
        if found != value:
            yield f"{name}: {counter} {value} expected, {found:.0f} found"


def of_file(name: str, model: Model, rows: Rows) -> Iterator[str]:
    """Yields a message for each difference of a file's LAYERS record from its H5F record in calls.
    Calls on objects without a record of their own are counted for the file."""
    row = rows.get(("LAYERS", name))
    if row is None:
        yield f"no LAYERS record of {name}"
        return
    file = model.files[name].counters
    opens = file["OPENS"] + model.meta.get(name, {}).get("OBJECT_OPENS", 0)
    flushes = file["FLUSHES"] + model.object_flushes[name]
    expected = {"UPPER_MODULE": H5F, "OPEN_CALLS": opens, "FLUSH_CALLS": flushes}
    for counter, value in expected.items():
        if row[f"LAYERS_{counter}"] != value:
            yield f"{name}: {counter} {value} expected, {row[f'LAYERS_{counter}']:.0f} found"
