"""Tests the module GDS (GPUDirect Storage) with stand-in libraries for cuFile and hipFile
(library.c)."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from daos.model import BOUNDS, SIZES
from lab.environment import plain
from lab.log import parsed, rows_in, times_in_order
from lab.watch import Outcome, watch
from place import needs

HERE = Path(__file__).resolve().parent
RUNTIME = HERE.parents[1] / "runtime"
# Options of the compiler.
WARNINGS = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread"]
# By prefix of the functions: the library's name.
LIBRARIES = {"cuFile": "libcufile.so.0", "hipFile": "libhipfile.so.0"}
# By prefix: the option that compiles for this library.
DEFINES = {"cuFile": "-DCUDA", "hipFile": "-DHIP"}
# Counters that depend on times.
NOT_MODELLED = re.compile(r"^F_|TIME_SIZE$")
# Counters of bytes in compatibility mode, which the model leaves out.
COMPAT = re.compile(r"^COMPAT_")


@dataclass
class Programs:
    """The folder with the compiled programs and stand-in libraries."""

    folder: Path

    def run(self, work: Path, build: Path, name: str, *words: str, **settings: str) -> Outcome:
        """Runs a program with the runtime, which must succeed and leave no journal. words:
        arguments. settings: environment variables. Returns the output and the log."""
        outcome = watch(build, work, [self.folder / name, *words], plain=plain(), **settings)
        assert (outcome.status, outcome.journals) == (0, []), outcome.error
        return outcome


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Returns the compiled programs."""
    needs("program:gcc")
    folder = tmp_path_factory.mktemp("gds")

    def compiled(output: str, *words: str) -> None:
        command = ["gcc", *WARNINGS, f"-I{HERE}", *words, "-o", str(folder / output)]
        subprocess.run(command, check=True)

    for prefix, library in LIBRARIES.items():
        defines, own = DEFINES[prefix], f"-Wl,-rpath,{folder}"
        shared = ("-shared", "-fPIC", f"-Wl,-soname,{library}")
        compiled(library, *shared, defines, str(HERE / "library.c"))
        compiled(prefix, defines, str(HERE / "every.c"), own, str(folder / library))
    here = [str(HERE / "every.c"), f"-Wl,-rpath,{folder}", str(folder / LIBRARIES["cuFile"])]
    compiled("plugin.so", "-shared", "-fPIC", "-DPLUGIN", *here)
    compiled("by-name", "-DBY_NAME", *here[:1])
    compiled("loads", str(HERE.parent / "daos/loads.c"))
    many = [str(HERE / "many.c"), f"-Wl,-rpath,{folder}"]
    compiled("many", *many, str(folder / LIBRARIES["cuFile"]))
    return Programs(folder)


def expected(said: str) -> dict[str, dict[str, int]]:
    """Returns the counters that must not be 0 for each file, except those of the path that bytes
    took. said: what the program printed."""
    files: dict[str, Counter[str]] = {}
    for line in said.splitlines():
        name, counter, number = line.split()
        counters = files.setdefault(name, Counter())
        if counter in {"SIZE_READ", "SIZE_WRITE"}:
            counters[f"{counter}_{SIZES[sum(int(number) > bound for bound in BOUNDS)]}"] += 1
        else:
            counters[counter] += int(number)
    return {name: dict(counters) for name, counters in files.items()}


def found(outcome: Outcome, parser: Path) -> dict[str, dict[str, float]]:
    """Returns the counters of each GDS record in the logs of a run, by the last component of the
    record's name."""
    records: dict[str, dict[str, float]] = {}
    for log in outcome.logs:
        for row in rows_in(parsed(parser, log, "--show-incomplete"), "GDS"):
            records.setdefault(row.name.rsplit("/", 1)[-1], {})[row.short] = row.value
    return records


