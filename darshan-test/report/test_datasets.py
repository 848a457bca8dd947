"""The page about datasets is compared with plain sums over the rows of darshan-parser."""

from __future__ import annotations

import random
import re
import struct
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest
from darshan_report import Module, module_by_name
from darshan_report.report.sections.dataset_tables import endings
from lab.log import rows_in
from layers.program import OPERATIONS, program_of
from logs.content import standard_log
from logs.encode import encode
from logs.layouts import LAYOUTS
from logs.model import Counted, Log
from logs.model import Module as Region
from logs.record_id import record_id

from .conftest import Run
from .pages import close, quantities, text_of

TITLE = "How your datasets turned into file-system calls"
FILES, DATASETS, RANKS, SHOWN = 3, 23, 2, 10
AMOUNT = r"[\d.,]+ (?:[KMGT]iB|B)"
TIME = r"(?:[\d.,]+|< 1) (?:ms|s|\S?s)"
FACTOR = r"(?:>= |< )?[\d.,]+|-"
SHARE = r"(?:< )?[\d.]+ %|-"
BYTES_ROW = re.compile(
    rf"^ *(\d+) +(\S+) +({AMOUNT}) +({AMOUNT}) +({FACTOR}) "
    rf"+((?:[\d.,]+(?: [KMGT]?i?B)? to )?{AMOUNT}) "
    rf"+({FACTOR}) +({FACTOR}) +({FACTOR})$"
)
TIME_ROW = re.compile(
    rf"^ *(\d+) +({TIME}) +({SHARE}) +(?:({SHARE}) +)?({SHARE}) +({TIME}) +({TIME}) +({TIME}) "
    rf"+(.*?\S) +(\d+) +(-|{AMOUNT}, [\d,]+ slots?) +(-|[\d,]+)$"
)
FILE_ROW = re.compile(
    rf"^(\S+\.h5) +({TIME}) +({TIME}) +({TIME}) +({TIME}) +({TIME}) +({TIME}) "
    rf"+({SHARE}) +({AMOUNT}) +(\d+): +({TIME})$"
)
Sums = dict[str, dict[str, float]]


def dataset_name(number: int) -> str:
    """Returns the name of a dataset: its file and its path in it."""
    return f"/data/run{number % FILES}.h5:/group/field-{number:02d}"


def layers_module() -> Module:
    """Returns the description of the module LAYERS."""
    module = module_by_name("LAYERS")
    assert module is not None
    return module


def layers_record(name: str, rank: int, values: dict[str, float]) -> bytes:
    """Returns the bytes of a LAYERS record; counters that are not in `values` are 0."""
    module = layers_module()
    counters = [int(values.get(c.name[len("LAYERS_") :], 0)) for c in module.counters]
    fcounters = [float(values.get(c.name[len("LAYERS_") :], 0)) for c in module.fcounters]
    layout = f"<Qq{len(counters)}q{len(fcounters)}d"
    return struct.pack(layout, record_id(name.encode()), rank, *counters, *fcounters)


def operations(rng: random.Random) -> dict[str, float]:
    """Returns random counters of calls, bytes and times for each kind of HDF5 operation; the times
    in POSIX are within those of the layers above it."""
    found: dict[str, float] = {}
    for operation in OPERATIONS:
        found[f"{operation}_CALLS"] = rng.randint(0, 50)
        for what in ("READS", "WRITES", "OTHER"):
            found[f"{operation}_POSIX_{what}"] = rng.randint(0, 90)
        for what in ("BYTES_READ", "BYTES_WRITTEN"):
            found[f"{operation}_POSIX_{what}"] = rng.randrange(10 ** rng.randint(1, 8))
            found[f"{operation}_STDIO_{what}"] = rng.randrange(10**6)
        found[f"{operation}_STDIO_CALLS"] = rng.randint(0, 9)
        whole = rng.random() * 10 ** rng.randint(-4, 1)
        found[f"F_{operation}_TIME"] = whole
        found[f"F_{operation}_POSIX_TIME"] = whole * rng.random() * 0.6
        found[f"F_{operation}_STDIO_TIME"] = whole * rng.random() * 0.2
        found[f"F_{operation}_MPIIO_TIME"] = whole * rng.random() * 0.1
        found[f"F_{operation}_COMM_TIME"] = whole * rng.random() * 0.1
    return found


