"""Compares the numbers of a report with an independent computation from the rows of
darshan-parser."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from darshan_report.measure.layers.layers import LAYERS
from logs.content import standard_log
from logs.encode import encode
from logs.model import NONE, Log
from place import needs
from sample import turning
from tree import real_log_paths

from .conftest import INCOMPLETE, Run
from .naive import estimates, header, layers
from .pages import close, quantities, reports_of, text_of

TITLES = {layer.title: layer.module for layer in LAYERS}


def parsed(parser: Path, log: Path) -> str:
    """Returns the output of darshan-parser with rows, totals and estimates."""
    command = [parser, "--base", "--perf", "--show-incomplete", log]
    environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, check=True, env=environment)
    return done.stdout.decode("utf-8", "surrogateescape")


def layer_lines(text: str) -> dict[str, str]:
    """Returns the rows of the table of layers, by module."""
    lines = text[text.index("\nLayer ") :].split("\n")[2:]
    found: dict[str, str] = {}
    for line in lines:
        if line.startswith("Layers overlap"):
            return found
        title = next((t for t in TITLES if line.startswith(t + " ")), None)
        if title:
            found[TITLES[title]] = line[len(title) :]
    raise AssertionError("the table of layers has no note")


def agrees(shown: float | str | None, true: float | str | None, slack: float = 0.0) -> bool:
    """Returns whether a cell shows a value; both may be unknown or not measured. slack: the
    permitted difference."""
    if shown is None or true is None or isinstance(shown, str) or isinstance(true, str):
        return shown == true
    return close(shown, true, slack)


def check(text: str, output: str) -> None:
    """Compares every cell of the table of layers."""
    shown, true, rates = layer_lines(text), layers(output), estimates(output)
    watched = {m for m in true if m in TITLES.values()}
    assert set(shown) == watched
    nprocs, run_time = int(header(output, "nprocs")), float(header(output, "run time"))
    for module, line in shown.items():
        layer = true[module]
        words = line.split()
        assert int(words[0].replace(",", "")) == len(layer.ids), line
        timers = [layer.get(n) for n in ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME")]
        if module == "PNETCDF_FILE":
            waits = layer.get("F_WAIT_TIME")
            known = isinstance(timers[2], float) and isinstance(waits, float)
            timers[2] = timers[2] + waits if known else None  # type: ignore[operator]
        means = [t / nprocs if isinstance(t, float) else t for t in timers]
        # The parser's rows are rounded to microseconds; so are the report's smallest times.
        slack = 1e-6 + 5e-7 * len(layer.records) / nprocs
        cells = quantities(line + " ")
        read, written, *times, of_run, rate = cells
        assert agrees(read, layer.get("BYTES_READ")), line
        assert agrees(written, layer.get("BYTES_WRITTEN")), line
        assert all(agrees(a, b, slack) for a, b in zip(times, means)), (line, means)
        spent = [m for m in means if isinstance(m, float)]
        if spent:
            assert abs(float(of_run or 0) - sum(spent) / run_time) < 0.00106 + 0.01 * float(of_run)
        else:
            assert of_run is None
        if rates.get(module):
            assert abs(float(rate or 0) - rates[module]) <= 0.0051 * rates[module] + 0.01, line
        else:
            assert rate in ("-", 0.0), line


def report_text(summary: Run, folder: Path, *logs: Path, status: int = 0) -> str:
    """Returns the text of a report of these logs."""
    done = summary(*logs, "-o", "out.pdf")
    assert (done.returncode, done.stderr) == (status, "")
    return text_of(folder / "out.pdf")


@pytest.mark.parametrize(
    "log_format, versions",
    [
        pytest.param("3.41", {"POSIX": 4, "MPI-IO": 3, "STDIO": 2, "H5F": 3}, id="newest"),
        pytest.param("3.41", {"H5D": 2, "H5F": 3, "PNETCDF_FILE": 3, "DFS": 1}, id="upper"),
        pytest.param("3.10", {"POSIX": 3, "STDIO": 1, "H5F": 1, "PNETCDF_FILE": 1}, id="old"),
    ],
)
def test_generated(
    log_format: str, versions: dict[str, int], parser: Path, summary: Run, tmp_path: Path
) -> None:
    """Every cell of the table of layers is right; values that old logs do not have are shown as
    unknown."""
    path = tmp_path / "log.darshan"
    path.write_bytes(encode(standard_log(versions, version=log_format, files=20)))
    text = report_text(summary, tmp_path, path)
    check(text, parsed(parser, path))
    if log_format == "3.10":
        assert layer_lines(text)["PNETCDF_FILE"].split()[2:4] == ["unknown", "unknown"]
        assert "this log lacks" in text and "H5F_F_META_TIME" in text


def test_real_logs(parser: Path, summary: Run, tmp_path: Path) -> None:
    """One report of several real logs, which change with the commit, has the right table for each
    log."""
    needs("real-logs")
    paths = turning(real_log_paths(), 0.4, "numbers of real logs")
    outputs = [parsed(parser, path) for path in paths]
    partial = any("contains incomplete data" in output for output in outputs)
    status = INCOMPLETE if partial else 0
    parts = reports_of(report_text(summary, tmp_path, *paths, status=status))
    assert len(parts) == len(paths)
    for path, part, output in zip(paths, parts, outputs):
        assert path.name[:20] in part
        if layers(output):
            check(part, output)
        else:
            assert "no record of I/O" in part
        partial = "contains incomplete data" in output
        assert ("are incomplete" in part) == partial
        nprocs = int(header(output, "nprocs"))
        assert f"on {nprocs:,} process" in part


def test_slowest_files_come_first(parser: Path, summary: Run, tmp_path: Path) -> None:
    """The file with the most time comes first, and its fraction of the time is right."""
    path = tmp_path / "log.darshan"
    path.write_bytes(encode(standard_log({"POSIX": 4}, files=40)))
    text = report_text(summary, tmp_path, path)
    layer = layers(parsed(parser, path))["POSIX"]
    times = sorted(layer.file_times.values(), reverse=True)
    table = text[text.index("POSIX: files by time") :].split("\n")
    table = [line for line in table if ".dat " in line][:15]
    assert len(table) == 15
    for line, time in zip(table, times):
        *_, shown, share = quantities(line)
        assert isinstance(shown, float) and close(shown, time, 1e-6), line
        assert isinstance(share, float) and abs(share - time / sum(times)) < 0.0011, line
    assert f"{len(times) - 15} more files are not shown" in text


def test_operations_and_sizes(parser: Path, summary: Run, tmp_path: Path) -> None:
    """The figure of operations has the right counts; in the log, the number for each bar is
    different."""
    log = standard_log({"STDIO": 2}, files=1)
    counts = {"OPENS": 101, "READS": 203, "WRITES": 307, "SEEKS": 409, "FLUSHES": 503}
    module = log.modules[0]
    module.records = module.records[:1]
    for name, number in counts.items():
        module.records[0].counters[f"STDIO_{name}"] = number
    path = tmp_path / "log.darshan"
    path.write_bytes(encode(log))
    text = report_text(summary, tmp_path, path)
    figure = text[text.index("Operations per layer") : text.index("operations (sum")]
    labels = ("open", "read", "write", "seek", "flush")
    for label, number in zip(labels, counts.values()):
        assert any(
            line.split()[-3:] == ["STDIO", label, str(number)] for line in figure.split("\n")
        ), (label, figure)


def test_common_sizes(parser: Path, summary: Run, tmp_path: Path) -> None:
    """Common sizes are combined over records before they are ranked."""
    path = tmp_path / "log.darshan"
    path.write_bytes(encode(standard_log({"POSIX": 4}, files=30)))
    text = report_text(summary, tmp_path, path)
    true: dict[int, int] = {}
    for record in standard_log({"POSIX": 4}, files=30).modules[0].records:
        for place in "1234":
            size = record.counters[f"POSIX_ACCESS{place}_ACCESS"]
            true[size] = true.get(size, 0) + record.counters[f"POSIX_ACCESS{place}_COUNT"]
    true.pop(0, None)
    wanted = sorted(true.items(), key=lambda item: (-item[1], -item[0]))[:4]
    table = text[text.index("Commonest sizes") :].split("\n")
    cells = [line.split() for line in table if line.startswith("POSIX ")]
    shown = [(int(c[1].replace(",", "")), int(c[-1].replace(",", ""))) for c in cells]
    assert shown == wanted


def test_live_journal(parser: Path, summary: Run, tmp_path: Path) -> None:
    """A report can be made of a journal, and says that it is a journal."""
    log = standard_log({"POSIX": 4, "STDIO": 2}, compression=NONE, live=True, end=(0, 0))
    path = tmp_path / "job.darshan"
    path.write_bytes(encode(log))
    text = report_text(summary, tmp_path, path, status=INCOMPLETE)
    assert "had not finished" in text and "still running or was killed" in text
    assert [line.split()[2] for line in text.split("\n") if line.startswith("Run time")] == [
        "unknown"
    ]


def test_no_records_at_all(summary: Run, tmp_path: Path) -> None:
    """Reports can be made of an empty log and of a log without POSIX."""
    empty, other = tmp_path / "empty", tmp_path / "other"
    empty.write_bytes(encode(Log()))
    other.write_bytes(encode(standard_log({"STDIO": 2, "HEATMAP": 1, "BG/Q": 2})))
    assert "no record of I/O" in report_text(summary, tmp_path, empty)
    text = report_text(summary, tmp_path, other)
    assert set(layer_lines(text)) == {"STDIO"}
    assert "also has BG/Q" in text