def counted(records: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Returns the counters that are not 0 and that the model computes."""
    return {
        name: {
            counter: value
            for counter, value in counters.items()
            if value and not NOT_MODELLED.search(counter) and not COMPAT.search(counter)
        }
        for name, counters in records.items()
    }


# Each library with each path of the bytes.
WAYS = [(prefix, path) for prefix in LIBRARIES for path in ("compat", "threads", "direct")]


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_against_the_model(
    way: tuple[str, str], build: Path, parser: Path, programs: Programs, tmp_path: Path
) -> None:
    """The log has exactly the GDS counters that follow from the program's calls, and counts all
    bytes for the path that they took: directly to the GPU, or by the compatibility mode. way: the
    library, and the path."""
    prefix, path = way
    ran = programs.run(tmp_path, build, prefix, STANDIN_PATH=path)
    records = found(ran, parser)
    assert counted(records) == expected(ran.out)
    for name, counters in records.items():
        for moved in ("READ", "WRITTEN"):
            compat = counters[f"COMPAT_BYTES_{moved}"]
            assert compat == (0 if path == "direct" else counters[f"BYTES_{moved}"]), name


def test_loaded_later(build: Path, parser: Path, programs: Programs, tmp_path: Path) -> None:
    """Calls of cuFile are recorded if a plugin that is opened by dlopen is linked with it, as in
    PyTorch. If the program gets functions by dlsym, they are the library's own and are not
    recorded."""
    plugin = programs.run(tmp_path / "plugin", build, "loads", str(programs.folder / "plugin.so"))
    assert counted(found(plugin, parser)) == expected(plugin.out) != {}
    library = str(programs.folder / LIBRARIES["cuFile"])
    by_name = programs.run(tmp_path / "by-name", build, "by-name", library)
    assert by_name.out == plugin.out
    assert found(by_name, parser) == {}


def test_times(build: Path, parser: Path, programs: Programs, tmp_path: Path) -> None:
    """The timestamps in a GDS record are in the order of the program's calls, and the calls that
    open and close the driver have a time."""
    records = found(programs.run(tmp_path, build, "cuFile"), parser)
    times = records["now.dat"]
    times_in_order(times)
    assert records["<driver>"]["F_META_TIME"] >= 0.001  # library.c sleeps so long


@pytest.mark.parametrize("off", ["GDS", "POSIX", "GDS,POSIX"])
def test_switched_off(
    off: str, build: Path, parser: Path, programs: Programs, tmp_path: Path
) -> None:
    """With GDS or POSIX switched off, the program behaves the same. Without POSIX, the GDS records
    have right counters, except that the bytes of the compatibility mode are -1 (unknown)."""
    ran = programs.run(tmp_path, build, "cuFile", STANDIN_PATH="compat", DARSHAN_MOD_DISABLE=off)
    records = found(ran, parser)
    assert counted(records) == ({} if "GDS" in off else expected(ran.out))
    for name, counters in records.items():
        assert counters["COMPAT_BYTES_READ"] == (0 if name == "<driver>" else -1)


def test_past_the_limit(build: Path, parser: Path, programs: Programs, tmp_path: Path) -> None:
    """Beyond MAX_RECORDS, files share a GDS record, for which the path of the bytes is unknown
    (-1); the sums of the other counters do not change."""
    config = tmp_path / "config"
    config.write_text("MAX_RECORDS 2 GDS\n")
    sums = []
    for place, more in (("all", {}), ("few", {"DARSHAN_CONFIG_PATH": str(config)})):
        ran = programs.run(tmp_path / place, build, "cuFile", STANDIN_PATH="compat", **more)
        records = found(ran, parser)
        total: Counter[str] = Counter()
        for counters in counted(records).values():
            total.update({counter: int(value) for counter, value in counters.items()})
        sums.append(total)
    assert sums[0] == sums[1] and sums[0]["BYTES_READ"] > 0
    unknown = [c for c in records.values() if c["COMPAT_BYTES_READ"] < 0]
    assert 0 < len(unknown) < len(records)


def test_full_table(build: Path, parser: Path, programs: Programs, tmp_path: Path) -> None:
    """If the runtime's table of handles is full, each further open is still counted, but not its
    reads. The log and a message say how many handles were dropped."""
    ran = programs.run(tmp_path, build, "many", "4200")
    counters = found(ran, parser)["many.dat"]
    assert (counters["OPENS"], counters["READS"]) == (4200, 4096)
    assert ran.log.metadata["dropped_for_full_tables"] == str(4200 - 4096)
    assert "the runtime dropped some calls" in ran.error


def test_call_sites(build: Path, programs: Programs, tmp_path: Path) -> None:
    """With DARSHAN_SITES=1, the record of a line of code has the bytes that its cuFile calls
    requested, whichever path they took, and no byte twice."""
    for path in ("compat", "direct"):
        ran = programs.run(tmp_path / path, build, "cuFile", STANDIN_PATH=path, DARSHAN_SITES="1")
        read: Counter[str] = Counter()
        for (module, name), record in ran.records.items():
            if module == "SITES" and name.startswith("cuFile"):
                read[name.partition(";")[0]] += int(record["SITES_BYTES_READ"])
        assert len(read) > 10
        block = 64 << 10
        assert {name: bytes_read for name, bytes_read in read.items() if bytes_read} == {
            "cuFileRead": block + 100,
            "cuFileReadAsync": block,
            "cuFileBatchIOSubmit": 4 * block,
        }


@pytest.mark.parametrize("path", ["direct", "compat"])
def test_where_the_time_went(path: str, build: Path, programs: Programs, tmp_path: Path) -> None:
    """`darshan stat` and the report count the time of cuFile transfers as file I/O, whichever path
    the bytes take."""
    ran = programs.run(tmp_path, build, "cuFile", STANDIN_PATH=path, STANDIN_DELAY="20000")
    slept = 20 * (8 + 2 + 8)  # milliseconds, of transfers within calls

    def said(*command: str) -> str:
        words = [build / "darshan", *command, ran.logs[0]]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        return done.stdout + done.stderr

    def summed(pattern: str, text: str) -> float:
        """Returns the sum of the milliseconds in a text that match the pattern."""
        found_in = re.findall(pattern, text, re.M)
        return sum(float(number) * {"ms": 1, "s": 1000}[unit] for number, unit in found_in)

    report = said("report", "--text")
    # A part of the calls' time is estimated to be waiting for a processor.
    assert summed(r"^(?:Reading|Writing) files +([\d.]+) (m?s) ", report) > 0.8 * slept
    assert summed(r"([\d.]+) (m?s) in file I/O", said("stat", "-r")) >= slept
    assert "memory of a GPU (cuFile, hipFile)." in " ".join(report.split())
    # The driver is no file.
    assert re.search(r"^GPU direct +4 +384 KiB +832 KiB ", report, re.M), report
