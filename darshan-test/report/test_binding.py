"""The arrays of the binding have the values that darshan-parser prints."""

from __future__ import annotations

import ctypes
import gc
import os
import re
import subprocess
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from darshan_report import Log, LogError, module_by_id, open_log, structs, variable
from darshan_report.structs import Kind
from lab.log import rows_in
from logs.catalogue import Case, good_cases
from logs.encode import encode
from logs.model import Counted, Heatmap
from logs.rows import shown as escaped
from tree import SOURCE, real_log_paths

# Generated logs with values that are difficult for readers; their names say in what way.
SMALL = [case for case in good_cases() if len(case.log.modules) and case.log.names is not None]
SMALL = [case for case in SMALL if not case.name.startswith(("good-many", "good-names-many"))]


def as_printed(name: str) -> str:
    """Returns a name as the parser escapes it."""
    return escaped(name.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


def dumped(parser: Path, log: Path) -> str:
    """Returns what darshan-parser prints for a log, as text; bytes that are not UTF-8 become
    surrogates."""
    command = [parser, "--base", "--show-incomplete", log]
    environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, check=True, env=environment)
    return done.stdout.decode("utf-8", "surrogateescape")


def shown(value: np.generic) -> str:
    """Returns a value as the parser prints it."""
    return f"{value:f}" if isinstance(value, np.floating) else str(value)


def array_rows(log: Log, module: str) -> list[tuple[int, str, str, str]]:
    """Returns (rank, id, counter, value) from the arrays, in the order in which the parser prints
    them."""
    records = log.records(module)
    found = records.module
    names = [c.name for c in found.counters + found.fcounters]
    out = []
    for record in records.array:
        start = (int(record["rank"]), str(record["id"]))
        out += [(*start, name, shown(record[name])) for name in names]
        if found.kind is Kind.FILE_COUNTERS:
            last = f"{found.counters[0].name.rpartition('_')[0]}_FILE_REC_ID"
            out.append((*start, last, str(record["file_rec_id"])))
    return out


def heat_rows(log: Log) -> list[tuple[int, str, str, str]]:
    """Returns (rank, id, counter, value) from the log's heat maps, as darshan-parser prints
    them."""
    out = []
    for record in variable.heat_maps(log):
        start = (record.rank, str(record.id))
        out.append((*start, "HEATMAP_F_BIN_WIDTH_SECONDS", f"{record.bin_width:f}"))
        for kind, bins in (("READ", record.read), ("WRITE", record.write)):
            out += [(*start, f"HEATMAP_{kind}_BIN_{i}", str(v)) for i, v in enumerate(bins)]
    return out


def check(parser: Path, path: Path) -> int:
    """Compares every record and name that the binding reads from a log with darshan-parser's rows;
    returns the number of rows."""
    wanted: dict[str, list[tuple[int, str, str, str]]] = defaultdict(list)
    names: dict[int, str] = {}
    for row in rows_in(dumped(parser, path)):
        wanted[row.module].append((row.rank, str(row.record), row.counter, row.text))
        if row.module not in ("DAOS", "BG/Q", "APMPI"):  # the parser invents these names
            names[row.record] = row.name
    compared = 0
    with open_log(path) as log:
        fixed = {m.name for m in log.modules() if m.fixed}
        for module, expected in wanted.items():
            if module in fixed or module == "HEATMAP":
                got = heat_rows(log) if module == "HEATMAP" else array_rows(log, module)
                assert got == expected, module
                compared += len(got)
        for record, name in names.items():
            found = log.name(record)
            assert ("(null)" if found is None else as_printed(found)) == name
            assert found is None or log.names()[record] == found
    return compared


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in SMALL])
def test_generated_log(case: Case, parser: Path, tmp_path: Path) -> None:
    """Logs of every release's layout, in both byte orders and all kinds of compression, have the
    rows that the parser prints."""
    path = tmp_path / "log"
    path.write_bytes(encode(case.log))  # type: ignore[attr-defined]
    counted = any(isinstance(r, (Counted, Heatmap)) for m in case.log.modules for r in m.records)
    assert check(parser, path) > 0 or not counted


@pytest.mark.parametrize("path", real_log_paths(), ids=lambda path: path.name)
def test_real_log(path: Path, parser: Path) -> None:
    """A real log has the rows that the parser prints."""
    compared = check(parser, path)
    assert compared > 0 or path.name.startswith("empty")


def test_layout_matches_c(tmp_path: Path) -> None:
    """Sizes and offsets of every structure that Python declares are those of the C compiler."""
    pairs = {
        "darshan_error": structs.Error,
        "darshan_module_region": structs.ModuleRegion,
        "darshan_mount": structs.Mount,
        "darshan_metadata": structs.Metadata,
        "darshan_job": structs.Job,
        "darshan_info": structs.Info,
        "darshan_counter": structs.Counter,
        "darshan_module": structs.Module,
        "darshan_column": structs.Column,
        "darshan_table": structs.Table,
        "darshan_texts": structs.Texts,
    }
    lines, expected = [], []
    for name, mirror in pairs.items():
        lines.append(f'printf("%zu\\n", sizeof(struct {name}));')
        expected.append(ctypes.sizeof(mirror))
        for field, *_ in mirror._fields_:
            lines.append(f'printf("%zu\\n", offsetof(struct {name}, {field}));')
            expected.append(getattr(mirror, field).offset)
    heads = {
        "darshan_heatmap_head": variable.HEATMAP_HEAD,
        "darshan_dxt_head": variable.DXT_HEAD,
        "darshan_dxt_segment": variable.DXT_SEGMENT,
        "darshan_lustre_head": variable.LUSTRE_HEAD,
        "darshan_lustre_component": variable.lustre_component(),
    }
    for name, layout in heads.items():
        lines.append(f'printf("%zu\\n", sizeof(struct {name}));')
        expected.append(layout.itemsize)
    source = tmp_path / "layout.c"
    source.write_text(
        '#include <stdio.h>\n#include "darshan-columns.h"\n#include "records.h"\nint main(void) {\n'
        + "\n".join(lines)
        + "\nreturn 0; }\n"
    )
    names = ("runtime/format", "runtime", "util/reader", "util/columns")
    folders = [f"-I{SOURCE / name}" for name in names]
    command = [os.environ.get("CC", "cc"), *folders, str(source), "-o", str(tmp_path / "layout")]
    subprocess.run(command, check=True)
    done = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True)
    assert list(map(int, done.stdout.split())) == expected


