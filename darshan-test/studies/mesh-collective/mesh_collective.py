"""Writes a mesh to one shared HDF5 file, by independent and by collective writes, and finds the
reason for the difference in speed."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from instrumented import Counters, Lab, Run, digest, print_table
from lab.environment import preload
from mpi.launch import MPIS, Mpi
from mpirun import compile_for, launcher, missing, package

HERE = Path(__file__).resolve().parent
FILE = "mesh.h5"
# The problem and its fix.
MODES = ("independent", "collective")
# Results of the source with 60 ranks and about 1 GiB: MB/s, and a description of the POSIX writes.
SOURCE = {"independent": (30, "5,000,000, < 1 KB"), "collective": (290, "some 10 MB each")}
# Layers below HDF5; time that they do not explain is HDF5's own.
LAYERS = ("POSIX", "MPIIO", "COMM")  # below HDF5; what they do not explain is HDF5's own
# Bytes of a value.
VALUE = 8


@dataclass(frozen=True)
class Mesh:
    """The size of the mesh to write: ranks, cubic parts of each rank, and variables."""

    ranks: int
    edge: int  # of a part, in values
    parts: int  # of a rank
    variables: int

    @property
    def writes(self) -> int:
        """Returns the number of H5Dwrite calls of all ranks."""
        return self.ranks * self.parts * self.variables

    @property
    def rows(self) -> int:
        """Returns the number of rows of the parts, in all variables: sequences of values that are
        neighbours in the file, while two rows are not."""
        return self.writes * self.edge * self.edge

    @property
    def bytes(self) -> int:
        """Returns the bytes of all variables together."""
        return self.rows * self.edge * VALUE


SMALL = (Mesh(8, 24, 1, 2), Mesh(16, 24, 1, 2))
# 1 GiB, with rows of 216 bytes as in the source.
FULL = (Mesh(8, 27, 8, 106), Mesh(16, 27, 8, 53))


@dataclass
class Measured:
    """The results of one mode of writing, without and with the runtime: times, the file, and the
    log."""

    bare: dict[str, float]  # without the runtime: seconds of the slowest rank: create_s, ...
    ours: dict[str, float]  # with the runtime
    same: bool  # whether both runs left the same bytes
    digest: str  # of the file without the runtime
    log: Path
    counters: dict[str, Counters] = field(default_factory=dict)  # per module: of the file


def numbers(run: Run) -> dict[str, float]:
    """Returns the numbers that rank 0 printed, by name."""
    return dict(zip(run.words[::2], map(float, run.words[1::2])))


@dataclass
class Study:
    """Runs `mesh` with one MPI, with optional delays."""

    lab: Lab
    mpi: Mpi
    delay: int = 0  # microseconds that every write waits
    late: int = 0  # milliseconds by which the last rank comes late to the close

    def build(self) -> None:
        """Compiles the program and the libraries to preload, if they do not exist."""
        if not self.program.exists():
            compile_for(self.mpi, HERE / "mesh.c", self.program, *package(self.mpi, "hdf5"))
        for name in ("slow", "yield"):
            if not self.library(name).exists():
                compile_for(self.mpi, HERE / f"{name}.c", self.library(name), "-shared", "-fPIC")

    @property
    def program(self) -> Path:
        """Returns the path of `mesh`, compiled for this MPI."""
        return self.lab.folder / f"mesh-{self.mpi.name}"

    def library(self, name: str) -> Path:
        """Returns the path of a library to preload, "slow" or "yield", compiled for this MPI."""
        return self.lab.folder / f"{name}-{self.mpi.name}.so"

    def variables(self) -> dict[str, str]:
        """Returns the environment of every run, with and without the runtime: the libraries to
        preload and their settings."""
        names = [
            *(["slow"] if self.delay else []),
            *(["yield"] if self.mpi.name == "mpich" else []),
        ]
        variables = {"MESH_WRITE_US": str(self.delay)}
        if names:
            variables |= preload(*(self.library(name) for name in names))
        return variables

    def run(self, mesh: Mesh, mode: str, *, instrumented: bool) -> tuple[Run, str]:
        """Writes the mesh to a new file once. mode: independent or collective. Returns the run and
        a digest of the file."""
        self.build()
        path = self.lab.folder / FILE
        path.unlink(missing_ok=True)
        amounts = map(str, (mesh.edge, mesh.parts, mesh.variables, mode, self.late))
        run = self.lab.run(
            [self.program, path, *amounts],
            instrumented=instrumented,
            launcher=lambda variables: launcher(self.mpi, mesh.ranks, variables),
            variables=self.variables(),
        )
        return run, digest(path)

    def measure(self, mesh: Mesh, mode: str) -> Measured:
        """Writes the mesh without, then with the runtime. Returns the results of both."""
        bare, left = self.run(mesh, mode, instrumented=False)
        ours, found = self.run(mesh, mode, instrumented=True)
        assert ours.log
        counters = {
            module: self.lab.counters(ours.log, module).get(FILE, {})
            for module in ("POSIX", "MPI-IO", "H5F", "LAYERS")
        }
        counters["POSIX of all"] = total(list(self.lab.counters(ours.log).values()))
        counters["H5D"] = total(self.datasets(ours.log, "H5D"))
        counters["LAYERS of datasets"] = total(self.datasets(ours.log, "LAYERS"))
        return Measured(numbers(bare), numbers(ours), left == found, left, ours.log, counters)

    def datasets(self, log: Path, module: str) -> list[Counters]:
        """Returns the counters of each variable's record in a module of the log."""
        records = self.lab.counters(log, module)
        return [record for name, record in records.items() if name.startswith("variable")]


