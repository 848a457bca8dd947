"""If a log needs too much memory for a worker, its findings are computed in a separate process."""

from __future__ import annotations

from pathlib import Path

import pytest
from darshan_report.lake.commit import storage
from darshan_report.lake.commit.publish import Publisher
from darshan_report.lake.read import files
from darshan_report.lake.write import part, subprocess_findings
from darshan_report.lake.write.part import Options, make

from .rows import make_logs, rows, whole


def collected(lake: Path, paths: list[Path], key: str) -> None:
    """Makes a lake of some logs. key: for anonymized names; "" for none."""
    storage.make(str(lake), {"hidden": bool(key)})
    options = Options(str(lake), key=key, thresholds={"stake.seconds": 0.0})
    found = [files.named(str(path)) for path in paths]
    Publisher(str(lake)).publish(make(found, options))


@pytest.mark.parametrize("key", ["", "key"])
def test_they_are_the_same(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A separate process finds the same as a worker, with the thresholds of the command and with
    anonymized names. key: for anonymized names; "": plain names."""
    made = make_logs(tmp_path / "logs", 2)
    collected(tmp_path / "small", made, key)
    monkeypatch.setattr(part, "MOST_BYTES", 0)
    collected(tmp_path / "large", made, key)
    for table in ("findings", "jobs", "problems"):
        want, got = (sorted(map(str, rows(tmp_path / n, table))) for n in ("small", "large"))
        assert got == want and (want or table == "problems")


def test_the_process_may_die(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the separate process dies, for example because memory is exhausted, the log is collected
    without findings, and a row of problems has the reason."""
    made = make_logs(tmp_path / "logs", 2)
    monkeypatch.setattr(part, "MOST_BYTES", 0)
    monkeypatch.setattr(subprocess_findings, "_CHILD", "import os; os.kill(os.getpid(), 9)")
    collected(tmp_path / "lake", made, "")
    whole(tmp_path / "lake", made)
    found = rows(tmp_path / "lake", "problems")
    assert [r["problem"] for r in found] == [
        "its findings: not computed: their process was killed by signal 9; it may need more memory"
    ] * 2
    assert {r["problems"] for r in rows(tmp_path / "lake", "jobs")} == {None}
