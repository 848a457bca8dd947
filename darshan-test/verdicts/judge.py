"""Runs a program of the corpus and its fix, and compares the report with the expected findings."""

from __future__ import annotations

import ctypes.util
import fcntl
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lab.command import finished

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import marks  # noqa: E402
from kept import Gain, kept  # noqa: E402
from lab.environment import library_of, plain, preload  # noqa: E402
from lab.findings import RIGHT, findings_of, judged, problems  # noqa: E402
from mpi.launch import MPIS, ROOT_MAY_RUN, Mpi, ranks_of  # noqa: E402
from place import runs  # noqa: E402
from row import FAR, Row  # noqa: E402 - found by the line above
from studies.mpirun import package  # noqa: E402

SECONDS = 60  # time limit of a run
RUNS = 5  # runs of the program and of its fix to measure a gain
# The file system that slow.c simulates in place of the page cache: microseconds, and bytes per
# microsecond.
SLOW = {"SLOW_CALL": "60", "SLOW_META": "300", "SLOW_SYNC": "1000", "SLOW_RATE": "2000"}
PREPARED = (
    "between.py",
    "chunks.py",
    "outside.py",
    "trees.py",
    "outside.sh",
    "passed.py",
    "readers.js",
    "readers.py",
    "fields.py",
    "honest.py",
    "usual.py",
    "parsed.py",
    "sound.py",
    "words.py",
)  # these make their input themselves
MANY, SMALL = 1200, b"a small file\n" * 77  # number and content of the files in the folder "many"
WARNINGS = ["-O2", "-g", "-Wall", "-Wextra", "-Werror"]
C = ["-std=c11", "-D_GNU_SOURCE", *WARNINGS]

# Messages that are no errors: the name is taken by the log of a program that a library started;
# darshan run names its log; one trigger leaves too little memory for records.
EXPECTED = (
    "cannot give the log the name",
    "darshan: log: ",
    "some files have no records of their own",
)

OF_THE_MACHINE = ("ranks-outnumber-processors",)  # if processors < RANKS


@dataclass(frozen=True)
class Verdict:
    """The report's result for one row, and whether it is correct."""

    row: Row
    outcome: str
    said: str  # the program's first finding, or the one reported for a program without a problem
    stake: float = 0.0  # potential saving in seconds over all processes
    gain: Gain | None = None  # the measured saving
    line: str = ""  # marks.RIGHT, or text on the error; empty: no mark, or no call sites

    @property
    def good(self) -> bool:
        """Returns whether the result is right, apart from the potential saving."""
        return self.outcome == RIGHT

    @property
    def wrong(self) -> str:
        """Returns the error as text, or an empty string."""
        return "" if self.good else f"{self.outcome}: {self.said}".removesuffix(": ")

    @property
    def in_range(self) -> bool:
        """Returns whether the potential saving equals the measured one, within a factor."""
        return self.gain is not None and self.gain.reached_by(self.stake)