def dataset_record(rng: random.Random, number: int, rank: int) -> bytes:
    """Returns the bytes of a dataset's LAYERS record with random counters."""
    values = operations(rng) | {
        "UPPER_MODULE": 4,
        "BYTES_ASKED_READ": 0 if number == 1 else rng.randrange(10**7),
        "BYTES_ASKED_WRITTEN": 0 if number == 1 else rng.randrange(10**7),
        "DISTINCT_BYTES_READ": rng.randrange(10**6),
        "DISTINCT_BYTES_WRITTEN": 0 if number % 4 == 0 else rng.randrange(10**6),
        "DISTINCT_ERROR": rng.randrange(1000) if number % 3 == 0 else 0,
        "LAYOUT": 2 if number % 2 else 1,
        "FILTERS": number % 3,
        "CHUNK_BYTES": 4000 * number,
        "CHUNK_CACHE_BYTES": 1 << 20,
        "CHUNK_CACHE_SLOTS": 521,
    }
    return layers_record(dataset_name(number), rank, values)


def h5d_record(number: int, rank: int) -> Counted:
    """Returns the H5D record of a dataset."""
    layout = LAYOUTS["H5D"][2]
    counters = dict.fromkeys(layout.counters, 0)
    for place in range(1, 4):
        counters[f"H5D_CHUNK_SIZE_D{place}"] = (10 * number + place) * (number % 2)
    counters["H5D_DATASPACE_NDIMS"] = 3
    name, file = dataset_name(number), dataset_name(number).partition(":")[0]
    return Counted(
        record_id(name.encode()),
        rank,
        counters,
        dict.fromkeys(layout.fcounters, 0.0),
        record_id(file.encode()),
    )


def made_log(seed: int) -> Log:
    """Returns a log with LAYERS records of 23 datasets in three files for each of two ranks, and of
    calls that the program made without a library."""
    rng = random.Random(seed)
    files = [f"/data/run{i}.h5" for i in range(FILES)]
    names = [*map(dataset_name, range(DATASETS)), *files, "<application>"]
    raw = layers_record("<application>", 0, operations(rng))
    h5d = []
    for rank in range(RANKS):
        for number in range(DATASETS):
            raw += dataset_record(rng, number, rank)
            h5d.append(h5d_record(number, rank))
        for file in files:
            raw += layers_record(file, rank, operations(rng) | {"UPPER_MODULE": 3})
    return standard_log(
        {},
        nprocs=RANKS,
        names=[(record_id(name.encode()), name.encode()) for name in names],
        modules=[Region("H5D", 2, h5d)],
        annex=[Region("LAYERS", 2, raw=raw, number=layers_module().id)],
    )


def naive(parser: Path, log: Path) -> Sums:
    """Returns LAYERS counters by the record's name: summed over ranks, or the maximum of counters
    that have no sum."""
    command = [parser, "--show-incomplete", log]
    output = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    alike = {c.name for c in layers_module().counters if not c.summed}
    found: Sums = defaultdict(lambda: defaultdict(float))
    for module, _rank, _id, counter, value, name, *_ in rows_in(output):
        row, short = found[name], counter[len("LAYERS_") :]
        if module == "LAYERS":
            row[short] = (
                max(row[short], float(value)) if counter in alike else row[short] + float(value)
            )
        elif counter.startswith("H5D_CHUNK_SIZE"):
            row[counter] = float(value)
    return found


def total(row: dict[str, float], *patterns: str, over: tuple[str, ...] = OPERATIONS) -> float:
    """Returns the sum of counters. patterns: their names, with {} for each operation in `over`."""
    return sum(row[pattern.format(o)] for pattern in patterns for o in over)


