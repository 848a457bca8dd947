"""Tests the modules DAOS and DFS (DAOS' file system) with stand-in libraries (libdaos.c,
libdfs.c)."""

from __future__ import annotations

import re
import signal
import struct
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import lab.environment as lab
import pytest
from lab.command import finished
from lab.environment import plain
from lab.log import parsed, read_logs, read_rows, rows_in, times_in_order
from lab.watch import watch
from logs.record_id import record_id
from place import needs

from .model import Name, expected, rows_said

HERE = Path(__file__).resolve().parent
RUNTIME = HERE.parents[1] / "runtime"
# Options of the compiler.
WARNINGS = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1"]
# Counters that depend on times, or that only shared records have.
NOT_MODELLED = re.compile(r"^F_|TIME_SIZE$|(FASTEST|SLOWEST)_RANK")
# Counters whose sum over all records does not depend on the number of records.
ADDS_UP = re.compile(r"BYTES_(READ|WRITTEN)$|(OPEN|READ|WRITE|STAT|UPDATE|FETCHE|GET|PUT|NB_OP)S$")
# The uuids of the stand-ins' pool and container.
POOL, CONTAINER = b"a pool".ljust(16, b"\0"), b"a container".ljust(16, b"\0")


@dataclass
class Programs:
    """The folder with the compiled test programs and stand-in libraries."""

    folder: Path

    def run(self, work: Path, build: Path, name: str, *words: str, **settings: str) -> Ran:
        """Runs a program to its end, with the runtime unless `build` is None. Fails if it does not
        succeed or leaves a journal. Returns output and logs. work: its folder; words: its
        arguments; settings: variables to add."""
        outcome = watch(build, work, [self.folder / name, *words], plain=plain(), **settings)
        assert (outcome.status, outcome.journals) == (0, []), outcome.error
        return Ran(outcome.out, outcome.error, outcome.logs)


@dataclass
class Ran:
    """The output of a program that succeeded, and its logs."""

    said: str
    stderr: str
    logs: list[Path] = field(default_factory=list)


def compile_all(folder: Path) -> None:
    """Compiles into a folder the two stand-in libraries, the programs "every", "many" and "loads",
    and "every" as a plugin for "loads"."""
    here = f"-L{folder}"
    own = ["-Wl,--disable-new-dtags", f"-Wl,-rpath,{folder}"]
    shared = ["-shared", "-fPIC"]
    for what in (
        [*shared, "libdaos.c", "-o", "libdaos.so"],
        [*shared, "libdfs.c", "-o", "libdfs.so", here, "-ldaos", *own],
        ["every.c", "-o", "every", here, "-ldfs", "-ldaos", *own],
        [*shared, "-DPLUGIN", "every.c", "-o", "plugin.so", here, "-ldfs", "-ldaos", *own],
        ["many.c", "-o", "many", here, "-ldfs", "-ldaos", *own],
        ["loads.c", "-o", "loads"],
    ):
        words = [str(HERE / word) if word.endswith(".c") else word for word in what]
        words = [
            str(folder / word) if what[i - 1] == "-o" else word for i, word in enumerate(words)
        ]
        subprocess.run(["gcc", *WARNINGS, *words], check=True)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Returns the compiled test programs."""
    needs("program:gcc")
    folder = tmp_path_factory.mktemp("daos")
    compile_all(folder)
    return Programs(folder)


@dataclass
class Rows:
    """The values of one record: its id, its mount point column, integer counters, and
    floating-point counters; names are without the module's prefix."""

    record: int
    mount: str
    counters: dict[str, int]
    times: dict[str, float]


def rows_of(parser: Path, log: Path) -> dict[Name, Rows]:
    """Returns the DFS and DAOS records of a log, by module and name."""
    found: dict[Name, Rows] = {}
    for row in rows_in(parsed(parser, log), "DFS", "DAOS"):
        rows = found.setdefault((row.module, row.name), Rows(row.record, row.mount, {}, {}))
        assert rows.record == row.record
        if row.short.startswith("F_"):
            rows.times[row.short] = row.value
        else:
            rows.counters[row.short] = int(row.text)
    return found


def counted(rows: Rows) -> dict[str, int]:
    """Returns the counters of a record that are not 0 and that the model computes."""
    return {k: v for k, v in rows.counters.items() if v and not NOT_MODELLED.search(k)}


def test_every_function_is_called() -> None:
    """The program "every" calls each function that the runtime wraps."""
    rows = re.findall(r"^\w+_CALL\((\w+)", (RUNTIME / "modules/daos/calls.def").read_text(), re.M)
    program = (HERE / "every.c").read_text()
    assert len(rows) > 50
    assert not [name for name in rows if not re.search(rf"\b{name}\(", program)]


