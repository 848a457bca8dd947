"""The MPIs of this system: how a program is compiled for one, and started on its ranks."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

WARNINGS = ("-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror")


@dataclass(frozen=True)
class Mpi:
    """One of Debian's MPIs, by the ending of its commands."""

    name: str

    def missing(self) -> str:
        """Which of its commands is not installed; empty if all are."""
        commands = (f"mpicc.{self.name}", f"mpiexec.{self.name}")
        return " and ".join(command for command in commands if not shutil.which(command))

    def missing_package(self, library: str) -> str:
        """The name of a library's build for this MPI, if pkg-config does not know it."""
        name = f"{library}-{self.name}"
        found = subprocess.run(["pkg-config", "--exists", name], check=False).returncode == 0
        return "" if found else name

    def package(self, library: str) -> list[str]:
        """Options that compile and link with the build of a library for this MPI."""
        words = subprocess.run(
            ["pkg-config", "--cflags", "--libs", f"{library}-{self.name}"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        # Its headers' warnings are not ours; the MPI itself is the compiler wrapper's business.
        return [word.replace("-I", "-isystem", 1) for word in words if word[:3] != "-Wl"]

    def compile(self, source: Path, program: Path, *options: str) -> Path:
        """Makes a program, or, with -shared, a library."""
        command = [f"mpicc.{self.name}", *WARNINGS, "-o", program, source, *options]
        subprocess.run(list(map(str, command)), check=True)
        return program

    def launch(self, ranks: int, variables: dict[str, str]) -> list[str]:
        """What stands before a command; the variables reach the ranks, not the launcher."""
        command = [f"mpiexec.{self.name}", "-n", str(ranks)]
        if self.name == "openmpi":
            command += ["--oversubscribe", *(["--allow-run-as-root"] if os.getuid() == 0 else [])]
            return command + [w for n, v in variables.items() for w in ("-x", f"{n}={v}")]
        return command + [w for n, v in variables.items() for w in ("-genv", n, v)]


MPIS = (Mpi("openmpi"), Mpi("mpich"))