def moved_below(row: dict[str, float]) -> float:
    """Returns the bytes that POSIX and streams moved for the operations of a record."""
    kinds = ("POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN", "STDIO_BYTES_READ", "STDIO_BYTES_WRITTEN")
    return total(row, *(f"{{}}_{kind}" for kind in kinds))


def lower_time(row: dict[str, float]) -> float:
    """Returns the seconds in POSIX and STDIO below a dataset."""
    return total(row, "F_{}_POSIX_TIME", "F_{}_STDIO_TIME")


def mpi_time(row: dict[str, float]) -> float:
    """Returns the seconds in MPI below a dataset."""
    return total(row, "F_{}_MPIIO_TIME", "F_{}_COMM_TIME")


def page(text: str) -> list[str]:
    """Returns the lines of the report's section about datasets."""
    start = text.index(TITLE)
    return text[start : text.index("by time", start)].split("\n")


def report(summary: Run, folder: Path, log: Path, *options: str) -> str:
    """Returns the text of a log's PDF. options: of the command."""
    done = summary(log, "-o", "out.pdf", *options)
    assert (done.returncode, done.stderr) == (0, "")
    return text_of(folder / "out.pdf")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Returns a log with datasets."""
    path = tmp_path / "log.darshan"
    path.write_bytes(encode(made_log(5)))
    return path


def slowest(sums: Sums, kind: int) -> list[tuple[str, dict[str, float]]]:
    """Returns the sums of objects of one kind, the slowest first. kind: number of the module
    above."""
    found = [(name, row) for name, row in sums.items() if row["UPPER_MODULE"] == kind]
    return sorted(found, key=lambda pair: -total(pair[1], "F_{}_TIME"))


def check_factor(cell: str, part: float, whole: float) -> None:
    """Checks a cell with a ratio, which is rounded; "-" if the whole is 0."""
    if whole == 0:
        assert cell == "-"
    else:
        shown = float(cell.removeprefix(">= ").replace(",", ""))
        assert abs(shown - part / whole) <= max(0.0051, 0.0051 * part / whole)


def check_share(cell: str, true: float) -> None:
    """Checks a cell with a fraction, which is rounded. true: the exact one."""
    assert abs(quantities(cell)[0] - true) < 0.00106 + 1e-4


def check_bytes(cells: tuple[str, ...], row: dict[str, float]) -> None:
    """Checks a row of the report's table of bytes. cells: its cells as printed; row: the counters
    of the dataset."""
    asked = row["BYTES_ASKED_READ"] + row["BYTES_ASKED_WRITTEN"]
    moved = moved_below(row)
    distinct = row["DISTINCT_BYTES_READ"] + row["DISTINCT_BYTES_WRITTEN"]
    error = row["DISTINCT_ERROR"]
    assert close(quantities(cells[0])[0], asked, 0.5)
    assert close(quantities(cells[1])[0], moved, 0.5)
    check_factor(cells[2], moved, asked)
    least, _, most = cells[3].rpartition(" to ")
    assert close(quantities(most)[0], distinct, 0.5)
    if least:
        unit = "" if least.endswith("B") else f" {most.split()[1]}"
        assert error and close(quantities(least + unit)[0], distinct - error, 0.5)
    else:
        assert error <= 0.011 * distinct
    for cell, direction in ((cells[4], "READ"), (cells[5], "WRITTEN")):
        again = total(row, f"{{}}_POSIX_BYTES_{direction}")
        whole = row[f"DISTINCT_BYTES_{direction}"]
        # If the number of distinct bytes is uncertain, the cell shows a lower bound.
        check_factor(cell, max(again, whole) if error else again, whole)
        assert cell == "-" or cell.startswith(">= ") == (error > 0)
    kinds = ("POSIX_READS", "POSIX_WRITES", "POSIX_OTHER", "STDIO_CALLS")
    below = total(row, *(f"{{}}_{kind}" for kind in kinds))
    check_factor(cells[6], below, total(row, "{}_CALLS"))


def check_times(cells: tuple[str, ...], row: dict[str, float]) -> None:
    """Checks a row of the report's table of times and storage. cells: its cells as printed; row:
    the counters of the dataset."""
    time, posix = total(row, "F_{}_TIME"), lower_time(row)
    assert close(quantities(cells[0])[0], time, 1e-5)
    mpi = mpi_time(row)
    check_share(cells[1], (time - posix - mpi) / time)
    check_share(cells[2], mpi / time)
    check_share(cells[3], posix / time)
    parts = (("READ",), ("WRITE",), ("FLUSH", "CLOSE"))
    for cell, over in zip(cells[4:7], parts):
        assert close(quantities(cell)[0], total(row, "F_{}_TIME", over=over), 2e-6)
    assert float(cells[8]) == row["FILTERS"]
    if row["LAYOUT"] == 1:
        assert (cells[7], cells[9], cells[10]) == ("contiguous", "-", "-")
        return
    shape, _, size = cells[7].partition(" (")
    lengths = [int(row[f"H5D_CHUNK_SIZE_D{place}"]) for place in (3, 2, 1)]
    assert shape == " x ".join(map(str, lengths))
    assert close(quantities(size.rstrip(")"))[0], row["CHUNK_BYTES"], 0.5)
    assert cells[9] == "1.00 MiB, 521 slots"
    assert int(cells[10].replace(",", "")) == row["CHUNK_CACHE_BYTES"] // row["CHUNK_BYTES"]


def test_datasets(summary: Run, parser: Path, made: Path, tmp_path: Path) -> None:
    """Both tables list the ten datasets with the most time, in order, and every cell is right."""
    lines = page(report(summary, tmp_path, made))
    sums = naive(parser, made)
    bytes_rows = [m for m in map(BYTES_ROW.match, lines) if m]
    time_rows = [m for m in map(TIME_ROW.match, lines) if m]
    expected = slowest(sums, 4)[:SHOWN]
    assert len(bytes_rows) == len(time_rows) == SHOWN, "\n".join(lines)
    for number, (name, row) in enumerate(expected, 1):
        cells = bytes_rows[number - 1].groups()
        assert int(cells[0]) == number
        assert name.rpartition("/")[2] == cells[1].rpartition("/")[2]
        assert name.split(":")[0].endswith(cells[1].split(":")[0])
        check_bytes(cells[2:], row)
        assert int(time_rows[number - 1][1]) == number
        check_times(time_rows[number - 1].groups()[1:], row)
    assert any(f"{DATASETS - SHOWN} more are not shown" in line for line in lines)


@pytest.mark.parametrize(
    "names, shown",
    [
        (["/a/x", "/a/y"], ["/a/x", "/a/y"]),
        (["/group/long-name-1", "/group/long-name-2"], ["\u2026ng-name-1", "\u2026ng-name-2"]),
        (["/run-1/temperature", "/run-2/temperature"], ["/run-1\u2026", "/run-2\u2026"]),
        (["/long/same/name", "/long/same/name"], ["\u2026same/name", "\u2026same/name"]),
    ],
)
def test_names_are_cut_where_they_are_alike(names: list[str], shown: list[str]) -> None:
    """Long names are cut so that their differences remain. shown: the expected names."""
    assert endings(names, 10) == shown


def test_files(summary: Run, parser: Path, made: Path, tmp_path: Path) -> None:
    """Each HDF5 file has a line with the sums of its datasets."""
    lines = page(report(summary, tmp_path, made))
    sums = naive(parser, made)
    found = [m.groups() for m in map(FILE_ROW.match, lines) if m]
    assert len(found) == FILES, "\n".join(lines)
    for cells, (name, row) in zip(found, slowest(sums, 3)):
        assert cells[0] == name
        for cell, operation in zip(cells[1:6], ("OPEN", "CLOSE", "FLUSH", "ATTR", "META")):
            assert close(quantities(cell)[0], row[f"F_{operation}_TIME"], 2e-6)
        time = total(row, "F_{}_TIME")
        assert close(quantities(cells[6])[0], time, 1e-5)
        check_share(cells[7], lower_time(row) / time)
        moved = moved_below(row)
        assert close(quantities(cells[8])[0], moved, 0.5)
        inside = [r for n, r in sums.items() if n.startswith(f"{name}:")]
        assert int(cells[9]) == len(inside)
        assert close(quantities(cells[10])[0], sum(total(r, "F_{}_TIME") for r in inside), 1e-5)


def test_sentence(summary: Run, parser: Path, made: Path, tmp_path: Path) -> None:
    """The sentence has the total time, fractions and bytes, without calls that the program makes
    without a library."""
    text = " ".join(report(summary, tmp_path, made).split())
    uppers = [row for row in naive(parser, made).values() if row["UPPER_MODULE"]]
    assert len(uppers) == DATASETS + FILES
    time = sum(total(row, "F_{}_TIME") for row in uppers)
    posix = sum(lower_time(row) for row in uppers)
    mpi = sum(mpi_time(row) for row in uppers)
    asked = sum(row["BYTES_ASKED_READ"] + row["BYTES_ASKED_WRITTEN"] for row in uppers)
    moved = sum(moved_below(row) for row in uppers)
    start = text.index(f"Calls on {DATASETS} datasets and {FILES} files of HDF5")
    shown = quantities(text[start : text.index("times as much", start)])
    assert close(shown[0], time, 1e-4)
    assert abs(shown[1] - (time - posix - mpi) / time) < 0.0011
    assert abs(shown[2] - posix / time) < 0.0011
    assert abs(shown[3] + shown[4] - mpi / time) < 0.0021
    assert close(shown[5], asked, 1) and close(shown[6], moved, 1)


def test_without_latex(summary: Run, made: Path, tmp_path: Path) -> None:
    """The page that matplotlib draws without LaTeX has the same rows."""
    with_latex = [m[2] for m in map(BYTES_ROW.match, page(report(summary, tmp_path, made))) if m]
    text = report(summary, tmp_path, made, "--no-latex")
    assert TITLE in text and len(with_latex) == SHOWN
    assert all(name.rpartition("/")[2] in text for name in with_latex)


def test_no_page_without_layers(summary: Run, tmp_path: Path) -> None:
    """The report of a log of another runtime, which has no LAYERS, has no page about datasets."""
    path = tmp_path / "log.darshan"
    path.write_bytes(encode(standard_log({"H5D": 1, "H5F": 3})))
    assert TITLE not in report(summary, tmp_path, path)


def test_any_value(summary: Run, tmp_path: Path) -> None:
    """The report can be made, without a message, from any values of LAYERS counters."""
    extremes = [0, -1, (1 << 63) - 1, -(1 << 63), 10**18]
    floats = [0.0, -1.0, float("nan"), float("inf"), 1.7976931348623157e308]
    module, rng, raw = layers_module(), random.Random(2), b""
    names = [f"$\\evil{{{i}}}_#&" for i in range(20)]
    for name in names:
        values = {c.name[len("LAYERS_") :]: rng.choice(extremes) for c in module.counters}
        values |= {c.name[len("LAYERS_") :]: rng.choice(floats) for c in module.fcounters}
        raw += layers_record(name, 0, values | {"UPPER_MODULE": rng.choice((3, 4))})
    log = standard_log(
        {},
        names=[(record_id(n.encode()), n.encode()) for n in names],
        annex=[Region("LAYERS", 2, raw=raw, number=module.id)],
    )
    path = tmp_path / "log.darshan"
    path.write_bytes(encode(log))
    assert TITLE in text_of_quiet(summary, tmp_path, path)
    assert TITLE in text_of_quiet(summary, tmp_path, path, "--no-latex")


def text_of_quiet(summary: Run, folder: Path, *arguments: str | Path) -> str:
    """Returns the report's text, and checks that the command printed nothing on stderr."""
    done = summary(*arguments, "-o", "out.pdf")
    assert (done.returncode, done.stderr) == (0, "")
    return text_of(folder / "out.pdf")


