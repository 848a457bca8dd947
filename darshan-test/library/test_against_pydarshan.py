"""This library and the one in PyDarshan's wheel return the same values for each log, except for
known errors of PyDarshan's. The tests in logs/ compare with the documented format."""

from __future__ import annotations

import importlib.util
import json
import math
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from logs.catalogue import Case, good_cases
from logs.encode import encode
from logs.layouts import LAYOUTS
from logs.pydarshan import SLIPS, is_swapped
from place import absent
from sample import turning
from tree import real_log_paths

HERE = Path(__file__).resolve().parent
# The generated logs that PyDarshan can read.
READABLE = [case for case in good_cases() if not case.pydarshan]
BASE = 2  # words before the counters: id, rank
# Bytes of the parts of a Lustre record, and place of the pool's name in a component.
LUSTRE_HEAD, LUSTRE_COMPONENT, POOL = 32, 72, slice(56, 72)
# Bytes of two uuids in a record of DFS or DAOS.
UUIDS = 32
# The newest versions of traces that PyDarshan's library knows.
DXT_OF_THEIRS = {"DXT_POSIX": 1, "DXT_MPIIO": 2}
# PyDarshan's library reads the rest of an APMPI record wrongly, unless a compressed stream begins
# after its head.
MISREAD = "APMPI"
# A counter that stays 0 in their total over all DAOS records.
LEFT_OUT = "DAOS_NB_OPS"


def their_library() -> Path:
    """Returns the path of the C library in PyDarshan's wheel; skips the test if the wheel is not
    installed."""
    found = importlib.util.find_spec("darshan")
    folder = Path(found.origin or "").parent.parent / "darshan.libs" if found else Path("/nowhere")
    libraries = sorted(folder.glob("libdarshan-util*.so*"))
    if not libraries:
        absent("PyDarshan's wheel with its library is not installed")
    return libraries[0]


def said(library: Path, logs: list[Path]) -> list[Any]:
    """Returns all values that a library returns for each log, by `interface.py whole`; None for a
    log that does not open."""
    command = [sys.executable, "-m", "library.interface", library, "whole", *logs]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def words_of(module: str, counters: tuple[str, ...]) -> list[int]:
    """Returns the indices, in words of 8 bytes, of counters in the newest record of a module.
    counters: names without the module's prefix."""
    layout = LAYOUTS[module][max(LAYOUTS[module])]
    prefix = layout.counters[0].split("_")[0] if module != "PNETCDF_FILE" else module
    names = (*layout.counters, *layout.fcounters)
    return [BASE + layout.file_id + names.index(f"{prefix}_{name}") for name in counters]


def slipped(module: str, version: int, swapped: bool) -> list[int]:
    """Returns the indices of the 8-byte words of a record that PyDarshan's library is known to read
    incorrectly. version: of the module's records; swapped: whether the log has the other byte
    order."""
    return [
        word
        for name, versions, only_swapped, counters in SLIPS
        if "F_VARIANCE_RANK_TIME" not in counters  # both libraries compute this one alike
        if name == module and version in versions and (swapped or not only_swapped)
        for word in words_of(module, counters)
    ]


def masked(module: str, version: int, swapped: bool, text: str) -> bytes:
    """Returns the bytes of a record with zeros in place of the words that PyDarshan's library reads
    incorrectly. version: of the module; swapped: the record was read from a log of the other byte
    order; text: the bytes in hexadecimal form."""
    record = bytearray.fromhex(text)
    for word in slipped(module, version, swapped):
        struct.pack_into("<q", record, 8 * word, 0)
    if (
        module == "LUSTRE" and version == 1
    ):  # version 1 has no pools: their library leaves those bytes uninitialized
        count = struct.unpack_from("<q", record, 16)[0]
        for i in range(count):
            at = LUSTRE_HEAD + i * LUSTRE_COMPONENT
            record[at + POOL.start : at + POOL.stop] = bytes(16)
    if module in ("DFS", "DAOS") and swapped:  # uuids have no byte order
        layout = LAYOUTS[module][1]
        at = 8 * (BASE + len(layout.counters) + len(layout.fcounters))
        record[at : at + UUIDS] = bytes(UUIDS)
    return bytes(record)


def assert_same_sums(module: str, mine: list[Any], theirs: list[Any]) -> None:
    """Checks that the metrics and total records of both libraries have the same integers, and that
    times differ by rounding only, because the order of addition differs."""
    for a, b in zip(mine[0], theirs[0]):
        assert a == b or math.isclose(a, b, rel_tol=1e-12), module
    layout = LAYOUTS[module][max(LAYOUTS[module])]
    totals = [bytearray.fromhex(total) for total in (mine[1], theirs[1])]
    if module == "DAOS":
        for total in totals:
            struct.pack_into("<q", total, 8 * (BASE + layout.counters.index(LEFT_OUT)), 0)
    head = 8 * (BASE + len(layout.counters))
    assert totals[0][:head] == totals[1][:head], module
    doubles = [
        struct.unpack_from(f"<{len(layout.fcounters)}d", total, head) for total in totals
    ]  # fmt: skip
    assert doubles[0] == pytest.approx(doubles[1], rel=1e-12, abs=0), module


def compare(log: Path, mine: dict[str, Any], theirs: dict[str, Any]) -> int:
    """Checks that both libraries return the same values for a log. Returns the number of compared
    records."""
    swapped = is_swapped(log)
    compared = 0
    for key in ("returned", "job", "exe", "mounts", "names"):
        assert mine[key] == theirs[key], key
    modules = [[module[:4] if swapped else module for module in one["modules"]]
               for one in (mine, theirs)]  # fmt: skip
    assert modules[0] == modules[1]
    for name, _, version, number, _ in mine["modules"]:
        newer = version > DXT_OF_THEIRS.get(name, version)
        if str(number) not in theirs["records"] or newer or name == MISREAD:
            continue
        (our_records, our_end), (their_records, their_end) = (
            one["records"][str(number)] for one in (mine, theirs)
        )
        assert our_end == their_end, name
        pairs = [
            [masked(name, version, swapped, record) for record in records]
            for records in (our_records, their_records)
        ]
        assert pairs[0] == pairs[1], name
        compared += len(our_records)
        if str(number) in mine["sums"] and not slipped(name, version, swapped):
            assert_same_sums(name, mine["sums"][str(number)], theirs["sums"][str(number)])
    return compared


def test_real_logs(build: Path) -> None:
    """Both libraries return the same values for each real log."""
    logs = real_log_paths()
    both = [said(library, logs) for library in (build / "libdarshan-util.so.0", their_library())]
    compared = [compare(log, *pair) for log, pair in zip(logs, zip(*both))]
    assert len(compared) == len(logs)
    assert not logs or sum(compared) > 100


@pytest.mark.parametrize("cases", [pytest.param(turning(READABLE, 0.4, "library"), id="a sample")])
def test_generated_logs(cases: list[Case], build: Path, tmp_path: Path) -> None:
    """Both libraries return the same values for generated logs."""
    logs = [tmp_path / f"{case.name}.darshan" for case in cases]
    for case, log in zip(cases, logs):
        log.write_bytes(encode(case.log))
    both = [said(library, logs) for library in (build / "libdarshan-util.so.0", their_library())]
    for log, pair in zip(logs, zip(*both)):
        compare(log, *pair)
