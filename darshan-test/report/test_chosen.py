"""The web page shows some transfers singly and sums of the others; both are compared with plain
loops over the log."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from darshan_report import open_log
from darshan_report.measure.traces import chosen_transfers as chosen
from darshan_report.measure.traces.lane_bins import LaneBins
from logs.content import standard_log
from logs.encode import encode
from logs.model import Dxt, Log, Module, Segment
from logs.record_id import record_id

# Seconds; the run time of standard_log.
RUN_TIME = 12.5


def wide_log(ranks: int, each: int, seed: int = 1) -> Log:
    """Returns a log with a file for each rank and a file that all ranks use; rank 2 is slow. each:
    the number of reads, and of writes, of a rank in each file."""
    rng = random.Random(seed)
    log = standard_log({"POSIX": 4})
    names = [b"/data/all", *(b"/data/of-%d" % rank for rank in range(ranks))]
    log.names += [(record_id(name), name) for name in names]

    def segments(rank: int) -> list[Segment]:
        out = []
        for i in range(each):
            start = rng.random() * RUN_TIME * 0.9
            long = (0.05 if rank == 2 else 0.001) * rng.random()
            out.append(Segment(4096 * i, rng.randrange(1, 1 << 16), start, start + long, 0))
        return out

    records = [
        Dxt(record_id(name), rank, b"host", segments(rank), segments(rank))
        for rank in range(ranks)
        for name in (names[0], names[1 + rank])
    ]
    log.modules.append(Module("DXT_POSIX", 1, list(records)))
    return log


def collected(path: Path, room: int) -> tuple[chosen.Survey, chosen.Choice, chosen.Transfers]:
    """Returns the survey of a log's transfers, the choice of those that fit into `room`, and the
    chosen ones."""
    with open_log(str(path)) as log:
        found = chosen.survey(log, RUN_TIME)
        choice = chosen.choose(found, room)
        collector = chosen.Collector()
        for part in chosen.parts(log):
            collector.add(part, *chosen.wanted(found, choice, part))
    return found, choice, collector.transfers()


def rows(transfers: chosen.Transfers) -> list[tuple[float, ...]]:
    """Returns the transfers as sorted tuples."""
    names = ("rank", "file", "kind", "start", "offset", "length")
    return sorted(zip(*(getattr(transfers, name).tolist() for name in names)))


def plain(log: Log) -> list[tuple[float, ...]]:
    """Returns the transfers of a generated log, as rows returns them."""
    return sorted(
        (r.rank, r.id, kind, s.start, s.offset, s.length)
        for module in log.modules if module.name == "DXT_POSIX"
        for r in module.records
        for kind, part in enumerate((r.writes, r.reads))
        for s in part
    )  # fmt: skip


def test_all_where_there_is_room(tmp_path: Path) -> None:
    """If all transfers fit, none is left out, and they are in the order of time."""
    made = wide_log(4, 50)
    (tmp_path / "a").write_bytes(encode(made))
    _, choice, got = collected(tmp_path / "a", 10_000)
    assert choice.all and rows(got) == plain(made)
    assert (np.diff(got.start) >= 0).all()


@pytest.mark.parametrize("room", [600, 1500])
def test_the_costliest(tmp_path: Path, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """If not all transfers may be shown, the page has all transfers of the ranks, files and
    intervals that it chose, including those of the slow rank if there is space. room: how many
    transfers may be shown."""
    monkeypatch.setattr(chosen, "LONGEST", 20)
    made = wide_log(9, 50)
    (tmp_path / "a").write_bytes(encode(made))
    found, choice, got = collected(tmp_path / "a", room)
    assert not choice.all and len(got) <= room
    everything, mine = plain(made), set(rows(got))
    assert mine <= set(everything) and len(mine) == len(got)
    width = found.end / chosen.INTERVALS
    for row in everything:
        rank, file, _, start, *_ = row
        sure = rank in choice.ranks or file in choice.files
        if sure or choice.intervals[min(int(start / width), chosen.INTERVALS - 1)]:
            assert row in mine
    # The 200 transfers of rank 2 are chosen if they fit into a third of the limit.
    assert (2 in choice.ranks) is (room == 1500)


def test_sums_of_lanes() -> None:
    """The numbers of transfers, their bytes and busy seconds in each interval equal those of a
    plain loop, also if intervals are combined because there would be too many."""
    rng = np.random.default_rng(1)
    end = 10.0
    lanes = LaneBins(3, 2, end)
    start = rng.uniform(0, 9, 500)
    stop = np.minimum(start + rng.choice([0, 1e-6, 0.01, 3.0], 500), end)
    length = rng.integers(1, 1000, 500).astype("f8")
    lanes.add(1, 1, start, stop, length)
    for most in (100_000, 200):
        cells = lanes.cells(most)
        assert len(cells.bin) <= max(most, 64)
        assert set(cells.lane.tolist()) == {1} and set(cells.kind.tolist()) == {1}
        width = end / cells.bins
        want = np.zeros((3, cells.bins))
        for a, b, size in zip(start, stop, length):
            first = min(int(a / width), cells.bins - 1)
            want[0, first] += 1
            want[1, first] += size
            for i in range(first, min(int(b / width), cells.bins - 1) + 1):
                want[2, i] += max(0.0, min(b, (i + 1) * width) - max(a, i * width))
        got = np.zeros((3, cells.bins))
        got[:, cells.bin] = cells.count, cells.bytes, cells.busy
        assert got == pytest.approx(want, abs=1e-9)
    assert cells.bins < lanes.bins


def test_times_that_cannot_be(tmp_path: Path) -> None:
    """The numbers that the report takes from a damaged trace are finite."""
    made = wide_log(2, 3)
    strange = (float("nan"), float("inf"), -1e300, 1e300)
    bad = [Segment(-5, -1, a, b, 0) for a in strange for b in strange]
    made.modules[-1].records[0].writes = bad
    (tmp_path / "a").write_bytes(encode(made))
    found, _, got = collected(tmp_path / "a", 5)
    assert np.isfinite(found.end) and np.isfinite(got.start).all()
    assert (got.seconds >= 0).all() and (got.length >= 0).all()