@pytest.mark.parametrize("way", ["labels", "handles of others", "plugin", "objects alone"])
def test_against_the_model(
    way: str, build: Path, parser: Path, programs: Programs, tmp_path: Path
) -> None:
    """The log has exactly the DFS and DAOS counters that follow from the program's calls, and no
    other records except those of the files' objects. way: how the program gets its handles."""
    words = {"labels": ["every"], "handles of others": ["every", "elsewhere"]}
    words["objects alone"] = ["every", "objects"]
    words["plugin"] = ["loads", str(programs.folder / "plugin.so")]
    ran = programs.run(tmp_path, build, *words[way])
    found, model = rows_of(parser, ran.logs[0]), expected(ran.said)
    files = {rows.record for (module, _), rows in found.items() if module == "DFS"}
    own = {
        name: counted(rows)
        for name, rows in found.items()
        if name[0] == "DFS" or rows.record not in files
    }
    assert own == model


def test_objects_of_files(build: Path, parser: Path, programs: Programs, tmp_path: Path) -> None:
    """The DFS record of a file and the DAOS record of its object have the same id, which depends on
    pool, container and object."""
    ran = programs.run(tmp_path, build, "every")
    found = rows_of(parser, ran.logs[0])
    objects = {rows.record: rows for (module, _), rows in found.items() if module == "DAOS"}
    for (module, name), rows in found.items():
        if module == "DAOS":
            hi, lo = (int(part) for part in name.split("."))
            assert rows.record == record_id(POOL + CONTAINER + struct.pack("<QQ", lo, hi))
        assert rows.mount == f"{text_of(POOL)}:{text_of(CONTAINER)}"
    file = found["DFS", "/results/wave.dat"]
    below = objects[file.record].counters
    assert below["BYTES_WRITTEN"] == file.counters["BYTES_WRITTEN"]
    assert below["ARRAY_WRITES"] == file.counters["WRITES"] + file.counters["WRITEXS"]
    assert below["ARRAY_CHUNK_SIZE"] == file.counters["CHUNK_SIZE"]
    assert below["ARRAY_OPENS"] == 3  # opened, duplicated, and come from elsewhere


def text_of(uuid: bytes) -> str:
    """Returns a uuid as text."""
    digits = uuid.hex()
    return "-".join(digits[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))


def test_times(build: Path, parser: Path, programs: Programs, tmp_path: Path) -> None:
    """The timestamps in a DFS record are in the order of the program's calls."""
    ran = programs.run(tmp_path, build, "every")
    times = rows_of(parser, ran.logs[0])["DFS", "/results/wave.dat"].times
    times_in_order(times)
    assert times["F_META_TIME"] > 0


def test_heat_maps(build: Path, parser: Path, programs: Programs, tmp_path: Path) -> None:
    """The heat maps of DFS and DAOS have as many bytes as the records of the same module."""
    ran = programs.run(tmp_path, build, "every")
    sums: dict[str, int] = defaultdict(int)
    for row in rows_in(parsed(parser, ran.logs[0])):
        if row.module == "HEATMAP" and re.search(r"_BIN_\d+$", row.counter):
            way = "READ" if "READ" in row.counter else "WRITTEN"
            sums[f"{row.name} {way}"] += int(row.text)
        elif re.fullmatch(r"(DFS|DAOS)_BYTES_(READ|WRITTEN)", row.counter):
            sums[f"{row.module} records {row.counter.split('_')[-1]}"] += int(row.text)
    for module in ("DFS", "DAOS"):
        for way in ("READ", "WRITTEN"):
            assert sums[f"heatmap:{module} {way}"] == sums[f"{module} records {way}"] > 0


def test_switched_off(build: Path, parser: Path, programs: Programs, tmp_path: Path) -> None:
    """If DFS or DAOS is switched off, the records of the other module do not change."""
    plain = programs.run(tmp_path / "plain", build, "every")
    every = rows_of(parser, plain.logs[0])
    for off, kept in (("DFS", "DAOS"), ("DAOS", "DFS"), ("DFS,DAOS", "")):
        ran = programs.run(tmp_path / off, build, "every", DARSHAN_MOD_DISABLE=off)
        assert ran.said == plain.said and not ran.stderr
        found = rows_of(parser, ran.logs[0])
        same = {name: counted(rows) for name, rows in every.items() if name[0] == kept}
        assert {name: counted(rows) for name, rows in found.items()} == same


def test_past_the_limit(build: Path, parser: Path, programs: Programs, tmp_path: Path) -> None:
    """Beyond MAX_RECORDS, files and objects share an overflow record; the sums over all records do
    not change."""
    config = tmp_path / "config"
    config.write_text("MAX_RECORDS 2 DFS,DAOS\n")
    whole = programs.run(tmp_path / "whole", build, "every")
    few = programs.run(tmp_path / "few", build, "every", DARSHAN_CONFIG_PATH=str(config))
    sums = []
    for ran in (whole, few):
        total: dict[str, int] = defaultdict(int)
        for row in read_rows(parser, ran.logs[0], "DFS", "DAOS"):
            if ADDS_UP.search(row.counter):
                total[row.counter] += int(row.text)
        sums.append(dict(total))
    assert sums[0] == sums[1] and sums[0]["DFS_BYTES_WRITTEN"] > 0


