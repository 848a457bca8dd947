"""A table of existing MPI programs, and of scripts that use MPI libraries."""

from __future__ import annotations

import ctypes.util
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from mpi.launch import MPIS, Mpi

from .files import script
from .formats import netcdf

OPENMPI, MPICH = MPIS
# Debian's Python, whose h5py and mpi4py were built with Open MPI.
DEBIAN_PYTHON = "/usr/bin/python3"


@dataclass
class Job:
    """A command that runs on several ranks, without and with the runtime. Patterns are of file
    names; "" matches nothing unless noted. setup: makes the input files."""

    name: str
    mpi: Mpi
    ranks: int
    command: list[str]
    setup: Callable[[Path], None]
    # The environment of the ranks; {work} stands for their working folder.
    environment: dict[str, str] = field(default_factory=dict)
    # Pattern of files that contain times, which differ between two runs without the runtime.
    changing: str = ""
    # Command that prints the contents of these files for comparison; empty: they are not compared.
    shown_by: tuple[str, ...] = ()
    # Difference that is allowed between numbers in these files.
    rounding: float = 0.0
    # Whether the output has times, so that it is not compared.
    prints_times: bool = False
    # Pattern of the files that must be opened by MPI-IO, and no others.
    together: str = "(?!)"
    # Pattern of files whose highest byte written is not their last, because O_APPEND does not
    # report the offset.
    resized: str = ""
    # Modules of Debian's Python that the job needs.
    modules: tuple[str, ...] = ()

    def missing(self) -> str:
        """Returns the first thing that the job needs and that is missing: mpiexec, the command, or
        one of its modules; "" if all are installed."""
        if not self.mpi.command("mpiexec"):
            return f"mpiexec.{self.mpi.name}"
        found = subprocess.run(["sh", "-c", 'command -v "$0"', self.command[0]], check=False)
        if found.returncode:
            return self.command[0]
        for module in self.modules:
            done = subprocess.run([self.command[0], "-c", f"import {module}"], check=False)
            if done.returncode:
                return f"{module} for {self.command[0]}"
        return ""


def wheel(library: str) -> Callable[[Path], None]:
    """Returns a function that copies the script slices.py, and makes a link to the MPI library
    under the name that mpi4py's wheel loads. library: its name for the linker."""

    def setup(work: Path) -> None:
        script("slices.py")(work)
        name = ctypes.util.find_library(library)
        assert name, library
        found = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True)
        path = next(
            line.split()[-1] for line in found.stdout.splitlines() if line.split()[0] == name
        )
        (work / "lib").mkdir()
        (work / "lib" / name.replace("mpich", "mpi")).symlink_to(path)

    return setup


def mpi4py(mpi: Mpi, library: str) -> Job:
    """Returns the job that runs mpi4py's wheel on this MPI. library: the MPI library's name for the
    linker."""
    environment = {"MPI4PY_MPIABI": mpi.name, "LD_LIBRARY_PATH": "{work}/lib"}
    command = [sys.executable, "slices.py"]
    return Job(
        f"mpi4py-{mpi.name}", mpi, 3, command, wheel(library), environment, together="slices"
    )


JOBS = [
    # Molecular dynamics: rank 0 dumps through streams, and all ranks through MPI-IO.
    Job(
        "lammps",
        OPENMPI,
        4,
        ["lmp", "-in", "melt.in"],
        script("melt.in"),
        changing=r"log\.lammps",
        prints_times=True,
        together=r"\w+\.mpiio\.(?!.*locktest).*",  # Open MPI tests whether locks work
    ),
    # Photonic bands: all ranks write fields to HDF5 files.
    Job(
        "mpb",
        OPENMPI,
        4,
        ["mpb-mpi", "rods.ctl"],
        script("rods.ctl"),
        changing=r"rods-.*\.h5",
        prints_times=True,
        shown_by=("h5dump", "--width=0"),
        rounding=1e-3,  # FFTW chooses the transform that is fastest in this run
        together=r"rods-.*\.h5",
    ),
    Job(
        "h5py",
        OPENMPI,
        3,
        [DEBIAN_PYTHON, "shared.py"],
        script("shared.py"),
        together=r"shared\.h5",
        modules=("mpi4py", "h5py._debian_h5py_mpi"),
    ),
    Job(
        "mpi4py-debian",
        OPENMPI,
        3,
        [DEBIAN_PYTHON, "slices.py"],
        script("slices.py"),
        together="slices",
        modules=("mpi4py", "numpy"),
    ),
    mpi4py(OPENMPI, "mpi"),
    mpi4py(MPICH, "mpich"),
    Job(
        "ncmpidiff",
        OPENMPI,
        4,
        ["ncmpidiff", "field.nc", "other.nc"],
        netcdf("field.nc", "other.nc"),
        together=r"\w+\.nc",
    ),
]
