"""Queries for a centre's staff on logs of two real programs whose operations are known."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from darshan_report import lake as lakes
from darshan_report.lake.ask.ready.questions import BY_NAME, Filters, query
from lab.environment import instrumented
from lab.log import read_logs
from lab.watch import new_folders, run

from .test_commits import fill

Row = dict[str, Any]
# Writes four checkpoints at intervals of 1.1 s, renames the last one; removes a file and a folder;
# calls fsync 40 times.
PRODUCER = """
import os, time
for step in range(4):
    with open(f"ckpt-{step:03}.dat", "wb", 0) as out:
        out.write(bytes(300_000))
    if step < 3:
        time.sleep(1.1)
os.rename("ckpt-003.dat", "final.h5")
os.mkdir("scrap"); os.rmdir("scrap")
with open("temporary", "wb", 0) as out:
    out.write(b"x" * 10)
os.unlink("temporary")
with open("log.txt", "wb", 0) as out:
    for line in range(40):
        out.write(b"line\\n"); os.fsync(out.fileno())
for number in range(25):
    os.stat("log.txt")
"""
CONSUMER = """
for name in ("ckpt-000.dat", "log.txt"):
    with open(name, "rb", 0) as file:
        while file.read(100_000):
            pass
"""


@pytest.fixture(scope="module")
def told(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, ...]]:
    """Makes a lake of three runs: one of a program that writes files, and two of another program
    that reads some of them. Yields a function that returns the rows of a predefined query, the
    working folder, and the contents of the logs."""
    folder = tmp_path_factory.mktemp("story")
    work, logs, journals = new_folders(folder, "work", "logs", "journals")
    variables = instrumented(build, logs, journals)
    for name, script in (("produce", PRODUCER), ("consume", CONSUMER), ("consume", CONSUMER)):
        (work / f"{name}.py").write_text(script)
        # A run of several processes names its host, without which files of a machine's own file
        # system have no producer.
        (work / name).write_text(f"#!/bin/sh\n{sys.executable} {name}.py; exit $?\n")
        (work / name).chmod(0o755)
        done = run([f"./{name}"], work, variables)
        assert done.status == 0, done.error
    paths = sorted(logs.rglob("*.darshan"))
    fill(folder / "lake", paths)
    with lakes.open(folder / "lake") as opened:

        def ask(name: str, **values: Any) -> list[Row]:
            sql, used = query(BY_NAME[name], Filters(), {"top": 100, **values})
            return opened.sql(sql, used).rows()

        yield ask, work, read_logs(build / "darshan-parser", *paths)


Told = tuple[Callable[..., list[Row]], Path, Any]


def _of(rows: list[Row], script: str) -> Row:
    """Returns the row about a script."""
    [row] = [row for row in rows if script in row["program"]]
    return row


def test_removals(told: Told) -> None:
    """The query "removals" counts a removed file, a removed folder and a rename."""
    ask, _, _ = told
    row = _of(ask("removals"), "produce")
    assert (row["removed_files"], row["removed_folders"], row["renames"]) == (1, 1, 1)


def test_fsyncs(told: Told) -> None:
    """The query "fsyncs" has one row: the program that called fsync after each of 40 writes, with
    the identity of its run."""
    ask, _, parsed = told
    [row] = ask("fsyncs")
    assert row["fsyncs"] == 40 == parsed.total("POSIX_FSYNCS") and row["jobs"] == 1
    assert row["writes"] == parsed.total("POSIX_WRITES")
    assert row["fsyncs_per_write"] == pytest.approx(40 / row["writes"])
    assert row["most_in_a_second"] > 1 and len(row["most_in_log"]) == 32


def test_metadata_operations(told: Told) -> None:
    """In the query "metadata", opens and stats are the sums that darshan-parser prints; the column
    "others" counts the made and removed files and folders."""
    ask, _, parsed = told
    rows = ask("metadata")
    opens = parsed.total("POSIX_OPENS") + parsed.total("STDIO_OPENS")
    assert sum(row["opens"] for row in rows) == opens
    assert sum(row["stats"] for row in rows) == parsed.total("POSIX_STATS") >= 25
    assert _of(rows, "produce")["others"] >= 4


def test_checkpoints(told: Told) -> None:
    """The query "checkpoints" finds a series of four files at intervals of 1.1 s, the last of which
    was renamed."""
    ask, work, _ = told
    [row] = ask("checkpoints")
    assert row["series"] == f"{_numbers_as_one(str(work))}/ckpt-#.dat"
    assert row["checkpoints"] in (3, 4) and row["jobs"] == 1
    assert 1.1 <= row["seconds_between"] < 60
    assert row["bytes_per_checkpoint"] == pytest.approx(300_000)


def _numbers_as_one(text: str) -> str:
    """Returns a text with "#" in place of each number."""
    made = ""
    for letter in text:
        is_digit = letter.isdigit()
        made += "" if is_digit and made.endswith("#") else "#" if is_digit else letter
    return made


def test_never_read(told: Told) -> None:
    """The query "never-read" lists the written files that no job read. A renamed file counts under
    its new name, and a removed one is marked."""
    ask, work, _ = told
    found = {os.path.relpath(row["name"], work): row for row in ask("never-read")
             if row["name"].startswith(str(work))}  # fmt: skip
    assert {"ckpt-001.dat", "ckpt-002.dat", "temporary"} <= set(found)
    assert not {"ckpt-000.dat", "log.txt", "ckpt-003.dat"} & set(found)
    assert found["temporary"]["removed"] and not found["ckpt-001.dat"]["removed"]
    assert found["ckpt-001.dat"]["bytes_written"] == 300_000


def test_producers(told: Told) -> None:
    """The query "producers" has an edge from the program that wrote files to the one that read
    them, and no edge in the other direction."""
    ask, work, _ = told
    [edge] = [row for row in ask("producers") if row["one_of_them"].startswith(str(work))]
    assert "produce" in edge["producer"] and "consume" in edge["consumer"]
    assert (edge["producing_jobs"], edge["jobs"], edge["files"]) == (1, 2, 2)
    assert edge["bytes_read"] == 2 * (300_000 + 40 * 5)


def test_types_and_data_sets(told: Told) -> None:
    """The query "file-types" has the bytes by extension of file names, and "data-sets" the files
    that both runs of the second program read."""
    ask, work, _ = told
    types = {row["ending"]: row for row in ask("file-types")}
    assert types["dat"]["bytes_read"] == 600_000 and types["dat"]["bytes_written"] == 1_200_000
    read = {row["name"] for row in ask("data-sets") if row["name"].startswith(str(work))}
    assert {f"{work}/ckpt-000.dat", f"{work}/log.txt"} <= read
    assert not any("ckpt-001" in name for name in read)


def test_versions(told: Told, build: Path) -> None:
    """In the query "versions", the Darshan library that wrote the logs is that of this build."""
    ask, _, parsed = told
    rows = {row["library"]: row for row in ask("versions")}
    assert rows["lib_ver"]["version"] == parsed.metadata["lib_ver"] and rows["lib_ver"]["jobs"] == 3
