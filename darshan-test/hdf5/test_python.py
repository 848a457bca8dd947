"""HDF5 in Python wheels (h5py, netCDF4, PyTables) is recorded, although each wheel has its own HDF5
library, which is invisible to other libraries."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab.log import metadata_of

from .layers import sums
from .observe import Observed, Rows, bare, instrumented, read_rows

SCRIPTS = Path(__file__).resolve().parent / "scripts"
# Programs in the folder scripts.
NAMES = ("h5py_calls", "netcdf", "netcdf_scales", "pytables", "both", "file_objects", "threads")
# Environment that makes two runs equal.
SETTINGS = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "1"}


def digests(work: Path) -> dict[str, str]:
    """Returns the SHA-256 of each file in the folder of a script, by name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in work.iterdir()}


def run_both(build: Path, name: str, tmp_path: Path) -> tuple[Observed, Path]:
    """Runs a script without and with the runtime, each time in a new folder of the same name. Fails
    unless both succeed with the same output and files. Returns the run with the runtime, and the
    folder."""
    command = [sys.executable, SCRIPTS / f"{name}.py"]
    work = tmp_path / "work"
    work.mkdir()
    without = bare(command, work, SETTINGS)
    assert without.status == 0, without.stderr
    files = digests(work)
    shutil.rmtree(work)
    work.mkdir()
    with_us = instrumented(build, command, work, tmp_path / "logs", SETTINGS)
    assert (with_us.status, with_us.stdout, with_us.stderr) == (0, without.stdout, without.stderr)
    assert digests(work) == files
    assert with_us.logs  # h5py and related packages run uname
    assert not with_us.journals
    return with_us, work


def module_of(counter: str) -> str:
    """Returns the name of the module that a counter belongs to, by its prefix."""
    return "H5_META" if counter.startswith("H5_META_") else counter.split("_", 1)[0]


def faults(text: str, rows: Rows, work: Path) -> Iterator[str]:
    """Yields a message for each expectation that a script printed and that its log does not meet.
    text: the script's output."""
    for line in text.splitlines():
        kind, _, rest = line.partition("\t")
        if kind == "expect":
            relation, counter, value, name = rest.split("\t")
            found = rows.get((module_of(counter), f"{work}/{name}"), {}).get(counter)
        elif kind == "sum":
            relation, counter, value = rest.split("\t")
            name, module = "all", module_of(counter)
            found = sum(row[counter] for (other, _), row in rows.items() if other == module)
        else:
            continue
        if found is None or not (found >= int(value) if relation == ">" else found == int(value)):
            yield f"{name}: {counter} {relation} {value} expected, {found} found"


def open_records(rows: Rows, work: Path) -> Iterator[str]:
    """Yields a message for each file and dataset of the folder `work` whose record has no close."""
    for (module, name), row in rows.items():
        ours = module in ("H5F", "H5D") and name.startswith(f"{work}/")
        if ours and not row[f"{module}_F_CLOSE_END_TIMESTAMP"] > 0:
            yield f"{name}: never closed"


@pytest.mark.parametrize("name", NAMES)
def test_script(name: str, build: Path, parser: Path, tmp_path: Path) -> None:
    """The log of a script has the counters that the script expects, and all its files and datasets
    are recorded as closed."""
    observed, work = run_both(build, name, tmp_path)
    assert "\nexpect\t" in observed.stdout or "\nsum\t" in observed.stdout
    rows = read_rows(parser, observed.logs)
    wrong = [*faults(observed.stdout, rows, work), *open_records(rows, work), *sums(rows)]
    assert not wrong, "\n".join(wrong)
    assert {module for module, _ in rows} >= {"H5F", "H5D", "LAYERS"}


def test_netcdf_leaves_no_record_without_a_name(build: Path, parser: Path, tmp_path: Path) -> None:
    """A dataset that netCDF opens by a reference only to inspect it gets no H5D record."""
    observed, work = run_both(build, "netcdf_scales", tmp_path)
    rows = read_rows(parser, observed.logs)
    names = {name for module, name in rows if module == "H5D" and name.startswith(f"{work}/")}
    assert names == {f"{work}/scales.nc:/{name}" for name in ("x", "y", "g/temperature")}


