"""The time that each layer spent itself, without the layers below it, is compared with a plain sum
over the rows of darshan-parser."""

from __future__ import annotations

import json
import random
from pathlib import Path

from logs.content import counted
from logs.encode import encode
from logs.model import Module
from logs.record_id import record_id

from .conftest import Run
from .pages import close, quantities, text_of
from .test_datasets import OPERATIONS, RANKS, layers_record, made_log, naive, operations

PROGRAM_FILE = "/data/rows.bin"  # used with MPI-IO, without HDF5
KINDS = {"read": ("READ",), "write": ("WRITE",)}
KINDS["metadata"] = tuple(o for o in OPERATIONS if o not in ("READ", "WRITE"))


def write_log(path: Path) -> None:
    """Writes a log with LAYERS records of datasets, HDF5 files and an MPI-IO file, with a POSIX
    record, and with calls that the program made without a library."""
    rng = random.Random(3)
    made = made_log(3)
    made.names.append((record_id(PROGRAM_FILE.encode()), PROGRAM_FILE.encode()))
    layers = made.annex[0]
    layers.raw += layers_record(PROGRAM_FILE, 1, operations(rng) | {"UPPER_MODULE": 2})
    record = counted(rng, "POSIX", 4, 0, 0)
    times = {"POSIX_F_READ_TIME": 1.5, "POSIX_F_WRITE_TIME": 2.25, "POSIX_F_META_TIME": 0.125}
    record.fcounters |= times
    made.modules.append(Module("POSIX", 4, [record]))
    path.write_bytes(encode(made))


def expected(parser: Path, log: Path) -> dict[str, dict[str, float]]:
    """Returns the seconds of each layer, by read, write and metadata, summed over all processes."""
    sums = naive(parser, log)
    found: dict[str, dict[str, float]] = {
        "HDF5 itself": {}, "MPI-IO itself": {}, "MPI communication": {},
        "POSIX": {"read": 1.5, "write": 2.25, "metadata": 0.125},
    }  # fmt: skip
    for kind, ops in KINDS.items():
        own = mpiio = communication = 0.0
        for row in sums.values():
            if row.get("UPPER_MODULE", 0) not in (2, 3, 4):
                continue
            for o in ops:
                mpiio += row[f"F_{o}_MPIIO_TIME"]
                communication += row[f"F_{o}_COMM_TIME"]
                if row["UPPER_MODULE"] != 2:
                    below = ("POSIX", "STDIO", "MPIIO", "COMM")
                    own += row[f"F_{o}_TIME"] - sum(row[f"F_{o}_{b}_TIME"] for b in below)
        found["HDF5 itself"][kind] = own
        found["MPI-IO itself"][kind] = mpiio
        found["MPI communication"][kind] = communication
    return found


def test_every_second_in_one_layer(summary: Run, parser: Path, tmp_path: Path) -> None:
    """The JSON has for each layer the seconds of itself, summed over processes, and page 1 has the
    mean of a process. POSIX, which calls no other layer, has its whole time."""
    path = tmp_path / "made.darshan"
    write_log(path)
    true = expected(parser, path)
    assert summary(path, "--json", "-o", "out.json").returncode == 0
    found = {
        row["layer"]: row
        for row in json.loads((tmp_path / "out.json").read_text())["exclusive_times"]
    }
    assert list(found) == list(true)
    for layer, times in true.items():
        for kind, seconds in times.items():
            assert abs(found[layer][f"{kind}_seconds"] - seconds) < 1e-3, (layer, kind)
    assert summary(path, "-o", "out.pdf").returncode == 0
    page = " ".join(text_of(tmp_path / "out.pdf").split("\f")[0].split())
    shown = page[page.index("Each layer without what it called") :].partition(".\u0020")[0]
    for layer, times in true.items():
        (value, *_) = quantities(shown[shown.index(layer) + len(layer) :])
        assert close(value, sum(times.values()) / RANKS, 1e-3), layer


def test_without_attribution(summary: Run, tmp_path: Path) -> None:
    """The report of a log without LAYERS records has no times of layers without the layers
    below."""
    made = made_log(3)
    made.annex = []
    (tmp_path / "log").write_bytes(encode(made))
    assert summary("log", "--json", "-o", "out.json").returncode == 0
    assert json.loads((tmp_path / "out.json").read_text())["exclusive_times"] == []
    assert "without what it called" not in summary("log", "--text").stdout
