"""The lines of `darshan stat` about datasets have the values that darshan-parser prints."""

from __future__ import annotations

import subprocess

from .program import OPERATIONS, Program, Row

COLUMNS, LINES, SHOWN = 80, 24, 3
# Bytes or seconds of each unit on the screen.
UNITS = {"B": 1.0, "KiB": 1024.0, "MiB": 1024.0**2, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def expected(row: Row) -> list[float]:
    """Returns what `darshan stat` must show of a dataset's LAYERS record: requested bytes, moved
    bytes, their ratio, seconds, and the fractions of this time in HDF5, MPI and POSIX."""
    asked = row["BYTES_ASKED_READ"] + row["BYTES_ASKED_WRITTEN"]
    moved = sum(row[f"{o}_POSIX_BYTES_{d}"] for o in OPERATIONS for d in ("READ", "WRITTEN"))
    time = sum(row[f"F_{o}_TIME"] for o in OPERATIONS)
    posix = sum(row[f"F_{o}_POSIX_TIME"] for o in OPERATIONS)
    mpi = sum(row[f"F_{o}_{layer}_TIME"] for o in OPERATIONS for layer in ("MPIIO", "COMM"))
    own = 1 - (posix + mpi) / time
    return [asked, moved, moved / asked, time, own, mpi / time, posix / time]


def shown(line: str) -> tuple[str, list[float]]:
    """Returns the dataset's name and the numbers in a line of `darshan stat`, in the units of
    expected()."""
    name, asked, asked_unit, moved, moved_unit, factor, time, time_unit, *shares = line.split()
    numbers = [
        float(asked) * UNITS[asked_unit],
        float(moved) * UNITS[moved_unit],
        float(factor),
        float(time) * UNITS[time_unit],
    ]
    return name, numbers + [float(share.rstrip("%")) / 100 for share in shares]


def test_three_slowest(program: Program) -> None:
    """`darshan stat` shows the three slowest of four datasets, with the numbers of their LAYERS
    records."""
    outcome = program.run("timing")
    done = subprocess.run(
        [program.build / "darshan", "stat", "-r", outcome.log],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stderr.splitlines()
    assert len(lines) <= LINES and max(map(len, lines)) <= COLUMNS
    first = next(i for i, line in enumerate(lines) if line.startswith("datasets by time"))
    rows = {name: row for name, row in outcome.layers.items() if ":/" in name}
    order = sorted(rows, key=lambda name: -expected(rows[name])[3])
    behind = lines[first + SHOWN + 1]
    assert len(order) > SHOWN and (behind == "" or behind.startswith(("!", "  ")))
    for name, line in zip(order[:SHOWN], lines[first + 1 :]):
        label, numbers = shown(line)
        assert name.endswith(label.removeprefix("..."))
        # Factors below 1 and shares have two decimals, other numbers three digits.
        slack = [0.0051 * abs(truth) for truth in expected(rows[name])]
        slack[2] = max(slack[2], 0.0051)
        slack[4:] = [0.0051] * 3
        for number, truth, allowed in zip(numbers, expected(rows[name]), slack):
            assert abs(number - truth) <= allowed, line


def test_no_datasets(program: Program) -> None:
    """`darshan stat` of a program without HDF5 has no lines about datasets."""
    done = subprocess.run(
        [program.build / "darshan", "stat", "cat", "/dev/null"],
        cwd=program.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "datasets by time" not in done.stderr and "run time" in done.stderr
