"""Results of `darshan try` in the table trials of a lake, and the users who may add them."""

from __future__ import annotations

import hashlib
import json
import os
import pwd
import time
from pathlib import Path
from typing import Any

import pytest
from darshan_report.log import open_log
from darshan_report.report.tried import identity, path_of

from .conftest import Run
from .rows import identity as in_tables
from .rows import make_logs, rows, whole

COLLECT = ("collect", "--into", "lake", "--workers", "1", "--no-findings", "--settle", "0", "logs")
NOW = round(time.time()) - 1000


def remedy(name: str, low: float, when: int = NOW, **more: Any) -> dict[str, Any]:
    """Returns the entry of a remedy in a result file of `darshan try`. low: the lower bound of the
    factor that was gained; when: Unix time in seconds; more: other fields."""
    with_it = [1.0, 1.2, 0.8]
    return {
        "remedy": name, "finding": "stream-flushes", "result": "helped" if low > 1.1 else
        "no gain shown", "reason": "", "time": when, "host": "node7", "compared_in_part": False,
        "pairs": 3, "ratio": low * 2, "low": low, "high": low * 4, "gain_seconds": 3.0,
        "seconds": with_it, "baseline_seconds": [4.0, 4.5, 3.5], "keep": [], **more,
    }  # fmt: skip


def put(log: Path, *remedies: dict[str, Any], path: Path | None = None, **more: Any) -> Path:
    """Writes a result of `darshan try` for a log: to `path`, or beside the log if it is None. more:
    other fields. Returns its path."""
    with open_log(log) as opened:
        whole = {
            "format": "darshan-try", "version": 1, "log": identity(opened),
            "log_sha256": hashlib.sha256(log.read_bytes()).hexdigest(), "remedies": remedies,
            **more,
        }  # fmt: skip
    path = path or Path(path_of(str(log)))
    path.write_text(json.dumps(whole))
    return path


def test_after_its_log(darshan: Run, tmp_path: Path) -> None:
    """A result of `darshan try` that is written after its log was collected gets the log's job, is
    collected once, and is replaced by a later result for the same remedy. `darshan lake prune`
    removes it with the job."""
    lake, made = tmp_path / "lake", make_logs(tmp_path / "logs", 3)
    assert darshan(*COLLECT).returncode == 0
    put(made[1], remedy("flush-delay", 2.0), remedy("random", 0.9, finding=""),
        {"remedy": "tmpdir", "result": "not tried", "finding": ""})  # fmt: skip
    assert "; 2 trials" in darshan(*COLLECT).stderr
    (first, second) = sorted(rows(lake, "trials"), key=lambda r: r["remedy"])
    job = {r["log"]: r for r in rows(lake, "jobs")}[in_tables(made[1])]
    for name in ("log", "day", "user", "program"):
        assert first[name] == second[name] == job[name]
    assert (first["remedy"], first["rule"], first["host"]) == (
        "flush-delay",
        "stream-flushes",
        "node7",
    )
    assert (first["ratio"], first["ratio_low"], first["ratio_high"]) == (4.0, 2.0, 8.0)
    assert first["baseline_seconds"] == 4.0 and first["gain_seconds"] == pytest.approx(3.0)
    assert first["helped"] and first["same_output"] and first["tried"].timestamp() == NOW
    assert not second["helped"] and second["rule"] is None and second["same_output"]
    commits = len(list((lake / "_commits").glob("*.json")))
    assert "trials" not in darshan(*COLLECT).stderr
    assert len(list((lake / "_commits").glob("*.json"))) == commits
    put(made[1], remedy("flush-delay", 3.0, NOW + 9), remedy("random", 0.9))
    assert "; 1 trials" in darshan(*COLLECT).stderr
    assert sorted(r["ratio_low"] for r in rows(lake, "trials")) == [0.9, 3.0]
    whole(lake, made)
    asked = json.loads(darshan("ask", "lake", "trials", "--json").stdout)
    best = asked[0]
    assert (best["program"], best["remedy"], best["helped"]) == (job["program"], "flush-delay", 1)
    assert (best["ratio"], best["gained_seconds"]) == (6.0, pytest.approx(3.0))
    assert [r["helped"] for r in asked] == [1, 0]
    darshan("lake", "publish", "lake")
    assert (lake / "trials" / "_delta_log").is_dir()
    assert darshan("lake", "check", "--deep", "lake").returncode == 0
    assert darshan("lake", "prune", "--user", job["user"], "lake").returncode == 0
    assert rows(lake, "trials") == []
    assert "trials" not in darshan(*COLLECT).stderr and rows(lake, "trials") == []


