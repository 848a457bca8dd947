"""darshan-analyzer counts the logs in a folder by the modules that they use and by their share of
I/O time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from logs.content import standard_log
from logs.encode import encode
from logs.model import Counted, Log
from logs.tools import run

# Parts of the time in I/O.
TIMES = ("READ", "WRITE", "META")


@pytest.fixture
def analyzer(build: Path) -> Path:
    """Returns the command."""
    return build / "darshan-analyzer"


def job(share: float, ranks: tuple[int, ...], *modules: str) -> Log:
    """Returns the log of a run of 10 s. share: the fraction of its time in POSIX calls; ranks: of
    its records; modules: further ones that it has."""
    versions = {"POSIX": 4} if ranks else {}
    log = standard_log(versions | dict.fromkeys(modules, 1), files=1, end=(1700000010, 250000000))
    for module in log.modules if ranks else []:
        if module.name != "POSIX":
            continue
        del module.records[len(ranks) :]
        while len(module.records) < len(ranks):
            module.records.append(module.records[0])
        for record, rank in zip(module.records, ranks):
            assert isinstance(record, Counted)
            record.rank = rank
            for name in TIMES:
                record.fcounters[f"POSIX_F_{name}_TIME"] = share * 10 / len(ranks) / len(TIMES)
    return log


# Logs, each with the words of LABELS that it counts for.
JOBS = [
    (job(0.1, (-1,)), "shared"),
    (job(0.199, (0,)), "own"),
    (job(0.201, (-1,), "MPI-IO"), "shared mpiio"),
    (job(0.59, (2,), "H5F"), "own hdf5"),
    (job(0.99, (2,), "PNETCDF_FILE"), "own pnetcdf"),
    (job(7.0, (1,)), "own"),  # sum over several processes
    (job(0.0, (), "MPI-IO", "H5F"), "mpiio hdf5"),
    (Log(), ""),
]
# Logs by their time in I/O, in fifths of the run time.
BUCKETS = (4, 1, 1, 0, 2)
# The words of the output, with those of JOBS.
LABELS = {
    "shared": "      shared file access", "own": "file-per-proccess access",
    "mpiio": "             mpio access", "pnetcdf": "          pnetcdf access",
    "hdf5": "             hdf5 access",
}  # fmt: skip


def expected(folder: Path) -> list[str]:
    """Returns the lines that darshan-analyzer of Darshan 3.5.0 prints for the logs JOBS in this
    folder."""
    lines = [f"log dir: {folder}", f"total logs: {len(JOBS)}"]
    for word, label in LABELS.items():
        count = sum(word in words.split() for _, words in JOBS)
        lines.append(f"{label}: {count / len(JOBS):f} [{count}]")
    lines += ["", "I/O percentage of runtime:"]
    for i, count in enumerate(BUCKETS):
        lines.append(f"{i / 5:.2f}-{(i + 1) / 5:.2f}: {count}")
    return lines


def fill(folder: Path) -> None:
    """Writes the logs JOBS into nested folders, named after dates."""
    for i, (log, _) in enumerate(JOBS):
        place = folder / "2026" / str(1 + i % 3)
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{i}.darshan").write_bytes(encode(log))


def test_counts_of_a_folder(analyzer: Path, tmp_path: Path) -> None:
    """For a folder with logs at any depth, darshan-analyzer prints what release 3.5.0 printed."""
    fill(tmp_path)
    done = run(analyzer, tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines() == expected(tmp_path)


def test_what_is_no_log_is_named(analyzer: Path, tmp_path: Path) -> None:
    """darshan-analyzer prints one line for each file that is not a valid log, counts the others,
    and does not follow links in the folder."""
    fill(tmp_path)
    (tmp_path / "notes.txt").write_text("not a log")
    (tmp_path / "link").symlink_to("..")
    done = run(analyzer, tmp_path)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == [
        f"darshan-analyzer: {tmp_path}/notes.txt: is not a Darshan log (9 bytes)",
        "darshan-analyzer: 1 symbolic links were not followed",
    ]
    assert done.stdout.decode().splitlines() == expected(tmp_path)


def test_files_that_are_no_logs_share_a_line(analyzer: Path, tmp_path: Path) -> None:
    """darshan-analyzer prints one line with the number of files that are not logs at all; each
    damaged log has its own line."""
    fill(tmp_path)
    counted = expected(tmp_path)
    for number in range(30):
        (tmp_path / f"{number}.txt").write_text("text " * number)
    log = next(tmp_path.rglob("*.darshan"))
    damaged = tmp_path / "damaged"
    damaged.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    done = run(analyzer, tmp_path)
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 1 and len(lines) == 2
    assert lines[0].startswith(f"darshan-analyzer: {damaged}: ")
    said = "30 files are not Darshan logs, the first"
    assert re.fullmatch(rf"darshan-analyzer: {said}: {tmp_path}/\d+\.txt", lines[1])
    assert done.stdout.decode().splitlines() == counted


def test_links_that_are_named(analyzer: Path, tmp_path: Path) -> None:
    """darshan-analyzer follows a link to a folder or a log that is its argument, and exits with 1
    for a dangling one."""
    folder, link = tmp_path / "logs", tmp_path / "latest"
    fill(folder)
    link.symlink_to("logs")
    for named in (str(link), f"{link}/"):
        done = run(analyzer, named)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode().splitlines()[1:] == expected(folder)[1:]
    (tmp_path / "one").symlink_to(next(folder.rglob("*.darshan")))
    assert b"total logs: 1\n" in run(analyzer, tmp_path / "one").stdout
    (tmp_path / "dead").symlink_to("nowhere")
    assert run(analyzer, tmp_path / "dead").returncode == 1


def test_empty_and_missing_folders(analyzer: Path, tmp_path: Path) -> None:
    """For an empty folder, all numbers are 0. A missing folder is an error of one line."""
    done = run(analyzer, tmp_path)
    assert done.returncode == 0 and b"total logs: 0\n" in done.stdout and b"nan" not in done.stdout
    done = run(analyzer, tmp_path / "none")
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert run(analyzer).returncode == 2
