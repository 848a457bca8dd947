"""Collecting by the workers of a Dask cluster makes the same lake as collecting by one process."""

from __future__ import annotations

import datetime
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from darshan_report import lake as lakes
from darshan_report.lake.ask.ready.questions import QUESTIONS, Filters, query
from darshan_report.lake.commit import modes
from place import elsewhere, for_everybody
from sample import everything as all_cases
from sample import turning

from .cluster import Cluster
from .conftest import Run
from .questions import VALUES, equal_rows
from .rows import identity, logs, make_logs, whole
from .test_commits import fill
from .test_manners import collecting
from .test_upkeep import everything

COLLECT = ("collect", "--no-findings", "--into")

# Code that --preload loads into a worker, with a place for a statement that is run once, after the
# worker's first part of the logs.
_AFTER = """
import os, signal
from darshan_report.lake import worker
original = getattr(worker, "original", worker.collect_part)
worker.original = original
def collect_part(logs, options):
    part = original(logs, options)
    {0}
    return part
worker.collect_part = collect_part
"""
DIES = _AFTER.format("os.kill(os.getpid(), signal.SIGKILL)")


@pytest.fixture
def seldom() -> None:
    """Skips tests that take too long for ./check."""
    if not all_cases():
        elsewhere("in ./dev full, for a cluster costs seconds")


def answers(lake: Path) -> dict[str, list[list[object]]]:
    """Returns the rows of every predefined query, by the query's name."""
    with lakes.open(lake) as opened:
        span = opened.sql("SELECT min(started) AS a, max(ended) AS b, max(day) AS d FROM jobs")
        first, last, day = next(iter(span))
        middle = day - datetime.timedelta(days=50)
        values = {**VALUES, "from": first, "to": last, "date": middle}
        return {
            q.name: [list(row) for row in opened.sql(*query(q, Filters(), values))]
            for q in QUESTIONS
        }


def equal(one: Path, other: Path) -> None:
    """Checks that two lakes have the same rows and the same results of all predefined queries,
    except for order and rounding of sums."""
    assert everything(one) == everything(other)
    there = answers(other)
    for name, found in answers(one).items():
        equal_rows(found, there[name], name)


def alone(tmp_path: Path, made: list[Path]) -> Path:
    """Collects the logs in this process into a second lake; returns its path."""
    fill(tmp_path / "alone", made)
    return tmp_path / "alone"