@dataclass
class Judge:
    """Builds and runs the programs in a folder."""

    build: Path
    work: Path
    programs: Path = field(init=False)
    logs: int = 0

    def __post_init__(self) -> None:
        self.programs = self.build / "verdicts"
        self.programs.mkdir(exist_ok=True)

    # --- programs --------------------------------------------------------------

    def setting(self, name: str) -> list[str]:
        """Returns the words of a variable that configure has set; [] if it has not."""
        found = re.search(rf"^{name} = (.*)$", (self.build / "Makefile").read_text(), re.M)
        return found[1].split() if found else []

    def _compiler(self, source: Path, mpi: Mpi | None) -> list[str]:
        if source.suffix == ".f90":
            return ["gfortran", *WARNINGS]
        if source.suffix == ".cc":
            return ["g++", *WARNINGS]
        if source.suffix == ".java":
            return ["javac"]
        if source.suffix == ".rs":
            return ["rustc", "-O", "-g", "-D", "warnings"]
        front = [mpi.command("mpicc")] if mpi else ["gcc"]
        hdf5 = self.setting("HDF5_CPPFLAGS") if source.stem == "fields" else []
        if mpi and source.stem.endswith("_fields"):
            hdf5 = [word for word in package(mpi, "hdf5") if not word.startswith("-l")]
        return [*front, *C, *hdf5]

    def _libraries(self, source: Path, mpi: Mpi | None) -> list[str]:
        known = {
            "sync.c": ["-lsqlite3"],
            "streams.c": ["-pthread"],
            "sound.c": ["-pthread"],
            "slow.c": ["-shared", "-fPIC"],
        }
        if source.name == "fields.c":
            return self.setting("HDF5_LIBS")
        if mpi and source.stem.endswith("_fields"):
            return package(mpi, "hdf5")
        return known.get(source.name, [])

    def compiled(self, source: Path, mpi: Mpi | None = None) -> Path:
        """Returns the program of a source, and compiles it if it is out of date."""
        target = self.programs / f"{source.name}{'.' + mpi.name if mpi else ''}.made"
        with (self.programs / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            headers = [*(HERE / "programs").glob("*.h"), *HERE.glob("*.h")]
            newest = max(path.stat().st_mtime for path in (source, *headers))
            if not target.exists() or target.stat().st_mtime < newest:
                new = target.with_suffix(".new")
                option = "-d" if source.suffix == ".java" else "-o"
                command = [*self._compiler(source, mpi), option, new, source]
                subprocess.run([*command, *self._libraries(source, mpi)], check=True)
                if target.is_dir():
                    shutil.rmtree(target)
                new.rename(target)
        return target

    def command(self, row: Row) -> list[str]:
        """Returns the command of a row's program: the program itself, compiled if necessary, or its
        interpreter."""
        source = HERE / "programs" / row.program
        if source.suffix == ".py":
            return [sys.executable, str(source), row.case]
        if source.suffix in INTERPRETERS:
            return [*INTERPRETERS[source.suffix], str(source), row.case]
        if source.suffix == ".java":
            return ["java", "-cp", str(self.compiled(source)), source.stem.capitalize(), row.case]
        return [str(self.compiled(source, mpi_of(row))), row.case]

    # --- runs ------------------------------------------------------------------

    @contextmanager
    def folder(self, row: Row) -> Iterator[Path]:
        """Yields an empty folder with the program's input."""
        folder = Path(tempfile.mkdtemp(dir=self.work, prefix="run-"))
        try:
            if row.input:
                fill_input(folder / "input", row.input)
            if row.many:
                (folder / "many").mkdir()
                for number in range(MANY):
                    (folder / "many" / str(number)).write_bytes(SMALL)
            if row.program in PREPARED:
                run_quietly([*self.command(row), "prepare"], {}, folder)
            yield folder
        finally:
            shutil.rmtree(folder)

    def mpi_settings(self, row: Row) -> dict[str, str]:
        """Returns settings for mpi4py: the MPI library under the name that its wheel requires; {}
        if it needs none."""
        if row.program != "ranks.py":
            return {}
        folder = self.work / f"lib-{row.mpi}"
        if not folder.exists():
            folder.mkdir()
            name = ctypes.util.find_library({"mpich": "mpich", "openmpi": "mpi"}[row.mpi]) or ""
            found = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True)
            lines = [line.split() for line in found.stdout.splitlines()]
            path = next(words[-1] for words in lines if words[:1] == [name])
            (folder / name.replace("mpich", "mpi")).symlink_to(path)
        return {"MPI4PY_MPIABI": row.mpi, "LD_LIBRARY_PATH": str(folder)}

    def run(self, row: Row, *, cured: bool, log: Path | None = None) -> float:
        """Returns the seconds of one run; with a log the run is instrumented."""
        libraries, settings = [], self.mpi_settings(row) | dict(row.settings)
        command = [*self.command(row), *(["cured"] if cured else [])]
        if log:
            settings["DARSHAN_LOGFILE"] = str(log)
            settings["DARSHAN_MMAP_LOGPATH"] = str(self.work)
        if log and row.tree:  # darshan run makes one log, and preloads behind slow.c
            command = [str(self.build / "darshan"), "run", "-o", str(self.work), *command]
        elif log:
            libraries.append(library_of(self.build))
            settings["DARSHAN_ENABLE_NONMPI"] = "1"
            settings["DARSHAN_JOB_TREE"] = "0"
        with self.folder(row) as folder:
            if row.place == FAR:
                libraries.append(self.compiled(HERE / "slow.c"))
                settings = {**SLOW, **settings, "SLOW_FOLDER": f"{folder}/"}
            if libraries:
                settings |= preload(*libraries)
            inside = self.work / "seconds"  # seconds within a job, without its start and end
            if mpi := mpi_of(row):
                if not log:
                    settings["CASE_SECONDS"] = str(inside)
                command = mpi.launch(ranks_on(row, settings, command))
                settings = dict(ROOT_MAY_RUN)
            begun = time.perf_counter()
            run_quietly(command, settings, folder)
            taken = time.perf_counter() - begun
            return float(inside.read_text()) if mpi and not log else taken

    def log_of(self, row: Row, *, cured: bool = False) -> Path:
        """Returns the log of a run."""
        self.logs += 1
        log = self.work / f"{os.getpid()}-{self.logs}.darshan"
        self.run(row, cured=cured, log=log)
        # A program that a library starts leaves an earlier log.
        return max(self.work.glob(f"{log.name}*"), key=lambda path: path.stat().st_mtime_ns)

    def findings(self, row: Row, *, cured: bool = False) -> list[Any]:
        """Returns the findings of a run in order, except findings about the machine."""
        return self._findings(self.log_of(row, cured=cured))

    def _findings(self, log: Path) -> list[Any]:
        return [f for f in findings_of(self.build, log) if f.name not in OF_THE_MACHINE]

    def line(self, row: Row) -> str:
        """Returns marks.RIGHT if the finding of a row names a line with the row's mark; else the
        text that it has instead."""
        row = replace(row, settings=(*row.settings, marks.SITES))
        return marks.told(self.build, row, self.log_of(row))

    def gained(self, row: Row) -> Gain:
        """Returns the seconds over all processes that the fix saves."""
        pairs = [(self.run(row, cured=False), self.run(row, cured=True)) for _ in range(RUNS)]
        before, after = zip(*pairs)
        gain = statistics.median(before) - statistics.median(after)
        error = ((statistics.variance(before) + statistics.variance(after)) / RUNS) ** 0.5
        return Gain(gain * row.ranks, error * row.ranks)

    # --- verdicts --------------------------------------------------------------

    def verdict(self, row: Row, *, measured: bool = False) -> Verdict:
        """Returns the result for a row's program and its fix."""
        log = self.log_of(row)
        found = self._findings(log)
        outcome, said = judged(row, found, lambda: self.findings(row, cured=True))
        if not row.finding:
            return Verdict(row, outcome, said)
        accused = problems(found)
        stake = accused[0].stake.seconds if accused else 0.0
        then = kept().get(row.name)
        gain = self.gained(row) if measured else then and then.gain
        has_line = marks.SITES in row.settings and marks.marked(row)
        line = marks.told(self.build, row, log) if has_line else ""
        return Verdict(row, outcome, said, stake, gain, line)