def test_program_that_reads_again(build: Path, parser: Path, summary: Run, tmp_path: Path) -> None:
    """The page names the dataset of a real program that reads the same chunks for every row."""
    (tmp_path / "program").mkdir()
    outcome = program_of(build, parser, tmp_path / "program").run("reread")
    row = outcome.dataset()
    text = report(summary, tmp_path, outcome.log)
    moved = total(row, "{}_POSIX_BYTES_READ", over=("READ", "WRITE", "FLUSH", "CLOSE"))
    found = re.search(r"POSIX read each distinct byte of /d ([\d.]+) times", text)
    assert found is not None
    check_factor(found[1], moved, row["DISTINCT_BYTES_READ"])
    assert float(found[1]) > 20
    assert "16 x 4096 (256 KiB)" in text


def test_raw_data_apart(build: Path, parser: Path, summary: Run, tmp_path: Path) -> None:
    """If DARSHAN_HDF5_STORAGE is set, the page distinguishes each dataset's raw data and
    metadata."""
    outcome = program_of(build, parser, tmp_path).run("storage", "env", "DARSHAN_HDF5_STORAGE=1")
    lines = report(summary, tmp_path, outcome.log).splitlines()
    start = next(i for i, line in enumerate(lines) if "Raw data and metadata" in line)
    (shown,) = (line for line in lines[start:] if re.match(r"^ *\d+ +/late .*(?<!%)$", line))
    row = next(row for name, row in outcome.layers.items() if name.endswith("a.h5:/late"))
    raw = row["DISTINCT_RAW_BYTES_WRITTEN"]
    expected = (0, 0, raw, row["DISTINCT_BYTES_WRITTEN"] - raw)
    cells = re.findall(AMOUNT, re.sub(r"\b0B", "0 B", shown))  # pdftotext loses a thin space
    assert raw > 0 and len(cells) == len(expected)
    assert all(close(quantities(c)[0], true, 0.5) for c, true in zip(cells, expected))