def test_the_log_has_the_version(build: Path, parser: Path, tmp_path: Path) -> None:
    """The log's metadata has the version of the HDF5 library that the program used."""
    asks = "import h5py; h5py.File('a.h5', 'w').close(); print(h5py.version.hdf5_version)"
    observed = instrumented(build, [sys.executable, "-c", asks], tmp_path, tmp_path / "logs")
    found = {metadata_of(parser, log).get("hdf5") for log in observed.logs}
    assert found - {None} == {observed.stdout.strip()}


def test_versions_differ(tmp_path: Path) -> None:
    """The three wheels contain at least two versions of HDF5; with only one, the other tests would
    show less."""
    observed = bare([sys.executable, SCRIPTS / "both.py"], tmp_path)
    (line,) = [text for text in observed.stdout.splitlines() if text.endswith("versions of HDF5")]
    assert int(line.split()[0]) >= 2


_FILES = """
import h5py
for name in "abcd":
    with h5py.File(f"{name}.h5", "w") as file:
        file.create_dataset("d", data=[1.0, 2.0, 3.0])
"""


def test_files_past_the_limit(build: Path, parser: Path, tmp_path: Path) -> None:
    """Files beyond the record limit share a record with a name of its own; no dataset is recorded
    under another file's name."""
    work = tmp_path / "work"
    work.mkdir()
    settings = tmp_path / "settings"
    settings.write_text("MAX_RECORDS 2 H5F\n")
    observed = instrumented(
        build, [sys.executable, "-c", _FILES], work, tmp_path / "logs",
        SETTINGS | {"DARSHAN_CONFIG_PATH": str(settings)},
    )  # fmt: skip
    assert (observed.status, observed.stderr) == (0, "")
    rows = read_rows(parser, observed.logs)
    writes = {name: row["H5D_WRITES"] for (module, name), row in rows.items() if module == "H5D"}
    shared = f"{work}/*.h5"
    assert writes == {f"{work}/a.h5:/d": 1, f"{work}/b.h5:/d": 1, shared + ":/d": 2}
    assert rows["H5F", shared]["H5F_OPENS"] == 2
    assert not list(sums(rows))


_MANY = """
import h5py, sys
with h5py.File("many.h5", "w") as file:
    for i in range(int(sys.argv[1])):
        file.create_dataset(f"d{i}", data=[1.0, 2.0])
lines = open("/proc/self/status").read().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("VmRSS")))
"""


def _many(build: Path, work: Path, number: int, setting: str) -> tuple[Observed, int]:
    """Runs a program with `number` datasets, with the runtime. Returns the run, and the program's
    resident memory in KiB. work: a new folder; setting: a line of the runtime's configuration
    file."""
    work.mkdir()
    settings = work.with_suffix(".conf")
    settings.write_text(setting)
    observed = instrumented(
        build, [sys.executable, "-c", _MANY, str(number)], work, work.with_suffix(".logs"),
        SETTINGS | {"DARSHAN_CONFIG_PATH": str(settings)},
    )  # fmt: skip
    assert (observed.status, observed.stderr) == (0, "")
    return observed, int(observed.stdout.split()[-1])


def test_many_datasets_have_records_of_their_own(build: Path, parser: Path, tmp_path: Path) -> None:
    """In a program that is not an MPI program, each of 300 datasets has its own record without a
    setting."""
    observed, _ = _many(build, tmp_path / "many", 300, "")
    own = {name for module, name in read_rows(parser, observed.logs) if module == "H5D"}
    assert own == {f"{tmp_path}/many/many.h5:/d{i}" for i in range(300)}


def test_a_limit_takes_no_memory(build: Path, tmp_path: Path) -> None:
    """The record limit itself costs no memory: a program with few datasets uses as much with a
    limit of 40 as with the default."""
    _, low = _many(build, tmp_path / "low", 30, "MAX_RECORDS 40 H5F,H5D\n")
    _, usual = _many(build, tmp_path / "usual", 30, "")
    assert abs(usual - low) < 1024  # 16,384 records would need 54 MB
