"""If several processes have LAYERS records of one dataset, the report combines them into one
row."""

from __future__ import annotations

from pathlib import Path

from darshan_report import open_log
from darshan_report.measure.layers.attribution import Attribution
from logs.content import standard_log
from logs.encode import encode
from logs.model import Module as Region
from logs.record_id import record_id

from .test_datasets import layers_module, layers_record

# For each dataset the raw bytes that each of two processes recorded (-1: not measured), and the
# expected sum.
RAW = {
    "/a.h5:/both": (70, 30, 100),
    "/a.h5:/one": (70, -1, -1),
    "/a.h5:/other": (-1, 30, -1),
    "/a.h5:/neither": (-1, -1, -1),
}


def test_a_part_unknown(tmp_path: Path) -> None:
    """If a value is unknown in one record, the sum is unknown, not the sum of the others minus
    one."""
    raw = b"".join(
        layers_record(name, rank, {"UPPER_MODULE": 4, "DISTINCT_RAW_BYTES_READ": seen[rank]})
        for name, seen in RAW.items()
        for rank in range(2)
    )
    region = Region("LAYERS", 2, raw=raw, number=layers_module().id)
    names = [(record_id(name.encode()), name.encode()) for name in RAW]
    path = tmp_path / "log.darshan"
    path.write_bytes(encode(standard_log({}, nprocs=2, names=names, annex=[region])))
    with open_log(path) as log:
        attribution = Attribution(log)
        found = {one.id: one.counters["DISTINCT_RAW_BYTES_READ"] for one in attribution.datasets(9)}
        whole = attribution.everything.counters["DISTINCT_RAW_BYTES_READ"]
    assert found == {record_id(name.encode()): seen[2] for name, seen in RAW.items()}
    assert whole == -1
