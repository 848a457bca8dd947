"""The timelines of traced files have the bytes and times of their traces, and damaged times cause
no error."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from darshan_report import open_log
from darshan_report.measure.traces import timelines
from logs.content import standard_log
from logs.encode import encode
from logs.model import Dxt, Log, Module, Segment
from logs.record_id import record_id

from .conftest import Run
from .pages import text_of

RUN_TIME = 10.0


def segments(rng: random.Random, count: int) -> list[Segment]:
    """Returns this many random transfers within the run time."""
    out = []
    for i in range(count):
        start = rng.random() * RUN_TIME
        end = min(RUN_TIME, start + rng.random() * rng.choice((0, 1e-6, 0.01, 3)))
        out.append(Segment(4096 * i, rng.randrange(1 << 20), start, end, 0))
    return out


def traced_log(files: int, seed: int = 1) -> Log:
    """Returns a log of this many files, each with DXT traces of two ranks."""
    rng = random.Random(seed)
    log = standard_log({"POSIX": 4})
    records: list[Dxt] = []
    for number in range(files):
        name = f"/data/file-{number}"
        identity = record_id(name.encode())
        log.names.append((identity, name.encode()))
        for rank in range(2):
            records.append(
                Dxt(identity, rank, b"host", segments(rng, 20 * (number + 1)), segments(rng, 15))
            )
    log.modules.append(Module("DXT_POSIX", 1, list(records)))
    return log


def plain(records: list[Dxt], kind: str, width: float) -> list[float]:
    """Returns for each interval the seconds in transfers of a kind ("reads" or "writes"), added one
    transfer at a time. width: of an interval, in seconds."""
    out = [0.0] * timelines.BINS
    for record in records:
        for s in getattr(record, kind):
            for i in range(int(s.start / width), min(int(s.end / width) + 1, timelines.BINS)):
                out[i] += max(0.0, min(s.end, (i + 1) * width) - max(s.start, i * width))
    return out


def written(tmp_path: Path, log: Log) -> Path:
    """Writes a log. Returns its path."""
    path = tmp_path / "traced.darshan"
    path.write_bytes(encode(log))
    return path


def test_against_a_plain_sum(tmp_path: Path) -> None:
    """The busiest files have a timeline, each with the sums of its segments in each interval."""
    made = traced_log(5)
    records = [r for m in made.modules if m.name == "DXT_POSIX" for r in m.records]
    with open_log(str(written(tmp_path, made))) as log:
        got = timelines.timelines(log, "DXT_POSIX", RUN_TIME, 3)
    assert got is not None
    assert (got.traced, got.end) == (5, RUN_TIME)
    assert got.segments == sum(len(r.writes) + len(r.reads) for r in records)
    times = {
        number: sum(s.end - s.start for r in records if r.id == number for s in r.writes + r.reads)
        for number in {r.id for r in records}
    }
    assert [f.id for f in got.files] == sorted(times, key=lambda n: -times[n])[:3]
    for file in got.files:
        mine = [r for r in records if r.id == file.id]
        assert file.processes == 2
        assert file.time == pytest.approx(times[file.id])
        assert file.bytes == [
            sum(s.length for r in mine for s in getattr(r, kind)) for kind in ("writes", "reads")
        ]
        for row, kind in enumerate(("writes", "reads")):
            want = plain(mine, kind, RUN_TIME / timelines.BINS)
            assert file.busy[row] == pytest.approx(want, abs=1e-9)


def test_times_that_cannot_be(tmp_path: Path) -> None:
    """A damaged trace results in a figure without an exception."""
    made = traced_log(1)
    bad = [
        Segment(0, 1, start, end, 0)
        for start in (float("nan"), float("inf"), -1e300, 5.0)
        for end in (float("nan"), float("-inf"), 1e300, 2.0)
    ]
    made.modules[-1].records[0].writes = bad
    with open_log(str(written(tmp_path, made))) as log:
        got = timelines.timelines(log, "DXT_POSIX", RUN_TIME, 3)
    assert got is not None
    assert np.isfinite(got.files[0].busy).all()


def test_no_traces(tmp_path: Path) -> None:
    """A log without traces has no timelines."""
    with open_log(str(written(tmp_path, standard_log({"POSIX": 4})))) as log:
        assert timelines.timelines(log, "DXT_POSIX", RUN_TIME, 3) is None


def test_the_page(summary: Run, tmp_path: Path) -> None:
    """The page has a figure and a table of the busiest files, and escapes their names."""
    made = traced_log(11)
    identity = made.modules[-1].records[-1].id
    made.names = [(i, b"/data/$x^{2}$_%" if i == identity else n) for i, n in made.names]
    out = tmp_path / "out.pdf"
    done = summary("-o", out, written(tmp_path, made))
    assert done.returncode == 0, done.stderr
    text = text_of(out)
    assert "Files over time" in text
    assert "were traced; shown are the 8 with the most time" in " ".join(text.split())
    assert "$x^{2}$_%" in text
    assert "does not show" not in text
