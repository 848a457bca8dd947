"""Every module of the log format has a table, including modules whose records are lists."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from darshan_report import module_by_id
from darshan_report.lake import columns
from darshan_report.structs import Kind
from logs import apmpi
from logs.catalogue import communication, good_cases
from logs.encode import encode
from logs.model import Apmpi, Counted

from .rows import identity, rows, table
from .test_commits import fill

_SYNC = ("BARRIER", *apmpi.CALLS[apmpi.CALLS.index("BCAST") : apmpi.CALLS.index("IBCAST")])


def test_no_module_is_forgotten() -> None:
    """Every module has a table of counters, except TEMPLATE, for which only a name is defined."""
    known = {m.name for n in range(128) if (m := module_by_id(n)) and m.kind is not Kind.NONE}
    assert {m.name for m in columns.modules()} == known - {"TEMPLATE"}
    assert {columns.record_table(m).name for m in columns.modules()} <= set(columns.tables())


def _calls(record: Apmpi, sync: bool) -> list[dict[str, Any]]:
    """Returns the expected rows of an APMPI record: one for each kind of call that was made. sync:
    whether the log has waiting times; otherwise these are None."""
    counters = dict(zip(apmpi.COUNTERS, record.counters))
    times = dict(zip(apmpi.TIMES, record.times))
    waits = dict(zip(apmpi.SYNC_TIMES, record.sync_times))
    found = []
    for name in apmpi.CALLS:
        if not counters[f"MPI_{name}_CALL_COUNT"]:
            continue
        sizes = {
            f"sizes_{s.lower()}": counters.get(f"MPI_{name}_MSG_SIZE_AGG_{s}") for s in apmpi.SIZES
        }
        whole = {
            "calls": counters[f"MPI_{name}_CALL_COUNT"],
            "bytes": counters.get(f"MPI_{name}_TOTAL_BYTES"),
            **sizes,
        }
        found.append(
            {
                "rank": record.rank,
                "processor": record.processor.decode(),
                "call": "MPI_" + name.capitalize(),
                **{k: None if v is None or v >= 1 << 63 else v for k, v in whole.items()},
                "seconds": times[f"MPI_{name}_TOTAL_TIME"],
                "shortest_seconds": times[f"MPI_{name}_MIN_TIME"],
                "longest_seconds": times[f"MPI_{name}_MAX_TIME"],
                "wait_seconds": waits.get(f"MPI_{name}_TOTAL_SYNC_TIME") if sync else None,
                "variance": 0.25,
                "wait_variance": 1.5 if sync else None,
            }
        )
    return found


def test_communication(tmp_path: Path) -> None:
    """The table of APMPI has a row for each rank and kind of MPI call; bytes and waiting times are
    null for calls that do not have them."""
    lake, compared = tmp_path / "lake", 0
    cases = list(communication())
    for case in cases:
        (tmp_path / case.name).write_bytes(encode(case.log))
    fill(lake, [tmp_path / case.name for case in cases])
    for case in cases:
        head, *ranks = case.log.modules[-1].records
        want = [row for record in ranks for row in _calls(record, head.sync)]  # type: ignore
        got = [r for r in rows(lake, "mpi_calls") if r["log"] == identity(tmp_path / case.name)]
        own = [{k: v for k, v in r.items() if k not in columns.JOBS.names[:4]} for r in got]
        assert sorted(map(str, own)) == sorted(map(str, want)), case.name
        compared += len(want)
    assert compared > 200
    unit = table(lake, "mpi_calls").schema.field("seconds").metadata
    assert unit[b"unit"] == b"seconds" and unit[b"rule"] == b"sum"


def test_servers(tmp_path: Path) -> None:
    """The table of MDHIM has its counters, and the number of operations on each server as a
    list."""
    cases = [c for c in good_cases() if any(m.name == "MDHIM" and m.records for m in c.log.modules)]
    case = random.Random(1).choice(cases)
    path = tmp_path / "x.darshan"
    path.write_bytes(encode(case.log))
    fill(tmp_path / "lake", [path])
    [records] = [m.records for m in case.log.modules if m.name == "MDHIM"]
    got = {(r["id"], r["rank"]): r for r in rows(tmp_path / "lake", "files_mdhim")}
    assert len(got) == len(records)
    for record in records:
        assert isinstance(record, Counted)
        row = got[(record.id, record.rank)]
        assert row["operations"] == ",".join(map(str, record.servers))
        assert {n: row[n] for n in record.counters} == record.counters