# Runs each rank as the only one of its host.
NAMED = 'hostname "node${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" && exec env "$@"'


def ranks_on(row: Row, env: dict[str, str], command: list[str]) -> list[str]:
    """Returns the command of a job; env is for its ranks, not for the launcher."""
    if not row.hosts:
        return ranks_of(row.ranks, env, command)
    words = [*(f"{key}={value}" for key, value in env.items()), *command]
    return ranks_of(row.ranks, {}, ["unshare", "-u", "sh", "-c", NAMED, "sh", *words])


def mpi_of(row: Row) -> Mpi | None:
    """Returns the MPI of a job; None for a program without MPI."""
    return next((mpi for mpi in MPIS if mpi.name == row.mpi), None)


def fill_input(path: Path, mib: int) -> None:
    """Writes lines of text, which programs read as lines or as bytes."""
    block = b"".join(b"%07d some words on a line\n" % i for i in range(1 << 16))[: 1 << 20]
    with path.open("wb") as file:
        for _ in range(mib):
            file.write(block)


def plain_environment() -> dict[str, str]:
    """Returns the environment without variables of Darshan, HDF5 and slow.c."""
    return {name: v for name, v in plain().items() if not name.startswith(("HDF5_", "SLOW_"))}


def run_quietly(command: list[str], settings: dict[str, str], folder: Path) -> None:
    """Runs a command. Raises RuntimeError if it fails or prints anything."""
    done = finished(command, cwd=folder, env=plain_environment() | settings, timeout=SECONDS)
    said = [line for line in done.stderr.splitlines() if not any(w in line for w in EXPECTED)]
    if done.returncode or said:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")


# The commands that run a script, by its ending.
INTERPRETERS = {
    ".sh": ["bash"],
    ".js": ["node"],
    ".pl": ["perl"],
    ".R": ["Rscript", "--vanilla"],
    ".m": ["octave-cli", "--norc", "--no-history"],
}


def needed(row: Row) -> list[str]:
    """Returns the capabilities that the machine needs for a row."""
    found = ["slow-calls"] if row.place == FAR else []
    if row.mpi:
        found.append(f"{'hdf5' if row.program.endswith('_fields.c') else 'mpi'}:{row.mpi}")
    if row.hosts:
        found.append(runs("unshare", "-u", "sh", "-c", NAMED, "sh"))
    language = row.program.rpartition(".")[2]
    known = {
        "java": "java",
        "rs": "rust",
        "js": "program:node",
        "pl": "program:perl",
        "R": "r",
        "m": "octave",
    }
    if language in known:
        found.append(known[language])
    if row.case == "mapped-at-random":
        found.append("storage")
    if row.program == "sync.c":
        found.append("sqlite")
    return [*found, "hdf5"] if row.program == "fields.c" else found
