"""Makes two logs of each study by small runs: one of the problem, and one of its repaired
version."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from instrumented import Lab
from lab.findings import Expected

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(path.parent) for path in sorted(HERE.glob("*/run"))]

import chunk_cache  # noqa: E402 - found by the line above
import edit_atomicity  # noqa: E402
import keyed_growth  # noqa: E402
import mesh_collective  # noqa: E402
import swmr_append  # noqa: E402


@dataclass(frozen=True)
class Pair:
    """Two logs of one study: of the problem, and of its repaired version."""

    problem: Path
    cure: Path


def log_of(lab: Lab, command: Sequence[str | Path]) -> Path:
    """Runs a command with the runtime. Returns the path of its log."""
    run = lab.run(command, instrumented=True)
    assert run.log
    return run.log


def of_chunk_cache(lab: Lab) -> Pair:
    """Returns logs of reading slices of chunks that do not fit into the chunk cache, and of chunks
    that do."""
    size = chunk_cache.Size(steps=256, slices=24, series=0)
    study = chunk_cache.Study(lab, size)
    pair = chunk_cache.PROBLEMS[1]
    return Pair(*(log_of(lab, study.command(case)) for case in pair))


def of_swmr_append(lab: Lab) -> Pair:
    """Returns logs of appending single elements to chunks of 100,000: with a flush after every 100
    elements, and without flushes."""
    huge = swmr_append.LAYOUTS[2]
    study = swmr_append.Study(lab, 400_000)
    logs = []
    for mode in ("every 100", "SWMR"):
        logs.append(log_of(lab, study.command(huge, mode)))
        (lab.folder / "elements.h5").unlink()
    return Pair(*logs)


def of_edit_atomicity(lab: Lab) -> Pair:
    """Returns logs of nine small edits with a backup of the whole file before each, and with a
    journal of the changed bytes."""
    study = edit_atomicity.Study(lab, ("--no-sync",))
    logs = []
    for level in ("inc", "delta"):
        path = study.make("edited.h5", 38_000_000)
        logs.append(log_of(lab, study.command(level, path)))
        path.unlink()
    return Pair(*logs)


def of_keyed_growth(lab: Lab) -> Pair:
    """Returns logs of adding records with nine random keys each: with a SQLite cache for few of the
    index pages, and with one for all."""
    logs = []
    for cache in (keyed_growth.DEFAULT_CACHE, keyed_growth.ROOM[keyed_growth.SMALL]):
        study = keyed_growth.Study(lab, keyed_growth.SMALL // 2, cache)
        path = study.make("keyed.db")
        logs.append(log_of(lab, study.command(path, 0, study.batches)))
        path.unlink()
    return Pair(*logs)


def of_mesh_collective(mpi: mesh_collective.Mpi) -> Callable[[Lab], Pair]:
    """Returns a function that makes logs, with this MPI, of writing the rows of a shared mesh
    independently and collectively."""

    def make(lab: Lab) -> Pair:
        study = mesh_collective.Study(lab, mpi, delay=400)
        logs = []
        for mode in mesh_collective.MODES:
            run, _ = study.run(mesh_collective.Mesh(8, 24, 1, 2), mode, instrumented=True)
            assert run.log
            logs.append(run.log)
        return Pair(*logs)

    return make


@dataclass(frozen=True)
class Known:
    """A study's problem: the finding that a report must have for the problem and not for the
    repaired version, and the function that makes both logs."""

    expected: Expected
    make: Callable[[Lab], Pair]
    needs: str = ""  # library that configure must have found
    mpi: mesh_collective.Mpi | None = None

    def missing(self, build: Path) -> str:
        """Returns the name of a missing package that the study needs; "" if all are installed.
        build: folder with the Makefile."""
        if self.mpi:
            return mesh_collective.missing(self.mpi, "hdf5")
        there = f"\nhave_{self.needs} = yes\n" in (build / "Makefile").read_text()
        return "" if there else self.needs


KNOWN = [
    Known(
        Expected("chunk-cache", "slices", "chunk-cache", "H5Pset_chunk_cache"),
        of_chunk_cache,
        "netcdf",
    ),
    Known(
        Expected("swmr-append", "every-100", "flush-per-chunk", "H5Dflush"), of_swmr_append, "hdf5"
    ),
    Known(
        Expected("edit-atomicity", "backup", "whole-file-copy", "undo log"),
        of_edit_atomicity,
        "hdf5",
    ),
    Known(
        Expected("keyed-growth", "small-cache", "same-bytes-again-read", "cache"),
        of_keyed_growth,
        "sqlite",
    ),
    *(
        Known(
            Expected(
                "mesh-collective", mpi.name, "independent-shared-write", "H5FD_MPIO_COLLECTIVE"
            ),
            of_mesh_collective(mpi),
            mpi=mpi,
        )
        for mpi in mesh_collective.MPIS
    ),
]