def one_line(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """Checks that a command failed with status 1 and a message of one line that contains these
    words."""
    assert done.returncode == 1, done
    assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr, done.stderr
    assert all(word in done.stderr for word in words), done.stderr


def test_a_worker_dies_after_its_part(darshan: Run, tmp_path: Path) -> None:
    """If a worker dies after it wrote its part and before it reports this, the part is written
    again, and each log is in the lake once."""
    made = make_logs(tmp_path / "logs", 200)
    (tmp_path / "dies.py").write_text(DIES)
    with Cluster(tmp_path) as cluster:
        cluster.add("--preload", tmp_path / "dies.py")
        cluster.add()
        cluster.registered()
        done = darshan(*COLLECT, "lake", "--workers", cluster.name, "logs")
        assert done.returncode == 0, done.stderr
        assert "200 logs" in done.stderr and done.stderr.count("\n") == 1
        assert cluster.workers[0].wait(30) == -signal.SIGKILL
        assert cluster.workers[1].poll() is None
    whole(tmp_path / "lake", made)
    assert not list((tmp_path / "lake" / "_work").iterdir())
    equal(tmp_path / "lake", alone(tmp_path, made))


@pytest.mark.parametrize("address", ["nowhere", "host:port", ":1", "relative/scheduler.json"])
def test_what_is_no_address(address: str, darshan: Run, tmp_path: Path) -> None:
    """An invalid address of a scheduler is a usage error."""
    done = darshan(*COLLECT, "lake", "--workers", f"dask://{address}", tmp_path)
    assert done.returncode == 2 and "dask://HOST:PORT" in done.stderr
    assert not (tmp_path / "lake").exists()


def test_no_scheduler(darshan: Run, tmp_path: Path) -> None:
    """Without a scheduler, collect fails with one line: no server listens, a server does not reply,
    or the scheduler file is invalid or missing."""
    make_logs(tmp_path / "logs", 1)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        listening = f"127.0.0.1:{mute.getsockname()[1]}"
        (tmp_path / "text.json").write_text("no scheduler\n")
        cases = {
            "127.0.0.1:9": "127.0.0.1:9",
            f"{tmp_path}/none.json": "cannot find the file",
            "": "DASK_SCHEDULER_ADDRESS",
            listening: listening,
            "nonsense://x:1": "nonsense",
            f"{tmp_path}/text.json": "text.json",
        }
        for address, words in turning(cases.items(), 0.3, "lake schedulers"):
            done = darshan(*COLLECT, "lake", "--workers", f"dask://{address}", "logs")
            one_line(done, words)


def collects(darshan: Run, cluster: Cluster, made: list[Path]) -> None:
    """Collects the logs again with one more worker, and checks that the lake has all of them and no
    temporary files."""
    lake = cluster.file.parent / "lake"
    cluster.add()
    cluster.registered()
    done = darshan(*COLLECT, "lake", "--workers", cluster.name, "logs")
    assert done.returncode == 0, done.stderr
    whole(lake, made)
    assert not list((lake / "_work").iterdir())


@pytest.mark.usefixtures("seldom")
def test_workers_come_and_go(build: Path, darshan: Run, tmp_path: Path) -> None:
    """The lake is complete although workers join late, have several threads, and one is killed and
    one stopped. The scheduler's address comes from Dask's own settings."""
    made = make_logs(tmp_path / "logs", 700)
    with Cluster(tmp_path) as cluster:
        os.environ["DASK_SCHEDULER_FILE"] = str(cluster.file)
        try:
            command = collecting(build, tmp_path, "--workers", "dask://", "logs")
        finally:
            del os.environ["DASK_SCHEDULER_FILE"]
        assert command.stderr is not None
        assert "has no workers yet" in command.stderr.readline()
        for _ in range(3):
            cluster.add("--nthreads", "3")
        for number in (signal.SIGKILL, signal.SIGTERM):
            wait_for_commits(tmp_path / "lake", 1 + (number == signal.SIGTERM))
            cluster.workers[number == signal.SIGTERM].send_signal(number)
        said = command.communicate(timeout=120)[1]
        assert command.returncode == 0 and "700 logs" in said, said
    whole(tmp_path / "lake", made)
    assert darshan("collect", "--into", "one", "--workers", "1", "logs").returncode == 0
    equal(tmp_path / "lake", tmp_path / "one")


def wait_for_commits(lake: Path, count: int) -> None:
    """Waits until the lake has this many commits."""
    deadline = time.monotonic() + 60
    while len(list((lake / "_commits").glob("*.json"))) < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.usefixtures("seldom")
@pytest.mark.parametrize("who", ["collector", "scheduler"])
def test_ended_in_the_middle(who: str, build: Path, darshan: Run, tmp_path: Path) -> None:
    """If the collector gets Ctrl-C, it ends by that signal without a message; if the scheduler is
    killed, the collector prints one line. In both cases committed logs stay valid, and collecting
    again adds the others."""
    made = make_logs(tmp_path / "logs", 500)
    with Cluster(tmp_path) as cluster:
        cluster.add()
        cluster.registered()
        command = collecting(build, tmp_path, "--workers", cluster.name, "logs")
        wait_for_commits(tmp_path / "lake", 1)
        process = command if who == "collector" else cluster.scheduler
        process.send_signal(signal.SIGINT if who == "collector" else signal.SIGKILL)
        said = command.communicate(timeout=60)[1]
        assert "Traceback" not in said and said.count("\n") == (who == "scheduler"), said
        assert command.returncode == (-signal.SIGINT if who == "collector" else 1), said
        assert who == "collector" or "lost the connection" in said
        there = logs(tmp_path / "lake")
        whole(tmp_path / "lake", [path for path in made if identity(path) in there])
        assert 0 < len(there) < 500
        if who == "collector":
            collects(darshan, cluster, made)


@pytest.mark.usefixtures("seldom")
def test_logs_that_kill(darshan: Run, tmp_path: Path) -> None:
    """If each worker that reads a certain log dies, the part with this log is not collected, and
    the other parts are."""
    made = make_logs(tmp_path / "logs", 100)
    killer = tmp_path / "logs" / "user9_zzz_id9-9_1-1-1-1_1.darshan"
    killer.write_bytes(made[0].read_bytes()[:500])
    begin = "if any('zzz' in log.path for log in logs): os.kill(os.getpid(), 9)"
    (tmp_path / "dies.py").write_text(_AFTER.format(begin))
    with Cluster(tmp_path) as cluster:
        for _ in range(4):
            cluster.add("--preload", tmp_path / "dies.py")
        cluster.add()  # this worker reads the remaining logs
        cluster.registered()
        done = darshan(*COLLECT, "lake", "--workers", cluster.name, "logs")
    # The fifth worker may have got the log.
    assert done.returncode == 0 or "workers died again and again" in done.stderr
    there = logs(tmp_path / "lake")
    whole(tmp_path / "lake", [path for path in made if identity(path) in there])


# For each way in which a worker differs: the words in front of its command, and words of the
# collector's message.
_BLIND = {
    "logs": (["unshare", "-m", "sh", "-c", 'mount -t tmpfs none "$1"; shift; exec "$@"', "sh",
              "{0}/logs"], ("cannot read ", "No such file")),
    "lake": (["unshare", "-m", "sh", "-c", 'mount -t tmpfs none "$1"; shift; exec "$@"', "sh",
              "{0}/lake"], ("does not see", "/lake as it is here")),
    "read": (["setpriv", "--reuid", "65534", "--clear-groups"], ("Permission denied", "logs")),
    "write": (["setpriv", "--reuid", "65534", "--clear-groups"], ("Permission denied", "lake")),
}  # fmt: skip


@pytest.mark.usefixtures("seldom")
@pytest.mark.needs("root", "mount", "runs:unshare -m", "ordinary-user")
@pytest.mark.parametrize("what", _BLIND)
def test_a_worker_that_cannot(what: str, build: Path, darshan: Run, tmp_path: Path) -> None:
    """If a worker cannot see, read or write files that the collector can, the collector fails with
    a message, and no log gets a row of problems."""
    if what in ("read", "write"):
        for_everybody(build / "darshan")
    made = make_logs(tmp_path / "logs", 20)
    before, words = _BLIND[what]
    fill(tmp_path / "lake", made[:1])
    (tmp_path / "there").mkdir()
    tmp_path.chmod(0o755)
    (tmp_path / "there").chmod(0o777)
    if what == "read":
        made[7].chmod(0o600)
        modes.change(str(tmp_path / "lake"), 0o666)
    with Cluster(tmp_path) as cluster:
        cluster.add(
            before=[part.format(tmp_path) for part in before],
            environment={"DASK_TEMPORARY_DIRECTORY": str(tmp_path / "there")},
        )
        cluster.registered()
        done = darshan(*COLLECT, "lake", "--workers", cluster.name, "logs")
        one_line(done, "the worker on", *words)
        whole(tmp_path / "lake", made[:1])
        if what == "logs":  # a folder that neither can see is a problem of the log
            cluster.workers[0].kill()
            cluster.workers.clear()
            collects(darshan, cluster, made)


@pytest.mark.usefixtures("seldom")
@pytest.mark.parametrize("release", ["another", "none"])
def test_a_worker_of_another_release(
    release: str, build: Path, darshan: Run, tmp_path: Path
) -> None:
    """A worker of another release of Darshan, or without it, makes the collector fail with one
    line."""
    make_logs(tmp_path / "logs", 3)
    other = tmp_path / "other" / "darshan_report"
    if release == "another":
        shutil.copytree((build / "python" / "darshan_report").resolve(), other)
        with (other / "lake" / "worker.py").open("a") as file:
            file.write("\n# a later release\n")
    with Cluster(tmp_path) as cluster:
        cluster.add(environment={"PYTHONPATH": str(other.parent)})
        cluster.registered()
        done = darshan(*COLLECT, "lake", "--workers", cluster.name, "logs")
    words = {"another": "another release of darshan-report", "none": "darshan_report"}
    one_line(done, words[release])
    assert not logs(tmp_path / "lake")
