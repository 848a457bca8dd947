"""For DXT traces of every version, checks the records that the library returns, and the output of
darshan-dxt-parser."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from .catalogue import Case, good_cases
from .encode import encode, module_id
from .model import Dxt, Module
from .tools import run, run_library
from .traces import has_threads, relied_on, trace_lines

# Cases with traces.
TRACED = [pytest.param(c, id=c.name) for c in good_cases() if trace_lines(c.log)]


def newest_bytes(module: Module, record: Dxt) -> bytes:
    """Returns the bytes of a trace as the library returns it: in the newest layout and the byte
    order of this machine."""
    out = struct.pack("=Qqq64s", record.id, record.rank, 0, record.host)
    out += struct.pack("=qq", len(record.writes), len(record.reads))
    # Version 1 of DXT_MPIIO stored no meaningful offsets.
    without_offset = (module.name, module.version) == ("DXT_MPIIO", 1)
    for s in record.writes + record.reads:
        offset = -1 if without_offset else s.offset
        thread = s.thread if has_threads(module) else 0
        out += struct.pack("=qqddQ", offset, s.length, s.start, s.end, thread)
    return out


@pytest.mark.parametrize("case", TRACED)
def test_segments(case: Case, tmp_path: Path, build: Path) -> None:
    """For traces of all versions, the library returns the records in the newest layout."""
    path = tmp_path / case.name
    path.write_bytes(encode(case.log))
    modules = [m for m in case.log.modules if m.name.startswith("DXT")]
    numbers = [str(module_id(module)) for module in modules]
    done = run_library(build / "libdarshan-read.so.0", path, "records", *numbers)
    assert done.returncode == 0, done.stderr.decode()
    for module, got in zip(modules, json.loads(done.stdout)):
        want = [newest_bytes(module, r).hex() for r in module.records if isinstance(r, Dxt)]
        assert got == want


@pytest.mark.parametrize("case", TRACED)
def test_text(case: Case, tmp_path: Path, build: Path) -> None:
    """darshan-dxt-parser prints every segment with its thread, if recorded, and with the OSTs
    (storage targets of Lustre) that it uses."""
    tool = build / "darshan-dxt-parser"
    path = tmp_path / case.name
    path.write_bytes(encode(case.log))
    done = run(tool, *case.options, path)
    assert done.returncode == 0, done.stderr.decode()
    assert relied_on(done.stdout) == trace_lines(case.log)
