"""The table of runs: a row for each command that test_runs.py records."""

from __future__ import annotations

import glob
import sys

from e2e.programs import GIT, GIT_INDEX, GIT_NAMES, MAKE_NAMES
from mpi.launch import MPIS, ROOT_MAY_RUN
from sample import everything, turning

from .row import Row
from .setups import big_file, many_files, ninja, repository, samples, scripts, settings, source_tree

POSTGRES = next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"))), "/usr/lib/postgresql")
DEBIAN_PYTHON = "/usr/bin/python3"
# Ways to instrument a row: by `darshan run`, or by exported variables.
MODES = ("run", "preload")
# Reasons why the calls of a row vary.
RACES = "its processes race for work, and read what others have written by then"
PIPES = "what a read of a pipe or of a socket gives depends on who was faster"


# Temporary names of Python's multiprocessing.
TEMPORARY = r"(?<=/temporary/)\w{8}$|(?<=/pymp-)\w{8}"


# Reason why a row has processes that outlive it.
TRACKERS = "servers of multiprocessing, which end when nobody holds their pipe any more"


def python(*arguments: str) -> Row:
    """Returns the row for workers.py. arguments: the arguments of workers.py."""
    return Row(
        "-".join(("python", *arguments)),
        [sys.executable, "workers.py", *arguments],
        scripts("workers.py", and_then=big_file),
        changing="common",
        random=TEMPORARY,
        outlives="" if arguments[0] in ("fork", "futures") else TRACKERS,
    )


def tree(way: str, *more: str, **what: object) -> Row:
    """Returns the row for a case of trees.c. way: the case; more: further arguments; what: fields
    of the row."""
    return Row(f"tree-{way}", ["{bin}/trees", way, *more], scripts(), **what)  # type: ignore[arg-type]


SHELLS = [
    Row("pipes-dash", ["dash", "pipes.sh"], scripts("pipes.sh"), random=r"(?<=/sh-thd\.)\w+$"),
    Row("pipes-bash", ["bash", "pipes.sh"], scripts("pipes.sh"), random=r"(?<=/sh-thd\.)\w+$"),
    Row(
        "bash",
        ["bash", "pipes.bash"],
        scripts("pipes.sh", "pipes.bash"),
        random=r"(?<=/sh-thd\.)\w+$",
    ),
    Row(
        "xargs",
        ["sh", "-c", "ls item-* | xargs -P4 -n3 sh -c 'cat \"$@\" | cksum >>sums' sh; sort sums"],
        many_files,
        changing="sums",
    ),
    Row(
        "parallel",
        ["sh", "-c", "ls item-* | parallel -j4 --will-cite 'gzip -n <{{}} | cksum >{{}}.sum'"],
        many_files,
        needs=("program:parallel",),
        varies="it measures how long a command line may be, and how fast its disk is",
        random=r"(?<=/par)\w{5}(?=\.)|(?<=/linelen)\d+",
    ),
]

BUILDS = [
    Row("make", ["make", "-s", "-j4"], source_tree, random=MAKE_NAMES + r"|(?<=/st)\w{6}$"),
    Row(
        "ninja",
        ["ninja", "-j4", "--quiet"],
        ninja,
        needs=("program:ninja",),
        varies="it writes times as text",
        changing=r"\.ninja_(log|deps)",
    ),
    Row(
        "git",
        [
            "sh",
            "-c",
            "git clone -q --no-local origin clone && git -C clone -c gc.writeCommitGraph=false"
            " -c gc.autoDetach=false gc -q && git -C clone fsck --no-progress",
        ],
        repository,
        GIT,
        random=GIT_NAMES + r"|(?<=/refs_)\w{6}$|(?<=/packs_)\w{6}$|(?<=/\.tmp-)\d+",
        varies="it writes whatever it has got from the other process",
        changing=GIT_INDEX,
    ),
]

LANGUAGES = [
    *(python(kind) for kind in ("fork", "spawn", "forkserver", "futures")),
    *(python(kind, "terminate") for kind in ("fork", "spawn", "forkserver")),
    Row(
        "torch",
        [DEBIAN_PYTHON, "loader.py"],
        scripts("loader.py", and_then=samples),
        modules=("torch",),
        full="the packages of PyTorch have 560 MB",
        random=TEMPORARY,
        varies=PIPES,
    ),
    Row(
        "node",
        ["node", "children.js"],
        scripts("children.js"),
        needs=("program:node",),
        varies=PIPES,
        changing="log",
    ),
    Row(
        "snakemake",
        ["snakemake", "--quiet", "all", "-j2"],
        scripts("Snakefile"),
        needs=("program:snakemake",),
        full="the packages of Snakemake have 680 MB",
        varies=RACES,
        changing=r"\.snakemake/.*",
    ),
]


JOBS = [
    Row(
        mpi.name,
        ["sh", "jobs.sh", *mpi.launch(["-n", "4"])],
        scripts("jobs.sh", "wrapper.sh", and_then=settings),
        {"PROGRAM": f"{{bin}}/ranks.{mpi.name}", **ROOT_MAY_RUN},
        needs=(f"mpi:{mpi.name}",),
        only_work="what an MPI shares elsewhere has the names of its own processes",
        logs=4,
    )
    for mpi in MPIS
]

SERVERS = [
    Row(
        "postgres",
        ["sh", "database.sh", POSTGRES],
        scripts("database.sh"),
        ordinary="a server of postgres refuses to run as root",
        needs=(f"program:{POSTGRES}/initdb", "ordinary-user"),
        full="its package starts a server on the machine where it is installed",
        varies="times, and who comes first, decide what it writes",
        changing=r"data/.*|server\.log|filled|used|made",
    )
]

TREES = [
    tree("double-fork"),
    tree("daemon", outlives="a daemon"),
    tree("outlived", outlives="a child"),
    tree("storm"),
    tree("shell", varies="what comes out of a pipe comes in pieces"),
    tree("vfork"),
    tree("chain", "0"),
    tree("killed", status=-9, killed=True),
]

ALL = [*SHELLS, *BUILDS, *LANGUAGES, *JOBS, *SERVERS, *TREES]


def cases() -> list[tuple[Row, str]]:
    """Returns a sample of the rows, each with a sample of MODES. `./dev full` runs all rows, also
    those that take long, in each mode."""
    rows = [row for row in ALL if everything() or not row.full]
    rows = turning(rows, 0.6, "runs")
    return [(row, mode) for row in rows for mode in turning(MODES, 0.5, row.name)]
