"""A transfer of more bytes in one call than an int can represent is counted exactly."""

from __future__ import annotations

from mpi.launch import Runner

from .observe import run
from .test_counters import integers


def test_beyond_an_int(runner: Runner) -> None:
    """Requested and moved bytes are exact if the count, the type or their product is large. MPICH
    4.0 ends the program at a count that does not fit into an int, and Open MPI 4.1 has no function
    with such a count."""
    seen = run(runner, 1, {}, ("large.c",))
    (trace,) = seen.traces
    has_wide = any(name.endswith("_c") for name in trace.files)
    assert len(trace.files) == (16 if has_wide else 8)
    assert has_wide or runner.mpi.name != "mpich"
    for name, file in trace.files.items():
        (row,) = (row for (_, path), row in seen.modules["MPI-IO"].items() if path == name)
        (ext,) = (row for (_, path), row in seen.modules["MPIIO_EXT"].items() if path == name)
        assert min(file.asked[0] + file.asked[1]) > 1 << 31
        assert integers(row) == file.counters(), name
        assert integers(ext) == {k: v for k, v in file.ext.items() if v}, name
        wrote = "write" in name
        assert row[f"SIZE_{'WRITE' if wrote else 'READ'}_AGG_1G_PLUS"] == 1
        assert row[f"MAX_{'WRITE' if wrote else 'READ'}_TIME_SIZE"] > 1 << 31