def test_apart_from_its_log(darshan: Run, tmp_path: Path) -> None:
    """The job of a result is found by the hash of the log's contents: even if the log was removed
    or is elsewhere, if names are anonymized, or if both are collected together."""
    made = make_logs(tmp_path / "logs", 1)
    (tmp_path / "mine").mkdir()
    put(made[0], remedy("flush-delay", 2.0), path=tmp_path / "mine" / "copy.tried.json")
    assert "; 1 trials" in darshan(*COLLECT, "mine", "--obfuscate").stderr
    (row,) = rows(tmp_path / "lake", "trials")
    assert row["log"] == in_tables(made[0]) and row["remedy"] == "flush-delay"
    assert row["host"] not in (None, "node7") and row["user"] != "user0"
    put(made[0], remedy("flush-delay", 3.0, NOW + 5), path=tmp_path / "mine" / "copy.tried.json")
    made[0].unlink()
    assert "; 1 trials" in darshan(*COLLECT, "mine", "--obfuscate").stderr


@pytest.mark.needs("root")
def test_a_stranger(darshan: Run, tmp_path: Path) -> None:
    """A result that belongs to another user than the log is not added to its job, neither in the
    lake nor in a report; results of the log's owner and of root are."""
    owner, stranger = [u.pw_uid for u in pwd.getpwall() if u.pw_uid not in (0, os.getuid())][:2]
    logs = make_logs(tmp_path / "logs", 3)
    for log, who in zip(logs, (owner, stranger, 0)):
        os.chown(log, owner, -1)
        os.chown(put(log, remedy("flush-delay", 2.0)), who, -1)
    said = darshan(*COLLECT).stderr
    assert "; 2 trials" in said and "1 trials skipped" in said
    made = {row["log"]: row for row in rows(tmp_path / "lake", "trials")}
    assert set(made) == {in_tables(logs[0]), in_tables(logs[2])}
    assert {row["user"] for row in made.values()} == {pwd.getpwuid(owner).pw_name}
    from darshan_report.report.tried import trials  # noqa: PLC0415

    for log, seen in zip(logs, (True, False, True)):
        with open_log(log) as opened:
            assert bool(trials(opened)) == seen


@pytest.mark.parametrize(
    "damage",
    [
        {"time": NOW + 200_000}, {"time": 1}, {"remedy": "\x1b[1m"}, {"low": float("nan")},
        {"ratio": 10**400}, {"seconds": [1.0, -1.0]}, {"baseline_seconds": 7}, {"time": None},
    ],
    ids=str,
)  # fmt: skip
def test_values_that_cannot_be(darshan: Run, tmp_path: Path, damage: dict[str, Any]) -> None:
    """A trial with impossible values is left out of the lake, and others are not. damage: the
    values."""
    made = make_logs(tmp_path / "logs", 1)
    put(made[0], {**remedy("flush-delay", 2.0), **damage}, remedy("random", 2.0))
    assert "; 1 trials" in darshan(*COLLECT).stderr
    assert [r["remedy"] for r in rows(tmp_path / "lake", "trials")] == ["random"]


def test_files_that_are_no_results(darshan: Run, tmp_path: Path) -> None:
    """A pipe, a file that is not JSON, or a link under the name of a result file does no harm to
    the collector or to a report."""
    made = make_logs(tmp_path / "logs", 4)
    os.mkfifo(path_of(str(made[0])))
    Path(path_of(str(made[1]))).write_text("[" * 100_000)
    Path(path_of(str(made[2]))).symlink_to("/etc/passwd")
    put(made[3], remedy("flush-delay", 2.0), log_sha256="0" * 64)
    done = darshan(*COLLECT)
    assert done.returncode == 0 and "trials" not in done.stderr
    assert darshan("report", "--text", "-o", "-", made[0]).returncode == 0
