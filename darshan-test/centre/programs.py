"""The programs of an invented centre: the files that a run of each program uses, and how.

A run repeats a number of rounds. Each file gets its reads and writes in each round. Thus calls,
bytes and times are proportional to the rounds, and the numbers of a log are products."""

from __future__ import annotations

from dataclasses import dataclass

KIB, MIB, GIB, TIB = 1 << 10, 1 << 20, 1 << 30, 1 << 40
RATE = 0.8 * GIB  # bytes per second of a process, without slowdown


@dataclass(frozen=True)
class Files:
    """Several files that a program uses in the same way, and the reads and writes of each in a
    round. Sizes are in bytes."""

    path: str  # {run}: the run's number; {index}: the file's number
    number: int = 1
    reads: int = 0  # per round and file
    read_size: int = 0
    writes: int = 0
    write_size: int = 0
    shared: bool = False  # used by all ranks, one record; otherwise files belong to ranks in turn
    layers: tuple[str, ...] = ("POSIX",)
    latency: float = 2e-5  # seconds per call, in addition to those of the bytes

    @property
    def moved(self) -> int:
        """The bytes that are read from and written to all these files in a round."""
        return self.number * (self.reads * self.read_size + self.writes * self.write_size)


@dataclass(frozen=True)
class Program:
    """A program of the centre, and its habits: how often it runs, for which users, how large and
    long, and with which files."""

    name: str
    share: float  # share of all runs
    users: int  # the minimum; a large corpus has more
    ranks: tuple[int, ...]
    rounds: float  # the median over runs, which are log-normal
    sigma: float
    seconds: float  # the median over runs
    files: tuple[Files, ...]
    user: str = ""  # the only user; empty: several
    since: tuple[Files, ...] = ()  # files used from the day of the bug on

    @property
    def moved(self) -> int:
        """The bytes that are read and written in a round, by all ranks."""
        return sum(files.moved for files in self.files)


# The layers of files that are used by MPI-IO.
_BOTH = ("POSIX", "MPI-IO")
# Files that several programs use: the mesh, which all runs share, files of steps, and a log.
_MESH = Files("/scratch/shared/mesh.h5", reads=1, read_size=4 * MIB, shared=True)
_STEPS = "/scratch/{program}/run-{run}/step-{index}.h5"
_LOG = Files(
    "/home/{program}/run-{run}/log.txt", writes=2, write_size=4096, layers=("STDIO",)
)  # fmt: skip

CLIMATE = Program(
    "climate", 0.22, 12, (256, 512, 1024, 2048, 4096, 10_000), 1000, 0.5, 7200,
    (
        Files(_STEPS, 24, writes=4, write_size=4 * MIB, shared=True, layers=_BOTH),
        _MESH,
        _LOG,
    ),
)  # fmt: skip
SOLVER = Program(
    "solver", 0.20, 6, (32, 64, 128), 400, 0.3, 1800,
    (Files(_STEPS, 64, writes=4, write_size=MIB, latency=1e-4), _MESH),
    # The bytes are the same, but no buffer combines the writes any more.
    since=(Files(_STEPS, 64, writes=4 * 512, write_size=2 * KIB, latency=1e-4), _MESH),
)  # fmt: skip
ASSEMBLE = Program(
    "assemble", 0.14, 1, (32,), 3000, 0.3, 3600,
    (
        Files("/home/mira/run-{run}/reads-{index}.txt", 32, writes=6000, write_size=80,
              latency=4e-5),
        Files("/scratch/mira/genome.fa", reads=1, read_size=MIB),
    ),
    user="mira",
)  # fmt: skip
RENDER = Program(
    "render", 0.18, 20, (1, 2, 4), 20, 0.7, 900,
    (
        Files("/scratch/{program}/run-{run}/frame-{index}.exr", 100, writes=1,
              write_size=2 * MIB),
        _LOG,
    ),
)  # fmt: skip
TRAIN = Program(
    "train", 0.15, 15, (4, 8, 16), 60, 0.5, 5400,
    (
        Files("/scratch/shared/shard-{index}.tar", 40, reads=8, read_size=4 * MIB),
        Files("/scratch/{program}/run-{run}/weights.pt", writes=4, write_size=8 * MIB),
        _LOG,
    ),
)  # fmt: skip
ARCHIVE = Program(
    "archive", 0.08, 1, (1,), 40, 0.1, 1200,
    (
        Files("/home/{program}/day-{run}/in-{index}", 10, reads=4, read_size=4 * MIB),
        Files("/scratch/{program}/day-{run}.tar", writes=40, write_size=4 * MIB),
    ),
)  # fmt: skip
BACKUP = Program(
    "backup", 0.03, 1, (1,), 200, 0.2, 3600,
    (Files("/home/backup/{run}/part-{index}", 8, reads=8, read_size=4 * MIB),),
    user="keeper",
)  # fmt: skip
# The job of the slow night, which moves 3 TiB.
RESHUFFLE = Program(
    "reshuffle", 0, 1, (2048,), 3 * TIB // (64 * 8 * 8 * MIB), 0, 3 * 3600,
    (Files("/scratch/otto/run-{run}/bucket-{index}", 64, reads=4, read_size=8 * MIB,
           writes=4, write_size=8 * MIB, shared=True),),
    user="otto",
)  # fmt: skip

# All programs; a program's index is part of the numbers of its users.
PROGRAMS = (CLIMATE, SOLVER, ASSEMBLE, RENDER, TRAIN, ARCHIVE, BACKUP, RESHUFFLE)


@dataclass(frozen=True)
class Writer:
    """A version of the Darshan library that wrote logs: the log's format, the byte order of its
    machine ("<" or ">"), and the versions of its modules' records."""

    format: str
    order: str
    library: str
    share: float
    versions: tuple[tuple[str, int], ...]

    def version(self, module: str) -> int | None:
        """Returns the version of a module's records in logs of this writer; None if it has no such
        module."""
        return dict(self.versions).get(module)


# Modules with their record versions, by the age of the library.
_NOW = (("POSIX", 4), ("MPI-IO", 3), ("STDIO", 2))
_THEN = (("POSIX", 3), ("MPI-IO", 2), ("STDIO", 1))
_FIRST = (("POSIX", 1), ("MPI-IO", 1))
# The versions of the library whose logs the corpus has.
WRITERS = (
    Writer("3.41", "<", "3.5.0", 0.85, _NOW),
    Writer("3.41", ">", "3.4.6", 0.03, _NOW),
    Writer("3.21", "<", "3.3.0", 0.05, _NOW),
    Writer("3.10", "<", "3.1.1", 0.03, _THEN),
    Writer("3.10", ">", "3.1.1", 0.01, _THEN),
    Writer("3.00", "<", "3.0.0", 0.02, _FIRST),
    Writer("3.00", ">", "3.0.0", 0.01, _FIRST),
)
