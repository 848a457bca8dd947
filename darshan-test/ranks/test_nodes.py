"""If the journals of a killed job are first merged into one log on each node, merging these logs
gives the same log as merging all journals at once."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from darshan_report import open_log
from lab.command import finished_in_bytes
from lab.environment import settings, through_env
from lab.log import parsed
from logs.catalogue import good_cases
from logs.encode import encode
from mpi.launch import OPENMPI
from place import needs

from .conftest import Merge

# Ranks of the job, and its id, which is a 64-bit number.
RANKS, IN_COMMON = 9, 18446744073709551557
# The ranks on each node.
NODES = {0: (0, 3, 6), 1: (1, 4, 7, 8), 2: (2, 5)}


def journals_of(build: Path, folder: Path, number: int) -> list[Path]:
    """Makes journals of the ranks of a simulated job in a folder. number: in their names, which
    differs between jobs. Returns their paths, in the order of the ranks."""
    folder.mkdir(parents=True)
    play = build / "darshan-test" / "ranks" / "play"
    files = ("--shared", 5, "--own", 2, "--part", 8)
    command = (play, "--ranks", RANKS, *files, "--each", folder, folder / "all")
    subprocess.run([str(x) for x in command], check=True, capture_output=True)
    paths = [folder / f"u_app_id7_mmap-log-{number}-{n}.darshan" for n in range(RANKS)]
    for rank, path in enumerate(paths):
        (folder / f"{rank}.darshan").rename(path)
    return paths


def contents(build: Path, log: Path) -> list[str]:
    """Returns all lines of darshan-parser --all for a log, sorted, without those about its path,
    sizes and duration."""
    text = parsed(build / "darshan-parser", log, "--all")
    loose = ("log file", "region", "compression", "(compressed)", "# job_duration")
    return sorted(line for line in text.splitlines() if not any(word in line for word in loose))


def on_nodes(merge: Merge, journals: list[Path], folder: Path) -> list[Path]:
    """Merges the journals of each node into a log in the folder, and returns the paths of these
    logs."""
    folder.mkdir(exist_ok=True)
    made = []
    for node, ranks in NODES.items():
        made.append(folder / f"{journals[0].stem}.node-{node}.darshan")
        done = merge("-o", made[-1], *(journals[rank] for rank in ranks))
        assert done.returncode == 0 and done.stderr.count("\n") == 1
    return made


def test_logs_of_nodes_are_joined(build: Path, merge: Merge, tmp_path: Path) -> None:
    """darshan-merge makes the job's log from a folder with logs of nodes, with journals of a node
    that has no log yet, and with other files, which it leaves alone."""
    journals = journals_of(build, tmp_path / "each", IN_COMMON)
    all_at_once = tmp_path / "all-at-once"
    assert merge("-o", all_at_once, *journals).returncode == 0
    expected = contents(build, all_at_once)
    logs = tmp_path / "logs"
    made = on_nodes(merge, journals, logs)
    for log in made:
        with open_log(log) as opened:
            assert ("part_of_job", str(IN_COMMON)) in opened.info.metadata
            assert -1 not in {int(rank) for rank in opened.records("POSIX").array["rank"]}
    shutil.copy(all_at_once, logs / "of-all.darshan")
    (logs / "notes.txt").write_text("of mine")
    joined = tmp_path / "joined"
    done = merge("-o", joined, logs)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert contents(build, joined) == expected
    half = tmp_path / "half"
    assert merge("-o", half, made[0], made[2], *(journals[n] for n in NODES[1])).stderr == ""
    assert contents(build, half) == expected
    assert merge("--remove", "-o", tmp_path / "again", logs).stderr == ""
    assert {path.name for path in logs.iterdir()} == {"of-all.darshan", "notes.txt"}


def test_some_of_the_nodes(build: Path, merge: Merge, tmp_path: Path) -> None:
    """A log that darshan-merge made from some of the nodes can later be merged with the rest, with
    the same result as all at once."""
    journals = journals_of(build, tmp_path / "each", IN_COMMON)
    all_at_once, some, joined = (tmp_path / name for name in ("all-at-once", "some", "joined"))
    assert merge("-o", all_at_once, *journals).returncode == 0
    first, second, third = on_nodes(merge, journals, tmp_path / "logs")
    assert merge("-o", some, second, first).stderr.endswith(": 2,5\n")
    with open_log(some) as opened:
        assert dict(opened.info.metadata)["missing_ranks"] == "2,5"
    assert merge("-o", joined, third, some).returncode == 0
    assert contents(build, joined) == contents(build, all_at_once)
    kept = tmp_path / "kept"
    assert merge("--no-shared-redux", "-o", kept, first, second, third).returncode == 0
    with open_log(kept) as opened:
        ranks = {int(rank) for rank in opened.records("POSIX").array["rank"]}
        assert ranks == set(range(RANKS)) and not dict(opened.info.metadata).get("part_of_job")


def test_nodes_of_two_jobs(build: Path, merge: Merge, tmp_path: Path) -> None:
    """If a folder has logs of nodes of two jobs, darshan-merge fails without --job; with it, it
    merges only the logs of that job."""
    jobs = {}
    for number in (11, 12):
        journals = journals_of(build, tmp_path / str(number), number)
        jobs[number] = on_nodes(merge, journals, tmp_path / "logs")
    log = tmp_path / "log"
    done = merge("-o", log, tmp_path / "logs")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1) and "--job 11" in done.stderr
    assert not log.exists()
    done = merge("-o", log, "--job", 13, tmp_path / "logs")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    # A log of another launch in the folder, which could be mistaken for this one.
    case = next(iter(good_cases())).log
    said = b"rank=0\nworld_size=2\nlauncher=slurm\nlaunch=12.0\n"
    told = encode(replace(case, metadata=case.metadata + said))
    (tmp_path / "logs" / "launched.darshan").write_bytes(told)
    done = merge("-o", log, "--job", 12, tmp_path / "logs")
    assert (done.returncode, done.stderr) == (0, "")
    expected = tmp_path / "expected"
    assert merge("-o", expected, *jobs[12]).returncode == 0
    assert contents(build, log) == contents(build, expected)


def test_what_is_no_part_of_it(build: Path, merge: Merge, tmp_path: Path) -> None:
    """Logs that cannot be parts of one job together cause an error of one line and no log: a
    repeated one, a damaged one, one with shared records, or a journal of a rank that a log has
    already."""
    journals = journals_of(build, tmp_path / "each", IN_COMMON)
    first, second, _ = on_nodes(merge, journals, tmp_path / "logs")
    twice, short, together = (tmp_path / name for name in ("twice", "short", "together"))
    shutil.copy(second, twice)
    short.write_bytes(second.read_bytes()[:2000])
    # The log says that it is from one node, and has shared records.
    case = next(
        case.log
        for case in good_cases()
        if any(
            getattr(record, "rank", 0) == -1
            for module in case.log.modules
            for record in module.records
        )
    )
    metadata = case.metadata + f"part_of_job={IN_COMMON}\n".encode()
    together.write_bytes(encode(replace(case, metadata=metadata)))
    log = tmp_path / "log"
    for arguments in ([first, second, twice], [first, short], [together], [first, journals[0]]):
        done = merge("-o", log, *arguments)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert not log.exists()


@pytest.mark.parametrize("flavour", ["mpich", "openmpi"])
def test_killed_job_on_two_nodes(merge: Merge, build: Path, tmp_path: Path, flavour: str) -> None:
    """From the journals of a killed MPI job, with a journal folder for each node, `darshan-merge`
    makes one log for each node and one of both, with all records, traces and communication."""
    needs(f"mpi:{flavour}")
    compiler, start = shutil.which(f"mpicc.{flavour}"), shutil.which(f"mpiexec.{flavour}")
    program = tmp_path / "killed"
    subprocess.run([compiler, "-o", program, Path(__file__).parent / "killed.c"], check=True)
    for name in ("node-0", "node-1", "logs"):
        (tmp_path / name).mkdir()
    more = {"DARSHAN_MOD_ENABLE": "APMPI,DXT_POSIX"}
    variables = settings(build, tmp_path / "logs", mpi=True, **more)
    script = "rank=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}; "
    script += f'DARSHAN_MMAP_LOGPATH="{tmp_path}"/node-$((rank % 2)) exec "$@"'
    options = ["--allow-run-as-root", *OPENMPI] if flavour == "openmpi" else []
    command = [start, *options, "-n", "4", *through_env(variables), "sh", "-c", script, "sh"]
    finished_in_bytes([*command, program, tmp_path], timeout=100)
    journals = [sorted((tmp_path / f"node-{n}").glob("*_killed_*")) for n in (0, 1)]
    assert [len(of_node) for of_node in journals] == [2, 2]
    logs = [tmp_path / "logs" / f"{n}.darshan" for n in (0, 1)]
    for of_node, log in zip(journals, logs):
        assert merge("-o", log, *of_node).returncode == 0
    joined, expected = tmp_path / "joined", tmp_path / "expected"
    done = merge("-o", joined, tmp_path / "logs")
    assert (done.returncode, done.stderr) == (0, "")
    assert merge("-o", expected, *journals[0], *journals[1]).returncode == 0
    found = contents(build, joined)
    assert found == contents(build, expected)
    assert [row for row in found if row.startswith("APMPI\t2\t")]  # the rank that killed itself
    with open_log(joined) as opened:
        assert opened.info.nprocs == 4
