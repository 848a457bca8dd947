"""The rate that a job can expect of its file system, and seconds that two findings share."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from corpus import FAR, HERE, ROWS, Row
from judge import Judge, needed
from place import needs

GIB = 1 << 30


@pytest.fixture(scope="module")
def judge(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """Builds and runs the programs."""
    return Judge(build, tmp_path_factory.mktemp("rates"))


def report(judge: Judge, log: Path, form: str, limits: str = "") -> str:
    """Returns a report of a log with other thresholds."""
    (judge.work / "limits").write_text(limits)
    command = [judge.build / "darshan-job-summary", log, form, "-o", "-"]
    done = subprocess.run(
        [*command, "--thresholds", judge.work / "limits"],
        check=True, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    return done.stdout


def problems(judge: Judge, log: Path, limits: str = "") -> dict[str, dict[str, Any]]:
    """Returns the problems that the report finds, by name. limits: other thresholds."""
    data = json.loads(report(judge, log, "--json", limits))
    found = data[0] if isinstance(data, list) else data
    return {f["name"]: f for f in found["findings"] if f["kind"] == "problem"}


def test_rate_of_a_job(judge: Judge) -> None:
    """With a file for each rank, the ranks share the rate that the job's large transfers
    reached, or else a default."""
    needs("mpi:mpich", "slow-calls")
    log = judge.log_of(Row("ranks.c", "own-files", place=FAR, mpi="mpich"))
    small = "small-accesses-write"
    alone = problems(judge, log, f"rate.good = {1 << 50}\n")[small]["stake"]
    assert "a share of the 100 GiB/s that a job can expect" in alone["basis"]
    # If the job's rate is 1,200,000 bytes a second, the four ranks need the whole time for their
    # bytes.
    bound = problems(judge, log, f"rate.good = {1 << 50}\nrate.job = 1200000\n")
    assert small not in bound or bound[small]["stake"]["seconds"] < alone["seconds"]
    own = problems(judge, log, f"rate.good = {1 << 50}\nrate.phase = {16 << 20}\n")[small]["stake"]
    assert "large transfers of this job reached" in own["basis"]
    assert own["seconds"] < alone["seconds"]


def test_same_seconds(judge: Judge) -> None:
    """Two findings about scattered small reads share one time."""
    needs("slow-calls")
    log = judge.log_of(Row("transfers.c", "random-reads", place=FAR, input=64))
    found = problems(judge, log)
    first, second = (found[n] for n in found if n.endswith("-read"))
    assert first["stake"]["same_as"] == ""
    assert second["stake"]["same_as"] == first["title"]
    words = f"these seconds are among those of “{first['title']}”"
    assert words in " ".join(report(judge, log, "--text").split())
    assert words in report(judge, log, "--html")


@pytest.mark.parametrize(
    ("row", "first", "second"),
    [
        ("blocks-c/one-aggregator/mpich", "waiting-in-mpi-io", "aggregators"),
        ("blocks-c/odd-blocks/mpich", "shared-file-contention", "unaligned"),
    ],
)
def test_same_seconds_of_a_job(judge: Judge, row: str, first: str, second: str) -> None:
    """If two findings are about one shared file, only one of them counts the time."""
    by_name = {known.name: known for known in ROWS}
    needs(*needed(by_name[row]))
    found = problems(judge, judge.log_of(by_name[row]))
    both = [found[name]["stake"]["same_as"] for name in (first, second) if name in found]
    assert len(both) == 2, sorted(found)
    assert both.count("") == 1


def test_other_seconds(judge: Judge) -> None:
    """A copy in small blocks reads and writes: both findings have their own time."""
    log = judge.log_of(Row("transfers.c", "copy-in-blocks", place=HERE, input=1))
    found = problems(judge, log, "stake.seconds = 0\nstake.share = 0\nstream.latency = 0\n")
    assert {"small-accesses-read", "small-accesses-write"} <= set(found)
    assert all(not f["stake"]["same_as"] for f in found.values())