def test_kinds_match_the_header() -> None:
    """The record kinds of the binding are those of enum darshan_kind in describe.h, in the same
    order."""
    text = (SOURCE / "runtime/format/describe.h").read_text()
    body = re.search(r"enum darshan_kind \{(.*?)\}", text, re.S)
    assert body is not None
    assert re.findall(r"DARSHAN_KIND_(\w+)", body[1]) == [kind.name for kind in Kind]


def test_every_module_has_a_layout() -> None:
    """For each module with records of a fixed size, the numpy type has exactly this size."""
    modules = [m for m in map(module_by_id, range(128)) if m is not None]
    assert len(modules) > 15
    for module in modules:
        if module.fixed:
            assert module.dtype.itemsize == module.record_size
            assert module.dtype.names is not None and len(set(module.dtype.names)) > 2


def posix_log(folder: Path) -> Path:
    """Writes a log with POSIX records and names; returns its path."""
    path = folder / "log"
    path.write_bytes(encode(next(c for c in good_cases() if c.name == "good-streams").log))
    return path


def test_arrays_share_memory_and_outlive_the_log(tmp_path: Path) -> None:
    """The arrays are read-only views of the records and stay valid after the log is closed."""
    with open_log(posix_log(tmp_path)) as log:
        records = log.records("POSIX")
        column = records["POSIX_BYTES_READ"]
        assert np.shares_memory(column, records.array)
        assert np.shares_memory(records.counters, records.array)
        assert np.shares_memory(records.fcounters, records.array)
        total = int(column.sum())
        name = records.module.counters[3].name
        assert (records.counters[:, 3] == records[name]).all()
        assert (records.fcounters[:, 2] == records[records.module.fcounters[2].name]).all()
    with pytest.raises(ValueError, match="read-only"):
        column[0] = 1
    del records
    gc.collect()
    assert int(column.sum()) == total > 0
    with pytest.raises(LogError, match="closed"):
        log.records("POSIX")


def test_errors(tmp_path: Path) -> None:
    """A missing file, a file that is not a log, and an unknown module cause an exception whose
    message says so."""
    bad = tmp_path / "bad"
    bad.write_bytes(b"not a log at all" * 100)
    with pytest.raises(LogError, match="not a Darshan log"):
        open_log(bad)
    with pytest.raises(LogError, match="No such file"):
        open_log(tmp_path / "missing")
    with open_log(posix_log(tmp_path)) as log:
        with pytest.raises(KeyError, match="no module"):
            log.records("POSIXX")
        with pytest.raises(ValueError, match="vary in size"):
            log.records("HEATMAP")
        assert len(log.records("H5D")) == 0


def test_frames(tmp_path: Path) -> None:
    """The pandas frames of a module hold the same numbers as its arrays."""
    frames = pytest.importorskip("darshan_report.frames")
    pytest.importorskip("pandas")
    with open_log(posix_log(tmp_path)) as log:
        frame = frames.records(log, "POSIX")
        array = log.records("POSIX").array
        assert len(frame) == len(array)
        assert frame["POSIX_BYTES_WRITTEN"].sum() == array["POSIX_BYTES_WRITTEN"].sum()
        assert list(frame["name"]) == [log.name(int(i)) for i in array["id"]]
        heat = frames.heat_map(log)
        maps = list(variable.heat_maps(log))
        assert heat["write"].sum() == sum(int(m.write.sum()) for m in maps) > 0
        assert len(heat) == sum(len(m.read) for m in maps)


def test_traces_and_layouts(tmp_path: Path) -> None:
    """Traces and Lustre layouts have the segments and targets of the generated records."""
    case = next(c for c in good_cases() if c.name == "good-next-little")
    path = tmp_path / "log"
    path.write_bytes(encode(case.log))
    modules = {m.name: m.records for m in case.log.modules}
    with open_log(path) as log:
        got = list(variable.traces(log, "DXT_POSIX"))
        for record, made in zip(got, modules["DXT_POSIX"]):
            assert record.id == made.id and record.rank == made.rank
            for segments, wanted in ((record.writes, made.writes), (record.reads, made.reads)):
                assert segments["offset"].tolist() == [s.offset for s in wanted]
                assert segments["end_time"].tolist() == [s.end for s in wanted]
                assert segments["pthread_id"].tolist() == [s.thread for s in wanted]
        assert len(got) == len(modules["DXT_POSIX"]) > 0
        found = list(variable.layouts(log))
        assert len(found) == len(modules["LUSTRE"]) > 0
        for layout, made in zip(found, modules["LUSTRE"]):
            sizes = [c.size for c in made.components]
            assert layout.components["LUSTRE_COMP_STRIPE_SIZE"].tolist() == sizes
            assert layout.osts.tolist() == made.osts