def total(records: list[Counters]) -> Counters:
    """Returns the sum of each counter over these records."""
    names = {name for record in records for name in record}
    return {name: sum(record.get(name, 0) for record in records) for name in names}


def where_time_went(layers: Counters, operation: str) -> dict[str, float]:
    """Returns the seconds that opens or closes of the file took in all, in each layer, and in HDF5
    itself, which has the rest; each is summed over all ranks. layers: counters of the LAYERS
    record; operation: OPEN or CLOSE."""
    whole = layers[f"F_{operation}_TIME"]
    parts = {name: layers[f"F_{operation}_{name}_TIME"] for name in LAYERS}
    return {"all": whole, **parts, "HDF5": whole - sum(parts.values())}


WRITE_HEAD = (
    "MPI, ranks",
    "writes",
    "MB/s",
    "instrumented",
    "source",
    "H5D writes",
    "MPI-IO, alone",
    "MPI-IO, together",
    "POSIX",
    "bytes each",
    "source's",
)


def write_row(mpi: Mpi, mesh: Mesh, mode: str, measured: Measured) -> list[str]:
    """Returns a row of the table: the speed at which a mesh was written, and the numbers of writes
    below HDF5."""
    posix, mpiio = measured.counters["POSIX"], measured.counters["MPI-IO"]
    speed, sizes = SOURCE[mode]
    return [
        f"{mpi.name}, {mesh.ranks}",
        mode,
        f"{mesh.bytes / 1e6 / measured.bare['write_s']:,.1f}",
        f"{mesh.bytes / 1e6 / measured.ours['write_s']:,.1f}",
        str(speed),
        f"{measured.counters['H5D']['WRITES']:,.0f}",
        f"{mpiio['INDEP_WRITES']:,.0f}",
        f"{mpiio['COLL_WRITES']:,.0f}",
        f"{posix['WRITES']:,.0f}",
        f"{posix['BYTES_WRITTEN'] / posix['WRITES']:,.0f}",
        sizes,
    ]


FILE_HEAD = ("MPI, ranks", "writes", "call", "bare", "all ranks", *LAYERS, "HDF5 itself")


def file_rows(mpi: Mpi, mesh: Mesh, mode: str, measured: Measured) -> Iterator[list[str]]:
    """Yields rows of text about the time of H5Fcreate and of H5Fclose in each layer."""
    for call, operation, printed in (
        ("H5Fcreate", "OPEN", "create_s"),
        ("H5Fclose", "CLOSE", "close_s"),
    ):
        went = where_time_went(measured.counters["LAYERS"], operation)
        front = [f"{mpi.name}, {mesh.ranks}", mode, call, f"{measured.bare[printed]:.3f}"]
        yield front + [f"{seconds:.3f}" for seconds in went.values()]


def report(lab: Lab, meshes: tuple[Mesh, ...], delay: int, late: int) -> None:
    """Measures the cases of the study, and prints its tables."""
    writes, files = [], []
    for mpi in MPIS:
        if lacking := missing(mpi, "hdf5"):
            print(f"no {lacking}: {mpi.name} is left out")
            continue
        study = Study(lab, mpi, delay, late)
        for mesh in meshes:
            for mode in MODES:
                measured = study.measure(mesh, mode)
                if not measured.same:
                    raise RuntimeError(f"{mpi.name}, {mode}: the file differs")
                writes.append(write_row(mpi, mesh, mode, measured))
                files += file_rows(mpi, mesh, mode, measured)
    print(f"Every write waits {delay} µs; source: 60 ranks on a parallel file system\n")
    print_table(WRITE_HEAD, writes)
    print("Seconds: bare of the slowest rank, the rest from the log and summed over all ranks\n")
    print_table(FILE_HEAD, files)


def main() -> None:
    """Runs the study as the command line says."""
    options = argparse.ArgumentParser(description=__doc__)
    size = options.add_mutually_exclusive_group()
    size.add_argument("--small", action="store_true", help="8 and 16 ranks, a few MB [this]")
    size.add_argument("--full", action="store_true", help="1 GiB, about half an hour")
    options.add_argument(
        "--mesh", type=int, nargs=4, metavar=("RANKS", "EDGE", "PARTS", "VARIABLES")
    )
    options.add_argument("--write-us", type=int, default=400, help="every write waits [400 µs]")
    options.add_argument("--late-ms", type=int, default=0, help="the last rank closes late by [0]")
    options.add_argument("--out", type=Path, help="where to work [a new folder, removed]")
    options.add_argument("--build", type=Path, default=os.environ.get("DARSHAN_BUILD"))
    chosen = options.parse_args()
    if not chosen.build:
        options.error("name the build folder by --build or DARSHAN_BUILD")
    if chosen.out:
        chosen.out.mkdir(parents=True, exist_ok=True)
    meshes = (Mesh(*chosen.mesh),) if chosen.mesh else FULL if chosen.full else SMALL
    with tempfile.TemporaryDirectory(prefix="mesh-collective.", dir=chosen.out) as folder:
        lab = Lab(Path(chosen.build).resolve(), Path(folder).resolve())
        report(lab, meshes, chosen.write_us, chosen.late_ms)