# By kind of tables: number of opens, number of counted writes, and number of handles without a
# place.
FULL = {
    # A pool and a container have handles, too; a pool has an entry as a container of no name.
    "handles": (17000, 16384 - 2, 17000 + 2 - 16384),
    "containers": (300, 300, 300 + 3 - 256),
    "events": (300, 256, 300 - 256),
}


@pytest.mark.parametrize("what", FULL)
def test_full_tables(what: str, build: Path, programs: Programs, tmp_path: Path) -> None:
    """If a table of the runtime is full, every open is still counted. Writes are counted only if
    their handle has a slot; the log and a message say that calls were dropped. Objects of further
    containers share a record."""
    number, written, dropped = FULL[what]
    ran = programs.run(tmp_path, build, "many", what, str(number))
    assert ran.said == "done\n"
    log = read_logs(build / "darshan-parser", *ran.logs)
    kind, write = ("ARRAY", "WRITES") if what == "events" else ("KV", "PUTS")
    assert log.total(f"DAOS_{kind}_OPENS") == number
    assert log.total(f"DAOS_{kind}_{write}") == written
    assert log.total("DAOS_BYTES_WRITTEN") == 4 * written
    assert log.metadata["dropped_for_full_tables"] == str(dropped)
    assert "the runtime dropped some calls" in ran.stderr


def test_a_killed_program(build: Path, parser: Path, programs: Programs, tmp_path: Path) -> None:
    """The journal of a killed program can be read as a log, with the expected DFS and DAOS
    counters."""
    logs, journals = tmp_path / "logs", tmp_path / "journals"
    for path in (logs, journals):
        path.mkdir()
    env = plain() | lab.settings(build, logs, journals)
    done = finished([programs.folder / "every", "killed"], env=env)
    assert done.returncode == -signal.SIGKILL and not list(logs.iterdir())
    (journal,) = (path for path in journals.rglob("*") if path.is_file())
    found = rows_of(parser, journal)
    model = expected(done.stdout)
    assert {name: counted(found[name]) for name in model} == model


def test_processes_of_a_run(build: Path, parser: Path, programs: Programs, tmp_path: Path) -> None:
    """In the log of a run of several processes, the DFS or DAOS records of one file or object are
    merged into one, with its pool and container and the sums of its counters."""
    script = (
        f'"{programs.folder}/every"; "{programs.folder}/every" objects; "{programs.folder}/every"'
    )
    env = plain() | lab.settings(build, tmp_path, tmp_path) | lab.preload()
    command = [build / "darshan", "run", "-o", "logs", "--", "sh", "-c", script]
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    (log,) = (tmp_path / "logs").glob("*.darshan")
    found, model = rows_of(parser, log), expected(done.stdout)
    for name, counters in model.items():
        assert found[name].mount == f"{text_of(POOL)}:{text_of(CONTAINER)}"
        for counter in filter(ADDS_UP.search, counters):
            assert found[name].counters[counter] == counters[counter], (name, counter)


def test_on_a_screen_and_in_a_report(build: Path, programs: Programs, tmp_path: Path) -> None:
    """`darshan stat` and the report list DFS and DAOS as layers, with their numbers of calls and
    files."""
    ran = programs.run(tmp_path, build, "every")
    rows = rows_said(ran.said)
    command = [build / "darshan", "stat", "-r", ran.logs[0]]
    screen = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    found = dict(re.findall(r"^(DFS|DAOS) +\d+ +(\d+ +\d+) ", screen, re.M))
    moved = [sum(row[0] == "DFS" and row[3] == way for row in rows) for way in "rw"]
    assert [int(word) for word in found["DFS"].split()] == moved
    below = [int(word) for word in found["DAOS"].split()]  # with those of objects
    assert all(more >= some for more, some in zip(below, moved))
    assert re.search(r"^/results/wave\.dat ", screen, re.M)
    command = [build / "darshan", "report", "--text", ran.logs[0]]
    report = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert re.search(r"^DAOS files \(DFS\) +6 ", report, re.M)
    assert re.search(r"^DAOS objects +\d+ ", report, re.M)


def test_pydarshan_reads_it(build: Path, programs: Programs, tmp_path: Path) -> None:
    """PyDarshan reads the same DFS and DAOS counters under the same names."""
    darshan = pytest.importorskip("darshan")
    ran = programs.run(tmp_path, build, "every")
    report = darshan.DarshanReport(str(ran.logs[0]), read_all=True)
    table = report.records["DFS"].to_df()["counters"]
    model = expected(ran.said)["DFS", "/results/wave.dat"]
    (row,) = (row for _, row in table.iterrows() if row["DFS_DUPS"])
    for counter, value in model.items():
        assert row[f"DFS_{counter}"] == value, counter
    assert len(report.records["DAOS"].to_df()["counters"]) == 7
