"""Compiles a study's program for an MPI, with the version of a library that was built for this MPI
(such as the package hdf5-openmpi)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from mpi.launch import ROOT_MAY_RUN, Mpi, ranks_of

WARNINGS = ("-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror")


def missing(mpi: Mpi, library: str) -> str:
    """Returns the name of what is missing: the commands of an MPI, or the library for it; "" if all
    is installed. library: its name for pkg-config."""
    if not (mpi.command("mpicc") and mpi.command("mpiexec")):
        return f"{mpi.name} (mpicc, mpiexec)"
    package = f"{library}-{mpi.name}"
    found = subprocess.run(["pkg-config", "--exists", package], check=False).returncode == 0
    return "" if found else package


def package(mpi: Mpi, library: str) -> list[str]:
    """Returns the compiler options for the version of the library that was built for this MPI.
    Raises CalledProcessError if it is missing."""
    words = subprocess.run(
        ["pkg-config", "--cflags", "--libs", f"{library}-{mpi.name}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    # Warnings in its headers are ignored; the compiler wrapper chooses the link options.
    return [word.replace("-I", "-isystem", 1) for word in words if word[:3] != "-Wl"]


def compile_for(mpi: Mpi, source: Path, program: Path, *options: str) -> None:
    """Compiles a source file with this MPI to a program or, with -shared, a library. options: for
    the compiler."""
    command = [mpi.command("mpicc"), *WARNINGS, "-o", program, source, *options]
    subprocess.run(list(map(str, command)), check=True)


def launcher(mpi: Mpi, ranks: int, variables: dict[str, str]) -> list[str]:
    """Returns the words to put before a command, to start it on this many ranks. The variables are
    passed to the ranks, not to mpiexec, except those that Open MPI requires if the user is root."""
    root = [f"{k}={v}" for k, v in ROOT_MAY_RUN.items()] if os.getuid() == 0 else []
    return ["env", *root, *mpi.launch(ranks_of(ranks, variables, []))]
