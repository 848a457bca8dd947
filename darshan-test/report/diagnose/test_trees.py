"""A run of many programs is not an MPI job: rules about MPI jobs report nothing for it, and
findings name the programs that made the calls if the log has them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from .build import MIB, Job, Row, findings, number_of, row, shared
from .cases import CASES

# Findings about processes that work together and wait for each other.
_TOGETHER = frozenset(
    (
        "aggregators", "as-it-should-be-collective", "collective-metadata",
        "collective-not-aggregated", "file-per-process", "files-as-messages", "imbalance",
        "imbalance-shared",
        "independent-shared-read", "independent-shared-write", "no-mpi-io",
        "mpi-io-itself", "mpi-io-opened-again", "one-process-does-all", "ranks-wait-for-io",
        "ranks-outnumber-processors", "read-by-all", "shared-file-contention", "slow-hosts",
        "shared-pointer",
        "slowing-down",
        "tiny-collective", "waiting-in-mpi-io", "written-in-turns",
    )
)  # fmt: skip
_POSIX = 1


def process(rank: int, command: str, parent: int = 0, **values: float) -> Row:
    """Returns the PROCESS record of a process that lived for ten seconds. parent: the rank of its
    parent; rank 0 has none."""
    known = {"COUNT": 1, "PARENT_RANK": parent if rank else -1, "PROGRAMS": 1, "ENDED": 1,
             "OPENS": 1, "F_END_TIMESTAMP": 10.0, **values}  # fmt: skip
    return row("PROCESS", f"host: {command}", rank=rank, **known)


def as_tree(job: Job, commands: tuple[str, ...]) -> Job:
    """Returns the job with its records and, for each command, a PROCESS record: the ranks are
    programs of a run."""
    rows = tuple(process(rank, command) for rank, command in enumerate(commands))
    return replace(job, rows=job.rows + rows, nprocs=len(commands))


@pytest.mark.parametrize(("name", "having"), [(n, h) for n, h, _ in CASES if n in _TOGETHER])
def test_silent(name: str, having: Job, tmp_path: Path) -> None:
    """Findings about processes that work together are not made for a tree of programs. name: of the
    case."""
    assert name in findings(having, tmp_path)
    number = max(having.nprocs, 2)
    found = findings(as_tree(having, ("bash x.sh", *["work"] * (number - 1))), tmp_path)
    assert not _TOGETHER & set(found)


def test_all_that_are_about_jobs() -> None:
    """Every rule about several processes has a test for runs of many programs."""
    assert {n for n, _, _ in CASES} >= _TOGETHER
    several = {n for n, having, _ in CASES if having.nprocs > 1}
    others = {"slow-targets", "storage-targets", "hdf5-file-time-inside",
              "hdf5-file-time-waiting", "metadata", "blocking-only", "read-modify-write",
              "unaligned", "opened-again", "read-by-each", "read-by-each-worker", "process-each",
              "dataset-read-by-all", "repeated-by-processes", "rewritten-by-processes",
              "saved-by-each", "sleeps-between-look-ups", "unseen-programs", "sent-to-workers",
              "asked-one-by-one", "asked-one-by-one-many", "asked-one-by-one-manager",
              "compressed-and-removed", "compressed-in-a-pipe", "maintained-each",
              "shared-across-fork"}  # fmt: skip
    assert several - others <= _TOGETHER


def reads(name: str, rank: int = 0) -> Row:
    """Returns the record of 50,000 small reads of a file."""
    return row(
        "POSIX", name, rank=rank, READS=50_000, SEQ_READS=50_000, SIZE_READ_0_100=50_000,
        BYTES_READ=5_000_000, MAX_BYTE_READ=4_999_999, OPENS=1, F_READ_TIME=5.0,
    )  # fmt: skip


def merged(name: str, number: int = 0, lowest: int = 0, highest: int = 0) -> tuple[Row, ...]:
    """Returns the record of the same reads, reduced over `number` processes with ranks from
    `lowest` to `highest`; number 0: over all processes."""
    found = replace(reads(name), rank=-1)
    if not number:
        return (found,)
    some = shared(
        "SHARED", name, MODULE=_POSIX, RANKS=number, LOWEST_RANK=lowest, HIGHEST_RANK=highest
    )
    return (found, some)


COMMANDS = ("bash x.sh", *["cat part"] * 4, "sort all", *["bash x.sh"] * 2)
_CATS = "cat \u00d7 4"


@pytest.mark.parametrize(
    ("rows", "programs"),
    [
        ((reads("/a", 5),), "sort"),
        ((reads("/a"),), "x.sh"),
        ((reads("/a", 6),), "x.sh's subshell"),
        (tuple(reads("/a", rank) for rank in range(1, 5)), _CATS),
        ((reads("/a", 1), reads("/b", 3)), "cat \u00d7 2"),
        ((reads("/a", 1), reads("/b", 5)), "cat and sort"),
        (merged("/a", 4, 1, 4), _CATS),
        (merged("/a", 2, 3, 5), "cat and sort"),
        # Three of the four processes between the ranks: the processes are unknown, their program is
        # known.
        (merged("/a", 3, 1, 4), "cat \u00d7 3"),
        # Three of five processes, two programs: the program is unknown.
        (merged("/a", 3, 1, 5), ""),
        (merged("/a"), "cat \u00d7 4, x.sh's 2 subshells, sort and x.sh"),
        # The known part is most of the total in the first case, and is not in the others.
        ((*merged("/a", 3, 1, 5), *(reads(f"/{i}", 5) for i in range(12))), "sort"),
        ((*merged("/a", 3, 1, 5), reads("/b", 5)), ""),
        ((reads("/a", 99),), ""),
    ],
)
def test_programs(rows: tuple[Row, ...], programs: str, tmp_path: Path) -> None:
    """A finding in a tree names the programs that did the I/O. programs: the expected text; "" if
    none is named."""
    every = findings(as_tree(Job(rows), COMMANDS), tmp_path)
    found = every.get("read-by-each") or every["small-accesses-read"]
    assert found.programs == programs
    assert found.sentence.endswith(f" Done by {programs}." if programs else ".")
    assert ("Done by" in found.sentence) == bool(programs)


def test_who_only_read_did_not_write(tmp_path: Path) -> None:
    """If programs share a file, the finding about writes names only the program that wrote."""
    writes = {"WRITES": 50_000, "SIZE_WRITE_0_100": 50_000, "BYTES_WRITTEN": 150_000,
              "F_WRITE_TIME": 5.0, "OPENS": 2, "READS": 2}  # fmt: skip
    some = shared("SHARED", "/a", MODULE=_POSIX, RANKS=2, LOWEST_RANK=1, HIGHEST_RANK=5)
    tree = as_tree(Job((shared("POSIX", "/a", **writes), some)), COMMANDS)
    spent = {"cat": {"F_WRITE_TIME": 5.0}, "sort": {"F_READ_TIME": 5.0}}
    rows = [
        replace(r, values={**r.values, **spent.get(r.name.split()[1], {})})
        if r.module == "PROCESS"
        else r
        for r in tree.rows
    ]
    found = findings(replace(tree, rows=tuple(rows)), tmp_path)["small-accesses-write"]
    assert found.programs == "cat"


def test_many_programs(tmp_path: Path) -> None:
    """If nine programs made the calls, the finding has their number and not their names."""
    commands = ("bash x.sh", *(f"step-{i}" for i in range(9)))
    job = Job(tuple(reads(f"/{i}", 1 + i) for i in range(9)))
    assert (
        findings(as_tree(job, commands), tmp_path)["small-accesses-read"].programs == "9 programs"
    )


@pytest.mark.parametrize(("time", "programs"), [(0.1, "sort and 3 other programs"), (0.01, "sort")])
def test_programs_of_sums(tmp_path: Path, time: float, programs: str) -> None:
    """A finding about a sum over all files takes its programs from PROCESS records, because the
    files' records do not have them. A program with a small part of the time is not named. time:
    seconds of each program other than sort."""
    job = Job(
        tuple(shared("POSIX", f"/{i}", OPENS=9, STATS=9, F_META_TIME=0.01) for i in range(900))
    )
    tree = as_tree(job, COMMANDS)
    rows = [
        replace(r, values={**r.values, "F_META_TIME": 8.0 if "sort" in r.name else time})
        if r.module == "PROCESS"
        else r
        for r in tree.rows
    ]
    found = findings(replace(tree, rows=tuple(rows)), tmp_path)["metadata"]
    assert found.programs == programs


def test_programs_of_what_processes_do_not_count(tmp_path: Path) -> None:
    """For mapped files, which PROCESS records do not count, the rank of the POSIX_EXT record names
    the program."""
    job = Job((row("POSIX_EXT", "/a", rank=5, MMAP_BYTES=64 * MIB, MMAP_TOUCHED=64 * MIB),))
    found = findings(as_tree(job, COMMANDS), tmp_path)["unseen-mapped"]
    assert found.programs == "sort"


def test_no_programs_without_a_tree(tmp_path: Path) -> None:
    """A finding of a log without a tree names no programs."""
    found = findings(Job((reads("/a"),)), tmp_path)["small-accesses-read"]
    assert (found.programs, "Done by" in found.sentence) == ("", False)


def test_time_is_of_the_processes_own_lives(tmp_path: Path) -> None:
    """The time of a short process is compared with the sum of the lifetimes of all processes,
    without the time that the shell waited for them; and not with the run time multiplied by the
    ranks."""
    job = Job((reads("/a", 1),), seconds=1000)
    brief = [process(rank, "cat part", F_END_TIMESTAMP=0.1) for rank in range(1, 400)]
    shell = process(0, "bash x.sh", F_END_TIMESTAMP=60.0)
    tree = replace(job, rows=(*job.rows, shell, *brief), nprocs=400)
    found = findings(tree, tmp_path)["small-accesses-read"]
    assert found.stake.of_seconds == pytest.approx(60 + 399 * 0.1 - 0.1)
    # As 400 ranks of a job with 1,000 seconds each, the finding is below its threshold.
    assert "small-accesses-read" not in findings(replace(job, nprocs=400), tmp_path)


def test_ranks_of_many_processes(tmp_path: Path) -> None:
    """A file that each of a thousand processes opened once does not count as reopened, though the
    processes share one or two ranks."""
    many = process(1, "cat part", COUNT=1000, PROGRAMS=1000)
    values = {"OPENS": 1000, "READS": 1000, "BYTES_READ": 1000 * MIB, "MAX_BYTE_READ": MIB - 1,
              "F_READ_TIME": 4.0, "F_META_TIME": 5.0}  # fmt: skip
    some = shared("SHARED", "/a", MODULE=_POSIX, RANKS=2, LOWEST_RANK=0, HIGHEST_RANK=1)
    wrong = {"opened-again", "same-bytes-again-read"}
    shell, other = process(0, "bash x.sh"), process(2, "sort")
    single, joined = row("POSIX", "/a", rank=1, **values), shared("POSIX", "/a", **values)
    for rows in ((single,), (joined,), (joined, some)):
        tree = Job((*rows, shell, many, other), nprocs=3)
        assert not wrong & set(findings(tree, tmp_path))
        alone = Job((*rows, shell, process(1, "cat part"), other), nprocs=3)
        assert wrong <= set(findings(alone, tmp_path))


def test_every_process_may_read_a_file_once(tmp_path: Path) -> None:
    """A file that each of four processes read once is not reported as read again; if only two
    processes read it as often, it is."""
    values = {"READS": 4, "BYTES_READ": 400 * MIB, "MAX_BYTE_READ": 100 * MIB - 1,
              "OPENS": 4, "F_READ_TIME": 8.0}  # fmt: skip
    some = shared("SHARED", "/a", MODULE=_POSIX, RANKS=4, LOWEST_RANK=1, HIGHEST_RANK=4)
    job = Job((shared("POSIX", "/a", **values), some))
    assert "same-bytes-again-read" not in findings(as_tree(job, COMMANDS), tmp_path)
    two = replace(some, values={**some.values, "RANKS": 2})
    job = replace(job, rows=(job.rows[0], two))
    found = findings(as_tree(job, COMMANDS), tmp_path)["same-bytes-again-read"]
    assert number_of("/a") in found.covers
