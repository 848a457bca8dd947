"""Links programs with and without the runtime, runs them, and compares their logs."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lab.environment import library_of, places, plain, preload, through_env
from lab.log import Row, read_rows
from left import left_in
from mpi.launch import OPENMPI, ROOT_MAY_RUN
from place import absent, needs

HERE = Path(__file__).resolve().parent
SECONDS = 120
# The words of a command line.
Words = Sequence["str | Path"]
# For each MPI, the command that starts two ranks.
MPIEXEC = {
    "openmpi": ["mpiexec.openmpi", *OPENMPI, "-n", "2"],
    "mpich": ["mpiexec.mpich", "-n", "2"],
}
# Counters that depend on time instead of calls.
BY_TIME = re.compile(r"_F_|TIME_SIZE$|(FASTEST|SLOWEST)_RANK")


@dataclass
class Ran:
    """The results of a run of a program: its standard output and error, the paths of its logs, and
    the content of the files that it wrote, by path relative to its folder."""

    stdout: str
    stderr: str
    logs: list[Path] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)


@dataclass
class Installed:
    """An installation of Darshan in a folder whose name has a blank, which was moved after it was
    installed."""

    prefix: Path

    def command(self, name: str) -> Path:
        """Returns the path of an installed command."""
        return self.prefix / "bin" / name

    def compiler(self, name: str, folder: Path) -> Path:
        """Makes a compiler command that links programs with the runtime, by darshan-gen-cc, -cxx or
        -fortran. Returns its path in the folder. name: of the real compiler."""
        kind = {"gfortran": "fortran", "mpif90": "fortran", "g++": "cxx"}.get(
            name.split(".", maxsplit=1)[0], "cc"
        )
        output = folder / f"{name}.darshan"
        run([self.command(f"darshan-gen-{kind}"), name, "--output", output])
        return output


def without_ours() -> dict[str, str]:
    """Returns the environment without variables that preload libraries or set up Darshan, and with
    those that let Open MPI run as root."""
    return plain() | ROOT_MAY_RUN


def run(command: Words, **options: object) -> subprocess.CompletedProcess[str]:
    """Runs a command and fails if its exit status is not 0. options: of subprocess.run. Returns its
    status and output."""
    done = subprocess.run(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        **{"env": without_ours(), **options},
    )
    assert done.returncode == 0, f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done


def need(*commands: str) -> None:
    """Skips the test if one of these commands is not installed; on CI, fails instead."""
    needs(*(f"program:{command}" for command in commands))


def need_file(path: str | Path) -> Path:
    """Returns the path of a file, mostly a static library. If it does not exist, skips the test; on
    CI, fails instead."""
    if not Path(path).exists():
        absent(f"there is no {path}")
    return Path(path)


def hdf5_flags(build: Path, name: str) -> list[str]:
    """Returns the HDF5 flags that configure found, by their name in the build's Makefile. Skips the
    test if there are none, except on CI."""
    needs("hdf5:static")
    found = re.search(rf"^{name} = (.*)$", (build / "Makefile").read_text(), re.M)
    if not found:
        absent("configure has not found HDF5's static library")
    return shlex.split(found.group(1))


def execute(
    command: Words, work: Path, logs: Path, env: Mapping[str, str], *, serial: bool = True
) -> Ran:
    """Runs a program in the empty folder `work`, whose name is the same each time. Returns its
    output, logs and files. logs: folder for the logs. env: variables to add. serial: whether it is
    not an MPI program. Fails if the program does."""
    for folder in (work, logs):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    (logs / "journals").mkdir()
    settings = places(logs, logs / "journals")
    if serial:
        settings["DARSHAN_ENABLE_NONMPI"] = "1"
    done = run(command, cwd=work, env=without_ours() | settings | dict(env))
    files = {str(path.relative_to(work)): path.read_bytes() for path in sorted(work.rglob("*.*"))}
    assert not left_in(logs / "journals")
    return Ran(done.stdout, done.stderr, sorted(logs.glob("*.darshan")), files)


def program_rows(parser: Path, logs: Sequence[Path], work: Path) -> list[Row]:
    """Returns the sorted rows of darshan-parser about the program's files and standard streams,
    without counters of time."""
    every = (row for log in logs for row in read_rows(parser, log))
    ours = (row for row in every if row.name.startswith((str(work), "<STD")))
    return sorted(row for row in ours if not BY_TIME.search(row.counter))


@dataclass
class Comparison:
    """Runs a program without the runtime, linked with the runtime, and with the runtime preloaded,
    each in the same folder."""

    build: Path
    parser: Path
    folder: Path

    def same(
        self, linked: Words, plain: Words, *, launch: Sequence[str] = (), modules: Sequence[str]
    ) -> list[Row]:
        """Checks that output, files and log rows of the linked program equal those of the preloaded
        one. Returns the rows. linked, plain: commands of the program in both forms. launch: words
        that start an MPI job. modules: those that the rows must have."""
        work, serial = self.folder / "work", not launch
        through = through_env(preload(library_of(self.build)))
        bare = execute([*launch, *plain], work, self.folder / "none", {"DARSHAN_DISABLE": "1"})
        assert not bare.logs
        preloaded = execute(
            [*launch, *through, *plain], work, self.folder / "preloaded", {}, serial=serial
        )
        ours = execute([*launch, *linked], work, self.folder / "linked", {}, serial=serial)
        for observed in (preloaded, ours):
            assert (observed.stdout, observed.stderr) == (bare.stdout, bare.stderr)
            assert observed.files == bare.files
        assert ours.logs and preloaded.logs
        mine, theirs = (program_rows(self.parser, ran.logs, work) for ran in (ours, preloaded))
        assert mine == theirs
        assert {row.module for row in mine} >= set(modules)
        return mine