def test_calls_on_metadata(summary: Run, tmp_path: Path) -> None:
    """The page has the calls and times on attributes, links and the like (module H5_META) by kind,
    summed over the two processes that used the file."""
    module = module_by_name("H5_META")
    assert module is not None
    name = b"/data/a.h5"
    values = {"ATTR_READS": 1000, "ATTR_OTHER": 234, "LINK_CREATES": 5, "F_ATTR_TIME": 1.5}
    raw = b""
    for rank in range(2):
        found = [values.get(c.name[len("H5_META_") :], 0) for c in module.counters]
        times = [float(values.get(c.name[len("H5_META_") :], 0)) for c in module.fcounters]
        words = f"<Qq{len(found)}q{len(times)}d"
        raw += struct.pack(words, record_id(name), rank, *found, *times)
    upper = layers_record(name.decode(), 0, {"UPPER_MODULE": 3, "OPEN_CALLS": 1})
    log = standard_log(
        {},
        names=[(record_id(name), name)],
        annex=[
            Region("H5_META", 1, raw=raw, number=module.id),
            Region("LAYERS", 2, raw=upper, number=layers_module().id),
        ],
    )
    path = tmp_path / "log.darshan"
    path.write_bytes(encode(log))
    text = report(summary, tmp_path, path)
    text = text[text.index("Calls on metadata of the files") :]
    shown = next(line for line in text.splitlines() if line.startswith("/data/a.h5"))
    assert shown.split() == ["/data/a.h5", "2,468:", "3.00", "s", "-", "10:", "0", "s", "-", "-"]
