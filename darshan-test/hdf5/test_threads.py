"""HDF5 calls of several threads are recorded exactly: in parallel if the library is thread-safe,
otherwise one at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from place import needs

from .layers import OPERATIONS, sums, within
from .observe import Rows, bare, instrumented, read_rows
from .test_loading import library_of as library_of_plugin
from .test_modern import WHEELS, build_for, library_of

# Stands for this system's HDF5, not that of a wheel.
SYSTEM = "system"
LIBRARIES = (SYSTEM, *WHEELS)
# The values of concurrent.c.
THREADS, ROUNDS, ROW_BYTES, FLUSHES, PLAIN = 4, 200, 32 * 4, 4, 1000


@pytest.fixture(params=LIBRARIES)
def program(request: pytest.FixtureRequest, build: Path, tmp_path: Path) -> Path:
    """Compiles concurrent.c, linked with the library of the parameter. Returns the program's
    path."""
    return program_for(request.param, build, tmp_path)


def program_for(name: str, build: Path, folder: Path) -> Path:
    """Compiles concurrent.c, linked with the system's library or with that of a wheel. Returns the
    program's path."""
    if name != SYSTEM:
        return build_for(library_of(name), "concurrent", folder)
    needs("hdf5")
    plugin = build / "darshan-test" / "hdf5" / "plugin.so"
    return build_for(Path(library_of_plugin(plugin)), "concurrent", folder)


def expected() -> dict[tuple[str, str], dict[str, float]]:
    """Returns the expected counters of all H5F and H5D records, by module and name; names are
    relative to the program's folder."""
    moved = ROUNDS * ROW_BYTES
    found: dict[tuple[str, str], dict[str, float]] = {
        ("H5F", "shared.h5"): {"OPENS": 1, "FLUSHES": 0},
        ("H5D", "shared.h5:/all"): {
            "OPENS": 1,
            "READS": 0,
            "WRITES": THREADS * ROUNDS,
            "BYTES_WRITTEN": THREADS * moved,
            "REGULAR_HYPERSLAB_SELECTS": THREADS * ROUNDS,
        },
        ("LAYERS", "shared.h5:/all"): {"READ_CALLS": 0, "WRITE_CALLS": THREADS * ROUNDS},
    }
    for i in range(THREADS):
        found["H5F", f"{i}.h5"] = {"OPENS": 1, "FLUSHES": FLUSHES}
        found["H5D", f"{i}.h5:/d"] = {
            "OPENS": 1,
            "READS": ROUNDS,
            "WRITES": ROUNDS,
            "BYTES_READ": moved,
            "BYTES_WRITTEN": moved,
            "RW_SWITCHES": 2 * ROUNDS - 1,
            "REGULAR_HYPERSLAB_SELECTS": 2 * ROUNDS,
        }
        found["LAYERS", f"{i}.h5:/d"] = {"READ_CALLS": ROUNDS, "WRITE_CALLS": ROUNDS}
        found["POSIX", f"plain{i}"] = {
            "READS": ROUNDS,
            "WRITES": ROUNDS,
            "BYTES_READ": ROUNDS * (PLAIN + i),
            "BYTES_WRITTEN": ROUNDS * (PLAIN + i),
        }
    return found


def below(row: dict[str, float], what: str) -> float:
    """Returns the POSIX calls or bytes (what: "READS" and so on) of a LAYERS record, summed over
    all HDF5 operations."""
    return sum(row[f"LAYERS_{operation}_POSIX_{what}"] for operation in OPERATIONS)


def of_layers(rows: Rows, work: Path) -> None:
    """Fails unless the LAYERS records of each file divide its POSIX calls without loss, and calls
    without HDF5 count for the application."""
    assert not list(sums(rows))
    records = {name: row for (module, name), row in rows.items() if module == "LAYERS"}
    assert not [text for name, row in records.items() for text in within(name, row)]
    for what in ("READS", "WRITES", "BYTES_READ", "BYTES_WRITTEN"):
        plain = sum(rows["POSIX", f"{work}/plain{i}"][f"POSIX_{what}"] for i in range(THREADS))
        assert below(records["<application>"], what) == plain, what
        for name in (*(f"{i}.h5" for i in range(THREADS)), "shared.h5"):
            above = [row for other, row in records.items() if other.startswith(f"{work}/{name}")]
            found = sum(below(row, what) for row in above)
            assert found == rows["POSIX", f"{work}/{name}"][f"POSIX_{what}"], (name, what)


def test_threads(program: Path, build: Path, parser: Path, tmp_path: Path) -> None:
    """The counters of a program with several HDF5 threads are exact, whether the library or the
    program uses a lock."""
    folders = [tmp_path / name for name in ("bare", "work")]
    for folder in folders:
        folder.mkdir()
    without = bare([program], folders[0])
    assert without.status == 0, without.stderr
    observed = instrumented(build, [program], folders[1], tmp_path / "logs")
    assert (observed.status, observed.stdout, observed.stderr) == (0, without.stdout, "")
    rows = read_rows(parser, observed.logs)
    for (module, name), counters in expected().items():
        row = rows[module, f"{folders[1]}/{name}"]
        assert {c: row[f"{module}_{c}"] for c in counters} == counters, (module, name)
    of_layers(rows, folders[1])


def test_both_kinds(build: Path, tmp_path: Path) -> None:
    """The tested HDF5 libraries include thread-safe ones and others; otherwise the tests above
    would show less."""
    said = set()
    for name in LIBRARIES:
        folder = tmp_path / name
        folder.mkdir()
        said.add(bare([program_for(name, build, folder)], folder).stdout)
    assert said == {"thread-safe 0\n", "thread-safe 1\n"}
