"""Compiles and starts a study's program for an MPI, with the version of a library that was built
for this MPI."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from mpi.launch import ROOT_MAY_RUN, Mpi, ranks_of

WARNINGS = ("-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror")


def missing(mpi: Mpi, library: str) -> str:
    """Returns which part of an MPI, or of a library for it, is missing; "" if all is installed.
    library: its name in pkg-config without the MPI's name."""
    if not (mpi.command("mpicc") and mpi.command("mpiexec")):
        return f"{mpi.name} (mpicc, mpiexec)"
    package = f"{library}-{mpi.name}"
    found = subprocess.run(["pkg-config", "--exists", package], check=False).returncode == 0
    return "" if found else package


def package(mpi: Mpi, library: str) -> list[str]:
    """Returns the compiler options for the version of the library that was built for this MPI."""
    words = subprocess.run(
        ["pkg-config", "--cflags", "--libs", f"{library}-{mpi.name}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    # Warnings in its headers are ignored; the compiler wrapper chooses the link options.
    return [word.replace("-I", "-isystem", 1) for word in words if word[:3] != "-Wl"]


def compile_for(mpi: Mpi, source: Path, program: Path, *options: str) -> None:
    """Compiles a program, or, with -shared, a library. Fails if the compiler does, also at
    warnings."""
    command = [mpi.command("mpicc"), *WARNINGS, "-o", program, source, *options]
    subprocess.run(list(map(str, command)), check=True)


def launcher(mpi: Mpi, ranks: int, variables: dict[str, str]) -> list[str]:
    """Returns the words in front of a command that start it in `ranks` processes. The variables are
    passed to the ranks, not to mpiexec, except those that Open MPI requires if the user is root."""
    root = [f"{k}={v}" for k, v in ROOT_MAY_RUN.items()] if os.getuid() == 0 else []
    return ["env", *root, *mpi.launch(ranks_of(ranks, variables, []))]
